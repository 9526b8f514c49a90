//! What a class comes to: how many of its positions are won, drawn and lost, and how long its longest lines are.

use rayon::prelude::*;
use seega_rules::{BySide, Position, Rules, Side};
use serde::{Deserialize, Serialize};

use crate::geometry::Geometry;
use crate::solve::{Solved, full_turns};
use crate::value::{Turns, Value};

/// A class in figures. Positions are those in which a turn begins with the quiet counter at 0, all of them and not only
/// one of each eight that are symmetric; what follows a skipped turn is counted apart.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Summary {
    /// Positions.
    pub positions: u64,
    /// Won by the mover.
    pub wins: u64,
    /// Drawn.
    pub draws: u64,
    /// Lost by the mover.
    pub losses: u64,
    /// Positions after a skipped turn under `must_open`, besides.
    pub after_skip: u64,
    /// The most turns that a value takes up to the next capture or the end: with fewer left before the quiet limit it would
    /// be another. 0 where none depends on them.
    pub longest: Turns,
    /// A position that takes so many, White to move.
    pub longest_position: String,
}

impl Summary {
    pub(crate) fn of(rules: &Rules, geometry: &Geometry, solved: &Solved) -> Summary {
        let full = full_turns(rules);
        let of_slot = |index: u64| {
            let (own, enemy, images) = solved.ranking.board(index)?;
            if !geometry.has_step(own, enemy) {
                return None;
            }
            let thresholds = solved.thresholds(index as usize);
            let (value, images) = (thresholds.value(full), u64::from(images));
            let of = |wanted| if value == wanted { images } else { 0 };
            let longest = thresholds.since(full).unwrap_or(0);
            Some((images, of(Value::Win), of(Value::Draw), of(Value::Loss), (longest, std::cmp::Reverse(index))))
        };
        let none = (0, 0, 0, 0, (0, std::cmp::Reverse(u64::MAX)));
        let (positions, wins, draws, losses, (longest, std::cmp::Reverse(index))) = (0..solved.ranking.len())
            .into_par_iter()
            .filter_map(of_slot)
            .reduce(|| none, |a, b| (a.0 + b.0, a.1 + b.1, a.2 + b.2, a.3 + b.3, a.4.max(b.4)));
        let longest_position = match solved.ranking.board(index.min(solved.ranking.len() - 1)) {
            Some((own, enemy, _)) if longest > 0 => {
                let stones = BySide { white: geometry.to_board(own), black: geometry.to_board(enemy) };
                let position = Position::in_movement(rules, stones, Side::White, false);
                position.map(|position| position.to_string()).unwrap_or_default()
            }
            _ => String::new(),
        };
        let images = |&index: &u64| solved.ranking.board(index).map_or(0, |(_, _, images)| u64::from(images));
        let after_skip = solved.blocked.par_iter().map(images).sum();
        Summary { positions, wins, draws, losses, after_skip, longest, longest_position }
    }
}
