//! `seega arena match`: two players, a fixed number of games.

use std::io::Write;

use seega_arena::{Estimate, Tally};
use seega_players::PlayerSpec;
use serde_json::{Value, json};

use super::session::{Contest, PlayOptions, Session, keep_result, parse_games};
use super::show::{self, elo_with_bounds, percent};

/// Plays a match of A against B: wins, losses and the score are A's.
///
/// Players are written random, greedy, alphabeta:DEPTH, mcts:PLAYOUTS, net:PATH@SIMULATIONS or policy:PATH; with a time
/// per move alphabeta:0.5s. Games come in pairs that share an opening, with colours swapped.
#[derive(Debug, clap::Args)]
pub struct Arguments {
    /// The player that is measured.
    a: PlayerSpec,

    /// Its opponent.
    b: PlayerSpec,

    /// The number of games, even.
    #[arg(long, default_value_t = 100, value_parser = parse_games)]
    games: u32,

    #[command(flatten)]
    play: PlayOptions,
}

/// Plays the match and writes what came of it.
pub fn run(arguments: &Arguments, output: &mut impl Write) -> anyhow::Result<()> {
    let players = [arguments.a.clone(), arguments.b.clone()];
    let contest =
        Contest { kind: "match", players: &players, tables: vec![(0, 1)], games: arguments.games, test: None };
    let mut session = Session::begin(&arguments.play, contest)?;
    let games = session.play()?.concat();
    let tally = Tally::of(&games);
    let object = to_json(arguments, &tally);
    match arguments.play.json {
        true => writeln!(output, "{object}")?,
        false => write_text(arguments, &tally, &session, output)?,
    }
    // The result comes first: it shall not be lost with a disk that is full.
    output.flush()?;
    keep_result(&arguments.play, &object)?;
    show::tell_crashes(&session, &players.map(|player| player.to_string()));
    if (games.len() as u32) < arguments.games {
        eprintln!("seega: stopped after {} of {} games", games.len(), arguments.games);
    }
    Ok(())
}

/// Who is the stronger one, if the games tell.
fn verdict(tally: &Tally) -> &'static str {
    let Estimate { low, high, .. } = tally.pairs.score();
    match () {
        () if !tally.is_diverse() => "repeated",
        () if low > 0.5 => "a",
        () if high < 0.5 => "b",
        () => "open",
    }
}

fn to_json(arguments: &Arguments, tally: &Tally) -> Value {
    let (score, elo, normalized) = (tally.pairs.score(), tally.pairs.elo(), tally.pairs.normalized_elo());
    let PlayOptions { rules, openings, seed, .. } = &arguments.play;
    json!({
        "players": [arguments.a.to_string(), arguments.b.to_string()],
        "rules": rules.name(),
        "openings": openings.to_string(),
        "seed": seed,
        "games": tally.games,
        "wins": tally.wins,
        "draws": tally.draws,
        "losses": tally.losses,
        "score": score.value,
        "score_low": score.low,
        "score_high": score.high,
        "elo": elo.value,
        "elo_low": elo.low,
        "elo_high": elo.high,
        "normalized_elo": normalized.map(|elo| elo.value),
        "superiority": tally.pairs.superiority(),
        "pairs": tally.pairs.by_score(),
        "opening_bias": tally.pairs.opening_bias(),
        "illegal": tally.illegal,
        "crashes": tally.crashes,
        "reasons": tally.reasons,
        "distinct": tally.distinct(),
        "verdict": verdict(tally),
    })
}

fn write_text(arguments: &Arguments, tally: &Tally, session: &Session, output: &mut impl Write) -> anyhow::Result<()> {
    let Arguments { a, b, play: PlayOptions { openings, seed, rules, .. }, .. } = arguments;
    writeln!(output, "{a} against {b}: {}, {} games, openings {openings}, seed {seed}", rules.name(), tally.games)?;
    if tally.games == 0 {
        return Ok(writeln!(output, "No pair of games was finished.")?);
    }
    show::write_games([&a.to_string(), &b.to_string()], tally, output)?;
    show::write_pace(session, output)?;
    let pairs = &tally.pairs;
    writeln!(output, "Elo       {}", elo_with_bounds(pairs.elo()))?;
    if let Some(normalized) = pairs.normalized_elo() {
        writeln!(output, "          normalized {}", elo_with_bounds(normalized))?;
    }
    writeln!(output, "Openings  biased by {} of score", percent(pairs.opening_bias()))?;
    let superiority = percent(pairs.superiority());
    let verdict = match verdict(tally) {
        "a" => format!("{a} is the stronger one"),
        "b" => format!("{b} is the stronger one"),
        "repeated" => show::REPEATED.to_owned(),
        _ => format!("open: these games don't tell who is the stronger one (the first, at {superiority})"),
    };
    Ok(writeln!(output, "Verdict   {verdict}")?)
}
