//! Tables in memory: all classes up to a number of stones.

use std::collections::BTreeMap;

use seega_rules::{Phase, Position, Rules};

use crate::geometry::Geometry;
use crate::solve::{Smaller, Solved, solve};
use crate::value::{Class, Thresholds};

/// All classes of a rule set up to a number of stones.
#[derive(Debug)]
pub struct Tables {
    rules: Rules,
    geometry: Geometry,
    classes: BTreeMap<Class, Solved>,
}

struct Known<'a>(&'a BTreeMap<Class, Solved>);

impl Smaller for Known<'_> {
    fn class(&self, class: Class) -> &Solved {
        &self.0[&class]
    }
}

impl Tables {
    /// Solves every class with up to that many stones in all.
    pub fn solve(rules: &Rules, stones: u8) -> Tables {
        let geometry = Geometry::new(rules);
        let mut classes = BTreeMap::new();
        let fewest = rules.lose_at.stones() + 1;
        for all in 2 * fewest..=stones {
            for opponent in fewest..=all / 2 {
                let class = Class { mover: all - opponent, opponent };
                for solved in solve(rules, &geometry, class, &Known(&classes)) {
                    classes.insert(solved.class, solved);
                }
            }
        }
        Tables { rules: *rules, geometry, classes }
    }

    /// The thresholds of a position's value; `None` where it is in no class that is known, in placement, within a chain, or
    /// over.
    pub fn thresholds(&self, position: &Position) -> Option<Thresholds> {
        if position.is_placement() || position.chain().is_some() || position.outcome().is_some() {
            return None;
        }
        let mover = position.mover();
        let [own, enemy] = [mover, mover.other()].map(|side| self.geometry.of_board(position.stones(side)));
        let class = Class { mover: own.count_ones() as u8, opponent: enemy.count_ones() as u8 };
        let solved = self.classes.get(&class)?;
        Some(solved.thresholds(solved.slot(own, enemy, position.phase() == Phase::Opening)))
    }

    /// The rules.
    pub fn rules(&self) -> &Rules {
        &self.rules
    }
}
