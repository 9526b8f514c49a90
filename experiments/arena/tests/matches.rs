//! Matches and ladders of real players, and of players that break the rules.

use std::collections::HashMap;
use std::ops::ControlFlow;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use seega_arena::ladder::{self, LadderSettings};
use seega_arena::statistics::sprt::{Decision, Sprt};
use seega_arena::{
    Forfeit, MatchError, MatchSettings, Observer, Opening, PlayedGame, Seats, Table, Tally, run_match, run_sprt,
    run_tables,
};
use seega_players::{Player, PlayerError, PlayerSpec, Turn};
use seega_rules::record::{GameRecord, RecordReason};
use seega_rules::{Action, Rules, preset};

fn rules(name: &str) -> Rules {
    preset::parse(name).unwrap()
}

fn player(text: &str) -> Box<dyn Player> {
    text.parse::<PlayerSpec>().unwrap().build(&rules("sija"), false).unwrap()
}

/// So many workers with these players.
fn workers(count: usize, players: &[&str]) -> Vec<Seats> {
    (0..count).map(|_| players.iter().map(|text| player(text)).collect()).collect()
}

/// One worker with these two.
fn seats(a: impl Player + 'static, b: impl Player + 'static) -> Vec<Seats> {
    vec![vec![Box::new(a), Box::new(b)]]
}

fn play(settings: &MatchSettings, workers: &mut [Seats]) -> Vec<PlayedGame> {
    run_match(settings, workers, &AtomicBool::new(false), &mut ()).unwrap()
}

/// Plays like another and counts the calls and the turns.
struct Counting {
    player: Box<dyn Player>,
    counts: Arc<[AtomicUsize; 2]>,
}

impl Player for Counting {
    fn choose(&mut self, turns: &mut [Turn<'_>]) -> Result<Vec<Action>, PlayerError> {
        self.counts[0].fetch_add(1, Ordering::Relaxed);
        self.counts[1].fetch_add(turns.len(), Ordering::Relaxed);
        self.player.choose(turns)
    }
}

/// Keeps the records.
#[derive(Default)]
struct Records(HashMap<(u32, seega_rules::Side), GameRecord>);

impl Observer for Records {
    fn game_over(&mut self, _: usize, game: &PlayedGame, record: Option<GameRecord>) -> ControlFlow<()> {
        self.0.extend(record.map(|record| ((game.pair, game.a_side), record)));
        ControlFlow::Continue(())
    }
}

/// Does what a function says.
struct Does<F>(F);

impl<F: FnMut(&mut [Turn<'_>]) -> Result<Vec<Action>, PlayerError> + Send> Player for Does<F> {
    fn choose(&mut self, turns: &mut [Turn<'_>]) -> Result<Vec<Action>, PlayerError> {
        (self.0)(turns)
    }
}

#[test]
fn games_do_not_depend_on_those_beside_them() {
    for opening in [Opening::default(), Opening::RandomPlacements] {
        let settings = MatchSettings { opening, seed: 5, ..MatchSettings::new(rules("siga"), 12) };
        let players = ["alphabeta:2", "mcts:20"];
        let together = play(&settings, &mut workers(1, &players));
        let alone = play(&MatchSettings { at_once: 1, ..settings.clone() }, &mut workers(1, &players));
        assert_eq!(together, alone);
        assert_eq!(play(&settings, &mut workers(3, &players)), alone, "nor on the number of workers");
        let fewer = MatchSettings { pairs: 3, ..settings.clone() };
        assert_eq!(play(&fewer, &mut workers(2, &players)), alone[..6]);
        let other = MatchSettings { seed: 6, ..settings };
        assert_ne!(play(&other, &mut workers(1, &players))[0].hash, alone[0].hash);
    }
}

#[test]
fn games_that_are_known_are_not_played_again() {
    let settings = MatchSettings::new(rules("sija"), 10);
    let all = play(&settings, &mut workers(1, &["greedy", "random"]));
    let known: Vec<PlayedGame> = all.iter().copied().filter(|game| game.pair != 4 && game.hash % 3 > 0).collect();
    let table = Table { settings, a: 0, b: 1, known: known.clone() };
    let mut records = Records::default();
    let stop = AtomicBool::new(false);
    let games = run_tables(&[table], &mut workers(2, &["greedy", "random"]), &stop, &mut records).unwrap();
    assert_eq!(games, [all]);
    assert!(known.len() > 2 && records.0.is_empty());
}

#[test]
fn records_hold_the_whole_game_and_pairs_share_their_opening() {
    let settings = MatchSettings {
        opening: Opening::RandomPlies(7),
        records: Some("sija".to_owned()),
        ..MatchSettings::new(rules("sija"), 10)
    };
    let mut records = Records::default();
    let stop = AtomicBool::new(false);
    let games = run_match(&settings, &mut workers(2, &["greedy", "random"]), &stop, &mut records).unwrap();
    assert_eq!(games.len(), 20);
    for pair in games.chunks(2) {
        let of_pair: Vec<&GameRecord> = pair.iter().map(|game| &records.0[&(game.pair, game.a_side)]).collect();
        assert_eq!(of_pair[0].plies[..7], of_pair[1].plies[..7]);
        for (game, record) in pair.iter().zip(of_pair) {
            assert_eq!(record.verify().unwrap().positions, u64::from(game.plies));
            assert_eq!((record.result, record.reason), (Some(game.result), Some(game.reason)));
        }
    }
}

#[test]
fn a_player_gets_its_turns_of_all_games_in_one_call() {
    let counts = [(); 2].map(|()| Arc::new([const { AtomicUsize::new(0) }; 2]));
    let counting = |index: usize| Counting { player: player("random"), counts: Arc::clone(&counts[index]) };
    let settings = MatchSettings { at_once: 200, ..MatchSettings::new(rules("sija"), 100) };
    let games = play(&settings, &mut seats(counting(0), counting(1)));
    let longest = games.iter().map(|game| game.plies as usize).max().unwrap();
    let plies: usize = games.iter().map(|game| game.plies as usize - 4).sum();
    let counted = |index: usize, which: usize| counts[index][which].load(Ordering::Relaxed);
    assert_eq!(counted(0, 1) + counted(1, 1), plies);
    for index in 0..2 {
        assert!(counted(index, 0) <= longest, "{} calls for {longest} plies", counted(index, 0));
    }
}

#[test]
fn an_illegal_action_forfeits_its_game_alone() {
    // Tries to stop where no chain runs, in the games with White.
    let cheat = Does(|turns: &mut [Turn<'_>]| {
        Ok(turns
            .iter_mut()
            .map(|turn| match turn.position.mover() {
                seega_rules::Side::White => Action::Stop,
                seega_rules::Side::Black => turn.position.choose_action(turn.rules, |_| 0).unwrap(),
            })
            .collect())
    });
    let settings = MatchSettings { records: Some("sija".to_owned()), ..MatchSettings::new(rules("sija"), 5) };
    let mut records = Records::default();
    let mut workers = vec![vec![player("random"), Box::new(cheat) as Box<dyn Player>]];
    let games = run_match(&settings, &mut workers, &AtomicBool::new(false), &mut records).unwrap();
    let tally = Tally::of(&games);
    assert_eq!((tally.games, tally.illegal, tally.crashes), (10, [0, 5], [0, 0]));
    assert_eq!(tally.reasons["forfeit"], 5);
    assert!(tally.wins >= 5);
    for game in &games {
        assert_eq!(game.reason == RecordReason::Forfeit, game.a_side == seega_rules::Side::Black);
        records.0[&(game.pair, game.a_side)].verify().unwrap();
    }
}

/// Remembers who broke down.
#[derive(Default)]
struct Crashes(Vec<(usize, String)>);

impl Observer for Crashes {
    fn crashed(&mut self, seat: usize, error: &PlayerError) {
        self.0.push((seat, error.to_string()));
    }
}

#[test]
fn a_player_that_breaks_down_loses_that_game_alone() {
    type Breaks = fn(&mut [Turn<'_>]) -> Result<Vec<Action>, PlayerError>;
    // All break down where White has placed on a1, whoever moves then.
    fn lost(turns: &[Turn<'_>]) -> bool {
        turns.iter().any(|turn| turn.position.stones(seega_rules::Side::White).contains("a1".parse().unwrap()))
    }
    fn first(turns: &mut [Turn<'_>]) -> Vec<Action> {
        turns.iter().map(|turn| turn.position.choose_action(turn.rules, |_| 0).unwrap()).collect()
    }
    let ways: [(Breaks, &str); 3] = [
        (
            |turns| if lost(turns) { Err(PlayerError::Evaluate("out of memory".to_owned())) } else { Ok(first(turns)) },
            "out of memory",
        ),
        (|turns| Ok(if lost(turns) { Vec::new() } else { first(turns) }), "it gave 0 actions for 1 turns"),
        (|turns| if lost(turns) { std::panic::panic_any(()) } else { Ok(first(turns)) }, "it panicked"),
    ];
    for (way, words) in ways {
        let settings = MatchSettings::new(rules("sija"), 20);
        let mut workers = vec![vec![player("random"), Box::new(Does(way)) as Box<dyn Player>]];
        let mut crashes = Crashes::default();
        let games = run_match(&settings, &mut workers, &AtomicBool::new(false), &mut crashes).unwrap();
        let tally = Tally::of(&games);
        let broken = tally.crashes[1];
        assert!(broken > 5 && broken < 40, "{broken}");
        assert_eq!((tally.games, tally.illegal, tally.crashes[0]), (40, [0, 0], 0));
        assert_eq!(crashes.0, vec![(1, words.to_owned()); broken as usize]);
        assert!(
            games.iter().all(|game| (game.reason == RecordReason::Forfeit) == (game.forfeit == Some(Forfeit::Crash)))
        );
    }
}

/// Stops the match when so many games are over.
struct StopAfter(u32);

impl Observer for StopAfter {
    fn game_over(&mut self, _: usize, _: &PlayedGame, _: Option<GameRecord>) -> ControlFlow<()> {
        self.0 = self.0.saturating_sub(1);
        if self.0 == 0 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }
}

#[test]
fn a_stopped_match_gives_what_is_over() {
    let settings = MatchSettings { at_once: 1, ..MatchSettings::new(rules("sija"), 10_000) };
    let stop = AtomicBool::new(false);
    // One after the other: all whole pairs count.
    let games = run_match(&settings, &mut workers(1, &["random", "random"]), &stop, &mut StopAfter(7)).unwrap();
    assert!((7..1000).contains(&games.len()), "{}", games.len());
    assert_eq!(Tally::of(&games).games as usize, games.len() / 2 * 2);
    // Side by side: those up to the first that is not over.
    let games = run_match(&settings, &mut workers(2, &["random", "random"]), &stop, &mut StopAfter(50)).unwrap();
    assert!((50..1000).contains(&games.len()), "{}", games.len());
    assert!(Tally::of(&games).games as usize <= games.len());
    stop.store(true, Ordering::Relaxed);
    assert_eq!(run_match(&settings, &mut workers(2, &["random", "random"]), &stop, &mut ()), Ok(Vec::new()));
}

#[test]
fn a_table_without_its_player_is_refused() {
    let settings = MatchSettings::new(rules("sija"), 2);
    let run = |workers: &mut [Seats]| run_match(&settings, workers, &AtomicBool::new(false), &mut ());
    assert_eq!(run(&mut workers(1, &["random"])), Err(MatchError::Seat(1)));
    assert_eq!(run(&mut []), Err(MatchError::Seat(0)));
}

#[test]
fn a_sequential_match_ends_when_it_knows() {
    let table = |pairs| Table {
        settings: MatchSettings { at_once: 4, ..MatchSettings::new(rules("sija"), pairs) },
        a: 0,
        b: 1,
        known: Vec::new(),
    };
    let sprt = Sprt::new(0.0, 100.0, 0.05, 0.05).unwrap();
    let stop = AtomicBool::new(false);
    let run = |table: &Table, players: [&str; 2], count| {
        run_sprt(table, &sprt, &mut workers(count, &players), &stop, &mut ()).unwrap()
    };
    let (stronger, games) = run(&table(500), ["greedy", "random"], 2);
    assert_eq!(stronger.decision, Decision::Higher);
    assert!(stronger.tally.games < 200, "{stronger:?}");
    assert_eq!(games.len(), stronger.tally.games as usize + stronger.surplus);
    // It ends with the first pair that decides, whatever ran beside it.
    let (alone, _) = run(&table(500), ["greedy", "random"], 1);
    assert_eq!((&alone.tally, alone.decision), (&stronger.tally, stronger.decision));
    // Of two workers one may run ahead of the other's pairs; one alone only tells what it had begun.
    assert!(alone.surplus < 150, "{}", alone.surplus);
    let (fewer, _) = run(&table(stronger.tally.games as u32 / 2 - 1), ["greedy", "random"], 2);
    assert_eq!((fewer.decision, fewer.surplus), (Decision::Open, 0));
    let (weaker, _) = run(&table(500), ["random", "greedy"], 2);
    assert_eq!(weaker.decision, Decision::Lower);
    // What was played before counts: nothing is left to play.
    let known = Table { known: games.clone(), ..table(500) };
    assert_eq!(run(&known, ["greedy", "random"], 2), (stronger, games));
}

/// A player against itself: a verdict in less than one match of twenty. 40 matches: with a chance of 5 % each, more
/// than 6 have a chance below 1 %.
#[test]
fn equal_players_are_seldom_told_apart() {
    let told = (0..40).filter(|&seed| {
        let settings = MatchSettings { seed, ..MatchSettings::new(rules("sija"), 100) };
        let score = Tally::of(&play(&settings, &mut workers(2, &["greedy", "greedy"]))).pairs.score();
        score.low > 0.5 || score.high < 0.5
    });
    let told = told.count();
    assert!(told <= 6, "{told} of 40");
}

#[test]
fn openings_that_run_out_are_an_error() {
    let settings = MatchSettings { opening: Opening::RandomPlies(1), ..MatchSettings::new(rules("sija"), 30) };
    let error =
        run_match(&settings, &mut workers(1, &["random", "random"]), &AtomicBool::new(false), &mut ()).unwrap_err();
    assert_eq!(error.to_string(), "plies:1 gives too few different openings: 24 found for 30 pairs of games");
}

#[test]
fn the_ladder_tells_each_opponent_twice() {
    let settings = LadderSettings { rules: rules("sija"), pairs: 20, seed: 3 };
    let opponents = ["random", "greedy"].map(str::to_owned);
    let stop = AtomicBool::new(false);
    let mut workers = workers(2, &["alphabeta:2", "random", "greedy"]);
    let rows = ladder::climb(&settings, &opponents, &mut workers, &stop, &mut ()).unwrap();
    let told: Vec<(&str, &str)> = rows.iter().map(|row| (&*row.opponent, &*row.start)).collect();
    assert_eq!(told, [("random", "plies4"), ("random", "placements"), ("greedy", "plies4"), ("greedy", "placements")]);
    for row in &rows {
        assert_eq!((row.games, row.wins + row.draws + row.losses), (40, 40));
        assert!(row.low < row.score || row.score == 0.0, "{row:?}");
        assert_eq!(row.distinct, 1.0);
    }
    assert!(rows[0].score > 0.9, "{rows:?}");

    let mut table = Vec::new();
    ladder::write_csv(&rows, &mut table).unwrap();
    let table = String::from_utf8(table).unwrap();
    assert_eq!(table.lines().next(), Some("opponent,start,games,wins,draws,losses,score,low,high,distinct"));
    assert_eq!(table.lines().count(), 5);
    assert!(table.lines().nth(1).unwrap().starts_with("random,plies4,40,"), "{table}");
}

#[test]
fn a_ladder_on_which_a_player_breaks_down_measures_nothing() {
    let settings = LadderSettings { rules: rules("sija"), pairs: 2, seed: 3 };
    let broken = Does(|_: &mut [Turn<'_>]| Err(PlayerError::Evaluate("out of memory".to_owned())));
    let mut workers = seats(broken, Does(|_: &mut [Turn<'_>]| Ok(Vec::new())));
    let error = ladder::climb(&settings, &["other".to_owned()], &mut workers, &AtomicBool::new(false), &mut ());
    let error = error.unwrap_err().to_string();
    assert!(error.ends_with("broke down: out of memory") || error.starts_with("other broke down"), "{error}");
}
