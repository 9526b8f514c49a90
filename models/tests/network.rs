//! The network on libtorch: folding changes nothing, positions of all sizes go through one network, and the evaluators
//! give what it says.

use rand::rngs::SmallRng;
use rand::{RngExt, SeedableRng};
use seega_models::architecture::Architecture;
use seega_models::checkpoint::{About, Checkpoint};
use seega_models::evaluator::{Backend, Evaluators, NativeEvaluator, Precision, TorchEvaluator};
use seega_models::network::{Network, Norm, planes_tensor};
use seega_models::{action, input};
use seega_rules::{Action, ActionList, BoardSize, Position, Rules, preset};
use seega_search::{Evaluations, Evaluator, Leaf, Seega};
use tch::{Device, Kind, Tensor};

fn about(channels: usize, blocks: usize) -> About {
    Checkpoint::fresh(Architecture { channels, blocks }, Vec::new(), 3).about
}

/// A network whose batch norm is not the identity.
fn network(architecture: Architecture) -> Network {
    let mut checkpoint = Checkpoint::fresh(architecture, Vec::new(), 3);
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
        input::encode_squares(position, &mut planes);
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
    let network = network(Architecture { channels: 8, blocks: 2 });
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

/// The leaves of some positions, each with its actions.
fn legal(rules: &Rules, positions: &[Position]) -> Vec<Vec<Action>> {
    let list = |position: &Position| {
        let mut actions = ActionList::new();
        position.legal_actions(rules, &mut actions);
        actions.to_vec()
    };
    positions.iter().map(list).collect()
}

fn leaves<'a>(rules: &'a Rules, positions: &'a [Position], actions: &'a [Vec<Action>]) -> Vec<Leaf<'a, Seega>> {
    let leaf = |(position, actions): (&'a Position, &'a Vec<Action>)| Leaf { rules, position, actions };
    positions.iter().zip(actions).map(leaf).collect()
}

/// Evaluators give what the unfolded network says, whatever the size of batch, board and network.
fn check_against_the_network<E: Evaluator<Seega, Error: std::fmt::Debug>>(new: impl Fn(&Checkpoint) -> E) {
    let _no_grad = tch::no_grad_guard();
    for (channels, blocks) in [(4, 1), (7, 2), (24, 2), (32, 4)] {
        let checkpoint = network(Architecture { channels, blocks }).checkpoint(about(channels, blocks));
        let network = Network::new(&checkpoint, Device::Cpu);
        let mut evaluator = new(&checkpoint);
        let mut evaluations = Evaluations::default();
        for size in BoardSize::ALL {
            let rules = preset::ALL[0].rules.with_size(size);
            let positions = random_positions(&rules, 20);
            let actions = legal(&rules, &positions);
            let leaves = leaves(&rules, &positions, &actions);
            // Another length than before: nothing may have fixed it.
            for count in [20, 7, 1] {
                evaluator.evaluate(&leaves[..count], &mut evaluations).unwrap();
                assert_eq!(evaluations.len(), count);
                let (planes, scalars) = encode(&rules, &positions[..count]);
                let outputs = network.forward(&planes, &scalars, Norm::Running, false);
                let chances = outputs.chances.softmax(-1, Kind::Float);
                for (index, actions) in actions.iter().enumerate().take(count) {
                    let at = |tensor: &Tensor, place: usize| tensor.double_value(&[index as i64, place as i64]) as f32;
                    let evaluation = evaluations.get(index);
                    let policy =
                        actions.iter().map(|&action| at(&outputs.policy, action::index(size, action).unwrap()));
                    let told = evaluation.chances;
                    let told = [told.win, told.draw, told.loss, evaluation.margin.0];
                    let margin = outputs.margin.double_value(&[index as i64]) as f32;
                    let value = (0..3).map(|place| at(&chances, place)).chain([margin]);
                    for (told, expected) in evaluation.logits.iter().chain(&told).zip(policy.chain(value)) {
                        let difference = (told - expected).abs();
                        assert!(difference < 1e-4, "{channels}x{blocks}, {size}: {told} and {expected}");
                    }
                    assert_eq!(evaluation.logits.len(), actions.len());
                }
            }
        }
    }
}

#[test]
fn the_evaluator_on_libtorch_gives_what_the_network_says() {
    check_against_the_network(|checkpoint| TorchEvaluator::new(checkpoint, Device::Cpu, Precision::F32));
}

#[test]
fn the_native_evaluator_gives_what_the_network_says() {
    check_against_the_network(NativeEvaluator::new);
}

#[test]
fn what_the_native_evaluator_says_does_not_depend_on_the_batch() {
    let checkpoint = network(Architecture { channels: 32, blocks: 3 }).checkpoint(about(32, 3));
    let mut evaluator = NativeEvaluator::new(&checkpoint);
    for size in BoardSize::ALL {
        let rules = preset::ALL[0].rules.with_size(size);
        let positions = random_positions(&rules, 21);
        let actions = legal(&rules, &positions);
        let leaves = leaves(&rules, &positions, &actions);
        let (mut all, mut alone) = (Evaluations::default(), Evaluations::default());
        evaluator.evaluate(&leaves, &mut all).unwrap();
        for (index, leaf) in leaves.iter().enumerate() {
            evaluator.evaluate(std::slice::from_ref(leaf), &mut alone).unwrap();
            assert_eq!(all.get(index), alone.get(0), "{size}, leaf {index}");
        }
    }
}

#[test]
fn threads_that_feed_one_evaluator_get_each_its_own_answers() {
    let checkpoint = network(Architecture { channels: 8, blocks: 2 }).checkpoint(about(8, 2));
    let evaluators = Evaluators::new(&checkpoint, Backend::TorchShared).unwrap();
    std::thread::scope(|scope| {
        // Batches of both sizes wait at once, and of several lengths.
        for thread in 0..6 {
            let (evaluators, checkpoint) = (&evaluators, &checkpoint);
            scope.spawn(move || {
                let size = if thread % 2 == 0 { BoardSize::Five } else { BoardSize::Seven };
                let rules = preset::ALL[thread % 3].rules.with_size(size);
                let positions = random_positions(&rules, 5 + thread);
                let actions = legal(&rules, &positions);
                let leaves = leaves(&rules, &positions, &actions);
                let mut expected = Evaluations::default();
                NativeEvaluator::new(checkpoint).evaluate(&leaves, &mut expected).unwrap();
                let (mut evaluator, mut found) = (evaluators.for_thread(), Evaluations::default());
                for _ in 0..20 {
                    evaluator.evaluate(&leaves, &mut found).unwrap();
                    assert_eq!(found.len(), leaves.len());
                    for index in 0..leaves.len() {
                        let (expected, found) = (expected.get(index), found.get(index));
                        assert!((expected.chances.win - found.chances.win).abs() < 1e-4);
                        for (expected, found) in expected.logits.iter().zip(found.logits) {
                            assert!((expected - found).abs() < 1e-4, "thread {thread}, leaf {index}");
                        }
                    }
                    evaluator.evaluate(&[], &mut found).unwrap();
                    assert!(found.is_empty());
                }
            });
        }
    });
}

#[test]
fn a_batch_of_two_sizes_or_without_finite_numbers_is_refused() {
    let mut checkpoint = network(Architecture { channels: 4, blocks: 1 }).checkpoint(about(4, 1));
    let rules = [BoardSize::Five, BoardSize::Seven].map(|size| preset::ALL[0].rules.with_size(size));
    let positions = rules.each_ref().map(|rules| random_positions(rules, 1)[0]);
    let leaf = |index: usize| Leaf { rules: &rules[index], position: &positions[index], actions: &[] };
    let refused = |checkpoint: &Checkpoint, backend, leaves: &[Leaf<'_, Seega>]| {
        let mut evaluator = Evaluators::new(checkpoint, backend).unwrap().for_thread();
        evaluator.evaluate(leaves, &mut Evaluations::default()).unwrap_err().to_string()
    };
    for backend in [Backend::Native, Backend::Torch(Precision::F32), Backend::TorchShared] {
        assert_eq!(refused(&checkpoint, backend, &[leaf(0), leaf(1)]), "a batch holds one board size");
    }
    checkpoint.tensors.get_mut("value.margin.bias").unwrap()[0] = f32::NAN;
    for backend in [Backend::Native, Backend::Torch(Precision::F32), Backend::TorchShared] {
        assert_eq!(refused(&checkpoint, backend, &[leaf(0)]), "the network gave a number that is not finite");
    }
}
