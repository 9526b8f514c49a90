//! What all kinds of matches share: their options, the players of each thread, and the folder that keeps the games.

use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::thread::available_parallelism;
use std::time::Instant;

use anyhow::Context;
use seega_arena::{Archive, MatchSettings, Observer, Opening, Plan, PlayedGame, Seats, Table, run_tables};
use seega_models::checkpoint::sha256;
use seega_models::file::write_atomically;
use seega_players::PlayerSpec;
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

    /// Keeps the match in a folder: games.jsonl (records for seega verify), games.csv, result.json. The same command
    /// goes on with a match that was stopped, or plays more games.
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,

    /// Lets networks play by rules on which they were not trained.
    #[arg(long)]
    force: bool,

    /// Ends with one JSON object on one line instead of text.
    #[arg(long)]
    pub json: bool,
}

/// The most games of a match.
pub const MOST_GAMES: u32 = 1_000_000;

/// Reads a number of games.
pub fn parse_games(text: &str) -> Result<u32, String> {
    match text.parse() {
        Ok(games) if (2..=MOST_GAMES).contains(&games) && games % 2 == 0 => Ok(games),
        _ => Err(format!("games come in pairs: an even number from 2 to {MOST_GAMES}")),
    }
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
        let threads = options.threads.or_else(|| available_parallelism().ok()).map_or(1, NonZeroUsize::get);
        let pairs = contest.games / 2;
        let mut workers = Vec::new();
        // No more threads than there are pairs.
        for _ in 0..threads.min(pairs as usize) {
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
        let has_network = |&(a, b): &(usize, usize)| [a, b].iter().any(|&seat| is_network(&contest.players[seat]));
        let networks = contest.tables.iter().filter(|table| has_network(table)).count().max(1);
        let settings = MatchSettings {
            opening: options.openings.clone(),
            seed: options.seed,
            records: archive.is_some().then(|| options.rules.name()),
            ..MatchSettings::new(rules, pairs)
        };
        let at_once = |table| if has_network(table) { (GAMES_AT_ONCE / networks).max(LEAST_AT_ONCE) } else { 1 };
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

fn is_network(player: &PlayerSpec) -> bool {
    network_path(player).is_some()
}

fn network_path(player: &PlayerSpec) -> Option<&PathBuf> {
    match player {
        PlayerSpec::Net { path, .. } | PlayerSpec::Policy { path } => Some(path),
        PlayerSpec::Random | PlayerSpec::Greedy | PlayerSpec::AlphaBeta(_) | PlayerSpec::Playouts(_) => None,
    }
}

fn plan(options: &PlayOptions, contest: &Contest<'_>) -> anyhow::Result<Plan> {
    let mut networks = Vec::new();
    for player in contest.players {
        networks.push(match network_path(player) {
            None => String::new(),
            Some(path) => {
                let bytes = std::fs::read(path).with_context(|| format!("{}: can't be read", path.display()))?;
                sha256(&bytes)
            }
        });
    }
    Ok(Plan {
        version: Plan::VERSION,
        kind: contest.kind.to_owned(),
        players: contest.players.iter().map(ToString::to_string).collect(),
        networks,
        openings: options.openings.to_string(),
        seed: options.seed,
        test: contest.test,
        rules_name: options.rules.name(),
        rules: options.rules.rules()?,
    })
}

/// Writes `result.json` into the folder, if there is one.
pub fn keep_result(options: &PlayOptions, result: &Value) -> anyhow::Result<()> {
    let Some(folder) = &options.out else { return Ok(()) };
    let path = folder.join("result.json");
    write_atomically(&path, |file| std::io::Write::write_all(file, format!("{result:#}\n").as_bytes()))
        .with_context(|| format!("{}: can't be written", path.display()))
}
