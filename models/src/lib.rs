//! What the seega project knows of networks.
//!
//! For now this crate settles one thing: that libtorch is found, linked and computes. Its feature `torch` (on by
//! default) brings `tch`; without the feature the crate builds on a machine that has no libtorch.

#[cfg(feature = "torch")]
pub use tch;
