//! A study of rules from end to end, as small as can be.

mod common;

use std::fs;
use std::path::Path;

use common::run;

const STUDY: &str = r#"
title = "Does it <matter> who moves first?"
seeds = 2
networks = "one"
simulations = [2, 4]
games = 12
drawn_plies = 24
temperature = 1.0
random_games = 200
margin = 0.05
families = ["uneven", "even", "difference"]
alpha = 0.05
between_seeds = 0.03
draws = 0.3

[recipe]
generations = 1
workers = 2
train_threads = 1
channels = 8
blocks = 1
games = 8
plies = 400
simulations = 4
batch = 32

[[variant]]
rules = "siga"
pie = true

[[variant]]
name = "siga, other side first"
rules = "siga:first_mover=starter"
"#;

fn json(dir: &Path) -> serde_json::Value {
    let ended = run(&format!("balance report {} --json", dir.display()));
    assert_eq!(ended.code, Some(0), "{ended:?}");
    serde_json::from_str(&ended.out).unwrap()
}

#[test]
fn a_study_is_planned_run_told_and_fixed() {
    let root = tempfile::tempdir().unwrap();
    let (study, dir) = (root.path().join("study.toml"), root.path().join("dir"));
    fs::write(&study, STUDY).unwrap();
    let ended = run(&format!("balance plan {}", study.display()));
    assert_eq!(ended.code, Some(0), "{ended:?}");
    assert!(ended.out.contains("2 variants, 2 seeds: 2 trainings, and 120 games in 10 cells"), "{}", ended.out);
    assert!(!dir.exists(), "a plan writes nothing");

    let begin = format!("balance run {} --dir {}", study.display(), dir.display());
    let ended = run(&begin);
    assert_eq!(ended.code, Some(0), "{ended:?}");
    let page = fs::read_to_string(dir.join("report/index.html")).unwrap();
    assert!(page.contains("<h1>Does it &lt;matter&gt; who moves first?</h1>"), "names can do no harm");
    assert!(
        page.contains("Fair starts")
            && page.contains(&begin.replace("balance", "seega balance"))
            && !page.contains("http://"),
        "all in one file"
    );
    let told = json(&dir);
    assert_eq!(told["seeds"].as_array().unwrap().len(), 2);
    for variant in told["variants"].as_array().unwrap() {
        let budgets = variant["budgets"].as_array().unwrap();
        assert_eq!(budgets.len(), 2);
        for budget in budgets {
            let counts = budget["by_seed"].as_array().unwrap();
            let games: u64 =
                counts.iter().flat_map(|of| ["white", "draws", "black"].map(|key| of[key].as_u64().unwrap())).sum();
            assert_eq!(games, 2 * 12);
            let [low, value, high] = ["low", "value", "high"].map(|key| budget["white"][key].as_f64().unwrap());
            assert!(0.0 <= low && low <= value && value <= high && high <= 1.0, "{budget}");
        }
        let random = &variant["random"]["counts"];
        let games: u64 = ["white", "draws", "black"].map(|key| random[key].as_u64().unwrap()).into_iter().sum();
        assert_eq!(games, 200);
    }
    let ways = told["starts"][0]["ways"].as_array().unwrap();
    assert_eq!(ways.len(), 3, "as it is, the other side first, and the pie");

    let ended = run(&format!("verify {}", dir.join("games/siga-seed-1-4.jsonl.gz").display()));
    assert!(ended.out.starts_with("12 games, "), "{ended:?}");

    // Nothing is made again, and what was lost is: with the same result.
    let before = fs::read(dir.join("report/result.json")).unwrap();
    let games = dir.join("games/siga-seed-2-4.games");
    let bytes = fs::read(&games).unwrap();
    fs::remove_file(&games).unwrap();
    assert_eq!(json(&dir)["seeds"].as_array().unwrap().len(), 1, "a seed counts when it is whole");
    assert_eq!(run(&begin).code, Some(0));
    assert_eq!(fs::read(&games).unwrap(), bytes);
    assert_eq!(fs::read(dir.join("report/result.json")).unwrap(), before);

    // A file of another cell's games is found out.
    let other = dir.join("games/siga-seed-1-4.games");
    let own = fs::read(&other).unwrap();
    fs::copy(dir.join("games/siga-seed-1-2.games"), &other).unwrap();
    let ended = run(&format!("balance report {}", dir.display()));
    assert!(ended.code == Some(2) && ended.err.contains("games of another cell"), "{ended:?}");
    fs::write(&other, own).unwrap();
    // And a pie without its offer is played again.
    fs::remove_file(dir.join("games/siga-seed-1-4-pie.json")).unwrap();
    assert_eq!(run(&begin).code, Some(0));
    assert_eq!(fs::read(dir.join("report/result.json")).unwrap(), before);

    // What is asked is fixed.
    fs::write(&study, STUDY.replace("margin = 0.05", "margin = 0.2")).unwrap();
    let ended = run(&begin);
    assert!(ended.code == Some(2) && ended.err.contains("fixed before the start"), "{ended:?}");
    fs::write(&games, &bytes[..bytes.len() / 2]).unwrap();
    let ended = run(&format!("balance report {}", dir.display()));
    assert!(ended.code == Some(2) && ended.err.contains("remove it to play its games again"), "{ended:?}");
}

#[test]
fn a_wrong_study_is_told_all_at_once() {
    let root = tempfile::tempdir().unwrap();
    let study = root.path().join("study.toml");
    let text = STUDY.replace("seeds = 2", "seeds = 1").replace("blocks = 1", "blocs = 1").replace("[2, 4]", "[4, 2]");
    fs::write(&study, text).unwrap();
    let ended = run(&format!("balance run {} --dir {}", study.display(), root.path().join("dir").display()));
    assert_eq!(ended.code, Some(2), "{ended:?}");
    for told in ["seeds are from 2", "simulations are two numbers or more", "unknown setting \"blocs\""] {
        assert!(ended.err.contains(told), "{}", ended.err);
    }
    assert!(!root.path().join("dir").exists());
}

#[test]
fn a_study_of_factors_tells_effects() {
    let root = tempfile::tempdir().unwrap();
    let (study, dir) = (root.path().join("study.toml"), root.path().join("dir"));
    let design = r#"
[design]
base = "siga"
[[design.factor]]
name = "first step"
low = "first_mover=starter"
high = "first_mover=last_placer"
[[design.factor]]
name = "centre"
low = "center_safe=false"
high = "center_safe=true"
"#;
    let variants = STUDY.find("[[variant]]").unwrap();
    let begin = STUDY[..variants].replace("[\"uneven\", \"even\", \"difference\"]", "[\"effects\"]");
    fs::write(&study, format!("{begin}{design}")).unwrap();
    let ended = run(&format!("balance run {} --dir {}", study.display(), dir.display()));
    assert_eq!(ended.code, Some(0), "{ended:?}");
    let effects = json(&dir)["effects"].as_array().unwrap().clone();
    let of_score: Vec<&str> = effects
        .iter()
        .filter(|effect| effect["of"] == "White's score")
        .map(|effect| effect["name"].as_str().unwrap())
        .collect();
    assert_eq!(of_score, ["first step", "centre", "first step × centre"]);
    assert!(fs::read_to_string(dir.join("report/effects.csv")).unwrap().lines().count() > 9);
}
