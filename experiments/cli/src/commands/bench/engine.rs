//! The engine alone: random games, on one core.

use std::io::Write;
use std::time::{Duration, Instant};

use rand::rngs::SmallRng;
use rand::{RngExt, SeedableRng};
use seega_rules::{BoardSize, Position, Preset, Rules, preset};
use serde_json::{Map, Value, json};

use super::Arguments;

/// What was measured of a rule set.
struct Speed {
    plies_per_s: f64,
    playouts_per_s: f64,
}

/// Measures, writes the table unless JSON is asked for, and gives the figures.
pub(super) fn run(arguments: &Arguments, output: &mut impl Write) -> anyhow::Result<Value> {
    let chosen = chosen(&arguments.only)?;
    let budget = Duration::from_secs_f64(arguments.seconds);
    let mut figures = Map::new();
    if !arguments.json {
        writeln!(output, "{:<20} {:>14} {:>12} {:>14}", "rules", "plies/s", "playouts/s", "plies/playout")?;
    }
    for (preset, size) in chosen {
        let name = format!("{}/{}", preset.name, size.side());
        let Speed { plies_per_s, playouts_per_s } = measure(&preset.rules.with_size(size), budget);
        if !arguments.json {
            let length = plies_per_s / playouts_per_s;
            writeln!(output, "{name:<20} {plies_per_s:>14.0} {playouts_per_s:>12.0} {length:>14.1}")?;
            output.flush()?;
        }
        let speed = json!({ "plies_per_s": plies_per_s.round(), "playouts_per_s": playouts_per_s.round() });
        figures.insert(name, speed);
    }
    Ok(Value::Object(figures))
}

/// The presets and sizes to measure: those that are named, or every preset at its sizes.
fn chosen(only: &[String]) -> anyhow::Result<Vec<(&'static Preset, BoardSize)>> {
    let with_sizes = |preset: &'static Preset| preset.sizes.iter().map(move |&size| (preset, size));
    if only.is_empty() {
        return Ok(preset::ALL.iter().flat_map(with_sizes).collect());
    }
    let mut chosen = Vec::new();
    for name in only {
        let rules = preset::parse(name)?;
        let (preset, size) = name.split_once('/').map_or((&**name, None), |(name, _)| (name, Some(rules.size)));
        let Some(preset) = preset::find(preset) else { continue };
        match size {
            Some(size) => chosen.push((preset, size)),
            None => chosen.extend(with_sizes(preset)),
        }
    }
    Ok(chosen)
}

/// Plays random games until the time is up, after a tenth of it to warm up.
fn measure(rules: &Rules, budget: Duration) -> Speed {
    let mut random = SmallRng::seed_from_u64(1);
    let warm = Instant::now();
    while warm.elapsed() < budget / 10 {
        playout(rules, &mut random);
    }
    let (mut plies, mut playouts) = (0u64, 0u64);
    let start = Instant::now();
    let elapsed = loop {
        plies += playout(rules, &mut random);
        playouts += 1;
        let elapsed = start.elapsed();
        if elapsed >= budget {
            break elapsed.as_secs_f64();
        }
    };
    Speed { plies_per_s: plies as f64 / elapsed, playouts_per_s: playouts as f64 / elapsed }
}

/// Plays a random game from the start to its end and gives its plies.
fn playout(rules: &Rules, random: &mut SmallRng) -> u64 {
    let mut position = Position::start(rules);
    let mut plies = 0;
    while let Some(action) = position.choose_action(rules, |count| random.random_range(0..count)) {
        position.apply(rules, action);
        plies += 1;
    }
    plies
}
