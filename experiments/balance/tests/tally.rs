//! What is counted of games, against counts of their own.

use rand::SeedableRng;
use rand::rngs::SmallRng;
use seega_balance::{Tally, random_game};
use seega_rules::{BoardSize, Position, Rules, Side, Square, preset};

const GAMES: u64 = 300;

fn tally(rules: &Rules) -> Tally {
    let mut tally = Tally::default();
    for number in 0..GAMES {
        let (game, _) = random_game(rules, number, &mut SmallRng::seed_from_u64(number), None);
        tally.add(rules, &game).expect("a game that is over");
    }
    tally
}

fn square(name: &str) -> usize {
    BoardSize::Five.index_of(name.parse::<Square>().expect("a square"))
}

#[test]
fn means_are_those_of_the_games() {
    // Some games of siga-two are over with the last stone placed.
    for name in ["siga", "siga-two", "siga-cross", "sija", "kawu", "szidzsa/5"] {
        let rules = preset::parse(name).expect("a preset");
        let found = tally(&rules);
        let (mut captured, mut turns, mut plies, mut white) = (0u32, 0u32, 0usize, 0.0);
        for number in 0..GAMES {
            let (game, outcome) = random_game(&rules, number, &mut SmallRng::seed_from_u64(number), None);
            let mut position = Position::start(&rules);
            for ply in &game.plies {
                turns += u32::from(!position.is_placement() && position.chain().is_none());
                captured += u32::from(position.apply(&rules, ply.action).count());
            }
            plies += game.plies.len();
            white += match outcome.expect("the game is over").winner {
                Some(Side::White) => 1.0,
                Some(Side::Black) => 0.0,
                None => 0.5,
            };
        }
        let mean = |sum: f64| sum / GAMES as f64;
        let near = |found: Option<f64>, expected: f64| found.is_some_and(|found| (found - expected).abs() < 1e-9);
        assert!(near(found.captures.value(), mean(captured.into())), "{name}: {:?}", found.captures);
        assert!(near(found.turns.value(), mean(turns.into())), "{name}: {:?}", found.turns);
        assert!(near(found.plies.value(), mean(plies as f64)), "{name}: {:?}", found.plies);
        assert!(near(Some(found.white.score()), mean(white)), "{name}: {:?}", found.white);
        assert_eq!(found.reasons.values().sum::<u64>(), GAMES, "{name}");
        assert!(found.distinct() > 0.99, "{name}");

        // Two of the parts together are the whole.
        let mut both = tally(&rules);
        both.merge(&found);
        assert_eq!((both.games(), both.white.score()), (2 * GAMES, found.white.score()));
        assert!((both.distinct() - 0.5 * found.distinct()).abs() < 1e-9, "{name}: all are there twice");
    }
}

#[test]
fn squares_are_held_as_the_start_says() {
    let rules = preset::parse("siga-cross").expect("a preset");
    let squares = tally(&rules).squares(&rules);
    // The cross stands before anything is placed: White on a3 and e3, Black on c1 and c5; nobody on the centre.
    for (name, held) in [("a3", 1.0), ("e3", 1.0), ("c1", 0.0), ("c5", 0.0)] {
        let square = squares[square(name)];
        assert_eq!((square.white, square.worth), (Some(held), None), "{name}");
    }
    assert_eq!(squares[square("c3")].white, None);
    assert_eq!(squares[square("a1")], squares[square("e5")]);

    let rules = preset::parse("siga-two").expect("a preset");
    let squares = tally(&rules).squares(&rules);
    // Every game has its placement, those included that are over with it: White holds half of the squares.
    let held: f64 = squares.iter().filter_map(|square| square.white).sum();
    assert!((held - 12.0).abs() < 1e-9, "{held}");
    assert_eq!(squares[square("a2")], squares[square("d5")]);
}

#[test]
fn first_turns_are_counted_in_effect() {
    // One stone on 24 squares, of which symmetry leaves five: the corner and three others weigh 4, b1's kind 8.
    let one = tally(&preset::parse("sija-single").expect("a preset")).first_turns();
    let weights = [4.0, 4.0, 4.0, 4.0, 8.0].map(|weight: f64| weight / 24.0);
    let expected = (-weights.iter().map(|weight| weight * weight.ln()).sum::<f64>()).exp();
    assert!((one - expected).abs() < 0.2, "{one} {expected}");
    let two = tally(&preset::parse("sija").expect("a preset")).first_turns();
    assert!(two > 3.0 * one, "{two}");
}
