//! Those who think on this machine for a page: as many as there are cores, each with all networks.

use std::collections::HashMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;

use anyhow::Context as _;
use seega_exact::{Tables, Value, usual_folder};
use seega_models::checkpoint::Checkpoint;
use seega_rules::{GameInPlay, Rules, Side, preset};
use seega_web::ask::{AskError, Question, answer};
use seega_web::game::Game;
use seega_web::think::{Level, Thinker};
use serde_json::{Value as Json, json};
use tokio::sync::Semaphore;

/// Answers a page's questions.
pub struct Thinkers {
    networks: Vec<Network>,
    /// Those who have nothing to do.
    free: Mutex<Vec<Thinker>>,
    /// One for each of them.
    permits: Arc<Semaphore>,
    tables: PathBuf,
    /// The tables of the rules that were asked about; `None` where there are none.
    opened: Mutex<HashMap<Rules, Option<Arc<Tables>>>>,
}

struct Network {
    name: String,
    checkpoint: Arc<Checkpoint>,
}

impl Thinkers {
    /// Reads all networks of a folder. A folder that is not there holds none.
    pub fn new(models: &Path, tables: &Path) -> anyhow::Result<Thinkers> {
        let mut networks = Vec::new();
        if models.is_dir() {
            let mut paths: Vec<PathBuf> = Vec::new();
            for entry in fs::read_dir(models).with_context(|| models.display().to_string())? {
                paths.push(entry?.path());
            }
            paths.retain(|path| path.extension().is_some_and(|extension| extension == "safetensors"));
            paths.sort();
            for path in paths {
                let checkpoint = Checkpoint::read(&path).with_context(|| path.display().to_string())?.into();
                let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
                networks.push(Network { name, checkpoint });
            }
        }
        let count = thread::available_parallelism().map_or(1, usize::from);
        let free: Vec<Thinker> = (0..count).map(|_| thinker(&networks)).collect();
        Ok(Thinkers {
            networks,
            permits: Arc::new(Semaphore::new(free.len())),
            free: Mutex::new(free),
            tables: tables.to_owned(),
            opened: Mutex::default(),
        })
    }

    /// In words, what there is.
    pub fn told(&self) -> String {
        let names: Vec<&str> = self.networks.iter().map(|network| &*network.name).collect();
        match &*names {
            [] => "no networks: alpha-beta plays".to_owned(),
            names => format!("networks: {}", names.join(", ")),
        }
    }

    /// What `engine.json` says.
    pub fn about(&self) -> Json {
        let of_network = |Network { name, checkpoint }: &Network| {
            let rules: Vec<Rules> = checkpoint.about.trained_on.iter().map(|known| known.rules).collect();
            json!({ "name": name, "rules": rules })
        };
        let networks: Vec<Json> = self.networks.iter().map(of_network).collect();
        json!({ "engine": "server", "networks": networks, "tables": self.tables.is_dir() })
    }

    /// Answers a question. One that takes thinking waits while all think.
    pub async fn answer(self: Arc<Thinkers>, question: Question) -> Result<Json, AskError> {
        let failed = |what: &dyn std::fmt::Display| AskError(what.to_string());
        // It goes with the thinking, which goes on if whoever asked is gone.
        let permit = match question {
            Question::Think { .. } => {
                let permits = Arc::clone(&self.permits);
                Some(permits.acquire_owned().await.map_err(|error| failed(&error))?)
            }
            _ => None,
        };
        let answered = tokio::task::spawn_blocking(move || {
            let _permit = permit;
            match &question {
                Question::Think { game, level, seed } => self.think(game, *level, *seed),
                other => answer(other).unwrap_or_else(|| Err(AskError("this takes thinking".to_owned()))),
            }
        });
        answered.await.map_err(|error| failed(&error))?
    }

    fn think(&self, game: &Game, level: Level, seed: u32) -> Result<Json, AskError> {
        let game = game.replay()?;
        let taken = self.free.lock().unwrap_or_else(PoisonError::into_inner).pop();
        // One that panicked never came back.
        let mut thinker = taken.unwrap_or_else(|| thinker(&self.networks));
        let thought = thinker.begin(&game, level, seed.into()).and_then(|()| {
            loop {
                if let Some(thought) = thinker.go_on(64)? {
                    return Ok(thought);
                }
            }
        });
        self.free.lock().unwrap_or_else(PoisonError::into_inner).push(thinker);
        let mut told = json!(thought?);
        told["exact"] = self.exact(&game)?;
        Ok(told)
    }

    /// What tables say of the position, as the page wants it: who wins, and the turns to the next capture or the end.
    fn exact(&self, game: &GameInPlay) -> Result<Json, AskError> {
        let wrong = |error: seega_exact::ExactError| AskError(error.to_string());
        let Some(tables) = self.tables_of(game.rules()).map_err(wrong)? else {
            return Ok(Json::Null);
        };
        let Some(exact) = tables.value(game.position()).map_err(wrong)? else {
            return Ok(Json::Null);
        };
        let mover = game.position().mover();
        let winner = match exact.value {
            Value::Win => Some(mover),
            Value::Draw => None,
            Value::Loss => Some(mover.other()),
        };
        Ok(json!({ "winner": winner.map(Side::letter), "distance": exact.distance }))
    }

    fn tables_of(&self, rules: &Rules) -> Result<Option<Arc<Tables>>, seega_exact::ExactError> {
        let mut opened = self.opened.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = opened.get(rules) {
            return Ok(known.clone());
        }
        let folder = usual_folder(&self.tables, &preset::spell(rules));
        let tables = if folder.is_dir() { Some(Arc::new(Tables::open(&folder, rules)?)) } else { None };
        // Whoever asks about ever other rules fills no memory.
        const MOST: usize = 64;
        if opened.len() < MOST {
            opened.insert(*rules, tables.clone());
        }
        Ok(tables)
    }
}

fn thinker(networks: &[Network]) -> Thinker {
    let mut thinker = Thinker::default();
    networks.iter().for_each(|network| thinker.add_network(&network.name, Arc::clone(&network.checkpoint)));
    thinker
}
