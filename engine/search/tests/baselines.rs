//! The players without a network are a ladder: each rung beats the one below, or it would measure nothing.

use rand::rngs::SmallRng;
use rand::{Rng, SeedableRng};
use seega_rules::{Action, Position, Rules, Side, preset};
use seega_search::baseline::{AlphaBeta, Baseline, Greedy, Limit, PlayoutSettings, Playouts, Random};

/// Places at random and moves like another.
struct RandomPlacement<B>(B);

impl<B: Baseline> Baseline for RandomPlacement<B> {
    fn choose(&mut self, rules: &Rules, position: &Position, random: &mut dyn Rng) -> Action {
        if position.is_placement() {
            Random.choose(rules, position, random)
        } else {
            self.0.choose(rules, position, random)
        }
    }
}

/// Plays random plies from the start: the opening of a pair of games.
fn opening(rules: &Rules, plies: u32, random: &mut SmallRng) -> Position {
    let mut position = Position::start(rules);
    for _ in 0..plies {
        let action = Random.choose(rules, &position, random);
        position.apply(rules, action);
    }
    position
}

/// The score of the first player against the second, from 0 to 1: pairs of games with colours swapped from the same
/// random opening.
fn score(rules: &Rules, first: &mut dyn Baseline, second: &mut dyn Baseline, pairs: u32, opening_plies: u32) -> f64 {
    let mut random = SmallRng::seed_from_u64(1);
    let mut score = 0.0;
    for _ in 0..pairs {
        let start = opening(rules, opening_plies, &mut random);
        for side in Side::BOTH {
            let mut position = start;
            while position.outcome().is_none() {
                let action = if position.mover() == side {
                    first.choose(rules, &position, &mut random)
                } else {
                    second.choose(rules, &position, &mut random)
                };
                position.play(rules, action).expect("players play by the rules");
            }
            score += match position.outcome().and_then(|outcome| outcome.winner) {
                Some(winner) => f64::from(u8::from(winner == side)),
                None => 0.5,
            };
        }
    }
    score / f64::from(2 * pairs)
}

fn alphabeta(depth: u32) -> AlphaBeta {
    AlphaBeta::new(Limit::Work(depth))
}

#[test]
fn the_placement_rule_beats_random_placement_with_the_same_mover() {
    for name in ["sija", "siga", "kawu", "szidzsa/5"] {
        let rules = preset::parse(name).unwrap();
        let score = score(&rules, &mut Greedy, &mut RandomPlacement(Greedy), 200, 0);
        println!("placement rule, {name}: {score}");
        assert!(score >= 0.7, "{name}: {score}");
    }
}

#[test]
fn depth_two_beats_greedy() {
    for name in ["sija", "siga", "kawu"] {
        let rules = preset::parse(name).unwrap();
        let score = score(&rules, &mut alphabeta(2), &mut Greedy, 100, 4);
        println!("alphabeta:2 against greedy, {name}: {score}");
        assert!(score >= 0.85, "{name}: {score}");
    }
}

#[test]
fn two_turns_deeper_is_stronger() {
    for name in ["sija", "siga"] {
        let rules = preset::parse(name).unwrap();
        for depth in [3, 4] {
            let score = score(&rules, &mut alphabeta(depth), &mut alphabeta(depth - 2), 50, 4);
            println!("alphabeta:{depth} against alphabeta:{}, {name}: {score}", depth - 2);
            assert!(score >= 0.6, "{name} {depth}: {score}");
        }
    }
}

/// Where any move goes on with a chain, a turn has too many ends to search them all.
#[test]
fn a_deep_search_ends_where_turns_have_no_end() {
    let rules = preset::parse("szidzsa/7").unwrap();
    let mut random = SmallRng::seed_from_u64(1);
    let stones = 2 * u32::from(rules.size.stones_per_side());
    let mut position = opening(&rules, stones, &mut random);
    for _ in 0..20 {
        if position.outcome().is_some() {
            break;
        }
        let action = alphabeta(8).choose(&rules, &position, &mut random);
        position.play(&rules, action).expect("a legal action");
    }
}

#[test]
fn playouts_beat_greedy() {
    let rules = preset::parse("sija").unwrap();
    let mut playouts = Playouts::new(Limit::Work(800), PlayoutSettings::default());
    let score = score(&rules, &mut playouts, &mut Greedy, 20, 4);
    println!("mcts:800 against greedy: {score}");
    assert!(score >= 0.8, "{score}");
    let mut deep = alphabeta(2);
    let mut playouts = Playouts::new(Limit::Work(800), PlayoutSettings::default());
    println!("mcts:800 against alphabeta:2: {}", self::score(&rules, &mut playouts, &mut deep, 20, 4));
}

#[test]
fn greedy_beats_random() {
    let rules = preset::parse("sija").unwrap();
    let score = score(&rules, &mut Greedy, &mut Random, 100, 4);
    println!("greedy against random: {score}");
    assert!(score >= 0.9, "{score}");
}
