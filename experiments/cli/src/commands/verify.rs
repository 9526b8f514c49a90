//! `seega verify`: replays game records and tells the first disagreement.

use std::fs::File;
use std::io::Write;
use std::path::{Path, PathBuf};

use anyhow::{Context, bail};
use seega_rules::record::{Disagreement, RecordReader, VerifyError};

use super::Verdict;

/// Replays game records: every position, every list of legal actions, the end, the result and its reason.
///
/// Exit code 0 and a line with what was checked, or 1 and the first disagreement.
#[derive(Debug, clap::Args)]
pub struct Arguments {
    /// Files of game records, `.jsonl` or `.jsonl.gz`.
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,
}

/// What was checked.
#[derive(Default)]
struct Checked {
    games: u64,
    positions: u64,
}

/// Writes one line: what was checked, or what is at odds.
pub fn run(arguments: &Arguments, output: &mut impl Write) -> anyhow::Result<Verdict> {
    let mut checked = Checked::default();
    for path in &arguments.files {
        if let Some((line, disagreement)) = verify_file(path, &mut checked)? {
            let Disagreement { ply, what, expected, found } = disagreement;
            let place = ply.map_or("end of the game".to_owned(), |ply| format!("ply {ply}"));
            let path = path.display();
            writeln!(output, "{path}: line {line}: {place}: {what}: expected {expected}, found {found}")?;
            return Ok(Verdict::Disagreement);
        }
    }
    writeln!(output, "{} games, {} positions checked: all as the rules say", checked.games, checked.positions)?;
    Ok(Verdict::Fine)
}

/// The first disagreement of a file, with its line.
fn verify_file(path: &Path, checked: &mut Checked) -> anyhow::Result<Option<(usize, Disagreement)>> {
    let name = path.display();
    let file = File::open(path).with_context(|| format!("{name}: can't be read"))?;
    let mut games = 0;
    for read in RecordReader::new(file).with_context(|| format!("{name}: can't be read"))? {
        let (line, record) = read.with_context(|| name.to_string())?;
        match record.verify() {
            Ok(verified) => checked.positions += verified.positions,
            Err(VerifyError::Disagreement(disagreement)) => return Ok(Some((line, disagreement))),
            Err(error @ VerifyError::Start(_)) => bail!("{name}: line {line}: {error}"),
        }
        games += 1;
    }
    if games == 0 {
        bail!("{name}: holds no game records");
    }
    checked.games += games;
    Ok(None)
}
