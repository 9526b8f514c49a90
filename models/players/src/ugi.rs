//! Players outside of this program, spoken to by the Universal Game Interface.

use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::thread;
use std::time::{Duration, Instant};

use seega_rules::{Action, Rules, preset};
use seega_search::baseline::Limit;

use crate::{Player, PlayerError, Turn};

/// How long a program may take to get ready.
const READY: Duration = Duration::from_secs(60);

/// How long a program may take for a number of nodes, whose time nobody knows.
const MOST: Duration = Duration::from_secs(600);

/// The longest line that is listened to, in bytes.
const MAX_LINE: usize = 1 << 16;

/// A program that plays.
pub(crate) struct UgiPlayer {
    command: String,
    limit: Limit,
    child: Child,
    input: ChildStdin,
    lines: Receiver<String>,
}

impl UgiPlayer {
    /// Starts a program and tells it the rules. The command is split at spaces; no shell reads it.
    pub(crate) fn start(command: &str, limit: Limit, rules: &Rules) -> Result<UgiPlayer, PlayerError> {
        let wrong = |why: String| PlayerError::Engine { command: command.to_owned(), why };
        let mut words = command.split_whitespace();
        let program = words.next().ok_or_else(|| wrong("names no program".to_owned()))?;
        let started = Command::new(program)
            .args(words)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::inherit())
            .spawn();
        let mut child = started.map_err(|error| wrong(format!("can't be started: {error}")))?;
        let (Some(input), Some(output)) = (child.stdin.take(), child.stdout.take()) else {
            return Err(wrong("can't be spoken to".to_owned()));
        };
        let (tell, lines) = channel();
        // Ends with the program's output, or when nobody listens any more.
        thread::spawn(move || {
            let mut output = BufReader::new(output);
            let mut line = Vec::new();
            while output.read_until(b'\n', &mut line).is_ok_and(|read| read > 0) {
                line.truncate(MAX_LINE);
                if tell.send(String::from_utf8_lossy(&line).trim().to_owned()).is_err() {
                    break;
                }
                line.clear();
            }
        });
        let mut player = UgiPlayer { command: command.to_owned(), limit, child, input, lines };
        player.say("ugi")?;
        player.wait("ugiok", READY)?;
        player.say(&format!("setoption name Rules value {}", preset::spell(rules)))?;
        player.say("isready")?;
        player.wait("readyok", READY)?;
        player.say("uginewgame")?;
        Ok(player)
    }

    fn fault(&self, why: String) -> PlayerError {
        PlayerError::Engine { command: self.command.clone(), why }
    }

    fn say(&mut self, line: &str) -> Result<(), PlayerError> {
        let said = writeln!(self.input, "{line}").and_then(|()| self.input.flush());
        said.map_err(|error| self.fault(format!("does not listen: {error}")))
    }

    /// Waits for a line that begins with that word, and gives it. What the program says to be wrong is told, if it comes
    /// before.
    fn wait(&mut self, word: &str, time: Duration) -> Result<String, PlayerError> {
        let start = Instant::now();
        loop {
            match self.lines.recv_timeout(time.saturating_sub(start.elapsed())) {
                Ok(line) if line.split_whitespace().next() == Some(word) => return Ok(line),
                Ok(line) => {
                    if let Some(why) = line.strip_prefix("info string error: ") {
                        return Err(self.fault(format!("says: {}", why.chars().take(300).collect::<String>())));
                    }
                }
                Err(RecvTimeoutError::Timeout) => {
                    return Err(self.fault(format!("did not say {word} within {} s", time.as_secs())));
                }
                Err(RecvTimeoutError::Disconnected) => {
                    return Err(self.fault(format!("ended before it said {word}")));
                }
            }
        }
    }

    fn choose_one(&mut self, turn: &Turn<'_>) -> Result<Action, PlayerError> {
        self.say(&format!("position fen {}", turn.position))?;
        let (go, time) = match self.limit {
            Limit::Work(nodes) => (format!("go nodes {nodes}"), MOST),
            Limit::Seconds(seconds) => {
                let time = Duration::from_secs_f32(seconds);
                (format!("go movetime {}", time.as_millis().max(1)), READY + 4 * time)
            }
        };
        self.say(&go)?;
        let line = self.wait("bestmove", time)?;
        let word = line.split_whitespace().nth(1).unwrap_or_default();
        let action: Action = word
            .parse()
            .map_err(|error| self.fault(format!("wants to play {word:?} in {}: {error}", turn.position)))?;
        let mut after = turn.position;
        match after.play(turn.rules, action) {
            Ok(_) => Ok(action),
            Err(error) => Err(self.fault(format!("wants to play {word}: {error}"))),
        }
    }
}

impl Player for UgiPlayer {
    fn choose(&mut self, turns: &mut [Turn<'_>]) -> Result<Vec<Action>, PlayerError> {
        turns.iter().map(|turn| self.choose_one(turn)).collect()
    }
}

impl Drop for UgiPlayer {
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
