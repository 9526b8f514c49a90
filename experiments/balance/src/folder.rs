//! The folder of a study: what it is, its trainings, and its games.
//!
//! ```text
//! study.toml                       the study, as it was fixed at the start
//! command.txt                      the command that began it
//! runs/[VARIANT-]seed-S/           a training
//! games/VARIANT-seed-S-N.games     games at N simulations, with the values that searches found
//! games/VARIANT-seed-S-N.jsonl.gz  the same as records (`seega verify`, `seega show`)
//! games/VARIANT-seed-S-N-pie.*     games with a pie, and what was offered
//! report/                          what it all says
//! ```
//!
//! A file of games counts if its network is the last one of its training.

use std::fs::{self, File};
use std::io::Write;
use std::path::{Path, PathBuf};

use rustix::fs::{FlockOperation, flock};
use seega_files::{sha256, write_atomically};
use seega_models::checkpoint::{Checkpoint, CheckpointError};
use seega_models::evaluator::EvaluateError;
use seega_rules::record::RecordWriter;
use seega_selfplay::PlayedGame;
use seega_selfplay::game_file::{self, Header};
use seega_train::{RunError, SettingsError};
use thiserror::Error;

use crate::play::{Pie, cell_seed};
use crate::study::{Study, Training, Variant, file_name};

/// The command that began a study.
const COMMAND: &str = "command.txt";

/// Why a study can't be run or told of.
#[derive(Debug, Error)]
pub enum StudyError {
    /// It was asked to stop.
    #[error("stopped; start it again to go on")]
    Stopped,
    /// A file or folder can't be used.
    #[error("{path}: {why}")]
    File {
        /// The file or folder.
        path: PathBuf,
        /// What is wrong with it.
        why: String,
    },
    /// The study is wrong.
    #[error(transparent)]
    Study(#[from] SettingsError),
    /// A training failed.
    #[error("{folder}: {error}")]
    Training {
        /// Its folder.
        folder: String,
        /// What is wrong.
        error: RunError,
    },
    /// Playing failed.
    #[error("games: {0}")]
    Play(String),
    /// A network can't evaluate.
    #[error(transparent)]
    Evaluate(#[from] EvaluateError),
    /// Endgame tables can't be read.
    #[error(transparent)]
    Tables(#[from] seega_exact::ExactError),
}

/// What is played of a variant with a seed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Cell<'a> {
    /// The variant.
    pub variant: &'a Variant,
    /// The seed of the network.
    pub seed: u64,
    /// Simulations of its searches.
    pub simulations: u32,
    /// Whether the games begin with a pie.
    pub pie: bool,
}

/// What was played of a cell.
#[derive(Clone, Debug)]
pub struct CellGames {
    /// The games.
    pub games: Vec<PlayedGame>,
    /// What was offered, where they begin with a pie.
    pub pie: Option<Pie>,
}

impl Cell<'_> {
    fn name(&self) -> String {
        let pie = if self.pie { "-pie" } else { "" };
        format!("{}-seed-{}-{}{pie}", file_name(&self.variant.name), self.seed, self.simulations)
    }
}

/// The folder of a study.
#[derive(Debug)]
pub struct Folder {
    path: PathBuf,
    _lock: Option<File>,
}

impl Folder {
    /// Begins a study in a folder, or goes on with the one there, which must be the same.
    ///
    /// # Errors
    /// The folder holds another study, is in use, or can't be used.
    pub fn begin(path: &Path, study_text: &str) -> Result<Folder, StudyError> {
        let fault = |path: &Path, why: String| StudyError::File { path: path.to_owned(), why };
        fs::create_dir_all(path).map_err(|error| fault(path, error.to_string()))?;
        let lock = File::create(path.join(".lock")).map_err(|error| fault(path, error.to_string()))?;
        flock(&lock, FlockOperation::NonBlockingLockExclusive)
            .map_err(|_| fault(path, "another program is at work in this folder".to_owned()))?;
        let folder = Folder { path: path.to_owned(), _lock: Some(lock) };
        let kept = path.join("study.toml");
        match fs::read_to_string(&kept) {
            Ok(known) if known == study_text => {}
            Ok(_) => {
                let why = "is another study; what is asked is fixed before the start, so begin in another folder";
                return Err(fault(&kept, why.to_owned()));
            }
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
                folder.write("study.toml", study_text.as_bytes())?
            }
            Err(error) => return Err(fault(&kept, error.to_string())),
        }
        Ok(folder)
    }

    /// Opens a study's folder to look at it.
    ///
    /// # Errors
    /// It holds no study that can be read.
    pub fn read(path: &Path) -> Result<(Folder, Study), StudyError> {
        let kept = path.join("study.toml");
        let text =
            fs::read_to_string(&kept).map_err(|error| StudyError::File { path: kept, why: error.to_string() })?;
        Ok((Folder { path: path.to_owned(), _lock: None }, Study::read(&text)?))
    }

    /// The text of the study, and the command that began it, if it is known.
    ///
    /// # Errors
    /// The study can't be read.
    pub fn about(&self) -> Result<(String, Option<String>), StudyError> {
        let path = self.path.join("study.toml");
        let text = fs::read_to_string(&path).map_err(|error| StudyError::File { path, why: error.to_string() })?;
        let command = fs::read_to_string(self.path.join(COMMAND)).ok();
        Ok((text, command.map(|command| command.trim_end().to_owned())))
    }

    /// Keeps the command that began the study.
    ///
    /// # Errors
    /// It can't be written.
    pub fn keep_command(&self, command: &str) -> Result<(), StudyError> {
        match self.path.join(COMMAND).exists() {
            true => Ok(()),
            false => self.write(COMMAND, format!("{command}\n").as_bytes()),
        }
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Writes a file of the folder, whole or not at all.
    ///
    /// # Errors
    /// It can't be written.
    pub fn write(&self, name: &str, bytes: &[u8]) -> Result<(), StudyError> {
        let path = self.path.join(name);
        write_atomically(&path, |file| file.write_all(bytes))
            .map_err(|error| StudyError::File { path, why: error.to_string() })
    }

    /// The run folder of a training.
    pub fn run(&self, training: &Training) -> PathBuf {
        self.path.join("runs").join(training.folder())
    }

    /// The network of a training that is over.
    pub(crate) fn network(&self, training: &Training, generations: u32) -> Result<Checkpoint, StudyError> {
        let path = self.run(training).join(format!("checkpoints/gen-{generations:04}.safetensors"));
        Checkpoint::read(&path).map_err(|error: CheckpointError| StudyError::File { path, why: error.to_string() })
    }

    /// The SHA-256 of the network of a training, if its file is there.
    pub(crate) fn network_hash(&self, training: &Training, generations: u32) -> Option<String> {
        let bytes = self.network(training, generations).ok()?.to_bytes().ok()?;
        Some(sha256(&bytes))
    }

    fn games_path(&self, cell: &Cell<'_>) -> PathBuf {
        self.path.join("games").join(cell.name() + ".games")
    }

    /// The games of a cell, `planned` of them, with the offer where there is a pie; `None` where they are not played yet, or by
    /// another network than `network`.
    ///
    /// # Errors
    /// The file is damaged.
    pub fn games(&self, cell: &Cell<'_>, planned: u32, network: Option<&str>) -> Result<Option<CellGames>, StudyError> {
        let path = self.games_path(cell);
        if !path.exists() {
            return Ok(None);
        }
        let fault = |path: &Path, why: String| StudyError::File {
            path: path.to_owned(),
            why: format!("{why}; remove it to play its games again"),
        };
        let (header, games) = game_file::read(&path, true).map_err(|error| fault(&path, error.to_string()))?;
        if header.rules != cell.variant.rules.rules {
            return Err(fault(&path, "holds games by other rules".to_owned()));
        }
        if network.is_some() && header.network.as_deref() != network {
            return Ok(None);
        }
        let planned = usize::try_from(planned).unwrap_or(usize::MAX);
        let seed = cell_seed(cell.seed, &header.rules, cell.simulations, cell.pie);
        if (header.seed, games.len()) != (seed, planned) {
            return Err(fault(&path, "holds the games of another cell".to_owned()));
        }
        if !cell.pie {
            return Ok(Some(CellGames { games, pie: None }));
        }
        let offer = path.with_extension("json");
        if !offer.exists() {
            // Without what was offered the games tell nothing.
            return Ok(None);
        }
        let text = fs::read_to_string(&offer).map_err(|error| fault(&offer, error.to_string()))?;
        let pie = serde_json::from_str(&text).map_err(|error| fault(&offer, error.to_string()))?;
        Ok(Some(CellGames { games, pie: Some(pie) }))
    }

    /// Keeps the games of a cell.
    pub(crate) fn keep(
        &self,
        cell: &Cell<'_>,
        network: &str,
        seed: u64,
        CellGames { games, pie }: &CellGames,
    ) -> Result<(), StudyError> {
        let name = format!("games/{}", cell.name());
        if let Some(pie) = pie {
            let text = serde_json::to_string_pretty(pie).map_err(|error| StudyError::Play(error.to_string()))?;
            self.write(&format!("{name}.json"), (text + "\n").as_bytes())?;
        }
        let header = Header {
            rules_name: cell.variant.rules.name.clone(),
            rules: cell.variant.rules.rules,
            seed,
            generation: 0,
            network: Some(network.to_owned()),
            next_game: None,
        };
        let mut records = RecordWriter::gzip(Vec::new());
        let fault = |error: std::io::Error| StudyError::Play(error.to_string());
        for game in games {
            let rules = &cell.variant.rules;
            records.write(&game.record(&rules.name, &rules.rules)).map_err(fault)?;
        }
        self.write(&format!("{name}.jsonl.gz"), &records.finish().map_err(fault)?)?;
        let path = self.games_path(cell);
        game_file::write(&path, &header, games).map_err(|error| StudyError::File { path, why: error.to_string() })
    }
}
