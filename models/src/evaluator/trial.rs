//! Trying backends out: how fast each is on this machine, and whether it says what it should.

use std::thread;
use std::time::{Duration, Instant};

use rand::rngs::SmallRng;
use rand::{RngExt, SeedableRng};
use seega_rules::{Action, ActionList, Position, Rules};
use seega_search::{Evaluation, Evaluations, Evaluator, Leaf, Seega};

use super::backend::{Backend, Evaluators};
use super::{EvaluateError, NativeEvaluator};
use crate::checkpoint::Checkpoint;

/// What a trial showed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Trial {
    /// What was tried.
    pub backend: Backend,
    /// Positions that go through at once, on each thread.
    pub batch: usize,
    /// Threads.
    pub threads: usize,
    /// Positions that go through in a second, on all threads together.
    pub per_s: f64,
    /// The largest difference between a probability that it gives and the native evaluator's: of actions and of results.
    pub difference: f32,
}

impl Trial {
    /// Differences up to this are rounding, of 16 bits at most.
    pub const TOLERANCE: f32 = 0.02;

    /// Tries a network for that long on a backend.
    ///
    /// # Errors
    /// The machine has no such backend, or the network can't evaluate.
    ///
    /// # Panics
    /// If there is not at least one thread, with a batch of at least one position.
    pub fn run(
        checkpoint: &Checkpoint,
        rules: &Rules,
        backend: Backend,
        batch: usize,
        threads: usize,
        time: Duration,
    ) -> Result<Trial, EvaluateError> {
        assert!(batch > 0 && threads > 0, "a trial has threads with batches");
        let positions = Positions::new(rules, batch);
        let evaluators = Evaluators::new(checkpoint, backend)?;
        let on_one = || -> Result<(f64, Evaluations), EvaluateError> {
            let mut evaluator = evaluators.for_thread();
            evaluator.warm_up(rules, batch)?;
            let mut evaluations = Evaluations::default();
            evaluator.evaluate(&positions.leaves(), &mut evaluations)?;
            let (mut passes, start) = (0, Instant::now());
            loop {
                evaluator.repeat_forward()?;
                passes += 1;
                let elapsed = start.elapsed();
                if elapsed >= time {
                    return Ok(((passes * batch) as f64 / elapsed.as_secs_f64(), evaluations));
                }
            }
        };
        let results: Vec<Result<(f64, Evaluations), EvaluateError>> = thread::scope(|scope| {
            let handles: Vec<_> = (0..threads).map(|_| scope.spawn(on_one)).collect();
            handles.into_iter().map(|handle| handle.join().unwrap_or(Err(EvaluateError::Ended))).collect()
        });
        let mut expected = Evaluations::default();
        NativeEvaluator::new(checkpoint).evaluate(&positions.leaves(), &mut expected)?;
        let mut trial = Trial { backend, batch, threads, per_s: 0.0, difference: 0.0 };
        for result in results {
            let (per_s, evaluations) = result?;
            trial.per_s += per_s;
            for index in 0..batch {
                trial.difference = trial.difference.max(difference(expected.get(index), evaluations.get(index)));
            }
        }
        Ok(trial)
    }

    /// Whether it says what the native evaluator says, but for rounding.
    pub fn agrees(&self) -> bool {
        self.difference <= Trial::TOLERANCE
    }
}

/// The fastest of some trials that agree, with the smallest batch that is not much slower: a small one leaves fewer games
/// unfinished when the network changes.
pub fn fastest(trials: &[Trial]) -> Option<&Trial> {
    /// Of the fastest's rate; timings on a machine that others share differ by as much.
    const NEARLY: f64 = 0.85;
    let agreeing = || trials.iter().filter(|trial| trial.agrees());
    let best = agreeing().max_by(|a, b| a.per_s.total_cmp(&b.per_s))?;
    let near = agreeing().filter(|trial| trial.backend == best.backend && trial.per_s >= NEARLY * best.per_s);
    near.min_by_key(|trial| trial.batch)
}

/// Positions of random games, each with its actions.
struct Positions<'a> {
    rules: &'a Rules,
    positions: Vec<(Position, Vec<Action>)>,
}

impl<'a> Positions<'a> {
    fn new(rules: &'a Rules, count: usize) -> Positions<'a> {
        let mut random = SmallRng::seed_from_u64(1);
        let mut positions = Vec::with_capacity(count);
        let mut position = Position::start(rules);
        let mut actions = ActionList::new();
        while positions.len() < count {
            position.legal_actions(rules, &mut actions);
            match actions.len() {
                0 => position = Position::start(rules),
                legal => {
                    positions.push((position, actions.to_vec()));
                    position.apply(rules, actions[random.random_range(0..legal)]);
                }
            }
        }
        Positions { rules, positions }
    }

    fn leaves(&self) -> Vec<Leaf<'_, Seega>> {
        self.positions.iter().map(|(position, actions)| Leaf { rules: self.rules, position, actions }).collect()
    }
}

/// The largest difference between two evaluations' probabilities.
fn difference(a: Evaluation<'_>, b: Evaluation<'_>) -> f32 {
    let results = |evaluation: &Evaluation<'_>| {
        let chances = evaluation.chances;
        [chances.win, chances.draw, chances.loss]
    };
    let policies = softmax(a.logits).into_iter().zip(softmax(b.logits));
    policies.chain(results(&a).into_iter().zip(results(&b))).map(|(a, b)| (a - b).abs()).fold(0.0, f32::max)
}

fn softmax(logits: &[f32]) -> Vec<f32> {
    let highest = logits.iter().copied().fold(f32::NEG_INFINITY, f32::max);
    let sum: f32 = logits.iter().map(|logit| (logit - highest).exp()).sum();
    logits.iter().map(|logit| (logit - highest).exp() / sum).collect()
}

#[cfg(test)]
mod tests {
    use seega_rules::preset;

    use super::*;
    use crate::architecture::Architecture;
    use crate::evaluator::Precision;

    fn trained() -> Checkpoint {
        let mut checkpoint = Checkpoint::fresh(Architecture { channels: 16, blocks: 2 }, Vec::new(), 1);
        // Heads that say something: a fresh network's are nearly silent.
        for (name, values) in &mut checkpoint.tensors {
            if name.starts_with("policy.planes") || name.starts_with("value.chances") {
                values.iter_mut().for_each(|value| *value *= 10.0);
            }
        }
        checkpoint
    }

    #[test]
    fn every_backend_that_the_machine_has_agrees() {
        let rules = preset::parse("sija").unwrap();
        for backend in Backend::ALL {
            for threads in [1, 3] {
                let trial = Trial::run(&trained(), &rules, backend, 16, threads, Duration::from_millis(5));
                match backend {
                    Backend::Cuda(_) if !tch::Cuda::is_available() => {
                        assert!(matches!(trial, Err(EvaluateError::NoCuda)));
                    }
                    _ => {
                        let trial = trial.unwrap();
                        assert!(trial.agrees() && trial.per_s > 0.0, "{trial:?}");
                        let exact = backend == Backend::Native;
                        assert_eq!(trial.difference == 0.0, exact, "{trial:?}");
                    }
                }
            }
        }
    }

    #[test]
    fn a_network_that_differs_is_told() {
        let rules = preset::parse("sija").unwrap();
        let positions = Positions::new(&rules, 4);
        let mut other = trained();
        other.tensors.get_mut("value.chances.bias").unwrap()[0] += 1.0;
        let [mut a, mut b] = [Evaluations::default(), Evaluations::default()];
        NativeEvaluator::new(&trained()).evaluate(&positions.leaves(), &mut a).unwrap();
        NativeEvaluator::new(&other).evaluate(&positions.leaves(), &mut b).unwrap();
        assert!((0..4).all(|index| difference(a.get(index), b.get(index)) > Trial::TOLERANCE));
    }

    #[test]
    fn the_fastest_that_agrees_is_taken_with_a_small_batch() {
        let trial = |backend, batch, per_s, difference| Trial { backend, batch, threads: 1, per_s, difference };
        let bf16 = Backend::Torch(Precision::Bf16);
        let trials = [
            trial(Backend::Native, 64, 90.0, 0.0),
            trial(bf16, 64, 50.0, 0.01),
            trial(bf16, 128, 95.0, 0.01),
            trial(bf16, 256, 100.0, 0.01),
            trial(Backend::TorchShared, 64, 200.0, 0.5),
        ];
        assert_eq!(fastest(&trials), Some(&trials[2]));
        assert_eq!(fastest(&trials[..2]), Some(&trials[0]));
        assert_eq!(fastest(&trials[4..]), None);
    }
}
