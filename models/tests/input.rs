//! What must hold of inputs and action indexing under any rules, tried on the positions of random games.

use std::collections::HashSet;
use std::num::NonZeroU32;

use seega_models::{action, input};
use seega_rules::{
    Blocked, BoardSize, Chain, Directions, Field, FirstMover, Jumps, LoseAt, PerTurn, Phase, Position, QuietResult,
    Rules, preset,
};
use seega_tests::games::{any_rules, each_position, random};

/// Random rules, and as many games.
const RULES: usize = 300;

fn encode(rules: &Rules, position: &Position) -> (Vec<f32>, Vec<f32>) {
    let (mut planes, mut scalars) = (Vec::new(), Vec::new());
    input::encode_planes(position, &mut planes);
    input::encode_scalars(rules, position, &mut scalars);
    (planes, scalars)
}

/// The text of the position with White and Black swapped.
fn colours_swapped(position: &Position) -> String {
    let text = position.to_string();
    let (board_and_mover, rest) = text.split_at(text.find(' ').unwrap() + 2);
    let swapped = board_and_mover.chars().map(|letter| match letter {
        'w' => 'b',
        'b' => 'w',
        other => other,
    });
    swapped.chain(rest.chars()).collect()
}

#[test]
fn every_legal_action_has_a_place_of_its_own_and_comes_back_from_it() {
    let mut random = random(1);
    let (mut steps, mut jumps, mut stops) = (0, 0, 0);
    for _ in 0..RULES {
        let rules = any_rules(&mut random);
        each_position(&rules, &mut random, |position, actions| {
            let mut places = HashSet::new();
            for &action in actions {
                let place = action::index(rules.size, action).unwrap_or_else(|| panic!("{position} {action}"));
                assert!(place < action::policy_len(rules.size));
                assert!(places.insert(place), "{position} {action}: another action has the place {place}");
                assert_eq!(action::action_at(rules.size, place), Some(action), "{position}");
                match place / usize::from(rules.size.squares()) {
                    1..9 => steps += 1,
                    9..17 => jumps += 1,
                    17 => stops += 1,
                    _ => {}
                }
            }
        });
    }
    assert!(steps > 1000 && jumps > 1000 && stops > 50, "{steps} steps, {jumps} jumps, {stops} stops");
}

#[test]
fn inputs_know_no_colours_once_stones_move() {
    let mut random = random(2);
    let (mut swapped, mut in_chains, mut openings) = (0, 0, 0);
    for _ in 0..RULES {
        let rules = any_rules(&mut random);
        each_position(&rules, &mut random, |position, _| {
            if position.is_placement() {
                return;
            }
            let text = colours_swapped(position);
            let other = Position::from_text(&text, &rules).unwrap_or_else(|error| panic!("{text}: {error}"));
            assert_ne!(other.mover(), position.mover());
            assert_eq!(encode(&rules, &other), encode(&rules, position), "{position}");
            swapped += 1;
            in_chains += usize::from(position.chain().is_some());
            openings += usize::from(position.phase() == Phase::Opening);
        });
    }
    assert!(swapped > 1000 && in_chains > 100 && openings > 2, "{swapped}, {in_chains} in chains, {openings} openings");
}

#[test]
fn every_input_is_from_0_to_1_and_planes_are_0_or_1() {
    let mut random = random(3);
    for _ in 0..RULES {
        let rules = any_rules(&mut random);
        each_position(&rules, &mut random, |position, _| {
            let (planes, scalars) = encode(&rules, position);
            assert_eq!(planes.len(), input::planes_len(rules.size));
            assert!(planes.iter().all(|&number| number == 0.0 || number == 1.0), "{position}");
            for ((name, _), value) in input::SCALARS.iter().zip(&scalars) {
                assert!((0.0..=1.0).contains(value), "{position}: {name} is {value}");
            }
            let squares = usize::from(rules.size.squares());
            let count = |plane: usize| planes[plane * squares..][..squares].iter().sum::<f32>() as u8;
            assert_eq!(count(0), position.stones(position.mover()).count());
            assert_eq!(count(1), position.stones(position.opponent()).count());
            assert_eq!(count(3), u8::from(position.chain().is_some()));
        });
    }
    for limit in [1, u32::MAX] {
        let limit = NonZeroU32::new(limit).unwrap();
        let rules = Rules { quiet_limit: limit, chain_limit: Some(limit), ..preset::ALL[0].rules };
        let (_, scalars) = encode(&rules, &Position::start(&rules));
        assert!(scalars.iter().all(|value| (0.0..=1.0).contains(value)), "{limit}: {scalars:?}");
    }
}

/// What a position's text tells beyond the planes must be in the scalars: phase, stones left, captures, quiet.
#[test]
fn positions_of_one_game_that_differ_have_different_inputs() {
    let mut random = random(4);
    for _ in 0..RULES {
        let rules = any_rules(&mut random);
        let mut seen = std::collections::HashMap::new();
        each_position(&rules, &mut random, |position, _| {
            let (planes, scalars) = encode(&rules, position);
            let bits: Vec<u32> = planes.iter().chain(&scalars).map(|number| number.to_bits()).collect();
            if let Some(earlier) = seen.insert(bits, position.to_string()) {
                let same = earlier == position.to_string() || earlier == colours_swapped(position);
                assert!(same, "{earlier} and {position} have one input");
            }
        });
    }
}

/// All the values of a field, or of a number enough of them.
fn variants(rules: Rules, field: Field) -> Vec<Rules> {
    let number = |number: u32| NonZeroU32::new(number).unwrap();
    match field {
        Field::Size => BoardSize::ALL.map(|size| Rules { size, ..rules }).to_vec(),
        Field::PerTurn => [PerTurn::One, PerTurn::Two].map(|per_turn| Rules { per_turn, ..rules }).to_vec(),
        Field::Cross => [true, false].map(|cross| Rules { cross, ..rules }).to_vec(),
        Field::FirstMover => FirstMover::ALL.iter().map(|&first_mover| Rules { first_mover, ..rules }).collect(),
        Field::MoveDirs => Directions::ALL.iter().map(|&move_dirs| Rules { move_dirs, ..rules }).collect(),
        Field::Jumps => Jumps::ALL.iter().map(|&jumps| Rules { jumps, ..rules }).collect(),
        Field::CaptureDirs => Directions::ALL.iter().map(|&capture_dirs| Rules { capture_dirs, ..rules }).collect(),
        Field::CenterSafe => [true, false].map(|center_safe| Rules { center_safe, ..rules }).to_vec(),
        Field::Chain => Chain::ALL.iter().map(|&chain| Rules { chain, ..rules }).collect(),
        Field::ChainOptional => [true, false].map(|chain_optional| Rules { chain_optional, ..rules }).to_vec(),
        Field::ChainLimit => (0..=81).map(|limit| Rules { chain_limit: NonZeroU32::new(limit), ..rules }).collect(),
        Field::Blocked => Blocked::ALL.iter().map(|&blocked| Rules { blocked, ..rules }).collect(),
        Field::LoseAt => {
            (0..=LoseAt::MAX).map(|stones| Rules { lose_at: LoseAt::new(stones).unwrap(), ..rules }).collect()
        }
        Field::QuietLimit => (1..=10_000).map(|limit| Rules { quiet_limit: number(limit), ..rules }).collect(),
        Field::QuietResult => QuietResult::ALL.iter().map(|&quiet_result| Rules { quiet_result, ..rules }).collect(),
    }
}

#[test]
fn each_value_of_each_field_of_the_rules_gives_scalars_of_its_own() {
    let bits = |rules: &Rules| -> Vec<u32> {
        let (_, scalars) = encode(rules, &Position::start(rules));
        scalars.iter().map(|scalar| scalar.to_bits()).collect()
    };
    for preset in &preset::ALL {
        let mut seen = HashSet::from([bits(&preset.rules)]);
        for field in Field::ALL {
            let all = variants(preset.rules, field);
            assert!(all.contains(&preset.rules), "{}: the variants lack the preset's own value", field.name());
            for rules in all.iter().filter(|&&rules| rules != preset.rules) {
                assert!(seen.insert(bits(rules)), "{} with {} = {}", preset.name, field.name(), field.get(rules));
            }
        }
    }
}

#[test]
fn random_rules_that_differ_have_scalars_that_differ() {
    let mut random = random(5);
    let mut seen = std::collections::HashMap::new();
    for _ in 0..20_000 {
        let rules = any_rules(&mut random);
        let (_, scalars) = encode(&rules, &Position::start(&rules));
        let bits: Vec<u32> = scalars.iter().map(|scalar| scalar.to_bits()).collect();
        assert_eq!(*seen.entry(bits).or_insert(rules), rules);
    }
}
