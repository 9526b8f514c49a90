//! What the tree search asks of a game.

use std::fmt::Debug;

use seega_rules::{Action, ActionList, Position, Rules, Side};

use crate::value::{GameEnd, WhiteView};

/// A game for two with perfect information, without chance, that always ends.
///
/// The search is generic over it so that it can be tested on toy games whose values are worked out by hand. Sides need
/// not alternate.
pub trait Game {
    /// What stays the same throughout a game.
    type Rules: Debug;
    /// A position, with all that its value depends on.
    type Position: Clone + Debug;
    /// What a side does in one ply.
    type Action: Copy + PartialEq + Debug;

    /// The side that makes the next ply.
    fn mover(position: &Self::Position) -> Side;

    /// How the game ended; `None` while it goes on.
    fn end(rules: &Self::Rules, position: &Self::Position) -> Option<GameEnd>;

    /// Adds the legal actions, in an order that only depends on the position: none exactly when the game is over.
    fn legal_actions(rules: &Self::Rules, position: &Self::Position, actions: &mut Vec<Self::Action>);

    /// Does a legal action.
    fn apply(rules: &Self::Rules, position: &mut Self::Position, action: Self::Action);

    /// The lead in material, from -1 to 1. It is no part of a game's value; a search may give it a small weight where
    /// results alone say too little to learn from.
    fn margin(rules: &Self::Rules, position: &Self::Position) -> WhiteView;
}

/// The Seega family.
#[derive(Clone, Copy, Debug)]
pub struct Seega;

impl Game for Seega {
    type Rules = Rules;
    type Position = Position;
    type Action = Action;

    #[inline]
    fn mover(position: &Position) -> Side {
        position.mover()
    }

    #[inline]
    fn end(_: &Rules, position: &Position) -> Option<GameEnd> {
        position.outcome().map(|outcome| GameEnd::of_winner(outcome.winner))
    }

    #[inline]
    fn legal_actions(rules: &Rules, position: &Position, actions: &mut Vec<Action>) {
        let mut list = ActionList::new();
        position.legal_actions(rules, &mut list);
        actions.extend_from_slice(&list);
    }

    #[inline]
    fn apply(rules: &Rules, position: &mut Position, action: Action) {
        position.apply(rules, action);
    }

    /// The difference of the stones, over a side's number of stones.
    #[inline]
    fn margin(_: &Rules, position: &Position) -> WhiteView {
        let stones = |side| f32::from(position.stones(side).count());
        let lead = stones(Side::White) - stones(Side::Black);
        WhiteView(lead / f32::from(position.size().stones_per_side()))
    }
}
