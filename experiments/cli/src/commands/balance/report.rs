//! `seega balance report`: what a study's games come to, so far.

use std::io::Write;
use std::path::PathBuf;

use seega_balance::{Folder, analyse, report};

/// Writes the report of a study from the games that are there, a study that is not over included.
#[derive(Debug, clap::Args)]
pub struct Arguments {
    /// The study's folder.
    dir: PathBuf,

    /// The result as one JSON object on one line, besides.
    #[arg(long)]
    json: bool,
}

/// Writes the report, and tells it.
pub fn run(arguments: &Arguments, output: &mut impl Write) -> anyhow::Result<()> {
    let (folder, study) = Folder::read(&arguments.dir)?;
    let analysis = analyse(&study, &folder)?;
    let dir = arguments.dir.display();
    let command = folder.about()?.1.unwrap_or_else(|| format!("seega balance run {dir}/study.toml --dir NEW"));
    let page = report::write(&folder, &analysis, &command)?;
    if arguments.json {
        writeln!(output, "{}", serde_json::to_string(&analysis)?)?;
    } else {
        write!(output, "{}\nReport: {}\n", report::summary(&analysis), page.display())?;
    }
    Ok(())
}
