//! What moves on a terminal while work lasts, and is not there elsewhere.

use std::io::IsTerminal;
use std::time::Duration;

use indicatif::{ProgressBar, ProgressStyle};

/// How often a line is drawn over.
const TICK: Duration = Duration::from_millis(250);

/// A bar of so many games.
#[cfg(feature = "torch")]
pub fn games(games: u64) -> ProgressBar {
    styled(ProgressBar::new(games), "{pos} of {len} games, {per_sec}, {eta} left {wide_bar}")
}

/// A bar of so many positions.
pub fn positions(positions: u64) -> ProgressBar {
    styled(ProgressBar::new(positions), "{pos} of {len} positions, {eta} left {wide_bar}")
}

/// A line with a message, and the time that has gone by.
pub fn line() -> ProgressBar {
    let bar = styled(ProgressBar::new_spinner(), "{spinner} {msg}, {elapsed}");
    bar.enable_steady_tick(TICK);
    bar
}

fn styled(bar: ProgressBar, template: &str) -> ProgressBar {
    if !std::io::stderr().is_terminal() {
        return ProgressBar::hidden();
    }
    match ProgressStyle::with_template(template) {
        Ok(style) => bar.with_style(style),
        Err(_) => bar,
    }
}
