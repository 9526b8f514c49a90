//! Endgame tables by the built command.

mod common;

use std::fs;
use std::path::Path;

use common::run;
use seega_models::architecture::Architecture;
use seega_models::checkpoint::{Checkpoint, NamedRules};
use seega_rules::{ActionList, Position, preset};

fn build(folder: &Path, rules: &str, stones: u8) -> String {
    let ended = run(&format!("exact build --rules {rules} --stones {stones} --dir {}", folder.display()));
    assert_eq!((ended.code, &*ended.err), (Some(0), ""), "{ended:?}");
    ended.out
}

#[test]
fn tables_are_built_once_checked_and_counted() {
    let root = tempfile::tempdir().unwrap();
    let folder = root.path().join("tables");
    // One stone of each of White and Black left is lost under siga: 2v2 is the smallest class.
    let out = build(&folder, "siga", 5);
    assert!(out.contains("2v2: 75900 positions") && out.contains("bytes each"), "{out}");
    let again = build(&folder, "siga", 5);
    assert_eq!(again.lines().filter(|line| line.ends_with("there already")).count(), 3, "{again}");

    // A file that is damaged or gone is made again, with the same bytes.
    let class = folder.join("class-3v2.table");
    let bytes = fs::read(&class).unwrap();
    let mut damaged = bytes.clone();
    *damaged.last_mut().unwrap() ^= 1;
    fs::write(&class, damaged).unwrap();
    let ended = run(&format!("exact verify --rules siga --dir {}", folder.display()));
    assert!(ended.code == Some(2) && ended.err.contains("damaged"), "{ended:?}");
    build(&folder, "siga", 5);
    assert!(fs::read(&class).unwrap() == bytes);

    let ended = run(&format!("exact verify --rules siga --dir {}", folder.display()));
    assert_eq!((ended.code, &*ended.err), (Some(0), ""), "{ended:?}");
    assert_eq!(ended.out.lines().count(), 4, "{ended:?}");
    let ended = run(&format!("exact stats --rules siga --dir {}", folder.display()));
    let mut lines = ended.out.lines();
    assert!(lines.next().unwrap().starts_with("rules,mover,opponent,positions,wins,draws,losses"), "{ended:?}");
    assert!(lines.all(|line| line.starts_with("siga,")), "{ended:?}");
    // Movement is what tables are of: rules that differ in the placement alone share them, others do not.
    let siga = |set: &str| run(&format!("exact stats --rules siga --dir {} --set {set}", folder.display()));
    assert_eq!(siga("per_turn=1").code, Some(0));
    assert!(siga("quiet_limit=21").err.contains("is a table of other rules"));
}

#[test]
fn a_probe_tells_a_position_and_its_actions() {
    let root = tempfile::tempdir().unwrap();
    let folder = root.path().join("tables");
    build(&folder, "seega", 3);
    let probe = |position: &str| {
        let words = format!("exact probe --rules seega --json --dir {} --position", folder.display());
        common::seega(words.split(' ').chain([position]))
    };
    let told = |position: &str| -> serde_json::Value {
        let ended = probe(position);
        assert_eq!((ended.code, &*ended.err, ended.out.lines().count()), (Some(0), "", 1), "{ended:?}");
        serde_json::from_str(&ended.out).unwrap()
    };
    // White's c1 to c2 takes Black's last stone between c2 and a2 at once, whatever the counter.
    for quiet in [0, 99] {
        let position = format!("5/5/5/wb3/2w2 w m - {quiet}");
        let object = told(&position);
        assert_eq!((&object["value"], &object["distance"]), (&"win".into(), &1.into()), "{object}");
        assert_eq!(object["actions"][0], serde_json::json!({ "action": "c1-c2", "value": "win", "distance": 1 }));
        let rules = preset::parse("seega").unwrap();
        let mut actions = ActionList::new();
        Position::from_text(&position, &rules).unwrap().legal_actions(&rules, &mut actions);
        assert_eq!(object["actions"].as_array().unwrap().len(), actions.len());
    }
    // A stone against one is a draw, and stays one; the longest of the lost positions of one stone against two is not lost
    // with a turn less.
    assert_eq!(told("5/5/5/1b3/2w2 w m - 7")["distance"], serde_json::Value::Null);
    let stats = run(&format!("exact stats --rules seega --dir {}", folder.display())).out;
    let line = stats.lines().find(|line| line.starts_with("seega,1,2,")).unwrap();
    let [position, longest] = [0, 1].map(|place| line.rsplit(',').nth(place).unwrap());
    let longest: u32 = longest.parse().unwrap();
    let board = position.strip_suffix(" 0").unwrap();
    let object = told(position);
    assert_eq!((&object["value"], &object["distance"]), (&"loss".into(), &longest.into()), "{object}");
    for (quiet, value) in [(100 - longest, "loss"), (101 - longest, "draw"), (99, "draw")] {
        let object = told(&format!("{board} {quiet}"));
        assert_eq!((&object["value"], &object["distance"]), (&value.into(), &longest.into()), "{object}");
        // A position is worth what its best action is.
        assert_eq!(object["actions"][0]["value"], value, "{object}");
    }
    assert!(probe("5/5/5/wb3/wbw2 w m - 0").err.contains("exact build --stones 5"));
    assert!(probe("5/5/5/5/5 w p2 - 0").err.contains("of movement"));
}

#[test]
fn what_does_not_fit_is_refused_before_it_begins() {
    let root = tempfile::tempdir().unwrap();
    let ended = run(&format!("exact build --rules sija --stones 8 --memory 10M --dir {}", root.path().display()));
    assert!(ended.code == Some(2) && ended.err.contains("10.0 MiB are allowed"), "{ended:?}");
    assert_eq!(fs::read_dir(root.path()).unwrap().count(), 0);
    let ended = run(&format!("exact stats --rules sija --dir {}", root.path().display()));
    assert!(ended.err.contains("holds no tables of these rules"), "{ended:?}");
    // Under sija two stones are lost: the smallest class is 3v3.
    let ended = run(&format!("exact build --rules sija --stones 5 --dir {}", root.path().display()));
    assert!(ended.code == Some(2) && ended.err.contains("the smallest has 6"), "{ended:?}");
    for large in ["--rules seega/9 --stones 80", "--rules siga/7 --stones 24"] {
        let ended = run(&format!("exact build {large} --dir {}", root.path().display()));
        assert!(ended.code == Some(2) && ended.err.contains("are allowed (--memory)"), "{ended:?}");
    }
    build(root.path(), "siga", 4);
    let ended = run(&format!("exact verify --rules siga --stones 3 --dir {}", root.path().display()));
    assert!(ended.code == Some(2) && ended.err.contains("no classes with 3 stones"), "{ended:?}");
    // What a file tells of itself is covered by its checksum.
    let table = root.path().join("class-2v2.table");
    let bytes = fs::read(&table).unwrap();
    let text = String::from_utf8_lossy(&bytes[..400]).into_owned();
    let at = text.find("\"wins\":").unwrap() + 7;
    let mut changed = bytes.clone();
    changed[at] = if changed[at] == b'1' { b'2' } else { b'1' };
    fs::write(&table, changed).unwrap();
    assert!(build(root.path(), "siga", 4).contains("2v2: "), "it is made again");
    assert_eq!(fs::read(&table).unwrap(), bytes);
}

#[test]
fn a_network_is_scored_by_class() {
    let root = tempfile::tempdir().unwrap();
    let (folder, model) = (root.path().join("tables"), root.path().join("net.safetensors"));
    build(&folder, "siga", 5);
    let rules = NamedRules { name: "siga".to_owned(), rules: preset::parse("siga").unwrap() };
    Checkpoint::fresh(Architecture { channels: 4, blocks: 1 }, vec![rules], 1).write(&model).unwrap();
    let score = format!("arena score --rules siga --model {} --tables {}", model.display(), folder.display());
    let score = score.replace("--rules siga ", "");
    let few = format!("{score} --positions 40 --games 20 --simulations 1 8");

    let ended = run(&few);
    assert_eq!(ended.code, Some(0), "{ended:?}");
    let classes: Vec<&str> = ended.out.lines().filter_map(|line| line.split_whitespace().next()).collect();
    for class in ["class", "all", "2v2", "2v3", "3v2"] {
        assert!(classes.contains(&class), "{}", ended.out);
    }
    assert!(ended.out.contains(" @8\n"), "{}", ended.out);
    assert_eq!(run(&few).out, ended.out, "the same positions again");

    let ended = run(&format!("{few} --json"));
    let rows: serde_json::Value = serde_json::from_str(&ended.out).unwrap();
    let first = &rows[0];
    assert_eq!((first["mover"].as_u64(), first["positions"].as_u64()), (None, Some(120)), "{first}");
    assert!(first["searches_throw"]["8"].as_f64().is_some_and(|share| (0.0..=1.0).contains(&share)), "{first}");

    let ended = run(&format!("{score} --simulations 0"));
    assert!(ended.code == Some(2) && ended.err.contains("--simulations are from 1"), "{ended:?}");
}
