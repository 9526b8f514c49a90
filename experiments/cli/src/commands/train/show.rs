//! How a run goes on, as people see it: a line that is drawn over on a terminal, one for each generation, and where the
//! time went.

use std::fmt;
use std::io::{IsTerminal, Write};
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use indicatif::{HumanDuration, ProgressBar, ProgressStyle};
use seega_train::{GenerationReport, Observer, Phase, Rung};

/// How often the line is drawn over.
const TICK: Duration = Duration::from_millis(250);

/// Shows how a run goes on.
pub(super) struct Show {
    bar: ProgressBar,
    generations: u32,
    clock: Mutex<Clock>,
}

/// Where the time goes.
struct Clock {
    times: Times,
    /// The part of the times that grows now, and since when.
    running: Option<(usize, Instant)>,
    /// When the generation in the making began.
    generation_began: Instant,
    /// The generations made since the start, and their seconds.
    made: (u32, f64),
    /// When the last generation will be made, if they go on as they did.
    expected_end: Option<Instant>,
    /// The loss of the last generation, all parts together.
    loss: Option<f64>,
}

/// The wall time of a run since it was started, by what it went to.
pub(super) struct Times {
    shares: [Duration; NAMES.len()],
    /// Evaluations of self-play.
    evaluations: u64,
}

/// What time goes to, as [`Times`] counts it.
const NAMES: [&str; 5] = ["self-play", "waiting", "training", "writing", "ladder"];
const SELF_PLAY: usize = 0;
/// Workers of self-play for the last of them.
const WAITING: usize = 1;
const TRAINING: usize = 2;
const WRITING: usize = 3;
const LADDER: usize = 4;

impl Times {
    /// Evaluations in a second of self-play, if there was any.
    pub(super) fn evaluations_per_s(&self) -> Option<f64> {
        (self.evaluations > 0).then(|| self.evaluations as f64 / self.shares[SELF_PLAY].as_secs_f64())
    }
}

impl Show {
    /// For a run of that many generations.
    pub(super) fn new(generations: u32) -> Show {
        let bar = if std::io::stderr().is_terminal() { ProgressBar::new_spinner() } else { ProgressBar::hidden() };
        bar.enable_steady_tick(TICK);
        let clock = Clock {
            times: Times { shares: [Duration::ZERO; NAMES.len()], evaluations: 0 },
            running: None,
            generation_began: Instant::now(),
            made: (0, 0.0),
            expected_end: None,
            loss: None,
        };
        Show { bar, generations, clock: Mutex::new(clock) }
    }

    fn clock(&self) -> MutexGuard<'_, Clock> {
        self.clock.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Prints above the line. Whoever read the output may have left; that is no reason to stop training.
    pub(super) fn print(&self, text: &str) {
        self.bar.suspend(|| {
            let mut output = std::io::stdout().lock();
            let _ = output.write_all(text.as_bytes()).and_then(|()| output.flush());
        });
    }

    /// Ends the show and tells where the time went.
    pub(super) fn end(self) -> Times {
        self.bar.finish_and_clear();
        self.clock().switch(None);
        self.clock.into_inner().unwrap_or_else(PoisonError::into_inner).times
    }
}

impl Clock {
    /// Ends the phase that runs, and begins another.
    fn switch(&mut self, next: Option<usize>) {
        if let Some((phase, since)) = self.running {
            self.times.shares[phase] += since.elapsed();
        }
        self.running = next.map(|phase| (phase, Instant::now()));
    }
}

/// What the line says while a phase lasts, besides its name.
fn describe(phase: &Phase, since: Instant) -> String {
    let seconds = since.elapsed().as_secs_f64().max(1e-3);
    let read = |counter: &AtomicU64| counter.load(Ordering::Relaxed);
    let percent = |done: u64, total: u64| (100 * done / total.max(1)).min(100);
    match phase {
        Phase::SelfPlay { plies, games, progress } => {
            let (evaluations, batches) = (read(&progress.evaluations), read(&progress.batches));
            let fill = evaluations as f64 / (batches * *games as u64).max(1) as f64;
            format!(
                "self-play {} %, {:.1} games/s, {:.0} evaluations/s, batches {:.0} % full",
                percent(read(&progress.plies), *plies),
                read(&progress.games) as f64 / seconds,
                evaluations as f64 / seconds,
                100.0 * fill
            )
        }
        Phase::Training { steps, done } => {
            let done = read(done);
            format!("training {} %, {:.0} steps/s", percent(done, *steps), done as f64 / seconds)
        }
        Phase::Writing => "writing".to_owned(),
        Phase::Ladder { games, done } => {
            let done = read(done);
            format!("ladder {done} of {games} games, {:.1} games/s", done as f64 / seconds)
        }
    }
}

impl Observer for Show {
    fn phase(&self, generation: u32, phase: Phase) {
        let mut clock = self.clock();
        clock.switch(Some(match phase {
            Phase::SelfPlay { .. } => SELF_PLAY,
            Phase::Training { .. } => TRAINING,
            Phase::Writing => WRITING,
            Phase::Ladder { .. } => LADDER,
        }));
        if matches!(phase, Phase::SelfPlay { .. }) {
            clock.generation_began = Instant::now();
        }
        let (generations, since, expected_end) = (self.generations, Instant::now(), clock.expected_end);
        let loss = clock.loss.map_or(String::new(), |loss| format!(", loss {loss:.3}"));
        drop(clock);
        let line = move |_: &indicatif::ProgressState, line: &mut dyn fmt::Write| {
            let left = expected_end.filter(|_| !matches!(phase, Phase::Ladder { .. })).map_or(String::new(), |end| {
                let left = end.saturating_duration_since(Instant::now());
                format!(", {} left before the ladder", HumanDuration(left))
            });
            let _ = write!(line, "generation {generation} of {generations}: {}{loss}{left}", describe(&phase, since));
        };
        if let Ok(style) = ProgressStyle::with_template("{spinner} {line}") {
            self.bar.set_style(style.with_key("line", line));
        }
    }

    fn warn(&self, warning: &str) {
        self.bar.suspend(|| {
            let _ = writeln!(std::io::stderr(), "warning: {warning}");
        });
    }

    fn played(&self, evaluations: u64, waited: Duration) {
        let mut clock = self.clock();
        clock.switch(Some(WRITING));
        let shares = &mut clock.times.shares;
        let waited = waited.min(shares[SELF_PLAY]);
        shares[SELF_PLAY] -= waited;
        shares[WAITING] += waited;
        clock.times.evaluations += evaluations;
    }

    fn finished(&self, report: &GenerationReport) -> ControlFlow<()> {
        let mut clock = self.clock();
        clock.switch(None);
        let seconds = clock.generation_began.elapsed().as_secs_f64();
        clock.made = (clock.made.0 + 1, clock.made.1 + seconds);
        clock.loss = Some(report.losses.iter().map(|(_, loss)| loss).sum());
        let left = self.generations.saturating_sub(report.generation);
        let expected = clock.made.1 / f64::from(clock.made.0) * f64::from(left);
        clock.expected_end = Some(Instant::now() + Duration::from_secs_f64(expected));
        drop(clock);
        let losses: Vec<String> = report.losses.iter().map(|(name, loss)| format!("{name} {loss:.3}")).collect();
        let learnt =
            if report.window == 0 { "no game has ended yet, nothing to learn".to_owned() } else { losses.join(", ") };
        let line = format!(
            "generation {}: {} games ({} white, {} drawn, {} black) of {:.0} plies, {} positions, {} evaluations, fill {:.2}; {learnt}; {seconds:.0} s",
            report.generation,
            report.games,
            report.white,
            report.draws,
            report.black,
            report.plies_per_game,
            report.positions,
            report.evaluations,
            report.batch_fill
        );
        self.print(&format!("{line}\n"));
        ControlFlow::Continue(())
    }

    fn measured(&self, rungs: &[Rung]) {
        self.clock().switch(None);
        let mut text = String::new();
        for rung in rungs {
            let row = &rung.row;
            text += &format!(
                "  {:<10} {:<14} from {:<11} {:>4} games  {:>5.1} %  ({:.1} to {:.1})\n",
                rung.rules,
                row.opponent,
                row.start,
                row.games,
                100.0 * row.score,
                100.0 * row.low,
                100.0 * row.high
            );
        }
        let generation = rungs.first().map_or(0, |rung| rung.generation);
        self.print(&format!("ladder of generation {generation}, score with 95 % interval:\n{text}"));
    }
}

impl fmt::Display for Times {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let total: Duration = self.shares.iter().sum();
        if total.is_zero() {
            return Ok(());
        }
        writeln!(f, "Time since the start of this command:")?;
        for (name, time) in NAMES.iter().zip(self.shares) {
            let share = 100.0 * time.as_secs_f64() / total.as_secs_f64();
            writeln!(f, "  {name:<10} {:>7.1} s  {share:>5.1} %", time.as_secs_f64())?;
        }
        Ok(())
    }
}
