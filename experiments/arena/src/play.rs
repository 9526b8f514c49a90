//! Playing a match: all its games side by side, so that a player gets its turns of all of them in one call.
//!
//! What the results say is left to [`crate::Tally`].

use std::collections::VecDeque;
use std::sync::atomic::{AtomicBool, Ordering};

use rand::rngs::SmallRng;
use seega_players::{Player, PlayerError, Turn};
use seega_rules::record::{GameRecord, GameResult, RecordReason};
use seega_rules::{Action, Position, Rules, Side};
use thiserror::Error;

use crate::opening::{Opening, Start, TooFewOpenings, generator, mixed};

/// What is played.
#[derive(Clone, Debug)]
pub struct MatchSettings {
    /// The rules.
    pub rules: Rules,
    /// The rules as records name them; records are kept only where this is given.
    pub records: Option<String>,
    /// Pairs of games: one opening each, played twice with colours swapped.
    pub pairs: u32,
    /// How the games begin.
    pub opening: Opening,
    /// From this come the openings, and each game's own chance.
    pub seed: u64,
    /// The most games that run at once, at least 1. More make larger batches for networks and need more memory.
    pub at_once: usize,
}

impl MatchSettings {
    /// A match of so many pairs by these rules: four random plies, seed 0, no records, at most 512 games at once.
    pub fn new(rules: Rules, pairs: u32) -> MatchSettings {
        MatchSettings { rules, records: None, pairs, opening: Opening::default(), seed: 0, at_once: 512 }
    }
}

/// A game of a match that came to its end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlayedGame {
    /// Its pair, from 0.
    pub pair: u32,
    /// The side of the match's first player, A.
    pub a_side: Side,
    /// The result. Whoever does what is not legal has lost.
    pub result: GameResult,
    /// Why it ended: by the rules, or by forfeit.
    pub reason: RecordReason,
    /// Its plies, those of the opening included.
    pub plies: u32,
    /// A hash of the opening's position and of all moves after it; the same on every machine. Rules and players are
    /// not in it.
    pub hash: u64,
    /// The record, where records are kept.
    pub record: Option<GameRecord>,
}

/// Looks on while a match is played. All methods do nothing unless they are written.
pub trait Observer {
    /// Each player has made a ply in its games. `plies` counts those of the match so far, without openings.
    fn round(&mut self, running: usize, plies: u64) {
        let _ = (running, plies);
    }

    /// A game came to its end.
    fn game_over(&mut self, game: &PlayedGame) {
        let _ = game;
    }
}

/// Looks away.
impl Observer for () {}

/// Why a match can't be played, or not to its end.
#[derive(Debug, Error)]
pub enum MatchError {
    /// There are not enough openings.
    #[error(transparent)]
    Openings(#[from] TooFewOpenings),
    /// A player broke down.
    #[error("player {player} broke down: {error}")]
    Player {
        /// `A` or `B`.
        player: char,
        /// What it says.
        error: PlayerError,
    },
    /// A player gave a wrong number of actions.
    #[error("player {player} gave {given} actions for {turns} turns")]
    Answers {
        /// `A` or `B`.
        player: char,
        /// The actions that it gave.
        given: usize,
        /// The turns that it was asked about.
        turns: usize,
    },
}

/// Plays a match of A against B, and gives its games by pair, within a pair that with A as White first.
///
/// Each game's chance comes from the seed, its pair and A's side, so that with players whose choices depend on nothing
/// but their turn the games do not depend on each other. When `stop` is set, the games that are over are given.
///
/// # Errors
/// The openings run out, or a player breaks down. An illegal action is no error: it forfeits its game.
pub fn run_match(
    settings: &MatchSettings,
    a: &mut dyn Player,
    b: &mut dyn Player,
    stop: &AtomicBool,
    observer: &mut dyn Observer,
) -> Result<Vec<PlayedGame>, MatchError> {
    let table = Table { settings: settings.clone(), opponent: 0 };
    let mut games = run_tables(&[table], a, &mut [b], stop, observer)?;
    Ok(games.pop().unwrap_or_default())
}

/// A match of several that are played side by side.
#[derive(Clone, Debug)]
pub(crate) struct Table {
    /// What is played.
    pub(crate) settings: MatchSettings,
    /// The index of player B.
    pub(crate) opponent: usize,
}

/// Plays several matches of A side by side, all on boards of one size, so that A gets its turns of all of them in one
/// call; else as [`run_match`]. Gives the games of each match.
pub(crate) fn run_tables(
    tables: &[Table],
    a: &mut dyn Player,
    opponents: &mut [&mut dyn Player],
    stop: &AtomicBool,
    observer: &mut dyn Observer,
) -> Result<Vec<Vec<PlayedGame>>, MatchError> {
    let mut waiting = VecDeque::new();
    for (index, table) in tables.iter().enumerate() {
        let settings = &table.settings;
        let starts = settings.opening.draw(&settings.rules, settings.seed, settings.pairs)?;
        for (pair, start) in (0..).zip(starts) {
            waiting.extend(Side::BOTH.map(|side| (index, pair, side, start.clone())));
        }
    }
    let at_once = tables.iter().map(|table| table.settings.at_once).max().unwrap_or(1).max(1);
    let mut running: Vec<Game> = Vec::new();
    let mut over: Vec<Vec<PlayedGame>> = tables.iter().map(|_| Vec::new()).collect();
    let mut plies = 0;
    while !stop.load(Ordering::Relaxed) {
        while running.len() < at_once
            && let Some((table, pair, side, start)) = waiting.pop_front()
        {
            running.push(Game::begin(&tables[table].settings, table, pair, side, &start));
        }
        if running.is_empty() {
            break;
        }
        plies += play_turns(tables, 'A', a, &mut running, |_| true)?;
        collect(&mut running, &mut over, observer);
        for (index, opponent) in opponents.iter_mut().enumerate() {
            plies += play_turns(tables, 'B', &mut **opponent, &mut running, |table| table.opponent == index)?;
        }
        collect(&mut running, &mut over, observer);
        observer.round(running.len(), plies);
    }
    for games in &mut over {
        games.sort_by_key(|game| (game.pair, game.a_side));
    }
    Ok(over)
}

/// Takes out the games that are over.
fn collect(running: &mut Vec<Game>, over: &mut [Vec<PlayedGame>], observer: &mut dyn Observer) {
    for game in running.extract_if(.., |game| game.end.is_some()) {
        let table = game.table;
        let game = game.played();
        observer.game_over(&game);
        over[table].push(game);
    }
}

/// Lets a player make a ply in each game in which it moves, of the tables that are its own, and counts them.
fn play_turns(
    tables: &[Table],
    name: char,
    player: &mut dyn Player,
    running: &mut [Game],
    its_own: impl Fn(&Table) -> bool,
) -> Result<u64, MatchError> {
    let its_turn =
        |game: &&mut Game| game.end.is_none() && game.player_to_move() == name && its_own(&tables[game.table]);
    let mut games: Vec<&mut Game> = running.iter_mut().filter(its_turn).collect();
    if games.is_empty() {
        return Ok(0);
    }
    let mut turns: Vec<Turn<'_>> = games
        .iter_mut()
        .map(|game| Turn {
            rules: &tables[game.table].settings.rules,
            position: game.position,
            random: &mut game.random,
        })
        .collect();
    let actions = player.choose(&mut turns).map_err(|error| MatchError::Player { player: name, error })?;
    if actions.len() != games.len() {
        return Err(MatchError::Answers { player: name, given: actions.len(), turns: games.len() });
    }
    for (game, &action) in games.iter_mut().zip(&actions) {
        game.play(&tables[game.table].settings.rules, action);
    }
    Ok(games.len() as u64)
}

/// A game that is running.
struct Game {
    table: usize,
    pair: u32,
    a_side: Side,
    position: Position,
    random: SmallRng,
    plies: u32,
    hash: u64,
    record: Option<GameRecord>,
    end: Option<(GameResult, RecordReason)>,
}

impl Game {
    fn begin(settings: &MatchSettings, table: usize, pair: u32, a_side: Side, start: &Start) -> Game {
        let record = settings.records.as_ref().map(|name| {
            let mut record = GameRecord::begin(name, settings.rules);
            let mut position = Position::start(&settings.rules);
            for &action in &start.plies {
                record.add_ply(&position, action);
                position.apply(&settings.rules, action);
            }
            record
        });
        Game {
            table,
            pair,
            a_side,
            position: start.position,
            random: generator([settings.seed, pair.into(), a_side as u64, 1]),
            plies: start.plies.len() as u32,
            hash: mixed(0, start.position.hash()),
            record,
            end: None,
        }
    }

    fn player_to_move(&self) -> char {
        if self.position.mover() == self.a_side { 'A' } else { 'B' }
    }

    fn play(&mut self, rules: &Rules, action: Action) {
        let before = self.position;
        if self.position.play(rules, action).is_err() {
            self.end = Some((GameResult::of_winner(Some(before.opponent())), RecordReason::Forfeit));
            return;
        }
        self.plies += 1;
        self.hash = mixed(self.hash, self.position.hash());
        if let Some(record) = &mut self.record {
            record.add_ply(&before, action);
        }
        self.end = self
            .position
            .outcome()
            .map(|outcome| (GameResult::of_winner(outcome.winner), RecordReason::Rules(outcome.reason)));
    }

    /// The game, which is over.
    fn played(mut self) -> PlayedGame {
        let (result, reason) = self.end.expect("only games that are over are taken out");
        if let Some(record) = &mut self.record {
            record.end(&self.position);
            (record.result, record.reason) = (Some(result), Some(reason));
        }
        let Game { pair, a_side, plies, hash, record, .. } = self;
        PlayedGame { pair, a_side, result, reason, plies, hash, record }
    }
}
