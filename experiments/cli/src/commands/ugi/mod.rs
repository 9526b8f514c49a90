//! `seega ugi`: an engine for other programs, over stdin and stdout.
//!
//! The Universal Game Interface is UCI without chess (as the cutegames runner speaks it): `position`, `go`, `bestmove`, and
//! `query`, by which a program that does not know the rules asks whose turn it is and how the game stands. A move is one
//! ply, so that the same side may move several times in a row.
//!
//! This file reads commands; `engine` holds options and position; `think` searches beside it.

mod engine;
mod think;

use std::io::{self, BufRead, Write};
use std::sync::{Mutex, PoisonError};

use crate::options::read_line;
use engine::Engine;

/// An engine that speaks the Universal Game Interface over stdin and stdout.
#[derive(Debug, clap::Args)]
pub struct Arguments {
    /// The network, as the option Model sets it; without one alphabeta:4 plays.
    #[arg(long, value_name = "MODEL")]
    model: Option<String>,

    /// The rules, as the option Rules sets them.
    #[arg(long, value_name = "RULES")]
    rules: Option<String>,
}

/// The longest command that is read, in bytes; the rest of a longer one is left out.
const MAX_LINE: usize = 1 << 20;

/// What both the reader of commands and a search write to.
pub(crate) struct Out<W>(Mutex<W>);

impl<W: Write> Out<W> {
    /// Writes a line at once. Nobody may read any more; that ends nothing that the reader of commands does not end.
    fn line(&self, text: &str) {
        let mut output = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let _ = writeln!(output, "{text}").and_then(|()| output.flush());
    }

    /// Tells something in words.
    fn say(&self, text: &str) {
        for line in text.lines() {
            self.line(&format!("info string {line}"));
        }
    }
}

/// Answers commands until `quit` or the end of the input.
pub fn run(arguments: &Arguments) -> anyhow::Result<()> {
    let out = Out(Mutex::new(io::stdout()));
    let mut engine = Engine::new();
    let given = [("Rules", &arguments.rules), ("Model", &arguments.model)];
    for (name, value) in given {
        if let Some(value) = value {
            engine.set(name, value).map_err(|why| anyhow::anyhow!("{name}: {why}"))?;
        }
    }
    engine.make_ready()?;
    serve(&mut io::stdin().lock(), &out, &mut engine)
}

fn serve<W: Write + Send>(input: &mut impl BufRead, out: &Out<W>, engine: &mut Engine) -> anyhow::Result<()> {
    std::thread::scope(|scope| {
        let mut thinking: Option<think::Thinking<'_>> = None;
        while let Some(line) = read_line(input, MAX_LINE)? {
            let (command, rest) = line.trim().split_once(char::is_whitespace).unwrap_or((line.trim(), ""));
            match command {
                "" => {}
                "quit" => {
                    think::end(&mut thinking, engine, false);
                    return Ok(());
                }
                // Both are answered while a search goes on.
                "isready" if thinking.as_ref().is_some_and(|thinking| !thinking.is_over()) => out.line("readyok"),
                "stop" => think::end(&mut thinking, engine, false),
                "ugi" => {
                    out.line("id name seega");
                    out.line("id author the authors of seega");
                    engine.options().iter().for_each(|option| out.line(option));
                    out.line("ugiok");
                }
                command => {
                    // Whatever else comes waits for a search that ends by itself, and ends one that does not.
                    think::end(&mut thinking, engine, true);
                    match command {
                        "isready" => {
                            if let Err(error) = engine.make_ready() {
                                out.say(&format!("error: {error:#}"));
                            }
                            out.line("readyok");
                        }
                        "uginewgame" => engine.new_game(),
                        "setoption" => tell(out, engine.set_option(rest)),
                        "position" => tell(out, engine.set_position(rest)),
                        "query" => match engine.query(rest.trim()) {
                            Ok(answer) => out.line(&format!("response {answer}")),
                            Err(why) => out.say(&format!("error: {why}")),
                        },
                        "go" => match think::begin(scope, engine, rest, out) {
                            Ok(begun) => thinking = begun,
                            Err(why) => out.say(&format!("error: {why}")),
                        },
                        unknown => {
                            let told: String = unknown.chars().take(40).collect();
                            out.say(&format!("error: unknown command {told:?}"));
                        }
                    }
                }
            }
        }
        think::end(&mut thinking, engine, true);
        Ok(())
    })
}

fn tell<W: Write>(out: &Out<W>, result: Result<(), String>) {
    if let Err(why) = result {
        out.say(&format!("error: {why}"));
    }
}
