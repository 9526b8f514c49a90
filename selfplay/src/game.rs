//! A game of self-play, and the positions to learn from that it holds.

use seega_models::action;
use seega_rules::record::GameRecord;
use seega_rules::{Action, ActionList, Bitboard, Position, Rules, Side, Symmetry};
use seega_search::{GameEnd, MoverView};
use thiserror::Error;

/// A game as its actions and what the searches found. Its positions follow by replaying it.
#[derive(Clone, Debug, PartialEq)]
pub struct PlayedGame {
    /// The number of the game in its run.
    pub number: u64,
    /// The generation in which it ended; of an unfinished one, in which it was last played.
    pub generation: u32,
    /// The plies.
    pub plies: Vec<PlayedPly>,
}

/// A ply of self-play.
#[derive(Clone, Debug, PartialEq)]
pub struct PlayedPly {
    /// The action.
    pub action: Action,
    /// What a search found, or endgame tables say; `None` for a ply that nothing is learnt from.
    pub found: Option<SearchFound>,
}

/// What a search found in a position, or endgame tables say of it.
#[derive(Clone, Debug, PartialEq)]
pub struct SearchFound {
    /// The root's value for the mover.
    pub value: MoverView,
    /// The improved policy: a probability for each legal action, in their order. Empty after a quick search.
    pub policy: Vec<f32>,
}

/// A position to learn from, with its targets.
#[derive(Clone, Debug, PartialEq)]
pub struct Sample {
    /// The position; its game goes on.
    pub position: Position,
    /// The improved policy by place in the network's policy; empty if there is none to learn.
    pub policy: Vec<(u16, f32)>,
    /// What the search thought the position worth.
    pub root_value: MoverView,
    /// How the game ended.
    pub end: GameEnd,
    /// Plies that the game still had, this one included.
    pub plies_left: u32,
    /// The stones at the end.
    pub final_stones: [Bitboard; 2],
}

/// Why a game can't be replayed.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum GameError {
    /// An action is not legal.
    #[error("ply {ply}: {why}")]
    Illegal {
        /// The ply, counted from 1.
        ply: usize,
        /// What is wrong.
        why: String,
    },
    /// A policy has not a probability for each legal action, or they do not sum to 1.
    #[error("ply {ply}: its policy does not fit the {actions} legal actions")]
    Policy {
        /// The ply, counted from 1.
        ply: usize,
        /// Legal actions there.
        actions: usize,
    },
    /// The root's value is not from -1 to 1.
    #[error("ply {ply}: its value is not from -1 to 1")]
    Value {
        /// The ply, counted from 1.
        ply: usize,
    },
    /// The game is not over.
    #[error("the game is not over after its {0} plies")]
    Unfinished(usize),
}

/// How far the sum of a policy may be from 1.
const POLICY_TOLERANCE: f32 = 1e-2;

impl PlayedGame {
    /// Replays the game and gives where it stands, after checking every ply. `visit` gets each position with its legal
    /// actions and ply.
    ///
    /// # Errors
    /// An action is not legal, or what a search found does not fit its position.
    pub fn replay(
        &self,
        rules: &Rules,
        mut visit: impl FnMut(&Position, &[Action], &PlayedPly),
    ) -> Result<Position, GameError> {
        let mut position = Position::start(rules);
        let mut actions = ActionList::new();
        for (index, played) in self.plies.iter().enumerate() {
            let ply = index + 1;
            position.legal_actions(rules, &mut actions);
            if !actions.contains(&played.action) {
                let why = format!("{} is not legal in {position}", played.action);
                return Err(GameError::Illegal { ply, why });
            }
            if let Some(found) = &played.found {
                found.check(ply, actions.len())?;
            }
            visit(&position, &actions, played);
            position.apply(rules, played.action);
        }
        Ok(position)
    }

    /// The game as a record for people and other programs. The game must be by these rules.
    pub fn record(&self, rules_name: &str, rules: &Rules) -> GameRecord {
        let mut record = GameRecord::begin(rules_name, *rules);
        let mut position = Position::start(rules);
        for ply in &self.plies {
            record.add_ply(&position, ply.action);
            position.apply(rules, ply.action);
        }
        record.end(&position);
        record
    }

    /// The positions of a finished game of which something was found, with their targets.
    ///
    /// # Errors
    /// The game can't be replayed or is not over.
    pub fn samples(&self, rules: &Rules) -> Result<Vec<Sample>, GameError> {
        let mut samples = Vec::new();
        let mut left = self.plies.len() as u32;
        let end = self.replay(rules, |position, actions, played| {
            if let Some(found) = &played.found {
                let place = |&action| action::index(rules.size, action).unwrap_or_default() as u16;
                let policy = actions.iter().map(place).zip(found.policy.iter().copied()).collect();
                samples.push(Sample {
                    position: *position,
                    policy,
                    root_value: found.value,
                    end: GameEnd::Draw,
                    plies_left: left,
                    final_stones: [Bitboard::EMPTY; 2],
                });
            }
            left -= 1;
        })?;
        let outcome = end.outcome().ok_or(GameError::Unfinished(self.plies.len()))?;
        for sample in &mut samples {
            sample.end = GameEnd::of_winner(outcome.winner);
            sample.final_stones = Side::BOTH.map(|side| end.stones(side));
        }
        Ok(samples)
    }
}

impl SearchFound {
    fn check(&self, ply: usize, actions: usize) -> Result<(), GameError> {
        if !(-1.0..=1.0).contains(&self.value.0) {
            return Err(GameError::Value { ply });
        }
        if self.policy.is_empty() {
            return Ok(());
        }
        let sum: f32 = self.policy.iter().sum();
        let sound = self.policy.len() == actions
            && self.policy.iter().all(|probability| (0.0..=1.0).contains(probability))
            && (sum - 1.0).abs() < POLICY_TOLERANCE;
        if sound { Ok(()) } else { Err(GameError::Policy { ply, actions }) }
    }
}

impl Sample {
    /// The stones at the end of that side.
    pub fn final_stones_of(&self, side: Side) -> Bitboard {
        match side {
            Side::White => self.final_stones[0],
            Side::Black => self.final_stones[1],
        }
    }

    /// The lead in stones at the end over a side's number of stones, for the mover of the position.
    pub fn final_margin(&self) -> MoverView {
        let stones = |side| f32::from(self.final_stones_of(side).count());
        let lead = stones(self.position.mover()) - stones(self.position.opponent());
        MoverView(lead / f32::from(self.position.size().stones_per_side()))
    }

    /// The sample as it is on a turned board.
    #[must_use]
    pub fn turned(&self, symmetry: Symmetry) -> Sample {
        let size = self.position.size();
        let turned = |place: u16| {
            let action = action::action_at(size, usize::from(place)).map(|action| symmetry.action(size, action));
            action.and_then(|action| action::index(size, action)).map_or(place, |place| place as u16)
        };
        Sample {
            position: symmetry.position(&self.position),
            policy: self.policy.iter().map(|&(place, probability)| (turned(place), probability)).collect(),
            final_stones: self.final_stones.map(|stones| symmetry.squares(size, stones)),
            ..*self
        }
    }
}
