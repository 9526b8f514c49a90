//! Training by the built command: it learns nothing here, but it ends with the same bytes however often it is killed.

mod common;

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use common::{run, seega};
use rand::rngs::SmallRng;
use rand::{RngExt, SeedableRng};

/// The recipe for tests, smaller still.
const SMALL: [&str; 8] = ["--set", "plies=400", "--set", "games=4", "--set", "ladder_every=2", "--set", "workers=2"];

fn recipe() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../configs/tiny.toml")
}

fn train(folder: &Path, more: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_seega"));
    command.arg("train").arg("--config").arg(recipe()).arg("--run").arg(folder).args(SMALL).args(more);
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    command
}

/// What must be equal in two runs: every file but the lock and what tells of time.
fn contents(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    let mut files = BTreeMap::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(next) = folders.pop() {
        for entry in fs::read_dir(next).unwrap() {
            let path = entry.unwrap().path();
            let name = path.strip_prefix(folder).unwrap().display().to_string();
            if path.is_dir() {
                folders.push(path);
            } else if ![".lock", "times.csv"].contains(&&*name) {
                files.insert(name, fs::read(&path).unwrap());
            }
        }
    }
    files
}

/// The inode and time of change of the files of finished generations.
fn finished(folder: &Path) -> BTreeMap<PathBuf, (u64, i64, i64)> {
    let mut files = BTreeMap::new();
    for report in fs::read_dir(folder.join("generations")).into_iter().flatten().flatten() {
        let number = report.path().file_stem().unwrap().to_str().unwrap().to_owned();
        let of_generation = [
            report.path(),
            folder.join(format!("checkpoints/gen-{number}.safetensors")),
            folder.join(format!("samples/gen-{number}-lane-0.games")),
        ];
        for path in of_generation {
            let about = fs::metadata(&path).unwrap();
            files.insert(path, (about.ino(), about.mtime(), about.mtime_nsec()));
        }
    }
    files
}

/// Kills a run at that many random moments, then lets it end, and compares it with one that was left alone.
fn survives_kills(kills: u32, seed: u64) {
    let root = tempfile::tempdir().unwrap();
    let (alone, killed) = (root.path().join("alone"), root.path().join("killed"));
    let start = Instant::now();
    assert!(train(&alone, &[]).status().unwrap().success());
    let whole = start.elapsed();

    let mut random = SmallRng::seed_from_u64(seed);
    let mut redone = 0;
    for kill in 0..kills {
        let before = finished(&killed);
        let mut child = train(&killed, &[]).spawn().unwrap();
        std::thread::sleep(whole.mul_f64(random.random_range(0.0..0.9)));
        // The run may be over already; then there is nothing left to kill.
        let _ = child.kill();
        child.wait().unwrap();
        let after = finished(&killed);
        for (path, about) in &before {
            assert_eq!(after.get(path), Some(about), "kill {kill}: {} was made again", path.display());
        }
        redone += u32::from(after.len() == before.len());
    }
    assert!(train(&killed, &[]).status().unwrap().success());
    let (alone, killed) = (contents(&alone), contents(&killed));
    assert_eq!(alone.keys().collect::<Vec<_>>(), killed.keys().collect::<Vec<_>>());
    for (name, bytes) in &alone {
        assert!(killed[name] == *bytes, "{name} differs after {kills} kills ({redone} of them in vain)");
    }
}

/// `SEEGA_KILLS` asks for more kills, as `make check-long` does.
#[test]
fn a_killed_run_ends_as_one_left_alone() {
    let kills = std::env::var("SEEGA_KILLS").map_or(4, |kills| kills.parse().expect("SEEGA_KILLS is a number"));
    survives_kills(kills, 1);
}

#[test]
fn a_run_goes_on_is_not_begun_twice_and_refuses_other_settings() {
    let root = tempfile::tempdir().unwrap();
    let folder = root.path().join("run");
    let name = folder.to_str().unwrap();
    assert!(train(&folder, &["--set", "generations=1"]).status().unwrap().success());
    assert_eq!(finished(&folder).len(), 3);

    // More generations may be asked for, without a recipe too.
    let ended = run(&format!("train --run {name} --set generations=2"));
    assert_eq!(ended.code, Some(0), "{ended:?}");
    assert!(ended.out.contains("Play against it:"), "{ended:?}");
    assert_eq!(finished(&folder).len(), 6);
    let metrics = fs::read_to_string(folder.join("metrics.csv")).unwrap();
    assert_eq!(metrics.lines().count(), 3, "{metrics}");

    // What it has made is drawn, plays itself, and its records are by the rules.
    let ended = run(&format!("report {name}"));
    assert_eq!(ended.code, Some(0), "{ended:?}");
    let page = fs::read_to_string(folder.join("report/index.html")).unwrap();
    assert!(page.contains("<h2>Ladder of generation 2</h2>") && page.contains("<svg"), "{page}");
    let games = root.path().join("games");
    let model = folder.join("checkpoints/latest.safetensors");
    let ended = run(&format!(
        "selfplay --model {} --rules sija --games 5 --out {} --setting simulations=4 --setting games=2",
        model.display(),
        games.display()
    ));
    assert_eq!(ended.code, Some(0), "{ended:?}");
    let ended = run(&format!("verify {}", games.join("part-0001.jsonl.gz").display()));
    assert!(ended.out.starts_with("5 games, "), "{ended:?}");
    let ended = run(&format!("selfplay --model {} --rules siga --games 5 --out {}", model.display(), games.display()));
    assert_eq!(ended.code, Some(2));
    assert!(ended.err.contains("not trained on these rules") && ended.err.contains("--force"), "{ended:?}");

    let ended = run(&format!("train --run {name} --set batch=32"));
    assert_eq!(ended.code, Some(2));
    assert!(ended.err.contains("batch was 64, now 32") && ended.err.contains("--fork"), "{ended:?}");

    let fork = root.path().join("fork");
    let ended = seega([
        "train".as_ref(),
        "--config".as_ref(),
        recipe().as_os_str(),
        "--fork".as_ref(),
        folder.as_os_str(),
        "--run".as_ref(),
        fork.as_os_str(),
        "--set".as_ref(),
        "generations=1".as_ref(),
        "--set".as_ref(),
        "plies=200".as_ref(),
    ]);
    assert_eq!(ended.code, Some(0), "{ended:?}");
}

#[test]
fn damaged_samples_are_set_aside() {
    let root = tempfile::tempdir().unwrap();
    let folder = root.path().join("run");
    let name = folder.to_str().unwrap();
    assert!(train(&folder, &["--set", "generations=2"]).status().unwrap().success());
    let samples = |generation: u32| folder.join(format!("samples/gen-{generation:04}-lane-0.games"));
    let mut bytes = fs::read(samples(1)).unwrap();
    let middle = bytes.len() / 2;
    bytes[middle] ^= 1;
    fs::write(samples(1), &bytes).unwrap();
    let ended = run(&format!("train --run {name} --set generations=3"));
    assert_eq!(ended.code, Some(0), "{ended:?}");
    assert!(ended.err.contains("gen-0001-lane-0.games") && ended.err.contains("SHA-256 does not fit"), "{ended:?}");
    assert!(!samples(1).exists());
    assert_eq!(fs::read(folder.join("quarantine/gen-0001-lane-0.games")).unwrap(), bytes);
    assert!(fs::read_to_string(folder.join("quarantine/gen-0001-lane-0.games.txt")).unwrap().contains("SHA-256"));

    // Where next to nothing is left, going on would be no training.
    fs::remove_file(samples(3)).unwrap();
    let ended = run(&format!("train --run {name} --set generations=4"));
    assert_eq!(ended.code, Some(2), "{ended:?}");
    assert!(ended.err.contains("2 of 3 files are damaged or gone"), "{ended:?}");
}

#[test]
fn a_damaged_state_is_told_and_the_generation_can_be_made_again() {
    let root = tempfile::tempdir().unwrap();
    let folder = root.path().join("run");
    let name = folder.to_str().unwrap();
    assert!(train(&folder, &["--set", "generations=3"]).status().unwrap().success());
    let alone = root.path().join("alone");
    assert!(train(&alone, &["--set", "generations=4"]).status().unwrap().success());
    let state = folder.join("state/gen-0003-trainer.safetensors");
    let mut bytes = fs::read(&state).unwrap();
    *bytes.last_mut().unwrap() ^= 1;
    fs::write(&state, &bytes).unwrap();
    let ended = run(&format!("train --run {name} --set generations=4"));
    assert_eq!(ended.code, Some(2), "{ended:?}");
    assert!(ended.err.contains("gen-0003-trainer.safetensors: damaged"), "{ended:?}");
    assert!(ended.err.contains("remove generations/0003.json"), "{ended:?}");
    fs::remove_file(folder.join("generations/0003.json")).unwrap();
    assert_eq!(run(&format!("train --run {name} --set generations=4")).code, Some(0));
    let (mended, alone) = (contents(&folder), contents(&alone));
    for name in ["generations/0003.json", "generations/0004.json", "checkpoints/latest.safetensors"] {
        assert!(mended[name] == alone[name], "{name}");
    }
}

#[test]
fn what_follows_from_a_runs_files_is_made_up_for() {
    let root = tempfile::tempdir().unwrap();
    let folder = root.path().join("run");
    assert!(train(&folder, &["--set", "generations=3"]).status().unwrap().success());
    let whole = contents(&folder);
    // As after a kill between two writes.
    for lost in ["metrics.csv", "ladder.csv"] {
        fs::remove_file(folder.join(lost)).unwrap();
    }
    fs::write(folder.join("state/gen-0001-trainer.safetensors"), "old").unwrap();
    fs::write(folder.join("samples/.partial-AbCdEf"), "half").unwrap();
    // Fewer generations than there are change nothing.
    assert!(train(&folder, &["--set", "generations=1"]).status().unwrap().success());
    assert_eq!(contents(&folder).keys().collect::<Vec<_>>(), whole.keys().collect::<Vec<_>>());
    assert!(contents(&folder) == whole);
    // Each generation has one measurement on the ladder, however often it was measured.
    let ladder = String::from_utf8(whole["ladder.csv"].clone()).unwrap();
    assert_eq!(ladder.lines().filter(|line| line.starts_with("3,sija,random,plies4,")).count(), 1, "{ladder}");
}

#[test]
fn a_run_is_kept_from_harm() {
    let root = tempfile::tempdir().unwrap();
    let folder = root.path().join("run");
    let name = folder.to_str().unwrap();
    assert!(train(&folder, &["--set", "generations=1"]).status().unwrap().success());
    let latest = fs::read(folder.join("checkpoints/latest.safetensors")).unwrap();
    let recipe_file = folder.join("run.toml");
    let written = fs::read_to_string(&recipe_file).unwrap();
    let refused = |words: &str, told: &str| {
        let ended = run(words);
        assert_eq!(ended.code, Some(2), "{ended:?}");
        assert!(ended.err.contains(told), "{told:?} is not in {ended:?}");
    };
    refused(&format!("train --run {name} --init {name}/checkpoints/latest.safetensors"), "holds a run already");
    refused(&format!("train --run {name} --fork {name}"), "holds a run already");
    fs::write(&recipe_file, written.replace("workers = 2", "workers = 0")).unwrap();
    refused(&format!("train --run {name}"), "workers, train_threads and games");
    fs::write(&recipe_file, written.replace("learning_rate = 0.002", "learning_rate = 0.5")).unwrap();
    refused(&format!("train --run {name}"), "was changed after generation 1");
    fs::remove_file(&recipe_file).unwrap();
    let told = "holds a run whose run.toml is gone";
    refused(&format!("train --run {name} --config {}", recipe().display()), told);
    assert_eq!(fs::read(folder.join("checkpoints/latest.safetensors")).unwrap(), latest);
    fs::write(&recipe_file, written).unwrap();

    let nothing = root.path().join("typo");
    refused(&format!("train --run {}", nothing.display()), "holds no run");
    assert!(!nothing.exists());

    // A fork takes the other run's recipe.
    let fork = root.path().join("fork");
    let ended = run(&format!("train --fork {name} --run {} --set plies=200", fork.display()));
    assert_eq!(ended.code, Some(0), "{ended:?}");
    assert!(fs::read_to_string(fork.join("run.toml")).unwrap().contains("games = 4 "));
}

#[test]
fn a_reader_that_leaves_does_not_stop_a_run() {
    let root = tempfile::tempdir().unwrap();
    let folder = root.path().join("run");
    let mut child = train(&folder, &[]).stdout(Stdio::piped()).spawn().unwrap();
    drop(child.stdout.take());
    child.wait().unwrap();
    assert!(folder.join("ladder/0003.json").exists());
}

#[test]
fn one_folder_has_one_writer() {
    let root = tempfile::tempdir().unwrap();
    let folder = root.path().join("run");
    let mut first = train(&folder, &["--set", "generations=50"]).spawn().unwrap();
    let deadline = Instant::now() + Duration::from_secs(30);
    while !folder.join("run.toml").exists() && Instant::now() < deadline {
        std::thread::sleep(Duration::from_millis(20));
    }
    let second = run(&format!("train --run {}", folder.display()));
    first.kill().unwrap();
    first.wait().unwrap();
    assert_eq!(second.code, Some(2), "{second:?}");
    assert!(second.err.contains("another program is training in this folder"), "{second:?}");
}

#[test]
fn a_wrong_recipe_is_told_at_once() {
    let root = tempfile::tempdir().unwrap();
    let recipe = root.path().join("wrong.toml");
    fs::write(&recipe, "rules = [\"sijja\"]\nbatch = 1\n").unwrap();
    let ended = run(&format!("train --config {} --run {}", recipe.display(), root.path().join("run").display()));
    assert_eq!(ended.code, Some(2));
    assert_eq!(ended.err.lines().count(), 2, "{ended:?}");
    assert!(!root.path().join("run").exists());
    assert_eq!(run("train").code, Some(2));
    let ended = run(&format!("train --run {}", root.path().join("nothing").display()));
    assert!(ended.err.contains("holds no run; give a recipe with --config"), "{ended:?}");
}

#[test]
fn bench_measures_self_play_and_the_trainer() {
    let small = "--setting channels=8 --setting blocks=1 --setting games=8 --setting simulations=4 --setting batch=16";
    let measured = |part: &str| -> serde_json::Value {
        let ended = run(&format!("bench {part} --json --seconds 0.02 {small}"));
        assert_eq!((ended.code, &*ended.err, ended.out.lines().count()), (Some(0), "", 1), "{ended:?}");
        serde_json::from_str(&ended.out).unwrap()
    };
    let object = measured("selfplay");
    let figure = |key: &str| object["selfplay"][key].as_f64().unwrap_or_else(|| panic!("{key} in {object}"));
    for key in ["forward_per_s", "evaluations_per_s", "positions_per_s"] {
        assert!(figure(key) > 0.0, "{key} in {object}");
    }
    // Four simulations of a search, as medians over turns have them, and not the root's evaluation for a fifth.
    let simulations = figure("simulations_per_s") / figure("positions_per_s");
    assert!(simulations > 1.0 && simulations < 4.5, "{object}");
    // What is lost of an evaluation's time is what the ratio lacks to 1.
    let lost = 1e6 * figure("workers") * (1.0 - figure("ratio")) / figure("evaluations_per_s");
    assert!((figure("overhead_us") - lost).abs() <= 0.001 * lost.abs(), "{object}");
    assert!(object["selfplay"]["forward"].as_array().unwrap().len() > 5);

    let object = measured("train");
    assert!(object["train"]["samples_per_s"].as_f64().unwrap() > 0.0, "{object}");
    assert_eq!(object["train"]["batch"], 16);
}

#[test]
fn a_run_is_published() {
    let root = tempfile::tempdir().unwrap();
    let (folder, zoo) = (root.path().join("run"), root.path().join("zoo"));
    assert!(train(&folder, &["--set", "generations=2"]).status().unwrap().success());
    let publish = |more: &str| {
        run(&format!("publish {} --out {} --games 4 --simulations 2 {more}", folder.display(), zoo.display()))
    };
    let ended = publish("--name tiny --opponents random greedy");
    assert_eq!((ended.code, &*ended.err), (Some(0), ""), "{ended:?}");
    let network = fs::read(zoo.join("tiny.safetensors")).unwrap();
    assert!(network == fs::read(folder.join("checkpoints/latest.safetensors")).unwrap());
    let card = fs::read_to_string(zoo.join("tiny.md")).unwrap();
    let hash = seega_files::sha256(&network);
    for told in ["# tiny\n", &hash, "| generations | 2 |", "| time | ", "| `random` | plies4 | ", "plies = 400 "] {
        assert!(card.contains(told), "{told:?} is not in {card}");
    }
    assert_eq!(card.lines().filter(|line| line.starts_with("| `")).count(), 4, "{card}");
    assert!(fs::read_to_string(zoo.join("tiny.svg")).unwrap().contains("<svg"));
    let again = "--name tiny --opponents random";
    assert!(publish(again).err.contains("is there already"));
    assert_eq!(publish(&format!("{again} --replace")).code, Some(0));
    assert!(publish("--name a/b").err.contains("no name of a file"));
    assert!(run(&format!("publish {}", zoo.display())).err.contains("run.toml"));
}

#[test]
fn workers_train_on_one_evaluator_that_all_feed() {
    let root = tempfile::tempdir().unwrap();
    let folder = root.path().join("run");
    let more = ["--set", "evaluator=torch-shared", "--set", "workers=3", "--set", "generations=2"];
    assert!(train(&folder, &more).status().unwrap().success());
    let settled = fs::read_to_string(folder.join("run.toml")).unwrap();
    assert!(settled.contains("evaluator = \"torch-shared\""), "{settled}");
    assert!(folder.join("generations/0002.json").exists());
    let ended = run(&format!("train --run {} --set evaluator=native", folder.display()));
    assert!(ended.err.contains("evaluator was torch-shared, now native"), "{ended:?}");
    let ended = run(&format!("train --config {} --set evaluator=tpu", recipe().display()));
    assert!(ended.err.contains("torch-shared") && ended.err.contains("auto"), "{ended:?}");
}

#[test]
fn a_run_plays_and_is_scored_by_tables() {
    let root = tempfile::tempdir().unwrap();
    let (folder, tables) = (root.path().join("run"), root.path().join("tables"));
    let set = format!("tables={}", tables.display());
    let set = [
        "rules=[\"kawu\"]",
        &set,
        "table_stones=6",
        "placed_share=0.7",
        "generations=2",
        "plies=5000",
        "simulations=2",
    ];
    let set = set.map(|setting| ["--set", setting]).concat();
    let begin = format!("train --config {} --run {} {}", recipe().display(), folder.display(), set.join(" "));
    let ended = run(&begin);
    assert_eq!(ended.code, Some(2), "{ended:?}");
    assert!(ended.err.contains("needs what seega exact build --rules kawu --stones 6 --dir"), "{ended:?}");
    assert!(!folder.join("run.toml").exists(), "nothing is begun that can't go on");

    let of_rules = tables.join("kawu");
    assert_eq!(run(&format!("exact build --rules kawu --stones 6 --dir {}", of_rules.display())).code, Some(0));
    assert!(train(&folder, &set).status().unwrap().success());
    let mut metrics = csv::Reader::from_path(folder.join("metrics.csv")).unwrap();
    let headings = metrics.headers().unwrap().clone();
    let column = |line: &csv::StringRecord, name: &str| -> f64 {
        line[headings.iter().position(|heading| heading == name).unwrap()].parse().unwrap()
    };
    let lines: Vec<csv::StringRecord> = metrics.records().map(Result::unwrap).collect();
    assert_eq!(lines.len(), 2);
    assert!(lines.iter().map(|line| column(line, "table_plies")).sum::<f64>() > 0.0, "{lines:?}");
    for line in &lines {
        for share in ["exact_accuracy", "exact_policy_throws"] {
            assert!((0.01..0.99).contains(&column(line, share)), "{share} in {line:?}");
        }
    }

    // Nothing is played by tables of fewer stones than there are; and tables may score a run that does without.
    let begin = |name: &str, set: &str| {
        let folder = root.path().join(name);
        let begin = format!(
            "train --config {} --run {} --set tables={}",
            recipe().display(),
            folder.display(),
            tables.display()
        );
        (run(&format!("{begin} --set rules=[\"kawu\"] --set generations=1 {set}")), folder)
    };
    let (ended, _) = begin("few", "--set table_stones=1");
    assert!(ended.code == Some(2) && ended.err.contains("no position of kawu has so few stones"), "{ended:?}");
    let (ended, folder_of) = begin("scored", "--set score_stones=4");
    assert_eq!(ended.code, Some(0), "{ended:?}");
    let metrics = fs::read_to_string(folder_of.join("metrics.csv")).unwrap();
    let line: Vec<&str> = metrics.lines().last().unwrap().split(',').collect();
    assert!(line[line.len() - 3] == "0" && line[line.len() - 2].parse::<f64>().unwrap() > 0.0, "{metrics}");

    // The same run in two sittings, with its tables elsewhere in the second.
    let (halved, moved) = (root.path().join("halved"), root.path().join("moved"));
    assert!(train(&halved, &[&set[..], &["--set", "generations=1"]].concat()).status().unwrap().success());
    fs::rename(&tables, &moved).unwrap();
    let elsewhere = format!("tables={}", moved.display());
    let set = [&set[..], &["--set", &elsewhere]].concat();
    assert!(train(&halved, &set).status().unwrap().success());
    let (mut whole, mut halved) = (contents(&folder), contents(&halved));
    for files in [&mut whole, &mut halved] {
        // The recipe tells where the tables are; half a run is measured, too.
        files.retain(|name, _| name != "run.toml" && !name.starts_with("ladder"));
    }
    assert!(whole == halved, "a run in two sittings makes the same files");
}
