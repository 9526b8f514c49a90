//! Trying backends out: how fast each is on this machine, and whether it says what it should.

use std::thread;
use std::time::{Duration, Instant};

use rand::rngs::SmallRng;
use rand::{RngExt, SeedableRng};
use seega_rules::{Action, ActionList, Position, Rules};
use seega_search::{Chances, Evaluation, Evaluations, Evaluator, Leaf, Seega};

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
    /// How far what it says is from what the native evaluator says, relative to how far that is from saying nothing:
    /// root mean squares over all positions, of the policy's logits, the results' or the lead, whichever is worst.
    pub difference: f32,
}

impl Trial {
    /// Differences up to this are rounding, of 16 bits at most: those come to about 0.01.
    pub const TOLERANCE: f32 = 0.05;

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
            trial.difference = trial.difference.max(difference(&expected, &evaluations));
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

/// How far evaluations are from those expected, relative to how far those are from saying nothing.
fn difference(expected: &Evaluations, found: &Evaluations) -> f32 {
    // What evenly likely actions, evenly likely results and no lead would be is 0 in each.
    type Head = fn(Evaluation<'_>) -> Vec<f32>;
    let heads: [Head; 3] = [
        |evaluation| centered(evaluation.logits.to_vec()),
        |Evaluation { chances: Chances { win, draw, loss }, .. }| centered([win, draw, loss].map(f32::ln).to_vec()),
        |evaluation| vec![evaluation.margin.0],
    ];
    let of_head = |head: Head| {
        let (mut apart, mut said) = (0.0, 0.0);
        for index in 0..expected.len() {
            for (expected, found) in head(expected.get(index)).into_iter().zip(head(found.get(index))) {
                apart += (expected - found).powi(2);
                said += expected.powi(2);
            }
        }
        if apart == 0.0 { 0.0 } else { (apart / said).sqrt() }
    };
    // A head that says something where nothing is expected is infinitely far, and one that says no number, too.
    heads.into_iter().map(of_head).fold(0.0, |worst, head| if head > worst || head.is_nan() { head } else { worst })
}

/// Logits with a mean of 0, which changes none of their probabilities.
fn centered(logits: Vec<f32>) -> Vec<f32> {
    let mean = logits.iter().sum::<f32>() / logits.len().max(1) as f32;
    logits.into_iter().map(|logit| logit - mean).collect()
}

#[cfg(test)]
mod tests {
    use seega_rules::preset;

    use super::*;
    use crate::architecture::Architecture;
    use crate::evaluator::Precision;

    fn fresh() -> Checkpoint {
        Checkpoint::fresh(Architecture { channels: 16, blocks: 2 }, Vec::new(), 1)
    }

    #[test]
    fn every_backend_that_the_machine_has_agrees() {
        let rules = preset::parse("sija").unwrap();
        for backend in Backend::ALL {
            for threads in [1, 3] {
                let trial = Trial::run(&fresh(), &rules, backend, 16, threads, Duration::from_millis(5));
                match backend {
                    Backend::Cuda(_) if !tch::Cuda::is_available() => {
                        assert!(matches!(trial, Err(EvaluateError::NoCuda)));
                    }
                    _ => {
                        let trial = trial.unwrap();
                        assert!(trial.agrees() && trial.per_s > 0.0, "{trial:?}");
                        let exact = backend == Backend::Native;
                        assert!(trial.difference == 0.0 || !exact, "{trial:?}");
                    }
                }
            }
        }
    }

    /// A fresh network is quiet, and so is what is wrong with it: it is told all the same.
    #[test]
    fn a_network_that_differs_is_told() {
        let rules = preset::parse("sija").unwrap();
        let positions = Positions::new(&rules, 16);
        let evaluate = |checkpoint: &Checkpoint| {
            let mut evaluations = Evaluations::default();
            NativeEvaluator::new(checkpoint).evaluate(&positions.leaves(), &mut evaluations).unwrap();
            evaluations
        };
        let expected = evaluate(&fresh());
        assert_eq!(difference(&expected, &expected), 0.0);
        for name in ["policy.planes.weight", "value.chances.weight", "value.margin.weight", "stem.scalars.weight"] {
            let mut other = fresh();
            let values = other.tensors.get_mut(name).unwrap();
            values.iter_mut().step_by(3).for_each(|value| *value *= 1.5);
            let found = difference(&expected, &evaluate(&other));
            assert!(found > Trial::TOLERANCE, "{name}: {found}");
        }
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
