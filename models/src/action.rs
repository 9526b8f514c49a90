//! Actions as places in a network's policy, the same for all sizes: plane × square, and one place for `stop`.
//!
//! Plane 0 is placements; planes 1 to 8 steps by direction, planes 9 to 16 jumps, in the order of [`Direction::ALL`]. The
//! square is where a stone is placed, or from where it moves.

use seega_rules::{Action, BoardSize, Direction, Square};

/// The planes of the policy.
pub const PLANES: usize = 1 + 2 * Direction::ALL.len();

const STEPS: usize = 1;
const JUMPS: usize = STEPS + Direction::ALL.len();

/// Places of a policy on that board: planes × squares, and `stop`.
pub const fn policy_len(size: BoardSize) -> usize {
    PLANES * size.squares() as usize + 1
}

/// The place of an action in the policy; `None` for a step that is neither to the next square nor to the one after.
pub fn index(size: BoardSize, action: Action) -> Option<usize> {
    let (plane, square) = match action {
        Action::Stop => return Some(policy_len(size) - 1),
        Action::Place(square) => (0, square),
        Action::Step { from, to } => (step_plane(from, to)?, from),
    };
    size.contains(square).then(|| plane * usize::from(size.squares()) + size.index_of(square))
}

/// The action of a place in the policy; `None` where it leads off the board.
pub fn action_at(size: BoardSize, index: usize) -> Option<Action> {
    if index + 1 == policy_len(size) {
        return Some(Action::Stop);
    }
    let squares = usize::from(size.squares());
    let square = size.square_at(index % squares)?;
    let (direction, distance) = match index / squares {
        0 => return Some(Action::Place(square)),
        plane if plane < JUMPS => (Direction::ALL[plane - STEPS], 1),
        plane if plane < PLANES => (Direction::ALL[plane - JUMPS], 2),
        _ => return None,
    };
    let (east, north) = direction.vector();
    let file = square.file().checked_add_signed(east * distance)?;
    let rank = square.rank().checked_add_signed(north * distance)?;
    let to = Square::new(file, rank).filter(|&to| size.contains(to))?;
    Some(Action::Step { from: square, to })
}

fn step_plane(from: Square, to: Square) -> Option<usize> {
    let east = to.file() as i8 - from.file() as i8;
    let north = to.rank() as i8 - from.rank() as i8;
    let straight = east == 0 || north == 0 || east.abs() == north.abs();
    let first = match east.abs().max(north.abs()) {
        1 => STEPS,
        2 => JUMPS,
        _ => return None,
    };
    let direction =
        Direction::ALL.iter().position(|&direction| direction.vector() == (east.signum(), north.signum()))?;
    straight.then_some(first + direction)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    #[test]
    fn every_place_on_the_board_round_trips() {
        for size in BoardSize::ALL {
            let mut actions = HashSet::new();
            for place in 0..policy_len(size) {
                if let Some(action) = action_at(size, place) {
                    assert_eq!(index(size, action), Some(place), "{action}");
                    assert!(actions.insert(action));
                }
            }
            assert_eq!(action_at(size, policy_len(size)), None);
        }
    }

    #[test]
    fn what_is_no_action_has_no_place() {
        for text in ["a1-a1", "a1-b3", "a1-d1", "a1-c4"] {
            assert_eq!(index(BoardSize::Nine, text.parse().unwrap()), None, "{text}");
        }
        assert_eq!(index(BoardSize::Five, "f6".parse().unwrap()), None);
    }
}
