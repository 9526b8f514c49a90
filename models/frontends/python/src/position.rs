//! Positions for Python, each with its rules, and what a network is told of them.

use std::hash::{Hash, Hasher};

use numpy::{PyArray1, PyArray3, PyArrayMethods};
use pyo3::prelude::*;
use pyo3::types::{PyString, PyTuple};
use seega_models::{action, input};
use seega_rules::{Action, ActionList, Bitboard, Position, Rules, Side};

use crate::action::parse;
use crate::argument::wrong;
use crate::rules::PyRules;

/// A position of a game by some rules: the one in which games begin.
///
/// Positions don't change: ``play`` gives another one. So they can be kept, hashed, shared by threads and handed to a search
/// without copies, and nothing that holds one is surprised; a position takes about 200 bytes.
///
/// The same side often makes several plies in a row (two placements, a chain, a blocked opponent): ask ``mover``, never
/// alternate.
///
/// Two positions are equal if rules, board, mover, phase, chain and quiet counter are. They can be pickled.
#[pyclass(name = "Position", module = "seega", frozen, eq, hash)]
pub(crate) struct PyPosition {
    pub(crate) rules: Rules,
    pub(crate) position: Position,
    /// What ended the game. A position of a game that is over has no text that could be read again, so it is pickled as
    /// the ply that led there.
    last: Option<Box<(Position, Action)>>,
}

impl PartialEq for PyPosition {
    fn eq(&self, other: &PyPosition) -> bool {
        (self.rules, self.position) == (other.rules, other.position)
    }
}

impl Hash for PyPosition {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.rules.hash(state);
        state.write_u64(self.position.hash());
    }
}

impl PyPosition {
    pub(crate) fn legal(&self) -> ActionList {
        let mut actions = ActionList::new();
        self.position.legal_actions(&self.rules, &mut actions);
        actions
    }

    /// The position after an action, and what it captures.
    fn after(&self, action: Action) -> PyResult<(Position, Bitboard)> {
        let mut position = self.position;
        let captured = position.play(&self.rules, action).map_err(wrong)?;
        Ok((position, captured))
    }
}

fn texts(squares: Bitboard) -> Vec<String> {
    squares.iter().map(|square| square.to_string()).collect()
}

#[pymethods]
impl PyPosition {
    #[new]
    #[pyo3(signature = (rules, /))]
    fn new(rules: &PyRules) -> PyPosition {
        PyPosition { rules: rules.0, position: Position::start(&rules.0), last: None }
    }

    /// Reads a position's text, such as ``"bwwbw/bwbwb/bw1bb/wbwww/wwbbb w m - 0"``: board, mover, phase, chain and quiet
    /// counter (docs/rules.md). Games that are over have no such text.
    ///
    /// Raises:
    ///     ValueError: if the text is no position of a game that goes on by these rules; the message says why.
    #[staticmethod]
    #[pyo3(signature = (text, rules, /))]
    fn from_text(text: &str, rules: &PyRules) -> PyResult<PyPosition> {
        let position = Position::from_text(text, &rules.0).map_err(wrong)?;
        Ok(PyPosition { rules: rules.0, position, last: None })
    }

    /// The rules.
    #[getter]
    fn rules(&self) -> PyRules {
        PyRules(self.rules)
    }

    /// The five fields as text. ``from_text`` reads it, unless the game is over.
    #[getter]
    fn text(&self) -> String {
        self.position.to_string()
    }

    /// The side that makes the next ply: ``"w"`` or ``"b"``. Once the game is over: after a win by capture the side that
    /// captured, else the side whose turn would have begun.
    #[getter]
    fn mover(&self) -> char {
        self.position.mover().letter()
    }

    /// How the game ended: None while it goes on, else ``(winner, reason)``. The winner is ``"w"``, ``"b"`` or, for a draw,
    /// None; the reason ``"stones"``, ``"blocked"``, ``"quiet"`` or ``"count"``.
    #[getter]
    fn outcome(&self) -> Option<(Option<char>, &'static str)> {
        self.position.outcome().map(|outcome| (outcome.winner.map(Side::letter), outcome.reason.name()))
    }

    /// Whether stones are still being placed.
    #[getter]
    fn is_placement(&self) -> bool {
        self.position.is_placement()
    }

    /// The chain that is running in this turn: None, or the square of the stone that captured last, and how many capturing
    /// steps were made, such as ``("c3", 1)``.
    #[getter]
    fn chain(&self) -> Option<(String, u8)> {
        self.position.chain().map(|chain| (chain.square.to_string(), chain.captures))
    }

    /// Turns of either side since the last capture, within movement.
    #[getter]
    fn quiet(&self) -> u32 {
        self.position.quiet()
    }

    /// The squares on which a side's stones stand, rank by rank from a1.
    ///
    /// Raises:
    ///     ValueError: if side is neither ``"w"`` nor ``"b"``.
    #[pyo3(signature = (side, /))]
    fn stones(&self, side: &str) -> PyResult<Vec<String>> {
        let mut letters = side.chars();
        match (letters.next().and_then(Side::from_letter), letters.next()) {
            (Some(side), None) => Ok(texts(self.position.stones(side))),
            _ => Err(wrong("a side is 'w' or 'b'")),
        }
    }

    /// The legal actions, in an order that only depends on the position; none once the game is over. An action is one ply:
    /// a placement ``"c2"``, a step or jump ``"d4-c3"``, or ``"stop"``, which ends a chain.
    fn legal_actions(&self) -> Vec<String> {
        self.legal().iter().map(Action::to_string).collect()
    }

    /// The position after an action. This one stays as it is.
    ///
    /// Raises:
    ///     ValueError: if the action is not legal; the message says why.
    #[pyo3(signature = (action, /))]
    fn play(&self, action: &str) -> PyResult<PyPosition> {
        let action = parse(action)?;
        let (position, _) = self.after(action)?;
        let last = position.outcome().map(|_| Box::new((self.position, action)));
        Ok(PyPosition { rules: self.rules, position, last })
    }

    /// The squares from which an action would take stones, rank by rank from a1.
    ///
    /// Raises:
    ///     ValueError: if the action is not legal; the message says why.
    #[pyo3(signature = (action, /))]
    fn captures(&self, action: &str) -> PyResult<Vec<String>> {
        Ok(texts(self.after(parse(action)?)?.1))
    }

    /// Which places of the policy belong to legal actions: bool, shape ``[action_count(size)]``.
    fn legal_mask<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<bool>> {
        let size = self.position.size();
        let mut mask = vec![false; action::policy_len(size)];
        for place in self.legal().iter().filter_map(|&legal| action::index(size, legal)) {
            mask[place] = true;
        }
        PyArray1::from_vec(py, mask)
    }

    /// A network's first input, the board as the mover sees it: float32, each 0 or 1, shape ``[5, size, size]``. The planes
    /// are the mover's stones, the opponent's, the centre, the chain's stone, and the board; in each ``[0, 0]`` is a1 and
    /// ``[0, 1]`` b1 (models/FORMAT.md).
    fn planes<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray3<f32>>> {
        let side = usize::from(self.position.size().side());
        let mut planes = Vec::new();
        input::encode_planes(&self.position, &mut planes);
        PyArray1::from_vec(py, planes).reshape([input::PLANES, side, side])
    }

    /// A network's second input, what the planes don't tell of the position, and the rules: float32, each from 0 to 1, shape
    /// ``[27]`` (models/FORMAT.md has the table).
    fn scalars<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<f32>> {
        let mut scalars = Vec::new();
        input::encode_scalars(&self.rules, &self.position, &mut scalars);
        PyArray1::from_vec(py, scalars)
    }

    fn __str__(&self) -> String {
        self.text()
    }

    fn __repr__(&self) -> String {
        let over = self.position.outcome().map(|outcome| format!(", {outcome}")).unwrap_or_default();
        format!("<Position {}: {}{over}>", PyRules(self.rules).spelling(), self.position)
    }

    fn __copy__(slf: Py<PyPosition>) -> Py<PyPosition> {
        slf
    }

    #[pyo3(signature = (_memo, /))]
    fn __deepcopy__(slf: Py<PyPosition>, _memo: &Bound<'_, PyAny>) -> Py<PyPosition> {
        slf
    }

    fn __reduce__<'py>(slf: &Bound<'py, PyPosition>) -> PyResult<(Bound<'py, PyAny>, Bound<'py, PyTuple>)> {
        let (py, this) = (slf.py(), slf.get());
        Ok(match this.last.as_deref() {
            None => {
                let arguments = (PyString::new(py, &this.text()), this.rules());
                (slf.get_type().getattr("from_text")?, arguments.into_pyobject(py)?)
            }
            Some(&(position, action)) => {
                let before = PyPosition { rules: this.rules, position, last: None };
                (slf.get_type().getattr("play")?, (before, action.to_string()).into_pyobject(py)?)
            }
        })
    }
}
