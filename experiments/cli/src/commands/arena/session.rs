//! What all kinds of matches share: their options, the players of each thread, and the folder that keeps the games.

use std::io::Write;
use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::thread::available_parallelism;
use std::time::Instant;

use anyhow::{Context, bail};
use seega_arena::{Archive, MatchSettings, Observer, Opening, Plan, PlayedGame, Seats, Table, run_tables};
use seega_files::{sha256, write_atomically};
use seega_players::PlayerSpec;
use seega_search::baseline::Limit;
use serde_json::Value;

use super::live::Live;
use crate::interrupt;
use crate::options::RulesOptions;

/// How games are played and kept.
#[derive(Debug, clap::Args)]
pub struct PlayOptions {
    #[command(flatten)]
    pub rules: RulesOptions,

    /// How pairs of games begin: plies:K, K random plies from the start; placements, all stones placed at random; or
    /// book:FILE, a line an opening: its plies, or the text of a position.
    #[arg(long, value_name = "OPENINGS", default_value_t)]
    pub openings: Opening,

    /// From this come the openings and the chance in the games.
    #[arg(long, default_value_t = 0)]
    pub seed: u64,

    /// Threads that play side by side; without it, one for each core.
    #[arg(long)]
    threads: Option<NonZeroUsize>,

    /// Keeps the match in a folder, new or empty: match.json (what is played), games.jsonl (records for seega verify),
    /// games.csv, result.json. The same command goes on with a match that was stopped.
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,

    /// Lets networks play by rules on which they were not trained.
    #[arg(long)]
    force: bool,

    /// Ends with one JSON object on one line instead of text.
    #[arg(long)]
    pub json: bool,
}

/// Games of a table with a network that a thread runs side by side, all such tables together: a network wants large
/// batches. For others one game after the other is as fast, and a match that is stopped has more games that are over.
const GAMES_AT_ONCE: usize = 64;
const LEAST_AT_ONCE: usize = 8;

/// A kind of match between players, before it begins.
pub struct Contest<'a> {
    /// `match`, `sprt` or `round-robin`.
    pub kind: &'static str,
    pub players: &'a [PlayerSpec],
    /// Who meets whom: A and B.
    pub tables: Vec<(usize, usize)>,
    /// The games of each table.
    pub games: u32,
    /// The test, for a match that ends by one.
    pub test: Option<[f64; 4]>,
}

/// A match about to be played.
pub struct Session {
    pub tables: Vec<Table>,
    pub workers: Vec<Seats>,
    pub live: Live,
    begun: Instant,
}

impl Session {
    /// Builds the players for each thread, and begins or opens the folder.
    pub fn begin(options: &PlayOptions, contest: Contest<'_>) -> anyhow::Result<Session> {
        let rules = options.rules.rules()?;
        let pairs = contest.games / 2;
        // Before there is a folder, for that would hold a match that can't be played.
        options.openings.check(&rules, options.seed, pairs)?;
        let threads = options.threads.or_else(|| available_parallelism().ok()).map_or(1, NonZeroUsize::get);
        let mut workers = Vec::new();
        // No more threads than there are pairs.
        for _ in 0..threads.min(pairs as usize * contest.tables.len()) {
            let mut seats: Seats = Vec::new();
            for player in contest.players {
                seats.push(player.build(&rules, options.force)?);
            }
            workers.push(seats);
        }
        let (archive, mut known) = match &options.out {
            None => (None, vec![Vec::new(); contest.tables.len()]),
            Some(folder) => {
                let (archive, known) = Archive::open(folder, &plan(options, &contest)?, &contest.tables)?;
                (Some(archive), known)
            }
        };
        // A folder may hold more games than are asked for now.
        known.iter_mut().for_each(|games| games.retain(|game| game.pair < pairs));
        let batched = |&(a, b): &(usize, usize)| {
            let [a, b] = [a, b].map(|seat| &contest.players[seat]);
            [a, b].into_iter().any(is_batched) && ![a, b].into_iter().any(is_timed)
        };
        let networks = contest.tables.iter().filter(|table| batched(table)).count().max(1);
        let settings = MatchSettings {
            opening: options.openings.clone(),
            seed: options.seed,
            records: archive.is_some().then(|| options.rules.name()),
            ..MatchSettings::new(rules, pairs)
        };
        let at_once = |table| if batched(table) { (GAMES_AT_ONCE / networks).max(LEAST_AT_ONCE) } else { 1 };
        let live = Live::new(&contest, archive, &known);
        let tables = contest.tables.iter().zip(known).map(|(table, known)| {
            let settings = MatchSettings { at_once: at_once(table), ..settings.clone() };
            Table { settings, a: table.0, b: table.1, known }
        });
        Ok(Session { tables: tables.collect(), workers, live, begun: Instant::now() })
    }

    /// Plays all games, and gives those of each table that are over.
    pub fn play(&mut self) -> anyhow::Result<Vec<Vec<PlayedGame>>> {
        let Session { tables, workers, live, .. } = self;
        let games = run_tables(tables, workers, interrupt::flag()?, live as &mut dyn Observer)?;
        self.live.end(&games)?;
        Ok(games)
    }

    /// What was played in this session, in how much time.
    pub fn pace(&self) -> Pace {
        let evaluations = self.workers.iter().flatten().map(|player| player.evaluations()).sum();
        Pace { seconds: self.begun.elapsed().as_secs_f64(), plies: self.live.plies, evaluations }
    }
}

/// How fast games were played.
#[derive(Clone, Copy, Debug)]
pub struct Pace {
    pub seconds: f64,
    pub plies: u64,
    /// Positions that networks evaluated.
    pub evaluations: u64,
}

/// Whether a player evaluates positions of many games in one batch.
fn is_batched(player: &PlayerSpec) -> bool {
    network_path(player).is_some()
}

/// Whether a player has a time for each move, which it takes one game after the other.
const fn is_timed(player: &PlayerSpec) -> bool {
    match player {
        PlayerSpec::AlphaBeta(limit)
        | PlayerSpec::Playouts(limit)
        | PlayerSpec::Net { limit, .. }
        | PlayerSpec::Ugi { limit, .. } => {
            matches!(limit, Limit::Seconds(_))
        }
        PlayerSpec::Random | PlayerSpec::Greedy | PlayerSpec::Policy { .. } | PlayerSpec::Exact { .. } => false,
    }
}

fn network_path(player: &PlayerSpec) -> Option<&PathBuf> {
    match player {
        PlayerSpec::Net { path, .. } | PlayerSpec::Policy { path } => Some(path),
        PlayerSpec::Random
        | PlayerSpec::Greedy
        | PlayerSpec::AlphaBeta(_)
        | PlayerSpec::Playouts(_)
        | PlayerSpec::Ugi { .. }
        | PlayerSpec::Exact { .. } => None,
    }
}

fn plan(options: &PlayOptions, contest: &Contest<'_>) -> anyhow::Result<Plan> {
    let hash = |path: &PathBuf| -> anyhow::Result<String> {
        let bytes = std::fs::read(path).with_context(|| format!("{}: can't be read", path.display()))?;
        Ok(sha256(&bytes))
    };
    let mut networks = Vec::new();
    for player in contest.players {
        networks.push(network_path(player).map(hash).transpose()?.unwrap_or_default());
    }
    let book = match &options.openings {
        Opening::Book(path) => hash(path)?,
        Opening::RandomPlies(_) | Opening::RandomPlacements => String::new(),
    };
    Ok(Plan {
        version: Plan::VERSION,
        kind: contest.kind.to_owned(),
        players: contest.players.iter().map(ToString::to_string).collect(),
        networks,
        openings: options.openings.to_string(),
        book,
        seed: options.seed,
        test: contest.test,
        rules_name: options.rules.name(),
        rules: options.rules.rules()?,
    })
}

/// Tells the result, and writes `result.json` into the folder if there is one: each even where the other fails. A match that
/// was stopped ends with an error that says so.
pub fn finish(
    options: &PlayOptions,
    result: &Value,
    stopped: Option<Stopped>,
    output: &mut impl Write,
    write_text: impl FnOnce(&mut dyn Write) -> anyhow::Result<()>,
) -> anyhow::Result<()> {
    let told = match options.json {
        true => writeln!(output, "{result}").map_err(anyhow::Error::from),
        false => write_text(output),
    };
    let told = told.and_then(|()| Ok(output.flush()?));
    if let Some(folder) = &options.out {
        let path = folder.join("result.json");
        write_atomically(&path, |file| file.write_all(format!("{result:#}\n").as_bytes()))
            .with_context(|| format!("{}: can't be written", path.display()))?;
    }
    told?;
    match stopped {
        Some(Stopped { over, asked }) => {
            bail!("stopped after {over} of {asked} games; those count up to the first pair that was not over")
        }
        None => Ok(()),
    }
}

/// A match that ended before it was over.
#[derive(Clone, Copy, Debug)]
pub struct Stopped {
    /// Games that were over.
    pub over: usize,
    /// Games that were asked for.
    pub asked: usize,
}

impl Stopped {
    /// If not all games are over.
    pub fn unless_over(over: usize, asked: usize) -> Option<Stopped> {
        (over < asked).then_some(Stopped { over, asked })
    }
}
