//! The file that holds a network: safetensors, with what is known of it as metadata.
//!
//! Reading is strict: the names and shapes must be exactly those of the architecture that the metadata names, every
//! number finite, and sizes are checked before anything is allocated. Nothing is ever read by pickle.

use std::collections::{BTreeMap, HashMap};
use std::fs::File;
use std::io::{self, Read, Write};
use std::path::Path;

use safetensors::tensor::{Dtype, SafeTensors, TensorView};
use seega_files::{sha256, write_atomically};
use seega_rules::Rules;
use serde::{Deserialize, Serialize};
use thiserror::Error;

use crate::FORMAT_VERSION;
use crate::architecture::{Architecture, ArchitectureError};

/// The largest checkpoint that is read, in bytes.
const MAX_BYTES: u64 = 512 << 20;

/// The metadata key under which what is known of the network stands.
const KEY: &str = "seega";

/// A network as numbers, with what is known of it.
#[derive(Clone, Debug, PartialEq)]
pub struct Checkpoint {
    /// What is known of it.
    pub about: About,
    /// Its tensors by name, each in row-major order with the shape that the architecture gives.
    pub tensors: BTreeMap<String, Vec<f32>>,
}

/// What is known of a network.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct About {
    /// The version of inputs and action indexing: [`FORMAT_VERSION`].
    pub format: u32,
    /// Its size.
    pub architecture: Architecture,
    /// The rules it was trained on, with their labels.
    pub trained_on: Vec<NamedRules>,
    /// Steps of the optimizer so far.
    pub step: u64,
    /// The SHA-256 of the checkpoint from which training began, if from one.
    pub parent: Option<String>,
    /// The seed of its run.
    pub seed: u64,
}

/// Rules with a label.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct NamedRules {
    /// The label.
    pub name: String,
    /// The rules.
    pub rules: Rules,
}

/// A file that is no checkpoint, or no sound one.
#[derive(Debug, Error)]
pub enum CheckpointError {
    /// Reading or writing failed.
    #[error(transparent)]
    Io(#[from] io::Error),
    /// The file is too large to be a checkpoint.
    #[error("{0} bytes are too many for a checkpoint")]
    TooLarge(u64),
    /// The file is not in the safetensors format.
    #[error("not a safetensors file: {0}")]
    Format(String),
    /// The metadata are missing or wrong.
    #[error("no network of this project: {0}")]
    About(String),
    /// The network is of another version.
    #[error("the network has format version {found}; this program reads version {FORMAT_VERSION}")]
    Version {
        /// The network's version.
        found: u32,
    },
    /// The architecture is out of bounds.
    #[error(transparent)]
    Architecture(#[from] ArchitectureError),
    /// A tensor is missing, unknown, or not as the architecture says.
    #[error("tensor {name}: {what}")]
    Tensor {
        /// Its name.
        name: String,
        /// What is wrong.
        what: String,
    },
}

impl Checkpoint {
    /// A fresh network: the same for the same seed.
    pub fn fresh(architecture: Architecture, trained_on: Vec<NamedRules>, seed: u64) -> Checkpoint {
        let about = About { format: FORMAT_VERSION, architecture, trained_on, step: 0, parent: None, seed };
        let values = architecture.initial_values(seed);
        Checkpoint { about, tensors: values.into_iter().map(|(spec, values)| (spec.name, values)).collect() }
    }

    /// Whether the network was trained on these rules.
    pub fn was_trained_on(&self, rules: &Rules) -> bool {
        self.about.trained_on.iter().any(|known| known.rules == *rules)
    }

    /// Reads a checkpoint.
    ///
    /// # Errors
    /// The file can't be read or is no sound checkpoint.
    pub fn read(path: &Path) -> Result<Checkpoint, CheckpointError> {
        Checkpoint::from_bytes(&Checkpoint::read_bytes(path)?)
    }

    /// Reads the bytes of a checkpoint's file, for [`from_bytes`](Self::from_bytes).
    ///
    /// # Errors
    /// The file can't be read or is too large.
    pub fn read_bytes(path: &Path) -> Result<Vec<u8>, CheckpointError> {
        let file = File::open(path)?;
        let length = file.metadata()?.len();
        if length > MAX_BYTES {
            return Err(CheckpointError::TooLarge(length));
        }
        let mut bytes = Vec::new();
        file.take(MAX_BYTES).read_to_end(&mut bytes)?;
        Ok(bytes)
    }

    /// Reads a checkpoint from the bytes of its file.
    ///
    /// # Errors
    /// The bytes are no sound checkpoint.
    pub fn from_bytes(bytes: &[u8]) -> Result<Checkpoint, CheckpointError> {
        let unsound = |error: safetensors::SafeTensorError| CheckpointError::Format(error.to_string());
        let (_, metadata) = SafeTensors::read_metadata(bytes).map_err(unsound)?;
        let told = metadata.metadata().as_ref().and_then(|metadata| metadata.get(KEY));
        let told = told.ok_or_else(|| CheckpointError::About(format!("its metadata have no {KEY:?}")))?;
        #[derive(Deserialize)]
        struct Version {
            format: u32,
        }
        let wrong = |error: serde_json::Error| CheckpointError::About(error.to_string());
        let Version { format } = serde_json::from_str(told).map_err(wrong)?;
        if format != FORMAT_VERSION {
            return Err(CheckpointError::Version { found: format });
        }
        let about: About = serde_json::from_str(told).map_err(wrong)?;
        about.architecture.check()?;
        let stored = SafeTensors::deserialize(bytes).map_err(unsound)?;
        let mut tensors = BTreeMap::new();
        for spec in about.architecture.tensors() {
            let fault = |what: String| CheckpointError::Tensor { name: spec.name.clone(), what };
            let view = stored.tensor(&spec.name).map_err(|_| fault("is missing".to_owned()))?;
            if view.dtype() != Dtype::F32 || view.shape() != spec.shape {
                return Err(fault(format!("is {:?} {:?}, not F32 {:?}", view.dtype(), view.shape(), spec.shape)));
            }
            let (numbers, _) = view.data().as_chunks::<4>();
            let values: Vec<f32> = numbers.iter().map(|&bytes| f32::from_le_bytes(bytes)).collect();
            if values.iter().any(|value| !value.is_finite()) {
                return Err(fault("holds a number that is not finite".to_owned()));
            }
            tensors.insert(spec.name, values);
        }
        if let Some(name) = stored.names().into_iter().find(|&name| !tensors.contains_key(name)) {
            return Err(CheckpointError::Tensor { name: name.to_owned(), what: "is not known".to_owned() });
        }
        Ok(Checkpoint { about, tensors })
    }

    /// The checkpoint as the bytes of a file.
    ///
    /// # Errors
    /// A tensor lacks or has not the shape that the architecture gives.
    pub fn to_bytes(&self) -> Result<Vec<u8>, CheckpointError> {
        let specs = self.about.architecture.tensors();
        let mut stored: Vec<(String, Vec<usize>, Vec<u8>)> = Vec::new();
        for spec in specs {
            let fault = |what: &str| CheckpointError::Tensor { name: spec.name.clone(), what: what.to_owned() };
            let values = self.tensors.get(&spec.name).ok_or_else(|| fault("is missing"))?;
            if values.len() != spec.shape.iter().product::<usize>() {
                return Err(fault("has another number of values than its shape"));
            }
            stored.push((spec.name, spec.shape, values.iter().flat_map(|value| value.to_le_bytes()).collect()));
        }
        let unsound = |error: safetensors::SafeTensorError| CheckpointError::Format(error.to_string());
        let views: Vec<(&str, TensorView<'_>)> = stored
            .iter()
            .map(|(name, shape, data)| Ok((&**name, TensorView::new(Dtype::F32, shape.clone(), data)?)))
            .collect::<Result<_, _>>()
            .map_err(unsound)?;
        let about = serde_json::to_string(&self.about).map_err(|error| CheckpointError::About(error.to_string()))?;
        safetensors::serialize(views, Some(HashMap::from([(KEY.to_owned(), about)]))).map_err(unsound)
    }

    /// Writes the checkpoint, so that the file is the old or the new one whatever happens, and gives its SHA-256.
    ///
    /// # Errors
    /// Writing fails, or the tensors are not those of the architecture.
    pub fn write(&self, path: &Path) -> Result<String, CheckpointError> {
        let bytes = self.to_bytes()?;
        write_atomically(path, |file| file.write_all(&bytes))?;
        Ok(sha256(&bytes))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use seega_rules::preset;

    fn small() -> Checkpoint {
        let rules = NamedRules { name: "sija".to_owned(), rules: preset::ALL[0].rules };
        Checkpoint::fresh(Architecture { channels: 4, blocks: 2 }, vec![rules], 7)
    }

    #[test]
    fn a_checkpoint_round_trips_and_its_bytes_are_the_same_every_time() {
        let checkpoint = small();
        let bytes = checkpoint.to_bytes().unwrap();
        assert_eq!(Checkpoint::from_bytes(&bytes).unwrap(), checkpoint);
        assert_eq!(bytes, small().to_bytes().unwrap());
        assert!(checkpoint.was_trained_on(&preset::ALL[0].rules));
        assert!(!checkpoint.was_trained_on(&preset::ALL[1].rules));
    }

    #[test]
    fn an_unsound_file_is_refused() {
        let bytes = small().to_bytes().unwrap();
        for length in (0..bytes.len()).step_by(97) {
            assert!(Checkpoint::from_bytes(&bytes[..length]).is_err(), "cut at {length}");
        }
        let refused = |change: &dyn Fn(&mut Checkpoint)| {
            let mut checkpoint = small();
            change(&mut checkpoint);
            let bytes = checkpoint.to_bytes().unwrap();
            Checkpoint::from_bytes(&bytes).unwrap_err().to_string()
        };
        let not_finite = refused(&|checkpoint| checkpoint.tensors.get_mut("stem.conv.weight").unwrap()[3] = f32::NAN);
        assert_eq!(not_finite, "tensor stem.conv.weight: holds a number that is not finite");
        let newer = refused(&|checkpoint| checkpoint.about.format = 99);
        assert_eq!(newer, "the network has format version 99; this program reads version 1");
    }
}
