//! Files that are either the old or the new one, whatever happens while they are written.

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::Path;

/// Writes a file under a temporary name in the same folder, syncs it, and renames it into place.
///
/// # Errors
/// Anything on the way fails; the temporary file is removed and what stood at `path` stands there still.
pub fn write_atomically(path: &Path, write: impl FnOnce(&mut File) -> io::Result<()>) -> io::Result<()> {
    let folder = match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    };
    fs::create_dir_all(folder)?;
    let mut file = tempfile::Builder::new().prefix(".partial-").tempfile_in(folder)?;
    write(file.as_file_mut())?;
    file.as_file_mut().flush()?;
    // A sync that failed must not be tried again as if nothing had happened: the error ends the writing.
    file.as_file().sync_all()?;
    let kept = file.persist(path).map_err(|error| error.error)?;
    drop(kept);
    File::open(folder)?.sync_all()
}
