//! The ladder: one player against several opponents, from two kinds of openings, as rows of a table.

use std::io;
use std::sync::atomic::{AtomicBool, Ordering};

use seega_players::Player;
use seega_rules::Rules;
use serde::{Deserialize, Serialize, Serializer};

use crate::opening::Opening;
use crate::play::{MatchError, MatchSettings, Observer, Table, run_tables};
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

/// A player to measure against.
pub struct Opponent {
    /// The name in the table.
    pub name: String,
    /// The player.
    pub player: Box<dyn Player>,
}

impl std::fmt::Debug for Opponent {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Opponent").field("name", &self.name).finish_non_exhaustive()
    }
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

/// Plays the measured player against each opponent from both kinds of openings, all matches side by side, and gives
/// the rows by opponent, then by kind. When `stop` is set, what was played so far gives no rows.
///
/// # Errors
/// A match can't be played.
pub fn climb(
    settings: &LadderSettings,
    player: &mut dyn Player,
    opponents: &mut [Opponent],
    stop: &AtomicBool,
    observer: &mut dyn Observer,
) -> Result<Vec<LadderRow>, MatchError> {
    let mut tables = Vec::new();
    let mut names = Vec::new();
    for (index, opponent) in opponents.iter().enumerate() {
        for (start, opening) in STARTS {
            let settings =
                MatchSettings { opening, seed: settings.seed, ..MatchSettings::new(settings.rules, settings.pairs) };
            tables.push(Table { settings, opponent: index });
            names.push((opponent.name.clone(), start));
        }
    }
    let mut players: Vec<&mut dyn Player> = Vec::new();
    for opponent in opponents {
        players.push(&mut *opponent.player);
    }
    let games = run_tables(&tables, player, &mut players, stop, observer)?;
    if stop.load(Ordering::Relaxed) {
        return Ok(Vec::new());
    }
    let rows = names.iter().zip(&games).map(|((name, start), games)| LadderRow::new(name, start, &Tally::of(games)));
    Ok(rows.collect())
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
