//! Matches and ladders of real players, and of players that break the rules.

use std::sync::atomic::{AtomicBool, Ordering};

use seega_arena::ladder::{self, LadderSettings, Opponent};
use seega_arena::{MatchError, MatchSettings, Observer, Opening, PlayedGame, Tally, run_match};
use seega_players::{Player, PlayerError, PlayerSpec, Turn};
use seega_rules::record::RecordReason;
use seega_rules::{Action, Rules, preset};

fn rules(name: &str) -> Rules {
    preset::parse(name).unwrap()
}

fn player(text: &str) -> Box<dyn Player> {
    text.parse::<PlayerSpec>().unwrap().build(&rules("sija"), false).unwrap()
}

fn play(settings: &MatchSettings, a: &mut dyn Player, b: &mut dyn Player) -> Vec<PlayedGame> {
    run_match(settings, a, b, &AtomicBool::new(false), &mut ()).unwrap()
}

/// Plays like another and counts the calls and the turns.
struct Counting {
    player: Box<dyn Player>,
    calls: u32,
    turns: usize,
}

impl Player for Counting {
    fn choose(&mut self, turns: &mut [Turn<'_>]) -> Result<Vec<Action>, PlayerError> {
        self.calls += 1;
        self.turns += turns.len();
        self.player.choose(turns)
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
        let settings = MatchSettings {
            opening,
            seed: 5,
            records: Some("siga".to_owned()),
            ..MatchSettings::new(rules("siga"), 12)
        };
        let together = play(&settings, &mut *player("greedy"), &mut *player("mcts:20"));
        let alone =
            play(&MatchSettings { at_once: 1, ..settings.clone() }, &mut *player("greedy"), &mut *player("mcts:20"));
        assert_eq!(together, alone);
        let fewer = MatchSettings { pairs: 3, ..settings.clone() };
        assert_eq!(play(&fewer, &mut *player("greedy"), &mut *player("mcts:20")), alone[..6]);
        let other = MatchSettings { seed: 6, ..settings };
        assert_ne!(play(&other, &mut *player("greedy"), &mut *player("mcts:20"))[0].hash, alone[0].hash);
    }
}

#[test]
fn records_hold_the_whole_game_and_pairs_share_their_opening() {
    let settings = MatchSettings {
        opening: Opening::RandomPlies(7),
        records: Some("sija".to_owned()),
        ..MatchSettings::new(rules("sija"), 10)
    };
    let games = play(&settings, &mut *player("greedy"), &mut *player("random"));
    assert_eq!(games.len(), 20);
    for pair in games.chunks(2) {
        let records = [&pair[0], &pair[1]].map(|game| game.record.as_ref().unwrap());
        assert_eq!(records[0].plies[..7], records[1].plies[..7]);
        for (game, record) in pair.iter().zip(records) {
            assert_eq!(record.verify().unwrap().positions, u64::from(game.plies));
            assert_eq!((record.result, record.reason), (Some(game.result), Some(game.reason)));
        }
    }
}

#[test]
fn a_player_gets_its_turns_of_all_games_in_one_call() {
    let counting = |text| Counting { player: player(text), calls: 0, turns: 0 };
    let (mut a, mut b) = (counting("random"), counting("random"));
    let games = play(&MatchSettings::new(rules("sija"), 100), &mut a, &mut b);
    let longest = games.iter().map(|game| game.plies).max().unwrap();
    let plies: u32 = games.iter().map(|game| game.plies - 4).sum();
    assert_eq!(a.turns + b.turns, plies as usize);
    assert!(a.calls <= longest && b.calls <= longest, "{} and {} calls for {longest} plies", a.calls, b.calls);
}

#[test]
fn an_illegal_action_forfeits_its_game_alone() {
    // Tries to stop where no chain runs, in the games with White.
    let mut cheat = Does(|turns: &mut [Turn<'_>]| {
        Ok(turns
            .iter_mut()
            .map(|turn| match turn.position.mover() {
                seega_rules::Side::White => Action::Stop,
                seega_rules::Side::Black => turn.position.choose_action(turn.rules, |_| 0).unwrap(),
            })
            .collect())
    });
    let settings = MatchSettings { records: Some("sija".to_owned()), ..MatchSettings::new(rules("sija"), 5) };
    let games = play(&settings, &mut *player("random"), &mut cheat);
    let tally = Tally::of(&games);
    assert_eq!((tally.games, tally.forfeits_by_a, tally.forfeits_by_b), (10, 0, 5));
    assert_eq!(tally.reasons["forfeit"], 5);
    assert!(tally.wins >= 5);
    for game in &games {
        assert_eq!(game.reason == RecordReason::Forfeit, game.a_side == seega_rules::Side::Black);
        game.record.as_ref().unwrap().verify().unwrap();
    }
}

#[test]
fn a_player_that_breaks_down_ends_the_match_with_its_words() {
    let run = |a: &mut dyn Player| {
        let settings = MatchSettings::new(rules("sija"), 2);
        run_match(&settings, a, &mut *player("random"), &AtomicBool::new(false), &mut ()).unwrap_err()
    };
    let error = run(&mut Does(|_: &mut [Turn<'_>]| Err(PlayerError::Evaluate("out of memory".to_owned()))));
    assert_eq!(error.to_string(), "player A broke down: out of memory");
    let error = run(&mut Does(|_: &mut [Turn<'_>]| Ok(Vec::new())));
    assert!(matches!(error, MatchError::Answers { player: 'A', given: 0, turns: 2 }), "{error}");
}

/// Stops the match when so many games are over.
struct StopAfter<'a> {
    games: u32,
    stop: &'a AtomicBool,
}

impl Observer for StopAfter<'_> {
    fn game_over(&mut self, _: &PlayedGame) {
        self.games -= 1;
        if self.games == 0 {
            self.stop.store(true, Ordering::Relaxed);
        }
    }
}

#[test]
fn a_stopped_match_gives_what_is_over() {
    let stop = AtomicBool::new(false);
    let settings = MatchSettings { at_once: 1, ..MatchSettings::new(rules("sija"), 1000) };
    let mut observer = StopAfter { games: 7, stop: &stop };
    let games = run_match(&settings, &mut *player("random"), &mut *player("random"), &stop, &mut observer).unwrap();
    assert_eq!(games.len(), 7);
    assert_eq!(Tally::of(&games).games, 6);
}

#[test]
fn openings_that_run_out_are_an_error() {
    let settings = MatchSettings { opening: Opening::RandomPlies(1), ..MatchSettings::new(rules("sija"), 30) };
    let error = run_match(&settings, &mut *player("random"), &mut *player("random"), &AtomicBool::new(false), &mut ())
        .unwrap_err();
    assert_eq!(error.to_string(), "plies:1 gives too few different openings: 24 found for 30 pairs of games");
}

#[test]
fn the_ladder_tells_each_opponent_twice() {
    let settings = LadderSettings { rules: rules("sija"), pairs: 20, seed: 3 };
    let mut opponents = ["random", "greedy"].map(|name| Opponent { name: name.to_owned(), player: player(name) });
    let stop = AtomicBool::new(false);
    let rows = ladder::climb(&settings, &mut *player("alphabeta:2"), &mut opponents, &stop, &mut ()).unwrap();
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
