//! Random generators that only depend on what they are for.

use rand::SeedableRng;
use rand::rngs::SmallRng;
use seega_rules::mix;

/// What a generator is for: different purposes never share one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Purpose {
    /// A game of self-play.
    Game,
    /// Drawing batches for the trainer.
    Batches,
    /// Measuring on the ladder.
    Ladder,
}

/// The generator of a purpose in a generation of a run; `number` tells its users apart (a game's number).
pub fn random_for(seed: u64, purpose: Purpose, generation: u32, number: u64) -> SmallRng {
    let mut state = 0u64;
    for part in [seed, purpose as u64, u64::from(generation), number] {
        state = mix(state ^ part);
    }
    SmallRng::seed_from_u64(state)
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::Rng;

    #[test]
    fn each_game_of_each_generation_has_its_own() {
        let mut seen = std::collections::HashSet::new();
        for generation in 0..20 {
            for number in 0..50 {
                for purpose in [Purpose::Game, Purpose::Batches, Purpose::Ladder] {
                    assert!(seen.insert(random_for(1, purpose, generation, number).next_u64()));
                }
            }
        }
        assert_eq!(random_for(1, Purpose::Game, 2, 3).next_u64(), random_for(1, Purpose::Game, 2, 3).next_u64());
    }
}
