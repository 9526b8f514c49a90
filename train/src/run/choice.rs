//! What a new run settles for good at its first start: threads, evaluator, and games a worker.

use std::panic::{AssertUnwindSafe, catch_unwind};
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

/// What came of trying a backend.
#[derive(Debug)]
pub struct Tried {
    /// What was tried.
    pub backend: Backend,
    /// What it showed, for each batch; or why it can't be used.
    pub result: Result<Vec<Trial>, String>,
}

/// Tries out what the recipe leaves open of evaluator and batch, and takes the fastest. Gives what was tried.
///
/// # Errors
/// The evaluator that the recipe names can't be used, or says something else than it should.
pub(super) fn settle_evaluator(recipe: &mut Recipe, checkpoint: &Checkpoint) -> Result<Vec<Tried>, RunError> {
    let backends = recipe.evaluator.map_or_else(Backend::candidates, |backend| vec![backend]);
    let tried = try_backends(&backends, |backend| try_backend(recipe, checkpoint, backend));
    let best = best_of(&tried).map_err(|(backend, why)| RunError::Evaluator { backend, why })?;
    recipe.evaluator = Some(best.backend);
    recipe.numbers.games = best.batch;
    Ok(tried)
}

fn try_backends(backends: &[Backend], attempt: impl Fn(Backend) -> Result<Vec<Trial>, String>) -> Vec<Tried> {
    let tried = |&backend: &Backend| {
        // libtorch's ways to say that a device lacks memory or an operation include panics.
        let result = catch_unwind(AssertUnwindSafe(|| attempt(backend)));
        Tried { backend, result: result.unwrap_or_else(|_| Err("it broke down".to_owned())) }
    };
    backends.iter().map(tried).collect()
}

/// The trial to go by; or the first backend and why it can't be used, if none can.
fn best_of(tried: &[Tried]) -> Result<Trial, (Backend, String)> {
    let trials: Vec<Trial> = tried.iter().filter_map(|tried| tried.result.as_ref().ok()).flatten().copied().collect();
    if let Some(best) = fastest(&trials) {
        return Ok(*best);
    }
    let first = &tried[0];
    let differs = |trial: &Trial| format!("what it says differs by {:.2} from what it should", trial.difference);
    let why = match &first.result {
        Ok(trials) => trials.first().map_or_else(String::new, differs),
        Err(why) => why.clone(),
    };
    Err((first.backend, why))
}

/// Tries a backend with each batch, up to the one that gains nothing.
fn try_backend(recipe: &Recipe, checkpoint: &Checkpoint, backend: Backend) -> Result<Vec<Trial>, String> {
    /// A larger batch is worth a try where the last one was so many times as fast.
    const GAIN: f64 = 1.05;
    let batches = match recipe.numbers.games {
        0 if backend == Backend::Native => &BATCHES[..1],
        0 => &BATCHES[..],
        ref games => std::slice::from_ref(games),
    };
    let (rules, workers) = (recipe.rules[0].named.rules, recipe.numbers.workers);
    let mut trials: Vec<Trial> = Vec::new();
    for &batch in batches {
        let trial =
            Trial::run(checkpoint, &rules, backend, batch, workers, TRIAL).map_err(|error| error.to_string())?;
        let gained = trials.last().is_none_or(|last| trial.per_s >= GAIN * last.per_s);
        trials.push(trial);
        if !gained {
            break;
        }
    }
    Ok(trials)
}

#[cfg(test)]
mod tests {
    use seega_models::evaluator::Precision;

    use super::*;

    #[test]
    fn what_the_recipe_says_is_kept() {
        let text = "rules = [\"sija\"]\nchannels = 8\nblocks = 1\nevaluator = \"torch-bf16\"\ngames = 7\nworkers = 3\n";
        let mut recipe = Recipe::read(text, &[]).unwrap();
        settle_threads(&mut recipe);
        let checkpoint = Checkpoint::fresh(recipe.architecture(), Vec::new(), 1);
        let tried = settle_evaluator(&mut recipe, &checkpoint).unwrap();
        assert_eq!(recipe.evaluator, Some(Backend::Torch(Precision::Bf16)));
        assert_eq!((recipe.numbers.games, recipe.numbers.workers), (7, 3));
        assert!(recipe.numbers.train_threads > 0);
        let [Tried { backend, result: Ok(trials) }] = &tried[..] else { panic!("{tried:?}") };
        let shown: Vec<_> = trials.iter().map(|trial| (trial.backend, trial.batch, trial.threads)).collect();
        assert_eq!(shown, [(*backend, 7, 3)]);
    }

    #[test]
    fn what_it_leaves_open_is_tried() {
        let mut recipe = Recipe::read("rules = [\"sija\"]\nchannels = 8\nblocks = 1\n", &[]).unwrap();
        settle_threads(&mut recipe);
        let checkpoint = Checkpoint::fresh(recipe.architecture(), Vec::new(), 1);
        let tried = settle_evaluator(&mut recipe, &checkpoint).unwrap();
        assert!(tried.iter().all(|tried| tried.result.is_ok()), "{tried:?}");
        assert!(tried.len() >= 2 && recipe.evaluator.is_some() && recipe.numbers.games >= 64);
    }

    #[test]
    fn a_backend_that_fails_is_passed_over_unless_there_is_no_other() {
        let trial = |per_s, difference| Trial { backend: Backend::Native, batch: 64, threads: 1, per_s, difference };
        let backends = [Backend::Cuda(Precision::F32), Backend::Native, Backend::Torch(Precision::F32)];
        let tried = try_backends(&backends, |backend| match backend {
            Backend::Native => Ok(vec![trial(5.0, 0.0)]),
            Backend::Torch(_) => Err("it has no memory".to_owned()),
            _ => panic!("it has no memory"),
        });
        assert_eq!(best_of(&tried), Ok(trial(5.0, 0.0)));
        assert_eq!(best_of(&tried[..1]), Err((backends[0], "it broke down".to_owned())));
        let wrong = try_backends(&backends[1..2], |_| Ok(vec![trial(5.0, 0.5)]));
        assert_eq!(best_of(&wrong).unwrap_err().1, "what it says differs by 0.50 from what it should");
    }
}
