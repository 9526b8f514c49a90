//! How far workers are, for whoever looks on while they play.

use std::sync::atomic::{AtomicU64, Ordering};

/// What the workers of a generation have done so far. They only count up; nothing that they do depends on it.
#[derive(Debug, Default)]
pub struct Progress {
    /// Plies that were searched.
    pub plies: AtomicU64,
    /// Games that ended.
    pub games: AtomicU64,
    /// Leaves that evaluators evaluated.
    pub evaluations: AtomicU64,
    /// Batches.
    pub batches: AtomicU64,
}

impl Progress {
    /// Counts a batch, and what was played up to it.
    pub(crate) fn count(&self, plies: u64, games: u64, evaluations: u64) {
        self.plies.fetch_add(plies, Ordering::Relaxed);
        self.games.fetch_add(games, Ordering::Relaxed);
        self.evaluations.fetch_add(evaluations, Ordering::Relaxed);
        self.batches.fetch_add(1, Ordering::Relaxed);
    }
}
