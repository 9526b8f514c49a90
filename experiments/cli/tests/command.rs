//! The built command, run as its user runs it: what it prints, and with which exit code it ends.

mod common;

use std::fs;
use std::path::Path;
use std::process::{Command, Output, Stdio};

use common::{Scratch, assert_refused, run, seega};
use seega_tests::path;

#[test]
fn rules_lists_every_preset_with_the_marks() {
    let ended = run("rules");
    assert_eq!(ended.code, Some(0));
    let table = "\
preset           size      per turn   first        moves  captures  centre  chain                 blocked    lose at  quiet
sija             5         2          starter      8      8         open    any piece, optional   pass*      2        50 draw*
sija-compulsory  5 (7, 9)  2          starter      8      8         open    any piece             pass*      1        50 draw*
sija-single      5         1          starter      8      8         open    any piece             pass*      1        50 draw*
siga             5 (7, 9)  2          last placer  4      4         safe    same piece*           must open  1*       20 count*
siga-cross       5 (7, 9)  2, cross*  last placer  4      4         safe    same piece*           must open  1*       20 count*
siga-two         5 (7, 9)  2          last placer  4      4         safe    same piece, limit 2*  loses      1*       20 count*
kawu             5         2          starter      4      4*        safe    none                  pass       0        50 count*
seega            5 (7, 9)  2          starter      4      4         open    none                  pass       0        100 draw*
maic             5         2          last placer  4      4         safe    none                  must open  1        50 count*
szidzsa          7 (5, 9)  1*         starter*     8      4         safe    any move*             pass       1        50 draw*
";
    assert!(ended.out.starts_with(table), "{}", ended.out);
    assert!(ended.out.contains("\n* No source settles it"));
}

#[test]
fn printed_rules_are_read_back() {
    for name in ["sija", "siga-cross/7", "szidzsa/9"] {
        let printed = run(&format!("rules {name}"));
        let file = Scratch::new(&format!("{}.toml", name.replace('/', "-")), &printed.out);
        let by_name = run(&format!("perft --rules {name} --depth 3"));
        let by_file = seega(["perft", "--rules", file.name(), "--depth", "3"]);
        assert_eq!((by_file.code, by_file.out), (Some(0), by_name.out), "{name}");
        assert_eq!(run(&format!("rules {}", file.name())).code, Some(0));
    }
}

#[test]
fn perft_writes_a_line_for_each_depth() {
    let position = "bbbww/bwwbb/bw1bw/wwwwb/wbbbw w m - 0";
    let ended = seega(["perft", "--rules", "sija", "--position", position, "--depth", "5"]);
    assert_eq!((ended.code, &*ended.out), (Some(0), "1 6\n2 42\n3 418\n4 2855\n5 27459\n"));
}

#[test]
fn overrides_change_the_rules() {
    // The cross leaves 20 of the 24 squares.
    let ended = run("perft --rules sija --set cross=true --set per_turn=1 --depth 2");
    assert_eq!(ended.out, format!("1 20\n2 {}\n", 20 * 19));
}

#[test]
fn show_draws_the_board_after_the_actions() {
    let position = "bwwbw/bwbwb/bw1bb/wbwww/wwbbb w m - 0";
    let ended = seega(["show", "--rules", "sija", "--position", position, "d4-c3"]);
    assert_eq!(ended.code, Some(0));
    assert!(ended.out.contains("\n 3  ●  ○ [○] ●  ●\n"), "{}", ended.out);
    assert!(ended.out.contains("\nbwwbw/bw2b/bwwbb/w1www/wwbbb w m c3:1 0\n"), "{}", ended.out);
    assert!(ended.out.contains("b3-c4 (d3);"), "{}", ended.out);
    assert!(ended.out.ends_with("Legal (1): stop\n"), "{}", ended.out);
}

#[test]
fn verify_accepts_the_reference_games() {
    let files = ["vectors/games.jsonl.gz", "vectors/edges.jsonl.gz"].map(path);
    let ended = seega([Path::new("verify"), &files[0], &files[1]]);
    assert_eq!(ended.code, Some(0), "{ended:?}");
    assert_eq!(ended.out, "719 games, 44768 positions checked: all as the rules say\n");
}

#[test]
fn verify_tells_the_first_disagreement() {
    let mut games = seega_tests::records("vectors/edges.jsonl.gz");
    games.truncate(3);
    games[1].plies[1].legal.as_mut().unwrap().pop();
    let lines: Vec<String> = games.iter().map(|game| serde_json::to_string(game).unwrap()).collect();
    let file = Scratch::new("changed.jsonl", lines.join("\n"));
    let ended = seega(["verify", file.name()]);
    assert_eq!(ended.code, Some(1), "{ended:?}");
    let expected =
        format!("{}: line 2: ply 2: legal: expected e1-f2 among 19 legal actions, found 18 without", file.name());
    assert!(ended.out.starts_with(&expected), "{ended:?}");
    assert_eq!(ended.out.lines().count(), 1);
}

#[test]
fn verify_refuses_a_file_cut_short() {
    let games = seega_tests::records("vectors/edges.jsonl.gz");
    let line = serde_json::to_string(&games[0]).unwrap();
    let plain = Scratch::new("short.jsonl", format!("{line}\n{}", &line[..line.len() / 2]));
    assert_refused(&seega(["verify", plain.name()]), "line 2: the file is cut short");

    let bytes = fs::read(path("vectors/edges.jsonl.gz")).unwrap();
    let compressed = Scratch::new("short.jsonl.gz", &bytes[..bytes.len() / 2]);
    assert_refused(&seega(["verify", compressed.name()]), "the file is cut short");

    let empty = Scratch::new("empty.jsonl", "");
    assert_refused(&seega(["verify", empty.name()]), "holds no game records");
    let damaged = Scratch::new("damaged.jsonl", "{\"rules_name\": 3}\n");
    assert_refused(&seega(["verify", damaged.name()]), "line 1: not a game record");
    assert_refused(&run("verify no/such/file"), "can't be read");
}

#[test]
fn wrong_input_gets_one_clear_line() {
    assert_refused(&run("show --rules sijja"), "no preset is called \"sijja\"; the presets are sija,");
    assert_refused(&run("perft --rules sija/6 --depth 1"), "\"6\" is no board size");
    assert_refused(&run("show --rules no/such.toml"), "no/such.toml: can't be read");
    assert_refused(&run("show --rules sija --set blocked=maybe"), "blocked is \"maybe\"; it must be \"pass\"");
    assert_refused(&run("show --rules sija c3"), "nothing is placed on the centre");
    assert_refused(&run("show --rules sija a1 a1"), "action 2 (\"a1\")");
    assert_refused(&run("show --rules sija --set base=siga"), "unknown field \"base\"; the fields are size");
    assert_refused(&run("show --rules /"), "/: can't be read");
    assert_refused(&run("show --rules sija a0"), "an action is a square");
    for (position, told) in [
        ("", "five fields"),
        ("5/5/2w2/5/5 b p2 - 0", "stands on the centre c3"),
        ("5/5/5/5/4w w p2 - 0", "can't be 1 and 0"),
        ("5/5/5/5/w3b w m - 0", "the game is over"),
        ("wbwbw/bwbwb/wb1wb/bwbwb/wbwbw w m - 50", "quiet limit"),
        ("5/5/5/5/5 w p3 - 0", "the phase is p1, p2"),
        ("wwwww/wwwww/wwwww/wwwbb/bbbbb w m a5:1 0", "a chain of 1 captures"),
        ("wwwww/wwwww/wwwww/wwwbb/bbbbb w m - 0", "has no step"),
    ] {
        assert_refused(&seega(["show", "--rules", "sija", "--position", position]), told);
    }
}

#[test]
fn every_error_of_a_rules_file_is_told() {
    let file = Scratch::new("wrong.toml", "base = \"sija\"\nsize = 6\nblocked = \"no\"\n");
    let ended = seega(["show", "--rules", file.name()]);
    assert_eq!(ended.code, Some(2));
    let lines: Vec<&str> = ended.err.lines().collect();
    assert_eq!(lines[0], format!("seega: {}: line 2: size is 6; it must be 5, 7 or 9", file.name()));
    assert!(lines[1].starts_with(&format!("{}: line 3: blocked is \"no\"", file.name())), "{lines:?}");
    assert_eq!(lines.len(), 2);
}

#[test]
fn bench_measures_the_engine() {
    let ended = run("bench engine --json --seconds 0.02");
    assert_eq!((ended.code, ended.out.lines().count()), (Some(0), 1), "{ended:?}");
    let object: serde_json::Value = serde_json::from_str(&ended.out).unwrap();
    let rules = object["engine"].as_object().unwrap();
    assert_eq!(rules.len(), 22);
    for name in ["seega/5", "szidzsa/9"] {
        assert!(rules[name]["plies_per_s"].as_f64().unwrap() > rules[name]["playouts_per_s"].as_f64().unwrap());
        assert!(rules[name]["playouts_per_s"].as_f64().unwrap() > 0.0);
    }
}

#[test]
fn a_reader_that_leaves_early_is_no_error() {
    // Endless without it: only the broken pipe ends this.
    let mut child = Command::new(env!("CARGO_BIN_EXE_seega"))
        .args(["perft", "--rules", "sija", "--set", "quiet_limit=4000000000"])
        .args(["--position", "w4/5/5/5/4b w m - 0", "--set", "lose_at=0", "--depth", "1000000000"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    drop(child.stdout.take());
    let Output { status, stderr, .. } = child.wait_with_output().unwrap();
    assert!(status.success(), "{status}");
    assert_eq!(String::from_utf8_lossy(&stderr), "");
}
