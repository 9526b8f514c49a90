//! The network on libtorch: folding changes nothing, positions of all sizes go through one network.

use rand::rngs::SmallRng;
use rand::{RngExt, SeedableRng};
use seega_models::architecture::Architecture;
use seega_models::checkpoint::Checkpoint;
use seega_models::evaluator::TorchEvaluator;
use seega_models::network::{Network, Norm, planes_tensor};
use seega_models::{action, input};
use seega_rules::{ActionList, BoardSize, Position, Rules, preset};
use seega_search::{Evaluations, Evaluator, Leaf};
use tch::{Device, Kind, Tensor};

/// A network whose batch norm is not the identity.
fn network() -> Network {
    let mut checkpoint = Checkpoint::fresh(Architecture { channels: 8, blocks: 2 }, Vec::new(), 3);
    let mut random = SmallRng::seed_from_u64(4);
    for (name, values) in &mut checkpoint.tensors {
        if name.contains(".norm.") {
            values.iter_mut().for_each(|value| *value += random.random_range(0.0..0.5));
        }
    }
    Network::new(&checkpoint, Device::Cpu)
}

fn random_positions(rules: &Rules, count: usize) -> Vec<Position> {
    let mut random = SmallRng::seed_from_u64(9);
    let mut positions = Vec::new();
    while positions.len() < count {
        let mut position = Position::start(rules);
        while let Some(action) = position.choose_action(rules, |count| random.random_range(0..count)) {
            positions.push(position);
            position.apply(rules, action);
        }
    }
    positions.truncate(count);
    positions
}

fn encode(rules: &Rules, positions: &[Position]) -> (Tensor, Tensor) {
    let (mut planes, mut scalars) = (Vec::new(), Vec::new());
    for position in positions {
        input::encode_planes(position, &mut planes);
        input::encode_scalars(rules, position, &mut scalars);
    }
    let planes = planes_tensor(&planes, rules.size, positions.len());
    (planes, Tensor::from_slice(&scalars).reshape([positions.len() as i64, input::SCALARS.len() as i64]))
}

fn largest_difference(a: &Tensor, b: &Tensor) -> f64 {
    (a - b).abs().max().double_value(&[])
}

#[test]
fn folding_changes_nothing() {
    let _no_grad = tch::no_grad_guard();
    let network = network();
    for size in BoardSize::ALL {
        let rules = preset::ALL[0].rules.with_size(size);
        let (planes, scalars) = encode(&rules, &random_positions(&rules, 40));
        let plain = network.forward(&planes, &scalars, Norm::Running, true);
        let folded = network.fold().forward(&planes, &scalars, Norm::Running, true);
        assert_eq!(plain.policy.size(), [40, action::policy_len(size) as i64]);
        for (plain, folded) in
            [(&plain.policy, &folded.policy), (&plain.chances, &folded.chances), (&plain.margin, &folded.margin)]
        {
            assert!(plain.std(false).double_value(&[]) > 0.0, "the output says nothing");
            assert!(largest_difference(plain, folded) < 1e-4, "{size}: {}", largest_difference(plain, folded));
        }
    }
}

#[test]
fn the_evaluator_gives_what_the_network_says() {
    let checkpoint = Checkpoint::fresh(Architecture { channels: 8, blocks: 2 }, Vec::new(), 3);
    let network = Network::new(&checkpoint, Device::Cpu);
    let mut evaluator = TorchEvaluator::new(&checkpoint);
    let mut evaluations = Evaluations::default();
    for size in [BoardSize::Five, BoardSize::Nine] {
        let rules = preset::ALL[0].rules.with_size(size);
        let positions = random_positions(&rules, 20);
        let actions: Vec<Vec<_>> = positions
            .iter()
            .map(|position| {
                let mut actions = ActionList::new();
                position.legal_actions(&rules, &mut actions);
                actions.to_vec()
            })
            .collect();
        let leaves: Vec<Leaf<'_, seega_search::Seega>> = positions
            .iter()
            .zip(&actions)
            .map(|(position, actions)| Leaf { rules: &rules, position, actions })
            .collect();
        // The second batch has another length: a trace must not have fixed it.
        for count in [20, 7] {
            evaluator.evaluate(&leaves[..count], &mut evaluations).unwrap();
            assert_eq!(evaluations.len(), count);
        }
        let (planes, scalars) = encode(&rules, &positions[..7]);
        let outputs = tch::no_grad(|| network.forward(&planes, &scalars, Norm::Running, false));
        let chances = outputs.chances.softmax(-1, Kind::Float);
        for (index, actions) in actions.iter().enumerate().take(7) {
            let evaluation = evaluations.get(index);
            let at = |tensor: &Tensor, place: usize| tensor.double_value(&[index as i64, place as i64]) as f32;
            for (&action, &logit) in actions.iter().zip(evaluation.logits) {
                let expected = at(&outputs.policy, action::index(size, action).unwrap());
                assert!((logit - expected).abs() < 1e-4, "{action}: {logit} and {expected}");
            }
            let told = [evaluation.chances.win, evaluation.chances.draw, evaluation.chances.loss];
            for (place, told) in told.into_iter().enumerate() {
                assert!((told - at(&chances, place)).abs() < 1e-4);
            }
        }
    }
}
