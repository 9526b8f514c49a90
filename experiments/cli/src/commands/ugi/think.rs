//! Searching while commands are read.

use std::io::Write;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{Scope, ScopedJoinHandle};
use std::time::Duration;

use rand::SeedableRng;
use rand::rngs::SmallRng;
use seega_players::PlayerError;
use seega_players::analysis::{AnalysedAction, Analysis, Effort};
use seega_rules::{Action, Position, Rules, Side};
use seega_search::Chances;
use seega_search::baseline::{AlphaBeta, Baseline, Limit};

use super::Out;
use super::engine::{DEPTH, Engine, Mind};

/// A search that goes on.
pub(super) struct Thinking<'scope> {
    /// Whether only `stop` ends it.
    endless: bool,
    stop: Arc<AtomicBool>,
    /// Gives back who thought.
    searches: ScopedJoinHandle<'scope, Mind>,
}

impl Thinking<'_> {
    pub(super) fn is_over(&self) -> bool {
        self.searches.is_finished()
    }
}

/// Ends a search, if there is one, and takes back who thought: at once, or, with `wait`, when it is over by itself, if it ever
/// is.
pub(super) fn end(thinking: &mut Option<Thinking<'_>>, engine: &mut Engine, wait: bool) {
    if let Some(Thinking { endless, stop, searches }) = thinking.take() {
        stop.store(endless || !wait, Ordering::Relaxed);
        // A search that broke down takes its network with it; the next command makes another.
        engine.mind = searches.join().ok();
    }
}

/// Begins what `go` asks for; without a choice it is answered at once.
pub(super) fn begin<'scope, W: Write + Send>(
    scope: &'scope Scope<'scope, '_>,
    engine: &mut Engine,
    rest: &str,
    out: &'scope Out<W>,
) -> Result<Option<Thinking<'scope>>, String> {
    let effort = effort(rest, engine.position.mover(), engine.options.simulations)?;
    if engine.position.outcome().is_some() {
        out.say("the game is over");
        out.line("bestmove 0000");
        return Ok(None);
    }
    if let Err(error) = engine.make_ready() {
        out.say(&format!("error: {error:#}"));
    }
    let Some(mut mind) = engine.mind.take() else { return Err("nobody is there to think".to_owned()) };
    let (rules, position) = (engine.rules, engine.position);
    let (lines, resign_below) = (engine.options.lines, engine.options.resign_below);
    let stop = Arc::new(AtomicBool::new(false));
    let stopped = Arc::clone(&stop);
    let searches = scope.spawn(move || {
        match &mut mind {
            Mind::Network(analyst) => {
                let told = |analysis: &Analysis| tell(out, analysis, lines);
                let found = analyst.analyse(&rules, &position, effort, &stopped, told);
                answer(out, found, lines, resign_below);
            }
            Mind::AlphaBeta(player) => out.line(&format!("bestmove {}", alphabeta(player, &rules, &position, effort))),
        }
        mind
    });
    Ok(Some(Thinking { endless: effort == Effort::Endless, stop, searches }))
}

fn alphabeta(player: &mut AlphaBeta, rules: &Rules, position: &Position, effort: Effort) -> Action {
    *player = AlphaBeta::new(match effort {
        Effort::Time(time) => Limit::Seconds(time.as_secs_f32()),
        // It can't be stopped, so that what is endless is a little.
        Effort::Simulations(_) | Effort::Endless => Limit::Work(DEPTH),
    });
    // The same answer to the same question.
    player.choose(rules, position, &mut SmallRng::seed_from_u64(position.hash()))
}

fn answer<W: Write>(out: &Out<W>, found: Result<Analysis, PlayerError>, lines: usize, resign_below: u32) {
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
fn tell<W: Write>(out: &Out<W>, analysis: &Analysis, lines: usize) {
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

/// What the words after `go` ask for.
fn effort(words: &str, mover: Side, simulations: u32) -> Result<Effort, String> {
    /// A clock's time is taken for so many plies, for a turn may take several.
    const PLIES: f64 = 30.0;
    const LEAST: f64 = 0.005;
    let mut effort = Effort::Simulations(simulations);
    let (mut clock, mut increment) = (None, 0.0);
    let mut words = words.split_whitespace();
    let (own_time, own_increment) = match mover {
        Side::White => ("p1time", "p1inc"),
        Side::Black => ("p2time", "p2inc"),
    };
    while let Some(word) = words.next() {
        if word == "infinite" {
            effort = Effort::Endless;
            continue;
        }
        if !["nodes", "movetime", "depth", "p1time", "p2time", "p1inc", "p2inc"].contains(&word) {
            return Err(format!("go does not know {:?}", word.chars().take(40).collect::<String>()));
        }
        // Clocks may run below nothing.
        let number: Option<i64> = words.next().and_then(|number| number.parse().ok());
        let number = number.ok_or_else(|| format!("go: {word} takes a number"))?;
        let seconds = number.clamp(0, 86_400_000) as f64 / 1000.0;
        match word {
            "nodes" => effort = Effort::Simulations(number.clamp(1, 1_000_000) as u32),
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
    Ok(effort)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn go_tells_how_long() {
        let white = |words| effort(words, Side::White, 400);
        let time = |millis| Ok(Effort::Time(Duration::from_millis(millis)));
        assert_eq!(white(""), Ok(Effort::Simulations(400)));
        assert_eq!(white("nodes 64"), Ok(Effort::Simulations(64)));
        assert_eq!(white("movetime 100"), time(100));
        assert_eq!(white("infinite"), Ok(Effort::Endless));
        assert_eq!(white("p1time 60000 p2time 1000 p1inc 1000 p2inc 0"), time(2800));
        assert_eq!(effort("p1time 60000 p2time 3000", Side::Black, 400), time(100));
        assert_eq!(white("p1time -50"), time(5));
        for wrong in ["nodes", "nodes many", "mate 3", "movetime 1e3"] {
            assert!(white(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn thousandths_sum_to_a_thousand() {
        let told = per_mille(Chances { win: 0.3335, draw: 0.333, loss: 0.3335 });
        assert_eq!(told.iter().sum::<i32>(), 1000);
    }
}
