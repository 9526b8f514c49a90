//! The ladder: one player against several opponents, from two kinds of openings, as rows of a table.

use std::io;
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, Ordering};

use seega_players::PlayerError;
use seega_rules::Rules;
use seega_rules::record::GameRecord;
use serde::{Deserialize, Serialize, Serializer};
use thiserror::Error;

use crate::game::{Forfeit, PlayedGame};
use crate::opening::Opening;
use crate::play::{MatchError, MatchSettings, Observer, Seats, Table, run_tables};
use crate::tally::Tally;

/// The kinds of openings, as rows name them. From random plies the players still place nearly all their stones; from
/// random placements only their movement is measured.
pub const STARTS: [(&str, Opening); 2] =
    [("plies4", Opening::RandomPlies(4)), ("placements", Opening::RandomPlacements)];

/// What a ladder plays.
#[derive(Clone, Debug)]
pub struct LadderSettings {
    /// The rules.
    pub rules: Rules,
    /// Pairs of games against each opponent from each kind of opening.
    pub pairs: u32,
    /// From this come the openings and the chance in the games. All opponents meet the same openings.
    pub seed: u64,
}

/// A line of the ladder's table: a match against one opponent, as the measured player sees it. Repeated games count
/// once.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LadderRow {
    /// The opponent.
    pub opponent: String,
    /// The openings: `plies4` or `placements`.
    pub start: String,
    /// Games that count.
    pub games: u64,
    /// Won by the measured player.
    pub wins: u64,
    /// Drawn.
    pub draws: u64,
    /// Lost.
    pub losses: u64,
    /// (wins + draws / 2) / games, from 0 to 1; in tables with four digits, as the next three.
    #[serde(serialize_with = "four_digits")]
    pub score: f64,
    /// The lower bound of the score's 95 % interval.
    #[serde(serialize_with = "four_digits")]
    pub low: f64,
    /// The upper bound.
    #[serde(serialize_with = "four_digits")]
    pub high: f64,
    /// The share of different games among those played, from 0 to 1.
    #[serde(serialize_with = "four_digits")]
    pub distinct: f64,
}

fn four_digits<S: Serializer>(value: &f64, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_f64((value * 1e4).round() / 1e4)
}

impl LadderRow {
    /// The row of a match.
    pub fn new(opponent: &str, start: &str, tally: &Tally) -> LadderRow {
        let score = tally.pairs.score();
        LadderRow {
            opponent: opponent.to_owned(),
            start: start.to_owned(),
            games: tally.games,
            wins: tally.wins,
            draws: tally.draws,
            losses: tally.losses,
            score: score.value,
            low: score.low,
            high: score.high,
            distinct: tally.distinct(),
        }
    }
}

/// Plays the measured player, at seat 0 of each worker, against the opponents at the seats after it, from both kinds of
/// openings, all matches side by side, and gives the rows by opponent, then by kind. When `stop` is set, what was
/// played so far gives no rows.
///
/// # Errors
/// There are no openings, or a player breaks down or does what is not legal: its rows would measure that and not its
/// strength.
pub fn climb(
    settings: &LadderSettings,
    opponents: &[String],
    workers: &mut [Seats],
    stop: &AtomicBool,
    observer: &mut dyn Observer,
) -> Result<Vec<LadderRow>, LadderError> {
    let mut tables = Vec::new();
    let mut names = Vec::new();
    for (index, opponent) in opponents.iter().enumerate() {
        for (start, opening) in STARTS {
            let settings =
                MatchSettings { opening, seed: settings.seed, ..MatchSettings::new(settings.rules, settings.pairs) };
            tables.push(Table { settings, a: 0, b: 1 + index, known: Vec::new() });
            names.push((opponent, start));
        }
    }
    let mut watch = Watch { observer, crash: None };
    let games = run_tables(&tables, workers, stop, &mut watch)?;
    if let Some((seat, why)) = watch.crash {
        let player = seat.checked_sub(1).map_or("the network that is measured", |opponent| &*opponents[opponent]);
        return Err(LadderError::Crash { player: player.to_owned(), why });
    }
    if stop.load(Ordering::Relaxed) {
        return Ok(Vec::new());
    }
    let rows = names.iter().zip(&games).map(|((name, start), games)| LadderRow::new(name, start, &Tally::of(games)));
    Ok(rows.collect())
}

/// Why there is no measurement.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum LadderError {
    /// Nothing can be played.
    #[error(transparent)]
    Match(#[from] MatchError),
    /// A player broke down.
    #[error("{player} broke down: {why}")]
    Crash {
        /// The player.
        player: String,
        /// What it says.
        why: String,
    },
}

/// Lets another look on, and ends all play where a player breaks down.
struct Watch<'a> {
    observer: &'a mut dyn Observer,
    crash: Option<(usize, String)>,
}

impl Observer for Watch<'_> {
    fn round(&mut self, running: usize, plies: u64) {
        self.observer.round(running, plies);
    }

    fn game_over(&mut self, table: usize, game: &PlayedGame, record: Option<GameRecord>) -> ControlFlow<()> {
        let wish = self.observer.game_over(table, game, record);
        if game.forfeit == Some(Forfeit::Illegal) {
            let loser = if game.won_by_a() { 1 + table / STARTS.len() } else { 0 };
            self.crash.get_or_insert((loser, "it did what is not legal".to_owned()));
        }
        if self.crash.is_some() { ControlFlow::Break(()) } else { wish }
    }

    fn crashed(&mut self, seat: usize, error: &PlayerError) {
        self.observer.crashed(seat, error);
        self.crash.get_or_insert_with(|| (seat, error.to_string()));
    }
}

/// Writes rows as CSV, with a line of headings.
///
/// # Errors
/// Writing fails.
pub fn write_csv(rows: &[LadderRow], output: impl io::Write) -> io::Result<()> {
    let mut writer = csv::Writer::from_writer(output);
    for row in rows {
        writer.serialize(row).map_err(io::Error::from)?;
    }
    writer.flush()
}
