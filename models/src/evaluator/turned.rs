//! Leaves on turned boards.

use seega_rules::{ActionList, Position, Symmetry};
use seega_search::{Leaf, Seega};

/// A leaf on a board that is turned or mirrored. Which of the eight ways it is comes from the position's hash: what a
/// network has learnt of one of them better than of another evens out over the leaves of a search.
#[derive(Clone, Debug)]
pub struct Turned {
    position: Position,
    actions: ActionList,
}

impl Turned {
    /// Turns a leaf; with each of the eight numbers of `turned_by` another way.
    pub fn new(leaf: &Leaf<'_, Seega>, turned_by: u64) -> Turned {
        // The top bits: the lower ones choose the slots of hash tables.
        let symmetry = Symmetry::ALL[((leaf.position.hash() >> 61) ^ (turned_by % 8)) as usize];
        let size = leaf.position.size();
        Turned {
            position: symmetry.position(leaf.position),
            actions: leaf.actions.iter().map(|&action| symmetry.action(size, action)).collect(),
        }
    }

    /// What is to be evaluated. The actions stand in the order of the leaf's own, so that the evaluation fits it as it
    /// is.
    pub fn leaf<'a>(&'a self, leaf: &Leaf<'a, Seega>) -> Leaf<'a, Seega> {
        Leaf { rules: leaf.rules, position: &self.position, actions: &self.actions }
    }
}
