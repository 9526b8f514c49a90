//! `seega balance plan`: what a study can show, and what it costs, before it is begun.

use std::io::Write;
use std::path::PathBuf;
use std::thread::available_parallelism;
use std::time::Duration;

use rand::SeedableRng;
use rand::rngs::SmallRng;
use seega_balance::statistics::power::Assumed;
use seega_balance::{Study, cells, random_game};
use seega_models::checkpoint::Checkpoint;
use seega_models::evaluator::{Backend, Trial};
use seega_train::Recipe;

use super::read;
use crate::commands::bench::samples_per_s;

/// Tells what a study can show, and how long it takes here: measures for a few seconds, and writes nothing.
#[derive(Debug, clap::Args)]
pub struct Arguments {
    /// The study, such as experiments/configs/balance/presets.toml.
    study: PathBuf,
}

/// The power that is asked of tests.
const POWER: f64 = 0.9;

/// Tells.
pub fn run(arguments: &Arguments, output: &mut impl Write) -> anyhow::Result<()> {
    let (study, _) = read(&arguments.study)?;
    writeln!(output, "{}", study.title)?;
    let (trainings, cells) = (study.trainings(), cells(&study));
    writeln!(
        output,
        "{} variants, {} seeds: {} trainings, and {} games in {} cells\n",
        study.variants.len(),
        study.seeds,
        trainings.len(),
        cells.len() as u64 * u64::from(study.games),
        cells.len()
    )?;
    power(&study, output)?;
    writeln!(output)?;
    cost(&study, output)
}

fn power(study: &Study, output: &mut impl Write) -> anyhow::Result<()> {
    let Study { between_seeds, draws, alpha, margin, .. } = *study;
    let assumed = Assumed { between_seeds, draws };
    let (seeds, games) = (study.seeds as usize, u64::from(study.games));
    let points = |share: f64| format!("{:.1}", 100.0 * share);
    writeln!(
        output,
        "If networks of different seeds score {} points apart (standard deviation) and {} % of games are drawn:",
        points(between_seeds),
        points(draws)
    )?;
    writeln!(output, "  a variant's score is known to ±{} points;", points(assumed.reach(seeds, games, alpha)))?;
    // The strictest of Holm's levels: what the first claim of a family has to pass.
    let variants = study.variants.len();
    for (told, alpha) in [("alone", alpha), ("as the first claim of its family", alpha / variants as f64)] {
        let within = assumed.shown_within(seeds, games, alpha, POWER);
        let enough = if within <= margin { "the margin is wide enough" } else { "more than the margin" };
        writeln!(
            output,
            "  {told}, a test finds a variant {} points from even in nine of ten studies, and shows an even one to lie within \
             ±{} ({enough}, ±{});",
            points(assumed.found(seeds, games, alpha, POWER)),
            points(within),
            points(margin)
        )?;
    }
    // Seeds move variants of one network alike at best; at worst differences have both variants' chance.
    let of_two = 2f64.sqrt() * assumed.found(seeds, games, alpha, POWER);
    writeln!(output, "  two variants are told apart at {} points or less", points(of_two))?;
    if study.design.is_some() {
        let all = Assumed { between_seeds: 2.0 * between_seeds / (variants as f64).sqrt(), draws };
        let effect = all.found(seeds, games * variants as u64 / 4, alpha, POWER);
        writeln!(output, "  an effect is found at {} points, if variants' seeds are independent", points(effect))?;
    }
    writeln!(output, "To know a variant's score to ±x points takes:")?;
    writeln!(output, "  {:>6} {:>12} {:>12} {:>12}", "seeds", "±5", "±3", "±2")?;
    for seeds in [3, 5, 10, 20] {
        let games = [0.05, 0.03, 0.02].map(|reach| match assumed.games_for(reach, seeds, alpha) {
            Some(games) => format!("{games} games"),
            None => "–".to_owned(),
        });
        writeln!(output, "  {seeds:>6} {}", games.map(|games| format!("{games:>12}")).join(" "))?;
    }
    writeln!(output, "  (games of each variant a seed; – where no number is enough with so few seeds)")?;
    Ok(())
}

fn cost(study: &Study, output: &mut impl Write) -> anyhow::Result<()> {
    /// How long each part is measured.
    const TIME: Duration = Duration::from_millis(700);
    let threads = available_parallelism().map_or(1, usize::from);
    let mut recipe: Recipe = study.trainings()[0].recipe(study)?;
    if recipe.numbers.train_threads == 0 {
        recipe.numbers.train_threads = threads;
    }
    let rules = &study.variants[0].rules.rules;
    let checkpoint = Checkpoint::fresh(recipe.architecture(), vec![study.variants[0].rules.clone()], 1);
    let forward = Trial::run(&checkpoint, rules, Backend::Native, 64, threads, TIME)?.per_s;
    let learning = samples_per_s(&recipe, &checkpoint, rules, TIME)?;
    let numbers = &recipe.numbers;
    let positions = numbers.plies as f64 * f64::from(numbers.generations);
    let training = positions * f64::from(numbers.simulations) / forward + positions * numbers.reuse / learning;
    let mut random = SmallRng::seed_from_u64(1);
    let plies = |rules| {
        (0..20).map(|game| random_game(rules, game, &mut random, None).0.plies.len()).sum::<usize>() as f64 / 20.0
    };
    let mean_plies: Vec<f64> = study.variants.iter().map(|variant| &variant.rules.rules).map(plies).collect();
    let plies_of = |name: &str| {
        let index = study.variants.iter().position(|variant| variant.name == name).unwrap_or_default();
        mean_plies[index]
    };
    let playing: f64 = cells(study)
        .iter()
        .map(|cell| plies_of(&cell.variant.name) * f64::from(cell.simulations) * f64::from(study.games) / forward)
        .sum();
    let trainings = study.trainings().len() as f64;
    let told = |seconds: f64| match seconds {
        seconds if seconds < 120.0 => format!("{seconds:.0} s"),
        seconds if seconds < 7200.0 => format!("{:.0} min", seconds / 60.0),
        seconds => format!("{:.1} h", seconds / 3600.0),
    };
    writeln!(
        output,
        "On {threads} threads here ({forward:.0} evaluations and {learning:.0} samples of training a second, measured just now):"
    )?;
    writeln!(output, "  a training        {}", told(training))?;
    writeln!(output, "  all trainings     {}", told(training * trainings))?;
    writeln!(output, "  all games         {} (as long as random ones)", told(playing))?;
    writeln!(output, "  together          {}", told(training * trainings + playing))?;
    Ok(())
}
