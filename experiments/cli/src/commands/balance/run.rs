//! `seega balance run`: trains and plays what is missing of a study, and writes its report.

use std::io::Write;
use std::path::PathBuf;

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
    let stop = interrupt::flag()?;
    let bar = bar::line();
    let done = run_study(&study, &folder, &Lines { bar: &bar, games: study.games.into(), alpha: study.alpha }, stop);
    bar.finish_and_clear();
    done?;
    let analysis = analyse(&study, &folder)?;
    let page = report::write(&folder, &analysis, &command(arguments))?;
    write!(output, "{}\nReport: {}\n", report::summary(&analysis), page.display())?;
    Ok(())
}

/// What makes the study again.
fn command(arguments: &Arguments) -> String {
    let dir = arguments.dir.as_ref().map(|dir| format!(" --dir {}", dir.display())).unwrap_or_default();
    format!("seega balance run {}{dir}", arguments.study.display())
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
