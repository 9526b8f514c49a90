//! `seega play`, run as its user runs it, with what a person would type as its input.

mod common;

use std::fs;

use common::{Scratch, assert_refused, run, seega, seega_told};

/// Plays with words separated by spaces as arguments and lines as input.
fn play(words: &str, position: Option<&str>, input: &str) -> String {
    let position = position.map(|position| ["--position", position]);
    let arguments = ["play"].into_iter().chain(words.split(' ')).chain(position.into_iter().flatten());
    let ended = seega_told(arguments, input.as_bytes());
    assert_eq!((ended.code, &*ended.err), (Some(0), ""), "{ended:?}");
    ended.out
}

/// Asserts that the texts occur one after the other.
fn assert_in_order(out: &str, texts: &[&str]) {
    let mut rest = out;
    for text in texts {
        match rest.split_once(text) {
            Some((_, after)) => rest = after,
            None => panic!("{text:?} is not there, or not in its place, in\n{out}"),
        }
    }
}

#[test]
fn a_person_plays_a_chain_with_captures() {
    let position = "bwwbw/bwbwb/bw1bb/wbwww/wwbbb w m - 0";
    let out = play("--rules sija", Some(position), "d4-c3\nc3-b2\nmoves\nb4-c4\nstop\nquit\n");
    let expected = [
        "White moves; 0 of 50 quiet turns.\n",
        "White> White: d4-c3, takes b2, c4, and may go on\n",
        "\n 3  ●  ○ [○] ●  ●\n",
        "having captured once in this turn",
        "c3-b2 is not legal: the chain asks for another step.\n",
        "Captures (8): b3-c4 (d3)",
        "White: b4-c4, takes d3",
        "Left after",
    ];
    assert_in_order(&out, &expected);
}

#[test]
fn wrong_input_gets_a_line_and_another_prompt() {
    let nonsense = "x".repeat(3000);
    let input = format!("{nonsense}\n\nC3\na1-a2\nstop\n\u{1b}[31m\nhint\nundo\nhelp\na1\n");
    let out = play("--rules sija", None, &input);
    let expected = [
        "an action is a square",
        "c3 is not legal: nothing is placed on the centre.",
        "a1-a2 is not legal: stones are still being placed.",
        "stop is not legal: only a chain can be stopped.",
        "an action is a square",
        "no player to ask",
        "nothing to take back",
        "takes back your last ply",
        "White: a1",
        "Left after 1 plies.",
    ];
    assert_in_order(&out, &expected);
    assert!(!out.contains('\u{1b}'));
    let ended = seega_told(["play", "--rules", "sija"], b"\xff\xfe\n");
    assert_eq!(ended.code, Some(0), "{ended:?}");
}

#[test]
fn undo_takes_back_the_players_answer_too() {
    let out = play("--rules sija --black greedy --seed 1", None, "c2\nd2\nhint\nundo\nundo\nundo\nc2\n");
    let expected = [
        "White: c2",
        "White: d2",
        "Black: ",
        "Black: ",
        "Black would play ",
        "[○]",
        "nothing to take back",
        "White: c2",
    ];
    assert_in_order(&out, &expected);
    assert!(out.ends_with("Left after 1 plies.\n"), "{out}");
}

#[test]
fn a_skipped_turn_is_told() {
    // Black's only stone stands in the corner; the capture elsewhere shuts nothing, the step to b5 does.
    let out =
        play("--rules sija --set move_dirs=orthogonal --set lose_at=0", Some("b1w2/w4/5/5/5 w m - 3"), "c5-b5\nquit\n");
    assert_in_order(&out, &["White: c5-b5\nBlack has no step: the turn is skipped\n", "White moves; 4 of 50"]);
}

#[test]
fn two_players_play_through_and_the_game_is_saved() {
    let file = Scratch::missing("played.jsonl");
    let words = ["play", "--rules", "sija", "--white", "greedy", "--black", "random", "--seed", "2", "--save"];
    let ended = seega(words.iter().copied().chain([file.name()]));
    assert_eq!((ended.code, &*ended.err), (Some(0), ""), "{ended:?}");
    assert_in_order(
        &ended.out,
        &[
            "sija, 5×5: White greedy, Black random, seed 2\n",
            "takes",
            "The game is over: White wins (stones).\n",
            "Saved to",
        ],
    );
    assert_eq!(seega(["verify", file.name()]).code, Some(0));
    assert_refused(&seega(words.iter().copied().chain([file.name()])), "exists already");
}

#[test]
fn games_given_up_or_left_are_saved_as_such() {
    for (input, told) in
        [("a1\nresign\n", "\"result\":\"b\",\"reason\":\"resigned\""), ("a1\n", "\"result\":null,\"reason\":\"cut\"")]
    {
        let file = Scratch::missing("given-up.jsonl");
        let ended = seega_told(["play", "--rules", "sija", "--save", file.name()], input.as_bytes());
        assert_eq!(ended.code, Some(0), "{ended:?}");
        assert!(fs::read_to_string(file.name()).unwrap().contains(told));
        assert_eq!(seega(["verify", file.name()]).code, Some(0));
    }
    let file = Scratch::missing("empty.jsonl");
    let ended = seega_told(["play", "--rules", "sija", "--save", file.name()], b"resign\n");
    assert!(ended.code == Some(0) && ended.out.ends_with("nothing is saved.\n"), "{ended:?}");
    assert!(!std::path::Path::new(file.name()).exists());
}

#[test]
fn wrong_arguments_are_refused() {
    assert_refused(&run("play --rules sijja"), "no preset is called");
    assert_refused(&run("play --rules sija --white net:no/such/file"), "no/such/file");
    let ended = run("play --rules sija --black elephant");
    assert!(ended.code == Some(2) && ended.err.contains("\"elephant\" is no player"), "{ended:?}");
}
