//! Searching a position with a network, and what is told of it.

use std::sync::Arc;

use pyo3::prelude::*;
use seega_players::analysis::{AnalysedAction, Analyst, Effort};
use seega_rules::{Action, Side};
use seega_search::{Chances, Proof};

use crate::argument::wrong;
use crate::computation;
use crate::network::Pool;
use crate::position::PyPosition;

/// That the mover wins, draws and loses.
type Told = (f32, f32, f32);

/// What a search found of a position.
#[pyclass(module = "seega", frozen, get_all)]
pub(crate) struct SearchResult {
    /// The action to play: str.
    best: String,
    /// How the game is expected to end: the chances that the mover wins, draws and loses, which sum to 1.
    chances: Told,
    /// Simulations that were made; fewer than asked for where the search saw all that there is.
    simulations: u32,
    /// Every legal action, the best first: a list of ``SearchedAction``.
    actions: Vec<Py<SearchedAction>>,
}

/// What a search found of an action.
#[pyclass(module = "seega", frozen, get_all)]
pub(crate) struct SearchedAction {
    /// The action: str.
    action: String,
    /// Simulations that went through it.
    visits: u32,
    /// The network's probability of it.
    prior: f32,
    /// The probability that the search improved it to; over all actions they sum to 1.
    policy: f32,
    /// How the game is expected to end after it: the chances that the mover of the searched position wins, draws and
    /// loses; None where it was not searched.
    chances: Option<Told>,
    /// Its proven end: None, or ``"win"``, ``"draw"`` or ``"loss"`` of that mover, and the plies from the action to it, such
    /// as ``("win", 0)`` for an action that wins at once.
    proven: Option<(&'static str, u16)>,
    /// The best line, which begins with it: a list of str.
    line: Vec<String>,
}

/// Searches a position whose game goes on, with an analyst, which then goes into the pool.
pub(crate) fn search(
    py: Python<'_>,
    mut analyst: Analyst,
    pool: &Arc<Pool<Analyst>>,
    position: &PyPosition,
    simulations: u32,
) -> PyResult<SearchResult> {
    let (rules, searched, pool) = (position.rules, position.position, pool.clone());
    let analysis = computation::long(py, move |stop| {
        let analysis = analyst.analyse(&rules, &searched, Effort::Simulations(simulations), stop, |_| ());
        pool.give(analyst);
        analysis
    })?;
    let analysis = analysis.map_err(wrong)?;
    let mover = searched.mover();
    let actions: Vec<Py<SearchedAction>> = analysis
        .actions
        .iter()
        .map(|action| Py::new(py, SearchedAction::of(action, mover)))
        .collect::<PyResult<_>>()?;
    let best = analysis.actions.first().ok_or_else(|| wrong("no action is legal"))?.action.to_string();
    Ok(SearchResult { best, chances: told(analysis.chances), simulations: analysis.simulations, actions })
}

fn told(chances: Chances) -> Told {
    (chances.win, chances.draw, chances.loss)
}

impl SearchedAction {
    fn of(found: &AnalysedAction, mover: Side) -> SearchedAction {
        let end = |Proof { end, plies }: Proof| {
            let end = end.winner().map_or("draw", |winner| if winner == mover { "win" } else { "loss" });
            (end, plies)
        };
        SearchedAction {
            action: found.action.to_string(),
            visits: found.visits,
            prior: found.prior,
            policy: found.policy,
            chances: found.chances.map(told),
            proven: found.proof.map(end),
            line: found.line.iter().map(Action::to_string).collect(),
        }
    }
}

#[pymethods]
impl SearchResult {
    /// The expected value for the mover, win - loss: from -1 to 1.
    #[getter]
    fn value(&self) -> f32 {
        self.chances.0 - self.chances.2
    }

    fn __repr__(&self) -> String {
        let (win, draw, loss) = self.chances;
        let Self { best, simulations, .. } = self;
        format!("<SearchResult best={best:?} win={win:.3} draw={draw:.3} loss={loss:.3} simulations={simulations}>")
    }
}

#[pymethods]
impl SearchedAction {
    /// The expected value for the mover of the searched position, win - loss: from -1 to 1; None where the action was not
    /// searched.
    #[getter]
    fn value(&self) -> Option<f32> {
        self.chances.map(|(win, _, loss)| win - loss)
    }

    fn __repr__(&self) -> String {
        let Self { action, visits, policy, .. } = self;
        let value = self.value().map_or("None".to_owned(), |value| format!("{value:.3}"));
        format!("<SearchedAction {action:?} visits={visits} policy={policy:.3} value={value}>")
    }
}
