//! The games of a match on disk: each is written as soon as it is over, so that a match that was stopped goes on.
//!
//! A folder holds `match.json`, what is played; `games.jsonl`, a record a game with its players and its place in the
//! match; and, made from that, `games.csv`, a line a game.

use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, BufRead, BufReader, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use seega_files::write_atomically;
use seega_rules::record::{GameRecord, GameResult, RecordReason};
use seega_rules::{Rules, Side};
use serde::{Deserialize, Serialize};
use thiserror::Error;

use crate::game::{Forfeit, PlayedGame};

/// What is played: two matches with the same plan have the same games, as far as both go.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Plan {
    /// The version of the folder: [`VERSION`](Self::VERSION).
    pub version: u32,
    /// `match`, `sprt` or `round-robin`.
    pub kind: String,
    /// The players, as they are written.
    pub players: Vec<String>,
    /// For each player the SHA-256 of its network's file; empty for one without.
    pub networks: Vec<String>,
    /// The openings, as they are written.
    pub openings: String,
    /// The SHA-256 of their book; empty without one.
    pub book: String,
    /// From this come the openings and the chance in the games.
    pub seed: u64,
    /// The test, for a match that ends by one: `elo0`, `elo1`, `alpha`, `beta`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub test: Option<[f64; 4]>,
    /// The rules, as records name them.
    pub rules_name: String,
    /// The rules.
    pub rules: Rules,
}

impl Plan {
    /// The version of folders that this program writes and reads.
    pub const VERSION: u32 = 1;
}

/// A line of `games.jsonl`: a record with more keys, which readers of records pass over.
#[derive(Serialize, Deserialize)]
struct Line {
    table: usize,
    pair: u32,
    /// A's side.
    a: String,
    white: String,
    black: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    forfeit: Option<Forfeit>,
    /// The game's hash, in hexadecimal.
    hash: String,
    #[serde(flatten)]
    record: GameRecord,
}

/// A line of `games.csv`.
#[derive(Serialize)]
struct Row<'a> {
    pair: u32,
    white: &'a str,
    black: &'a str,
    result: &'static str,
    reason: &'static str,
    forfeit: &'static str,
    plies: u32,
    hash: String,
}

/// Why the folder of a match can't be used.
#[derive(Debug, Error)]
pub enum ArchiveError {
    /// A file can't be read or written.
    #[error("{}: {why}", path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// What the system or the reader says.
        why: String,
    },
    /// The folder holds another match.
    #[error("{} holds another match: {difference}; take another folder", path.display())]
    Other {
        /// The folder.
        path: PathBuf,
        /// What differs.
        difference: String,
    },
    /// A line is not a game of this match.
    #[error("{}, line {line}: {why}", path.display())]
    Line {
        /// The file.
        path: PathBuf,
        /// The line's number, from 1.
        line: usize,
        /// What is wrong.
        why: String,
    },
    /// Another program writes there.
    #[error("{}: another program is playing this match", path.display())]
    Busy {
        /// The file.
        path: PathBuf,
    },
}

/// The folder of a match, open for more games.
#[derive(Debug)]
pub struct Archive {
    folder: PathBuf,
    /// The players of each table: A and B.
    tables: Vec<[String; 2]>,
    games: File,
}

/// The most of a line of `games.jsonl` that is read.
const MAX_LINE_BYTES: u64 = 1 << 24;

impl Archive {
    /// Begins a folder, or opens that of the same match to go on with it, and gives the games of each table that are
    /// over. `tables` are the players A and B of each match, as indices into the plan's players.
    ///
    /// A last line that was not written to its end, as a kill may leave it, is taken back.
    ///
    /// # Errors
    /// The folder holds another match or something else, is being written by another program, or fails; or a game in it
    /// is none of this match, or not by the rules.
    pub fn open(
        folder: &Path,
        plan: &Plan,
        tables: &[(usize, usize)],
    ) -> Result<(Archive, Vec<Vec<PlayedGame>>), ArchiveError> {
        fs::create_dir_all(folder).map_err(|error| fault(folder, error))?;
        begin(folder, plan)?;
        let path = folder.join("games.jsonl");
        if fs::metadata(&path).is_ok_and(|about| !about.is_file()) {
            return Err(fault(&path, "is no file"));
        }
        let games = OpenOptions::new().read(true).append(true).create(true).open(&path);
        let mut games = games.map_err(|error| fault(&path, error))?;
        match games.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => return Err(ArchiveError::Busy { path }),
            Err(TryLockError::Error(error)) => return Err(fault(&path, error)),
        }
        let name = |index: usize| plan.players[index].clone();
        let tables: Vec<[String; 2]> = tables.iter().map(|&(a, b)| [name(a), name(b)]).collect();
        let (known, whole) = read_games(&path, &games, &tables, &plan.rules)?;
        games.set_len(whole).and_then(|()| games.seek(SeekFrom::End(0))).map_err(|error| fault(&path, error))?;
        Ok((Archive { folder: folder.to_owned(), tables, games }, known))
    }

    /// Writes a game that is over.
    ///
    /// # Errors
    /// Writing fails.
    pub fn add(&mut self, table: usize, game: &PlayedGame, record: GameRecord) -> Result<(), ArchiveError> {
        let [white, black] = players(&self.tables[table], game.a_side);
        let line = Line {
            table,
            pair: game.pair,
            a: side_name(game.a_side).to_owned(),
            white: white.to_owned(),
            black: black.to_owned(),
            forfeit: game.forfeit,
            hash: format!("{:016x}", game.hash),
            record,
        };
        let path = || self.folder.join("games.jsonl");
        let mut text = serde_json::to_string(&line).map_err(|error| fault(&path(), error))?;
        text.push('\n');
        // One write for a line: what a kill leaves is a whole line or the beginning of one.
        self.games.write_all(text.as_bytes()).map_err(|error| fault(&path(), error))
    }

    /// Writes `games.csv` afresh, from the games of each table.
    ///
    /// # Errors
    /// Writing fails.
    pub fn write_table(&self, games: &[Vec<PlayedGame>]) -> Result<(), ArchiveError> {
        let path = self.folder.join("games.csv");
        let write = |file: &mut File| -> io::Result<()> {
            let mut writer = csv::Writer::from_writer(file);
            for (names, games) in self.tables.iter().zip(games) {
                for game in games {
                    let [white, black] = players(names, game.a_side);
                    let forfeit = match game.forfeit {
                        None => "",
                        Some(Forfeit::Illegal) => "illegal",
                        Some(Forfeit::Crash) => "crash",
                    };
                    let (result, reason) = (game.result.name(), game.reason.name());
                    let hash = format!("{:016x}", game.hash);
                    let row = Row { pair: game.pair, white, black, result, reason, forfeit, plies: game.plies, hash };
                    writer.serialize(row).map_err(io::Error::from)?;
                }
            }
            writer.flush()
        };
        write_atomically(&path, write).map_err(|error| fault(&path, error))
    }
}

fn fault(path: &Path, error: impl std::fmt::Display) -> ArchiveError {
    ArchiveError::File { path: path.to_owned(), why: error.to_string() }
}

const fn side_name(side: Side) -> &'static str {
    match side {
        Side::White => "w",
        Side::Black => "b",
    }
}

/// White and Black of a game.
fn players([a, b]: &[String; 2], a_side: Side) -> [&str; 2] {
    match a_side {
        Side::White => [a, b],
        Side::Black => [b, a],
    }
}

/// Writes the plan of a new folder, or compares that of an old one.
fn begin(folder: &Path, plan: &Plan) -> Result<(), ArchiveError> {
    let path = folder.join("match.json");
    let text = match fs::read_to_string(&path) {
        Ok(text) => text,
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            let mut entries = fs::read_dir(folder).map_err(|error| fault(folder, error))?;
            if entries.next().is_some() {
                return Err(fault(folder, "holds no match, but is not empty; take another folder"));
            }
            let text = serde_json::to_string_pretty(plan).map_err(|error| fault(&path, error))? + "\n";
            return write_atomically(&path, |file| file.write_all(text.as_bytes()))
                .map_err(|error| fault(&path, error));
        }
        Err(error) => return Err(fault(&path, error)),
    };
    let known: Plan = serde_json::from_str(&text).map_err(|error| fault(&path, error))?;
    match difference(&known, plan) {
        None => Ok(()),
        Some(difference) => Err(ArchiveError::Other { path: folder.to_owned(), difference }),
    }
}

fn difference(known: &Plan, plan: &Plan) -> Option<String> {
    let told = |what: &str, there: &dyn std::fmt::Debug, here: &dyn std::fmt::Debug| {
        Some(format!("{what} {there:?} there, {here:?} here"))
    };
    match () {
        () if known.version != plan.version => told("version", &known.version, &plan.version),
        () if known.kind != plan.kind => told("kind", &known.kind, &plan.kind),
        () if known.players != plan.players => told("players", &known.players, &plan.players),
        () if known.networks != plan.networks => Some("a network's file has changed".to_owned()),
        () if known.book != plan.book => Some("the book of openings has changed".to_owned()),
        () if known.openings != plan.openings => told("openings", &known.openings, &plan.openings),
        () if known.seed != plan.seed => told("seed", &known.seed, &plan.seed),
        () if known.test != plan.test => told("test", &known.test, &plan.test),
        () if known.rules != plan.rules => told("rules", &known.rules_name, &plan.rules_name),
        () => None,
    }
}

/// The games of each table, and the length of the whole lines.
fn read_games(
    path: &Path,
    file: &File,
    tables: &[[String; 2]],
    rules: &Rules,
) -> Result<(Vec<Vec<PlayedGame>>, u64), ArchiveError> {
    let mut known: Vec<Vec<PlayedGame>> = tables.iter().map(|_| Vec::new()).collect();
    let mut seen = std::collections::HashSet::new();
    let mut reader = BufReader::new(file);
    let mut whole = 0;
    for number in 1.. {
        let wrong = |why: String| ArchiveError::Line { path: path.to_owned(), line: number, why };
        let mut bytes = Vec::new();
        reader.by_ref().take(MAX_LINE_BYTES).read_until(b'\n', &mut bytes).map_err(|error| fault(path, error))?;
        if bytes.last() != Some(&b'\n') {
            if bytes.len() as u64 == MAX_LINE_BYTES {
                return Err(wrong("it is too long for a game".to_owned()));
            }
            break;
        }
        let (table, game) = read_line(&bytes, tables, rules).map_err(wrong)?;
        if !seen.insert((table, game.pair, game.a_side)) {
            return Err(wrong("this game stands there twice".to_owned()));
        }
        known[table].push(game);
        whole += bytes.len() as u64;
    }
    Ok((known, whole))
}

fn read_line(bytes: &[u8], tables: &[[String; 2]], rules: &Rules) -> Result<(usize, PlayedGame), String> {
    if bytes.trim_ascii().is_empty() {
        return Err("it is empty".to_owned());
    }
    let line: Line = serde_json::from_slice(bytes).map_err(|error| error.to_string())?;
    if line.record.rules != *rules {
        return Err("the game has other rules".to_owned());
    }
    line.record.verify().map_err(|error| error.to_string())?;
    let names = tables.get(line.table).ok_or_else(|| format!("there is no table {}", line.table))?;
    let a_side = Side::BOTH.into_iter().find(|&side| side_name(side) == line.a);
    let a_side = a_side.ok_or_else(|| format!("{:?} is no side; it must be w or b", line.a))?;
    if players(names, a_side) != [&*line.white, &*line.black] {
        return Err(format!("{} and {} do not meet at table {}", line.white, line.black, line.table));
    }
    let hash = u64::from_str_radix(&line.hash, 16).map_err(|_| format!("{:?} is no hash", line.hash))?;
    let finished: Option<(GameResult, RecordReason)> = line.record.result.zip(line.record.reason);
    let (result, reason) = finished.ok_or("the game has no result or no reason")?;
    let plies = line.record.plies.len() as u32;
    Ok((line.table, PlayedGame { pair: line.pair, a_side, result, reason, forfeit: line.forfeit, plies, hash }))
}
