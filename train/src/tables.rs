//! The endgame tables that a recipe asks for.

use std::sync::Arc;

use seega_exact::{ExactError, Tables, fewest_stones, usual_folder};
use seega_models::checkpoint::NamedRules;

use crate::recipe::Recipe;

impl Recipe {
    /// The endgame tables of a rule set with which self-play is to be done; `None` if it is to be done without.
    ///
    /// # Errors
    /// Some are missing or damaged.
    pub fn open_tables(&self, rules: &NamedRules) -> Result<Option<Arc<Tables>>, ExactError> {
        self.open_tables_to("table_stones", self.numbers.table_stones, rules)
    }

    /// Stones up to which networks are scored by endgame tables.
    pub(crate) fn scored_stones(&self) -> u32 {
        if self.numbers.score_stones > 0 { self.numbers.score_stones } else { self.numbers.table_stones }
    }

    /// The endgame tables by which networks are scored; `None` if they are not.
    pub(crate) fn open_score_tables(&self, rules: &NamedRules) -> Result<Option<Arc<Tables>>, ExactError> {
        let setting = if self.numbers.score_stones > 0 { "score_stones" } else { "table_stones" };
        self.open_tables_to(setting, self.scored_stones(), rules)
    }

    /// Tables with all classes up to so many stones, which that setting asks for.
    fn open_tables_to(
        &self,
        setting: &str,
        stones: u32,
        rules: &NamedRules,
    ) -> Result<Option<Arc<Tables>>, ExactError> {
        if stones == 0 {
            return Ok(None);
        }
        let folder = usual_folder(&self.tables, &rules.name);
        let fault = |why: String| {
            let make = format!("seega exact build --rules {} --stones {stones} --dir {}", rules.name, folder.display());
            ExactError::File { path: folder.clone(), why: format!("{why}; {setting}={stones} needs what {make} makes") }
        };
        let fewest = u32::from(fewest_stones(&rules.rules));
        if stones < fewest {
            let why =
                format!("no position of {} has so few stones as {setting}={stones}; from {fewest} on", rules.name);
            return Err(ExactError::File { path: folder, why });
        }
        let tables = match Tables::open(&folder, &rules.rules) {
            Err(ExactError::Empty(_)) => return Err(fault("holds no tables of these rules".to_owned())),
            opened => opened?,
        };
        match u32::from(tables.stones()) {
            found if found < stones => Err(fault(format!("has all classes only up to {found} stones"))),
            _ => Ok(Some(Arc::new(tables))),
        }
    }
}
