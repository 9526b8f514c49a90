//! What the page's Web Worker calls, in a browser.

use seega_models::checkpoint::Checkpoint;
use wasm_bindgen::prelude::{JsError, wasm_bindgen};

use crate::ask::{AskError, Question, answer};
use crate::think::{Thinker, Thought};

/// Answers questions and thinks. All texts are JSON, as the crate's `ask` and `think` have it.
#[wasm_bindgen]
#[derive(Debug, Default)]
pub struct Engine {
    thinker: Thinker,
}

fn told(error: impl std::fmt::Display) -> JsError {
    JsError::new(&error.to_string())
}

fn question(text: &str) -> Result<Question, JsError> {
    serde_json::from_str(text).map_err(told)
}

fn text(thought: &Thought) -> Result<String, JsError> {
    serde_json::to_string(thought).map_err(told)
}

#[wasm_bindgen]
impl Engine {
    /// An engine without networks.
    #[wasm_bindgen(constructor)]
    pub fn new() -> Engine {
        Engine::default()
    }

    /// Answers a question that takes no thinking.
    pub fn answer(&self, asked: &str) -> Result<String, JsError> {
        match answer(&question(asked)?) {
            Some(answer) => Ok(answer.map_err(told)?.to_string()),
            None => Err(told(AskError("this takes thinking: begin it".to_owned()))),
        }
    }

    /// Takes a network, from the bytes of its file.
    pub fn add_network(&mut self, name: &str, bytes: &[u8]) -> Result<(), JsError> {
        let checkpoint = Checkpoint::from_bytes(bytes).map_err(|error| told(format!("network {name}: {error}")))?;
        self.thinker.add_network(name, checkpoint.into());
        Ok(())
    }

    /// Begins to think about a question.
    pub fn begin(&mut self, asked: &str) -> Result<(), JsError> {
        match question(asked)? {
            Question::Think { game, level, seed } => {
                let game = game.replay().map_err(told)?;
                self.thinker.begin(&game, level, seed.into()).map_err(told)
            }
            _ => Err(told(AskError("this takes no thinking".to_owned()))),
        }
    }

    /// Goes on for some evaluations; nothing while it is not done.
    pub fn go_on(&mut self, evaluations: u32) -> Result<Option<String>, JsError> {
        self.thinker.go_on(evaluations).map_err(told)?.as_ref().map(text).transpose()
    }

    /// Ends the thinking with what is found.
    pub fn end(&mut self) -> Result<String, JsError> {
        text(&self.thinker.end().map_err(told)?)
    }
}
