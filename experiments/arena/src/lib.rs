//! Matches: who is stronger, and how sure that is.
//!
//! A match is played in pairs of games: each [`Opening`] twice, with colours swapped. [`run_match`] plays all games side
//! by side, [`Tally`] counts them, and [`PairCounts`] tells score and Elo with their intervals. The [`ladder`] is a player
//! against several opponents.
//!
//! ```
//! use std::sync::atomic::AtomicBool;
//!
//! use seega_arena::{MatchSettings, Tally, run_match};
//! use seega_players::PlayerSpec;
//! use seega_rules::preset;
//!
//! let rules = preset::parse("sija")?;
//! let mut a = PlayerSpec::Greedy.build(&rules, false)?;
//! let mut b = PlayerSpec::Random.build(&rules, false)?;
//! let games = run_match(&MatchSettings::new(rules, 20), &mut *a, &mut *b, &AtomicBool::new(false), &mut ())?;
//! let score = Tally::of(&games).pairs.score();
//! assert!(score.value > 0.8 && score.low < score.value);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

pub mod ladder;
mod opening;
mod play;
pub mod statistics;
mod tally;

pub use opening::{Opening, ParseOpeningError, TooFewOpenings};
pub use play::{MatchError, MatchSettings, Observer, PlayedGame, run_match};
pub use statistics::pairs::PairCounts;
pub use statistics::{Estimate, elo_of_score};
pub use tally::Tally;
