//! Rules for Python. What the fields mean is left to `docs/rules.md`.

use pyo3::prelude::*;
use pyo3::types::{PyDict, PyString, PyType};
use seega_rules::{Field, FieldValue, Rules, preset};

use crate::argument::wrong;

/// The rules of one game: a preset, on another board if one is named, with some fields replaced:
/// ``"siga"``, ``"siga/7"``, ``"siga/7:chain=none,quiet_limit=30"``.
///
/// Rules don't change. Two are equal exactly if they are the same game, whatever they are called; they can be hashed and
/// pickled, and ``str(rules)`` is a spelling.
///
/// Raises:
///     ValueError: for an unknown preset, size, field or value; the message says what there is.
#[pyclass(name = "Rules", module = "seega", frozen, eq, hash)]
#[derive(PartialEq, Eq, Hash)]
pub(crate) struct PyRules(pub(crate) Rules);

impl PyRules {
    /// The rules as `Rules(…)` takes them.
    pub(crate) fn spelling(&self) -> String {
        preset::spell(&self.0)
    }
}

#[pymethods]
impl PyRules {
    #[new]
    #[pyo3(signature = (spelling, /))]
    fn new(spelling: &str) -> PyResult<PyRules> {
        preset::parse(spelling).map(PyRules).map_err(wrong)
    }

    /// Reads the text of a rules file: TOML with all fields, or with ``base = "siga"`` those that differ from a preset.
    ///
    /// Raises:
    ///     ValueError: with everything that is wrong, by line.
    #[staticmethod]
    #[pyo3(signature = (text, /))]
    fn from_toml(text: &str) -> PyResult<PyRules> {
        Rules::from_toml(text).map(PyRules).map_err(wrong)
    }

    /// The names of the presets: a list of str.
    #[staticmethod]
    fn presets() -> Vec<&'static str> {
        preset::ALL.iter().map(|preset| preset.name).collect()
    }

    /// The rules as the text of a rules file, all fields, one a line.
    fn to_toml(&self) -> String {
        self.0.to_toml()
    }

    /// Squares along a side of the board: 5, 7 or 9.
    #[getter]
    fn size(&self) -> u8 {
        self.0.size.side()
    }

    /// All fifteen fields by name, as game records have them: a new dict of bool, int, str and, for a ``chain_limit`` that
    /// there is not, None.
    #[getter]
    fn fields<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let fields = PyDict::new(py);
        for field in Field::ALL {
            match field.get(&self.0) {
                FieldValue::Bool(truth) => fields.set_item(field.name(), truth)?,
                FieldValue::Integer(number) => fields.set_item(field.name(), number)?,
                FieldValue::Text(text) => fields.set_item(field.name(), text)?,
                FieldValue::Null => fields.set_item(field.name(), py.None())?,
            }
        }
        Ok(fields)
    }

    fn __str__(&self) -> String {
        self.spelling()
    }

    fn __repr__(&self) -> String {
        format!("Rules('{}')", self.spelling())
    }

    fn __reduce__<'py>(slf: &Bound<'py, PyRules>) -> (Bound<'py, PyType>, (Bound<'py, PyString>,)) {
        (slf.get_type(), (PyString::new(slf.py(), &slf.get().spelling()),))
    }
}
