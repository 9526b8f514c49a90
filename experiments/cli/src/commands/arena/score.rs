//! `seega arena score`: how well a network knows the endgames of which there are tables.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread;
use std::time::Duration;

use anyhow::{Context, bail};
use seega_arena::score::{Known, ScoreRow, met_positions, score, uniform_positions};
use seega_exact::Tables;
use seega_models::checkpoint::Checkpoint;
use seega_models::evaluator::NativeEvaluator;
use seega_players::{MOST_SIMULATIONS, PlayerSpec};
use seega_rules::Rules;
use seega_search::baseline::Limit;
use seega_selfplay::{Generation, Opening, PlayedGame, Progress, Settings, Temperature, Worker};
use serde_json::{Value, json};

use crate::bar;
use crate::interrupt;
use crate::options::{RulesOptions, network};

/// Scores a network by endgame tables: how often it knows the value, and how often it and searches with it throw it away.
#[derive(Debug, clap::Args)]
pub struct Arguments {
    /// The rules, by a preset or a rules file; without it, those on which the network was trained.
    #[arg(long, value_name = "RULES")]
    rules: Option<String>,

    /// The network.
    #[arg(long, value_name = "MODEL")]
    model: PathBuf,

    /// The folder of the tables, by seega exact build.
    #[arg(long, value_name = "DIR")]
    tables: PathBuf,

    /// Positions of each class, drawn evenly.
    #[arg(long, default_value_t = 500, value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    positions: u32,

    /// Games of self-play whose positions are looked at, too.
    #[arg(long, default_value_t = 500, value_parser = clap::value_parser!(u32).range(0..=1_000_000))]
    games: u32,

    /// Simulations of the searches.
    #[arg(long, value_name = "N", num_args = 1.., default_values_t = [1, 16, 64, 400])]
    simulations: Vec<u32>,

    /// From this come the positions and the games.
    #[arg(long, default_value_t = 1)]
    seed: u64,

    /// By distance too, and not only by class.
    #[arg(long)]
    distances: bool,

    /// The result as one JSON object on one line.
    #[arg(long)]
    json: bool,

    /// Scores by rules on which the network was not trained.
    #[arg(long)]
    force: bool,
}

/// Scores and writes a table.
pub fn run(arguments: &Arguments, output: &mut impl Write) -> anyhow::Result<()> {
    let rules = match &arguments.rules {
        Some(rules) => RulesOptions::of(rules.clone()).rules()?,
        None => only_rules(&arguments.model)?,
    };
    let checkpoint = network(&arguments.model, &rules, arguments.force)?;
    if arguments.simulations.iter().any(|simulations| !(1..=MOST_SIMULATIONS).contains(simulations)) {
        bail!("--simulations are from 1 to {MOST_SIMULATIONS}");
    }
    let tables = Tables::open(&arguments.tables, &rules)?;
    let stop = interrupt::flag()?;
    let uniform = uniform_positions(&tables, u8::MAX, arguments.positions as usize, arguments.seed)?;
    let met = met_positions(&tables, &self_play(arguments, &rules, &checkpoint, stop)?)?;
    let mut all = Vec::new();
    for (source, positions) in [("uniform", &uniform), ("self-play", &met)] {
        all.push((source, scored(arguments, &rules, &checkpoint, positions, stop)?));
    }
    if arguments.json {
        let rows = all.iter().flat_map(|(source, rows)| rows.iter().map(|row| to_json(arguments, source, row)));
        writeln!(output, "{}", Value::Array(rows.collect()))?;
        return Ok(());
    }
    for (source, rows) in all.into_iter().filter(|(_, rows)| !rows.is_empty()) {
        write_table(arguments, source, &rows, output)?;
    }
    Ok(())
}

/// The rules on which a network was trained, if they are one.
fn only_rules(model: &Path) -> anyhow::Result<Rules> {
    let name = model.display();
    let checkpoint = Checkpoint::read(model).with_context(|| name.to_string())?;
    match &checkpoint.about.trained_on[..] {
        [only] => Ok(only.rules),
        several => {
            let names: Vec<&str> = several.iter().map(|known| &*known.name).collect();
            bail!("{name}: was trained on several rules; choose one with --rules: {}", names.join(", "))
        }
    }
}

fn scored(
    arguments: &Arguments,
    rules: &Rules,
    checkpoint: &Checkpoint,
    positions: &[Known],
    stop: &AtomicBool,
) -> anyhow::Result<Vec<ScoreRow>> {
    let search = |&simulations: &u32| {
        let limit = Limit::Work(simulations);
        PlayerSpec::Net { path: arguments.model.clone(), limit }.build(rules, arguments.force)
    };
    let players = || arguments.simulations.iter().map(search).collect();
    let done = AtomicU64::new(0);
    let bar = bar::positions(positions.len() as u64);
    let scored = thread::scope(|scope| {
        let scoring = scope.spawn(|| score(rules, checkpoint, players, positions, &done, stop));
        while !scoring.is_finished() {
            bar.set_position(done.load(Ordering::Relaxed));
            thread::sleep(Duration::from_millis(50));
        }
        scoring.join().expect("scoring does not panic")
    });
    bar.finish_and_clear();
    Ok(scored?)
}

/// Games of the network against itself as it trains: drawn openings, searches of few simulations.
fn self_play(
    arguments: &Arguments,
    rules: &Rules,
    checkpoint: &Checkpoint,
    stop: &AtomicBool,
) -> anyhow::Result<Vec<PlayedGame>> {
    let (games, seed) = (arguments.games, arguments.seed);
    if games == 0 {
        return Ok(Vec::new());
    }
    let settings = Settings {
        simulations: 16,
        drawn_plies: 30,
        temperature: Temperature { start: 1.0, half_life: 1e9 },
        opening: Opening { random_share: 0.25, random_plies: 8, placed_share: 0.35 },
        ..Settings::default()
    };
    let part = Generation { seed, number: 0, worker: 0, workers: 1, plies: u64::MAX, games: Some(games.into()) };
    let mut worker = Worker::new(settings, *rules, 0, Vec::new());
    let mut evaluator = NativeEvaluator::new(checkpoint);
    let (games, _) = worker.play(part, &mut evaluator, &Progress::default(), stop)?;
    Ok(games)
}

fn to_json(arguments: &Arguments, source: &str, row: &ScoreRow) -> Value {
    let names = arguments.simulations.iter().map(ToString::to_string);
    let searches: serde_json::Map<String, Value> = names.zip(row.searches.iter().copied().map(Value::from)).collect();
    json!({
        "positions_from": source,
        "mover": row.class.map(|class| class.mover),
        "opponent": row.class.map(|class| class.opponent),
        "distance": row.distance,
        "positions": row.positions,
        "accuracy": row.accuracy,
        "brier": row.brier,
        "choices": row.choices,
        "policy_mass_thrown": row.policy_mass,
        "policy_throws": row.policy,
        "searches_throw": searches,
    })
}

fn write_table(arguments: &Arguments, source: &str, rows: &[ScoreRow], output: &mut impl Write) -> anyhow::Result<()> {
    let searches = arguments.simulations.iter().map(|simulations| format!("@{simulations}"));
    writeln!(output, "Positions from {source}; thrown away in per cent of those where that can be")?;
    let heads = ["class", "turns", "positions", "right %", "Brier", "choices", "mass", "policy"].map(str::to_owned);
    let line = |cells: Vec<String>| cells.iter().map(|cell| format!("{cell:>9}")).collect::<Vec<_>>().join(" ");
    writeln!(output, "{}", line(heads.into_iter().chain(searches).collect()))?;
    for row in rows.iter().filter(|row| arguments.distances || row.distance.is_none()) {
        let percent = |share: f64| format!("{:.1}", 100.0 * share);
        let cells = [
            row.class.map_or_else(|| "all".to_owned(), |class| format!("{}v{}", class.mover, class.opponent)),
            row.distance.clone().unwrap_or_else(|| "all".to_owned()),
            row.positions.to_string(),
            percent(row.accuracy),
            format!("{:.3}", row.brier),
            row.choices.to_string(),
            percent(row.policy_mass),
            percent(row.policy),
        ];
        writeln!(
            output,
            "{}",
            line(cells.into_iter().chain(row.searches.iter().map(|&share| percent(share))).collect())
        )?;
    }
    writeln!(output)?;
    Ok(())
}
