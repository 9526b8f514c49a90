//! Matches: who is stronger, and how sure that is.
//!
//! A match is played in pairs of games: each [`Opening`] twice, with colours swapped. [`run_match`] plays all games side
//! by side, [`Tally`] counts them, and [`PairCounts`] tells score and Elo with their intervals. [`run_tables`] plays many
//! matches at once: the [`ladder`] is a player against several opponents, a round robin everybody against everybody
//! ([`statistics::ratings`]). [`run_sprt`] plays until it knows which of two players is the stronger. An [`Archive`] keeps
//! the games on disk, so that a match that was stopped goes on.
//!
//! ```
//! use std::sync::atomic::AtomicBool;
//!
//! use seega_arena::{MatchSettings, Seats, Tally, run_match};
//! use seega_players::PlayerSpec;
//! use seega_rules::preset;
//!
//! let rules = preset::parse("sija")?;
//! // Each worker plays with players of its own; the first of them is A, the second B.
//! let mut workers: Vec<Seats> = Vec::new();
//! for _ in 0..2 {
//!     workers.push(vec![PlayerSpec::Greedy.build(&rules, false)?, PlayerSpec::Random.build(&rules, false)?]);
//! }
//! let games = run_match(&MatchSettings::new(rules, 20), &mut workers, &AtomicBool::new(false), &mut ())?;
//! let score = Tally::of(&games).pairs.score();
//! assert!(score.value > 0.8 && score.low < score.value);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod archive;
mod game;
pub mod ladder;
mod opening;
mod play;
pub mod score;
mod sequential;
pub mod statistics;
mod tally;
mod worker;

pub use archive::{Archive, ArchiveError, Plan};
pub use game::{Forfeit, PlayedGame};
pub use opening::{Opening, OpeningError, ParseOpeningError};
pub use play::{MatchError, MatchSettings, Observer, Seats, Table, run_match, run_tables};
pub use sequential::{SequentialMatch, run_sprt};
pub use statistics::pairs::PairCounts;
pub use statistics::{Estimate, elo_of_score};
pub use tally::{Tally, counted_pairs};
