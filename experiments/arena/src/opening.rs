//! Openings: how the games of a pair begin, drawn by seed.

use std::collections::HashSet;
use std::fmt;
use std::str::FromStr;

use rand::rngs::SmallRng;
use rand::{RngExt, SeedableRng};
use seega_rules::{Action, Position, Rules, mix};
use thiserror::Error;

/// How the games of a match begin. Each pair of games gets an opening of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Opening {
    /// So many plies at random from the start of a game, written `plies:4`.
    RandomPlies(u32),
    /// All stones placed at random, up to the first position of movement, written `placements`.
    RandomPlacements,
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
#[error("openings are plies:K (K random plies, from 0 to {MOST_PLIES}) or placements")]
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
            _ => Err(ParseOpeningError),
        }
    }
}

impl fmt::Display for Opening {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Opening::RandomPlies(plies) => write!(f, "plies:{plies}"),
            Opening::RandomPlacements => f.write_str("placements"),
        }
    }
}

/// An opening that was drawn.
#[derive(Clone, Debug)]
pub(crate) struct Start {
    /// The plies from the start of a game.
    pub(crate) plies: Vec<Action>,
    /// The position after them; its game goes on.
    pub(crate) position: Position,
}

/// There are too few openings.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("{opening} gives too few different openings: {found} found for {pairs} pairs of games")]
pub struct TooFewOpenings {
    /// The openings.
    pub opening: Opening,
    /// Different ones found.
    pub found: usize,
    /// The pairs of the match.
    pub pairs: u32,
}

/// How often an opening is drawn again when it is over already or was drawn before.
const MOST_ATTEMPTS: u64 = 1000;

impl Opening {
    /// An opening for each pair, all in different positions. Pair `p` has the same one in every match with the seed,
    /// however many pairs it has.
    ///
    /// # Errors
    /// So many different ones were not found.
    pub(crate) fn draw(self, rules: &Rules, seed: u64, pairs: u32) -> Result<Vec<Start>, TooFewOpenings> {
        let mut seen = HashSet::new();
        let starts: Vec<Start> = (0..pairs)
            .map_while(|pair| {
                (0..MOST_ATTEMPTS)
                    .filter_map(|attempt| self.attempt(rules, &mut generator([seed, pair.into(), attempt, 0])))
                    .find(|start| seen.insert(start.position.hash()))
            })
            .collect();
        match starts.len() {
            found if found < pairs as usize => Err(TooFewOpenings { opening: self, found, pairs }),
            _ => Ok(starts),
        }
    }

    /// Plays at random; `None` if the game is over then.
    fn attempt(self, rules: &Rules, random: &mut SmallRng) -> Option<Start> {
        let mut start = Start { plies: Vec::new(), position: Position::start(rules) };
        let complete = |start: &Start| match self {
            Opening::RandomPlies(plies) => start.plies.len() >= plies as usize,
            Opening::RandomPlacements => !start.position.is_placement(),
        };
        while !complete(&start) {
            let action = start.position.choose_action(rules, |count| random.random_range(0..count))?;
            start.position.apply(rules, action);
            start.plies.push(action);
        }
        start.position.outcome().is_none().then_some(start)
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
        for text in ["plies:0", "plies:4", "placements"] {
            assert_eq!(text.parse::<Opening>().unwrap().to_string(), text);
        }
        for text in ["", "plies", "plies:", "plies:-1", "plies:401", "placements:2", "book"] {
            assert_eq!(text.parse::<Opening>(), Err(ParseOpeningError), "{text:?}");
        }
    }

    #[test]
    fn each_pair_has_its_own_opening_whatever_the_match() {
        let positions = |opening: Opening, rules: &Rules, seed, pairs| -> Vec<Position> {
            opening.draw(rules, seed, pairs).unwrap().into_iter().map(|start| start.position).collect()
        };
        for preset in &preset::ALL {
            for opening in [Opening::default(), Opening::RandomPlacements, Opening::RandomPlies(60)] {
                let many = positions(opening, &preset.rules, 7, 200);
                let texts: HashSet<String> = many.iter().map(Position::to_string).collect();
                assert_eq!(texts.len(), 200, "{} {opening}", preset.name);
                assert!(many.iter().all(|position| position.outcome().is_none()));
                if opening == Opening::RandomPlacements {
                    assert!(many.iter().all(|position| !position.is_placement() && position.empty().count() == 1));
                }
                assert_eq!(positions(opening, &preset.rules, 7, 20), many[..20]);
                assert_ne!(positions(opening, &preset.rules, 8, 20), many[..20]);
            }
        }
    }

    #[test]
    fn openings_that_run_out_are_told() {
        let rules = preset::find("sija").unwrap().rules;
        // One ply from the start: 24 squares.
        assert_eq!(Opening::RandomPlies(1).draw(&rules, 1, 24).unwrap().len(), 24);
        let short = Opening::RandomPlies(1).draw(&rules, 1, 25).unwrap_err();
        assert_eq!((short.found, short.pairs), (24, 25));
        assert!(Opening::RandomPlies(0).draw(&rules, 1, 1).is_ok());
        // Nothing but the end of the game lies beyond its longest line.
        let short = rules.with_overrides([("quiet_limit", "1")]).unwrap();
        assert_eq!(Opening::RandomPlies(400).draw(&short, 1, 1).unwrap_err().found, 0);
    }
}
