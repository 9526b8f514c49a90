//! Positions and games analysed by the built command.

use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};

use rand::SeedableRng;
use rand::rngs::SmallRng;
use seega_models::architecture::Architecture;
use seega_models::checkpoint::{Checkpoint, NamedRules};
use seega_rules::record::GameRecord;
use seega_rules::{Position, preset};
use serde_json::{Value, json};

/// The answers to lines.
fn ask(model: &Path, more: &[&str], lines: &[String]) -> Vec<Value> {
    let mut engine = Command::new(env!("CARGO_BIN_EXE_seega"))
        .args(["analyze", "--rules", "siga", "--model"])
        .arg(model)
        .args(more)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("the command starts");
    let mut stdin = engine.stdin.take().expect("its input");
    let input = lines.join("\n");
    let writer = std::thread::spawn(move || stdin.write_all(input.as_bytes()));
    let output = engine.wait_with_output().expect("it ends");
    writer.join().expect("a writer").expect("all is read");
    assert!(output.status.success());
    let text = String::from_utf8(output.stdout).expect("UTF-8");
    text.lines().map(|line| serde_json::from_str(line).expect("a line of JSON")).collect()
}

fn network(folder: &Path) -> std::path::PathBuf {
    let rules = NamedRules { name: "siga".to_owned(), rules: preset::parse("siga").unwrap() };
    let path = folder.join("net.safetensors");
    Checkpoint::fresh(Architecture { channels: 8, blocks: 1 }, vec![rules], 7).write(&path).unwrap();
    path
}

#[test]
fn positions_are_told_of_and_wrong_lines_answered() {
    let folder = tempfile::tempdir().unwrap();
    let model = network(folder.path());
    let lines = [
        json!({ "id": 1, "simulations": 32, "lines": 2 }),
        json!({ "id": "b", "moves": ["a1", "b1", "c1"] }),
        json!({ "id": 3, "position": "5/5/5/5/5" }),
        json!({ "id": 4, "moves": ["a1", "a1"] }),
        json!({ "id": 5, "simulations": 0 }),
        json!({ "id": 6, "colour": "red" }),
        json!({ "id": 7, "game": true }),
    ];
    let mut lines: Vec<String> = lines.iter().map(Value::to_string).collect();
    lines.push("no JSON".to_owned());
    lines.push("[7]".to_owned());
    lines.push(String::new());
    let answers = ask(&model, &["--simulations", "16"], &lines);
    assert_eq!(answers.len(), 9, "{answers:#?}");
    let first = &answers[0];
    assert_eq!(
        (first["id"].as_u64(), first["simulations"].as_u64(), first["mover"].as_str()),
        (Some(1), Some(32), Some("w"))
    );
    assert_eq!(first["actions"].as_array().unwrap().len(), 2);
    // Every square but the centre, and what is most likely comes to all.
    let policy = first["policy"].as_object().unwrap();
    assert_eq!(policy.len(), 24);
    assert!((policy.values().map(|share| share.as_f64().unwrap()).sum::<f64>() - 1.0).abs() < 0.01);
    let chances: f64 = ["win", "draw", "loss"].map(|key| first[key].as_f64().unwrap()).into_iter().sum();
    assert!((chances - 1.0).abs() < 1e-3);
    assert_eq!(first["actions"][0]["line"][0], first["actions"][0]["action"]);
    assert_eq!((answers[1]["id"].as_str(), answers[1]["simulations"].as_u64()), (Some("b"), Some(16)));
    assert_eq!(answers[1]["mover"].as_str(), Some("b"), "after two placements of White one of Black's");
    for (answer, told) in answers[2..].iter().zip([
        "five fields",
        "move 2",
        "simulations are from 1",
        "unknown field",
        "a game has moves",
        "expected",
    ]) {
        assert!(answer["error"].as_str().unwrap().contains(told), "{answer}");
    }
    assert_eq!((answers[3]["id"].as_u64(), answers[7]["id"].is_null()), (Some(4), true));
}

#[test]
fn a_game_is_told_of_ply_by_ply_with_its_mistakes_by_exact_values() {
    let folder = tempfile::tempdir().unwrap();
    let model = network(folder.path());
    let rules = preset::parse("siga").unwrap();
    let tables = folder.path().join("tables");
    let built = Command::new(env!("CARGO_BIN_EXE_seega"))
        .args(["exact", "build", "--rules", "siga", "--stones", "5", "--dir"])
        .arg(&tables)
        .output()
        .expect("the command starts");
    assert!(built.status.success());

    // Random play from a won ending throws the win away sooner or later.
    let mut random: SmallRng = SmallRng::seed_from_u64(3);
    let mut position = Position::from_text("5/1w3/2b2/3w1/1w1b1 w m - 0", &rules).unwrap();
    let mut record = GameRecord::begin("siga", rules);
    while let Some(action) = position.choose_action(&rules, |count| rand::RngExt::random_range(&mut random, 0..count)) {
        record.add_ply(&position, action);
        position.apply(&rules, action);
    }
    record.end(&position);
    let line = json!({ "id": "game", "record": record, "simulations": 8 }).to_string();
    let answers = ask(&model, &["--tables", tables.to_str().unwrap()], &[line]);
    let plies = record.plies.len();
    assert_eq!(answers.len(), plies + 1);
    assert_eq!(answers[0]["exact"]["value"].as_str(), Some("win"), "{}", answers[0]);
    assert!(
        answers[..plies].iter().enumerate().all(|(index, answer)| answer["ply"].as_u64() == Some(index as u64 + 1))
    );
    let told = &answers[plies];
    assert_eq!(told["plies"].as_u64(), Some(plies as u64));
    let mistakes = told["mistakes"].as_array().unwrap();
    for mistake in mistakes {
        assert_ne!(mistake["best"], mistake["played"]);
        assert!(mistake["exact"].as_bool().unwrap() && mistake["lost"].as_f64().unwrap() >= 0.5, "{mistake}");
    }
    let lost: Vec<f64> = mistakes.iter().map(|mistake| mistake["lost"].as_f64().unwrap()).collect();
    assert!(lost.is_sorted_by(|a, b| a >= b) && !lost.is_empty(), "{told}");
    // The same game told by its plies.
    let moves: Vec<&str> = record.plies.iter().map(|ply| &*ply.played).collect();
    let start = &record.plies[0].position;
    let line = json!({ "id": "game", "game": true, "position": start, "moves": moves, "simulations": 8 }).to_string();
    assert_eq!(ask(&model, &["--tables", tables.to_str().unwrap()], &[line]), answers);
    // The best action is so by the tables.
    let line = json!({ "position": start, "lines": 1, "simulations": 8 }).to_string();
    let told = ask(&model, &["--tables", tables.to_str().unwrap()], &[line]);
    assert_eq!(told[0]["actions"][0]["exact"]["value"].as_str(), Some("win"), "{told:?}");
    // What a record says is held against the rules.
    let mut wrong = record.clone();
    wrong.plies[1].played = "a1".to_owned();
    let answers = ask(&model, &[], &[json!({ "id": 0, "record": wrong }).to_string()]);
    assert!(answers[0]["error"].as_str().unwrap().starts_with("ply 2: "), "{answers:?}");
}
