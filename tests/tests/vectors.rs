//! Games and counts of reference implementations: every position, list of legal actions, result and perft count.

use seega_rules::{Position, Rules, perft};
use seega_tests::{records, text};
use serde::Deserialize;

/// Replays a file and gives its games and positions.
fn verify(name: &str) -> (usize, u64) {
    let games = records(name);
    let mut positions = 0;
    for (index, game) in games.iter().enumerate() {
        assert!(game.plies.iter().all(|ply| ply.legal.is_some()), "{name}: game {} lacks lists", index + 1);
        match game.verify() {
            Ok(verified) => positions += verified.positions,
            Err(error) => panic!("{name}: game {} ({}): {error}", index + 1, game.rules_name),
        }
    }
    (games.len(), positions)
}

#[test]
fn random_games_of_all_presets_and_mixtures_replay() {
    assert_eq!(verify("vectors/games.jsonl.gz"), (239, 40_609));
}

#[test]
fn short_games_from_rare_positions_replay() {
    assert_eq!(verify("vectors/edges.jsonl.gz"), (480, 4_159));
}

#[test]
fn perft_counts_agree() {
    #[derive(Deserialize)]
    struct Case {
        rules_name: String,
        rules: Rules,
        position: String,
        perft: Vec<u64>,
    }
    let cases: Vec<Case> = serde_json::from_str(&text("vectors/perft.json")).unwrap();
    assert_eq!(cases.len(), 481);
    for case in cases {
        let position = Position::from_text(&case.position, &case.rules).unwrap();
        for (depth, &expected) in (1..).zip(&case.perft) {
            let count = perft(&case.rules, &position, depth);
            assert_eq!(count, expected, "{} {} depth {depth}", case.rules_name, case.position);
        }
    }
}
