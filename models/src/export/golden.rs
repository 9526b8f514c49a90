//! Golden positions: positions of the rules on which a network was trained, and of others that are asked for, with what
//! goes in and what libtorch gives. Every program that runs the network can be held against them.

use std::collections::HashSet;
use std::num::NonZeroUsize;

use rand::SeedableRng;
use rand::rngs::SmallRng;
use rand::seq::{IndexedRandom, SliceRandom};
use seega_rules::{ActionList, BoardSize, Phase, Position, Rules};
use serde::{Deserialize, Serialize};
use tch::{Device, Tensor};

use super::{ExportError, TOLERANCE};
use crate::checkpoint::{Checkpoint, NamedRules};
use crate::network::{Network, Norm, planes_tensor};
use crate::onnx::OnnxNetwork;
use crate::{action, input};

/// The seed of the random games from which positions are taken, the same for every network.
const SEED: u64 = 1;

/// Random games from which positions are taken at least, so that chains are among them.
const GAMES: usize = 32;

/// The golden file.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Golden {
    /// The version of inputs and action indexing.
    pub format: u32,
    /// The SHA-256 of the checkpoint's file.
    pub checkpoint_sha256: String,
    /// The rule sets, those on which the network was trained first.
    pub rules: Vec<GoldenRules>,
}

/// A rule set with its positions.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct GoldenRules {
    /// The label.
    pub name: String,
    /// The rules.
    pub rules: Rules,
    /// The positions.
    pub positions: Vec<GoldenPosition>,
}

/// A position with inputs and outputs as `FORMAT.md` fixes them, flat.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct GoldenPosition {
    /// The position's text.
    pub position: String,
    /// The legal actions with their places in the policy.
    pub legal: Vec<LegalAction>,
    /// The planes.
    pub planes: Vec<f32>,
    /// The scalars.
    pub scalars: Vec<f32>,
    /// Logits of all places of the policy.
    pub policy: Vec<f32>,
    /// Logits of win, draw and loss.
    pub chances: Vec<f32>,
    /// The final lead, from -1 to 1.
    pub margin: f32,
}

/// A legal action.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LegalAction {
    /// The action's text.
    pub action: String,
    /// Its place in the policy.
    pub place: usize,
}

impl Golden {
    /// That many positions of each rule set on which the network was trained, and of those of `also`, with what libtorch
    /// gives; `origin` is the SHA-256 of the checkpoint's file. The same for the same network.
    ///
    /// # Errors
    /// The network gives a number that is not finite.
    ///
    /// # Panics
    /// If the checkpoint's tensors are not those of its architecture, which reading one rules out.
    pub fn new(
        checkpoint: &Checkpoint,
        origin: &str,
        positions: NonZeroUsize,
        also: &[NamedRules],
    ) -> Result<Golden, ExportError> {
        let _no_grad = tch::no_grad_guard();
        // Unfolded, so that the check covers the folding too.
        let network = Network::new(checkpoint, Device::Cpu);
        let mut rules = Vec::new();
        for known in checkpoint.about.trained_on.iter().chain(also) {
            let positions = choose(&known.rules, positions.get())
                .iter()
                .map(|position| golden_position(&network, &known.rules, position))
                .collect::<Result<_, _>>()?;
            rules.push(GoldenRules { name: known.name.clone(), rules: known.rules, positions });
        }
        Ok(Golden { format: checkpoint.about.format, checkpoint_sha256: origin.to_owned(), rules })
    }

    /// The number of positions.
    pub fn len(&self) -> usize {
        self.rules.iter().map(|rules| rules.positions.len()).sum()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Holds a network against the outputs, with the positions of each rule set in one batch and one by one: the
    /// largest difference, in outputs with numbers beyond 1 as a share of the largest.
    ///
    /// # Errors
    /// The network can't be run, or a number differs by more than [`TOLERANCE`].
    pub fn check(&self, network: &OnnxNetwork) -> Result<f32, ExportError> {
        let mut largest = 0f32;
        for GoldenRules { rules, positions, .. } in &self.rules {
            largest = largest.max(check_batch(network, rules.size, positions)?);
            for position in positions.chunks(1) {
                largest = largest.max(check_batch(network, rules.size, position)?);
            }
        }
        Ok(largest)
    }
}

fn golden_position(network: &Network, rules: &Rules, position: &Position) -> Result<GoldenPosition, ExportError> {
    let size = rules.size;
    let (mut planes, mut squares, mut scalars) = (Vec::new(), Vec::new(), Vec::new());
    input::encode_planes(position, &mut planes);
    input::encode_squares(position, &mut squares);
    input::encode_scalars(rules, position, &mut scalars);
    let outputs = network.forward(
        &planes_tensor(&squares, size, 1),
        &Tensor::from_slice(&scalars).reshape([1, input::SCALARS.len() as i64]),
        Norm::Running,
        false,
    );
    let numbers = |output: &'static str, tensor: &Tensor| -> Result<Vec<f32>, ExportError> {
        let numbers = Vec::<f32>::try_from(tensor.contiguous().view(-1)).expect("an output is a tensor of floats");
        match numbers.iter().find(|number| !number.is_finite()) {
            Some(&found) => Err(ExportError::NotFinite { output, found, position: position.to_string() }),
            None => Ok(numbers),
        }
    };
    let mut actions = ActionList::new();
    position.legal_actions(rules, &mut actions);
    let legal = actions.iter().map(|&action| {
        let place = action::index(size, action).expect("every legal action has its place in the policy");
        LegalAction { action: action.to_string(), place }
    });
    Ok(GoldenPosition {
        position: position.to_string(),
        legal: legal.collect(),
        policy: numbers("policy", &outputs.policy)?,
        chances: numbers("chances", &outputs.chances)?,
        margin: numbers("margin", &outputs.margin)?[0],
        planes,
        scalars,
    })
}

/// Runs positions as one batch and gives the largest difference.
fn check_batch(network: &OnnxNetwork, size: BoardSize, positions: &[GoldenPosition]) -> Result<f32, ExportError> {
    let planes: Vec<f32> = positions.iter().flat_map(|position| &position.planes).copied().collect();
    let scalars: Vec<f32> = positions.iter().flat_map(|position| &position.scalars).copied().collect();
    let outputs = network.run(size, &planes, &scalars)?;
    let mut largest = 0f32;
    for (index, golden) in positions.iter().enumerate() {
        let places = action::policy_len(size);
        let of_position = [
            ("policy", &golden.policy[..], &outputs.policy[index * places..][..places]),
            ("chances", &golden.chances[..], &outputs.chances[index * 3..][..3]),
            ("margin", &[golden.margin][..], &outputs.margin[index..][..1]),
        ];
        for (output, expected, found) in of_position {
            // Sums of large numbers are rounded coarsely, also where they come out small.
            let scale = expected.iter().fold(1.0, |scale: f32, number| scale.max(number.abs()));
            for (place, (&expected, &found)) in expected.iter().zip(found).enumerate() {
                let difference = (expected - found).abs() / scale;
                if difference.is_nan() || difference > TOLERANCE {
                    let position = golden.position.clone();
                    return Err(ExportError::Disagrees { output, place, found, expected, position });
                }
                largest = largest.max(difference);
            }
        }
    }
    Ok(largest)
}

/// Distinct positions of random games: in turn one of placement, of movement, of a chain, and of an opening, as far as
/// the games have them.
fn choose(rules: &Rules, count: usize) -> Vec<Position> {
    let mut random = SmallRng::seed_from_u64(SEED);
    let mut kinds: [Vec<Position>; 4] = Default::default();
    let mut seen = HashSet::new();
    let mut actions = ActionList::new();
    let mut games = 0;
    while games < GAMES || seen.len() < count {
        let mut position = Position::start(rules);
        while position.outcome().is_none() {
            if seen.insert(position.to_string()) {
                kinds[kind(&position)].push(position);
            }
            position.legal_actions(rules, &mut actions);
            let &action = actions.choose(&mut random).expect("a game that goes on has an action");
            position.apply(rules, action);
        }
        games += 1;
    }
    for positions in &mut kinds {
        positions.shuffle(&mut random);
    }
    let mut chosen = Vec::with_capacity(count);
    while chosen.len() < count {
        let room = count - chosen.len();
        chosen.extend(kinds.iter_mut().filter_map(Vec::pop).take(room));
    }
    chosen
}

/// The list of `choose` to which a position belongs.
fn kind(position: &Position) -> usize {
    match (position.phase(), position.chain()) {
        (Phase::Placement { .. }, _) => 0,
        (Phase::Movement, None) => 1,
        (Phase::Movement, Some(_)) => 2,
        (Phase::Opening, _) => 3,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use seega_rules::preset;

    #[test]
    fn the_positions_are_distinct_and_of_every_kind_that_the_rules_have() {
        for preset in &preset::ALL {
            let chosen = choose(&preset.rules, 9);
            assert_eq!(chosen.len(), 9, "{}", preset.name);
            assert_eq!(chosen.iter().map(Position::to_string).collect::<HashSet<_>>().len(), 9);
            let kinds: HashSet<usize> = chosen.iter().map(kind).collect();
            let has_chains = preset.rules.chain != seega_rules::Chain::None;
            assert!(kinds.is_superset(&HashSet::from([0, 1])), "{}: {kinds:?}", preset.name);
            assert_eq!(kinds.contains(&2), has_chains, "{}: {kinds:?}", preset.name);
        }
        assert_eq!(choose(&preset::ALL[0].rules, 1000).len(), 1000);
    }
}
