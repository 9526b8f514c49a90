//! What must hold under any rules and in any position, tried on random ones.

use std::collections::HashSet;
use std::num::NonZeroU32;

use proptest::collection::vec;
use proptest::option;
use proptest::prelude::*;
use proptest::sample::select;
use seega_rules::record::{GameRecord, RecordReader};
use seega_rules::{
    Action, ActionList, Blocked, BoardSize, Chain, Directions, FirstMover, Jumps, LoseAt, PerTurn, Position,
    QuietResult, Rules, Side, Square, Symmetry, preset,
};

prop_compose! {
    fn any_rules()(
        (size, per_turn, cross, first_mover) in (
            select(BoardSize::ALL.to_vec()), select(vec![PerTurn::One, PerTurn::Two]), any::<bool>(),
            select(FirstMover::ALL.to_vec()),
        ),
        (move_dirs, jumps, capture_dirs, center_safe) in (
            select(Directions::ALL.to_vec()), select(Jumps::ALL.to_vec()), select(Directions::ALL.to_vec()),
            any::<bool>(),
        ),
        (chain, chain_optional, chain_limit, blocked) in (
            select(Chain::ALL.to_vec()), any::<bool>(), option::of(1u32..5), select(Blocked::ALL.to_vec()),
        ),
        (lose_at, quiet_limit, quiet_result) in (0..=LoseAt::MAX, 1u32..30, select(QuietResult::ALL.to_vec())),
    ) -> Rules {
        Rules {
            size, per_turn, cross, first_mover, move_dirs, jumps, capture_dirs, center_safe, chain, chain_optional,
            chain_limit: chain_limit.and_then(NonZeroU32::new),
            blocked,
            lose_at: LoseAt::new(lose_at).unwrap(),
            quiet_limit: NonZeroU32::new(quiet_limit).unwrap(),
            quiet_result,
        }
    }
}

fn legal(rules: &Rules, position: &Position) -> ActionList {
    let mut actions = ActionList::new();
    position.legal_actions(rules, &mut actions);
    actions
}

/// The choices of a game: at each ply the legal action with that number, modulo how many there are. They are repeated
/// when they run out, so that every game comes to its end.
fn choices() -> impl Strategy<Value = Vec<usize>> {
    vec(any::<usize>(), 1..200)
}

/// Plays a game to its end and calls `visit` with each position before a ply, and the action.
fn play(rules: &Rules, choices: &[usize], mut visit: impl FnMut(&Position, &ActionList, Action)) -> Position {
    let mut position = Position::start(rules);
    for choice in choices.iter().cycle().enumerate().map(|(ply, choice)| choice.wrapping_add(ply)) {
        if position.outcome().is_some() {
            break;
        }
        let actions = legal(rules, &position);
        let action = actions[choice % actions.len()];
        visit(&position, &actions, action);
        position.apply(rules, action);
    }
    position
}

/// Calls `visit` with every position of a game and its rules.
fn each_position(rules: &Rules, choices: &[usize], mut visit: impl FnMut(&Position)) {
    let end = play(rules, choices, |position, _, _| visit(position));
    visit(&end);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn legal_actions_are_distinct_and_each_applies(rules in any_rules(), choices in choices()) {
        play(&rules, &choices, |position, actions, _| {
            let distinct: HashSet<Action> = actions.iter().copied().collect();
            assert!(!actions.is_empty(), "a game that goes on has an action: {position}");
            assert_eq!(distinct.len(), actions.len(), "{position}: {actions:?}");
            for &action in actions {
                let mut next = *position;
                let captured = next.play(&rules, action).unwrap();
                let enemy = position.opponent();
                assert_eq!(position.stones(enemy), next.stones(enemy) | captured);
                assert!((next.stones(enemy) & captured).is_empty());
                assert!((next.stones(Side::White) & next.stones(Side::Black)).is_empty());
                assert_ne!(next.hash(), position.hash(), "{position} {action}");
            }
        });
    }

    #[test]
    fn choosing_by_number_gives_what_the_list_gives(rules in any_rules(), choices in choices()) {
        play(&rules, &choices, |position, actions, _| {
            for number in 0..=actions.len() {
                let chosen = position.choose_action(&rules, |count| {
                    assert_eq!(count, actions.len(), "{position}");
                    number
                });
                assert_eq!(chosen, actions.get(number).copied(), "{position}");
            }
        });
    }

    #[test]
    fn what_is_not_listed_is_refused_with_the_position_untouched(
        rules in any_rules(), choices in choices(), tries in vec((0u8..9, 0u8..9, 0u8..9, 0u8..9), 20),
    ) {
        let square = |file, rank| Square::new(file, rank).unwrap();
        play(&rules, &choices, |position, actions, _| {
            for &(file, rank, to_file, to_rank) in &tries {
                let step = Action::Step { from: square(file, rank), to: square(to_file, to_rank) };
                for action in [Action::Place(square(file, rank)), step, Action::Stop] {
                    let mut next = *position;
                    let played = next.play(&rules, action);
                    assert_eq!(played.is_ok(), actions.contains(&action), "{position} {action}");
                    assert!(played.is_ok() || next == *position);
                }
            }
        });
    }

    #[test]
    fn symmetry_commutes_with_legal_actions_and_with_applying_them(rules in any_rules(), choices in choices()) {
        play(&rules, &choices, |position, actions, action| {
            for symmetry in Symmetry::ALL {
                let turned = symmetry.position(position);
                let expected: HashSet<Action> =
                    actions.iter().map(|&action| symmetry.action(rules.size, action)).collect();
                let found: HashSet<Action> = legal(&rules, &turned).into_iter().collect();
                assert_eq!(found, expected, "{position} {symmetry:?}");

                let (mut next, mut turned_next) = (*position, turned);
                let captured = next.apply(&rules, action);
                let turned_captured = turned_next.apply(&rules, symmetry.action(rules.size, action));
                assert_eq!(turned_next, symmetry.position(&next), "{position} {action} {symmetry:?}");
                assert_eq!(turned_next.outcome(), next.outcome());
                assert_eq!(turned_captured, symmetry.squares(rules.size, captured));
                assert_eq!(turned_next.hash(), symmetry.position(&next).hash());
                assert_eq!(symmetry.inverse().position(&turned_next), next);
            }
        });
    }

    #[test]
    fn text_round_trips_and_the_hash_equals_one_computed_afresh(rules in any_rules(), choices in choices()) {
        each_position(&rules, &choices, |position| {
            let text = position.to_string();
            match Position::from_text(&text, &rules) {
                Ok(read) => {
                    assert_eq!(read, *position, "{text}");
                    assert_eq!(read.to_string(), text);
                    assert_eq!(read.hash(), position.hash(), "{text}");
                    assert_eq!(position.outcome(), None, "{text}: the game is over, but the text was read");
                }
                Err(error) => assert!(position.outcome().is_some(), "{text}: {error}"),
            }
        });
    }

    #[test]
    fn a_game_ends_within_the_bound_of_its_rules(rules in any_rules(), choices in choices()) {
        let mut plies = 0;
        let end = play(&rules, &choices, |_, _, _| plies += 1);
        prop_assert!(end.outcome().is_some());
        prop_assert!(plies <= rules.max_plies(), "{plies} plies, bound {}", rules.max_plies());
        prop_assert!(legal(&rules, &end).is_empty());
    }

    #[test]
    fn a_recorded_game_verifies_and_reads_back(rules in any_rules(), choices in choices()) {
        let mut record = GameRecord::begin("random", rules);
        let end = play(&rules, &choices, |position, _, action| record.add_ply_with_legal(position, action));
        record.end(&end);
        let line = serde_json::to_string(&record).unwrap();
        prop_assert_eq!(serde_json::from_str::<GameRecord>(&line).unwrap(), record.clone());
        prop_assert_eq!(record.verify().unwrap().positions, record.plies.len() as u64);
    }

    #[test]
    fn a_changed_record_is_found_out(rules in any_rules(), choices in choices(), at in any::<prop::sample::Index>()) {
        let mut record = GameRecord::begin("random", rules);
        let end = play(&rules, &choices, |position, _, action| record.add_ply_with_legal(position, action));
        record.end(&end);

        let index = at.index(record.plies.len());
        let mut changed = record.clone();
        let removed = changed.plies[index].legal.as_mut().unwrap().pop();
        prop_assert!(removed.is_some());
        prop_assert!(changed.verify().is_err(), "a legal action less at ply {}", index + 1);

        let mut changed = record.clone();
        changed.plies.remove(index);
        // Without its first ply a record is a game that begins one ply later.
        prop_assert_eq!(changed.verify().is_err(), index > 0 || record.plies.len() == 1);

        let mut changed = record.clone();
        changed.end = Position::start(&rules).to_string();
        prop_assert!(changed.verify().is_err());

        let mut changed = record;
        changed.result = None;
        prop_assert!(changed.verify().is_err());
    }

    #[test]
    fn rules_round_trip_through_toml_json_and_overrides(rules in any_rules(), other in any_rules()) {
        prop_assert_eq!(preset::parse(&preset::spell(&rules)), Ok(rules));
        prop_assert_eq!(Rules::from_toml(&rules.to_toml()), Ok(rules));
        let json = serde_json::to_string(&rules).unwrap();
        prop_assert_eq!(serde_json::from_str::<Rules>(&json).unwrap(), rules);
        let text = rules.to_toml().replace('"', "");
        let overrides = text.lines().filter_map(|line| line.split_once(" = "));
        prop_assert_eq!(other.with_overrides(overrides), Ok(rules));
    }
}

/// Replaces, removes or doubles a piece of a text at a place of its own.
fn mutated(text: &str, at: usize, with: &str, kind: u8) -> String {
    let chars: Vec<char> = text.chars().collect();
    let at = at % (chars.len() + 1);
    let (head, tail) = chars.split_at(at);
    let skipped = tail.iter().skip(usize::from(kind != 0));
    head.iter().copied().chain(with.chars()).chain(skipped.copied()).collect()
}

/// A text in the form of a position, of any density up to a full board, with any fields.
fn position_text(size: BoardSize) -> impl Strategy<Value = String> {
    let side = usize::from(size.side());
    let letters = (0usize..4).prop_flat_map(move |empty| {
        // From boards without an empty square to rather empty ones.
        let choices: Vec<char> = "wb".chars().chain("....".chars().take(empty)).collect();
        vec(select(choices), side * side)
    });
    let square = (0..size.side(), 0..size.side()).prop_map(|(file, rank)| Square::new(file, rank).unwrap());
    let chain = option::of((square, 0u32..50)).prop_map(|chain| match chain {
        Some((square, captures)) => format!("{square}:{captures}"),
        None => "-".to_owned(),
    });
    let phase = select(vec!["m", "m", "m", "o", "p1", "p2"]);
    (letters, select(vec!["w", "b"]), phase, chain, select(vec![0, 0, 0, 1, 5, 29])).prop_map(
        move |(letters, mover, phase, chain, quiet)| {
            let ranks = letters.chunks(side).map(|rank| {
                let rank: String = rank.iter().collect();
                (1..=9).rev().fold(rank, |rank, run| rank.replace(&".".repeat(run), &run.to_string()))
            });
            format!("{} {mover} {phase} {chain} {quiet}", ranks.collect::<Vec<_>>().join("/"))
        },
    )
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(5_000))]

    #[test]
    fn any_text_in_the_form_of_a_position_is_refused_or_can_be_played_on(
        (rules, text) in any_rules().prop_flat_map(|rules| (Just(rules), position_text(rules.size))),
        choices in choices(),
    ) {
        if let Ok(position) = Position::from_text(&text, &rules) {
            prop_assert_eq!(position.to_string(), text);
            let (mut game, mut plies) = (position, 0);
            while let Some(action) = game.choose_action(&rules, |count| choices[plies % choices.len()] % count) {
                game.apply(&rules, action);
                plies += 1;
            }
            prop_assert!(game.outcome().is_some());
            prop_assert!(plies as u64 <= rules.max_plies());
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2_000))]

    #[test]
    fn arbitrary_text_never_panics(bytes in vec(any::<u8>(), 0..300), rules in any_rules()) {
        let text = String::from_utf8_lossy(&bytes);
        let _ = text.parse::<Square>();
        let _ = text.parse::<Action>();
        let _ = Position::from_text(&text, &rules);
        let _ = Rules::from_toml(&text);
        let _ = preset::parse(&text);
        let _ = rules.with_overrides([(&*text, &*text)]);
        let _ = serde_json::from_slice::<GameRecord>(&bytes);
        if let Ok(reader) = RecordReader::new(&bytes[..]) {
            reader.for_each(drop);
        }
        // As the body of a compressed file.
        let compressed: Vec<u8> = [0x1f, 0x8b, 8].into_iter().chain(bytes.iter().copied()).collect();
        if let Ok(reader) = RecordReader::new(&compressed[..]) {
            reader.for_each(drop);
        }
    }

    #[test]
    fn a_damaged_position_is_refused_or_can_be_played_on(
        rules in any_rules(), choices in choices(), plies in 0usize..150,
        at in any::<usize>(), with in "[wbmop1-9a-i:/ -]{0,3}", kind in 0u8..2,
    ) {
        let mut positions = Vec::new();
        each_position(&rules, &choices, |position| positions.push(*position));
        let text = mutated(&positions[plies % positions.len()].to_string(), at, &with, kind);
        if let Ok(position) = Position::from_text(&text, &rules) {
            prop_assert_eq!(position.to_string(), text);
            let mut game = position;
            for choice in choices.iter().cycle() {
                if game.outcome().is_some() {
                    break;
                }
                let actions = legal(&rules, &game);
                game.apply(&rules, actions[choice % actions.len()]);
            }
        }
    }

    #[test]
    fn a_damaged_rules_file_never_panics(
        rules in any_rules(), at in any::<usize>(), with in "[a-z0-9\"=_\\[\\]{}#\n.+ -]{0,6}", kind in 0u8..2,
    ) {
        let text = mutated(&rules.to_toml(), at, &with, kind);
        match Rules::from_toml(&text) {
            Ok(read) => prop_assert_eq!(Rules::from_toml(&read.to_toml()), Ok(read)),
            Err(error) => prop_assert!(!error.problems().is_empty()),
        }
    }
}
