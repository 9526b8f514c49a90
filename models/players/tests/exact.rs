//! The player with endgame tables wins what is won, in as many turns as the tables say.

use std::sync::atomic::AtomicBool;

use rand::SeedableRng;
use rand::rngs::SmallRng;
use seega_exact::{Class, Tables, build};
use seega_players::{Player, PlayerSpec, Turn};
use seega_rules::{Position, Rules, Side, preset};

/// Plays on from a position whose counter is 0 to the first capture, which must end the game, and gives who won and how
/// many turns it took. (They are counted by the quiet counter: one side may have several in a row.)
fn play(rules: &Rules, mut position: Position, players: [&mut Box<dyn Player>; 2], seed: u64) -> (Option<Side>, u32) {
    let mut random = SmallRng::seed_from_u64(seed);
    let [white, black] = players;
    let mut turns = 0;
    while position.outcome().is_none() {
        turns = position.quiet() + 1;
        let player = if position.mover() == Side::White { &mut *white } else { &mut *black };
        let action = player.choose(&mut [Turn { rules, position, random: &mut random }]).unwrap()[0];
        position.play(rules, action).unwrap();
    }
    (position.outcome().unwrap().winner, turns)
}

#[test]
fn what_is_won_is_won_in_time() {
    let rules = preset::parse("seega").unwrap();
    let folder = tempfile::tempdir().unwrap();
    build(&rules, 3, folder.path(), 1 << 30, &mut (), &AtomicBool::new(false)).unwrap();
    let tables = Tables::open(folder.path(), &rules).unwrap();
    // White, with a stone against two, loses as late as this class lets it.
    let class = Class { mover: 1, opponent: 2 };
    let (_, summary) = tables.classes().find(|&(found, _)| found == class).unwrap();
    let position = Position::from_text(&summary.longest_position, &rules).unwrap();
    let longest = u32::from(summary.longest);
    assert!(longest > 5, "{summary:?}");

    let player = |text: &str| text.parse::<PlayerSpec>().unwrap().build(&rules, false).unwrap();
    let exact = format!("exact:{}", folder.path().display());
    let (mut perfect, mut other, mut random) = (player(&exact), player(&exact), player("random"));
    for seed in 0..20 {
        assert_eq!(play(&rules, position, [&mut other, &mut perfect], seed), (Some(Side::Black), longest));
        let (winner, turns) = play(&rules, position, [&mut random, &mut perfect], seed);
        assert!(winner == Some(Side::Black) && turns <= longest, "{winner:?} in {turns}");
    }
    let wrong = "exact:/nowhere".parse::<PlayerSpec>().unwrap().build(&rules, false);
    assert!(wrong.err().unwrap().to_string().contains("/nowhere"));
}
