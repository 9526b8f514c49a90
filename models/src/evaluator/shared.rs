//! One evaluator that many threads feed, as a GPU wants it: it has a thread of its own, which takes all that waits as
//! one batch.
//!
//! What a position shares its batch with then depends on the threads' timing, and with that the last digits of its
//! evaluation: runs on it don't repeat bit by bit.

use std::sync::mpsc::{Receiver, Sender, SyncSender, channel, sync_channel};
use std::thread;

use seega_search::{Evaluations, Evaluator, Leaf, Seega};

use super::torch::{TorchEvaluator, TorchForward, read};
use super::{EvaluateError, Inputs};
use crate::network::play_len;

/// A handle on the evaluator; each thread has its own. The thread of the evaluator ends with the last handle.
#[derive(Debug)]
pub struct SharedEvaluator {
    requests: Sender<Request>,
    inputs: Inputs,
    outputs: Vec<f32>,
}

/// A batch that waits for its forward pass.
#[derive(Debug)]
struct Request {
    inputs: Inputs,
    answer: SyncSender<Answer>,
}

/// The buffers of the request go back, to be used again.
#[derive(Debug)]
struct Answer {
    inputs: Inputs,
    outputs: Result<Vec<f32>, EvaluateError>,
}

impl Clone for SharedEvaluator {
    fn clone(&self) -> SharedEvaluator {
        SharedEvaluator { requests: self.requests.clone(), inputs: Inputs::default(), outputs: Vec::new() }
    }
}

impl SharedEvaluator {
    /// Gives an evaluator a thread of its own.
    pub fn new(evaluator: TorchEvaluator) -> SharedEvaluator {
        let (requests, waiting) = channel();
        let forward = evaluator.into_forward();
        thread::spawn(move || serve(forward, &waiting));
        SharedEvaluator { requests, inputs: Inputs::default(), outputs: Vec::new() }
    }

    pub(super) fn repeat_forward(&mut self) -> Result<(), EvaluateError> {
        let (answer, answered) = sync_channel(1);
        let request = Request { inputs: std::mem::take(&mut self.inputs), answer };
        self.requests.send(request).map_err(|_| EvaluateError::Ended)?;
        let Answer { inputs, outputs } = answered.recv().map_err(|_| EvaluateError::Ended)?;
        self.inputs = inputs;
        self.outputs = outputs?;
        Ok(())
    }
}

impl Evaluator<Seega> for SharedEvaluator {
    type Error = EvaluateError;

    fn evaluate(&mut self, leaves: &[Leaf<'_, Seega>], out: &mut Evaluations) -> Result<(), EvaluateError> {
        out.clear();
        self.inputs.encode(leaves)?;
        self.repeat_forward()?;
        read(leaves, &self.outputs, out)
    }
}

/// Answers until no handle is left.
fn serve(mut forward: TorchForward, waiting: &Receiver<Request>) {
    let mut together = Inputs::default();
    let mut outputs = Vec::new();
    while let Ok(first) = waiting.recv() {
        let mut requests = vec![first];
        requests.extend(waiting.try_iter());
        while let Some(size) = requests.first().map(|request| request.inputs.size) {
            let (batch, others): (Vec<Request>, _) =
                requests.into_iter().partition(|request| request.inputs.size == size);
            requests = others;
            together.clear();
            batch.iter().for_each(|request| together.append(&request.inputs));
            let mut result = forward.run(&together, &mut outputs);
            let mut numbers = &outputs[..];
            for Request { inputs, answer } in batch {
                let part = match &mut result {
                    Ok(()) => {
                        let (part, rest) = numbers.split_at(size.map_or(0, play_len) * inputs.batch);
                        numbers = rest;
                        Ok(part.to_vec())
                    }
                    // The first to ask hears why; the others, that it ended.
                    Err(error) => Err(std::mem::replace(error, EvaluateError::Ended)),
                };
                // A handle that is gone wants no answer.
                let _ = answer.send(Answer { inputs, outputs: part });
            }
        }
    }
}
