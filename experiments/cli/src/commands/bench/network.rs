//! The network and the recipe that the measurements of self-play and training share.

use std::path::PathBuf;

use anyhow::Context;
use seega_models::architecture::Architecture;
use seega_models::checkpoint::Checkpoint;
use seega_rules::{Rules, preset};
use seega_train::Recipe;

/// What is measured.
#[derive(Debug, clap::Args)]
pub struct Options {
    /// Self-play and training: the rules, a preset.
    #[arg(long, value_name = "RULES", default_value = "sija")]
    rules: String,

    /// Self-play and training: a network; without it, one with random numbers of the quickstart's size.
    #[arg(long, value_name = "FILE")]
    model: Option<PathBuf>,

    /// Self-play and training: replaces a setting of recipes, such as channels=64; may be given several times.
    #[arg(long = "setting", value_name = "SETTING=VALUE", value_parser = crate::options::parse_setting)]
    settings: Vec<(String, String)>,
}

/// What the options name.
pub(super) struct Subject {
    pub(super) rules: Rules,
    pub(super) recipe: Recipe,
    pub(super) checkpoint: Checkpoint,
}

impl Options {
    pub(super) fn subject(&self) -> anyhow::Result<Subject> {
        let rules = preset::parse(&self.rules)?;
        let recipe = Recipe::read(&format!("rules = [{:?}]", self.rules), &self.settings)?;
        let checkpoint = match &self.model {
            Some(path) => Checkpoint::read(path).with_context(|| path.display().to_string())?,
            None => {
                let Architecture { channels, blocks } = recipe.architecture();
                Checkpoint::fresh(Architecture { channels, blocks }, Vec::new(), recipe.numbers.seed)
            }
        };
        Ok(Subject { rules, recipe, checkpoint })
    }
}

impl Subject {
    /// The network's size, for people.
    pub(super) fn network(&self) -> String {
        let Architecture { channels, blocks } = self.checkpoint.about.architecture;
        format!("{channels}x{blocks}")
    }
}
