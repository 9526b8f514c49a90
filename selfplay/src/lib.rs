//! Self-play: the driver of many games at once, and the files that keep what they teach.
//!
//! * [`Settings`] say how games are played, [`Worker`] plays them: each worker has its games, its cache and its
//!   evaluator, and evaluates one batch with a leaf of each game at a time.
//! * [`PlayedGame`] is a game as its actions and what the searches found; its positions follow by replaying it.
//!   [`game_file`] keeps games on disk, [`Sample`] is a position of one with the targets of learning.
//!
//! Which network plays, and when, is left to the crate that trains.

mod cache;
mod game;
pub mod game_file;
mod progress;
mod seed;
mod settings;
mod slot;
mod worker;

pub use game::{GameError, PlayedGame, PlayedPly, Sample, SearchFound};
pub use progress::Progress;
pub use seed::{Purpose, random_for};
pub use settings::{Opening, Settings, TableUse, Temperature};
pub use worker::{Counters, Generation, Worker, WorkerError};
