//! The network that learns, with everything that its next step depends on.

use std::collections::{BTreeMap, HashMap};
use std::io::Write;
use std::path::Path;

use rand::rngs::SmallRng;
use rand::{RngExt, SeedableRng};
use rayon::prelude::*;
use rayon::{ThreadPool, ThreadPoolBuilder};
use safetensors::tensor::{Dtype, SafeTensors, TensorView};
use seega_files::{sha256, write_atomically};
use seega_models::checkpoint::{About, Checkpoint, CheckpointError};
use seega_models::network::{Network, Norm};
use seega_rules::{BoardSize, Rules};
use seega_selfplay::Sample;
use serde::{Deserialize, Serialize};
use tch::{Device, Kind, Tensor};
use thiserror::Error;

use crate::batch::Batch;
use crate::loss::{self, Losses};
use crate::optimizer::Moments;
use crate::parameters::Parameters;
use crate::recipe::{Numbers, Recipe};
use crate::window::Window;

/// Batches from which batch norm's statistics are estimated for the averaged weights.
const NORM_BATCHES: usize = 40;

/// Why training ended.
#[derive(Debug, Error)]
pub enum TrainError {
    /// The loss is no number any more.
    #[error(
        "the loss is not finite at step {step} ({losses:?}); lower learning_rate or gradient_clip, or go back to an \
         earlier checkpoint with --init"
    )]
    NotFinite {
        /// The optimizer's step.
        step: u64,
        /// The parts of the loss.
        losses: Losses,
    },
    /// A checkpoint can't be read or written.
    #[error(transparent)]
    Checkpoint(#[from] CheckpointError),
    /// The trainer's state can't be read.
    #[error("the trainer's state: {0}")]
    State(String),
    /// There is nothing to learn from.
    #[error("there are no positions to learn from")]
    NoPositions,
}

/// The network that learns, its optimizer, and the averaged weights that play.
#[derive(Debug)]
pub struct Trainer {
    recipe: Recipe,
    about: About,
    network: Network,
    /// The network once more for each thread: the same tensors, but batch norm's running ones of their own, since each
    /// thread's part of a batch moves them.
    replicas: Vec<Network>,
    threads: ThreadPool,
    parameters: Parameters,
    /// All learnable numbers; the network's tensors are views of it.
    values: Tensor,
    moments: Moments,
    average: Tensor,
    /// The weight decay of each number.
    decay: Tensor,
    device: Device,
    progress: Progress,
}

/// How far training is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
struct Progress {
    step: u64,
    positions: u64,
}

impl Trainer {
    /// A trainer that begins with a network.
    pub fn new(recipe: &Recipe, checkpoint: &Checkpoint) -> Trainer {
        let device = Device::Cpu;
        let mut network = Network::new(checkpoint, device);
        let parameters = Parameters::of(&network);
        let values = parameters.take_over(&mut network);
        let threads = recipe.numbers.train_threads.max(1);
        let replicas = (0..threads).map(|_| network.replica()).collect();
        // Threads of libtorch's own would wait for each other at every operation.
        let threads = ThreadPoolBuilder::new().num_threads(threads).start_handler(|_| tch::set_num_threads(1)).build();
        Trainer {
            recipe: recipe.clone(),
            about: checkpoint.about.clone(),
            network,
            replicas,
            threads: threads.expect("the system gives the trainer its threads"),
            moments: Moments::zeros(&values),
            average: values.copy(),
            decay: parameters.decay_mask(&values) * recipe.numbers.weight_decay,
            values,
            parameters,
            device,
            progress: Progress { step: checkpoint.about.step, positions: 0 },
        }
    }

    /// Steps of the optimizer so far.
    pub fn step_count(&self) -> u64 {
        self.progress.step
    }

    /// The learning rate of the next step.
    pub fn learning_rate(&self) -> f64 {
        self.recipe.learning_rate(self.progress.positions as f64)
    }

    /// Trains for that many steps on batches of the window, and gives the mean of the losses.
    ///
    /// # Errors
    /// The window is empty, or the loss is not finite.
    pub fn train(
        &mut self,
        window: &Window,
        steps: u64,
        random: &mut SmallRng,
        mut tick: impl FnMut() -> bool,
    ) -> Result<Losses, TrainError> {
        let mut mean = Losses::default();
        for _ in 0..steps {
            let (size, positions) = window.draw(self.recipe.numbers.batch, random).ok_or(TrainError::NoPositions)?;
            mean = mean.plus(self.step(size, &positions, random)?, 1.0 / steps as f64);
            if !tick() {
                break;
            }
        }
        Ok(mean)
    }

    /// One step on a batch of positions, all on boards of one size. Each thread takes a part of the batch; with the
    /// same number of threads the same step comes out bit by bit.
    ///
    /// # Errors
    /// The loss is not finite.
    pub fn step(
        &mut self,
        size: BoardSize,
        positions: &[(&Rules, &Sample)],
        random: &mut SmallRng,
    ) -> Result<Losses, TrainError> {
        let (parameters, numbers, device) = (&self.parameters, &self.recipe.numbers, self.device);
        let length = positions.len().div_ceil(self.replicas.len());
        let seeds: Vec<u64> = self.replicas.iter().map(|_| random.random()).collect();
        let parts = positions.par_chunks(length).zip(&mut self.replicas).zip(seeds).with_max_len(1);
        let parts = parts.map(|((part, replica), seed)| {
            let batch = Batch::new(size, part, &mut SmallRng::seed_from_u64(seed), device);
            let (losses, gradient) = gradient(replica, parameters, &batch, numbers);
            (part.len() as f64 / positions.len() as f64, losses, gradient)
        });
        let results: Vec<(f64, Losses, Tensor)> = self.threads.install(|| parts.collect());
        let _no_grad = tch::no_grad_guard();
        let mut losses = Losses::default();
        let mut sum = self.values.zeros_like();
        for (share, part, gradient) in &results {
            losses = losses.plus(*part, *share);
            sum += gradient * *share;
        }
        let step = self.progress.step + 1;
        let length = sum.square().sum(Kind::Double).sqrt().double_value(&[]);
        if !length.is_finite() || !losses.parts().iter().all(|(_, part)| part.is_finite()) {
            return Err(TrainError::NotFinite { step, losses });
        }
        self.update(&sum, length);
        self.progress = Progress { step, positions: self.progress.positions + positions.len() as u64 };
        Ok(losses)
    }

    /// Changes the numbers by their gradient, whose norm is `length`, and averages them.
    fn update(&mut self, gradient: &Tensor, length: f64) {
        let step = self.progress.step + 1;
        let clip = (self.recipe.numbers.gradient_clip / length.max(1e-12)).min(1.0);
        let rate = self.learning_rate();
        // What was averaged long ago weighs too much at the start of a run.
        let remains = self.recipe.numbers.average_decay.min(step as f64 / (step as f64 + 10.0));
        self.moments.update(&self.values, &(gradient * clip), step, rate, &self.decay);
        self.average = &self.average * remains + &self.values * (1.0 - remains);
    }

    /// The losses on a batch with the averaged weights, without learning; for tests and held-out positions.
    pub fn losses_of(&self, network: &Network, batch: &Batch, norm: Norm) -> Losses {
        let _no_grad = tch::no_grad_guard();
        let outputs = network.forward(&batch.planes, &batch.scalars, norm, true);
        loss::read_parts(&loss::loss(&outputs, batch, &self.recipe.numbers).1)
    }

    /// The network with the averaged weights, its batch norm's statistics estimated afresh for them on batches of the
    /// window.
    ///
    /// # Errors
    /// The window is empty.
    pub fn averaged(
        &self,
        window: &Window,
        random: &mut SmallRng,
        parent: Option<String>,
    ) -> Result<Checkpoint, TrainError> {
        let about = About { step: self.progress.step, parent, ..self.about.clone() };
        let mut checkpoint = self.network.checkpoint(about.clone());
        for (name, tensor) in self.parameters.views(&self.average) {
            checkpoint.tensors.insert(name.to_owned(), values(&tensor));
        }
        let network = Network::new(&checkpoint, self.device);
        let _no_grad = tch::no_grad_guard();
        tch::set_num_threads(1);
        for _ in 0..NORM_BATCHES {
            let (size, positions) = window.draw(self.recipe.numbers.batch, random).ok_or(TrainError::NoPositions)?;
            let batch = Batch::new(size, &positions, random, self.device);
            let _ = network.forward(&batch.planes, &batch.scalars, Norm::Batch, true);
        }
        Ok(network.checkpoint(about))
    }

    /// Writes everything that the next step depends on, and gives the file's SHA-256.
    ///
    /// # Errors
    /// Writing fails.
    pub fn write_state(&self, path: &Path) -> Result<String, TrainError> {
        let fault = |error: &dyn std::fmt::Display| TrainError::State(error.to_string());
        let mut stored: Vec<(String, Vec<usize>, Vec<u8>)> = Vec::new();
        let mut add = |name: String, tensor: &Tensor| {
            let shape = tensor.size().iter().map(|&side| side as usize).collect();
            stored.push((name, shape, values(tensor).iter().flat_map(|value| value.to_le_bytes()).collect()));
        };
        for spec in self.network.architecture().tensors() {
            add(format!("network/{}", spec.name), self.network.tensor(&spec.name));
        }
        for (part, flat) in
            [("first", &self.moments.first), ("second", &self.moments.second), ("average", &self.average)]
        {
            for (name, tensor) in self.parameters.views(flat) {
                add(format!("{part}/{name}"), &tensor);
            }
        }
        let views: Vec<(&str, TensorView<'_>)> = stored
            .iter()
            .map(|(name, shape, data)| Ok((&**name, TensorView::new(Dtype::F32, shape.clone(), data)?)))
            .collect::<Result<_, safetensors::SafeTensorError>>()
            .map_err(|error| fault(&error))?;
        let about = serde_json::to_string(&self.about).map_err(|error| fault(&error))?;
        let progress = serde_json::to_string(&self.progress).map_err(|error| fault(&error))?;
        // One key alone: the order of several would differ from run to run.
        let told = serde_json::to_string(&[about, progress]).map_err(|error| fault(&error))?;
        let metadata = HashMap::from([("seega-trainer".to_owned(), told)]);
        let bytes = safetensors::serialize(views, Some(metadata)).map_err(|error| fault(&error))?;
        write_atomically(path, |file| file.write_all(&bytes)).map_err(|error| fault(&error))?;
        Ok(sha256(&bytes))
    }

    /// Reads what [`write_state`](Self::write_state) wrote.
    ///
    /// # Errors
    /// The file can't be read or does not fit the recipe.
    pub fn read_state(recipe: &Recipe, path: &Path) -> Result<Trainer, TrainError> {
        let fault = |error: &dyn std::fmt::Display| TrainError::State(format!("{}: {error}", path.display()));
        let bytes = std::fs::read(path).map_err(|error| fault(&error))?;
        let (_, metadata) = SafeTensors::read_metadata(&bytes).map_err(|error| fault(&error))?;
        let told = metadata.metadata().as_ref().and_then(|metadata| metadata.get("seega-trainer"));
        let told = told.ok_or_else(|| fault(&"it has no metadata of a trainer"))?;
        let [about, progress]: [String; 2] = serde_json::from_str(told).map_err(|error| fault(&error))?;
        let about: About = serde_json::from_str(&about).map_err(|error| fault(&error))?;
        let progress: Progress = serde_json::from_str(&progress).map_err(|error| fault(&error))?;
        let stored = SafeTensors::deserialize(&bytes).map_err(|error| fault(&error))?;
        let read = |name: String, shape: &[usize]| -> Result<Vec<f32>, TrainError> {
            let view = stored.tensor(&name).map_err(|error| fault(&error))?;
            if view.dtype() != Dtype::F32 || view.shape() != shape {
                return Err(fault(&format!("{name} has another shape than the network's")));
            }
            Ok(view.data().as_chunks::<4>().0.iter().map(|&bytes| f32::from_le_bytes(bytes)).collect())
        };
        let specs = about.architecture.check().map_err(|error| fault(&error))?.tensors();
        let mut tensors = BTreeMap::new();
        for spec in &specs {
            tensors.insert(spec.name.clone(), read(format!("network/{}", spec.name), &spec.shape)?);
        }
        let mut trainer = Trainer::new(recipe, &Checkpoint { about, tensors });
        trainer.progress = progress;
        let vector = |part: &str| -> Result<Tensor, TrainError> {
            let learnt = specs.iter().filter(|spec| spec.role.has_gradient());
            let tensors = learnt.map(|spec| {
                let shape: Vec<i64> = spec.shape.iter().map(|&side| side as i64).collect();
                Ok(Tensor::from_slice(&read(format!("{part}/{}", spec.name), &spec.shape)?).reshape(&shape))
            });
            let tensors = tensors.collect::<Result<Vec<Tensor>, TrainError>>()?;
            Ok(trainer.parameters.flatten(&tensors).to_device(trainer.device))
        };
        let (first, second, average) = (vector("first")?, vector("second")?, vector("average")?);
        trainer.moments = Moments { first, second };
        trainer.average = average;
        Ok(trainer)
    }
}

/// The loss of a network on a batch, and its gradient by the learnable numbers.
fn gradient(network: &Network, parameters: &Parameters, batch: &Batch, weights: &Numbers) -> (Losses, Tensor) {
    let outputs = network.forward(&batch.planes, &batch.scalars, Norm::Batch, true);
    let (total, parts) = loss::loss(&outputs, batch, weights);
    let tensors: Vec<Tensor> = parameters.names().map(|name| network.tensor(name).shallow_clone()).collect();
    let gradients = Tensor::run_backward(&[total], &tensors, false, false);
    (loss::read_parts(&parts), parameters.flatten(&gradients))
}

fn values(tensor: &Tensor) -> Vec<f32> {
    let flat = tensor.detach().to_device(Device::Cpu).to_kind(Kind::Float).contiguous().view(-1);
    Vec::<f32>::try_from(flat).expect("a flat tensor of floats")
}
