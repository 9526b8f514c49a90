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
    /// The turns that were left before the quiet limit; 0 after the end.
    pub left: Turns,
}

impl Exact {
    /// How good it is, the better the higher: wins soon, losses late; what takes all turns that are left is the better the less
    /// more of them would change it for the worse, or the more for the better.
    pub fn rank(self) -> (Value, i32, bool) {
        let left = i32::from(self.left);
        let distance = self.distance.map_or(left, i32::from);
        // With more turns left than there are it would be another.
        let only_by_limit = distance > left;
        let lasts = distance.min(left);
        match self.value {
            Value::Win => (self.value, -lasts, !only_by_limit),
            Value::Draw => (self.value, 0, false),
            Value::Loss => (self.value, lasts, only_by_limit),
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
            return Err(ExactError::Empty(folder.to_owned()));
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
            return Ok(Some(Exact { value: of_winner(outcome.winner, position.mover()), distance: None, left: 0 }));
        }
        if position.chain().is_some() {
            // The capture is made: the best way to go on decides.
            let actions = self.actions(position)?;
            let best = actions.into_iter().flatten().map(|(_, exact)| exact.value).max();
            let left = self.turns_left(position);
            return Ok(best.map(|value| Exact { value, distance: Some(1), left }));
        }
        let (left, full) = (self.turns_left(position), full_turns(&self.rules));
        Ok(self.thresholds(position)?.map(|thresholds| {
            let distance = thresholds.since(left).or_else(|| thresholds.next(left, full));
            Exact { value: thresholds.value(left), distance, left }
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
            let distance = after.distance(left, &self.rules, limit);
            let exact = Exact { value: after.value(left, limit), distance, left };
            valued.push((action, exact));
        }
        Ok(Some(valued))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wins_are_taken_soon_losses_late_and_what_only_the_limit_gives_last() {
        let exact = |value, distance| Exact { value, distance, left: 4 };
        // From six turns on the first would be no win; the second is one whatever the counter.
        let by_limit = exact(Value::Win, Some(6));
        let always = exact(Value::Win, None);
        let (soon, later) = (exact(Value::Win, Some(2)), exact(Value::Win, Some(3)));
        let falling = [soon, later, always, by_limit, exact(Value::Draw, None), exact(Value::Loss, Some(6))];
        assert!(falling.is_sorted_by(|a, b| a.rank() > b.rank()), "{falling:?}");
        let losses = [exact(Value::Loss, Some(6)), exact(Value::Loss, None), exact(Value::Loss, Some(3))];
        assert!(losses.is_sorted_by(|a, b| a.rank() > b.rank()), "{losses:?}");
    }
}
