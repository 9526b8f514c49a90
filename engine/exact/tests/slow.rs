//! The tables against a solver that shares nothing with them but the rules crate: recursion over positions with their
//! counters.

use std::collections::HashMap;
use std::num::NonZeroU32;
use std::sync::atomic::AtomicBool;

use seega_exact::{Tables, Turns, Value, build, verify};
use seega_rules::{ActionList, Bitboard, BoardSize, BySide, LoseAt, Position, QuietResult, Rules, Side, preset};
use seega_tests::games::{any_rules, random};

/// Values by recursion.
struct Slow {
    rules: Rules,
    known: HashMap<u64, Value>,
}

impl Slow {
    fn new(rules: Rules) -> Slow {
        Slow { rules, known: HashMap::new() }
    }

    /// The value for the position's mover.
    fn value(&mut self, position: &Position) -> Value {
        if let Some(&value) = self.known.get(&position.hash()) {
            return value;
        }
        let mut actions = ActionList::new();
        position.legal_actions(&self.rules, &mut actions);
        let mut best = Value::Loss;
        for &action in &actions {
            let mut next = *position;
            next.apply(&self.rules, action);
            let value = match next.outcome() {
                Some(outcome) => match outcome.winner {
                    Some(winner) if winner == position.mover() => Value::Win,
                    Some(_) => Value::Loss,
                    None => Value::Draw,
                },
                None if next.mover() == position.mover() => self.value(&next),
                None => self.value(&next).flipped(),
            };
            best = best.max(value);
            if best == Value::Win {
                break;
            }
        }
        self.known.insert(position.hash(), best);
        best
    }
}

/// Every position of movement with so many stones, White to move, as a turn begins, with each counter.
fn each_position(rules: &Rules, white: u8, black: u8, mut each: impl FnMut(&Position)) {
    let squares: Vec<_> = rules.size.board().iter().collect();
    let mut sets = Vec::new();
    fn combine(count: u8, first: usize, squares: usize, set: &mut Vec<usize>, sets: &mut Vec<Vec<usize>>) {
        if count == 0 {
            sets.push(set.clone());
            return;
        }
        for square in first..squares {
            set.push(square);
            combine(count - 1, square + 1, squares, set, sets);
            set.pop();
        }
    }
    combine(white + black, 0, squares.len(), &mut Vec::new(), &mut sets);
    for set in sets {
        for colours in 0u32..1 << set.len() {
            if colours.count_ones() != u32::from(white) {
                continue;
            }
            let mut stones = BySide::<Bitboard>::default();
            for (place, &square) in set.iter().enumerate() {
                let side = if colours >> place & 1 == 1 { Side::White } else { Side::Black };
                stones[side] = stones[side].with(squares[square]);
            }
            for opening in [false, true] {
                let Ok(position) = Position::in_movement(rules, stones, Side::White, opening) else { continue };
                each(&position);
            }
        }
    }
}

/// Tables whose every position is what its turns say.
fn verified_tables(rules: &Rules, stones: u8) -> Tables {
    let folder = tempfile::tempdir().unwrap();
    build(rules, stones, folder.path(), 1 << 30, &mut (), &AtomicBool::new(false)).unwrap();
    let tables = Tables::open(folder.path(), rules).unwrap();
    for (class, _) in tables.classes() {
        let verified = verify(&tables, class, &AtomicBool::new(false)).unwrap().unwrap();
        assert!(verified.clone().is_ok_and(|positions| positions > 0), "{class:?} {verified:?} {}", rules.to_toml());
    }
    tables
}

/// Compares every position with up to so many stones, for every counter.
fn check(rules: &Rules, stones: u8) -> usize {
    let tables = verified_tables(rules, stones);
    let mut slow = Slow::new(*rules);
    let fewest = rules.lose_at.stones() + 1;
    let limit = rules.quiet_limit.get();
    let mut checked = 0;
    for white in fewest..stones {
        for black in fewest..=stones.saturating_sub(white) {
            each_position(rules, white, black, |position| {
                let thresholds = tables.thresholds(position).unwrap().expect("its class is there");
                for quiet in 0..limit {
                    let text = position.to_string();
                    let text = format!("{} {quiet}", text.rsplit_once(' ').unwrap().0);
                    let position = Position::from_text(&text, rules).unwrap();
                    let left = (limit - quiet) as Turns;
                    assert_eq!(
                        thresholds.value(left),
                        slow.value(&position),
                        "{position} under {}: {thresholds:?}",
                        rules.to_toml()
                    );
                    checked += 1;
                }
            });
        }
    }
    checked
}

fn with_limit(rules: Rules, limit: u32, result: QuietResult) -> Rules {
    Rules { quiet_limit: NonZeroU32::new(limit).unwrap(), quiet_result: result, size: BoardSize::Five, ..rules }
}

/// The stones of the largest classes that are compared: `SEEGA_STONES` asks for more than a run of every day has time
/// for, as `make check-long` does.
fn most_stones() -> u8 {
    std::env::var("SEEGA_STONES").map_or(3, |stones| stones.parse().expect("SEEGA_STONES is a number"))
}

/// Of how many rules one is taken.
fn one_of(few: usize) -> usize {
    if most_stones() > 3 { 1 } else { few }
}

/// Checks with both results of the limit.
fn check_both(rules: &Rules, limit: u32, stones: u8) {
    for result in [QuietResult::Draw, QuietResult::Count] {
        assert!(check(&with_limit(*rules, limit, result), stones) > 10_000);
    }
}

/// Every preset and 30 mixtures, down to the last stone.
fn many_rules() -> Vec<Rules> {
    let mut random = random(1);
    let presets = preset::ALL.iter().map(|preset| preset.rules);
    let mixtures = (0..30).map(|_| any_rules(&mut random));
    presets.chain(mixtures).map(|rules| Rules { lose_at: LoseAt::new(0).unwrap(), ..rules }).collect()
}

/// Rules as they are: sides lose with a stone or two left, and boards are large.
#[test]
fn every_position_agrees_for_rules_as_they_are() {
    let limited = |name: &str, limit, stones| {
        let rules = preset::parse(name).unwrap();
        assert!(check(&Rules { quiet_limit: NonZeroU32::new(limit).unwrap(), ..rules }, stones) > 1_000, "{name}");
    };
    for name in ["siga", "siga-two", "sija-compulsory", "maic"] {
        limited(name, 3, 4);
    }
    limited("szidzsa:lose_at=0", 2, 3);
    limited("seega/9:lose_at=0", 2, 2);
    limited("siga/7:lose_at=0,jumps=both", 2, 3);
}

#[test]
fn every_position_agrees_when_the_limit_is_near() {
    for rules in many_rules() {
        for limit in [1, 3, 8] {
            check_both(&rules, limit, most_stones());
        }
    }
}

#[test]
fn every_position_of_three_stones_agrees_when_the_limit_is_far() {
    for rules in many_rules().iter().step_by(one_of(10)) {
        for limit in [20, 50] {
            check_both(rules, limit, 3);
        }
    }
}

#[test]
fn every_position_of_four_stones_of_some_rules_agrees() {
    for rules in many_rules().iter().step_by(20) {
        check(&with_limit(*rules, 8, rules.quiet_result), 4);
    }
}

/// Two stones more than the slow solver can do.
#[test]
fn tables_of_more_stones_are_what_their_turns_say() {
    for rules in many_rules().iter().step_by(one_of(8)) {
        let rules = Rules { size: BoardSize::Five, ..*rules };
        let tables = verified_tables(&rules, most_stones() + 2);
        assert_eq!(tables.stones(), most_stones() + 2);
    }
}
