//! Uniform random play against an engine that shares nothing with this one: its games of the same rules, counted.

use rand::SeedableRng;
use rand::rngs::SmallRng;
use rayon::prelude::*;
use seega_balance::random_game;
use seega_rules::{Outcome, Rules, Side, preset};

const GAMES: u64 = 20_000;

/// Turns of both sides together after which the engine of `seega`, which has no quiet limit, cut a game off as a draw.
const MOST_TURNS: u32 = 2_500;

/// Games that who placed first won, that the other side won, and drawn ones, by Ludii 1.3.12.
const KNOWN: [(&str, [u64; 3]); 4] = [
    ("kawu", [4_174, 2_837, 698]),
    ("sija", [6_288, 4_556, 1_294]),
    ("siga", [4_194, 6_880, 1_243]),
    ("seega", [18_216, 15_425, 153]),
];

/// The statistic of a test that two rows of counts are of one distribution: χ² with two degrees of freedom.
fn chi_squared(a: [u64; 3], b: [u64; 3]) -> f64 {
    let [all_a, all_b] = [a, b].map(|row| row.iter().sum::<u64>() as f64);
    let of_column = |column: usize| {
        let both = (a[column] + b[column]) as f64;
        let part = |count: u64, all: f64| {
            let expected = both * all / (all_a + all_b);
            (count as f64 - expected).powi(2) / expected
        };
        part(a[column], all_a) + part(b[column], all_b)
    };
    (0..3).map(of_column).sum()
}

#[test]
fn random_games_end_as_those_of_another_engine() {
    for (name, known) in KNOWN {
        let rules = preset::parse(name).expect("a preset");
        let rules = match name {
            "seega" => Rules { quiet_limit: u32::MAX.try_into().expect("not 0"), ..rules },
            _ => rules,
        };
        let place = |game| {
            let mut random = SmallRng::seed_from_u64(game);
            match random_game(&rules, game, &mut random, Some(MOST_TURNS)).1 {
                Some(Outcome { winner: Some(Side::White), .. }) => 0,
                Some(Outcome { winner: Some(Side::Black), .. }) => 1,
                _ => 2,
            }
        };
        let places: Vec<usize> = (0..GAMES).into_par_iter().map(place).collect();
        let ours = [0, 1, 2].map(|place| places.iter().filter(|&&found| found == place).count() as u64);
        // The value that χ² with two degrees of freedom exceeds once in a thousand times: −2 ln 0.001.
        let statistic = chi_squared(ours, known);
        assert!(statistic < 13.816, "{name}: {ours:?} against {known:?}, χ² {statistic:.1}");
    }
}

#[test]
fn the_test_would_see_other_rules() {
    // 36 and 34 % drawn: 0.36 · 20,000 against 0.34 · 20,000.
    assert!(chi_squared([6_400, 6_400, 7_200], [6_600, 6_600, 6_800]) > 13.816);
    assert_eq!(chi_squared([1, 2, 3], [10, 20, 30]), 0.0);
}
