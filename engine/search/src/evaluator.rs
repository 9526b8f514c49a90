//! What the search asks of a network: leaves go out, evaluations come back, many at a time.

use crate::game::Game;
use crate::value::{Chances, MoverView};

/// A position to be evaluated, with what the search already knows of it.
#[derive(Debug)]
pub struct Leaf<'a, G: Game> {
    /// The rules of its game.
    pub rules: &'a G::Rules,
    /// The position; its game goes on.
    pub position: &'a G::Position,
    /// Its legal actions.
    pub actions: &'a [G::Action],
}

impl<G: Game> Clone for Leaf<'_, G> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<G: Game> Copy for Leaf<'_, G> {}

/// What an evaluator says of a leaf.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Evaluation<'a> {
    /// A logit for each legal action, in their order.
    pub logits: &'a [f32],
    /// The chances of the mover.
    pub chances: Chances,
    /// The expected lead in material at the end, as the mover sees it, from -1 to 1; 0 where it is not told.
    pub margin: MoverView,
}

/// The evaluations of a batch of leaves, in their order. It is used again and again, so that nothing is allocated for
/// each leaf.
#[derive(Clone, Debug, Default)]
pub struct Evaluations {
    logits: Vec<f32>,
    ends: Vec<usize>,
    values: Vec<(Chances, MoverView)>,
}

impl Evaluations {
    /// Forgets everything, keeping the memory.
    pub fn clear(&mut self) {
        self.logits.clear();
        self.ends.clear();
        self.values.clear();
    }

    /// Adds the next leaf's evaluation.
    pub fn push(&mut self, logits: impl IntoIterator<Item = f32>, chances: Chances, margin: MoverView) {
        self.logits.extend(logits);
        self.ends.push(self.logits.len());
        self.values.push((chances, margin));
    }

    /// How many leaves were evaluated.
    pub fn len(&self) -> usize {
        self.values.len()
    }

    /// Whether no leaf was evaluated.
    pub fn is_empty(&self) -> bool {
        self.values.is_empty()
    }

    /// The evaluation of a leaf.
    ///
    /// # Panics
    /// If there are not as many.
    pub fn get(&self, index: usize) -> Evaluation<'_> {
        let start = index.checked_sub(1).map_or(0, |before| self.ends[before]);
        let (chances, margin) = self.values[index];
        Evaluation { logits: &self.logits[start..self.ends[index]], chances, margin }
    }
}

/// Something that evaluates leaves.
pub trait Evaluator<G: Game> {
    /// What goes wrong when it can't.
    type Error;

    /// Evaluates the leaves; `out` is cleared first and holds as many evaluations then, in the same order.
    ///
    /// # Errors
    /// What the evaluator itself says.
    fn evaluate(&mut self, leaves: &[Leaf<'_, G>], out: &mut Evaluations) -> Result<(), Self::Error>;
}

/// The evaluator that knows nothing: all actions and all ends are equally likely.
#[derive(Clone, Copy, Debug, Default)]
pub struct Uniform;

impl<G: Game> Evaluator<G> for Uniform {
    type Error = std::convert::Infallible;

    fn evaluate(&mut self, leaves: &[Leaf<'_, G>], out: &mut Evaluations) -> Result<(), Self::Error> {
        out.clear();
        for leaf in leaves {
            out.push(leaf.actions.iter().map(|_| 0.0), Chances::EVEN, MoverView(0.0));
        }
        Ok(())
    }
}
