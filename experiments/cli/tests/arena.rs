//! `seega arena`, run as its user runs it.

mod common;

use std::fs;

use common::{Scratch, assert_refused, run, seega};
use serde_json::Value;

/// The object that a match with `--json` ends with.
fn played(words: &str) -> Value {
    let ended = run(&format!("arena match {words} --json"));
    assert_eq!((ended.code, &*ended.err, ended.out.lines().count()), (Some(0), "", 1), "{ended:?}");
    serde_json::from_str(&ended.out).unwrap()
}

#[test]
fn a_match_is_told_as_one_object() {
    let words = "greedy random --rules sija --games 60";
    let object = played(words);
    assert_eq!(object["players"], serde_json::json!(["greedy", "random"]));
    let number = |key: &str| object[key].as_f64().unwrap_or_else(|| panic!("{key} in {object}"));
    assert_eq!(number("games"), 60.0);
    assert_eq!(number("wins") + number("draws") + number("losses"), 60.0);
    assert_eq!(number("score"), (number("wins") + number("draws") / 2.0) / 60.0);
    assert!(number("score") > 0.9, "{object}");
    assert!(number("elo_low") < number("elo") && number("elo") <= number("elo_high"), "{object}");
    assert!(number("elo_low") > 100.0, "{object}");
    assert_eq!(number("distinct"), 1.0);

    assert_eq!(played(words), object, "the same seed gives the same match");
    assert_ne!(played(&format!("{words} --seed 1")), object);
    // The score is the first player's.
    let turned = played("random greedy --rules sija --games 60");
    assert!(turned["score"].as_f64().unwrap() < 0.1, "{turned}");
}

#[test]
fn a_match_is_told_in_words() {
    let ended =
        run("arena match alphabeta:1 greedy --rules siga --set quiet_limit=10 --games 40 --openings placements");
    assert_eq!((ended.code, &*ended.err), (Some(0), ""), "{ended:?}");
    let headings: Vec<&str> = ended.out.lines().skip(1).filter_map(|line| line.split(' ').next()).collect();
    assert_eq!(headings, ["Games", "Score", "Elo", "Pairs", "Endings", "Distinct"], "{ended:?}");
    assert!(
        ended.out.starts_with(
            "alphabeta:1 against greedy: siga with quiet_limit = 10, 40 games, openings placements, seed 0\n"
        ),
        "{}",
        ended.out
    );
}

#[test]
fn records_pass_verify_and_are_never_overwritten() {
    for name in ["match.jsonl", "match.jsonl.gz"] {
        let file = Scratch::missing(name);
        let words = ["arena", "match", "greedy", "random", "--rules", "szidzsa/5", "--games", "6", "--records"];
        let ended = seega(words.iter().copied().chain([file.name()]));
        assert_eq!((ended.code, &*ended.err), (Some(0), ""), "{ended:?}");
        let checked = seega(["verify", file.name()]);
        assert!(checked.code == Some(0) && checked.out.starts_with("6 games, "), "{checked:?}");
        let bytes = fs::read(file.name()).unwrap();
        assert_eq!(bytes.starts_with(&[0x1f, 0x8b]), name.ends_with("gz"));
        assert_refused(&seega(words.iter().copied().chain([file.name()])), "exists already");
        assert_eq!(fs::read(file.name()).unwrap(), bytes);
    }
}

#[test]
fn wrong_matches_are_refused() {
    let base = "arena match random greedy --rules sija";
    assert_refused(&run(&format!("{base} --games 80 --openings plies:1")), "24 found for 40 pairs");
    assert_refused(&run("arena match random net:no/such/file --rules sija"), "no/such/file");
    assert_refused(&run(&format!("{base} --games 2 --records /")), "not the name of a file");
    for (more, told) in [
        ("--games 3", "an even number"),
        ("--games 0", "an even number"),
        ("--games 99999999999", "an even number"),
        ("--openings book", "openings are plies:K"),
        ("--seed x", "--seed"),
    ] {
        let ended = run(&format!("{base} {more}"));
        assert!(ended.code == Some(2) && ended.out.is_empty() && ended.err.contains(told), "{more}: {ended:?}");
    }
    let ended = run("arena match random elephant --rules sija");
    assert!(ended.code == Some(2) && ended.err.contains("\"elephant\" is no player"), "{ended:?}");
}
