//! Files of game records that subcommands write.

use std::io::{self, BufWriter, Write};
use std::path::Path;

use anyhow::{Context, bail};
use seega_files::write_atomically;
use seega_rules::record::{GameRecord, RecordWriter};

/// Refuses a file that can't be a new file of records, before there is anything to lose.
pub fn check_new(path: &Path) -> anyhow::Result<()> {
    let name = path.display();
    if path.file_name().is_none() {
        bail!("{name}: not the name of a file");
    }
    if path.exists() {
        bail!("{name}: exists already; game records are written to a new file");
    }
    Ok(())
}

/// Writes games, compressed if the name ends in `.gz`.
pub fn write<'a>(path: &Path, games: impl IntoIterator<Item = &'a GameRecord>) -> anyhow::Result<()> {
    let compressed = path.extension().is_some_and(|extension| extension == "gz");
    write_atomically(path, |file| {
        let output = BufWriter::new(file);
        let mut writer = if compressed { RecordWriter::gzip(output) } else { RecordWriter::plain(output) };
        for game in games {
            writer.write(game)?;
        }
        writer.finish()?.into_inner().map_err(io::IntoInnerError::into_error)?.flush()
    })
    .with_context(|| format!("{}: can't be written", path.display()))
}
