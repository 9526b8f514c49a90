//! `seega compare`: questions about how to train, answered by training both arms in equal CPU time.

use std::io::{IsTerminal, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::available_parallelism;
use std::time::Duration;

use anyhow::{Context, anyhow, bail};
use indicatif::{ProgressBar, ProgressStyle};
use seega_arena::{Estimate, elo_of_score};
use seega_compare::{PairScore, PairSettings, Question, Results, Spent, Study, crossed, play_pair, train_arm};
use seega_models::file::write_atomically;
use serde_json::{Value, json};

use crate::interrupt;

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
    let study = Study::read(&text).map_err(|error| {
        let lines: Vec<String> = error.0.iter().map(|problem| format!("{name}: {problem}")).collect();
        anyhow!(lines.join("\n"))
    })?;
    let stem = arguments.study.file_stem().unwrap_or_default();
    let folder = arguments.dir.clone().unwrap_or_else(|| Path::new("runs").join(stem));
    let results = Results::open(&folder, &text)?;
    let stop = interrupt::flag()?;
    let bar = if std::io::stderr().is_terminal() { ProgressBar::new_spinner() } else { ProgressBar::hidden() };
    if let Ok(style) = ProgressStyle::with_template("{spinner} {msg}") {
        bar.set_style(style);
    }
    bar.enable_steady_tick(Duration::from_millis(250));
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
            let told = |spent: &Spent| {
                bar.set_message(format!(
                    "training {number} of {trainings}, {} with seed {seed}: generation {}, {:.0} of {:.0} CPU s",
                    arm.name,
                    spent.generations,
                    spent.cpu_seconds,
                    budget.as_secs_f64()
                ));
            };
            told(&results.spent(&arm.name, seed));
            train_arm(results, (&arm.name, seed), arm.recipe(seed)?, budget, stop, &told)
                .with_context(|| format!("{} with seed {seed}", arm.name))?;
            let Spent { generations, positions, evaluations, cpu_seconds, .. } = results.spent(&arm.name, seed);
            bar.suspend(|| {
                eprintln!(
                    "{number} of {trainings}: {} with seed {seed}: {generations} generations, {positions} positions, \
                     {evaluations} evaluations in {cpu_seconds:.0} CPU s",
                    arm.name
                );
            });
        }
    }
    Ok(())
}

/// Lets all networks of each question's arms play each other.
fn play(study: &Study, results: &Results, stop: &AtomicBool, bar: &ProgressBar) -> anyhow::Result<()> {
    for Question { name, arms: [a, b], .. } in &study.questions {
        let rules = a.recipe(1)?.rules[0].named.rules;
        if b.recipe(1)?.rules[0].named.rules != rules {
            bail!("question {name:?}: arms of different rules can't play each other");
        }
        let settings = PairSettings {
            rules,
            pairs: study.pairs,
            simulations: study.simulations,
            workers: available_parallelism().map_or(1, usize::from),
        };
        for seed_a in 1..=study.seeds {
            for seed_b in 1..=study.seeds {
                if results.score((&a.name, seed_a), (&b.name, seed_b)).is_some() {
                    continue;
                }
                bar.set_message(format!("{name}: {} with seed {seed_a} against {} with seed {seed_b}", a.name, b.name));
                let network = |arm: &str, seed| results.run_folder(arm, seed).join("checkpoints/latest.safetensors");
                let paths = [network(&a.name, seed_a), network(&b.name, seed_b)];
                let played = play_pair(&settings, paths.each_ref().map(PathBuf::as_path), stop)?;
                let Some([games, wins, draws, losses]) = played.filter(|_| !stop.load(Ordering::Relaxed)) else {
                    bail!("stopped; start it again to go on");
                };
                results.keep_score(PairScore {
                    a: a.name.clone(),
                    seed_a,
                    b: b.name.clone(),
                    seed_b,
                    games,
                    wins,
                    draws,
                    losses,
                    score: (wins as f64 + 0.5 * draws as f64) / games as f64,
                })?;
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
    let [a, b] = &question.arms;
    let scores = |seed_a: u64| -> Vec<PairScore> {
        (1..=study.seeds).filter_map(|seed_b| results.score((&a.name, seed_a), (&b.name, seed_b))).collect()
    };
    let table: Vec<Vec<PairScore>> = (1..=study.seeds).map(scores).collect();
    let games: u64 = table.iter().flatten().map(|score| score.games).sum();
    // A game's result is at most half from the mean.
    let game_deviation = 0.5 / (games.max(1) as f64).sqrt();
    let values: Vec<Vec<f64>> = table.iter().map(|row| row.iter().map(|score| score.score).collect()).collect();
    Answer { question, games, score: crossed(&values, game_deviation) }
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
    writeln!(output, "Scores are of the first arm, with 95 % intervals over seeds.\n")?;
    for answer in answers {
        let Question { name, text, arms: [a, b] } = answer.question;
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
    writeln!(
        output,
        "\n{:<40} {:>12} {:>12} {:>12}",
        "mean of an arm's trainings", "generations", "positions", "evaluations"
    )?;
    for arm in study.arms() {
        let all: Vec<Spent> = (1..=study.seeds).map(|seed| results.spent(&arm.name, seed)).collect();
        let mean = |count: fn(&Spent) -> u64| all.iter().map(count).sum::<u64>() as f64 / all.len() as f64;
        writeln!(
            output,
            "{:<40} {:>12.1} {:>12.0} {:>12.0}",
            arm.name,
            mean(|spent| u64::from(spent.generations)),
            mean(|spent| spent.positions),
            mean(|spent| spent.evaluations)
        )?;
    }
    Ok(())
}
