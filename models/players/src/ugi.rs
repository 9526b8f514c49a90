//! Players outside of this program, spoken to by the Universal Game Interface.

use std::io::{BufReader, Read, Write};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};
use std::thread;
use std::time::{Duration, Instant};

use seega_rules::{Action, Rules, preset};
use seega_search::baseline::Limit;

use crate::{Player, PlayerError, Turn};

/// How long a program may take to get ready.
const READY: Duration = Duration::from_secs(60);

/// How long a program may take for a number of nodes, whose time nobody knows.
const MOST: Duration = Duration::from_secs(600);

/// The longest line that is listened to, in bytes; the rest of a longer one is left out.
const MAX_LINE: usize = 1 << 16;

/// Lines that a program may be ahead; then it has to wait.
const MOST_LINES: usize = 1024;

/// Failures in a row after which a program is given up.
const MOST_FAILURES: u32 = 3;

/// A program that plays. One that breaks down is started again.
pub(crate) struct UgiPlayer {
    command: String,
    limit: Limit,
    /// The program, and the rules that it was told; `None` after it failed.
    program: Option<(Program, Rules)>,
    /// Failures since it last chose an action.
    failures: u32,
}

impl UgiPlayer {
    /// Starts a program and tells it the rules. The command is split at spaces; no shell reads it.
    pub(crate) fn start(command: &str, limit: Limit, rules: &Rules) -> Result<UgiPlayer, PlayerError> {
        let mut player = UgiPlayer { command: command.to_owned(), limit, program: None, failures: 0 };
        player.start_again(rules).map_err(|why| player.fault(why))?;
        Ok(player)
    }

    fn start_again(&mut self, rules: &Rules) -> Result<(), String> {
        self.program = None;
        let mut program = Program::start(&self.command)?;
        program.get_ready(rules)?;
        self.program = Some((program, *rules));
        Ok(())
    }

    fn fault(&self, why: String) -> PlayerError {
        PlayerError::Engine { command: self.command.clone(), why }
    }

    fn choose_one(&mut self, turn: &Turn<'_>) -> Result<Action, PlayerError> {
        let chosen = match &self.program {
            Some((_, rules)) if rules == turn.rules => Ok(()),
            _ => self.start_again(turn.rules),
        };
        let limit = self.limit;
        let chosen = chosen.and_then(|()| match &mut self.program {
            Some((program, _)) => program.choose(turn, limit),
            None => Err("is not there".to_owned()),
        });
        match chosen {
            Ok(action) => {
                self.failures = 0;
                action.ok_or(PlayerError::Resigns)
            }
            Err(why) => {
                // Whatever it is busy with: its answer would come to the next question.
                self.program = None;
                self.failures += 1;
                Err(match self.failures < MOST_FAILURES {
                    true => self.fault(why),
                    false => PlayerError::Gone { command: self.command.clone(), why, failures: self.failures },
                })
            }
        }
    }
}

impl Player for UgiPlayer {
    fn choose(&mut self, turns: &mut [Turn<'_>]) -> Result<Vec<Action>, PlayerError> {
        turns.iter().map(|turn| self.choose_one(turn)).collect()
    }

    fn is_asked_one_by_one(&self) -> bool {
        true
    }
}

/// A program that was started. Errors tell in words what it did.
struct Program {
    child: Child,
    input: ChildStdin,
    lines: Receiver<String>,
}

impl Program {
    fn start(command: &str) -> Result<Program, String> {
        let mut words = command.split_whitespace();
        let program = words.next().ok_or("names no program")?;
        let mut command = Command::new(program);
        command.args(words).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::inherit());
        // A key that stops this program is none of its business: it is told to quit.
        #[cfg(unix)]
        std::os::unix::process::CommandExt::process_group(&mut command, 0);
        let mut child = command.spawn().map_err(|error| format!("can't be started: {error}"))?;
        let (Some(input), Some(output)) = (child.stdin.take(), child.stdout.take()) else {
            return Err("can't be spoken to".to_owned());
        };
        let (tell, lines) = sync_channel(MOST_LINES);
        // Ends with the program's output, or when nobody listens any more.
        thread::spawn(move || listen(output, &tell));
        Ok(Program { child, input, lines })
    }

    fn get_ready(&mut self, rules: &Rules) -> Result<(), String> {
        self.say("ugi")?;
        self.wait("ugiok", READY)?;
        self.say(&format!("setoption name Rules value {}", preset::spell(rules)))?;
        self.say("isready")?;
        self.wait("readyok", READY)?;
        self.say("uginewgame")
    }

    fn say(&mut self, line: &str) -> Result<(), String> {
        let said = writeln!(self.input, "{line}").and_then(|()| self.input.flush());
        said.map_err(|error| format!("does not listen: {error}"))
    }

    /// Waits for a line that begins with that word, and gives it. What the program says to be wrong is told, if it comes
    /// before.
    fn wait(&mut self, word: &str, time: Duration) -> Result<String, String> {
        let start = Instant::now();
        loop {
            let left = time.saturating_sub(start.elapsed());
            let silent = || format!("did not say {word} within {} s", time.as_secs());
            // One that never stops talking has no more time than one that is silent.
            if left.is_zero() {
                return Err(silent());
            }
            match self.lines.recv_timeout(left) {
                Ok(line) if line.split_whitespace().next() == Some(word) => return Ok(line),
                Ok(line) => {
                    if let Some(why) = line.strip_prefix("info string error: ") {
                        return Err(format!("says: {}", why.chars().take(300).collect::<String>()));
                    }
                }
                Err(RecvTimeoutError::Timeout) => return Err(silent()),
                Err(RecvTimeoutError::Disconnected) => return Err(format!("ended before it said {word}")),
            }
        }
    }

    /// The action that it wants to play; `None` if it resigns.
    fn choose(&mut self, turn: &Turn<'_>, limit: Limit) -> Result<Option<Action>, String> {
        // An answer too many to the last question is none to this one.
        while self.lines.try_recv().is_ok() {}
        self.say(&format!("position fen {}", turn.position))?;
        let (go, time) = match limit {
            Limit::Work(nodes) => (format!("go nodes {nodes}"), MOST),
            Limit::Seconds(seconds) => {
                let time = Duration::from_secs_f32(seconds);
                (format!("go movetime {}", time.as_millis().max(1)), READY + 4 * time)
            }
        };
        self.say(&go)?;
        let line = self.wait("bestmove", time)?;
        let word = line.split_whitespace().nth(1).unwrap_or_default();
        if word == "resign" {
            return Ok(None);
        }
        let action: Action =
            word.parse().map_err(|error| format!("wants to play {word:?} in {}: {error}", turn.position))?;
        let mut after = turn.position;
        after.play(turn.rules, action).map_err(|error| format!("wants to play {word}: {error}"))?;
        Ok(Some(action))
    }
}

/// Passes a program's lines on, each without its end.
fn listen(output: impl Read, tell: &SyncSender<String>) {
    let mut line = Vec::new();
    for byte in BufReader::new(output).bytes() {
        match byte {
            Ok(b'\n') => {
                if tell.send(String::from_utf8_lossy(&line).trim().to_owned()).is_err() {
                    return;
                }
                line.clear();
            }
            Ok(byte) if line.len() < MAX_LINE => line.push(byte),
            Ok(_) => {}
            Err(_) => return,
        }
    }
}

impl Drop for Program {
    fn drop(&mut self) {
        /// How long a program may take to end by itself.
        const END: Duration = Duration::from_millis(500);
        let _ = self.say("quit");
        let start = Instant::now();
        while start.elapsed() < END {
            if !matches!(self.child.try_wait(), Ok(None)) {
                return;
            }
            thread::sleep(Duration::from_millis(5));
        }
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
