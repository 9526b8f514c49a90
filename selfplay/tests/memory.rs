//! Memory is bounded by the settings, however many games are played.

use std::fs;
use std::sync::atomic::AtomicBool;

use seega_rules::preset;
use seega_search::Uniform;
use seega_selfplay::{Generation, Opening, Progress, Settings, Worker};

/// Resident memory of this process, in bytes.
fn resident() -> u64 {
    let status = fs::read_to_string("/proc/self/statm").expect("a Linux system tells its memory");
    let pages: u64 = status.split(' ').nth(1).and_then(|pages| pages.parse().ok()).expect("a number of pages");
    pages * 4096
}

/// `SEEGA_GAMES` asks for more games, as `make check-long` does.
#[test]
fn memory_after_many_games_is_that_after_a_few() {
    let games = std::env::var("SEEGA_GAMES").map_or(6_000, |games| games.parse().expect("SEEGA_GAMES is a number"));
    const FEW: usize = 1_000;
    let settings = Settings {
        simulations: 2,
        opening: Opening { random_share: 0.2, random_plies: 8, placed_share: 0.2 },
        ..Settings::default()
    };
    let mut worker = Worker::new(settings, preset::ALL[0].rules, 0, Vec::new());
    let (mut played, mut after_few, mut number) = (0, None, 0);
    while played < games {
        let part = Generation { seed: 3, number, worker: 0, workers: 1, plies: 5_000, games: None };
        let made = worker.play(part, &mut Uniform, &Progress::default(), &AtomicBool::new(false)).unwrap();
        played += made.0.len();
        number += 1;
        if played >= FEW && after_few.is_none() {
            after_few = Some(resident());
        }
    }
    let (few, many) = (after_few.expect("more than a few games were played"), resident());
    assert!(many as f64 <= 1.1 * few as f64, "{few} bytes after {FEW} games, {many} after {played}");
}
