//! The two sample games of the sources, with every capture and board, and all lines of their commentaries.

use seega_rules::{Action, ActionList, Outcome, Position, Rules, Side, preset};
use seega_tests::golden::{GoldenGame, GoldenPly, board_text, side};

fn board_of(position: &Position) -> String {
    position.to_string().split(' ').next().unwrap().to_owned()
}

/// Does a step and compares what it captured and the board after it.
fn replay_step(rules: &Rules, position: &mut Position, ply: &GoldenPly, place: &str) {
    assert_eq!(position.mover(), side(ply.mover), "{place}: mover");
    let captured = position.play(rules, ply.action()).unwrap_or_else(|error| panic!("{place}: {error}"));
    let mut names: Vec<String> = captured.iter().map(|square| square.to_string()).collect();
    names.sort();
    assert_eq!(names, ply.captured, "{place}: captured");
    assert_eq!(board_of(position), board_text(&ply.board), "{place}: board");
}

/// The position in which a variation's first side has its turn. In a threat line that is not the side to move: then it
/// begins a turn of its own on the same board.
fn to_move(rules: &Rules, position: &Position, mover: Side) -> Position {
    if position.mover() == mover {
        return *position;
    }
    let text = format!("{} {} m - 0", board_of(position), mover.letter());
    Position::from_text(&text, rules).unwrap()
}

/// Replays a game and gives the positions before each ply and the last one.
fn replay(name: &str) -> (GoldenGame, Rules, Vec<Position>) {
    let game = GoldenGame::read(name);
    let rules = preset::parse(&game.rules_name).unwrap();
    let mut position = Position::start(&rules);
    match &game.placements {
        Some(placements) => {
            for placement in placements {
                assert_eq!(position.mover(), side(placement.mover));
                for square in &placement.squares {
                    position.play(&rules, square.parse().unwrap()).unwrap();
                }
                assert_eq!(board_of(&position), board_text(&placement.board));
            }
            assert_eq!(board_of(&position), board_text(&game.initial_board));
        }
        None => {
            let start = format!("{} w m - 0", board_text(&game.initial_board));
            position = Position::from_text(&start, &rules).unwrap();
        }
    }
    let mut positions = Vec::new();
    for (index, ply) in game.plies.iter().enumerate() {
        let place = format!("{name} ply {}", index + 1);
        // A first step while the other side's chain still runs: that side stopped.
        if ply.step == Some(1) && position.chain().is_some() {
            position.play(&rules, Action::Stop).unwrap_or_else(|error| panic!("{place}: {error}"));
        }
        positions.push(position);
        replay_step(&rules, &mut position, ply, &place);
    }
    positions.push(position);
    (game, rules, positions)
}

fn replay_variations(name: &str, game: &GoldenGame, rules: &Rules, positions: &[Position]) {
    for (index, variation) in game.variations.iter().enumerate() {
        let before = &positions[variation.replaces_ply - 1];
        let mut position = to_move(rules, before, side(variation.plies[0].mover));
        for (step, ply) in variation.plies.iter().enumerate() {
            let place = format!("{name} variation {} step {}", index + 1, step + 1);
            replay_step(rules, &mut position, ply, &place);
        }
    }
}

#[test]
fn the_game_of_sija_replays_to_whites_win_by_stones() {
    let (game, rules, positions) = replay("game_000.json");
    let outcome = Outcome { winner: Some(side(game.result.winner)), reason: seega_rules::EndReason::Stones };
    assert_eq!(positions.last().unwrap().outcome(), Some(outcome));
    replay_variations("game_000", &game, &rules, &positions);
}

#[test]
fn white_stops_a_chain_of_the_game_of_sija_with_a_capture_left() {
    let (_, rules, positions) = replay("game_000.json");
    // After White's second step e5-d4 (d3), d4-e5 (d5) was still there.
    let mut position = positions[1];
    position.play(&rules, "e5-d4".parse().unwrap()).unwrap();
    let mut actions = ActionList::new();
    position.legal_actions(&rules, &mut actions);
    assert!(actions.contains(&Action::Stop));
    assert!(actions.contains(&"d4-e5".parse().unwrap()));
    assert_eq!(positions[2].mover(), Side::Black);
}

#[test]
fn the_game_of_sija_single_replays_to_its_resignation() {
    let (game, rules, positions) = replay("game_002.json");
    assert_eq!(positions.len(), game.plies.len() + 1);
    let last = positions.last().unwrap();
    // Black resigned with two stones left; by the rules the game goes on.
    assert_eq!(last.outcome(), None);
    assert_eq!(last.stones(Side::Black).count(), 2);
    assert_eq!(last.stones(side(game.result.winner)).count(), 5);
    replay_variations("game_002", &game, &rules, &positions);
}
