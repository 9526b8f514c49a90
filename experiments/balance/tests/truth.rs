//! The tests and intervals on games whose truth is known: they err as often as they say, where pooling games errs more.

use rand::rngs::SmallRng;
use rand::{RngExt, SeedableRng};
use seega_balance::statistics::bootstrap::Results;
use seega_balance::statistics::equivalence::p_within;
use seega_balance::statistics::holm;
use seega_balance::statistics::seeds::SeedMean;

const SEEDS: usize = 5;
const GAMES: u64 = 400;
const STUDIES: usize = 2_000;
const ALPHA: f64 = 0.05;

/// About normal, with mean 0.
fn noise(random: &mut SmallRng, deviation: f64) -> f64 {
    deviation * ((0..12).map(|_| random.random_range(0.0..1.0)).sum::<f64>() - 6.0)
}

/// Games of networks whose true scores scatter about one.
fn study(random: &mut SmallRng, score: f64, between_seeds: f64) -> Vec<Results> {
    (0..SEEDS)
        .map(|_| {
            let of_seed = (score + noise(random, between_seeds)).clamp(0.0, 1.0);
            let wins = (0..GAMES).filter(|_| random.random_bool(of_seed)).count() as u64;
            Results { wins, draws: 0, losses: GAMES - wins }
        })
        .collect()
}

fn mean(seeds: &[Results]) -> SeedMean {
    SeedMean::of(&seeds.iter().map(|seed| seed.score()).collect::<Vec<_>>()).expect("several seeds")
}

/// The share of studies in which something is claimed.
fn share(mut claimed: impl FnMut() -> bool) -> f64 {
    (0..STUDIES).filter(|_| claimed()).count() as f64 / STUDIES as f64
}

/// What a test on all games of all seeds, as if they were one network's, would say.
fn pooled_claims(seeds: &[Results]) -> bool {
    let games = (SEEDS as u64 * GAMES) as f64;
    let score = seeds.iter().map(|seed| seed.wins).sum::<u64>() as f64 / games;
    (score - 0.5).abs() / (0.25 / games).sqrt() > 1.96
}

#[test]
fn the_test_over_seeds_keeps_its_level_where_pooling_does_not() {
    let mut random = SmallRng::seed_from_u64(1);
    for between_seeds in [0.0, 0.02, 0.04] {
        let studies: Vec<Vec<Results>> = (0..STUDIES).map(|_| study(&mut random, 0.5, between_seeds)).collect();
        let mut next = studies.iter();
        let by_seeds = share(|| mean(next.next().unwrap()).p_value(0.5) < ALPHA);
        // Two standard deviations of 2,000 studies at 5 % are 1 %.
        assert!((0.035..0.065).contains(&by_seeds), "spread {between_seeds}: {by_seeds}");
        let mut next = studies.iter();
        let pooled = share(|| pooled_claims(next.next().unwrap()));
        match between_seeds {
            0.0 => assert!((0.035..0.065).contains(&pooled), "{pooled}"),
            // 1 + 400 · τ² / 0.25 times the variance: 13 % for 0.02, 30 % for 0.04.
            _ => assert!(pooled > 5.0 * between_seeds, "spread {between_seeds}: {pooled}"),
        }
    }
}

#[test]
fn what_is_at_the_margin_is_seldom_called_even_and_what_is_even_often() {
    let mut random = SmallRng::seed_from_u64(2);
    let mut called = |score| share(|| p_within(mean(&study(&mut random, score, 0.02)), 0.5, 0.06) < ALPHA);
    let (at_margin, beyond, even) = (called(0.56), called(0.6), called(0.5));
    assert!((0.03..0.065).contains(&at_margin), "{at_margin}");
    assert!(beyond < 0.01, "{beyond}");
    assert!(even > 0.8, "{even}");
}

#[test]
fn a_family_errs_once_in_twenty_studies() {
    let mut random = SmallRng::seed_from_u64(3);
    // Eight even variants, and two that are not.
    let scores = [0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.62, 0.35];
    let (mut found, mut unadjusted) = (0, 0);
    let wrong = share(|| {
        let p: Vec<f64> = scores.iter().map(|&score| mean(&study(&mut random, score, 0.02)).p_value(0.5)).collect();
        let adjusted = holm::adjusted(&p);
        found += adjusted[8..].iter().filter(|&&p| p < ALPHA).count();
        unadjusted += usize::from(p[..8].iter().any(|&p| p < ALPHA));
        adjusted[..8].iter().any(|&p| p < ALPHA)
    });
    assert!(wrong < 0.06, "{wrong}");
    assert!(unadjusted > STUDIES / 4, "{unadjusted}: what Holm's adjustment is for");
    assert!(found > STUDIES, "{found} of {}: it finds what is there", 2 * STUDIES);
}

#[test]
fn intervals_hold_the_truth() {
    let mut random = SmallRng::seed_from_u64(4);
    let held = share(|| {
        let interval = mean(&study(&mut random, 0.57, 0.03)).interval(0.95);
        (interval.low..=interval.high).contains(&0.57)
    });
    assert!((0.935..0.965).contains(&held), "{held}");
}
