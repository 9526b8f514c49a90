//! A position as the numbers that go into a network: spatial planes, and scalars.
//!
//! Everything is told as the mover sees it, and nothing that changes the value of a position is left out: two positions
//! with the same input have the same value. Each number is from 0 to 1.

use seega_rules::{
    Bitboard, Blocked, BoardSize, Chain, Directions, FirstMover, PerTurn, Phase, Position, QuietResult, Rules, Side,
};

/// The spatial planes, in order: the mover's stones, the opponent's, the centre, the stone that captured last in this
/// turn, and the squares on the board (all of them; it tells the edge from the padding).
pub const PLANES: usize = 5;

/// The scalars, in order, each with what it tells and its scale.
pub const SCALARS: [(&str, &str); 27] = [
    ("placement", "1 in the placement phase"),
    ("left", "stones left to place in this turn / 2"),
    ("quiet", "quiet counter / quiet limit"),
    ("chain_captures", "c / (c + 4), c capturing steps made in this turn"),
    ("opening", "1 for the first step after a turn skipped under must_open"),
    ("makes_first_step", "1 in placement if the mover makes the first step"),
    ("size_5", "1 on 5x5"),
    ("size_7", "1 on 7x7"),
    ("size_9", "1 on 9x9"),
    ("per_turn", "stones placed a turn - 1"),
    ("cross", "1 if the first four stones stand already"),
    ("last_placer_first", "1 if the side that placed last makes the first step"),
    ("moves_all", "1 if stones step diagonally too"),
    ("jumps_stones", "1 if stones are jumped"),
    ("jumps_center", "1 if the centre is jumped"),
    ("captures_all", "1 if stones are clamped diagonally too"),
    ("center_safe", "1 if a stone on the centre can't be captured"),
    ("chain_same_piece", "1 if chain = same_piece"),
    ("chain_any_piece", "1 if chain = any_piece"),
    ("chain_any_move", "1 if chain = any_move"),
    ("chain_optional", "1 if a chain may be stopped"),
    ("chain_limit", "1 / chain_limit; 0 without a limit"),
    ("blocked_loses", "1 if blocked = loses"),
    ("blocked_must_open", "1 if blocked = must_open"),
    ("lose_at", "lose_at / 3"),
    ("quiet_limit", "l / (l + 50), l the quiet limit"),
    ("quiet_count", "1 if quiet_result = count"),
];

/// The numbers of the planes on that board.
pub const fn planes_len(size: BoardSize) -> usize {
    PLANES * size.squares() as usize
}

/// Adds a position's planes, plane by plane, each rank by rank from a1: the order of other programs.
pub fn encode_planes(position: &Position, planes: &mut Vec<f32>) {
    encode(position, planes, |plane, square, squares| plane * squares + square);
}

/// Adds a position's planes, square by square rank by rank from a1, each with its number in every plane: the order in
/// which this project's forward passes read them.
pub fn encode_squares(position: &Position, planes: &mut Vec<f32>) {
    encode(position, planes, |plane, square, _| square * PLANES + plane);
}

fn encode(position: &Position, planes: &mut Vec<f32>, place: impl Fn(usize, usize, usize) -> usize) {
    let size = position.size();
    let squares = usize::from(size.squares());
    let start = planes.len();
    planes.resize(start + planes_len(size), 0.0);
    let planes = &mut planes[start..];
    let chain = position.chain().map_or(Bitboard::EMPTY, |chain| Bitboard::of(chain.square));
    let sets = [
        position.stones(position.mover()),
        position.stones(position.opponent()),
        Bitboard::of(size.center()),
        chain,
        size.board(),
    ];
    for (plane, set) in sets.into_iter().enumerate() {
        for square in set {
            planes[place(plane, size.index_of(square), squares)] = 1.0;
        }
    }
}

/// Adds a position's scalars.
pub fn encode_scalars(rules: &Rules, position: &Position, scalars: &mut Vec<f32>) {
    let flag = |truth: bool| f32::from(u8::from(truth));
    let left = match position.phase() {
        Phase::Placement { left } => left,
        Phase::Movement | Phase::Opening => 0,
    };
    let captures = f32::from(position.chain().map_or(0, |chain| chain.captures));
    let first = match rules.first_mover {
        FirstMover::Starter => Side::White,
        FirstMover::LastPlacer => Side::Black,
    };
    let limit = rules.quiet_limit.get() as f32;
    let values: [f32; SCALARS.len()] = [
        flag(position.is_placement()),
        f32::from(left) / 2.0,
        position.quiet() as f32 / limit,
        captures / (captures + 4.0),
        flag(position.phase() == Phase::Opening),
        flag(position.is_placement() && position.mover() == first),
        flag(rules.size == BoardSize::Five),
        flag(rules.size == BoardSize::Seven),
        flag(rules.size == BoardSize::Nine),
        flag(rules.per_turn == PerTurn::Two),
        flag(rules.cross),
        flag(rules.first_mover == FirstMover::LastPlacer),
        flag(rules.move_dirs == Directions::All),
        flag(rules.jumps.over_stones()),
        flag(rules.jumps.over_center()),
        flag(rules.capture_dirs == Directions::All),
        flag(rules.center_safe),
        flag(rules.chain == Chain::SamePiece),
        flag(rules.chain == Chain::AnyPiece),
        flag(rules.chain == Chain::AnyMove),
        flag(rules.chain_optional),
        rules.chain_limit.map_or(0.0, |limit| 1.0 / limit.get() as f32),
        flag(rules.blocked == Blocked::Loses),
        flag(rules.blocked == Blocked::MustOpen),
        f32::from(rules.lose_at.stones()) / 3.0,
        limit / (limit + 50.0),
        flag(rules.quiet_result == QuietResult::Count),
    ];
    scalars.extend(values);
}
