//! The folder with which a network goes out to other programs: the ONNX file, the checkpoint, a model card, and golden
//! positions. `FORMAT.md` tells what the files are.
//!
//! The ONNX file is read back and run before it gets its name: it must give what libtorch gives. The model card is
//! written last and taken away first, so that a folder that has one is whole.

mod card;
mod golden;

use std::fs;
use std::io::{self, Write};
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};

use seega_files::{sha256, write_atomically};
use thiserror::Error;

pub use card::{Card, Check, FileDigest, Head, Training};
pub use golden::{Golden, GoldenPosition, GoldenRules, LegalAction};

use crate::checkpoint::{Checkpoint, CheckpointError, NamedRules};
use crate::onnx::{OnnxError, OnnxNetwork, to_onnx};

/// How far a number of the ONNX file may be from libtorch's; in outputs with numbers beyond 1, as a share of the largest.
pub const TOLERANCE: f32 = 1e-4;

/// The names of the files.
const ONNX: &str = "model.onnx";
const CHECKPOINT: &str = "model.safetensors";
const GOLDEN: &str = "golden.json";
const CARD: &str = "card.json";

/// The name of an ONNX file that is not yet checked.
const UNCHECKED: &str = "model.onnx.unchecked";

/// What was written.
#[derive(Clone, Debug)]
pub struct Exported {
    /// The model card.
    pub card: Card,
    /// The files, the card last.
    pub files: Vec<PathBuf>,
}

/// Why a network can't be exported.
#[derive(Debug, Error)]
pub enum ExportError {
    /// The checkpoint can't be read or is not sound.
    #[error(transparent)]
    Checkpoint(#[from] CheckpointError),
    /// The checkpoint names no rules, so that nothing can be checked.
    #[error("the network was trained on no rules")]
    NoRules,
    /// A file can't be written or read back.
    #[error("{}: {why}", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// What is wrong.
        why: io::Error,
    },
    /// The network gives a number that is not finite.
    #[error("the network gives {output} {found} at {position:?}")]
    NotFinite {
        /// The output.
        output: &'static str,
        /// The number.
        found: f32,
        /// The text of the position.
        position: String,
    },
    /// The ONNX file can't be run.
    #[error("the exported file fails its check: {0}")]
    Onnx(#[from] OnnxError),
    /// The ONNX file gives something else than libtorch.
    #[error(
        "the exported file fails its check: {output} {place} is {found}, but libtorch gives {expected}, at {position:?}"
    )]
    Disagrees {
        /// The output.
        output: &'static str,
        /// The place in it.
        place: usize,
        /// What the ONNX file gives.
        found: f32,
        /// What libtorch gives.
        expected: f32,
        /// The text of the position.
        position: String,
    },
}

/// Writes the files of the checkpoint at `model` into a folder, which is made if it is not there, with that many golden
/// positions of each rule set on which the network was trained, and of those of `also`.
///
/// # Errors
/// The checkpoint is not sound or names no rules, a file can't be written, or the ONNX file does not give what libtorch
/// gives. Then an earlier export in the folder is as it was, unless writing itself failed.
pub fn export(
    model: &Path,
    folder: &Path,
    positions: NonZeroUsize,
    also: &[NamedRules],
) -> Result<Exported, ExportError> {
    let bytes = Checkpoint::read_bytes(model)?;
    let checkpoint = Checkpoint::from_bytes(&bytes)?;
    if checkpoint.about.trained_on.is_empty() {
        return Err(ExportError::NoRules);
    }
    let origin = sha256(&bytes);
    let golden = Golden::new(&checkpoint, &origin, positions, also)?;
    let onnx = to_onnx(&checkpoint, &origin);
    let largest_difference = write_checked(&onnx, &golden, folder)?;

    let golden_json = json(&golden, false);
    let mut card = Card::new(&checkpoint, Check::new(&golden, largest_difference));
    for (name, bytes) in [(ONNX, &onnx), (CHECKPOINT, &bytes), (GOLDEN, &golden_json)] {
        card.files.insert(name.to_owned(), FileDigest::new(bytes));
    }
    let card_json = json(&card, true);
    let path = |name: &str| folder.join(name);
    match fs::remove_file(path(CARD)) {
        Err(why) if why.kind() != io::ErrorKind::NotFound => {
            remove_unchecked(folder);
            return Err(ExportError::Io { path: path(CARD), why });
        }
        _ => {}
    }
    fs::rename(path(UNCHECKED), path(ONNX)).map_err(|why| {
        remove_unchecked(folder);
        ExportError::Io { path: path(ONNX), why }
    })?;
    write(&path(CHECKPOINT), &bytes)?;
    write(&path(GOLDEN), &golden_json)?;
    write(&path(CARD), &card_json)?;
    Ok(Exported { card, files: [ONNX, CHECKPOINT, GOLDEN, CARD].map(path).to_vec() })
}

/// Writes an ONNX file under its name for unchecked ones, reads it back and holds it against the golden positions: the
/// largest difference. If it fails, the file is removed.
fn write_checked(onnx: &[u8], golden: &Golden, folder: &Path) -> Result<f32, ExportError> {
    let path = folder.join(UNCHECKED);
    write(&path, onnx)?;
    let check = || {
        let written = fs::read(&path).map_err(|why| ExportError::Io { path: path.clone(), why })?;
        golden.check(&OnnxNetwork::from_bytes(written)?)
    };
    check().inspect_err(|_| remove_unchecked(folder))
}

/// What is told is why the export failed; its name marks a file that can't even be removed.
fn remove_unchecked(folder: &Path) {
    let _ = fs::remove_file(folder.join(UNCHECKED));
}

fn write(path: &Path, bytes: &[u8]) -> Result<(), ExportError> {
    write_atomically(path, |file| file.write_all(bytes)).map_err(|why| ExportError::Io { path: path.to_owned(), why })
}

/// A value as JSON with a line end, which can't fail for values whose keys are texts.
fn json(value: &impl serde::Serialize, for_people: bool) -> Vec<u8> {
    let bytes = if for_people { serde_json::to_vec_pretty(value) } else { serde_json::to_vec(value) };
    let mut bytes = bytes.expect("the value has JSON");
    bytes.push(b'\n');
    bytes
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::architecture::Architecture;
    use crate::checkpoint::NamedRules;
    use seega_rules::preset;

    fn fresh(seed: u64) -> Checkpoint {
        let trained_on = vec![NamedRules { name: "sija".to_owned(), rules: preset::ALL[0].rules }];
        Checkpoint::fresh(Architecture { channels: 4, blocks: 2 }, trained_on, seed)
    }

    #[test]
    fn a_file_that_fails_its_check_is_removed() {
        let folder = tempfile::tempdir().unwrap();
        let golden = Golden::new(&fresh(1), "origin", NonZeroUsize::MIN, &[]).unwrap();
        assert!(write_checked(&to_onnx(&fresh(1), "origin"), &golden, folder.path()).unwrap() < TOLERANCE);
        let other = write_checked(&to_onnx(&fresh(2), "origin"), &golden, folder.path()).unwrap_err();
        assert!(matches!(other, ExportError::Disagrees { .. }), "{other}");
        let damaged = write_checked(b"no ONNX file", &golden, folder.path()).unwrap_err();
        assert!(matches!(damaged, ExportError::Onnx(_)), "{damaged}");
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
    }

    #[test]
    fn a_network_of_numbers_that_are_not_finite_is_refused() {
        let mut checkpoint = fresh(1);
        checkpoint.tensors.get_mut("value.margin.bias").unwrap()[0] = f32::NAN;
        let refused = Golden::new(&checkpoint, "origin", NonZeroUsize::MIN, &[]).unwrap_err().to_string();
        assert!(refused.starts_with("the network gives margin NaN at "), "{refused}");
    }
}
