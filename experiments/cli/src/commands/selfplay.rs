//! `seega selfplay`: games of a network against itself, as files to learn from and as records.

use std::fs;
use std::io::Write;
use std::path::PathBuf;

use anyhow::{Context, anyhow, bail};
use seega_models::checkpoint::{Checkpoint, sha256};
use seega_models::evaluator::{TorchEvaluator, check_rules};
use seega_models::file::write_atomically;
use seega_rules::Rules;
use seega_rules::record::RecordWriter;
use seega_selfplay::game_file::{self, Header};
use seega_selfplay::{Counters, Generation, PlayedGame, Progress, Worker};
use seega_train::Recipe;

use crate::interrupt;
use crate::options::{RulesOptions, parse_override};

/// Lets a network play itself and keeps the games: DIR/selfplay.games to learn from, DIR/selfplay.jsonl.gz to look at.
#[derive(Debug, clap::Args)]
pub struct Arguments {
    #[command(flatten)]
    rules: RulesOptions,

    /// The network.
    #[arg(long, value_name = "MODEL")]
    model: PathBuf,

    /// Games to play, each to its end.
    #[arg(long, value_parser = clap::value_parser!(u64).range(1..=10_000_000))]
    games: u64,

    /// Where to write.
    #[arg(long, value_name = "DIR")]
    out: PathBuf,

    /// Replaces a setting of self-play as recipes have them, such as simulations=64; may be given several times.
    #[arg(long = "setting", value_name = "SETTING=VALUE", value_parser = parse_override)]
    settings: Vec<(String, String)>,

    /// Plays by rules on which the network was not trained.
    #[arg(long)]
    force: bool,
}

/// Plays and writes the files.
pub fn run(arguments: &Arguments, output: &mut impl Write) -> anyhow::Result<()> {
    let rules = arguments.rules.rules()?;
    let name = arguments.model.display();
    let checkpoint = Checkpoint::read(&arguments.model).with_context(|| name.to_string())?;
    if !arguments.force {
        check_rules(&checkpoint, &rules).with_context(|| format!("{name} (--force plays all the same)"))?;
    }
    // The rules of this recipe are never looked at: those of the command line are played.
    let recipe = Recipe::read("rules = [\"sija\"]", &arguments.settings).context("--setting")?;
    let (games, counters) = play(arguments, &recipe, &rules, &checkpoint)?;
    fs::create_dir_all(&arguments.out).with_context(|| arguments.out.display().to_string())?;
    let header = Header {
        rules_name: arguments.rules.name(),
        rules,
        seed: recipe.numbers.seed,
        generation: 0,
        network: Some(sha256(&checkpoint.to_bytes()?)),
        next_game: None,
    };
    let path = arguments.out.join("selfplay.games");
    game_file::write(&path, &header, &games).with_context(|| path.display().to_string())?;
    let mut records = RecordWriter::gzip(Vec::new());
    for game in &games {
        records.write(&game.record(&header.rules_name, &rules))?;
    }
    let bytes = records.finish()?;
    let path = arguments.out.join("selfplay.jsonl.gz");
    write_atomically(&path, |file| file.write_all(&bytes)).with_context(|| path.display().to_string())?;
    writeln!(
        output,
        "{} games, {} searched plies, {} evaluations: {}",
        games.len(),
        counters.searches,
        counters.evaluations,
        arguments.out.display()
    )?;
    Ok(())
}

/// Plays on all workers; the games come by their numbers.
fn play(
    arguments: &Arguments,
    recipe: &Recipe,
    rules: &Rules,
    checkpoint: &Checkpoint,
) -> anyhow::Result<(Vec<PlayedGame>, Counters)> {
    let stop = interrupt::flag()?;
    let settings = recipe.selfplay(0);
    let workers = match recipe.numbers.workers {
        0 => std::thread::available_parallelism().map_or(1, |cores| cores.get() as u64),
        workers => workers as u64,
    };
    let progress = Progress::default();
    let played: Vec<anyhow::Result<(Vec<PlayedGame>, Counters)>> = std::thread::scope(|scope| {
        let handles: Vec<_> = (0..workers)
            .map(|worker| {
                let progress = &progress;
                scope.spawn(move || {
                    let mut evaluator = TorchEvaluator::new(checkpoint);
                    evaluator.warm_up(rules, settings.games)?;
                    let part = Generation {
                        seed: recipe.numbers.seed,
                        number: 0,
                        worker,
                        workers,
                        plies: u64::MAX,
                        games: Some(arguments.games),
                    };
                    let mut player = Worker::new(settings, *rules, worker, Vec::new());
                    player.play(part, &mut evaluator, progress, stop).map_err(|error| anyhow!("{error}"))
                })
            })
            .collect();
        handles.into_iter().map(|handle| handle.join().unwrap_or_else(|_| bail!("a worker broke down"))).collect()
    });
    let (mut games, mut counters) = (Vec::new(), Counters::default());
    for played in played {
        let (more, counts) = played?;
        games.extend(more);
        counters = counters.and(counts);
    }
    games.sort_by_key(|game| game.number);
    Ok((games, counters))
}
