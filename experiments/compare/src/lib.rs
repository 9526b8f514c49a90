//! Questions about how to train: both answers are trained in equal CPU time, with several seeds each, and the networks
//! play each other.
//!
//! A [`Study`] is a file with a base recipe and questions, each with two arms that set some of its settings otherwise.
//! [`train_arm`] trains an arm with a seed until its CPU time is spent, [`play_pair`] lets the networks of two arms play, and
//! [`crossed`] tells from the scores of all seeds against all which arm is better, and how sure that is. [`Results`] keeps
//! what is known on disk, so that a study goes on where it was stopped. In what order things are done, and what people see
//! of it, is left to the command.

mod crossed;
mod pair;
mod results;
mod study;
mod training;

pub use crossed::crossed;
pub use pair::{Games, Pairing, PlayPairError, play_pair};
pub use results::{Results, ResultsError};
pub use study::{Arm, Question, Study};
pub use training::{Spent, Told, TrainArmError, train_arm};
