//! What a page to play on asks for, and gets: positions to show, what to play, records. Questions and answers are JSON,
//! the same whether the page asks this crate as a wasm module in its Web Worker or a server that uses it as a library.
//!
//! * [`ask`]: the questions and their answers. Each names its whole game, so that nothing is kept between them.
//! * [`game`]: a game as a page keeps it, and [`view`]: what a page shows of it.
//! * [`think`]: what a level would play, found in steps, so that a worker hears what comes meanwhile.
//! * [`page`]: the page's files, for a server.
//!
//! The page itself (`page/`) is HTML, CSS and JavaScript; all words that people read stand there, in its languages.

pub mod ask;
pub mod game;
#[cfg(not(target_arch = "wasm32"))]
pub mod page;
pub mod think;
pub mod view;
#[cfg(target_arch = "wasm32")]
mod wasm;
