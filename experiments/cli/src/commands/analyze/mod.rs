//! `seega analyze`: positions and games in, what a search finds of them out, a line of JSON each, in the manner of KataGo's
//! analysis engine.
//!
//! This file reads lines and writes answers; `query` says what is asked, `answer` what is told.

mod answer;
mod query;

use std::io::{BufRead, Write};
use std::path::PathBuf;

use anyhow::Context;
use seega_exact::Tables;
use seega_players::MOST_SIMULATIONS;
use seega_players::analysis::{Analyst, Effort};
use seega_rules::{Position, Rules};
use serde_json::{Value, json};

use crate::options::{RulesOptions, network, read_line};
use answer::Found;
use query::{Query, Subject};

/// Analyses positions and games that come as JSON lines on standard input, with a network, and with exact values where there are
/// endgame tables. A line that is wrong is answered with what is wrong.
#[derive(Debug, clap::Args)]
pub struct Arguments {
    #[command(flatten)]
    rules: RulesOptions,

    /// The network.
    #[arg(long, value_name = "MODEL")]
    model: PathBuf,

    /// A folder of endgame tables for the rules.
    #[arg(long, value_name = "DIR")]
    tables: Option<PathBuf>,

    /// Simulations of each position, where a line asks for no other number.
    #[arg(long, default_value_t = 400, value_parser = clap::value_parser!(u32).range(1..=i64::from(MOST_SIMULATIONS)))]
    simulations: u32,

    /// Actions that are told of each position, the best first, where a line asks for no other number.
    #[arg(long, default_value_t = 5, value_parser = clap::value_parser!(u32).range(1..=1_000))]
    lines: u32,

    /// Threads: each searches by itself and sees the board turned otherwise, and what they find is put together.
    #[arg(long, default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=256))]
    threads: u32,

    /// Takes a network that was not trained on the rules.
    #[arg(long)]
    force: bool,
}

/// The longest line that is read, in bytes.
const MAX_LINE: usize = 16 << 20;

/// What analyses.
struct Engine {
    rules: Rules,
    analyst: Analyst,
    tables: Option<Tables>,
    simulations: u32,
    lines: usize,
}

/// Answers lines until the input ends.
pub fn run(arguments: &Arguments, input: &mut impl BufRead, output: &mut impl Write) -> anyhow::Result<()> {
    let rules = arguments.rules.rules()?;
    let checkpoint = network(&arguments.model, &rules, arguments.force)?;
    let tables = arguments.tables.as_ref().map(|folder| Tables::open(folder, &rules)).transpose()?;
    let mut engine = Engine {
        rules,
        analyst: Analyst::new(&checkpoint, arguments.threads as usize),
        tables,
        simulations: arguments.simulations,
        lines: arguments.lines as usize,
    };
    while let Some(text) = read_line(input, MAX_LINE).context("standard input")? {
        if text.trim().is_empty() {
            continue;
        }
        for answer in engine.answer(text.trim()) {
            writeln!(output, "{answer}")?;
            // Whoever asks waits for the answer.
            output.flush()?;
        }
    }
    Ok(())
}

impl Engine {
    /// The answers to a line.
    fn answer(&mut self, text: &str) -> Vec<Value> {
        let id = serde_json::from_str::<Value>(text).ok().and_then(|object| object.get("id").cloned());
        let id = id.unwrap_or(Value::Null);
        match Query::read(text, &self.rules).and_then(|query| self.analyse(&query, &id)) {
            Ok(answers) => answers,
            Err(why) => vec![json!({ "id": id, "error": why })],
        }
    }

    fn analyse(&mut self, query: &Query, id: &Value) -> Result<Vec<Value>, String> {
        let simulations = query.simulations.unwrap_or(self.simulations);
        let lines = query.lines.unwrap_or(self.lines);
        match &query.subject {
            Subject::Position(position) => Ok(vec![self.find(position, simulations)?.told(id, None, lines)]),
            Subject::Game(plies) => {
                let mut all = Vec::new();
                for ply in plies {
                    all.push(self.find(&ply.position, simulations)?);
                }
                let mut answers: Vec<Value> =
                    all.iter().enumerate().map(|(index, found)| found.told(id, Some(index + 1), lines)).collect();
                // By it the last ply is judged, where that does not end the game.
                if let Some(last) = plies.last().filter(|last| last.after.outcome().is_none()) {
                    all.push(self.find(&last.after, simulations)?);
                }
                answers.push(answer::game(id, plies, &all));
                Ok(answers)
            }
        }
    }

    /// What is found of a position.
    fn find(&mut self, position: &Position, simulations: u32) -> Result<Found, String> {
        let exact = |error: &dyn std::fmt::Display| error.to_string();
        let (mut value, mut actions) = (None, None);
        if let Some(tables) = &self.tables {
            value = tables.value(position).map_err(|error| exact(&error))?;
            actions = tables.actions(position).map_err(|error| exact(&error))?;
        }
        let analysis = match position.outcome() {
            Some(_) => None,
            None => {
                let never = std::sync::atomic::AtomicBool::new(false);
                let effort = Effort::Simulations(simulations);
                let found = self.analyst.analyse(&self.rules, position, effort, &never, |_| {});
                Some(found.map_err(|error| exact(&error))?)
            }
        };
        Ok(Found { position: *position, analysis, exact: value, exact_actions: actions.unwrap_or_default() })
    }
}
