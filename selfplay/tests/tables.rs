//! Games that reach endgame tables end as these say.

use std::num::NonZero;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use seega_exact::{Tables, Value, build};
use seega_rules::{Position, Rules, Side, preset};
use seega_search::{MoverView, Uniform};
use seega_selfplay::{Generation, Opening, PlayedGame, Progress, Settings, TableUse, Worker};

const STONES: u8 = 4;

fn settings(learnt_share: f64) -> Settings {
    Settings {
        games: 8,
        simulations: 4,
        opening: Opening { random_share: 0.0, random_plies: 0, placed_share: 1.0 },
        tables: TableUse { stones: STONES, learnt_share },
        ..Settings::default()
    }
}

fn play(rules: &Rules, settings: Settings, tables: &Arc<Tables>) -> (Vec<PlayedGame>, u64) {
    let mut worker = Worker::new(settings, *rules, 0, Vec::new()).with_tables(Some(Arc::clone(tables)));
    let part = Generation { seed: 5, number: 0, worker: 0, workers: 1, plies: u64::MAX, games: Some(60) };
    let (games, counters) =
        worker.play(part, &mut Uniform, &Progress::default(), &AtomicBool::new(false)).expect("sound tables");
    (games, counters.known)
}

fn stones(position: &Position) -> u8 {
    Side::BOTH.iter().map(|&side| position.stones(side).count()).sum()
}

#[test]
fn games_end_as_the_tables_say_and_are_learnt_from_so() {
    let mut decided = 0;
    for name in ["kawu", "siga", "sija-compulsory"] {
        // With a limit that lets random play come down to few stones.
        let rules = Rules { quiet_limit: NonZero::new(300).expect("not 0"), ..preset::parse(name).expect("a preset") };
        let folder = tempfile::tempdir().expect("a folder");
        build(&rules, STONES, folder.path(), u64::MAX, &mut (), &AtomicBool::new(false)).expect("tables");
        let tables = Arc::new(Tables::open(folder.path(), &rules).expect("tables"));
        assert_eq!(tables.stones(), STONES);

        let (games, known) = play(&rules, settings(0.5), &tables);
        let (mut entered, mut learnt, mut passed) = (0, 0, 0);
        for game in &games {
            // What the game is worth to White since the tables know it.
            let mut worth = None;
            let end = game.replay(&rules, |position, actions, played| {
                if position.is_placement() {
                    return;
                }
                if stones(position) > STONES {
                    assert!(played.found.is_some(), "{name}: without a search in {position}");
                    return;
                }
                let exact = tables.value(position).expect("sound tables").expect("a known position");
                let white = match position.mover() {
                    Side::White => exact.value,
                    Side::Black => exact.value.flipped(),
                };
                assert_eq!(*worth.get_or_insert(white), white, "{name}: a ply threw the value away in {position}");
                entered += 1;
                let Some(found) = &played.found else {
                    passed += 1;
                    return;
                };
                learnt += 1;
                let value = [(Value::Loss, -1.0), (Value::Draw, 0.0), (Value::Win, 1.0)];
                let value = value.iter().find(|(value, _)| *value == exact.value).expect("one of three").1;
                assert_eq!(found.value, MoverView(value));
                let of_actions = tables.actions(position).expect("sound tables").expect("a known position");
                let best = of_actions.iter().map(|(_, exact)| exact.rank()).max();
                for ((action, exact), &probability) in of_actions.iter().zip(&found.policy) {
                    assert!(actions.contains(action));
                    assert_eq!(probability > 0.0, Some(exact.rank()) == best, "{name}: {action} in {position}");
                }
            });
            let end = end.expect("a game by the rules");
            let Some(worth) = worth else { continue };
            decided += usize::from(worth != Value::Draw);
            let winner = end.outcome().expect("the game is over").winner;
            let won = match winner {
                Some(Side::White) => Value::Win,
                Some(Side::Black) => Value::Loss,
                None => Value::Draw,
            };
            assert_eq!(won, worth, "{name}: game {}", game.number);
            game.samples(&rules).expect("positions to learn from");
        }
        assert_eq!(known, entered);
        assert!(learnt > 20 && passed > 20, "{name}: {learnt} learnt, {passed} passed");

        let (games, known) =
            play(&rules, Settings { tables: TableUse { stones: 0, learnt_share: 1.0 }, ..settings(0.0) }, &tables);
        assert_eq!((games.len(), known), (60, 0), "tables that are not to be used");
    }
    assert!(decided > 5, "{decided} games with a winner");
}
