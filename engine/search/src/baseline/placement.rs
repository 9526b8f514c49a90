//! How players without a network place their stones.
//!
//! A stone is taken on a line through its square, so a square is the safer the fewer lines run through it: none in a
//! corner, one on the edge, two or four within. The rule is to place on a square with the fewest lines of capture,
//! further from the centre before nearer; of equal squares any. This fills corners and edges first, which is most of
//! what separates a plain player from one that places at random.

use rand::Rng;
use seega_rules::{Action, BoardSize, Directions, Position, Rules, Side, Square};

use super::pick_highest;

/// The safety of a stone on a square: higher is better. From 0 (most lines, nearest to the centre).
pub fn safety(rules: &Rules, square: Square) -> i32 {
    let size = rules.size;
    let last = size.side() - 1;
    let inside = |coordinate: u8| coordinate > 0 && coordinate < last;
    let (file, rank) = (inside(square.file()), inside(square.rank()));
    let mut lines = i32::from(file) + i32::from(rank);
    if rules.capture_dirs == Directions::All && file && rank {
        lines += 2;
    }
    const MOST_LINES: i32 = 4;
    const MOST_DISTANCE: i32 = 16;
    (MOST_LINES - lines) * MOST_DISTANCE + distance_from_center(size, square)
}

/// Steps along ranks and files to the centre, at most 8.
fn distance_from_center(size: BoardSize, square: Square) -> i32 {
    let center = size.center();
    i32::from(square.file().abs_diff(center.file())) + i32::from(square.rank().abs_diff(center.rank()))
}

/// The sum of White's stones' safety, less Black's.
pub fn lead(rules: &Rules, position: &Position) -> i32 {
    let sum = |side| position.stones(side).iter().map(|square| safety(rules, square)).sum::<i32>();
    sum(Side::White) - sum(Side::Black)
}

/// The placement to make, of the legal ones.
pub fn choose(rules: &Rules, actions: &[Action], random: &mut dyn Rng) -> Action {
    pick_highest(actions, random, |action| match action {
        Action::Place(square) => safety(rules, square),
        Action::Step { .. } | Action::Stop => 0,
    })
}
