//! The hash of a position, kept up to date ply by ply.
//!
//! The stones' part is Zobrist's: a key for each side and square, exclusive-ored as stones come and go. The other four
//! fields fit into one integer and are mixed in when the hash is asked for, which is as cheap as keeping them.

use super::{Phase, Position};
use crate::bitboard::Bitboard;
use crate::side::{BySide, Side};
use crate::square::{MAX_SIZE, STRIDE, Square};

const SQUARES: usize = STRIDE as usize * MAX_SIZE as usize;

static KEYS: BySide<[u64; SQUARES]> = keys();

const fn keys() -> BySide<[u64; SQUARES]> {
    let mut keys = BySide { white: [0; SQUARES], black: [0; SQUARES] };
    let mut square = 0;
    while square < SQUARES {
        keys.white[square] = mix(2 * square as u64 + 1);
        keys.black[square] = mix(2 * square as u64 + 2);
        square += 1;
    }
    keys
}

/// Mixes 64 bits: the finaliser of SplitMix64 (Steele, Lea and Flood, 2014) on the `state`-th state. One to one, and
/// every bit of the result depends on every bit given; the same on every machine. The hash of positions is made of it,
/// and whatever else needs numbers that follow from others.
pub const fn mix(state: u64) -> u64 {
    let mut bits = state.wrapping_mul(0x9e37_79b9_7f4a_7c15);
    bits = (bits ^ bits >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    bits = (bits ^ bits >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    bits ^ bits >> 31
}

#[inline]
pub(super) fn of_stone(side: Side, square: Square) -> u64 {
    KEYS[side][usize::from(square.bit())]
}

pub(super) fn of_stones(stones: &BySide<Bitboard>) -> u64 {
    let of_side = |side| stones[side].iter().fold(0, |hash, square| hash ^ of_stone(side, square));
    of_side(Side::White) ^ of_side(Side::Black)
}

impl Position {
    /// A hash of all five fields. Equal positions have equal hashes, on every machine and in every run of this
    /// version; others differ but for a chance of 2⁻⁶⁴. Rules are not in it: a table shared by several rule sets
    /// needs them in its key.
    #[inline]
    pub fn hash(&self) -> u64 {
        let phase = match self.phase {
            Phase::Placement { left } => u64::from(left),
            Phase::Movement => 3,
            Phase::Opening => 4,
        };
        let (square, captures) = self.chain.map_or((0, 0), |chain| (chain.square.bit(), chain.captures));
        let fields = u64::from(self.quiet)
            | u64::from(square) << 32
            | u64::from(captures) << 40
            | phase << 48
            | (self.mover as u64) << 56;
        // Bit 63 keeps these apart from the states of the stones' keys.
        self.stones_hash ^ mix(fields | 1 << 63)
    }
}
