//! Players with a network in a match.

use std::path::Path;
use std::sync::atomic::AtomicBool;

use seega_arena::{MatchSettings, Opening, Tally, run_match};
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

    let settings = MatchSettings {
        opening: Opening::RandomPlacements,
        records: Some("siga".to_owned()),
        ..MatchSettings::new(rules, 3)
    };
    let play = || {
        let mut a = player(format!("net:{}@4", path.display()), true).unwrap();
        let mut b = player(format!("policy:{}", path.display()), true).unwrap();
        run_match(&settings, &mut *a, &mut *b, &AtomicBool::new(false), &mut ()).unwrap()
    };
    let games = play();
    assert_eq!(play(), games);
    std::fs::remove_file(&path).unwrap();
    let tally = Tally::of(&games);
    assert_eq!((tally.games, tally.forfeits_by_a + tally.forfeits_by_b), (6, 0));
    games.iter().for_each(|game| assert!(game.record.as_ref().unwrap().verify().is_ok()));
}
