//! `seega balance run`: trains and plays what is missing of a study, and writes its report.

use std::io::Write;
use std::path::{Path, PathBuf};

use indicatif::ProgressBar;
use seega_balance::statistics::bootstrap::Results;
use seega_balance::statistics::sequence;
use seega_balance::{Cell, Folder, Watch, analyse, report, run as run_study};

use super::{read, usual_folder};
use crate::bar;
use crate::interrupt;

/// Trains the networks of a study, plays its games, and writes its report. Stopped, it goes on where it was.
#[derive(Debug, clap::Args)]
pub struct Arguments {
    /// The study, such as experiments/configs/balance/presets.toml.
    study: PathBuf,

    /// Where runs, games and report are kept; without it, runs/balance- and the study's name.
    #[arg(long, value_name = "DIR")]
    dir: Option<PathBuf>,
}

/// Trains, plays, and tells what it comes to.
pub fn run(arguments: &Arguments, output: &mut impl Write) -> anyhow::Result<()> {
    let (study, text) = read(&arguments.study)?;
    let path = arguments.dir.clone().unwrap_or_else(|| usual_folder(&arguments.study));
    let folder = Folder::begin(&path, &text)?;
    folder.keep_command(&command(arguments))?;
    let stop = interrupt::flag()?;
    let bar = bar::line();
    let done = run_study(&study, &folder, &Lines { bar: &bar, games: study.games.into(), alpha: study.alpha }, stop);
    bar.finish_and_clear();
    done?;
    let analysis = analyse(&study, &folder)?;
    let begun_by = folder.about()?.1.unwrap_or_else(|| command(arguments));
    let page = report::write(&folder, &analysis, &begun_by)?;
    write!(output, "{}\nReport: {}\n", report::summary(&analysis), page.display())?;
    Ok(())
}

/// What makes the study again.
fn command(arguments: &Arguments) -> String {
    let quoted = |path: &Path| {
        let text = path.display().to_string();
        let plain = text.chars().all(|letter| letter.is_ascii_alphanumeric() || "/._-+=:,".contains(letter));
        if plain { text } else { format!("'{}'", text.replace('\'', "'\\''")) }
    };
    let dir = arguments.dir.as_ref().map(|dir| format!(" --dir {}", quoted(dir))).unwrap_or_default();
    format!("seega balance run {}{dir}", quoted(&arguments.study))
}

/// What people see meanwhile.
struct Lines<'a> {
    bar: &'a ProgressBar,
    games: u64,
    alpha: f64,
}

impl Lines<'_> {
    /// Prints above the line. Whoever read it may have left; that is no reason to stop.
    fn print(&self, line: &str) {
        self.bar.suspend(|| {
            let _ = writeln!(std::io::stderr(), "{line}");
        });
    }
}

impl Watch for Lines<'_> {
    fn trained(&self, (number, trainings): (usize, usize), name: &str, (done, generations): (u32, u32)) {
        self.bar.set_message(format!("training {number} of {trainings}, {name}: generation {done} of {generations}"));
        if done == generations {
            self.print(&format!("training {number} of {trainings}, {name}: {generations} generations"));
        }
    }

    fn warn(&self, warning: &str) {
        self.print(&format!("warning: {warning}"));
    }

    fn played(&self, (number, cells): (usize, usize), cell: &Cell<'_>, white: Results) {
        let interval = sequence::interval(white.score(), white.games(), self.games, self.alpha);
        let pie = if cell.pie { ", with a pie" } else { "" };
        self.print(&format!(
            "games {number} of {cells}, {} with seed {} at {}{pie}: {} won by who placed first, {} drawn, {} lost; this network's \
             score lies within {:.0} to {:.0} %, whenever one looks",
            cell.variant.name,
            cell.seed,
            cell.simulations,
            white.wins,
            white.draws,
            white.losses,
            100.0 * interval.low,
            100.0 * interval.high
        ));
    }
}
