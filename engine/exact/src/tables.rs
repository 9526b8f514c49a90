//! Tables on disk, asked about positions.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use seega_rules::{Action, ActionList, Phase, Position, Rules};

use crate::build::pairs;
use crate::error::ExactError;
use crate::file::{self, ClassFile};
use crate::geometry::Geometry;
use crate::solve::full_turns;
use crate::summary::Summary;
use crate::turn::{After, at_limit, of_winner};
use crate::value::{Class, Thresholds, Turns, Value};

/// Where the tables of a rule set are looked for if nothing else is said: in a folder of many, by the name of the rules.
pub fn usual_folder(root: &Path, rules_name: &str) -> PathBuf {
    root.join(rules_name.replace(['/', '\\', ' ', '=', ':', ','], "-"))
}

/// The tables of a folder.
#[derive(Debug)]
pub struct Tables {
    rules: Rules,
    geometry: Geometry,
    classes: BTreeMap<Class, ClassFile>,
}

/// An exact value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Exact {
    /// How the position ends for its mover.
    pub value: Value,
    /// The turns up to the next capture or the end with best play: with fewer left before the quiet limit the value would be
    /// another. Where it is what it is because too few are left, the number of turns left from which on it would be another.
    /// `None` where no counter changes the value. A capture that is made in this turn is 1.
    pub distance: Option<Turns>,
}

impl Exact {
    /// How good it is, the better the higher: wins soon, losses late. What no counter changes lasts up to the quiet limit.
    pub fn rank(self) -> (Value, i32) {
        let distance = i32::from(self.distance.unwrap_or(Turns::MAX));
        match self.value {
            Value::Win => (self.value, -distance),
            Value::Draw => (self.value, 0),
            Value::Loss => (self.value, distance),
        }
    }
}

impl Tables {
    /// Opens what a folder holds for these rules.
    ///
    /// # Errors
    /// A file can't be read, is damaged at its head, or is of other rules; or there is none.
    pub fn open(folder: &Path, rules: &Rules) -> Result<Tables, ExactError> {
        let geometry = Geometry::new(rules);
        let mut classes = BTreeMap::new();
        let most = 2 * rules.size.stones_per_side();
        for class in pairs(rules, most).flat_map(|class| [class, class.flipped()]) {
            if file::path(folder, class).exists() {
                classes.insert(class, ClassFile::open(folder, rules, &geometry, class)?);
            }
        }
        if classes.is_empty() {
            return Err(ExactError::file(folder, "holds no tables of these rules; make some by seega exact build"));
        }
        Ok(Tables { rules: *rules, geometry, classes })
    }

    /// The rules.
    pub fn rules(&self) -> &Rules {
        &self.rules
    }

    /// The most stones up to which no class is missing.
    pub fn stones(&self) -> u8 {
        let most = 2 * self.rules.size.stones_per_side();
        let missing = pairs(&self.rules, most)
            .flat_map(|class| [class, class.flipped()])
            .find(|class| !self.classes.contains_key(class));
        missing.map_or(most, |class| class.stones() - 1)
    }

    /// The classes that are there, with their figures.
    pub fn classes(&self) -> impl Iterator<Item = (Class, &Summary)> {
        self.classes.iter().map(|(&class, file)| (class, file.summary()))
    }

    pub(crate) fn file(&self, class: Class) -> Option<&ClassFile> {
        self.classes.get(&class)
    }

    pub(crate) fn geometry(&self) -> &Geometry {
        &self.geometry
    }

    /// The thresholds of a position in which a turn begins. `None` in placement, within a chain, after the end, and where its
    /// class is not there.
    ///
    /// # Errors
    /// The file of its class is damaged.
    pub fn thresholds(&self, position: &Position) -> Result<Option<Thresholds>, ExactError> {
        if position.is_placement() || position.chain().is_some() || position.outcome().is_some() {
            return Ok(None);
        }
        let mover = position.mover();
        let [own, enemy] = [mover, mover.other()].map(|side| self.geometry.of_board(position.stones(side)));
        let class = Class { mover: own.count_ones() as u8, opponent: enemy.count_ones() as u8 };
        let opening = position.phase() == Phase::Opening;
        self.file(class).map(|file| file.thresholds(own, enemy, opening)).transpose()
    }

    /// The value of a position, whatever its counter, within chains too. `None` in placement and where its class, or one that
    /// its chain may lead to, is not there.
    ///
    /// # Errors
    /// A file is damaged.
    pub fn value(&self, position: &Position) -> Result<Option<Exact>, ExactError> {
        if let Some(outcome) = position.outcome() {
            return Ok(Some(Exact { value: of_winner(outcome.winner, position.mover()), distance: None }));
        }
        if position.chain().is_some() {
            // The capture is made: the best way to go on decides.
            let actions = self.actions(position)?;
            let best = actions.into_iter().flatten().map(|(_, exact)| exact.value).max();
            return Ok(best.map(|value| Exact { value, distance: Some(1) }));
        }
        let (left, full) = (self.turns_left(position), full_turns(&self.rules));
        Ok(self.thresholds(position)?.map(|thresholds| {
            let distance = thresholds.since(left).or_else(|| thresholds.next(left, full));
            Exact { value: thresholds.value(left), distance }
        }))
    }

    fn turns_left(&self, position: &Position) -> Turns {
        Turns::try_from(self.rules.quiet_limit.get().saturating_sub(position.quiet())).unwrap_or(Turns::MAX)
    }

    /// Every legal action with its value for the position's mover, in the order of the rules crate; `None` where one's class is
    /// not there, in placement and after the end.
    ///
    /// # Errors
    /// A file is damaged.
    pub fn actions(&self, position: &Position) -> Result<Option<Vec<(Action, Exact)>>, ExactError> {
        if position.is_placement() || position.outcome().is_some() {
            return Ok(None);
        }
        let mut actions = ActionList::new();
        position.legal_actions(&self.rules, &mut actions);
        let (left, limit) = (self.turns_left(position), at_limit(&self.rules, position));
        let fresh = position.with_quiet(0);
        let mut valued = Vec::with_capacity(actions.len());
        for &action in &actions {
            let Some(after) = After::action(self, &fresh, action)? else { return Ok(None) };
            let exact = Exact { value: after.value(left, limit), distance: after.distance(left, &self.rules, limit) };
            valued.push((action, exact));
        }
        Ok(Some(valued))
    }
}
