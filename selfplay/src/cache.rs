//! A worker's cache of evaluations.
//!
//! The key is the position's hash, which covers all that its value depends on but rules and network: a cache belongs to
//! one rule set and is emptied with each network.

use rustc_hash::FxHashMap;
use seega_search::{Chances, Evaluation, MoverView};

/// Evaluations by position.
#[derive(Debug)]
pub(crate) struct Cache {
    capacity: usize,
    places: FxHashMap<u64, Place>,
    logits: Vec<f32>,
}

#[derive(Clone, Copy, Debug)]
struct Place {
    start: usize,
    count: usize,
    chances: Chances,
    margin: MoverView,
}

impl Cache {
    pub(crate) fn new(capacity: usize) -> Cache {
        Cache { capacity, places: FxHashMap::default(), logits: Vec::new() }
    }

    /// Forgets everything, keeping the memory.
    pub(crate) fn clear(&mut self) {
        self.places.clear();
        self.logits.clear();
    }

    pub(crate) fn get(&self, hash: u64) -> Option<Evaluation<'_>> {
        let place = self.places.get(&hash)?;
        let logits = &self.logits[place.start..place.start + place.count];
        Some(Evaluation { logits, chances: place.chances, margin: place.margin })
    }

    /// Keeps an evaluation. A full cache is emptied first: what is asked for again is soon there again.
    pub(crate) fn insert(&mut self, hash: u64, evaluation: Evaluation<'_>) {
        if self.capacity == 0 || self.places.contains_key(&hash) {
            return;
        }
        if self.places.len() >= self.capacity {
            self.clear();
        }
        let place = Place {
            start: self.logits.len(),
            count: evaluation.logits.len(),
            chances: evaluation.chances,
            margin: evaluation.margin,
        };
        self.logits.extend_from_slice(evaluation.logits);
        self.places.insert(hash, place);
    }
}
