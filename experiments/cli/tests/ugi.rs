//! The engine that other programs speak to.

mod common;

use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use common::run;
use rand::rngs::SmallRng;
use rand::{RngExt, SeedableRng};
use seega_models::architecture::Architecture;
use seega_models::checkpoint::{Checkpoint, NamedRules};
use seega_rules::preset;

/// What the engine answers to commands, line by line, after it ended well.
fn ask(arguments: &[&str], input: &[u8]) -> Vec<String> {
    let mut engine = Command::new(env!("CARGO_BIN_EXE_seega"))
        .arg("ugi")
        .args(arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("the command starts");
    let mut stdin = engine.stdin.take().expect("its input");
    let input = input.to_vec();
    let writer = std::thread::spawn(move || {
        // An engine that was told to quit does not listen.
        let _ = stdin.write_all(&input);
    });
    let output = engine.wait_with_output().expect("it ends");
    writer.join().expect("all is written");
    assert!(output.status.success(), "{:?}", output.status);
    String::from_utf8(output.stdout).expect("it answers in UTF-8").lines().map(str::to_owned).collect()
}

fn network(folder: &Path) -> String {
    let rules = NamedRules { name: "sija".to_owned(), rules: preset::parse("sija").unwrap() };
    let path = folder.join("net.safetensors");
    Checkpoint::fresh(Architecture { channels: 8, blocks: 1 }, vec![rules], 7).write(&path).unwrap();
    path.display().to_string()
}

#[test]
fn a_session_is_answered_as_the_interface_says() {
    let folder = tempfile::tempdir().unwrap();
    let model = network(folder.path());
    let session = "ugi\nsetoption name MultiPV value 2\nisready\nuginewgame\nposition startpos moves a1 b2\nquery p1turn\n\
                   query gameover\nquery result\ngo nodes 32\nposition fen bwwbw/bwbwb/bw1bb/wbwww/wwbbb w m - 0 moves d4-c3\n\
                   query p1turn\ngo movetime 50\nposition fen bwwbw/bwbwb/bw1bb/wbwww/wwbbb w m - 0 moves d4-c3 d4-c3\n\
                   go infinite\nquery p1turn\n";
    let told = ask(&["--model", &model], session.as_bytes());
    let is_there = |line: &str| told.iter().any(|told| told == line);
    for line in ["ugiok", "readyok", "response false", "response none"] {
        assert!(is_there(line), "{line}: {told:#?}");
    }
    assert!(told.iter().any(|line| line.starts_with("option name Rules type string default sija")));
    assert!(
        told.iter().any(|line| line.starts_with("info multipv 2 nodes 32 ") && line.contains(" wdl ")),
        "{told:#?}"
    );
    // Two placements a turn: after a1 b2 it is Black's; after a capture White goes on.
    let answers: Vec<&str> = told.iter().filter_map(|line| line.strip_prefix("response ")).collect();
    assert_eq!(answers, ["false", "false", "none", "true"]);
    let best: Vec<&String> = told.iter().filter(|line| line.starts_with("bestmove ")).collect();
    assert_eq!(best.len(), 3, "{told:#?}");
    assert!(told.iter().any(|line| line.contains("error: move 2: ")), "{told:#?}");
}

#[test]
fn games_through_the_interface_are_those_without_it() {
    let folder = tempfile::tempdir().unwrap();
    let model = network(folder.path());
    let outside = format!("ugi:{} ugi --model {model}@24", env!("CARGO_BIN_EXE_seega"));
    let inside = format!("net:{model}@24");
    let games = |name: &str, player: &str| {
        let out = folder.path().join(name);
        let ended = Command::new(env!("CARGO_BIN_EXE_seega"))
            .args(["arena", "match", player, "greedy", "--rules", "sija", "--games", "20", "--out"])
            .arg(&out)
            .output()
            .expect("the command starts");
        assert!(ended.status.success(), "{}", String::from_utf8_lossy(&ended.stderr));
        let records = std::fs::read_to_string(out.join("games.jsonl")).unwrap();
        let plies = |line: &str| -> serde_json::Value {
            let record: serde_json::Value = serde_json::from_str(line).unwrap();
            serde_json::json!([record["turns"], record["plies"], record["moves"], record["result"]])
        };
        let mut games: Vec<String> = records.lines().map(|line| plies(line).to_string()).collect();
        games.sort();
        games
    };
    let (inside, outside) = (games("inside", &inside), games("outside", &outside));
    assert_eq!(inside.len(), 20);
    assert!(inside.iter().all(|game| game.len() > 100), "{inside:?}");
    assert_eq!(inside, outside);
}

/// What is said while a search goes on is heard at once.
#[test]
fn a_search_is_stopped_whoever_thinks_and_whatever_waits() {
    let folder = tempfile::tempdir().unwrap();
    let model = network(folder.path());
    let full = "position fen bwwbw/bwbwb/bw1bb/wbwww/wwbbb w m - 0 moves d4-c3 stop";
    for arguments in [&[][..], &["--model", &model]] {
        for session in [
            "go movetime 600000\nstop\nquit\n",
            "go movetime 600000\nquery p1turn\nstop\nquit\n",
            "go movetime 600000\nquery p1turn\nquit\n",
            "go movetime 600000\n",
            "go infinite\nstop\n",
            "go infinite\n",
        ] {
            let start = Instant::now();
            let told = ask(arguments, format!("{full}\n{session}").as_bytes());
            assert!(start.elapsed() < Duration::from_secs(60), "{session}");
            let answers = told.iter().filter(|line| line.starts_with("bestmove ")).count();
            assert_eq!(answers, 1, "{session}: {told:#?}");
            assert_eq!(told.iter().any(|line| line == "response false"), session.contains("query"), "{told:#?}");
        }
    }
}

#[test]
fn every_go_is_answered_and_never_about_another_position() {
    let told = ask(
        &[],
        b"go ponder\nposition startpos moves a1 b2 c9\ngo nodes 2\nquery gameover\nposition startpos\ngo mate 3\n",
    );
    let best: Vec<&str> = told.iter().filter_map(|line| line.strip_prefix("bestmove ")).collect();
    assert!(best.len() == 3 && best[1] == "0000" && best[0] != "0000" && best[2] != "0000", "{told:#?}");
    assert!(told.iter().any(|line| line.contains("there is no position")), "{told:#?}");
    assert!(!told.iter().any(|line| line.starts_with("response")), "{told:#?}");
}

/// An engine with a network of other rules than sija plays those, and threads share the nodes.
#[test]
fn a_network_brings_its_rules() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("net.safetensors");
    let rules = NamedRules { name: "siga/7".to_owned(), rules: preset::parse("siga/7").unwrap() };
    Checkpoint::fresh(Architecture { channels: 8, blocks: 1 }, vec![rules], 7).write(&path).unwrap();
    let told = ask(
        &["--model", path.to_str().unwrap()],
        b"ugi\nsetoption name Threads value 4\nposition startpos moves g7\ngo nodes 100\n",
    );
    assert!(told.iter().any(|line| line == "option name Rules type string default siga/7"), "{told:#?}");
    assert!(told.iter().any(|line| line.starts_with("info multipv 1 nodes 100 ")), "{told:#?}");
}

#[test]
fn no_input_ends_the_engine() {
    let mut random = SmallRng::seed_from_u64(1);
    let whole = [
        "ugi",
        "isready",
        "uginewgame",
        "setoption name Rules value siga/7:chain=none",
        "setoption name BoardSize value 9",
        "position startpos moves a1 b2 c1",
        "position fen bwwbw/bwbwb/bw1bb/wbwww/wwbbb w m - 0",
        "query result",
        "go nodes 1",
        "go depth 1",
        "setoption name MultiPV value 99999999999999999999",
        "stop",
        "go",
    ];
    let mut input: Vec<u8> = Vec::new();
    for _ in 0..10_000 {
        let line = whole[random.random_range(0..whole.len())].as_bytes();
        match random.random_range(0..3) {
            0 => input.extend((0..random.random_range(0..60)).map(|_| random.random::<u8>())),
            // Truncated, and no search in full: they take their time.
            1 => input.extend(&line[..random.random_range(0..line.len())]),
            _ if line.starts_with(b"go") => input.extend(b"go mate 3"),
            _ => input.extend(line),
        }
        input.push(b'\n');
    }
    input.extend(b"setoption name Rules value sija\nposition startpos\nquery p1turn\nquit\n");
    let told = ask(&[], &input);
    assert_eq!(told.last().map(String::as_str), Some("response true"));
    assert!(told.iter().any(|line| line.starts_with("info string error: unknown command")));
    assert!(ask(&[], b"").is_empty());
    assert!(ask(&[], b"quit").is_empty());
}

/// A program in a shell that gets ready and then does what is told.
#[cfg(unix)]
fn program(folder: &Path, name: &str, answer: &str) -> String {
    use std::os::unix::fs::PermissionsExt;
    let path = folder.join(name);
    let text = format!(
        "#!/bin/sh\nwhile read word rest; do case $word in ugi) echo ugiok;; isready) echo readyok;; \
         quit) exit;; go) {answer};; esac; done\n"
    );
    std::fs::write(&path, text).unwrap();
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).unwrap();
    format!("ugi:{}@2", path.display())
}

/// One that resigns has lost, one that errs loses that game, one that only errs is given up: its other games stay open.
#[cfg(unix)]
#[test]
fn a_program_that_errs_costs_itself_no_more_than_it_must() {
    let folder = tempfile::tempdir().unwrap();
    let play = |name: &str, answer: &str, games: &str| {
        let player = program(folder.path(), name, answer);
        let out = folder.path().join(format!("{name}-games"));
        let ended = Command::new(env!("CARGO_BIN_EXE_seega"))
            .args(["arena", "match", &player, "random", "--rules", "sija", "--games", games, "--out"])
            .arg(&out)
            .output()
            .expect("the command starts");
        let records = std::fs::read_to_string(out.join("games.jsonl")).unwrap_or_default();
        (ended.status.code(), String::from_utf8_lossy(&ended.stderr).into_owned(), records)
    };
    let (code, err, records) = play("resigns", "echo bestmove resign", "4");
    assert_eq!((code, records.matches("\"reason\":\"resigned\"").count()), (Some(0), 4), "{err} {records}");
    for (name, answer) in [("dies", "exit"), ("lies", "echo bestmove a9"), ("cheats", "echo bestmove c3")] {
        let (code, err, records) = play(name, answer, "200");
        assert!(code == Some(2) && err.contains("is given up"), "{name}: {code:?} {err}");
        // Two for each worker at most; the games of the third failure have no result.
        let forfeits = records.matches("\"reason\":\"forfeit\"").count();
        let workers = std::thread::available_parallelism().map_or(1, usize::from);
        assert!((2..=2 * workers).contains(&forfeits) && forfeits == records.lines().count(), "{name}: {records}");
    }
}

#[test]
fn a_program_that_does_not_play_is_told_of() {
    for (player, told) in [
        ("ugi:no-such-program", "can't be started"),
        ("ugi:true", "ended before it said ugiok"),
        ("ugi:echo ugiok", "ended before it said readyok"),
    ] {
        let ended = Command::new(env!("CARGO_BIN_EXE_seega"))
            .args(["arena", "match", player, "greedy", "--rules", "sija", "--games", "2"])
            .output()
            .expect("the command starts");
        let err = String::from_utf8_lossy(&ended.stderr).into_owned();
        assert!(ended.status.code() == Some(2) && err.contains("ugi:"), "{player}: {err}");
        assert!(err.contains(told) || err.contains("does not listen"), "{player}: {err}");
    }
    let ended = run("arena match ugi: greedy --rules sija --games 2");
    assert!(ended.code == Some(2) && ended.err.contains("is no player"), "{ended:?}");
}
