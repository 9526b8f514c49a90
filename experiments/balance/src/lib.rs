//! Studies of rules: which are fair, by how much not, and how sure that is.
//!
//! A [`Study`] is fixed before the start: variants, seeds, how networks are trained, what they play, and by what it is
//! judged. [`run()`] trains and plays what is missing of it in its [`Folder`]; [`analyse()`] says what it comes to, and
//! [`report`] writes that for people and programs. [`statistics`] has the tests and intervals, [`Tally`] what is counted of
//! games, [`Design`] studies of factors.

mod analyse;
mod design;
mod folder;
mod play;
pub mod report;
mod run;
pub mod statistics;
mod study;
mod tally;

pub use analyse::{Analysis, analyse};
pub use design::{Column, Design, Factor};
pub use folder::{Cell, CellGames, Folder, StudyError};
pub use play::{Pie, random_game};
pub use run::{Watch, cells, run};
pub use study::{Family, Networks, Study, Training, Variant};
pub use tally::{BINS, Mean, SquareUse, Tally};
