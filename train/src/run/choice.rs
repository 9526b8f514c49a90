//! What a new run settles for good at its first start: threads, evaluator, and games a worker.

use std::time::Duration;

use seega_models::checkpoint::Checkpoint;
use seega_models::evaluator::{Backend, Trial, fastest};

use super::RunError;
use crate::recipe::Recipe;

/// How long each evaluator is tried with each batch.
const TRIAL: Duration = Duration::from_millis(150);

/// Batches that are tried. The native evaluator is as fast with any, so it has the first.
const BATCHES: [usize; 4] = [64, 128, 256, 512];

/// Takes the machine's cores for threads that the recipe leaves open.
pub(super) fn settle_threads(recipe: &mut Recipe) {
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    for threads in [&mut recipe.numbers.workers, &mut recipe.numbers.train_threads] {
        if *threads == 0 {
            *threads = cores;
        }
    }
}

/// Tries out what the recipe leaves open of evaluator and batch, and takes the fastest. Gives what was tried.
pub(super) fn settle_evaluator(recipe: &mut Recipe, checkpoint: &Checkpoint) -> Result<Vec<Trial>, RunError> {
    let backends = recipe.evaluator.map_or_else(Backend::candidates, |backend| vec![backend]);
    let (rules, workers) = (recipe.rules[0].named.rules, recipe.numbers.workers);
    let mut trials = Vec::new();
    for backend in backends {
        let batches = match recipe.numbers.games {
            0 if backend == Backend::Native => &BATCHES[..1],
            0 => &BATCHES[..],
            ref games => std::slice::from_ref(games),
        };
        for &batch in batches {
            let trial = Trial::run(checkpoint, &rules, backend, batch, workers, TRIAL);
            trials.push(trial.map_err(|error| RunError::Evaluator { backend, why: error.to_string() })?);
        }
    }
    let Some(best) = fastest(&trials) else {
        let Trial { backend, difference, .. } = trials[0];
        let why = format!("its probabilities differ by {difference} from those of the native evaluator");
        return Err(RunError::Evaluator { backend, why });
    };
    recipe.evaluator = Some(best.backend);
    recipe.numbers.games = best.batch;
    Ok(trials)
}

#[cfg(test)]
mod tests {
    use seega_models::evaluator::Precision;

    use super::*;

    fn settle(overrides: &str) -> (Recipe, Vec<Trial>) {
        let text = format!("rules = [\"sija\"]\nchannels = 8\nblocks = 1\n{overrides}");
        let mut recipe = Recipe::read(&text, &[]).unwrap();
        settle_threads(&mut recipe);
        let checkpoint = Checkpoint::fresh(recipe.architecture(), Vec::new(), 1);
        let trials = settle_evaluator(&mut recipe, &checkpoint).unwrap();
        (recipe, trials)
    }

    #[test]
    fn what_the_recipe_says_is_kept() {
        let (recipe, trials) = settle("evaluator = \"torch-bf16\"\ngames = 7\nworkers = 3\n");
        assert_eq!(recipe.evaluator, Some(Backend::Torch(Precision::Bf16)));
        assert_eq!((recipe.numbers.games, recipe.numbers.workers), (7, 3));
        assert!(recipe.numbers.train_threads > 0);
        let tried: Vec<_> = trials.iter().map(|trial| (trial.backend, trial.batch, trial.threads)).collect();
        assert_eq!(tried, [(Backend::Torch(Precision::Bf16), 7, 3)]);
    }

    #[test]
    fn what_it_leaves_open_is_tried_and_the_fastest_taken() {
        let (recipe, trials) = settle("");
        assert!(trials.iter().any(|trial| trial.backend == Backend::Native));
        assert!(trials.iter().any(|trial| trial.backend == Backend::Torch(Precision::F32)));
        let best = fastest(&trials).unwrap();
        assert_eq!((recipe.evaluator, recipe.numbers.games), (Some(best.backend), best.batch));
    }
}
