//! `seega ugi`: an engine for other programs, over stdin and stdout.
//!
//! The Universal Game Interface is UCI without chess (as the cutegames runner speaks it): `position`, `go`, `bestmove`, and
//! `query`, by which a program that does not know the rules asks whose turn it is and how the game stands. A move is one
//! ply, so that the same side may move several times in a row.
//!
//! This file listens and answers; `engine` holds options and position; `think` searches beside it. Nothing here waits for a
//! search: what has to come after it is put off, and what ends it is heard at once.

mod engine;
mod think;

use std::collections::VecDeque;
use std::io::{self, Write};
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{SyncSender, sync_channel};
use std::sync::{Mutex, PoisonError};
use std::thread::{self, Scope};

use crate::options::read_line;
use engine::Engine;
use think::Thinking;

/// An engine that speaks the Universal Game Interface over stdin and stdout.
#[derive(Debug, clap::Args)]
pub struct Arguments {
    /// The network, as the option Model sets it; without one alphabeta:4 plays.
    #[arg(long, value_name = "MODEL")]
    model: Option<PathBuf>,

    /// The rules, as the option Rules sets them; without them those that the network learnt first, or sija.
    #[arg(long, value_name = "RULES")]
    rules: Option<String>,
}

/// The longest command that is read, in bytes; the rest of a longer one is left out.
const MAX_LINE: usize = 1 << 20;

/// Commands that may be put off until a search is over; more of them end it.
const MOST_WAITING: usize = 64;

/// What is heard.
enum Heard {
    Command(String),
    EndOfInput,
    /// A search is over.
    Thought,
}

/// How the engine comes to its end.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Ending {
    /// Nobody says any more: a search for a number of nodes is still answered in full.
    Silence,
    /// It was told to quit.
    Quit,
}

/// What both the reader of commands and a search write to.
pub(crate) struct Out {
    output: Mutex<io::Stdout>,
    /// Whether nobody reads any more.
    closed: AtomicBool,
}

impl Out {
    /// Writes a line at once.
    fn line(&self, text: &str) {
        let mut output = self.output.lock().unwrap_or_else(PoisonError::into_inner);
        if writeln!(output, "{text}").and_then(|()| output.flush()).is_err() {
            self.closed.store(true, Ordering::Relaxed);
        }
    }

    /// Tells something in words.
    fn say(&self, text: &str) {
        for line in text.lines() {
            self.line(&format!("info string {line}"));
        }
    }

    fn tell<T>(&self, result: Result<T, String>) {
        if let Err(why) = result {
            self.say(&format!("error: {why}"));
        }
    }

    fn is_closed(&self) -> bool {
        self.closed.load(Ordering::Relaxed)
    }
}

/// Answers commands until `quit` or the end of the input.
pub fn run(arguments: &Arguments) -> anyhow::Result<()> {
    let out = Out { output: Mutex::new(io::stdout()), closed: AtomicBool::new(false) };
    let engine = Engine::new(arguments.rules.as_deref(), arguments.model.clone())?;
    // One command ahead: whoever says more waits.
    let (tell, events) = sync_channel(1);
    let ear = tell.clone();
    // It may wait for a command for ever, so that nobody waits for it.
    thread::spawn(move || listen(&ear));
    thread::scope(|scope| {
        let mut session =
            Session { scope, out: &out, tell, engine, thinking: None, waiting: VecDeque::new(), ending: None };
        while !session.is_over()
            && let Ok(heard) = events.recv()
        {
            session.hear(heard);
        }
        session.stop();
    });
    Ok(())
}

/// Passes on what comes in.
fn listen(tell: &SyncSender<Heard>) {
    let mut input = io::stdin().lock();
    while let Ok(Some(line)) = read_line(&mut input, MAX_LINE) {
        if tell.send(Heard::Command(line)).is_err() {
            return;
        }
    }
    let _ = tell.send(Heard::EndOfInput);
}

/// The first word of a command, and the rest.
fn words(line: &str) -> (&str, &str) {
    let line = line.trim();
    line.split_once(char::is_whitespace).unwrap_or((line, ""))
}

/// An engine that is spoken to.
struct Session<'scope, 'env> {
    scope: &'scope Scope<'scope, 'env>,
    out: &'scope Out,
    tell: SyncSender<Heard>,
    engine: Engine,
    thinking: Option<Thinking<'scope>>,
    /// Commands that come after the search.
    waiting: VecDeque<String>,
    ending: Option<Ending>,
}

impl<'scope> Session<'scope, '_> {
    fn is_over(&self) -> bool {
        self.out.is_closed() || (self.ending.is_some() && self.thinking.is_none() && self.waiting.is_empty())
    }

    fn stop(&self) {
        if let Some(thinking) = &self.thinking {
            thinking.stop();
        }
    }

    fn hear(&mut self, heard: Heard) {
        match heard {
            Heard::Command(line) => match (words(&line).0, &self.thinking) {
                ("quit", _) => self.ending = Some(Ending::Quit),
                ("stop", _) => self.stop(),
                ("isready", Some(_)) if self.waiting.is_empty() => self.out.line("readyok"),
                (_, Some(thinking)) => {
                    // Whatever else comes waits for a search that ends by itself, and ends one that does not.
                    if thinking.is_endless {
                        thinking.stop();
                    }
                    self.waiting.push_back(line);
                }
                (_, None) => self.obey(&line),
            },
            Heard::EndOfInput => self.ending = self.ending.or(Some(Ending::Silence)),
            Heard::Thought => {}
        }
        if self.thinking.as_ref().is_some_and(Thinking::is_over) {
            self.take_back();
        }
        if self.waiting.len() >= MOST_WAITING {
            self.stop();
            self.take_back();
        }
        while self.thinking.is_none()
            && let Some(line) = self.waiting.pop_front()
        {
            self.obey(&line);
        }
        match (&self.thinking, self.ending) {
            (Some(thinking), Some(Ending::Quit)) => thinking.stop(),
            (Some(thinking), Some(Ending::Silence)) if !thinking.is_counted => thinking.stop(),
            _ => {}
        }
    }

    /// Waits for the end of the search, if there is one, and takes back who thought.
    fn take_back(&mut self) {
        if let Some(thinking) = self.thinking.take() {
            self.engine.mind = thinking.join();
        }
    }

    /// Does what a command says while nobody thinks.
    fn obey(&mut self, line: &str) {
        let (engine, out) = (&mut self.engine, self.out);
        match words(line) {
            ("", _) => {}
            ("ugi", _) => {
                out.line("id name seega");
                out.line("id author the authors of seega");
                engine.listed.iter().for_each(|option| out.line(option));
                out.line("ugiok");
            }
            ("isready", _) => {
                out.tell(engine.make_ready().map_err(|error| format!("{error:#}")));
                out.line("readyok");
            }
            ("uginewgame", _) => engine.new_game(),
            ("setoption", rest) => out.tell(engine.set_option(rest)),
            ("position", rest) => out.tell(engine.set_position(rest)),
            ("query", rest) => match engine.query(rest.trim()) {
                Ok(answer) => out.line(&format!("response {answer}")),
                Err(why) => out.say(&format!("error: {why}")),
            },
            ("go", rest) => self.thinking = think::begin(self.scope, engine, rest, out, &self.tell),
            (unknown, _) => {
                let told: String = unknown.chars().take(40).collect();
                out.say(&format!("error: unknown command {told:?}"));
            }
        }
    }
}
