//! What an engine was told: options, rules, position; and who thinks.

use std::path::PathBuf;

use anyhow::Context;
use seega_models::checkpoint::Checkpoint;
use seega_models::evaluator::check_rules;
use seega_players::MOST_SIMULATIONS;
use seega_players::analysis::Analyst;
use seega_rules::{Action, BoardSize, Position, Rules, Side};

use crate::options::named_rules;

/// Who thinks.
pub(super) enum Mind {
    /// A network that searches.
    Network(Box<Analyst>),
    /// Alpha-beta search, where there is no network.
    AlphaBeta,
}

/// The depth of alpha-beta search, where a limit tells nothing about it.
pub(super) const DEPTH: u32 = 4;

/// What was set by options.
#[derive(Debug)]
pub(super) struct Options {
    model: Option<PathBuf>,
    pub(super) simulations: u32,
    threads: usize,
    pub(super) lines: usize,
    /// The expected score in per cent below which the engine resigns; 0 for never.
    pub(super) resign_below: u32,
}

/// An engine between two commands.
pub(super) struct Engine {
    pub(super) options: Options,
    /// The options as `ugi` lists them, as they were at the start.
    pub(super) listed: Vec<String>,
    pub(super) rules: Rules,
    /// `None` after one was refused.
    pub(super) position: Option<Position>,
    /// Who thinks; `None` while a search has it, and before it is made.
    pub(super) mind: Option<Mind>,
}

/// The most of each number.
const MOST_THREADS: usize = 64;
const MOST_LINES: usize = 64;

impl Options {
    /// As `ugi` lists them.
    fn listed(&self, rules_name: &str, size: BoardSize) -> Vec<String> {
        let Options { model, simulations, threads, lines, resign_below } = self;
        let model = model.as_ref().map_or_else(|| "<empty>".to_owned(), |model| model.display().to_string());
        let sizes: String = BoardSize::ALL.iter().map(|size| format!(" var {}", size.side())).collect();
        vec![
            format!("option name Rules type string default {rules_name}"),
            format!("option name BoardSize type combo default {}{sizes}", size.side()),
            format!("option name Model type string default {model}"),
            format!("option name Simulations type spin default {simulations} min 1 max {MOST_SIMULATIONS}"),
            format!("option name Threads type spin default {threads} min 1 max {MOST_THREADS}"),
            format!("option name MultiPV type spin default {lines} min 1 max {MOST_LINES}"),
            format!("option name ResignBelow type spin default {resign_below} min 0 max 50"),
        ]
    }
}

impl Engine {
    /// An engine with these rules; without them with those that the network learnt first, or sija.
    ///
    /// # Errors
    /// There are no such rules, or there is no such network, or it did not learn them.
    pub(super) fn new(rules_name: Option<&str>, model: Option<PathBuf>) -> anyhow::Result<Engine> {
        let learnt = match (&model, rules_name) {
            (Some(path), None) => {
                let checkpoint = Checkpoint::read(path).with_context(|| path.display().to_string())?;
                checkpoint.about.trained_on.first().map(|known| (known.name.clone(), known.rules))
            }
            _ => None,
        };
        let (rules_name, rules) = match learnt {
            Some(learnt) => learnt,
            None => {
                let name = rules_name.unwrap_or("sija");
                (name.to_owned(), named_rules(name)?.0)
            }
        };
        let options = Options { model, simulations: 400, threads: 1, lines: 1, resign_below: 0 };
        let listed = options.listed(&rules_name, rules.size);
        let position = Some(Position::start(&rules));
        let mut engine = Engine { options, listed, rules, position, mind: None };
        engine.make_ready()?;
        Ok(engine)
    }

    /// `setoption name NAME value VALUE`.
    pub(super) fn set_option(&mut self, rest: &str) -> Result<(), String> {
        let wrong = || "an option is set by setoption name NAME value VALUE".to_owned();
        let named = rest.trim().strip_prefix("name").ok_or_else(wrong)?;
        let (name, value) = match named.split_once(" value ") {
            Some((name, value)) => (name, value),
            None => (named.strip_suffix(" value").unwrap_or(named), ""),
        };
        self.set(name.trim(), value.trim())
    }

    /// Sets one option. Names are read as UCI does, whatever their case.
    pub(super) fn set(&mut self, name: &str, value: &str) -> Result<(), String> {
        match &*name.to_ascii_lowercase() {
            "rules" => {
                let (rules, _) = named_rules(value).map_err(|error| format!("{error:#}"))?;
                self.play_by(rules);
            }
            "boardsize" => {
                let size = BoardSize::ALL.into_iter().find(|size| size.side().to_string() == value);
                let size = size.ok_or_else(|| format!("BoardSize is 5, 7 or 9, not {value:?}"))?;
                self.play_by(self.rules.with_size(size));
            }
            "model" => {
                self.options.model = (!["", "<empty>"].contains(&value)).then(|| PathBuf::from(value));
                self.mind = None;
            }
            "simulations" => self.options.simulations = within(name, value, 1, MOST_SIMULATIONS)?,
            "threads" => {
                self.options.threads = within(name, value, 1, MOST_THREADS)?;
                self.mind = None;
            }
            "multipv" => self.options.lines = within(name, value, 1, MOST_LINES)?,
            "resignbelow" => self.options.resign_below = within(name, value, 0, 50)?,
            _ => return Err(format!("no option is called {:?}", name.chars().take(40).collect::<String>())),
        }
        Ok(())
    }

    fn play_by(&mut self, rules: Rules) {
        if rules != self.rules {
            self.rules = rules;
            self.position = Some(Position::start(&rules));
            self.mind = None;
        }
    }

    pub(super) fn new_game(&mut self) {
        self.position = Some(Position::start(&self.rules));
    }

    /// `position startpos|fen POSITION [moves ACTION…]`.
    ///
    /// # Errors
    /// In words, what is wrong. Then there is no position: what is asked next shall not be answered about another.
    pub(super) fn set_position(&mut self, rest: &str) -> Result<(), String> {
        self.position = None;
        self.position = Some(self.told_position(rest)?);
        Ok(())
    }

    fn told_position(&self, rest: &str) -> Result<Position, String> {
        let mut words = rest.split_whitespace();
        let mut position = match words.next() {
            Some("startpos") => Position::start(&self.rules),
            Some("fen") => {
                let text: Vec<&str> = words.by_ref().take(5).collect();
                Position::from_text(&text.join(" "), &self.rules).map_err(|error| error.to_string())?
            }
            _ => return Err("a position is startpos or fen and a position's text".to_owned()),
        };
        match words.next() {
            None => {}
            Some("moves") => {
                for (index, word) in words.enumerate() {
                    let told = |why: String| format!("move {}: {why}", index + 1);
                    let action: Action = word.parse().map_err(|error| told(format!("{error}")))?;
                    position.play(&self.rules, action).map_err(|error| told(error.to_string()))?;
                }
            }
            Some(_) => return Err("after a position come moves".to_owned()),
        }
        Ok(position)
    }

    /// `query gameover|p1turn|result`. The first player is White, who places first.
    pub(super) fn query(&self, question: &str) -> Result<&'static str, String> {
        let truth = |is_so| if is_so { "true" } else { "false" };
        let position = self.position.as_ref().ok_or("there is no position")?;
        let outcome = position.outcome();
        Ok(match question {
            "gameover" => truth(outcome.is_some()),
            "p1turn" => truth(position.mover() == Side::White),
            "result" => match outcome.map(|outcome| outcome.winner) {
                None => "none",
                Some(None) => "draw",
                Some(Some(Side::White)) => "p1win",
                Some(Some(Side::Black)) => "p2win",
            },
            _ => return Err("a query is gameover, p1turn or result".to_owned()),
        })
    }

    /// Makes who thinks, if that isn't there.
    ///
    /// # Errors
    /// The network can't be read, or does not know the rules. Then alpha-beta search thinks.
    pub(super) fn make_ready(&mut self) -> anyhow::Result<()> {
        if self.mind.is_some() {
            return Ok(());
        }
        self.mind = Some(Mind::AlphaBeta);
        if let Some(path) = &self.options.model {
            let told = |error: &dyn std::fmt::Display| anyhow::anyhow!("{}: {error}", path.display());
            let checkpoint = Checkpoint::read(path).map_err(|error| told(&error))?;
            check_rules(&checkpoint, &self.rules).map_err(|error| told(&error))?;
            self.mind = Some(Mind::Network(Box::new(Analyst::new(&checkpoint, self.options.threads))));
        }
        Ok(())
    }
}

fn within<T: std::str::FromStr + PartialOrd + std::fmt::Display>(
    name: &str,
    value: &str,
    low: T,
    high: T,
) -> Result<T, String> {
    match value.parse() {
        Ok(number) if low <= number && number <= high => Ok(number),
        _ => Err(format!("{name} is from {low} to {high}")),
    }
}
