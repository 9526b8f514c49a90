//! Files that are either the old or the new one, whatever happens while they are written.

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::Path;

use sha2::{Digest, Sha256};

/// How the names of unfinished files begin.
const UNFINISHED: &str = ".partial-";

/// Removes what programs that were killed while they wrote left in a folder. Nobody may be writing there.
///
/// # Errors
/// The folder can't be read, or a file in it can't be removed.
pub fn remove_unfinished(folder: &Path) -> io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        if entry.file_name().as_encoded_bytes().starts_with(UNFINISHED.as_bytes()) {
            fs::remove_file(entry.path())?;
        }
    }
    Ok(())
}

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
    let mut builder = tempfile::Builder::new();
    builder.prefix(UNFINISHED);
    // Temporary files are their owner's alone; this one becomes a file like others, as the umask has it.
    #[cfg(unix)]
    builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666));
    let mut file = builder.tempfile_in(folder)?;
    write(file.as_file_mut())?;
    file.as_file_mut().flush()?;
    // A sync that failed must not be tried again as if nothing had happened: the error ends the writing.
    file.as_file().sync_all()?;
    let kept = file.persist(path).map_err(|error| error.error)?;
    drop(kept);
    File::open(folder)?.sync_all()
}

/// The SHA-256 of bytes, in hexadecimal.
pub fn sha256(bytes: &[u8]) -> String {
    Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_the_old_one_until_the_new_one_is_whole() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("made/file");
        write_atomically(&path, |file| file.write_all(b"old")).unwrap();
        let failed = write_atomically(&path, |file| {
            file.write_all(b"new")?;
            Err(io::Error::other("the disk is full"))
        });
        assert_eq!(failed.unwrap_err().to_string(), "the disk is full");
        assert_eq!(fs::read(&path).unwrap(), b"old");
        assert_eq!(fs::read_dir(path.parent().unwrap()).unwrap().count(), 1);
    }

    #[test]
    fn what_a_killed_writer_left_is_removed() {
        let folder = tempfile::tempdir().unwrap();
        let left = folder.path().join(".partial-AbCdEf");
        fs::write(&left, b"half").unwrap();
        fs::write(folder.path().join("whole"), b"whole").unwrap();
        remove_unfinished(folder.path()).unwrap();
        assert!(!left.exists() && folder.path().join("whole").exists());
    }

    #[cfg(unix)]
    #[test]
    fn a_file_has_the_permissions_of_any_new_file() {
        use std::os::unix::fs::PermissionsExt;
        let folder = tempfile::tempdir().unwrap();
        let (path, plain) = (folder.path().join("file"), folder.path().join("plain"));
        write_atomically(&path, |file| file.write_all(b"text")).unwrap();
        fs::write(&plain, b"text").unwrap();
        let mode = |path| fs::metadata(path).unwrap().permissions().mode();
        assert_eq!(mode(&path), mode(&plain));
    }
}
