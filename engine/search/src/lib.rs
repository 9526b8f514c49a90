//! Search for the Seega family of board games.
//!
//! A [`Search`] grows a tree from a position, guided by an [`Evaluator`]: by Gumbel AlphaZero or by PUCT. It is generic
//! over a small [`Game`] trait, so that it is tested on toy games whose values are known by hand. Values say whose they
//! are ([`WhiteView`], [`MoverView`]), since in these games sides do not alternate.
//!
//! [`baseline`] plays without a network: the players against which a learnt one is measured.
//!
//! Networks are left to the crates above: an evaluator takes a batch of leaves and gives their evaluations.

pub mod baseline;
mod evaluator;
mod game;
mod gumbel;
mod puct;
mod search;
mod tree;
mod value;

pub use evaluator::{Evaluation, Evaluations, Evaluator, Leaf, Uniform};
pub use game::{Game, Seega};
pub use gumbel::{GumbelSettings, softmax};
pub use puct::PuctSettings;
pub use search::{RootAction, Search, SearchRule, SearchSettings};
pub use tree::Proof;
pub use value::{Chances, GameEnd, MoverView, WhiteView};
