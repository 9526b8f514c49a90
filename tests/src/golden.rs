//! The sample games of the sources, as `data/golden/game_*.json` tells them.

use seega_rules::{Action, Side};
use serde::Deserialize;

/// A sample game.
#[derive(Debug, Deserialize)]
pub struct GoldenGame {
    /// The preset under which it is legal.
    pub rules_name: String,
    /// The board when movement begins: five strings, rank 5 first, of `W`, `B` and `.`.
    pub initial_board: Vec<String>,
    /// The placements, where the source gives them.
    pub placements: Option<Vec<GoldenPlacement>>,
    /// The steps of the game.
    pub plies: Vec<GoldenPly>,
    /// Lines that the source's commentary gives.
    pub variations: Vec<Variation>,
    /// How it ended.
    pub result: GoldenResult,
}

/// A turn of placement.
#[derive(Debug, Deserialize)]
pub struct GoldenPlacement {
    /// `W` or `B`.
    pub mover: char,
    /// The squares, in order.
    pub squares: Vec<String>,
    /// The board after the turn.
    pub board: Vec<String>,
}

/// A step.
#[derive(Debug, Deserialize)]
pub struct GoldenPly {
    /// Its number within the turn, from 1; the steps of variations have none.
    pub step: Option<u32>,
    /// `W` or `B`.
    pub mover: char,
    /// Where the stone stood.
    pub from: String,
    /// Where it went.
    pub to: String,
    /// The squares from which stones were captured, sorted.
    pub captured: Vec<String>,
    /// The board after the step.
    pub board: Vec<String>,
}

/// A line played instead of a ply of the game.
#[derive(Debug, Deserialize)]
pub struct Variation {
    /// The ply that it replaces, from 1.
    pub replaces_ply: usize,
    /// The steps of the line.
    pub plies: Vec<GoldenPly>,
}

/// How a sample game ended.
#[derive(Debug, Deserialize)]
pub struct GoldenResult {
    /// `W` or `B`.
    pub winner: char,
}

impl GoldenGame {
    /// Reads `data/golden/NAME`.
    pub fn read(name: &str) -> GoldenGame {
        serde_json::from_str(&crate::text(&format!("golden/{name}"))).unwrap_or_else(|error| panic!("{name}: {error}"))
    }
}

impl GoldenPly {
    /// The step as an action.
    pub fn action(&self) -> Action {
        format!("{}-{}", self.from, self.to).parse().unwrap()
    }
}

/// The side of a golden game's letter.
pub fn side(letter: char) -> Side {
    Side::from_letter(letter.to_ascii_lowercase()).unwrap_or_else(|| panic!("{letter:?} is no side"))
}

/// A golden game's board as the first field of a position's text.
pub fn board_text(ranks: &[String]) -> String {
    let run_lengths = |rank: &String| {
        let mut text = String::new();
        let mut run = 0;
        for letter in rank.chars() {
            if letter == '.' {
                run += 1;
                continue;
            }
            if run > 0 {
                text += &run.to_string();
            }
            run = 0;
            text.push(letter.to_ascii_lowercase());
        }
        if run > 0 {
            text += &run.to_string();
        }
        text
    };
    ranks.iter().map(run_lengths).collect::<Vec<_>>().join("/")
}
