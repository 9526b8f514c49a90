//! Networks for Python: what a checkpoint says of positions. Searching with one is in `search`.

use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use numpy::{PyArray1, PyArray2, PyArrayMethods};
use pyo3::prelude::*;
use seega_models::action;
use seega_models::checkpoint::Checkpoint;
use seega_models::evaluator::{EvaluateError, NativeEvaluator, check_rules};
use seega_players::MOST_SIMULATIONS;
use seega_players::analysis::Analyst;
use seega_rules::{ActionList, BoardSize, Position, Rules};
use seega_search::{Evaluations, Evaluator, Leaf, softmax};

use crate::argument::{Whole, check_goes_on, read_checkpoint, wrong};
use crate::computation;
use crate::position::PyPosition;
use crate::rules::PyRules;
use crate::search::{self, SearchResult};

/// Positions that go through the network at once. Between two such batches signals are looked for.
const BATCH: usize = 256;

/// Policy, chances and margin of a batch.
type Evaluated<'py> = (Bound<'py, PyArray2<f32>>, Bound<'py, PyArray2<f32>>, Bound<'py, PyArray1<f32>>);

/// A network, read from its checkpoint (a .safetensors file such as models/zoo/sija.safetensors).
///
/// It computes on one core of the CPU. Several threads may use one network at once: calls let go of the interpreter's lock.
///
/// Raises:
///     OSError: if the file can't be read.
///     ValueError: if it is no sound checkpoint of this project.
#[pyclass(name = "Network", module = "seega", frozen)]
pub(crate) struct PyNetwork {
    path: PathBuf,
    checkpoint: Checkpoint,
    evaluators: Pool<NativeEvaluator>,
    analysts: Arc<Pool<Analyst>>,
}

/// What nobody uses at the moment, so that threads share a network without waiting for each other.
pub(crate) struct Pool<T>(Mutex<Vec<T>>);

impl<T> Default for Pool<T> {
    fn default() -> Pool<T> {
        Pool(Mutex::default())
    }
}

impl<T> Pool<T> {
    /// One that is idle, if any.
    fn take(&self) -> Option<T> {
        self.lock().pop()
    }

    /// Gives one back.
    pub(crate) fn give(&self, item: T) {
        self.lock().push(item);
    }

    fn lock(&self) -> MutexGuard<'_, Vec<T>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Refuses rules on which a network was not trained, unless that is forced.
pub(crate) fn check_known(checkpoint: &Checkpoint, rules: &Rules, force: bool) -> PyResult<()> {
    if force {
        return Ok(());
    }
    check_rules(checkpoint, rules).map_err(|error| wrong(format!("{error}; force=True uses it all the same")))
}

#[pymethods]
impl PyNetwork {
    #[new]
    #[pyo3(signature = (path, /))]
    fn new(path: PathBuf) -> PyResult<PyNetwork> {
        let checkpoint = read_checkpoint(&path)?;
        Ok(PyNetwork { path, checkpoint, evaluators: Pool::default(), analysts: Arc::default() })
    }

    /// The rules on which it was trained, with their labels: a list of ``(str, Rules)``.
    #[getter]
    fn trained_on(&self) -> Vec<(String, PyRules)> {
        self.checkpoint.about.trained_on.iter().map(|known| (known.name.clone(), PyRules(known.rules))).collect()
    }

    /// Its width.
    #[getter]
    fn channels(&self) -> usize {
        self.checkpoint.about.architecture.channels
    }

    /// Its residual blocks.
    #[getter]
    fn blocks(&self) -> usize {
        self.checkpoint.about.architecture.blocks
    }

    /// Steps of the optimizer that it was trained for.
    #[getter]
    fn step(&self) -> u64 {
        self.checkpoint.about.step
    }

    /// What the network says of positions, without a search. All are on boards of one size.
    ///
    /// Returns three arrays of float32, ``(policy, chances, margin)``:
    ///
    /// * ``policy``, shape ``[positions, action_count(size)]``: the probability of each action at its place; the legal
    ///   actions sum to 1, all other places are 0.
    /// * ``chances``, shape ``[positions, 3]``: that the mover wins, draws and loses; they sum to 1.
    /// * ``margin``, shape ``[positions]``: the mover's stones less the opponent's at the end of the game, over the stones
    ///   that a side places; from -1 to 1.
    ///
    /// A position's numbers don't depend on the others.
    ///
    /// Raises:
    ///     ValueError: if there is no position, the boards are of different sizes, a game is over, or the network was not
    ///         trained on the rules (with ``force=True`` it is asked all the same).
    #[pyo3(signature = (positions, /, *, force = false))]
    fn evaluate<'py>(&self, py: Python<'py>, positions: &Bound<'py, PyAny>, force: bool) -> PyResult<Evaluated<'py>> {
        let mut asked: Vec<(Rules, Position)> = Vec::new();
        for position in positions.try_iter()? {
            let position = position?.cast_into::<PyPosition>()?;
            let PyPosition { rules, position, .. } = position.get();
            asked.push((*rules, *position));
        }
        let size = asked.first().ok_or_else(|| wrong("there is no position to evaluate"))?.1.size();
        let mut allowed = None;
        for (rules, position) in &asked {
            check_goes_on(position)?;
            if allowed != Some(rules) {
                check_known(&self.checkpoint, rules, force)?;
                allowed = Some(rules);
            }
            if position.size() != size {
                return Err(wrong(EvaluateError::MixedSizes));
            }
        }
        let mut found = Found::default();
        let mut evaluator = self.evaluators.take().unwrap_or_else(|| NativeEvaluator::new(&self.checkpoint));
        for batch in asked.chunks(BATCH) {
            computation::short(py, || found.add(&mut evaluator, size, batch))?.map_err(wrong)?;
            py.check_signals()?;
        }
        self.evaluators.give(evaluator);
        let count = asked.len();
        let policy = PyArray1::from_vec(py, found.policy).reshape([count, action::policy_len(size)])?;
        let chances = PyArray1::from_vec(py, found.chances).reshape([count, 3])?;
        Ok((policy, chances, PyArray1::from_vec(py, found.margin)))
    }

    /// Searches a position with that many simulations, 1 to 1,000,000, and gives a ``SearchResult``. It is deterministic, and
    /// its best action is what the player ``net:PATH@SIMULATIONS`` plays.
    ///
    /// Raises:
    ///     ValueError: if the game is over, simulations is out of range, or the network was not trained on the rules (with
    ///         ``force=True`` it searches all the same).
    #[pyo3(
        signature = (position, /, simulations = Whole::of(64), *, force = false),
        text_signature = "($self, position, /, simulations=64, *, force=False)"
    )]
    fn search(&self, py: Python<'_>, position: &PyPosition, simulations: Whole, force: bool) -> PyResult<SearchResult> {
        check_goes_on(&position.position)?;
        check_known(&self.checkpoint, &position.rules, force)?;
        let simulations = simulations.within("simulations", 1, MOST_SIMULATIONS.into())? as u32;
        let analyst = self.analysts.take().unwrap_or_else(|| Analyst::new(&self.checkpoint, 1));
        search::search(py, analyst, &self.analysts, position, simulations)
    }

    fn __repr__(&self) -> String {
        let known: Vec<String> = self
            .checkpoint
            .about
            .trained_on
            .iter()
            .map(|known| format!("{} ({})", known.name, known.rules.size))
            .collect();
        let (channels, blocks) = (self.channels(), self.blocks());
        format!("<Network {}: {channels}x{blocks}, {}>", self.path.display(), known.join(", "))
    }
}

/// What was found of positions so far.
#[derive(Default)]
struct Found {
    evaluations: Evaluations,
    /// Of one position's legal actions.
    probabilities: Vec<f32>,
    policy: Vec<f32>,
    chances: Vec<f32>,
    margin: Vec<f32>,
}

impl Found {
    /// Evaluates a batch of positions and adds what is found.
    fn add(
        &mut self,
        evaluator: &mut NativeEvaluator,
        size: BoardSize,
        batch: &[(Rules, Position)],
    ) -> Result<(), EvaluateError> {
        let lists: Vec<ActionList> = batch
            .iter()
            .map(|(rules, position)| {
                let mut actions = ActionList::new();
                position.legal_actions(rules, &mut actions);
                actions
            })
            .collect();
        let leaves: Vec<Leaf<'_, _>> =
            batch.iter().zip(&lists).map(|((rules, position), actions)| Leaf { rules, position, actions }).collect();
        evaluator.evaluate(&leaves, &mut self.evaluations)?;
        for (index, actions) in lists.iter().enumerate() {
            let evaluation = self.evaluations.get(index);
            let start = self.policy.len();
            self.policy.resize(start + action::policy_len(size), 0.0);
            self.probabilities.clear();
            self.probabilities.extend_from_slice(evaluation.logits);
            softmax(&mut self.probabilities);
            for (&legal, &probability) in actions.iter().zip(&self.probabilities) {
                let place = action::index(size, legal).expect("every legal action has its place in the policy");
                self.policy[start + place] = probability;
            }
            self.chances.extend([evaluation.chances.win, evaluation.chances.draw, evaluation.chances.loss]);
            self.margin.push(evaluation.margin.0);
        }
        Ok(())
    }
}
