//! Openings: how the games of a pair begin, drawn by seed.

use std::collections::HashSet;
use std::fmt;
use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::str::FromStr;

use rand::rngs::SmallRng;
use rand::seq::SliceRandom;
use rand::{RngExt, SeedableRng};
use seega_rules::{Action, Position, Rules, mix};
use thiserror::Error;

/// How the games of a match begin. Each pair of games gets an opening of its own.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Opening {
    /// So many plies at random from the start of a game, written `plies:4`.
    RandomPlies(u32),
    /// All stones placed at random, up to the first position of movement, written `placements`.
    RandomPlacements,
    /// The openings of a file, in an order drawn by seed, written `book:FILE`. A line holds the plies from the start of
    /// a game, with spaces between them, or the text of a position; what follows a `#` is passed over, and so is an
    /// opening that leads where another one did.
    Book(PathBuf),
}

impl Default for Opening {
    /// Four random plies.
    fn default() -> Opening {
        Opening::RandomPlies(4)
    }
}

/// The most plies of an opening.
const MOST_PLIES: u32 = 400;

/// A text that is no opening.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("openings are plies:K (K random plies, from 0 to {MOST_PLIES}), placements, or book:FILE")]
pub struct ParseOpeningError;

impl FromStr for Opening {
    type Err = ParseOpeningError;

    fn from_str(text: &str) -> Result<Opening, ParseOpeningError> {
        match text.split_once(':') {
            None if text == "placements" => Ok(Opening::RandomPlacements),
            Some(("plies", plies)) => match plies.parse() {
                Ok(plies) if plies <= MOST_PLIES => Ok(Opening::RandomPlies(plies)),
                _ => Err(ParseOpeningError),
            },
            Some(("book", path)) if !path.is_empty() => Ok(Opening::Book(PathBuf::from(path))),
            _ => Err(ParseOpeningError),
        }
    }
}

impl fmt::Display for Opening {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Opening::RandomPlies(plies) => write!(f, "plies:{plies}"),
            Opening::RandomPlacements => f.write_str("placements"),
            Opening::Book(path) => write!(f, "book:{}", path.display()),
        }
    }
}

/// An opening that was drawn.
#[derive(Clone, Debug)]
pub(crate) struct Start {
    /// Where the game begins.
    pub(crate) begun: Position,
    /// The plies from there.
    pub(crate) plies: Vec<Action>,
    /// The position after them; its game goes on.
    pub(crate) position: Position,
}

/// Why there are no openings for a match.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum OpeningError {
    /// There are too few of them.
    #[error("{opening} gives too few different openings: {found} found for {pairs} pairs of games")]
    TooFew {
        /// The openings.
        opening: Opening,
        /// Different ones found.
        found: usize,
        /// The pairs of the match.
        pairs: u32,
    },
    /// A book can't be read.
    #[error("{}: can't be read: {why}", path.display())]
    Unreadable {
        /// The book.
        path: PathBuf,
        /// What the system says.
        why: String,
    },
    /// A line of a book is no opening.
    #[error("{}, line {line}: {why}", path.display())]
    Line {
        /// The book.
        path: PathBuf,
        /// The line's number, from 1.
        line: usize,
        /// What is wrong with it.
        why: String,
    },
}

/// How often an opening is drawn again when it is over already or was drawn before.
const MOST_ATTEMPTS: u64 = 1000;

/// The largest book that is read, in bytes.
const MAX_BOOK_BYTES: u64 = 1 << 26;

impl Opening {
    /// Whether there is an opening for each of so many pairs.
    ///
    /// # Errors
    /// There are too few different ones, or a book is wrong.
    pub fn check(&self, rules: &Rules, seed: u64, pairs: u32) -> Result<(), OpeningError> {
        self.draw(rules, seed, pairs).map(drop)
    }

    /// An opening for each pair, all in different positions. Pair `p` has the same one in every match with the seed,
    /// however many pairs it has.
    ///
    /// # Errors
    /// So many different ones were not found, or a book is wrong.
    pub(crate) fn draw(&self, rules: &Rules, seed: u64, pairs: u32) -> Result<Vec<Start>, OpeningError> {
        let mut seen = HashSet::new();
        let starts: Vec<Start> = match self {
            Opening::Book(path) => {
                let mut starts = read_book(path, rules)?;
                starts.retain(|start| seen.insert(start.position.hash()));
                starts.shuffle(&mut generator([seed, 0, 0, 2]));
                starts.truncate(pairs as usize);
                starts
            }
            Opening::RandomPlies(_) | Opening::RandomPlacements => (0..pairs)
                .map_while(|pair| {
                    (0..MOST_ATTEMPTS)
                        .filter_map(|attempt| self.attempt(rules, &mut generator([seed, pair.into(), attempt, 0])))
                        .find(|start| seen.insert(start.position.hash()))
                })
                .collect(),
        };
        match starts.len() {
            found if found < pairs as usize => Err(OpeningError::TooFew { opening: self.clone(), found, pairs }),
            _ => Ok(starts),
        }
    }

    /// Plays at random; `None` if the game is over then.
    fn attempt(&self, rules: &Rules, random: &mut SmallRng) -> Option<Start> {
        let begun = Position::start(rules);
        let mut start = Start { begun, plies: Vec::new(), position: begun };
        let complete = |start: &Start| match self {
            Opening::RandomPlies(plies) => start.plies.len() >= *plies as usize,
            _ => !start.position.is_placement(),
        };
        while !complete(&start) {
            let action = start.position.choose_action(rules, |count| random.random_range(0..count))?;
            start.position.apply(rules, action);
            start.plies.push(action);
        }
        start.position.outcome().is_none().then_some(start)
    }
}

fn read_book(path: &Path, rules: &Rules) -> Result<Vec<Start>, OpeningError> {
    let unreadable = |why: String| OpeningError::Unreadable { path: path.to_owned(), why };
    let mut text = String::new();
    fs::File::open(path)
        .and_then(|file| file.take(MAX_BOOK_BYTES + 1).read_to_string(&mut text))
        .map_err(|error| unreadable(error.to_string()))?;
    if text.len() as u64 > MAX_BOOK_BYTES {
        return Err(unreadable(format!("it is larger than {MAX_BOOK_BYTES} bytes")));
    }
    let lines = (1..).zip(text.lines().map(|line| line.split('#').next().unwrap_or_default().trim()));
    lines
        .filter(|(_, line)| !line.is_empty())
        .map(|(number, line)| {
            read_line(line, rules).map_err(|why| OpeningError::Line { path: path.to_owned(), line: number, why })
        })
        .collect()
}

/// An opening as a book has it: a position, whose ranks have strokes between them, or plies.
fn read_line(line: &str, rules: &Rules) -> Result<Start, String> {
    if line.contains('/') {
        let position = Position::from_text(line, rules).map_err(|error| error.to_string())?;
        return Ok(Start { begun: position, plies: Vec::new(), position });
    }
    let begun = Position::start(rules);
    let mut start = Start { begun, plies: Vec::new(), position: begun };
    for word in line.split_whitespace() {
        let action: Action = word.parse().map_err(|error| format!("{error}"))?;
        start.position.play(rules, action).map_err(|error| error.to_string())?;
        start.plies.push(action);
    }
    match start.position.outcome() {
        None => Ok(start),
        Some(_) => Err("the game is over after these plies".to_owned()),
    }
}

/// A generator that belongs to these numbers alone. Each is mixed in, so that neighbouring seeds and pairs share nothing.
pub(crate) fn generator(numbers: [u64; 4]) -> SmallRng {
    SmallRng::seed_from_u64(numbers.into_iter().fold(0, mixed))
}

/// A hash of a hash and what comes next; the same on every machine.
pub(crate) fn mixed(hash: u64, next: u64) -> u64 {
    mix(hash ^ next)
}

#[cfg(test)]
mod tests {
    use seega_rules::preset;

    use super::*;

    #[test]
    fn openings_are_read_as_they_are_written() {
        for text in ["plies:0", "plies:4", "placements", "book:a/b.txt"] {
            assert_eq!(text.parse::<Opening>().unwrap().to_string(), text);
        }
        for text in ["", "plies", "plies:", "plies:-1", "plies:401", "placements:2", "book", "book:"] {
            assert_eq!(text.parse::<Opening>(), Err(ParseOpeningError), "{text:?}");
        }
    }

    #[test]
    fn each_pair_has_its_own_opening_whatever_the_match() {
        let positions = |opening: &Opening, rules: &Rules, seed, pairs| -> Vec<Position> {
            opening.draw(rules, seed, pairs).unwrap().into_iter().map(|start| start.position).collect()
        };
        for preset in &preset::ALL {
            for opening in [Opening::default(), Opening::RandomPlacements, Opening::RandomPlies(60)] {
                let many = positions(&opening, &preset.rules, 7, 200);
                let texts: HashSet<String> = many.iter().map(Position::to_string).collect();
                assert_eq!(texts.len(), 200, "{} {opening}", preset.name);
                assert!(many.iter().all(|position| position.outcome().is_none()));
                if opening == Opening::RandomPlacements {
                    assert!(many.iter().all(|position| !position.is_placement() && position.empty().count() == 1));
                }
                assert_eq!(positions(&opening, &preset.rules, 7, 20), many[..20]);
                assert_ne!(positions(&opening, &preset.rules, 8, 20), many[..20]);
            }
        }
    }

    #[test]
    fn openings_that_run_out_are_told() {
        let rules = preset::find("sija").unwrap().rules;
        // One ply from the start: 24 squares.
        assert_eq!(Opening::RandomPlies(1).draw(&rules, 1, 24).unwrap().len(), 24);
        let found = |opening: &Opening, rules: &Rules, pairs| match opening.draw(rules, 1, pairs) {
            Err(OpeningError::TooFew { found, .. }) => found,
            other => panic!("{other:?}"),
        };
        assert_eq!(found(&Opening::RandomPlies(1), &rules, 25), 24);
        assert!(Opening::RandomPlies(0).draw(&rules, 1, 1).is_ok());
        // Nothing but the end of the game lies beyond its longest line.
        let short = rules.with_overrides([("quiet_limit", "1")]).unwrap();
        assert_eq!(found(&Opening::RandomPlies(400), &short, 1), 0);
    }

    /// A book in a folder of its own, which goes with the first value.
    fn book(text: &str) -> (tempfile::TempDir, Opening) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("book.txt");
        fs::write(&path, text).unwrap();
        (folder, Opening::Book(path))
    }

    #[test]
    fn a_book_gives_its_openings_in_an_order_drawn_by_seed() {
        let rules = preset::find("sija").unwrap().rules;
        let position = "bwwbw/bwbwb/bw1bb/wbwww/wwbbb w m - 0";
        let text =
            format!("# A book.\na1 b1\n\n  b1 a1 # the same stones the other way round\n{position}\na1\n a1 b1\n");
        let (_folder, opening) = book(&text);
        let draw = |seed, pairs| -> Vec<String> {
            opening.draw(&rules, seed, pairs).unwrap().iter().map(|start| start.position.to_string()).collect()
        };
        let all = draw(1, 3);
        assert_eq!(all.iter().collect::<HashSet<_>>().len(), 3);
        assert!(all.iter().any(|text| text == position));
        assert_eq!(draw(1, 2), all[..2]);
        assert!((2..20).any(|seed| draw(seed, 3) != all));
        let short = opening.draw(&rules, 1, 4).unwrap_err();
        assert_eq!(short, OpeningError::TooFew { opening: opening.clone(), found: 3, pairs: 4 });
    }

    #[test]
    fn what_is_wrong_in_a_book_is_told_with_its_line() {
        let rules = preset::find("sija").unwrap().rules;
        for (text, told) in [
            ("a1 b1\na1 a1", "line 2: "),
            ("a1 x9", "line 1: "),
            ("5/5/5 w p2 - 0", "line 1: "),
            ("\n\nbwwbw/bwbwb/bw1bb/wbwww/wwbbb", "line 3: "),
        ] {
            let (_folder, opening) = book(text);
            let error = opening.draw(&rules, 1, 1).unwrap_err().to_string();
            assert!(error.contains(told), "{text:?}: {error}");
        }
        let missing = Opening::Book(PathBuf::from("no/such/book")).draw(&rules, 1, 1).unwrap_err().to_string();
        assert!(missing.starts_with("no/such/book: can't be read: "), "{missing}");
    }
}
