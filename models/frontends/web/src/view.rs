//! What a page shows of a game: the board, what is legal and what it captures, how it came about.

use std::collections::BTreeMap;

use seega_rules::{Action, ActionList, Bitboard, GameInPlay, MadePly, Phase, Position, Rules, Side, preset};
use serde::Serialize;

/// A game at a glance.
#[derive(Clone, Debug, Serialize)]
pub struct View {
    /// The rules, as the nearest preset with what is otherwise.
    pub rules: String,
    /// The rules, field by field.
    pub fields: Rules,
    /// The position's text.
    pub position: String,
    /// The stones by square: `w` or `b`.
    pub stones: BTreeMap<String, char>,
    /// Whose ply it is.
    pub mover: char,
    /// `placement`, `movement`, or `opening`: the blocked side must be given a step.
    pub phase: &'static str,
    /// Stones left to place in this turn; 0 in movement.
    pub left: u8,
    /// The stone that captured last in this turn.
    pub chain: Option<String>,
    /// Whether the mover may end the turn within a chain.
    pub may_stop: bool,
    /// Turns since the last capture.
    pub quiet: u32,
    /// So many end the game.
    pub quiet_limit: u32,
    /// What may be played, but for `stop`.
    pub legal: Vec<Move>,
    /// The plies of the turn that was made last.
    pub last_turn: Vec<Move>,
    /// The side that had no step and was skipped before this ply.
    pub skipped: Option<char>,
    /// All plies.
    pub plies: Vec<Move>,
    /// How it ended.
    pub result: Option<Told>,
    /// Whether the sides may agree to count.
    pub may_count: bool,
}

/// An action, and what it captures.
#[derive(Clone, Debug, Serialize)]
pub struct Move {
    /// Whose it is.
    pub side: char,
    /// The action's text.
    pub action: String,
    /// Where the stone came from; `None` for placements and `stop`.
    pub from: Option<String>,
    /// Where it went; `None` for `stop`.
    pub to: Option<String>,
    /// The squares from which it takes.
    pub captures: Vec<String>,
    /// Whether a turn begins with it.
    pub begins_turn: bool,
}

/// A result.
#[derive(Clone, Debug, Serialize)]
pub struct Told {
    /// `w` or `b`; `None` is a draw.
    pub winner: Option<char>,
    /// Why, as in game records.
    pub reason: &'static str,
}

fn texts(squares: Bitboard) -> Vec<String> {
    squares.iter().map(|square| square.to_string()).collect()
}

fn move_of(before: &Position, rules: &Rules, action: Action, captured: Bitboard) -> Move {
    let (from, to) = match action {
        Action::Place(square) => (None, Some(square.to_string())),
        Action::Step { from, to } => (Some(from.to_string()), Some(to.to_string())),
        Action::Stop => (None, None),
    };
    let side = before.mover().letter();
    let begins_turn = before.begins_turn(rules);
    Move { side, action: action.to_string(), from, to, captures: texts(captured), begins_turn }
}

impl View {
    /// What there is to show of a game.
    pub fn of(game: &GameInPlay) -> View {
        let (rules, position) = (game.rules(), game.position());
        let mover = position.mover();
        let made = |ply: &MadePly| move_of(&ply.before, rules, ply.action, ply.captured);
        let mut actions = ActionList::new();
        if !game.is_over() {
            position.legal_actions(rules, &mut actions);
        }
        let legal = |&action: &Action| {
            let captured = match action {
                Action::Step { from, to } => position.captures(rules, from, to),
                Action::Place(_) | Action::Stop => Bitboard::EMPTY,
            };
            move_of(position, rules, action, captured)
        };
        let stones = Side::BOTH
            .into_iter()
            .flat_map(|side| position.stones(side).iter().map(move |square| (square.to_string(), side.letter())));
        let (phase, left) = match position.phase() {
            Phase::Placement { left } => ("placement", left),
            Phase::Movement => ("movement", 0),
            Phase::Opening => ("opening", 0),
        };
        View {
            rules: preset::spell(rules),
            fields: *rules,
            position: position.to_string(),
            stones: stones.collect(),
            mover: mover.letter(),
            phase,
            left,
            chain: position.chain().filter(|_| !game.is_over()).map(|chain| chain.square.to_string()),
            may_stop: actions.contains(&Action::Stop),
            quiet: position.quiet(),
            quiet_limit: rules.quiet_limit.get(),
            legal: actions.iter().filter(|&&action| action != Action::Stop).map(legal).collect(),
            last_turn: game.last_turn().iter().map(made).collect(),
            skipped: game.skipped().map(Side::letter),
            plies: game.plies().iter().map(made).collect(),
            result: game
                .result()
                .map(|(result, reason)| Told { winner: result.winner().map(Side::letter), reason: reason.name() }),
            may_count: game.may_count(),
        }
    }
}
