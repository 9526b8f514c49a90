//! The endgame tables that a recipe asks for.

use std::sync::Arc;

use seega_exact::{ExactError, Tables, usual_folder};
use seega_models::checkpoint::NamedRules;

use crate::recipe::Recipe;

impl Recipe {
    /// The endgame tables of a rule set with which self-play is to be done; `None` if it is to be done without.
    ///
    /// # Errors
    /// Some are missing or damaged.
    pub fn open_tables(&self, rules: &NamedRules) -> Result<Option<Arc<Tables>>, ExactError> {
        let stones = self.numbers.table_stones;
        if stones == 0 {
            return Ok(None);
        }
        let folder = usual_folder(&self.tables, &rules.name);
        let fault = |why: String| {
            let make = format!("seega exact build --rules {} --stones {stones}", rules.name);
            ExactError::File {
                path: folder.clone(),
                why: format!("{why}; table_stones={stones} needs what {make} makes"),
            }
        };
        let tables = match Tables::open(&folder, &rules.rules) {
            Err(ExactError::File { why, .. }) => return Err(fault(why)),
            opened => opened?,
        };
        match u32::from(tables.stones()) {
            found if found < stones => Err(fault(format!("has all classes only up to {found} stones"))),
            _ => Ok(Some(Arc::new(tables))),
        }
    }
}
