//! Ctrl-C: long work looks at a flag and ends with what it has.

use std::process;
use std::sync::atomic::{AtomicBool, Ordering};

use anyhow::Context;

/// How a program ends that Ctrl-C ended: 128 and the number of the signal.
pub const INTERRUPTED: u8 = 130;

static STOP: AtomicBool = AtomicBool::new(false);

/// Whether Ctrl-C was caught.
pub fn happened() -> bool {
    STOP.load(Ordering::Relaxed)
}

/// The flag that Ctrl-C sets from now on. The second one ends the program at once.
pub fn flag() -> anyhow::Result<&'static AtomicBool> {
    ctrlc::set_handler(|| {
        if STOP.swap(true, Ordering::Relaxed) {
            process::exit(INTERRUPTED.into());
        }
    })
    .context("Ctrl-C can't be caught")?;
    Ok(&STOP)
}
