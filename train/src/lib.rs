//! Training: from games of self-play to a better network, generation by generation.
//!
//! * [`Recipe`] is every setting. [`Window`] holds the positions to learn from, [`batch`] makes tensors of them.
//! * [`Trainer`] holds the network that learns: losses, the optimizer, averaged weights, and all its state on disk.
//! * [`Run`] is a run folder and the loop over its generations.

pub mod batch;
mod loss;
mod optimizer;
mod parameters;
mod recipe;
mod run;
mod settings;
mod tables;
mod trainer;
mod window;

pub use loss::Losses;
pub use recipe::{Numbers, Recipe, SearchName, WeightedRules};
pub use run::{
    ExactScore, GenerationReport, GenerationTimes, Observer, Phase, Run, RunError, Rung, Tried, latest_network,
};
pub use settings::SettingsError;
pub use trainer::{TrainError, Trainer};
pub use window::Window;
