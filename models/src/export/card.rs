//! The model card: what a network is, on what it was trained and how, and how exactly its ONNX file was checked.

use std::collections::BTreeMap;

use seega_files::sha256;
use serde::{Deserialize, Serialize};

use super::TOLERANCE;
use super::golden::Golden;
use crate::architecture::Architecture;
use crate::checkpoint::{Checkpoint, NamedRules};

/// The model card.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Card {
    /// `seega`.
    pub project: String,
    /// The version of inputs and action indexing, as `FORMAT.md` fixes them.
    pub format: u32,
    /// The sides of the boards on which the network was trained, the smallest first. The file runs on others too, but
    /// what it says there means nothing.
    pub board_sizes: Vec<u8>,
    /// The rules on which it was trained.
    pub trained_on: Vec<NamedRules>,
    /// The size of the network.
    pub architecture: Architecture,
    /// The numbers that training changed.
    pub parameters: usize,
    /// How it was trained.
    pub training: Training,
    /// The outputs of the ONNX file.
    pub heads: Vec<Head>,
    /// How the ONNX file was checked.
    pub check: Check,
    /// The other files of the folder by name.
    pub files: BTreeMap<String, FileDigest>,
}

/// How a network was trained.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Training {
    /// Steps of the optimizer.
    pub step: u64,
    /// The SHA-256 of the checkpoint from which training began, if from one.
    pub parent: Option<String>,
    /// The seed of its run.
    pub seed: u64,
}

/// An output of the ONNX file.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Head {
    /// Its name.
    pub name: String,
    /// Its shape, in words where it is not fixed.
    pub shape: String,
    /// What it says.
    pub meaning: String,
}

/// How an ONNX file was checked before it was called done.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Check {
    /// Golden positions on which it ran.
    pub positions: usize,
    /// The largest difference from libtorch's outputs; in outputs with numbers beyond 1, as a share of the largest.
    pub largest_difference: f32,
    /// The difference that would have been too large.
    pub tolerance: f32,
}

impl Check {
    /// A check that was passed with that largest difference.
    pub fn new(golden: &Golden, largest_difference: f32) -> Check {
        Check { positions: golden.len(), largest_difference, tolerance: TOLERANCE }
    }
}

/// A file's length and hash.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FileDigest {
    /// Its length in bytes.
    pub bytes: usize,
    /// Its SHA-256.
    pub sha256: String,
}

impl FileDigest {
    /// Of a file with these bytes.
    pub fn new(bytes: &[u8]) -> FileDigest {
        FileDigest { bytes: bytes.len(), sha256: sha256(bytes) }
    }
}

impl Card {
    /// The card of a network, without files as yet.
    pub fn new(checkpoint: &Checkpoint, check: Check) -> Card {
        let about = &checkpoint.about;
        let mut board_sizes: Vec<u8> = about.trained_on.iter().map(|known| known.rules.size.side()).collect();
        board_sizes.sort_unstable();
        board_sizes.dedup();
        let trained = about.architecture.tensors().into_iter().filter(|spec| spec.role.has_gradient());
        let head = |name: &str, shape: &str, meaning: &str| Head {
            name: name.to_owned(),
            shape: shape.to_owned(),
            meaning: meaning.to_owned(),
        };
        Card {
            project: "seega".to_owned(),
            format: about.format,
            board_sizes,
            trained_on: about.trained_on.clone(),
            architecture: about.architecture,
            parameters: trained.map(|spec| spec.shape.iter().product::<usize>()).sum(),
            training: Training { step: about.step, parent: about.parent.clone(), seed: about.seed },
            heads: vec![
                head("policy", "[batch, 17 * side * side + 1]", "logits of actions; softmax over the legal ones only"),
                head("chances", "[batch, 3]", "logits of win, draw and loss for the mover"),
                head("margin", "[batch]", "the mover's final lead in stones over a side's stones, from -1 to 1"),
            ],
            check,
            files: BTreeMap::new(),
        }
    }
}
