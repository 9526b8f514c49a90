//! What a study says, for people (one page, and lines for a terminal) and for programs (JSON and CSV).

mod html;
mod svg;
mod table;
mod text;

use std::path::PathBuf;

use crate::analyse::Analysis;
use crate::folder::{Folder, StudyError};

pub use text::{Sentence, sentences, summary};

/// Writes the report into the study's folder, and gives where its page stands. `command` is what makes it again.
///
/// # Errors
/// A file can't be written.
pub fn write(folder: &Folder, analysis: &Analysis, command: &str) -> Result<PathBuf, StudyError> {
    let json = serde_json::to_string_pretty(analysis).map_err(|error| StudyError::Play(error.to_string()))?;
    folder.write("report/result.json", (json + "\n").as_bytes())?;
    for (name, table) in table::tables(analysis) {
        folder.write(&format!("report/{name}.csv"), table.as_bytes())?;
    }
    folder.write("report/index.html", html::page(analysis, command).as_bytes())?;
    folder.write("report/scores.svg", html::main_picture(analysis).as_bytes())?;
    Ok(folder.path().join("report/index.html"))
}
