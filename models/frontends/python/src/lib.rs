//! The seega project for Python: the module `seega._seega`, which the package `seega` passes on.
//!
//! * `rules`, `position` and `action`: the games, and what goes into a network and comes out of it as numpy arrays;
//! * `network` and `search`: a checkpoint that evaluates and searches; `player`: everything that plays;
//! * `argument`: what callers pass, and how they are told that it is wrong; `computation`: long calls, which leave the
//!   interpreter to other threads and hear Ctrl-C.
//!
//! The documentation of classes and functions here is what Python's `help` shows. Environments for reinforcement
//! learning are left to `python/seega/pettingzoo.py`.

#![deny(unsafe_code)]

mod action;
mod argument;
mod computation;
mod network;
mod player;
mod position;
mod rules;
mod search;

use pyo3::prelude::*;

/// Rules, positions, networks and players of the Seega family of board games.
#[pymodule]
mod _seega {
    #[pymodule_export]
    use crate::action::{action_count, action_from_index, action_index};
    #[pymodule_export]
    use crate::network::PyNetwork;
    #[pymodule_export]
    use crate::player::PyPlayer;
    #[pymodule_export]
    use crate::position::PyPosition;
    #[pymodule_export]
    use crate::rules::PyRules;
    #[pymodule_export]
    use crate::search::{SearchResult, SearchedAction};

    /// The version of the package.
    #[pymodule_export]
    #[expect(non_upper_case_globals, reason = "the name that Python packages give it")]
    const __version__: &str = env!("CARGO_PKG_VERSION");
}
