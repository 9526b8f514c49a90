//! Long calls: they leave the interpreter to other threads, hear Ctrl-C, and never let a panic through.
//!
//! A panic would be a mistake of this project's. PyO3 would raise it as `PanicException`, which `except Exception` does
//! not catch; here it becomes a `RuntimeError`.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::thread;
use std::time::Duration;

use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;

/// How often a signal is looked for.
const PATIENCE: Duration = Duration::from_millis(50);

/// Does a piece of work that takes some milliseconds at most, on this thread.
pub(crate) fn short<T: Send>(py: Python<'_>, work: impl FnOnce() -> T + Send) -> PyResult<T> {
    // What a panic leaves behind is dropped by those who own it, not looked at.
    py.detach(|| catch_unwind(AssertUnwindSafe(work))).map_err(|_| panicked())
}

/// Does work of any length on a thread of its own, and looks for signals meanwhile. A signal whose handler raises, as that
/// of Ctrl-C, sets the flag that the work is given and ends the call at once; work that can't be stopped goes on unheard.
pub(crate) fn long<T: Send + 'static>(
    py: Python<'_>,
    work: impl FnOnce(&AtomicBool) -> T + Send + 'static,
) -> PyResult<T> {
    let stop = Arc::new(AtomicBool::new(false));
    let (sender, mut receiver) = channel();
    let heard = stop.clone();
    // Whether anybody still waits for the result is of no matter.
    thread::Builder::new().name("seega".to_owned()).spawn(move || drop(sender.send(work(&heard))))?;
    loop {
        // Lent as the only one to have it: threads can't share a receiver.
        let receiver = &mut receiver;
        match py.detach(move || receiver.recv_timeout(PATIENCE)) {
            Ok(result) => return Ok(result),
            // The sender is dropped without a word when the work panics.
            Err(RecvTimeoutError::Disconnected) => return Err(panicked()),
            Err(RecvTimeoutError::Timeout) => {
                py.check_signals().inspect_err(|_| stop.store(true, Ordering::Relaxed))?
            }
        }
    }
}

fn panicked() -> PyErr {
    PyRuntimeError::new_err("the computation failed by a mistake of seega's own, told on standard error")
}
