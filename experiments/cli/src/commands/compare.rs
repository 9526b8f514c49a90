//! `seega compare`: questions about how to train, answered by training both arms in equal CPU time.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;
use std::thread::available_parallelism;
use std::time::Duration;

use anyhow::{Context, bail};
use indicatif::ProgressBar;
use seega_arena::{Estimate, elo_of_score};
use seega_compare::{Arm, Games, Pairing, Question, Results, Spent, Study, Told, crossed, play_pair, train_arm};
use seega_files::write_atomically;
use seega_train::latest_network;
use serde_json::{Value, json};

use crate::bar;
use crate::interrupt;
use crate::options::settings_problems;

/// Trains both arms of each question of a study in equal CPU time, with several seeds, lets the networks play each other,
/// and tells which arm is better, with intervals over seeds. Stopped, it goes on where it was.
#[derive(Debug, clap::Args)]
pub struct Arguments {
    /// The study, such as experiments/configs/choices.toml.
    study: PathBuf,

    /// Where runs and results are kept; without it, runs/ and the study's name.
    #[arg(long, value_name = "DIR")]
    dir: Option<PathBuf>,

    /// The result as one JSON object on one line.
    #[arg(long)]
    json: bool,
}

/// Trains, plays, and writes what came of it.
pub fn run(arguments: &Arguments, output: &mut impl Write) -> anyhow::Result<()> {
    let name = arguments.study.display();
    let text = std::fs::read_to_string(&arguments.study).with_context(|| format!("{name}: can't be read"))?;
    let study = Study::read(&text).map_err(|error| settings_problems(&arguments.study, &error))?;
    let stem = arguments.study.file_stem().unwrap_or_default();
    let folder = arguments.dir.clone().unwrap_or_else(|| Path::new("runs").join(stem));
    let results = Results::open(&folder)?;
    let stop = interrupt::flag()?;
    let bar = bar::line();
    let done = train(&study, &results, stop, &bar).and_then(|()| play(&study, &results, stop, &bar));
    bar.finish_and_clear();
    done?;
    let answers: Vec<Answer<'_>> = study.questions.iter().map(|question| answer(&study, question, &results)).collect();
    let object = Value::Array(answers.iter().map(Answer::to_json).collect());
    let path = folder.join("answers.json");
    write_atomically(&path, |file| file.write_all(format!("{object:#}\n").as_bytes()))
        .with_context(|| path.display().to_string())?;
    if arguments.json {
        writeln!(output, "{object}")?;
    } else {
        write_text(&study, &answers, &results, output)?;
    }
    Ok(())
}

/// Trains every arm with every seed, one after the other: never two at once, and the arms in turn, so that what the machine
/// does besides falls on all alike.
fn train(study: &Study, results: &Results, stop: &AtomicBool, bar: &ProgressBar) -> anyhow::Result<()> {
    let budget = Duration::from_secs_f64(60.0 * study.cpu_minutes);
    let arms = study.arms();
    let trainings = arms.len() as u64 * study.seeds;
    let mut number = 0;
    for seed in 1..=study.seeds {
        for arm in &arms {
            number += 1;
            let name = format!("training {number} of {trainings}, {} with seed {seed}", arm.name);
            bar.set_message(name.clone());
            let lines = Lines { bar, name, budget: budget.as_secs_f64() };
            train_arm(results, &arm.name, arm.recipe(seed)?, budget, stop, &lines)
                .with_context(|| format!("{} with seed {seed}", arm.name))?;
            if let Some(Spent { generations, positions, evaluations, cpu_seconds, .. }) = results.spent(&arm.name, seed)
            {
                lines.print(&format!(
                    "{}: {generations} generations, {positions} positions, {evaluations} evaluations in \
                     {cpu_seconds:.0} CPU s",
                    lines.name
                ));
            }
        }
    }
    Ok(())
}

/// What people see of a training.
struct Lines<'a> {
    bar: &'a ProgressBar,
    name: String,
    budget: f64,
}

impl Lines<'_> {
    /// Prints above the line. Whoever read it may have left; that is no reason to stop.
    fn print(&self, line: &str) {
        self.bar.suspend(|| {
            let _ = writeln!(std::io::stderr(), "{line}");
        });
    }
}

impl Told for Lines<'_> {
    fn spent(&self, Spent { generations, cpu_seconds, .. }: &Spent) {
        let Lines { bar, name, budget } = self;
        bar.set_message(format!("{name}: generation {generations}, {cpu_seconds:.0} of {budget:.0} CPU s"));
    }

    fn warn(&self, warning: &str) {
        self.print(&format!("warning: {}: {warning}", self.name));
    }
}

/// The pairing of two arms' networks, as the study has it now.
fn pairing(study: &Study, question: &Question, [seed_a, seed_b]: [u64; 2], results: &Results) -> Pairing {
    let [a, b] = &question.arms;
    let network = |arm: &Arm, seed| results.spent(&arm.name, seed).map(|spent| spent.network).unwrap_or_default();
    Pairing {
        network_a: network(a, seed_a),
        network_b: network(b, seed_b),
        a: a.name.clone(),
        seed_a,
        b: b.name.clone(),
        seed_b,
        rules: question.rules.name.clone(),
        simulations: study.simulations,
        pairs: study.pairs,
    }
}

/// Every seed of the first arm with every seed of the second.
fn seeds(study: &Study) -> impl Iterator<Item = [u64; 2]> {
    let seeds = 1..=study.seeds;
    seeds.clone().flat_map(move |seed_a| seeds.clone().map(move |seed_b| [seed_a, seed_b]))
}

/// Lets all networks of each question's arms play each other.
fn play(study: &Study, results: &Results, stop: &AtomicBool, bar: &ProgressBar) -> anyhow::Result<()> {
    let threads = available_parallelism().map_or(1, usize::from);
    for question in &study.questions {
        let Question { name, arms, rules, .. } = question;
        for seeds in seeds(study) {
            let pairing = pairing(study, question, seeds, results);
            if results.games(&pairing).is_some() {
                continue;
            }
            let [seed_a, seed_b] = seeds;
            bar.set_message(format!(
                "{name}: {} with seed {seed_a}, {} with seed {seed_b}",
                arms[0].name, arms[1].name
            ));
            let network = |arm: &Arm, seed| latest_network(&results.run_folder(&arm.name, seed));
            let paths = [network(&arms[0], seed_a), network(&arms[1], seed_b)];
            match play_pair(&pairing, &rules.rules, paths.each_ref().map(PathBuf::as_path), threads, stop)? {
                Some(games) => results.keep_games(pairing, games)?,
                None => bail!("stopped; start it again to go on"),
            }
        }
    }
    Ok(())
}

/// What is known of a question.
struct Answer<'a> {
    question: &'a Question,
    games: u64,
    /// The score of the first arm.
    score: Estimate,
}

fn answer<'a>(study: &Study, question: &'a Question, results: &Results) -> Answer<'a> {
    let games: Vec<Games> =
        seeds(study).filter_map(|seeds| results.games(&pairing(study, question, seeds, results))).collect();
    let scores: Vec<Vec<f64>> =
        games.chunks(study.seeds as usize).map(|row| row.iter().map(Games::score).collect()).collect();
    let games: u64 = games.iter().map(|games| games.games).sum();
    // A game's result is at most half from the mean.
    let game_deviation = 0.5 / (games.max(1) as f64).sqrt();
    Answer { question, games, score: crossed(&scores, game_deviation) }
}

impl Answer<'_> {
    fn verdict(&self) -> &str {
        let [a, b] = &self.question.arms;
        match () {
            () if self.score.low > 0.5 => &a.name,
            () if self.score.high < 0.5 => &b.name,
            () => "open",
        }
    }

    fn to_json(&self) -> Value {
        let [a, b] = &self.question.arms;
        let elo = self.score.map(elo_of_score);
        json!({
            "question": self.question.name,
            "text": self.question.text,
            "a": a.name,
            "b": b.name,
            "games": self.games,
            "score": self.score.value,
            "score_low": self.score.low,
            "score_high": self.score.high,
            "elo": elo.value,
            "elo_low": elo.low,
            "elo_high": elo.high,
            "verdict": self.verdict(),
        })
    }
}

fn write_text(study: &Study, answers: &[Answer<'_>], results: &Results, output: &mut impl Write) -> anyhow::Result<()> {
    let Study { seeds, cpu_minutes, simulations, .. } = study;
    writeln!(
        output,
        "{seeds} seeds an arm, {cpu_minutes} CPU minutes each; networks play with {simulations} simulations."
    )?;
    writeln!(output, "Scores are of the first arm, each with its own 95 % interval over seeds.\n")?;
    for answer in answers {
        let Question { name, text, arms: [a, b], .. } = answer.question;
        let Estimate { value, low, high } = answer.score.map(|score| 100.0 * score);
        let elo = answer.score.map(elo_of_score);
        writeln!(output, "{name}: {text}")?;
        writeln!(
            output,
            "  {} against {}: {value:.1} % ({low:.1} to {high:.1}) of {} games, {:+.0} Elo ({:+.0} to {:+.0}); {}",
            a.name,
            b.name,
            answer.games,
            elo.value,
            elo.low,
            elo.high,
            match answer.verdict() {
                "open" => "open".to_owned(),
                better => format!("{better} is better"),
            }
        )?;
    }
    let heads = ["CPU s", "generations", "positions", "evaluations"].map(|head| format!("{head:>12}")).join(" ");
    writeln!(output, "\n{:<40} {heads}", "means of an arm's trainings")?;
    for arm in study.arms() {
        let all: Vec<Spent> = (1..=*seeds).filter_map(|seed| results.spent(&arm.name, seed)).collect();
        let mean = |of: fn(&Spent) -> f64| all.iter().map(of).sum::<f64>() / all.len() as f64;
        let figures = [
            mean(|spent| spent.cpu_seconds),
            mean(|spent| f64::from(spent.generations)),
            mean(|spent| spent.positions as f64),
            mean(|spent| spent.evaluations as f64),
        ];
        writeln!(output, "{:<40} {}", arm.name, figures.map(|figure| format!("{figure:>12.0}")).join(" "))?;
    }
    Ok(())
}
