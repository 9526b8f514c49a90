//! Players with a network in a match.

use std::path::Path;
use std::sync::atomic::AtomicBool;

use seega_arena::{MatchSettings, Opening, Seats, Tally, run_match};
use seega_models::architecture::Architecture;
use seega_models::checkpoint::Checkpoint;
use seega_players::PlayerSpec;
use seega_rules::preset;

#[test]
fn networks_play_a_match_that_repeats() {
    let rules = preset::parse("siga").unwrap().with_overrides([("quiet_limit", "6")]).unwrap();
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("arena-{}.safetensors", std::process::id()));
    Checkpoint::fresh(Architecture { channels: 8, blocks: 1 }, Vec::new(), 1).write(&path).unwrap();
    let player = |text: String, force| text.parse::<PlayerSpec>().unwrap().build(&rules, force);
    assert!(player(format!("net:{}@4", path.display()), false).is_err(), "it was trained on no rules");

    let settings = MatchSettings { opening: Opening::RandomPlacements, ..MatchSettings::new(rules, 3) };
    let play = || {
        let seats: Seats = vec![
            player(format!("net:{}@4", path.display()), true).unwrap(),
            player(format!("policy:{}", path.display()), true).unwrap(),
        ];
        let mut workers = [seats];
        let games = run_match(&settings, &mut workers, &AtomicBool::new(false), &mut ()).unwrap();
        (games, workers.map(|seats| seats.iter().map(|player| player.evaluations()).collect::<Vec<u64>>()))
    };
    let (games, [evaluations]) = play();
    assert_eq!(play(), (games.clone(), [evaluations.clone()]));
    std::fs::remove_file(&path).unwrap();
    let tally = Tally::of(&games);
    assert_eq!((tally.games, tally.illegal, tally.crashes), (6, [0; 2], [0; 2]));
    // A search of 4 evaluates its root and four leaves at most, a policy its position.
    assert!(evaluations[0] > evaluations[1] && evaluations[0] < 8 * evaluations[1], "{evaluations:?}");
}
