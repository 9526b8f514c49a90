//! Positions as tensors: what goes into the network, and what it should have said.

use rand::RngExt;
use rand::rngs::SmallRng;
use seega_models::{action, input, network};
use seega_rules::{ActionList, BoardSize, Rules, Symmetry};
use seega_search::GameEnd;
use seega_selfplay::Sample;
use tch::{Device, Kind, Tensor};

/// A batch of positions on boards of one size.
#[derive(Debug)]
pub struct Batch {
    /// `[batch, planes, side, side]`.
    pub planes: Tensor,
    /// `[batch, scalars]`.
    pub scalars: Tensor,
    /// True where an action is legal: `[batch, policy]`.
    pub legal: Tensor,
    /// The improved policy: `[batch, policy]`, zero where there is none to learn.
    pub policy: Tensor,
    /// 1 where there is a policy to learn: `[batch]`.
    pub has_policy: Tensor,
    /// How the game ended for the mover: 0 win, 1 draw, 2 loss: `[batch]`.
    pub end: Tensor,
    /// What the search thought, for the mover: `[batch]`.
    pub root_value: Tensor,
    /// The lead in stones at the end, for the mover: `[batch]`.
    pub margin: Tensor,
    /// Plies left, over [`network::PLIES_SCALE`]: `[batch]`.
    pub plies: Tensor,
    /// The final owner of each square: 0 mover, 1 opponent, 2 nobody: `[batch, side, side]`.
    pub owner: Tensor,
}

impl Batch {
    /// A batch of positions, each on a board turned at random.
    pub fn new(size: BoardSize, positions: &[(&Rules, &Sample)], random: &mut SmallRng, device: Device) -> Batch {
        let count = positions.len();
        let length = action::policy_len(size);
        let squares = usize::from(size.squares());
        let (mut planes, mut scalars) = (Vec::new(), Vec::new());
        let mut legal = vec![false; count * length];
        let mut policy = vec![0f32; count * length];
        let mut owner = vec![2i64; count * squares];
        let (mut has_policy, mut end, mut root_value) = (Vec::new(), Vec::new(), Vec::new());
        let (mut margin, mut plies) = (Vec::new(), Vec::new());
        let mut actions = ActionList::new();
        for (row, &(rules, sample)) in positions.iter().enumerate() {
            let sample = sample.turned(Symmetry::ALL[random.random_range(0..Symmetry::ALL.len())]);
            let position = &sample.position;
            input::encode_squares(position, &mut planes);
            input::encode_scalars(rules, position, &mut scalars);
            position.legal_actions(rules, &mut actions);
            for &action in &actions {
                if let Some(place) = action::index(size, action) {
                    legal[row * length + place] = true;
                }
            }
            for &(place, probability) in &sample.policy {
                policy[row * length + usize::from(place)] = probability;
            }
            has_policy.push(if sample.policy.is_empty() { 0f32 } else { 1.0 });
            end.push(match sample.end.winner() {
                Some(winner) if winner == position.mover() => 0i64,
                None => 1,
                Some(_) => 2,
            });
            debug_assert!(sample.end != GameEnd::Draw || end.last() == Some(&1));
            root_value.push(sample.root_value.0);
            margin.push(sample.final_margin().0);
            plies.push(sample.plies_left as f32 / network::PLIES_SCALE);
            for (side, label) in [(position.mover(), 0), (position.opponent(), 1)] {
                for square in sample.final_stones_of(side) {
                    owner[row * squares + size.index_of(square)] = label;
                }
            }
        }
        let side = i64::from(size.side());
        let rows = count as i64;
        let floats = |values: &[f32], shape: &[i64]| Tensor::from_slice(values).reshape(shape).to_device(device);
        let numbers = |values: &[i64], shape: &[i64]| Tensor::from_slice(values).reshape(shape).to_device(device);
        Batch {
            planes: network::planes_tensor(&planes, size, count).to_device(device),
            scalars: floats(&scalars, &[rows, input::SCALARS.len() as i64]),
            legal: Tensor::from_slice(&legal).to_kind(Kind::Bool).reshape([rows, length as i64]).to_device(device),
            policy: floats(&policy, &[rows, length as i64]),
            has_policy: floats(&has_policy, &[rows]),
            end: numbers(&end, &[rows]),
            root_value: floats(&root_value, &[rows]),
            margin: floats(&margin, &[rows]),
            plies: floats(&plies, &[rows]),
            owner: numbers(&owner, &[rows, side, side]),
        }
    }
}
