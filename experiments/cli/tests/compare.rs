//! Questions about how to train, by the built command, with trainings of a second.

mod common;

use std::fs;

use common::run;

const STUDY: &str = r#"
seeds = 2
cpu_minutes = 0.002
simulations = 2
pairs = 1
[base]
rules = ["sija"]
evaluator = "native"
channels = 4
blocks = 1
games = 4
plies = 300
simulations = 2
batch = 16
[[question]]
name = "reuse"
text = "How often is a position used?"
a = {}
b = { reuse = 1.0 }
"#;

#[test]
fn a_study_is_answered_and_goes_on_where_it_was() {
    let root = tempfile::tempdir().unwrap();
    let (file, folder) = (root.path().join("study.toml"), root.path().join("results"));
    fs::write(&file, STUDY).unwrap();
    let compare = || run(&format!("compare {} --dir {} --json", file.display(), folder.display()));
    let first = compare();
    assert_eq!((first.code, first.out.lines().count()), (Some(0), 1), "{first:?}");
    let answers: serde_json::Value = serde_json::from_str(&first.out).unwrap();
    let answer = &answers[0];
    assert_eq!((&answer["a"], &answer["b"]), (&"base".into(), &"reuse=1.0".into()));
    // Two networks against two, a pair of games from each kind of opening.
    assert_eq!(answer["games"], 16);
    let [low, score, high] = ["score_low", "score", "score_high"].map(|key| answer[key].as_f64().unwrap());
    assert!(0.0 <= low && low <= score && score <= high && high <= 1.0 && low < high, "{answer}");

    let table = fs::read_to_string(folder.join("trainings.csv")).unwrap();
    assert_eq!(table.lines().count(), 5, "{table}");
    for line in table.lines().skip(1) {
        let field = |index: usize| -> f64 { line.split(',').nth(index).unwrap().parse().unwrap() };
        let (seconds, generations) = (field(3), field(4));
        // 0.12 CPU seconds, to the nearest generation.
        assert!(seconds * (1.0 + 0.5 / generations) >= 0.12, "{line}");
    }
    // What is missing is made again, and nothing else.
    let matches = fs::read_to_string(folder.join("matches.csv")).unwrap();
    let fewer: String = matches.lines().take(4).map(|line| line.to_owned() + "\n").collect();
    fs::write(folder.join("matches.csv"), fewer).unwrap();
    let second = compare();
    assert_eq!((second.code, &second.out), (Some(0), &first.out), "{second:?}");
    assert_eq!(fs::read_to_string(folder.join("trainings.csv")).unwrap(), table);
    assert_eq!(fs::read_to_string(folder.join("matches.csv")).unwrap(), matches);

    // A study may grow: what there is of the two seeds stays, and is played anew with more games.
    fs::write(&file, STUDY.replace("seeds = 2", "seeds = 3").replace("pairs = 1", "pairs = 2")).unwrap();
    let grown = compare();
    assert_eq!(grown.code, Some(0), "{grown:?}");
    let answers: serde_json::Value = serde_json::from_str(&grown.out).unwrap();
    assert_eq!(answers[0]["games"], 9 * 8);
    let trained = fs::read_to_string(folder.join("trainings.csv")).unwrap();
    assert!(table.lines().all(|line| trained.contains(line)), "{trained}");

    // Other settings are another study's, and time that nobody knows can't be equal.
    fs::write(&file, STUDY.replace("batch = 16", "batch = 8")).unwrap();
    assert!(compare().err.contains("was trained by other settings"));
    fs::write(&file, STUDY).unwrap();
    fs::remove_file(folder.join("trainings.csv")).unwrap();
    assert!(compare().err.contains("nobody knows"));
    fs::write(&file, STUDY.replace("reuse = 1.0", "rouse = 1.0")).unwrap();
    assert!(compare().err.contains("unknown setting \"rouse\""));
}
