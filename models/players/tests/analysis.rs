//! What an analysis tells is what the player with the same network does.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use rand::SeedableRng;
use rand::rngs::SmallRng;
use seega_models::architecture::Architecture;
use seega_models::checkpoint::{Checkpoint, NamedRules};
use seega_players::analysis::{Analyst, Effort};
use seega_players::{PlayerSpec, Turn};
use seega_rules::{Position, Rules, preset};
use seega_tests::games;

fn sija() -> NamedRules {
    NamedRules { name: "sija".to_owned(), rules: preset::parse("sija").expect("a preset") }
}

fn checkpoint() -> Checkpoint {
    Checkpoint::fresh(Architecture { channels: 8, blocks: 1 }, vec![sija()], 3)
}

/// Some positions of a random game.
fn positions(rules: &Rules) -> Vec<Position> {
    let mut positions = Vec::new();
    games::each_position(rules, &mut games::random(5), |position, actions| {
        if actions.len() > 1 {
            positions.push(*position);
        }
    });
    positions.into_iter().step_by(9).collect()
}

fn never() -> AtomicBool {
    AtomicBool::new(false)
}

#[test]
fn one_thread_finds_what_the_player_plays() {
    let (rules, checkpoint) = (sija().rules, checkpoint());
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("net.safetensors");
    checkpoint.write(&path).expect("a checkpoint");
    let spec: PlayerSpec = format!("net:{}@48", path.display()).parse().expect("a player");
    let mut player = spec.build(&rules, false).expect("a player");
    let mut analyst = Analyst::new(&checkpoint, 1);
    let mut steady = Analyst::new(&checkpoint, 3);
    for position in positions(&rules) {
        let mut random = SmallRng::seed_from_u64(1);
        let played = player.choose(&mut [Turn { rules: &rules, position, random: &mut random }]).expect("an action")[0];
        let found = analyst.analyse(&rules, &position, Effort::Simulations(48), &never(), |_| {}).expect("an analysis");
        assert_eq!(found.actions[0].action, played, "{position}");
        assert_eq!(found.actions[0].line[0], played);
        let together: f32 = found.actions.iter().map(|action| action.policy).sum();
        assert!((together - 1.0).abs() < 1e-3, "{position}: {together}");
        // A line is by the rules.
        let mut after = position;
        for &action in &found.actions[0].line {
            after.play(&rules, action).expect("a legal action");
        }
        // Three threads share what is asked for.
        let again = steady.analyse(&rules, &position, Effort::Simulations(48), &never(), |_| {}).expect("an analysis");
        if found.simulations == 48 && again.actions[0].proof.is_none() {
            assert_eq!(again.simulations, 48, "{position}");
            assert_eq!(again.actions.iter().map(|action| action.visits).sum::<u32>(), 48);
        }
        let chances = again.chances;
        assert!((chances.win + chances.draw + chances.loss - 1.0).abs() < 1e-3, "{position}: {chances:?}");
        let mut once_more = steady.analyse(&rules, &position, Effort::Simulations(48), &never(), |_| {}).expect("it");
        once_more.time = again.time;
        assert_eq!(once_more, again, "threads don't make it another");
    }
}

#[test]
fn an_endless_search_ends_when_it_is_stopped_and_tells_meanwhile() {
    let (rules, checkpoint) = (sija().rules, checkpoint());
    let mut analyst = Analyst::new(&checkpoint, 2);
    let stop = AtomicBool::new(false);
    let mut told = Vec::new();
    let position = Position::start(&rules);
    let found = analyst
        .analyse(&rules, &position, Effort::Endless, &stop, |analysis| {
            told.push(analysis.simulations);
            stop.store(told.len() == 3, Ordering::Relaxed);
        })
        .expect("an analysis");
    assert!(told.is_sorted() && told.len() == 3 && found.simulations >= told[2], "{told:?} {}", found.simulations);

    let start = Instant::now();
    let time = Duration::from_millis(100);
    analyst.analyse(&rules, &position, Effort::Time(time), &never(), |_| {}).expect("an analysis");
    assert!(start.elapsed() < Duration::from_secs(2), "{:?}", start.elapsed());
    // Stopped before it began, it still knows what to play.
    let found = analyst.analyse(&rules, &position, Effort::Endless, &AtomicBool::new(true), |_| {}).expect("it");
    assert!(!found.actions.is_empty());
}
