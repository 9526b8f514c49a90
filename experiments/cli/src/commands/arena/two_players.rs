//! `seega arena match`: two players, a fixed number of games.

use std::io::Write;
use std::path::PathBuf;
use std::time::Instant;

use indicatif::{ProgressBar, ProgressStyle};
use seega_arena::{Estimate, MatchSettings, Observer, Opening, PairCounts, PlayedGame, Tally, run_match};
use seega_players::PlayerSpec;
use serde_json::json;

use crate::options::RulesOptions;
use crate::{interrupt, records};

/// Plays a match of A against B: wins, losses and the score are A's.
///
/// Games come in pairs that share an opening, with colours swapped. Players are written random, greedy,
/// alphabeta:DEPTH, mcts:PLAYOUTS, net:PATH@SIMULATIONS or policy:PATH; with a time per move alphabeta:0.5s.
#[derive(Debug, clap::Args)]
pub struct Arguments {
    /// The player that is measured.
    a: PlayerSpec,

    /// Its opponent.
    b: PlayerSpec,

    #[command(flatten)]
    rules: RulesOptions,

    /// The number of games, even.
    #[arg(long, default_value_t = 100, value_parser = parse_games)]
    games: u32,

    /// How pairs of games begin: plies:K, K random plies from the start, or placements, all stones placed at random.
    #[arg(long, value_name = "OPENINGS", default_value_t)]
    openings: Opening,

    /// From this come the openings and the chance in the games.
    #[arg(long, default_value_t = 0)]
    seed: u64,

    /// Writes the games to a new file, .jsonl or .jsonl.gz: pair by pair, in each first the game with A as White.
    #[arg(long, value_name = "FILE")]
    records: Option<PathBuf>,

    /// Lets networks play by rules on which they were not trained.
    #[arg(long)]
    force: bool,

    /// One JSON object on one line instead of text.
    #[arg(long)]
    json: bool,
}

const MOST_GAMES: u32 = 1_000_000;

fn parse_games(text: &str) -> Result<u32, String> {
    match text.parse() {
        Ok(games) if (2..=MOST_GAMES).contains(&games) && games % 2 == 0 => Ok(games),
        _ => Err(format!("games come in pairs: an even number from 2 to {MOST_GAMES}")),
    }
}

/// Below this share of different games nothing is concluded: each repeated game passes for a new one.
const LEAST_DISTINCT: f64 = 0.95;

/// Plays the match and writes what came of it.
pub fn run(arguments: &Arguments, output: &mut impl Write) -> anyhow::Result<()> {
    let rules = arguments.rules.rules()?;
    if let Some(path) = &arguments.records {
        records::check_new(path)?;
    }
    let mut a = arguments.a.build(&rules, arguments.force)?;
    let mut b = arguments.b.build(&rules, arguments.force)?;
    let settings = MatchSettings {
        opening: arguments.openings,
        seed: arguments.seed,
        records: arguments.records.is_some().then(|| arguments.rules.name()),
        at_once: at_once(&arguments.a).max(at_once(&arguments.b)),
        ..MatchSettings::new(rules, arguments.games / 2)
    };
    let mut progress = Progress::new(arguments.games);
    let games = run_match(&settings, &mut *a, &mut *b, interrupt::flag()?, &mut progress)?;
    progress.bar.finish_and_clear();
    let tally = Tally::of(&games);
    if arguments.json {
        write_json(arguments, &tally, output)?;
    } else {
        write_text(arguments, &tally, output)?;
    }
    // The result comes first: it shall not be lost with a disk that is full.
    output.flush()?;
    if let Some(path) = &arguments.records {
        records::write(path, games.iter().filter_map(|game| game.record.as_ref()))?;
    }
    if (games.len() as u32) < arguments.games {
        eprintln!("seega: stopped after {} of {} games", games.len(), arguments.games);
    }
    Ok(())
}

/// How many games run side by side. A network wants large batches; for others one game after the other is as fast, and
/// a match that is stopped has more games that are over.
fn at_once(player: &PlayerSpec) -> usize {
    match player {
        PlayerSpec::Net { .. } | PlayerSpec::Policy { .. } => 512,
        PlayerSpec::Random | PlayerSpec::Greedy | PlayerSpec::AlphaBeta(_) | PlayerSpec::Playouts(_) => 1,
    }
}

/// A bar in the terminal; where there is none, nothing.
struct Progress {
    bar: ProgressBar,
    begun: Instant,
}

impl Progress {
    fn new(games: u32) -> Progress {
        let bar = ProgressBar::new(games.into());
        let template = "{bar:30} {pos}/{len} games over, {msg} ({elapsed})";
        bar.set_style(ProgressStyle::with_template(template).expect("the template is right"));
        Progress { bar, begun: Instant::now() }
    }
}

impl Observer for Progress {
    fn round(&mut self, running: usize, plies: u64) {
        let rate = plies as f64 / self.begun.elapsed().as_secs_f64().max(1e-3);
        self.bar.set_message(format!("{running} running, {rate:.0} plies/s"));
    }

    fn game_over(&mut self, _: &PlayedGame) {
        self.bar.inc(1);
    }
}

fn write_json(arguments: &Arguments, tally: &Tally, output: &mut impl Write) -> anyhow::Result<()> {
    let (score, elo) = (tally.pairs.score(), tally.pairs.elo());
    let object = json!({
        "players": [arguments.a.to_string(), arguments.b.to_string()],
        "rules": arguments.rules.name(),
        "openings": arguments.openings.to_string(),
        "seed": arguments.seed,
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
        "pairs": tally.pairs.by_score(),
        "forfeits": [tally.forfeits_by_a, tally.forfeits_by_b],
        "reasons": tally.reasons,
        "distinct": tally.distinct(),
    });
    Ok(writeln!(output, "{object}")?)
}

fn write_text(arguments: &Arguments, tally: &Tally, output: &mut impl Write) -> anyhow::Result<()> {
    let Arguments { a, b, openings, seed, rules, .. } = arguments;
    writeln!(output, "{a} against {b}: {}, {} games, openings {openings}, seed {seed}", rules.name(), tally.games)?;
    if tally.games == 0 {
        return Ok(writeln!(output, "No pair of games was finished.")?);
    }
    let Tally { wins, draws, losses, .. } = tally;
    writeln!(output, "Games     {wins} won, {draws} drawn, {losses} lost")?;
    let Estimate { value, low, high } = tally.pairs.score();
    let percent = |score: f64| format!("{:.1} %", 100.0 * score);
    writeln!(output, "Score     {} (95 %: {} to {})", percent(value), percent(low), percent(high))?;
    let Estimate { value, low, high } = tally.pairs.elo();
    writeln!(output, "Elo       {value:+.0} (95 %: {low:+.0} to {high:+.0})")?;
    writeln!(output, "Pairs     {}", pairs_in_words(&tally.pairs))?;
    let reasons: Vec<String> = tally.reasons.iter().map(|(reason, count)| format!("{count} {reason}")).collect();
    writeln!(output, "Endings   {}", reasons.join(", "))?;
    if tally.forfeits_by_a + tally.forfeits_by_b > 0 {
        let (by_a, by_b) = (tally.forfeits_by_a, tally.forfeits_by_b);
        writeln!(output, "Forfeits  {by_a} by {a}, {by_b} by {b}, for illegal actions; they count as lost")?;
    }
    writeln!(output, "Distinct  {} of the games played", percent(tally.distinct()))?;
    if tally.distinct() < LEAST_DISTINCT {
        writeln!(output, "Too many games are repeated to conclude anything: use other openings (--openings).")?;
    }
    Ok(())
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
