//! `seega exact build`: makes the tables.

use std::io::Write;
use std::time::Instant;

use indicatif::ProgressBar;
use seega_exact::{Built, Class, ExactError, Progress, Step, Summary, build, bytes, fewest_stones, plan};

use super::Place;
use crate::bar;
use crate::interrupt;

/// Builds the tables of every class with up to so many stones in all. Stopped or killed it goes on with the class that it
/// was at.
#[derive(Debug, clap::Args)]
pub struct Arguments {
    #[command(flatten)]
    place: Place,

    /// The most stones of both sides together.
    #[arg(long, value_parser = clap::value_parser!(u8).range(2..=80))]
    stones: u8,

    /// The memory that may be taken, such as 800M or 4G.
    #[arg(long, value_name = "BYTES", default_value = "4G", value_parser = parse_bytes)]
    memory: u64,
}

fn parse_bytes(text: &str) -> Result<u64, String> {
    let wrong = || "bytes are a number with K, M or G behind it, such as 4G".to_owned();
    let (number, unit) = match text.char_indices().last() {
        Some((at, 'K')) => (&text[..at], 1 << 10),
        Some((at, 'M')) => (&text[..at], 1 << 20),
        Some((at, 'G')) => (&text[..at], 1u64 << 30),
        _ => return Err(wrong()),
    };
    let number: f64 = number.parse().map_err(|_| wrong())?;
    if number > 0.0 && number <= 1e6 { Ok((number * unit as f64) as u64) } else { Err(wrong()) }
}

/// Builds and tells what was made.
pub fn run(arguments: &Arguments, output: &mut impl Write) -> anyhow::Result<()> {
    let rules = arguments.place.rules.rules()?;
    let folder = arguments.place.folder();
    let steps = plan(&rules, arguments.stones);
    let boards = steps.iter().map(|step| step.boards).fold(0, u64::saturating_add);
    let memory = steps.iter().map(|step| step.memory).max().unwrap_or(0);
    if steps.is_empty() {
        let fewest = fewest_stones(&rules);
        return Err(ExactError::TooFew { stones: arguments.stones, fewest }.into());
    }
    writeln!(
        output,
        "{} classes, {boards} boards, one of each eight that are symmetric; at most {} of memory",
        classes(&steps),
        bytes(memory)
    )?;
    output.flush()?;
    let bar = bar::line();
    let start = Instant::now();
    let mut show = Show { bar, output, written: Ok(()), positions: 0, bytes: 0 };
    let built = build(&rules, arguments.stones, &folder, arguments.memory, &mut show, interrupt::flag()?);
    show.bar.finish_and_clear();
    let Show { written, positions, bytes: in_files, .. } = show;
    built?;
    written?;
    let seconds = start.elapsed().as_secs_f64();
    if positions > 0 {
        let (each, size) = (1e9 * seconds / positions as f64, in_files as f64 / positions as f64);
        writeln!(
            output,
            "{positions} positions in {seconds:.1} s: {each:.0} ns and {size:.3} bytes each, {} in all",
            bytes(in_files)
        )?;
    }
    writeln!(output, "Tables: {}", folder.display())?;
    Ok(())
}

fn classes(steps: &[Step]) -> usize {
    steps.iter().map(|step| if step.class.mover == step.class.opponent { 1 } else { 2 }).sum()
}

struct Show<'a, W> {
    bar: ProgressBar,
    output: &'a mut W,
    /// Whether everything that was to be told was told.
    written: std::io::Result<()>,
    positions: u64,
    bytes: u64,
}

impl<W: Write> Show<'_, W> {
    fn print(&mut self, line: &str) {
        let (output, written) = (&mut *self.output, &mut self.written);
        self.bar.suspend(|| {
            if written.is_ok() {
                *written = writeln!(output, "{line}").and_then(|()| output.flush());
            }
        });
    }
}

fn told(class: Class, summary: &Summary) -> String {
    let Class { mover, opponent } = class;
    let Summary { positions, wins, draws, losses, longest, .. } = summary;
    format!("{mover}v{opponent}: {positions} positions, {wins} won, {draws} drawn, {losses} lost, longest {longest}")
}

impl<W: Write> Progress for Show<'_, W> {
    fn begun(&mut self, step: &Step) {
        let Class { mover, opponent } = step.class;
        self.bar.set_message(format!("{mover}v{opponent}: {} boards", step.boards));
    }

    fn built(&mut self, built: &Built) {
        self.positions += built.summary.positions + built.summary.after_skip;
        self.bytes += built.bytes;
        let seconds = built.time.as_secs_f64();
        self.print(&format!("{}; {seconds:.1} s, {}", told(built.class, &built.summary), bytes(built.bytes)));
    }

    fn known(&mut self, class: Class, summary: &Summary) {
        self.print(&format!("{}; there already", told(class, summary)));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_are_read() {
        assert_eq!(parse_bytes("4G"), Ok(4 << 30));
        assert_eq!(parse_bytes("1.5K"), Ok(1536));
        for wrong in ["", "G", "4", "-1G", "4g", "1e99G", "NaNG", "4€"] {
            assert!(parse_bytes(wrong).is_err(), "{wrong}");
        }
    }
}
