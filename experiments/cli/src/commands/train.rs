//! `seega train`: self-play and training, generation by generation, in a run folder.

use std::io::{IsTerminal, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use anyhow::{Context, bail};
use indicatif::{ProgressBar, ProgressStyle};
use seega_models::checkpoint::Checkpoint;
use seega_train::{GenerationReport, Observer, Phase, Recipe, Run, Rung};

use crate::interrupt;
use crate::options::parse_override;

/// Trains a network by self-play, or goes on where a run was.
#[derive(Debug, clap::Args)]
pub struct Arguments {
    /// The recipe of a new run. A run that was begun needs none.
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,

    /// The run folder; without it, runs/ and the recipe's name.
    #[arg(long, value_name = "DIR")]
    run: Option<PathBuf>,

    /// Replaces a setting of the recipe, such as generations=20; may be given several times.
    #[arg(long = "set", value_name = "SETTING=VALUE", value_parser = parse_override)]
    overrides: Vec<(String, String)>,

    /// The network with which a new run begins.
    #[arg(long, value_name = "MODEL")]
    init: Option<PathBuf>,

    /// Begins a new run with the newest network of another.
    #[arg(long, value_name = "DIR", conflicts_with = "init")]
    fork: Option<PathBuf>,
}

/// Trains until done or stopped.
pub fn run(arguments: &Arguments, output: &mut impl Write) -> anyhow::Result<()> {
    let mut run = open(arguments)?;
    let stop = interrupt::flag()?;
    let show = Show::new();
    let trained = run.train(&show, stop);
    show.end();
    trained?;
    write_next_steps(&run, output)?;
    Ok(())
}

/// Where the network is, how strong it is, and what to do with it.
fn write_next_steps(run: &Run, output: &mut impl Write) -> anyhow::Result<()> {
    let model = run.latest();
    let (model, folder) = (model.display(), run.path().display());
    let rules = &run.recipe().rules[0].named.name;
    writeln!(output)?;
    writeln!(output, "The network:      {model}")?;
    writeln!(output, "How strong it is: {folder}/ladder.csv, and drawn with its curves by")?;
    writeln!(output, "                  seega report {folder}")?;
    writeln!(output, "Play against it:  seega play --rules {rules} --black net:{model}@200")?;
    writeln!(output, "Match it:         seega arena match net:{model}@64 alphabeta:4 --rules {rules} --games 100")?;
    writeln!(output, "Train it on:      seega train --run {folder} --set generations={}", {
        2 * run.recipe().numbers.generations
    })?;
    writeln!(output, "Take it along:    seega export --model {model} --out exported")?;
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
            Some(Recipe::read(&text, &arguments.overrides).map_err(|error| {
                let lines: Vec<String> = error.0.iter().map(|problem| format!("{name}: {problem}")).collect();
                anyhow::anyhow!(lines.join("\n"))
            })?)
        }
        None => stored_with_overrides(&folder, &arguments.overrides)?,
    };
    let newest = |run: &PathBuf| run.join("checkpoints/latest.safetensors");
    let init = match arguments.init.clone().or(arguments.fork.as_ref().map(newest)) {
        Some(path) => Some(Checkpoint::read(&path).with_context(|| path.display().to_string())?),
        None => None,
    };
    Ok(Run::open(&folder, recipe, init)?)
}

/// The recipe of the run with overrides on top; `None` leaves the run's own as it is.
fn stored_with_overrides(folder: &Path, overrides: &[(String, String)]) -> anyhow::Result<Option<Recipe>> {
    if overrides.is_empty() {
        return Ok(None);
    }
    let path = folder.join("run.toml");
    let text = std::fs::read_to_string(&path).with_context(|| format!("{}: can't be read", path.display()))?;
    Ok(Some(Recipe::read(&text, overrides).context("--set")?))
}

/// The counter of the phase that lasts, and when it began.
type Watched = Arc<Mutex<Option<(Arc<AtomicU64>, Instant)>>>;

/// Shows how a run goes on: a bar on a terminal, a line for each generation elsewhere.
struct Show {
    bar: ProgressBar,
    since: Mutex<Instant>,
    counter: Watched,
    ended: Arc<AtomicBool>,
}

impl Show {
    fn new() -> Show {
        let bar = if std::io::stderr().is_terminal() { ProgressBar::new_spinner() } else { ProgressBar::hidden() };
        let counter = Watched::default();
        let ended = Arc::new(AtomicBool::new(false));
        let (drawn, seen, over) = (bar.clone(), Arc::clone(&counter), Arc::clone(&ended));
        // Ends with the process or with `end`; it only draws.
        std::thread::spawn(move || {
            while !over.load(Ordering::Relaxed) {
                if let Some((counter, since)) = seen.lock().ok().and_then(|seen| seen.clone()) {
                    let count = counter.load(Ordering::Relaxed);
                    drawn.set_position(count);
                    let rate = count as f64 / since.elapsed().as_secs_f64().max(1e-3);
                    drawn.set_message(format!("{rate:.0}/s"));
                }
                std::thread::sleep(Duration::from_millis(200));
            }
        });
        Show { bar, since: Mutex::new(Instant::now()), counter, ended }
    }

    fn end(&self) {
        self.ended.store(true, Ordering::Relaxed);
        self.bar.finish_and_clear();
    }
}

impl Observer for Show {
    fn phase(&self, generation: u32, phase: Phase, total: Option<u64>, counter: &Arc<AtomicU64>) {
        let (name, unit) = match phase {
            Phase::SelfPlay => ("self-play", "evaluations"),
            Phase::Training => ("training", "steps"),
            Phase::Ladder => ("ladder", "games"),
        };
        let template = match total {
            Some(_) => {
                format!("{{spinner}} generation {generation}: {name} {{pos}} of {{len}} {unit} {{msg}} {{wide_bar}}")
            }
            None => format!("{{spinner}} generation {generation}: {name} {{pos}} {unit} {{msg}}"),
        };
        if let Ok(style) = ProgressStyle::with_template(&template) {
            self.bar.set_style(style);
        }
        self.bar.set_length(total.unwrap_or(0));
        if let Ok(mut seen) = self.counter.lock() {
            *seen = Some((Arc::clone(counter), Instant::now()));
        }
    }

    fn finished(&self, report: &GenerationReport) {
        let seconds = self.since.lock().map_or(0.0, |mut since| {
            let seconds = since.elapsed().as_secs_f64();
            *since = Instant::now();
            seconds
        });
        let losses: Vec<String> = report.losses.iter().map(|(name, loss)| format!("{name} {loss:.3}")).collect();
        let line = format!(
            "generation {}: {} games ({} white, {} drawn, {} black) of {:.0} plies, {} positions, {} evaluations, fill {:.2}; {}; {seconds:.0} s",
            report.generation,
            report.games,
            report.white,
            report.draws,
            report.black,
            report.plies_per_game,
            report.positions,
            report.evaluations,
            report.batch_fill,
            losses.join(", ")
        );
        self.bar.suspend(|| println!("{line}"));
    }

    fn measured(&self, rungs: &[Rung], _: bool) {
        let mut text = String::new();
        for rung in rungs {
            let row = &rung.row;
            text += &format!(
                "  {:<10} {:<14} from {:<11} {:>4} games  {:>5.1} %  ({:.1} to {:.1})\n",
                rung.rules,
                row.opponent,
                row.start,
                row.games,
                100.0 * row.score,
                100.0 * row.low,
                100.0 * row.high
            );
        }
        let generation = rungs.first().map_or(0, |rung| rung.generation);
        self.bar.suspend(|| print!("ladder of generation {generation}, score with 95 % interval:\n{text}"));
    }
}
