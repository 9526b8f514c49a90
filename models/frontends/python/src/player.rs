//! Players for Python, by their one spelling.

use std::sync::{Arc, Mutex, PoisonError};

use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;
use rand::SeedableRng;
use rand::rngs::SmallRng;
use seega_players::{Player, PlayerSpec, Turn};
use seega_rules::Rules;

use crate::argument::{Whole, check_goes_on, read_checkpoint, wrong};
use crate::computation;
use crate::network::check_known;
use crate::position::PyPosition;
use crate::rules::PyRules;

/// A player for games by those rules, written as on the command line: ``"random"``, ``"greedy"``, ``"alphabeta:4"``,
/// ``"mcts:800"``, ``"net:PATH@64"``, ``"policy:PATH"``, ``"exact:DIR"``, ``"ugi:COMMAND@64"``, or with seconds a ply
/// ``"alphabeta:0.5s"`` (docs/arena.md).
///
/// Raises:
///     OSError: if a network's file can't be read.
///     ValueError: if the spelling is no player, or its network, tables or program are not to be had for these rules. A
///         network that was not trained on them plays with ``force=True`` all the same.
#[pyclass(name = "Player", module = "seega", frozen)]
pub(crate) struct PyPlayer {
    spec: PlayerSpec,
    rules: Rules,
    /// Shared with the thread on which it thinks.
    player: Arc<Mutex<Box<dyn Player>>>,
}

#[pymethods]
impl PyPlayer {
    #[new]
    #[pyo3(signature = (spelling, rules, /, *, force = false))]
    fn new(py: Python<'_>, spelling: &str, rules: &PyRules, force: bool) -> PyResult<PyPlayer> {
        let (spec, rules) = (spelling.parse::<PlayerSpec>().map_err(wrong)?, rules.0);
        if let PlayerSpec::Net { path, .. } | PlayerSpec::Policy { path } = &spec {
            check_known(&read_checkpoint(path)?, &rules, force)?;
        }
        let built = spec.clone();
        // Endgame tables are large, and a program may take its time to answer.
        let player = computation::long(py, move |_| built.build(&rules, true))?.map_err(wrong)?;
        Ok(PyPlayer { spec, rules, player: Arc::new(Mutex::new(player)) })
    }

    /// Its rules.
    #[getter]
    fn rules(&self) -> PyRules {
        PyRules(self.rules)
    }

    /// The action that it plays in a position: str. What depends on chance follows from the seed, 0 to 2**64 - 1: give
    /// another one at each ply, or the same choices come again.
    ///
    /// Ctrl-C ends the call at once, but the thought goes on unheard to its end, for which the next call waits.
    ///
    /// Raises:
    ///     ValueError: if the position is of other rules or the game is over, or for a seed out of range.
    ///     RuntimeError: if the player can't go on: its program failed or resigned.
    #[pyo3(signature = (position, /, seed))]
    fn choose(&self, py: Python<'_>, position: &PyPosition, seed: Whole) -> PyResult<String> {
        let seed = seed.within("seed", 0, u64::MAX)?;
        check_goes_on(&position.position)?;
        let (rules, position) = (position.rules, position.position);
        if rules != self.rules {
            let (asked, own) = (PyRules(rules).spelling(), PyRules(self.rules).spelling());
            return Err(wrong(format!("the position is of the rules {asked}; the player was made for {own}")));
        }
        let player = self.player.clone();
        let actions = computation::long(py, move |_| {
            let mut random = SmallRng::seed_from_u64(seed);
            let mut player = player.lock().unwrap_or_else(PoisonError::into_inner);
            player.choose(&mut [Turn { rules: &rules, position, random: &mut random }])
        })?;
        match actions.as_deref() {
            Ok([action]) => Ok(action.to_string()),
            Ok(actions) => Err(PyRuntimeError::new_err(format!("it gave {} actions for 1 turn", actions.len()))),
            Err(error) => Err(PyRuntimeError::new_err(error.to_string())),
        }
    }

    fn __repr__(&self) -> String {
        format!("<Player {} by {}>", self.spec, PyRules(self.rules).spelling())
    }
}
