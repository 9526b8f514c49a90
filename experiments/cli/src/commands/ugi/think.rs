//! Searching while commands are read.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::SyncSender;
use std::thread::{self, Scope, ScopedJoinHandle};
use std::time::Duration;

use rand::SeedableRng;
use rand::rngs::SmallRng;
use seega_players::analysis::{AnalysedAction, Analysis, Effort};
use seega_players::{MOST_SIMULATIONS, PlayerError};
use seega_rules::{Action, Position, Rules, Side};
use seega_search::Chances;
use seega_search::baseline::{AlphaBeta, Baseline, Limit};

use super::engine::{DEPTH, Engine, Mind};
use super::{Heard, Out};

/// A search that goes on.
pub(super) struct Thinking<'scope> {
    /// Whether only a stop ends it.
    pub(super) is_endless: bool,
    /// Whether it is for a number of nodes.
    pub(super) is_counted: bool,
    stop: Arc<AtomicBool>,
    over: Arc<AtomicBool>,
    /// Gives back who thought.
    searches: ScopedJoinHandle<'scope, Mind>,
}

impl Thinking<'_> {
    /// Ends it soon; what it found so far is its answer.
    pub(super) fn stop(&self) {
        self.stop.store(true, Ordering::Relaxed);
    }

    /// Whether it has answered.
    pub(super) fn is_over(&self) -> bool {
        self.over.load(Ordering::Acquire)
    }

    /// Waits until it is over. A search that broke down takes its network with it; the next command makes another.
    pub(super) fn join(self) -> Option<Mind> {
        self.searches.join().ok()
    }
}

/// Begins what `go` asks for; `None` where it is answered at once. Whatever is asked, there is an answer, for that is
/// waited for.
pub(super) fn begin<'scope>(
    scope: &'scope Scope<'scope, '_>,
    engine: &mut Engine,
    words: &str,
    out: &'scope Out,
    tell: &SyncSender<Heard>,
) -> Option<Thinking<'scope>> {
    let nothing = |why: &str| {
        out.say(why);
        out.line("bestmove 0000");
        None
    };
    let Some(position) = engine.position else { return nothing("error: there is no position") };
    if position.outcome().is_some() {
        return nothing("the game is over");
    }
    let (effort, unknown) = effort(words, position.mover(), engine.options.simulations);
    for word in unknown {
        out.say(&format!("go does not know {:?}", word.chars().take(40).collect::<String>()));
    }
    out.tell(engine.make_ready().map_err(|error| format!("{error:#}")));
    let Some(mut mind) = engine.mind.take() else { return nothing("error: nobody is there to think") };
    let rules = engine.rules;
    let (lines, resign_below) = (engine.options.lines, engine.options.resign_below);
    let (stop, is_endless) = (Arc::new(AtomicBool::new(false)), effort == Effort::Endless);
    let over = Arc::new(AtomicBool::new(false));
    let stopped = Arc::clone(&stop);
    let end = End { over: Arc::clone(&over), tell: tell.clone() };
    let searches = scope.spawn(move || {
        // Told however it ends, for whoever listens may wait for nothing else.
        let _end = end;
        let wait = || {
            while is_endless && !stopped.load(Ordering::Relaxed) && !out.is_closed() {
                thread::sleep(Duration::from_millis(5));
            }
        };
        match &mut mind {
            Mind::Network(analyst) => {
                let told = |analysis: &Analysis| {
                    self::tell(out, analysis, lines);
                    if out.is_closed() {
                        stopped.store(true, Ordering::Relaxed);
                    }
                };
                let found = analyst.analyse(&rules, &position, effort, &stopped, told);
                wait();
                answer(out, found, lines, resign_below);
            }
            Mind::AlphaBeta => {
                let best = alphabeta(&rules, &position, effort, &stopped);
                wait();
                out.line(&format!("bestmove {best}"));
            }
        }
        mind
    });
    Some(Thinking { is_endless, is_counted: matches!(effort, Effort::Simulations(_)), stop, over, searches })
}

/// Tells that a search is over.
struct End {
    over: Arc<AtomicBool>,
    tell: SyncSender<Heard>,
}

impl Drop for End {
    fn drop(&mut self) {
        self.over.store(true, Ordering::Release);
        // Where there is no room something else waits to be heard, and after each that flag is looked at.
        let _ = self.tell.try_send(Heard::Thought);
    }
}

fn alphabeta(rules: &Rules, position: &Position, effort: Effort, stop: &Arc<AtomicBool>) -> Action {
    let limit = match effort {
        Effort::Time(time) => Limit::Seconds(time.as_secs_f32()),
        // A number of nodes tells nothing about depth; and deeper for ever finds little more.
        Effort::Simulations(_) | Effort::Endless => Limit::Work(DEPTH),
    };
    // The same answer to the same question.
    let mut random = SmallRng::seed_from_u64(position.hash());
    AlphaBeta::new(limit).stopped_by(Arc::clone(stop)).choose(rules, position, &mut random)
}

fn answer(out: &Out, found: Result<Analysis, PlayerError>, lines: usize, resign_below: u32) {
    match found {
        Ok(analysis) => {
            tell(out, &analysis, lines);
            let Chances { win, draw, .. } = analysis.chances;
            if 100.0 * (win + 0.5 * draw) < resign_below as f32 {
                out.line("bestmove resign");
            } else if let Some(best) = analysis.actions.first() {
                out.line(&format!("bestmove {}", best.action));
            }
        }
        Err(error) => {
            out.say(&format!("error: {error}"));
            out.line("bestmove 0000");
        }
    }
}

/// Writes an `info` line for each of the best actions.
fn tell(out: &Out, analysis: &Analysis, lines: usize) {
    let time = analysis.time.as_millis();
    let rate = f64::from(analysis.simulations) / analysis.time.as_secs_f64().max(1e-6);
    let searched = |action: &&AnalysedAction| action.chances.is_some();
    for (index, action) in analysis.actions.iter().filter(searched).take(lines).enumerate() {
        let Some(chances) = action.chances else { continue };
        let [win, draw, loss] = per_mille(chances);
        let line: Vec<String> = action.line.iter().map(Action::to_string).collect();
        out.line(&format!(
            "info multipv {} nodes {} nps {rate:.0} time {time} score cp {:.0} wdl {win} {draw} {loss} pv {}",
            index + 1,
            analysis.simulations,
            100.0 * chances.value().0,
            line.join(" ")
        ));
    }
}

/// Chances in thousandths that sum to 1000.
fn per_mille(chances: Chances) -> [i32; 3] {
    let [win, loss] = [chances.win, chances.loss].map(|chance| (1000.0 * chance).round() as i32);
    [win, 1000 - win - loss, loss]
}

/// What the words after `go` ask for, and those that it does not know.
fn effort(words: &str, mover: Side, simulations: u32) -> (Effort, Vec<&str>) {
    /// A clock's time is taken for so many plies, for a turn may take several.
    const PLIES: f64 = 30.0;
    const LEAST: f64 = 0.005;
    let (mut effort, mut unknown) = (Effort::Simulations(simulations), Vec::new());
    let (mut clock, mut increment) = (None, 0.0);
    let mut words = words.split_whitespace().peekable();
    let (own_time, own_increment) = match mover {
        Side::White => ("p1time", "p1inc"),
        Side::Black => ("p2time", "p2inc"),
    };
    while let Some(word) = words.next() {
        if word == "infinite" {
            effort = Effort::Endless;
            continue;
        }
        let known = ["nodes", "movetime", "depth", "p1time", "p2time", "p1inc", "p2inc"].contains(&word);
        let Some(number) = words.next_if(|next| number(next).is_some()).and_then(number).filter(|_| known) else {
            unknown.push(word);
            continue;
        };
        let seconds = number.clamp(0.0, 86_400_000.0) / 1000.0;
        match word {
            "nodes" => effort = Effort::Simulations(number.clamp(1.0, f64::from(MOST_SIMULATIONS)) as u32),
            "movetime" => effort = Effort::Time(Duration::from_secs_f64(seconds.max(LEAST))),
            word if word == own_time => clock = Some(seconds),
            word if word == own_increment => increment = seconds,
            // The other side's clock; and a depth, which a search of this kind does not have.
            _ => {}
        }
    }
    if let Some(clock) = clock {
        let seconds = (clock / PLIES + 0.8 * increment).min(0.5 * clock);
        effort = Effort::Time(Duration::from_secs_f64(seconds.max(LEAST)));
    }
    (effort, unknown)
}

/// A whole number, however large; clocks may run below nothing.
fn number(word: &str) -> Option<f64> {
    let digits = word.strip_prefix('-').unwrap_or(word);
    let is_number = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
    word.parse().ok().filter(|_| is_number)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn go_tells_how_long() {
        let white = |words| effort(words, Side::White, 400);
        let time = |millis| (Effort::Time(Duration::from_millis(millis)), vec![]);
        assert_eq!(white(""), (Effort::Simulations(400), vec![]));
        assert_eq!(white("nodes 64"), (Effort::Simulations(64), vec![]));
        assert_eq!(white("movetime 100"), time(100));
        assert_eq!(white("infinite"), (Effort::Endless, vec![]));
        assert_eq!(white("p1time 60000 p2time 1000 p1inc 1000 p2inc 0"), time(2800));
        assert_eq!(effort("p1time 60000 p2time 3000", Side::Black, 400), time(100));
        assert_eq!(white("p1time -50"), time(5));
        // What it does not know is passed over, with its number; what is too much is as much as there is.
        assert_eq!(white("nodes 99999999999999999999"), (Effort::Simulations(1_000_000), vec![]));
        assert_eq!(white("mate 3 nodes 8"), (Effort::Simulations(8), vec!["mate"]));
        assert_eq!(
            white("nodes many movetime 1e3"),
            (Effort::Simulations(400), vec!["nodes", "many", "movetime", "1e3"])
        );
    }

    #[test]
    fn thousandths_sum_to_a_thousand() {
        let told = per_mille(Chances { win: 0.3335, draw: 0.333, loss: 0.3335 });
        assert_eq!(told.iter().sum::<i32>(), 1000);
    }
}
