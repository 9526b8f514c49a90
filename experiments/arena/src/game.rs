//! A game of a match: while it runs, and when it is over.

use rand::rngs::SmallRng;
use seega_rules::record::{GameRecord, GameResult, RecordReason};
use seega_rules::{Action, Position, Rules, Side};
use serde::{Deserialize, Serialize};

use crate::opening::{Start, generator, mixed};
use crate::play::Table;

/// How a player lost a game outside its rules.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Forfeit {
    /// It did what is not legal.
    Illegal,
    /// It broke down.
    Crash,
}

/// A game of a match that came to its end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PlayedGame {
    /// Its pair, from 0.
    pub pair: u32,
    /// The side of the match's first player, A.
    pub a_side: Side,
    /// The result. Whoever breaks down or does what is not legal has lost.
    pub result: GameResult,
    /// Why it ended: by the rules, by resignation, or by forfeit.
    pub reason: RecordReason,
    /// How the loser forfeited it, if it did.
    pub forfeit: Option<Forfeit>,
    /// Its plies, those of the opening included.
    pub plies: u32,
    /// A hash of the opening's position and of all moves after it; the same on every machine. Rules and players are
    /// not in it.
    pub hash: u64,
}

impl PlayedGame {
    /// Whether A won it.
    pub fn won_by_a(&self) -> bool {
        self.result == GameResult::of_winner(Some(self.a_side))
    }
}

/// A game that is running.
pub(crate) struct Game {
    pub(crate) table: usize,
    /// The seats of White and of Black.
    seats: [usize; 2],
    pair: u32,
    a_side: Side,
    pub(crate) position: Position,
    pub(crate) random: SmallRng,
    plies: u32,
    hash: u64,
    record: Option<GameRecord>,
    end: Option<End>,
}

struct End {
    result: GameResult,
    reason: RecordReason,
    forfeit: Option<Forfeit>,
}

impl Game {
    /// Begins a game of a pair at a table with that index.
    pub(crate) fn begin(table: &Table, index: usize, pair: u32, a_side: Side, start: &Start) -> Game {
        let Table { settings, a, b, .. } = table;
        let record = settings.records.as_ref().map(|name| {
            let mut record = GameRecord::begin(name, settings.rules);
            let mut position = start.begun;
            for &action in &start.plies {
                record.add_ply(&position, action);
                position.apply(&settings.rules, action);
            }
            record
        });
        Game {
            table: index,
            seats: if a_side == Side::White { [*a, *b] } else { [*b, *a] },
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

    /// The seat of the player that moves.
    pub(crate) fn seat_to_move(&self) -> usize {
        self.seats[self.position.mover() as usize]
    }

    /// Plays an action; one that is not legal forfeits the game.
    pub(crate) fn play(&mut self, rules: &Rules, action: Action) {
        let before = self.position;
        if self.position.play(rules, action).is_err() {
            return self.forfeit(Forfeit::Illegal);
        }
        self.plies += 1;
        self.hash = mixed(self.hash, self.position.hash());
        if let Some(record) = &mut self.record {
            record.add_ply(&before, action);
        }
        self.end = self.position.outcome().map(|outcome| End {
            result: GameResult::of_winner(outcome.winner),
            reason: RecordReason::Rules(outcome.reason),
            forfeit: None,
        });
    }

    pub(crate) fn is_over(&self) -> bool {
        self.end.is_some()
    }

    /// The side to move gives up.
    pub(crate) fn resign(&mut self) {
        self.lose(RecordReason::Resigned, None);
    }

    /// The side to move loses.
    pub(crate) fn forfeit(&mut self, forfeit: Forfeit) {
        self.lose(RecordReason::Forfeit, Some(forfeit));
    }

    fn lose(&mut self, reason: RecordReason, forfeit: Option<Forfeit>) {
        let result = GameResult::of_winner(Some(self.position.opponent()));
        self.end = Some(End { result, reason, forfeit });
    }

    /// The game, which is over, and its record.
    pub(crate) fn played(mut self) -> (PlayedGame, Option<GameRecord>) {
        let End { result, reason, forfeit } = self.end.expect("only games that are over are taken out");
        if let Some(record) = &mut self.record {
            record.end(&self.position);
            (record.result, record.reason) = (Some(result), Some(reason));
        }
        let Game { pair, a_side, plies, hash, record, .. } = self;
        (PlayedGame { pair, a_side, result, reason, forfeit, plies, hash }, record)
    }
}
