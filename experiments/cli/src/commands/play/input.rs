//! What a person types: lines, and the commands in them.

use std::io::{self, BufRead, Read};

use seega_rules::{Action, ParseActionError};

/// What may be typed.
pub const HELP: &str = "\
c2      places a stone on that square
d4-c3   moves a stone
stop    ends the turn within a chain
moves   lists what is legal, with what it captures
hint    tells what the other side's player would do
undo    takes back your last ply, and what followed it
resign  gives the game up
quit    leaves the game, as the end of the input does";

/// A line, understood.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Command {
    Act(Action),
    Moves,
    Hint,
    Undo,
    Resign,
    Help,
    Quit,
    /// An empty line.
    Nothing,
}

impl Command {
    /// Understands a line; case and surrounding space do not matter.
    pub fn parse(line: &str) -> Result<Command, ParseActionError> {
        let line = line.trim().to_lowercase();
        Ok(match &*line {
            "" => Command::Nothing,
            "moves" => Command::Moves,
            "hint" => Command::Hint,
            "undo" => Command::Undo,
            "resign" => Command::Resign,
            "help" | "?" => Command::Help,
            "quit" | "exit" => Command::Quit,
            action => Command::Act(action.parse()?),
        })
    }
}

/// The longest line that is kept, in bytes; of a longer one the rest is passed over.
const MAX_LINE_BYTES: u64 = 1000;

/// The next line; `None` at the end of the input. What is not UTF-8 in it is replaced.
pub fn read_line(input: &mut impl BufRead) -> io::Result<Option<String>> {
    let mut line = Vec::new();
    if input.by_ref().take(MAX_LINE_BYTES).read_until(b'\n', &mut line)? == 0 {
        return Ok(None);
    }
    if !line.ends_with(b"\n") {
        input.skip_until(b'\n')?;
    }
    Ok(Some(String::from_utf8_lossy(&line).into_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_understood_or_refused() {
        assert_eq!(Command::parse(" D4-c3 \r\n"), Ok(Command::Act("d4-c3".parse().unwrap())));
        assert_eq!(Command::parse("STOP"), Ok(Command::Act(Action::Stop)));
        assert_eq!(Command::parse("  "), Ok(Command::Nothing));
        for line in ["d4 c3", "hint please", "\u{fffd}", "a0", "d4-c3-b2", "ſtop"] {
            assert!(Command::parse(line).is_err(), "{line:?}");
        }
    }

    #[test]
    fn long_and_damaged_lines_do_no_harm() {
        let mut text = vec![b'a'; 5000];
        text.extend(b"\n\xff\xfe\nquit");
        let mut input = &text[..];
        assert_eq!(read_line(&mut input).unwrap().unwrap().len(), 1000);
        assert_eq!(read_line(&mut input).unwrap().unwrap(), "\u{fffd}\u{fffd}\n");
        assert_eq!(read_line(&mut input).unwrap().unwrap(), "quit");
        assert_eq!(read_line(&mut input).unwrap(), None);
    }
}
