//! Results in words.

use std::io::{self, Write};

use seega_arena::{Estimate, PairCounts, Tally};

use super::session::{Pace, Session};

/// A share as a percentage.
pub fn percent(share: f64) -> String {
    format!("{:.1} %", 100.0 * share)
}

/// A share with its bounds.
pub fn percent_with_bounds(Estimate { value, low, high }: Estimate) -> String {
    format!("{} (95 %: {} to {})", percent(value), percent(low), percent(high))
}

/// An Elo difference with its bounds.
pub fn elo_with_bounds(Estimate { value, low, high }: Estimate) -> String {
    // No "-0".
    let [value, low, high] = [value, low, high].map(|elo| elo.round() + 0.0);
    format!("{value:+.0} (95 %: {low:+.0} to {high:+.0})")
}

/// What a tally says of A against B, but for the strength: games, endings, forfeits, repetitions.
pub fn write_games(names: [&str; 2], tally: &Tally, output: &mut dyn Write) -> io::Result<()> {
    let Tally { wins, draws, losses, .. } = tally;
    writeln!(output, "Games     {wins} won, {draws} drawn, {losses} lost")?;
    writeln!(output, "Score     {}", percent_with_bounds(tally.pairs.score()))?;
    writeln!(output, "Pairs     {}", pairs_in_words(&tally.pairs))?;
    let reasons: Vec<String> = tally.reasons.iter().map(|(reason, count)| format!("{count} {reason}")).collect();
    writeln!(output, "Endings   {}", reasons.join(", "))?;
    for (what, counts) in [("for illegal actions", tally.illegal), ("for breaking down", tally.crashes)] {
        for (name, count) in names.into_iter().zip(counts).filter(|(_, count)| *count > 0) {
            writeln!(output, "Forfeits  {count} by {name} {what}; they count as lost")?;
        }
    }
    writeln!(output, "Distinct  {} of the games played", percent(tally.distinct()))
}

/// Where too many games are repeated, nothing is concluded.
pub const REPEATED: &str = "too many games are repeated to conclude anything; use other openings (--openings)";

/// How long it took, and what broke down.
pub fn write_pace(session: &Session, output: &mut dyn Write) -> io::Result<()> {
    let Pace { seconds, plies, evaluations } = session.pace();
    if plies == 0 {
        return Ok(());
    }
    let rate = |count: u64| format!("{:.0}", count as f64 / seconds.max(1e-3));
    let networks = match evaluations {
        0 => String::new(),
        _ => format!(", {} evaluations/s", rate(evaluations)),
    };
    writeln!(output, "Time      {seconds:.0} s, {} plies/s{networks}", rate(plies))
}

/// Tells on the error stream what players that broke down said first.
pub fn tell_crashes(session: &Session, names: &[String]) {
    for (name, words) in names.iter().zip(&session.live.crashes) {
        if let Some(words) = words {
            eprintln!("seega: {name} broke down: {words}");
        }
    }
}

/// The kinds of pairs that occurred.
fn pairs_in_words(pairs: &PairCounts) -> String {
    let kinds = [
        (pairs.win_win, "won twice"),
        (pairs.win_draw, "won and drawn"),
        (pairs.win_loss, "won and lost"),
        (pairs.draw_draw, "drawn twice"),
        (pairs.loss_draw, "drawn and lost"),
        (pairs.loss_loss, "lost twice"),
    ];
    let told = kinds.iter().filter(|(count, _)| *count > 0).map(|(count, kind)| format!("{count} {kind}"));
    told.collect::<Vec<_>>().join(", ")
}
