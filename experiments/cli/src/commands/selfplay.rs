//! `seega selfplay`: games of a network against itself, as files to learn from and as records.

use std::fs;
use std::io::Write;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use anyhow::{Context, anyhow, bail};
use indicatif::ProgressBar;
use seega_exact::Tables;
use seega_files::{sha256, write_atomically};
use seega_models::checkpoint::{Checkpoint, NamedRules};
use seega_models::evaluator::{Backend, Evaluators};
use seega_rules::Rules;
use seega_rules::record::RecordWriter;
use seega_selfplay::game_file::{self, Header};
use seega_selfplay::{Counters, Generation, PlayedGame, Progress, Worker, WorkerError};
use seega_train::Recipe;

use crate::bar;
use crate::interrupt;
use crate::options::{RulesOptions, network, parse_setting};

/// Games of a part. A part is written when all its games are over, and stays whatever happens after.
const PART: u64 = 1_000;

/// Lets a network play itself and keeps the games, a thousand a part: DIR/part-0001.games to learn from,
/// DIR/part-0001.jsonl.gz to look at.
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

    /// Where to write: a new folder, or an empty one.
    #[arg(long, value_name = "DIR")]
    out: PathBuf,

    /// Replaces a setting of self-play as recipes have them, such as simulations=64; may be given several times.
    #[arg(long = "setting", value_name = "SETTING=VALUE", value_parser = parse_setting)]
    settings: Vec<(String, String)>,

    /// Plays by rules on which the network was not trained.
    #[arg(long)]
    force: bool,
}

/// Who plays what.
struct Subject {
    recipe: Recipe,
    rules: Rules,
    tables: Option<Arc<Tables>>,
    checkpoint: Checkpoint,
}

/// Plays and writes the files.
pub fn run(arguments: &Arguments, output: &mut impl Write) -> anyhow::Result<()> {
    let rules = arguments.rules.rules()?;
    let checkpoint = network(&arguments.model, &rules, arguments.force)?;
    // The rules of this recipe are never looked at: those of the command line are played.
    let recipe = Recipe::read("rules = [\"sija\"]", &arguments.settings).context("--setting")?;
    fs::create_dir_all(&arguments.out).with_context(|| arguments.out.display().to_string())?;
    let mut entries = fs::read_dir(&arguments.out).with_context(|| arguments.out.display().to_string())?;
    if entries.next().is_some() {
        bail!("{}: holds files already; games are written to a new folder", arguments.out.display());
    }
    let named = NamedRules { name: arguments.rules.name(), rules };
    let tables = recipe.open_tables(&named)?;
    let header = Header {
        rules_name: named.name,
        rules,
        seed: recipe.numbers.seed,
        generation: 0,
        network: Some(sha256(&checkpoint.to_bytes()?)),
        next_game: None,
    };
    let subject = Subject { recipe, rules, tables, checkpoint };
    let stop = interrupt::flag()?;
    let progress = Progress::default();
    let bar = bar::games(arguments.games);
    let mut counters = Counters::default();
    for (part, first) in (1..).zip((0..arguments.games).step_by(PART as usize)) {
        let numbers = first..(first + PART).min(arguments.games);
        let Some((games, counts)) = play(&subject, numbers, &progress, stop, &bar)? else {
            bar.finish_and_clear();
            bail!("stopped; {first} games are in {}", arguments.out.display());
        };
        write_part(arguments, &header, part, &games)?;
        counters = counters.and(counts);
    }
    bar.finish_and_clear();
    writeln!(
        output,
        "{} games, {} searched plies, {} evaluations: {}",
        arguments.games,
        counters.searches,
        counters.evaluations,
        arguments.out.display()
    )?;
    Ok(())
}

/// Writes the games of a part to learn from, and as records.
fn write_part(arguments: &Arguments, header: &Header, part: u32, games: &[PlayedGame]) -> anyhow::Result<()> {
    let path = arguments.out.join(format!("part-{part:04}.games"));
    game_file::write(&path, header, games).with_context(|| path.display().to_string())?;
    let mut records = RecordWriter::gzip(Vec::new());
    for game in games {
        records.write(&game.record(&header.rules_name, &header.rules))?;
    }
    let bytes = records.finish()?;
    let path = arguments.out.join(format!("part-{part:04}.jsonl.gz"));
    write_atomically(&path, |file| file.write_all(&bytes)).with_context(|| path.display().to_string())
}

/// Plays the games of those numbers on all workers, and gives them by their numbers; `None` if it was stopped.
fn play(
    Subject { recipe, rules, tables, checkpoint }: &Subject,
    numbers: std::ops::Range<u64>,
    progress: &Progress,
    stop: &AtomicBool,
    bar: &ProgressBar,
) -> anyhow::Result<Option<(Vec<PlayedGame>, Counters)>> {
    let settings = recipe.selfplay(0);
    let evaluators = Evaluators::new(checkpoint, recipe.evaluator.unwrap_or(Backend::Native))?;
    let workers = match recipe.numbers.workers {
        0 => std::thread::available_parallelism().map_or(1, |cores| cores.get() as u64),
        workers => workers as u64,
    };
    type Part = anyhow::Result<Option<(Vec<PlayedGame>, Counters)>>;
    let played: Vec<Part> = std::thread::scope(|scope| {
        let handles: Vec<_> = (0..workers)
            .map(|worker| {
                let numbers = numbers.clone();
                let mut evaluator = evaluators.for_thread();
                scope.spawn(move || {
                    evaluator.warm_up(rules, settings.games)?;
                    let part = Generation {
                        seed: recipe.numbers.seed,
                        number: 0,
                        worker,
                        workers,
                        plies: u64::MAX,
                        games: Some(numbers.end),
                    };
                    // A worker's games are those of its number modulo the workers.
                    let first = numbers.start + (worker + workers - numbers.start % workers) % workers;
                    let mut player = Worker::new(settings, *rules, first, Vec::new()).with_tables(tables.clone());
                    match player.play(part, &mut evaluator, progress, stop) {
                        Ok(played) => Ok(Some(played)),
                        Err(WorkerError::Stopped) => Ok(None),
                        Err(error) => Err(anyhow!("{error}")),
                    }
                })
            })
            .collect();
        while handles.iter().any(|handle| !handle.is_finished()) {
            bar.set_position(progress.games.load(Ordering::Relaxed));
            std::thread::sleep(Duration::from_millis(50));
        }
        handles.into_iter().map(|handle| handle.join().unwrap_or_else(|_| bail!("a worker broke down"))).collect()
    });
    let (mut games, mut counters) = (Vec::new(), Counters::default());
    for played in played {
        let Some((more, counts)) = played? else { return Ok(None) };
        games.extend(more);
        counters = counters.and(counts);
    }
    games.sort_by_key(|game| game.number);
    Ok(Some((games, counters)))
}
