//! `seega arena match`: two players, a fixed number of games.

use std::io::Write;

use seega_arena::{Estimate, Tally};
use seega_players::PlayerSpec;
use serde_json::{Value, json};

use super::session::{Contest, PlayOptions, Session, Stopped, finish};
use super::show::{self, elo_with_bounds, percent, percent_with_bounds};
use crate::options::parse_games;

/// Plays a match of A against B: wins, losses and the score are A's.
#[derive(Debug, clap::Args)]
#[command(after_help = super::PLAYERS)]
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
    show::tell_crashes(&session, &players.map(|player| player.to_string()));
    let object = to_json(arguments, &tally);
    let stopped = Stopped::unless_over(games.len(), arguments.games as usize);
    finish(&arguments.play, &object, stopped, output, |output| write_text(arguments, &tally, &session, output))
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

/// The chance that A is the stronger one, where enough is known for it.
fn superiority(tally: &Tally) -> Option<f64> {
    tally.pairs.is_well_known().then(|| tally.pairs.superiority())
}

fn to_json(arguments: &Arguments, tally: &Tally) -> Value {
    let (score, elo, normalized) = (tally.pairs.score(), tally.pairs.elo(), tally.pairs.normalized_elo());
    let PlayOptions { rules, openings, seed, .. } = &arguments.play;
    json!({
        "players": [arguments.a.to_string(), arguments.b.to_string()],
        "rules": rules.name(),
        "openings": openings.to_string(),
        "seed": seed,
        "asked": arguments.games,
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
        "superiority": superiority(tally),
        "pairs": tally.pairs.by_score(),
        "opening_bias": tally.pairs.opening_bias().map(|bias| json!([bias.value, bias.low, bias.high])),
        "illegal": tally.illegal,
        "crashes": tally.crashes,
        "reasons": tally.reasons,
        "distinct": tally.distinct(),
        "verdict": verdict(tally),
    })
}

fn write_text(arguments: &Arguments, tally: &Tally, session: &Session, output: &mut dyn Write) -> anyhow::Result<()> {
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
    if let Some(superiority) = superiority(tally) {
        writeln!(output, "Superior  at {}", percent(superiority))?;
    }
    if let Some(bias) = pairs.opening_bias() {
        writeln!(output, "Openings  biased by {} of score", percent_with_bounds(bias))?;
    }
    let verdict = match verdict(tally) {
        "a" => format!("{a} is the stronger one"),
        "b" => format!("{b} is the stronger one"),
        "repeated" => show::REPEATED.to_owned(),
        _ => "open: these games don't tell who is the stronger one".to_owned(),
    };
    Ok(writeln!(output, "Verdict   {verdict}")?)
}
