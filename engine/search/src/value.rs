//! Values that say whose they are.
//!
//! In these games a side often moves many plies in a row, so a value must never be negated by ply. [`WhiteView`] and
//! [`MoverView`] are types of their own, and turning one into the other takes the side.

use seega_rules::Side;

/// A value as White sees it: from -1 (Black wins) over 0 (a draw) to 1 (White wins).
#[derive(Clone, Copy, Debug, Default, PartialEq, PartialOrd)]
pub struct WhiteView(pub f32);

/// A value as the side to move sees it: from -1 (it loses) to 1 (it wins).
#[derive(Clone, Copy, Debug, Default, PartialEq, PartialOrd)]
pub struct MoverView(pub f32);

impl WhiteView {
    /// The value as that side sees it, where it is the mover.
    #[inline]
    pub fn seen_by(self, mover: Side) -> MoverView {
        match mover {
            Side::White => MoverView(self.0),
            Side::Black => MoverView(-self.0),
        }
    }
}

impl MoverView {
    /// The value as White sees it.
    #[inline]
    pub fn of(self, mover: Side) -> WhiteView {
        match mover {
            Side::White => WhiteView(self.0),
            Side::Black => WhiteView(-self.0),
        }
    }
}

/// How a game ends, as White sees it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum GameEnd {
    /// Black wins.
    BlackWins,
    /// A draw.
    Draw,
    /// White wins.
    WhiteWins,
}

impl GameEnd {
    /// The end with that winner; `None` is a draw.
    pub fn of_winner(winner: Option<Side>) -> GameEnd {
        match winner {
            Some(Side::White) => GameEnd::WhiteWins,
            Some(Side::Black) => GameEnd::BlackWins,
            None => GameEnd::Draw,
        }
    }

    /// The winner; `None` is a draw.
    pub fn winner(self) -> Option<Side> {
        match self {
            GameEnd::WhiteWins => Some(Side::White),
            GameEnd::BlackWins => Some(Side::Black),
            GameEnd::Draw => None,
        }
    }

    /// The end's value: -1, 0 or 1.
    #[inline]
    pub fn value(self) -> WhiteView {
        WhiteView(match self {
            GameEnd::BlackWins => -1.0,
            GameEnd::Draw => 0.0,
            GameEnd::WhiteWins => 1.0,
        })
    }

    #[inline]
    pub(crate) fn outlook(self) -> Outlook {
        Outlook { result: self.value(), draw: f32::from(u8::from(self == GameEnd::Draw)) }
    }
}

/// The chances of a game's three ends, as the side to move sees them. They sum to 1.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Chances {
    /// That the mover wins.
    pub win: f32,
    /// That the game is drawn.
    pub draw: f32,
    /// That the mover loses.
    pub loss: f32,
}

impl Chances {
    /// All ends equally likely.
    pub const EVEN: Chances = Chances { win: 1.0 / 3.0, draw: 1.0 / 3.0, loss: 1.0 / 3.0 };

    /// The expected value: win - loss.
    #[inline]
    pub fn value(self) -> MoverView {
        MoverView(self.win - self.loss)
    }

    /// The same, as no side's.
    #[inline]
    pub(crate) fn outlook(self, mover: Side) -> Outlook {
        Outlook { result: self.value().of(mover), draw: self.draw }
    }
}

/// What is expected of a game: means of it are taken over simulations.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Outlook {
    /// The result.
    pub(crate) result: WhiteView,
    /// The chance that it is drawn.
    pub(crate) draw: f32,
}

impl Outlook {
    /// The chances as a side sees them.
    pub(crate) fn seen_by(self, mover: Side) -> Chances {
        let value = self.result.seen_by(mover).0;
        let decided = 1.0 - self.draw;
        // Rounding may leave a chance a little below nothing.
        Chances { win: (0.5 * (decided + value)).max(0.0), draw: self.draw, loss: (0.5 * (decided - value)).max(0.0) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_changes_its_sign_with_the_side_and_comes_back() {
        for side in Side::BOTH {
            assert_eq!(WhiteView(0.25).seen_by(side).of(side), WhiteView(0.25));
        }
        assert_eq!(WhiteView(0.25).seen_by(Side::Black), MoverView(-0.25));
        assert_eq!(GameEnd::BlackWins.value().seen_by(Side::Black), MoverView(1.0));
    }
}
