//! Scoring by tables: a perfect player throws nothing away, a random one does, and a fresh network knows nothing.

use std::sync::atomic::{AtomicBool, AtomicU64};

use seega_arena::score::{ScoreError, ScoreRow, met_positions, score, uniform_positions};
use seega_exact::{Tables, build};
use seega_models::architecture::Architecture;
use seega_models::checkpoint::Checkpoint;
use seega_models::evaluator::NativeEvaluator;
use seega_players::PlayerSpec;
use seega_rules::preset;
use seega_selfplay::{Generation, Opening, Settings, Worker};

#[test]
fn a_perfect_player_throws_nothing_away_and_a_random_one_does() {
    let rules = preset::parse("seega").unwrap();
    let folder = tempfile::tempdir().unwrap();
    build(&rules, 4, folder.path(), 1 << 30, &mut (), &AtomicBool::new(false)).unwrap();
    let tables = Tables::open(folder.path(), &rules).unwrap();
    let positions = uniform_positions(&tables, tables.stones(), 200, 1).unwrap();
    // 1v1, 2v1, 1v2, 2v2, 3v1, 1v3.
    assert_eq!(positions.len(), 6 * 200);

    let checkpoint = Checkpoint::fresh(Architecture { channels: 4, blocks: 1 }, Vec::new(), 1);
    let exact = format!("exact:{}", folder.path().display());
    let players = || {
        [&*exact, "random"]
            .map(|player| player.parse::<PlayerSpec>().unwrap().build(&rules, false))
            .into_iter()
            .collect()
    };
    let (done, stop) = (AtomicU64::new(0), AtomicBool::new(false));
    let rows = score(&rules, &checkpoint, players, &positions, &done, &stop).unwrap();
    assert_eq!(done.into_inner(), positions.len() as u64);
    let all: Vec<&ScoreRow> = rows.iter().filter(|row| row.distance.is_none()).collect();
    assert_eq!(all.len(), 1 + 6);
    assert!(rows.iter().all(|row| row.searches[0] == 0.0), "{rows:?}");
    assert!(all.iter().any(|row| row.searches[1] > 0.05), "{rows:?}");
    let counted = |rows: &mut dyn Iterator<Item = &ScoreRow>| {
        rows.fold((0, 0), |sum, row| (sum.0 + row.positions, sum.1 + row.choices))
    };
    assert_eq!((all[0].class, all[0].positions), (None, 6 * 200));
    assert_eq!(counted(&mut all[..1].iter().copied()), counted(&mut all[1..].iter().copied()));
    for row in &all {
        if row.class.is_some() {
            let mut parts = rows.iter().filter(|part| part.distance.is_some() && part.class == row.class);
            assert_eq!((row.positions, row.choices), counted(&mut parts));
        }
        // A fresh network holds all results for about equally likely: 2 · (1/3)² + (2/3)².
        assert!((row.brier - 2.0 / 3.0).abs() < 0.05, "{row:?}");
        assert!(row.policy_mass <= 1.0 && row.accuracy <= 1.0);
    }
    let stopped = score(&rules, &checkpoint, players, &positions, &AtomicU64::new(0), &AtomicBool::new(true));
    assert!(matches!(stopped, Err(ScoreError::Stopped)));

    // What self-play meets is in movement, and known.
    let settings = Settings {
        games: 8,
        simulations: 2,
        opening: Opening { random_share: 0.0, random_plies: 0, placed_share: 1.0 },
        ..Settings::default()
    };
    let part = Generation { seed: 1, number: 0, worker: 0, workers: 1, plies: u64::MAX, games: Some(30) };
    let mut evaluator = NativeEvaluator::new(&checkpoint);
    let (games, _) = Worker::new(settings, rules, 0, Vec::new())
        .play(part, &mut evaluator, &Default::default(), &AtomicBool::new(false))
        .unwrap();
    let met = met_positions(&tables, &games).unwrap();
    assert!(met.len() > 10, "{}", met.len());
    assert!(met.iter().all(|known| known.position.occupied().count() <= 4 && !known.actions.is_empty()));
}
