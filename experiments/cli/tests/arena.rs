//! `seega arena`, run as its user runs it.

mod common;

use std::fs;
use std::io::Read;
use std::path::Path;
use std::process::{Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

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
    assert_eq!(
        headings,
        ["Games", "Score", "Pairs", "Endings", "Distinct", "Time", "Elo", "", "Openings", "Verdict"],
        "{ended:?}"
    );
    assert!(
        ended
            .out
            .starts_with("alphabeta:1 against greedy: siga:quiet_limit=10, 40 games, openings placements, seed 0\n"),
        "{}",
        ended.out
    );
}

#[test]
fn a_kept_match_passes_verify_and_goes_on() {
    let folder = Scratch::missing("kept");
    let play = |more: &str| {
        let words = "arena match greedy random --rules szidzsa/5 --json".split(' ');
        seega(words.chain(more.split(' ')).chain(["--out", folder.name()]))
    };
    let ended = play("--games 6");
    assert_eq!((ended.code, &*ended.err), (Some(0), ""), "{ended:?}");
    let read = |name: &str| fs::read_to_string(Path::new(folder.name()).join(name)).unwrap();
    let result: Value = serde_json::from_str(&read("result.json")).unwrap();
    assert_eq!(result, serde_json::from_str::<Value>(&ended.out).unwrap());
    assert_eq!((result["games"].as_u64(), read("games.csv").lines().count()), (Some(6), 7));
    let verify = || seega(["verify", Path::new(folder.name()).join("games.jsonl").to_str().unwrap()]);
    let checked = verify();
    assert!(checked.code == Some(0) && checked.out.starts_with("6 games, "), "{checked:?}");

    // More games of the same match: those that are there are not played again.
    let before = read("games.jsonl");
    let longer = play("--games 10");
    assert_eq!(longer.code, Some(0), "{longer:?}");
    assert!(read("games.jsonl").starts_with(&before));
    assert!(verify().out.starts_with("10 games, "));
    let alone = run("arena match greedy random --rules szidzsa/5 --json --games 10");
    assert_eq!(alone.out, longer.out);
    assert_eq!(play("--games 6").out, ended.out, "fewer games are the first ones");
    assert_refused(&play("--games 10 --seed 1"), "holds another match: seed 0 there, 1 here");
}

/// Interrupted and killed in the middle, a match goes on to what it would have been.
#[test]
fn an_interrupted_match_says_so_and_goes_on() {
    let folder = Scratch::missing("interrupted");
    let words = "arena match mcts:300 alphabeta:2 --rules sija --games 12 --json".split(' ');
    let arguments: Vec<&str> = words.chain(["--out", folder.name()]).collect();
    let games = Path::new(folder.name()).join("games.jsonl");
    let written = || fs::read(&games).map_or(0, |bytes| bytes.iter().filter(|&&byte| byte == b'\n').count());
    for (signal, least) in [("-INT", 1), ("-KILL", 3)] {
        let mut child = Command::new(env!("CARGO_BIN_EXE_seega"))
            .args(&arguments)
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let begun = Instant::now();
        while written() < least && begun.elapsed() < Duration::from_secs(60) {
            thread::sleep(Duration::from_millis(5));
        }
        assert!(Command::new("kill").args([signal, &child.id().to_string()]).status().unwrap().success());
        let ended = child.wait().unwrap();
        if signal == "-INT" {
            let (mut out, mut err) = (String::new(), String::new());
            child.stdout.take().unwrap().read_to_string(&mut out).unwrap();
            child.stderr.take().unwrap().read_to_string(&mut err).unwrap();
            assert_eq!(ended.code(), Some(130), "{err}");
            assert!(err.starts_with("seega: stopped after ") && err.contains(" of 12 games"), "{err}");
            let told: Value = serde_json::from_str(&out).unwrap();
            assert!(told["games"].as_u64() < told["asked"].as_u64(), "{told}");
        }
    }
    let before = written();
    assert!((3..24).contains(&before), "{before}");
    let ended = seega(&arguments);
    assert_eq!((ended.code, &*ended.err), (Some(0), ""), "{ended:?}");
    assert_eq!(ended.out, run("arena match mcts:300 alphabeta:2 --rules sija --games 12 --json").out);
}

#[test]
fn a_folder_keeps_one_match_and_nothing_of_others() {
    let folder = Scratch::missing("folder");
    let book = Scratch::new("folder-book.txt", "a1 b1\nc1 d1\n");
    let play = |more: &[&str]| {
        let words = ["arena", "match", "greedy", "random", "--rules", "sija", "--out", folder.name()];
        seega(words.iter().chain(more))
    };
    // What can't be played leaves no folder behind.
    assert_refused(&play(&["--games", "80", "--openings", "plies:1"]), "24 found for 40 pairs");
    let from_book = ["--games", "4", "--openings", &format!("book:{}", book.name())];
    assert_eq!(play(&from_book).code, Some(0));
    fs::write(book.name(), "a1 b1\nc1 e1\n").unwrap();
    assert_refused(&play(&from_book), "the book of openings has changed");

    fs::remove_dir_all(folder.name()).unwrap();
    fs::create_dir(folder.name()).unwrap();
    let mine = Path::new(folder.name()).join("result.json");
    fs::write(&mine, "mine").unwrap();
    assert_refused(&play(&["--games", "2"]), "holds no match, but is not empty");
    assert_eq!(fs::read_to_string(mine).unwrap(), "mine");
}

#[test]
fn a_test_ends_as_soon_as_it_knows() {
    let ended = run("arena sprt greedy random --rules sija --elo0 0 --elo1 100 --json");
    assert_eq!((ended.code, &*ended.err), (Some(0), ""), "{ended:?}");
    let object: Value = serde_json::from_str(&ended.out).unwrap();
    assert_eq!(object["verdict"], "elo1");
    assert!(object["games"].as_u64().unwrap() < 200, "{object}");
    assert!(object["log_ratio"].as_f64().unwrap() >= object["bounds"][1].as_f64().unwrap(), "{object}");
    assert!(object["elo_low"].as_f64().unwrap() > 0.0, "{object}");

    let told = run("arena sprt random greedy --rules sija --elo0 -50 --elo1 0");
    assert!(
        told.out.ends_with("Verdict   elo0: random is nearer to -50 than to +0 normalized Elo, or below\n"),
        "{told:?}"
    );
    let told = run("arena sprt greedy greedy --rules sija --max-games 8");
    assert!(told.out.ends_with("Verdict   open: the games ended before the test did\n"), "{told:?}");
    assert_refused(
        &run("arena sprt greedy random --rules sija --elo0 30 --elo1 0"),
        "elo0 (30) must be below elo1 (0)",
    );
}

#[test]
fn a_round_robin_rates_its_players() {
    let words = "arena round-robin random greedy alphabeta:1 --rules sija --games 40";
    let ended = run(&format!("{words} --json"));
    assert_eq!((ended.code, &*ended.err, ended.out.lines().count()), (Some(0), "", 1), "{ended:?}");
    let object: Value = serde_json::from_str(&ended.out).unwrap();
    let ratings = object["players"].as_array().unwrap();
    let names: Vec<&str> = ratings.iter().map(|rating| rating["player"].as_str().unwrap()).collect();
    assert_eq!(names, ["alphabeta:1", "greedy", "random"]);
    assert_eq!(ratings[2]["elo"].as_f64(), Some(0.0), "the first player is the anchor");
    assert!(ratings[1]["elo_low"].as_f64().unwrap() > 0.0, "{object}");
    assert_eq!((object["games"].as_u64(), object["meetings"].as_array().unwrap().len()), (Some(120), 3));
    assert_eq!((&object["prior"], &object["refused"]), (&Value::Null, &Value::Null), "{object}");
    // Random loses everything, which bounds nothing.
    let two: Value = serde_json::from_str(&run("arena round-robin random greedy --rules sija --json").out).unwrap();
    assert!(two["prior"].as_str().unwrap().contains("a normal prior of 800 Elo"), "{two}");

    let told = run(&format!("{words} --anchor greedy"));
    assert!(told.out.contains("  2 greedy          80") && told.out.contains("0 (the anchor)"), "{}", told.out);
    assert!(told.out.contains("\nWhite     places first and is expected to score "), "{}", told.out);
    assert_refused(&run(&format!("{words} --anchor mcts:5")), "the anchor mcts:5 is none of the players");
    assert_refused(&run("arena round-robin greedy greedy --rules sija"), "greedy is there twice");
}

#[test]
fn a_book_gives_the_openings() {
    let book = Scratch::new("book.txt", "a1 b1 # the first\nc1 d1\na1 c1\n".as_bytes());
    let play = |games: &str| {
        let words = "arena match alphabeta:1 greedy --rules sija --json --games".split(' ');
        seega(words.chain([games, "--openings", &format!("book:{}", book.name())]))
    };
    let ended = play("6");
    assert_eq!(ended.code, Some(0), "{ended:?}");
    assert_refused(&play("8"), "3 found for 4 pairs");
}

#[test]
fn wrong_matches_are_refused() {
    let base = "arena match random greedy --rules sija";
    assert_refused(&run(&format!("{base} --games 80 --openings plies:1")), "24 found for 40 pairs");
    assert_refused(&run("arena match random net:no/such/file --rules sija"), "no/such/file");
    assert_refused(&run(&format!("{base} --games 2 --out /dev/null")), "/dev/null");
    for (more, told) in [
        ("--games 3", "an even number"),
        ("--games 0", "an even number"),
        ("--games 99999999999", "an even number"),
        ("--openings book", "openings are plies:K"),
        ("--threads 0", "--threads"),
        ("--seed x", "--seed"),
    ] {
        let ended = run(&format!("{base} {more}"));
        assert!(ended.code == Some(2) && ended.out.is_empty() && ended.err.contains(told), "{more}: {ended:?}");
    }
    let ended = run("arena match random elephant --rules sija");
    assert!(ended.code == Some(2) && ended.err.contains("\"elephant\" is no player"), "{ended:?}");
}
