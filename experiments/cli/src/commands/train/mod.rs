//! `seega train`: self-play and training, generation by generation, in a run folder.

mod show;

use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Context, bail};
use seega_models::checkpoint::Checkpoint;
use seega_models::evaluator::Trial;
use seega_train::{Recipe, Run, Tried, latest_network};

use self::show::Show;
use crate::interrupt;
use crate::options::parse_setting;

/// Trains a network by self-play, or goes on where a run was.
#[derive(Debug, clap::Args)]
#[command(after_long_help = settings_help())]
pub struct Arguments {
    /// The recipe of a new run. A run that was begun needs none.
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,

    /// The run folder; without it, runs/ and the recipe's name.
    #[arg(long, value_name = "DIR")]
    run: Option<PathBuf>,

    /// Replaces a setting of the recipe, such as generations=20; may be given several times.
    #[arg(long = "set", value_name = "SETTING=VALUE", value_parser = parse_setting)]
    overrides: Vec<(String, String)>,

    /// The network with which a new run begins.
    #[arg(long, value_name = "MODEL")]
    init: Option<PathBuf>,

    /// Begins a new run with the newest network of another, by that one's recipe unless one is given.
    #[arg(long, value_name = "DIR", conflicts_with = "init")]
    fork: Option<PathBuf>,
}

/// Trains until done or stopped.
pub fn run(arguments: &Arguments, output: &mut impl Write) -> anyhow::Result<()> {
    let mut run = open(arguments)?;
    let stop = interrupt::flag()?;
    let show = Show::new(run.recipe().numbers.generations);
    show.print(&choice(&run));
    let trained = run.train(&show, stop);
    let times = show.end();
    write!(output, "\n{times}")?;
    if let Some(per_s) = times.evaluations_per_s() {
        write_speed(&run, per_s, output)?;
    }
    trained?;
    write_next_steps(&run, output)?;
    Ok(())
}

/// Which evaluator a new run has, and how it was chosen.
fn choice(run: &Run) -> String {
    let (Some(evaluator), false) = (run.recipe().evaluator, run.tried().is_empty()) else { return String::new() };
    let games = run.recipe().numbers.games;
    let mut text = format!("evaluator: {evaluator}, {games} games a worker; tried:\n");
    for Tried { backend, result } in run.tried() {
        match result {
            Ok(trials) => trials.iter().for_each(|trial| text += &format!("  {}\n", told(trial))),
            Err(why) => text += &format!("  {backend:<12} can't be used: {why}\n"),
        }
    }
    text
}

fn told(Trial { backend, batch, threads, per_s, difference }: &Trial) -> String {
    let exact = if *difference == 0.0 { String::new() } else { format!(", differs by {difference:.0e}") };
    format!("{backend:<12} batch {batch:<4} threads {threads:<3} {per_s:>8.0} positions/s{exact}")
}

/// How much of self-play was the network's, and whether the evaluator says what it should of a trained network still.
fn write_speed(run: &Run, per_s: f64, output: &mut impl Write) -> anyhow::Result<()> {
    const TIME: Duration = Duration::from_millis(500);
    let recipe = run.recipe();
    let ([rules], Some(evaluator)) = (&recipe.rules[..], recipe.evaluator) else {
        return Ok(writeln!(output, "Self-play took {per_s:.0} evaluations/s")?);
    };
    let checkpoint = Checkpoint::read(&run.latest())?;
    let (games, workers) = (recipe.numbers.games, recipe.numbers.workers);
    let trial = Trial::run(&checkpoint, &rules.named.rules, evaluator, games, workers, TIME)?;
    let share = per_s / trial.per_s;
    writeln!(output, "Self-play took {per_s:.0} evaluations/s, {share:.2} of the forward passes alone, now:")?;
    writeln!(output, "  {}", told(&trial))?;
    if !trial.agrees() {
        writeln!(output, "That is further from the native evaluator than rounding goes: take another evaluator.")?;
    }
    Ok(())
}

/// Where the network is, how strong it is, and what to do with it.
fn write_next_steps(run: &Run, output: &mut impl Write) -> anyhow::Result<()> {
    let model = run.latest();
    let (model, folder) = (model.display(), run.path().display());
    let rules = &run.recipe().rules[0].named.name;
    let program = std::env::args().next().unwrap_or_else(|| "seega".to_owned());
    writeln!(output)?;
    writeln!(output, "The network:      {model}")?;
    writeln!(output, "How strong it is: {folder}/ladder.csv, and drawn with its curves by")?;
    writeln!(output, "                  {program} report {folder}")?;
    writeln!(output, "Play against it:  {program} play --rules {rules} --black net:{model}@200")?;
    writeln!(output, "Match it:         {program} arena match net:{model}@64 alphabeta:4 --rules {rules} --games 100")?;
    writeln!(output, "Train it on:      {program} train --run {folder} --set generations={}", {
        2 * run.recipe().numbers.generations
    })?;
    writeln!(output, "Take it along:    {program} export --model {model} --out exported")?;
    Ok(())
}

fn open(arguments: &Arguments) -> anyhow::Result<Run> {
    let folder = match (&arguments.run, &arguments.config) {
        (Some(folder), _) => folder.clone(),
        (None, Some(config)) => Path::new("runs").join(config.file_stem().unwrap_or_default()),
        (None, None) => {
            bail!("give a recipe (--config experiments/configs/quickstart.toml) or a run folder (--run DIR)")
        }
    };
    let recipe = match &arguments.config {
        Some(path) => {
            let name = path.display();
            let text = std::fs::read_to_string(path).with_context(|| format!("{name}: can't be read"))?;
            let recipe = Recipe::read(&text, &arguments.overrides);
            Some(recipe.map_err(|error| crate::options::settings_problems(path, &error))?)
        }
        None => stored_with_overrides(&folder, arguments)?,
    };
    let init = match arguments.init.clone().or(arguments.fork.as_deref().map(latest_network)) {
        Some(path) => Some(Checkpoint::read(&path).with_context(|| path.display().to_string())?),
        None => None,
    };
    Ok(Run::open(&folder, recipe, init)?)
}

/// The recipe of the run, or of the one from which it is forked, with overrides on top; `None` leaves the run's own as it
/// is.
fn stored_with_overrides(folder: &Path, arguments: &Arguments) -> anyhow::Result<Option<Recipe>> {
    let origin = match &arguments.fork {
        Some(forked) => forked,
        None if arguments.overrides.is_empty() => return Ok(None),
        None => folder,
    };
    let path = origin.join("run.toml");
    let text = std::fs::read_to_string(&path).with_context(|| format!("{}: can't be read", path.display()))?;
    Ok(Some(Recipe::read(&text, &arguments.overrides).context("--set")?))
}

/// Every setting of a recipe with its default, for the long help.
fn settings_help() -> String {
    let mut text = "Settings of a recipe, with their defaults:\n".to_owned();
    for line in Recipe::defaults() {
        text += &format!("  {line}\n");
    }
    text
}
