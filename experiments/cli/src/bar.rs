//! What moves on a terminal while work lasts; elsewhere (in a log) a plain line now and then.

use std::io::{self, IsTerminal, Write};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle, TermLike};

/// How often a line is drawn over.
const TICK: Duration = Duration::from_millis(250);

/// How often a plain line is written.
const PLAIN: Duration = Duration::from_secs(60);

/// A bar of so many games.
#[cfg(feature = "torch")]
pub fn games(games: u64) -> ProgressBar {
    styled(ProgressBar::new(games), "{pos} of {len} games, {per_sec}, {eta} left", " {wide_bar}")
}

/// A bar of so many positions.
pub fn positions(positions: u64) -> ProgressBar {
    styled(ProgressBar::new(positions), "{pos} of {len} positions, {eta} left", " {wide_bar}")
}

/// A line with a message, and the time that has gone by.
pub fn line() -> ProgressBar {
    let bar = styled(ProgressBar::new_spinner(), "{msg}, {elapsed}", " {spinner}");
    bar.enable_steady_tick(TICK);
    bar
}

/// Words, and after them what moves.
fn styled(bar: ProgressBar, words: &str, moving: &str) -> ProgressBar {
    let template = if io::stderr().is_terminal() {
        format!("{words}{moving}")
    } else {
        bar.set_draw_target(ProgressDrawTarget::term_like(Box::new(PlainLines::new(io::stderr(), PLAIN))));
        words.to_owned()
    };
    match ProgressStyle::with_template(&template) {
        Ok(style) => bar.with_style(style),
        Err(_) => bar,
    }
}

/// Takes what a bar draws for a terminal, and writes the newest of it as a line whenever some time has passed. Short work
/// leaves no line.
#[derive(Debug)]
struct PlainLines<W> {
    every: Duration,
    state: Mutex<(W, String, Instant)>,
}

impl<W: Write> PlainLines<W> {
    fn new(output: W, every: Duration) -> PlainLines<W> {
        PlainLines { every, state: Mutex::new((output, String::new(), Instant::now())) }
    }

    fn add(&self, text: &str) {
        self.state.lock().unwrap_or_else(PoisonError::into_inner).1.push_str(text);
    }
}

impl<W: Write + std::fmt::Debug + Send> TermLike for PlainLines<W> {
    fn width(&self) -> u16 {
        200
    }

    fn move_cursor_up(&self, _: usize) -> io::Result<()> {
        Ok(())
    }

    fn move_cursor_down(&self, _: usize) -> io::Result<()> {
        Ok(())
    }

    fn move_cursor_right(&self, _: usize) -> io::Result<()> {
        Ok(())
    }

    fn move_cursor_left(&self, _: usize) -> io::Result<()> {
        Ok(())
    }

    fn write_line(&self, text: &str) -> io::Result<()> {
        self.add(text);
        self.add("\n");
        Ok(())
    }

    fn write_str(&self, text: &str) -> io::Result<()> {
        self.add(text);
        Ok(())
    }

    fn clear_line(&self) -> io::Result<()> {
        Ok(())
    }

    fn flush(&self) -> io::Result<()> {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        let (output, drawn, last) = &mut *state;
        let text = std::mem::take(drawn);
        if last.elapsed() >= self.every && !text.trim().is_empty() {
            *last = Instant::now();
            writeln!(output, "{}", text.trim())?;
            output.flush()?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What is written of a bar that counts to three.
    fn written(every: Duration) -> String {
        /// A place that outlives what writes to it.
        #[derive(Clone, Debug, Default)]
        struct Shared(std::sync::Arc<Mutex<Vec<u8>>>);

        impl Write for Shared {
            fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
                self.0.lock().unwrap().write(bytes)
            }

            fn flush(&mut self) -> io::Result<()> {
                Ok(())
            }
        }

        let output = Shared::default();
        let bar = ProgressBar::new(3).with_style(ProgressStyle::with_template("{pos} of {len} games").unwrap());
        bar.set_draw_target(ProgressDrawTarget::term_like(Box::new(PlainLines::new(output.clone(), every))));
        for _ in 0..3 {
            bar.inc(1);
            bar.tick();
        }
        bar.finish_and_clear();
        let bytes = output.0.lock().unwrap().clone();
        String::from_utf8(bytes).unwrap()
    }

    #[test]
    fn a_log_gets_plain_lines_and_not_too_many() {
        let told = written(Duration::ZERO);
        assert!(told.lines().count() >= 3 && told.ends_with("3 of 3 games\n"), "{told:?}");
        assert!(told.lines().all(|line| line.ends_with(" of 3 games")), "{told:?}");
        assert_eq!(written(Duration::from_secs(60)), "");
    }
}
