//! `seega arena sprt`: two players, until it is known which of two differences is the true one.

use std::io::Write;

use anyhow::anyhow;
use seega_arena::statistics::sprt::{Decision, Sprt};
use seega_arena::{SequentialMatch, run_sprt};
use seega_players::PlayerSpec;
use serde_json::{Value, json};

use super::session::{Contest, PlayOptions, Session, Stopped, finish};
use super::show::{self, elo_with_bounds, percent};
use crate::interrupt;
use crate::options::parse_games;

/// Plays A against B until it is known whether A is stronger by ELO0 or by ELO1, in normalized Elo.
///
/// A sequential probability ratio test looks after each pair of games and stops as soon as it knows; it takes half the
/// games of a fixed match that is as sure. Normalized Elo is the score's distance from one half in standard deviations
/// of a game, times 347.4. To ask whether a new network is better: --elo0 0 --elo1 30; whether it is not worse:
/// --elo0 -30 --elo1 0.
#[derive(Debug, clap::Args)]
#[command(after_help = super::PLAYERS)]
pub struct Arguments {
    /// The player that is measured.
    a: PlayerSpec,

    /// Its opponent.
    b: PlayerSpec,

    /// The lower difference, in normalized Elo.
    #[arg(long, default_value_t = 0.0, allow_negative_numbers = true)]
    elo0: f64,

    /// The higher difference, in normalized Elo.
    #[arg(long, default_value_t = 30.0, allow_negative_numbers = true)]
    elo1: f64,

    /// How often the higher difference may be taken where the lower one is true.
    #[arg(long, default_value_t = 0.05)]
    alpha: f64,

    /// How often the lower difference may be taken where the higher one is true.
    #[arg(long, default_value_t = 0.05)]
    beta: f64,

    /// The most games, even; then the test ends without a decision.
    #[arg(long, default_value_t = 4000, value_parser = parse_games)]
    max_games: u32,

    #[command(flatten)]
    play: PlayOptions,
}

/// Plays the match and writes what came of it.
pub fn run(arguments: &Arguments, output: &mut impl Write) -> anyhow::Result<()> {
    let Arguments { elo0, elo1, alpha, beta, .. } = *arguments;
    let sprt = Sprt::new(elo0, elo1, alpha, beta).map_err(|why| anyhow!(why))?;
    let players = [arguments.a.clone(), arguments.b.clone()];
    let contest = Contest {
        kind: "sprt",
        players: &players,
        tables: vec![(0, 1)],
        games: arguments.max_games,
        test: Some([elo0, elo1, alpha, beta]),
    };
    let mut session = Session::begin(&arguments.play, contest)?;
    session.live.sprt = Some(sprt);
    let Session { tables, workers, live, .. } = &mut session;
    let (played, games) = run_sprt(&tables[0], &sprt, workers, interrupt::flag()?, live)?;
    let over = games.len();
    session.live.end(&[games])?;
    show::tell_crashes(&session, &players.map(|player| player.to_string()));
    let object = to_json(arguments, &sprt, &played);
    let stopped = match played.decision {
        Decision::Open => Stopped::unless_over(over, arguments.max_games as usize),
        Decision::Lower | Decision::Higher => None,
    };
    let write_text = |output: &mut dyn Write| write_text(arguments, &sprt, &played, &session, output);
    finish(&arguments.play, &object, stopped, output, write_text)
}

/// The decision's name; refused where too many games are repeated.
fn verdict(played: &SequentialMatch) -> &'static str {
    match played.decision {
        _ if !played.tally.is_diverse() => "repeated",
        Decision::Lower => "elo0",
        Decision::Higher => "elo1",
        Decision::Open => "open",
    }
}

fn to_json(arguments: &Arguments, sprt: &Sprt, played: &SequentialMatch) -> Value {
    let tally = &played.tally;
    let stopped = sprt.estimate(&tally.pairs);
    let (low, high) = sprt.bounds();
    let PlayOptions { rules, openings, seed, .. } = &arguments.play;
    json!({
        "players": [arguments.a.to_string(), arguments.b.to_string()],
        "rules": rules.name(),
        "openings": openings.to_string(),
        "seed": seed,
        "elo0": arguments.elo0,
        "elo1": arguments.elo1,
        "alpha": arguments.alpha,
        "beta": arguments.beta,
        "games": tally.games,
        "wins": tally.wins,
        "draws": tally.draws,
        "losses": tally.losses,
        "score": tally.pairs.score().value,
        "log_ratio": sprt.log_ratio(&tally.pairs),
        "bounds": [low, high],
        "elo": stopped.map(|stopped| stopped.elo.value),
        "elo_low": stopped.map(|stopped| stopped.elo.low),
        "elo_high": stopped.map(|stopped| stopped.elo.high),
        "superiority": stopped.map(|stopped| stopped.superiority),
        "pairs": tally.pairs.by_score(),
        "surplus": played.surplus,
        "illegal": tally.illegal,
        "crashes": tally.crashes,
        "reasons": tally.reasons,
        "distinct": tally.distinct(),
        "verdict": verdict(played),
    })
}

fn write_text(
    arguments: &Arguments,
    sprt: &Sprt,
    played: &SequentialMatch,
    session: &Session,
    output: &mut dyn Write,
) -> anyhow::Result<()> {
    let Arguments { a, b, elo0, elo1, alpha, beta, play: PlayOptions { openings, seed, rules, .. }, .. } = arguments;
    let tally = &played.tally;
    writeln!(output, "{a} against {b}: {}, {} games, openings {openings}, seed {seed}", rules.name(), tally.games)?;
    writeln!(
        output,
        "Test      normalized Elo {elo0} or {elo1}, wrong {} and {}; {:.0} games expected at either, {:.0} between",
        percent(*alpha),
        percent(*beta),
        sprt.expected_games(*elo0).max(sprt.expected_games(*elo1)),
        sprt.expected_games(0.5 * (elo0 + elo1)),
    )?;
    if tally.games == 0 {
        return Ok(writeln!(output, "No pair of games was finished.")?);
    }
    show::write_games([&a.to_string(), &b.to_string()], tally, output)?;
    if played.surplus > 0 {
        writeln!(output, "Surplus   {} games ran beyond these pairs and don't count", played.surplus)?;
    }
    show::write_pace(session, output)?;
    if let Some(stopped) = sprt.estimate(&tally.pairs) {
        let elo = elo_with_bounds(stopped.elo);
        writeln!(output, "Elo       {elo}, as often too high as too low")?;
        writeln!(output, "Superior  at {}", percent(stopped.superiority))?;
    }
    let (low, high) = sprt.bounds();
    let ratio = sprt.log_ratio(&tally.pairs);
    writeln!(output, "Ratio     {ratio:+.2} (logarithm), ends at {low:+.2} or {high:+.2}")?;
    let verdict = match verdict(played) {
        "elo0" => format!("elo0: {a} is nearer to {elo0:+} than to {elo1:+} normalized Elo, or below"),
        "elo1" => format!("elo1: {a} is nearer to {elo1:+} than to {elo0:+} normalized Elo, or beyond"),
        "repeated" => show::REPEATED.to_owned(),
        _ => "open: the games ended before the test did".to_owned(),
    };
    Ok(writeln!(output, "Verdict   {verdict}")?)
}
