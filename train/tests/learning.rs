//! The trainer learns: ten games by heart, with the right sign for both sides; and its averaged weights are as good.

use std::sync::atomic::AtomicBool;

use rand::SeedableRng;
use rand::rngs::SmallRng;
use seega_models::checkpoint::{Checkpoint, NamedRules};
use seega_models::network::{Network, Norm};
use seega_rules::{Action, Rules, Side, Square, preset};
use seega_search::{Chances, Evaluations, Evaluator, GameEnd, Leaf, MoverView, Seega};
use seega_selfplay::{Generation, Progress, Sample, Settings, Worker};
use seega_train::batch::Batch;
use seega_train::{Recipe, Trainer, Window};
use tch::Device;

/// An evaluator that likes captures and the edge, so that its searches have a policy that can be learnt. It is the same
/// on a turned board.
struct Opinions;

impl Evaluator<Seega> for Opinions {
    type Error = std::convert::Infallible;

    fn evaluate(&mut self, leaves: &[Leaf<'_, Seega>], out: &mut Evaluations) -> Result<(), Self::Error> {
        out.clear();
        for leaf in leaves {
            let center = leaf.rules.size.center();
            let distance = |square: Square| {
                f32::from(square.file().abs_diff(center.file()) + square.rank().abs_diff(center.rank()))
            };
            let logits = leaf.actions.iter().map(|action| match *action {
                Action::Place(square) => distance(square),
                Action::Step { from, to } => {
                    distance(to) + 2.0 * f32::from(leaf.position.captures(leaf.rules, from, to).count())
                }
                Action::Stop => 0.0,
            });
            out.push(logits, Chances::EVEN, MoverView(0.0));
        }
        Ok(())
    }
}

fn rules() -> Rules {
    preset::ALL[0].rules
}

/// Positions of games by that evaluator; only decided games.
fn samples(games: usize, seed: u64) -> Vec<Sample> {
    let settings = Settings { games: 8, drawn_plies: 30, cache: 0, ..Settings::default() };
    let mut worker = Worker::new(settings, rules(), 0, Vec::new());
    let part = Generation { seed, number: 1, worker: 0, workers: 1, plies: 250 * games as u64, games: None };
    let (played, _) = worker.play(part, &mut Opinions, &Progress::default(), &AtomicBool::new(false)).unwrap();
    let mut decided: Vec<Vec<Sample>> = played.iter().map(|game| game.samples(&rules()).unwrap()).collect();
    decided.retain(|samples| samples.first().is_some_and(|sample| sample.end != GameEnd::Draw));
    decided.truncate(games);
    assert_eq!(decided.len(), games);
    decided.concat()
}

fn trainer(overrides: &str) -> Trainer {
    let text = format!("rules = [\"sija\"]\nchannels = 16\nblocks = 2\nbatch = 64\nwarmup = 500.0\n{overrides}");
    let recipe = Recipe::read(&text, &[]).unwrap();
    let named = NamedRules { name: "sija".to_owned(), rules: rules() };
    Trainer::new(&recipe, &Checkpoint::fresh(recipe.architecture(), vec![named], 1))
}

fn batch(samples: &[Sample]) -> Batch {
    let rules = rules();
    let positions: Vec<(&Rules, &Sample)> = samples.iter().map(|sample| (&rules, sample)).collect();
    Batch::new(rules.size, &positions, &mut SmallRng::seed_from_u64(5), Device::Cpu)
}

#[test]
fn ten_games_are_learnt_by_heart_with_the_right_sign() {
    let samples = samples(10, 1);
    let mut window = Window::default();
    window.add(rules(), samples.clone());
    let mut random = SmallRng::seed_from_u64(2);
    let mut trainer = trainer(
        "value_mix = 0.0\nlearning_rate = 0.005\ntrain_threads = 2\nrate_half_life = 100000.0\nweight_decay = 0.0",
    );
    let first = trainer.train(&window, 20, &mut random, || true).unwrap();
    trainer.train(&window, 700, &mut random, || true).unwrap();
    let last = trainer.train(&window, 20, &mut random, || true).unwrap();
    assert!(last.result < 0.1 && first.result > 0.5, "{first:?} to {last:?}");
    assert!(last.policy < 0.35 * first.policy, "{first:?} to {last:?}");

    // Of a decided game the winner's positions are wins and the loser's losses, whoever is White.
    let network = Network::new(&trainer.averaged(&window, &mut random, None).unwrap(), Device::Cpu);
    let all = batch(&samples);
    let outputs = tch::no_grad(|| network.forward(&all.planes, &all.scalars, Norm::Running, false));
    let chances = outputs.chances.softmax(-1, tch::Kind::Float);
    let mut right = [[0u32; 2]; 2];
    for (row, sample) in samples.iter().enumerate() {
        let value = chances.double_value(&[row as i64, 0]) - chances.double_value(&[row as i64, 2]);
        let mover = sample.position.mover();
        let won = sample.end.winner() == Some(mover);
        right[usize::from(mover == Side::White)][usize::from((value > 0.0) == won)] += 1;
    }
    for [wrong, right] in right {
        assert!(right > 20 && f64::from(right) > 0.95 * f64::from(right + wrong), "{right} right, {wrong} wrong");
    }
}

#[test]
fn the_averaged_network_is_no_worse_on_positions_it_has_not_seen() {
    let mut window = Window::default();
    window.add(rules(), samples(60, 3));
    let held_out = batch(&samples(10, 4));
    let mut random = SmallRng::seed_from_u64(2);
    let mut trainer = trainer("train_threads = 1");
    trainer.train(&window, 200, &mut random, || true).unwrap();
    let averaged = Network::new(&trainer.averaged(&window, &mut random, None).unwrap(), Device::Cpu);
    // Norm::Batch moves the running statistics, so it comes last.
    let running = trainer.losses_of(&averaged, &held_out, Norm::Running);
    let folded = trainer.losses_of(&averaged.fold(), &held_out, Norm::Running);
    let of_batch = trainer.losses_of(&averaged, &held_out, Norm::Batch);
    assert!((running.result - folded.result).abs() < 1e-4, "{running:?} {folded:?}");
    for ((name, running), (_, of_batch)) in running.parts().into_iter().zip(of_batch.parts()) {
        assert!(
            running < 1.05 * of_batch + 0.01,
            "{name}: {running} with running statistics, {of_batch} with the batch's"
        );
    }
}

#[test]
fn the_state_comes_back_as_it_was() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("state.safetensors");
    let mut window = Window::default();
    window.add(rules(), samples(4, 6));
    let mut one = trainer("train_threads = 2");
    one.train(&window, 5, &mut SmallRng::seed_from_u64(7), || true).unwrap();
    one.write_state(&path).unwrap();
    let recipe = Recipe::read(
        "rules = [\"sija\"]\nchannels = 16\nblocks = 2\nbatch = 64\nwarmup = 500.0\ntrain_threads = 2",
        &[],
    );
    let mut other = Trainer::read_state(&recipe.unwrap(), &path).unwrap();
    let end = |trainer: &mut Trainer| {
        let mut random = SmallRng::seed_from_u64(8);
        let losses = trainer.train(&window, 5, &mut random, || true).unwrap();
        (losses, trainer.averaged(&window, &mut random, None).unwrap())
    };
    assert_eq!(end(&mut one), end(&mut other));
}
