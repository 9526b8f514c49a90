//! The folder of a match: written while it is played, read back, and kept from mixing with another.

use std::fs;
use std::ops::ControlFlow;
use std::path::Path;
use std::sync::atomic::AtomicBool;

use seega_arena::{Archive, MatchSettings, Observer, Plan, PlayedGame, Table, run_tables};
use seega_players::PlayerSpec;
use seega_rules::preset;
use seega_rules::record::{GameRecord, RecordReader};

/// The matches of three players.
const TABLES: [(usize, usize); 3] = [(0, 1), (0, 2), (1, 2)];

fn plan() -> Plan {
    Plan {
        version: Plan::VERSION,
        kind: "round-robin".to_owned(),
        players: ["greedy", "random", "alphabeta:1"].map(str::to_owned).to_vec(),
        networks: vec![String::new(); 3],
        openings: "plies:4".to_owned(),
        book: String::new(),
        seed: 7,
        test: None,
        rules_name: "sija".to_owned(),
        rules: preset::parse("sija").unwrap(),
    }
}

/// Keeps games, and stops after so many.
struct Keep<'a> {
    archive: &'a mut Archive,
    left: usize,
}

impl Observer for Keep<'_> {
    fn game_over(&mut self, table: usize, game: &PlayedGame, record: Option<GameRecord>) -> ControlFlow<()> {
        self.archive.add(table, game, record.unwrap()).unwrap();
        self.left = self.left.saturating_sub(1);
        if self.left == 0 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }
}

/// Plays on in a folder, up to so many more games.
fn go_on(folder: &Path, games: usize) -> Vec<Vec<PlayedGame>> {
    let plan = plan();
    let (mut archive, known) = Archive::open(folder, &plan, &TABLES).unwrap();
    let settings = MatchSettings {
        records: Some(plan.rules_name.clone()),
        seed: plan.seed,
        at_once: 1,
        ..MatchSettings::new(plan.rules, 4)
    };
    let tables: Vec<Table> =
        TABLES.iter().zip(known).map(|(&(a, b), known)| Table { settings: settings.clone(), a, b, known }).collect();
    let player = |text: &String| text.parse::<PlayerSpec>().unwrap().build(&plan.rules, false).unwrap();
    let mut workers: Vec<_> = (0..2).map(|_| plan.players.iter().map(player).collect()).collect();
    let mut keep = Keep { archive: &mut archive, left: games };
    let played = run_tables(&tables, &mut workers, &AtomicBool::new(false), &mut keep).unwrap();
    archive.write_table(&played).unwrap();
    played
}

#[test]
fn a_match_that_was_stopped_goes_on_to_the_same_end() {
    let (whole, parts) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let all = go_on(whole.path(), 1000);
    assert_eq!(all.iter().map(Vec::len).collect::<Vec<_>>(), [8, 8, 8]);
    go_on(parts.path(), 5);
    // A kill leaves the beginning of a line.
    let games = parts.path().join("games.jsonl");
    let mut bytes = fs::read(&games).unwrap();
    let end = bytes.len();
    bytes.extend_from_within(..100);
    fs::write(&games, bytes).unwrap();
    let (_, known) = Archive::open(parts.path(), &plan(), &TABLES).unwrap();
    assert!((5..24).contains(&known.iter().map(Vec::len).sum::<usize>()));
    assert_eq!(fs::read(&games).unwrap().len(), end);
    assert_eq!(go_on(parts.path(), 1000), all);
    // Everything is known now: nothing is played.
    assert_eq!(go_on(parts.path(), 1000), all);
    let table = |folder: &Path| fs::read_to_string(folder.join("games.csv")).unwrap();
    assert_eq!(table(parts.path()), table(whole.path()));
    assert_eq!(table(whole.path()).lines().next(), Some("pair,white,black,result,reason,forfeit,plies,hash"));

    let records = RecordReader::new(fs::File::open(&games).unwrap()).unwrap();
    let verified = records.map(|record| record.unwrap().1.verify().unwrap());
    assert_eq!(verified.count(), 24);
}

#[test]
fn another_match_is_refused_with_the_difference() {
    let folder = tempfile::tempdir().unwrap();
    let first = Archive::open(folder.path(), &plan(), &TABLES).unwrap();
    let refused = |plan: &Plan| Archive::open(folder.path(), plan, &TABLES).unwrap_err().to_string();
    let told = refused(&plan());
    assert!(told.ends_with("another program is playing this match"), "{told}");
    drop(first);
    let told = refused(&Plan { seed: 8, ..plan() });
    assert!(told.contains("holds another match: seed 7 there, 8 here"), "{told}");
    let told = refused(&Plan { rules: preset::parse("siga").unwrap(), rules_name: "siga".to_owned(), ..plan() });
    assert!(told.contains("rules \"sija\" there, \"siga\" here"), "{told}");
    let changed = Plan { networks: vec!["00".to_owned(), String::new(), String::new()], ..plan() };
    assert!(refused(&changed).contains("a network's file has changed"));

    let changed = Plan { book: "00".to_owned(), ..plan() };
    assert!(refused(&changed).contains("the book of openings has changed"));

    // Somebody else's files are left alone.
    fs::remove_file(folder.path().join("match.json")).unwrap();
    assert!(refused(&plan()).contains("holds no match, but is not empty"));
}

#[test]
fn what_is_no_game_of_the_match_is_told_with_its_line() {
    let folder = tempfile::tempdir().unwrap();
    go_on(folder.path(), 4);
    let games = folder.path().join("games.jsonl");
    let text = fs::read_to_string(&games).unwrap();
    let first = text.lines().next().unwrap();
    let wrong = |line: String, told: &str| {
        fs::write(&games, format!("{text}{line}\n")).unwrap();
        let error = Archive::open(folder.path(), &plan(), &TABLES).unwrap_err().to_string();
        let number = text.lines().count() + 1;
        assert!(error.contains(&format!("games.jsonl, line {number}: ")) && error.contains(told), "{error}");
    };
    wrong(first.to_owned(), "stands there twice");
    wrong("{}".to_owned(), "missing field");
    wrong(" ".to_owned(), "it is empty");
    let other = if first.contains("\"result\":\"w\"") { "b" } else { "w" };
    let result = first.find("\"result\":\"").unwrap() + "\"result\":\"".len();
    wrong(format!("{}{other}{}", &first[..result], &first[result + 1..]), "");
    wrong(first.replace("\"quiet_limit\":50", "\"quiet_limit\":51"), "other rules");
    wrong(first.replace("\"table\":", "\"table\":7"), "there is no table");
    wrong(first.replace("\"white\":\"", "\"white\":\"x"), "do not meet at table");
    wrong(first.replace("\"a\":\"", "\"a\":\"x"), "is no side");
    wrong(first.replace("\"hash\":\"", "\"hash\":\"x"), "is no hash");
}
