//! Building tables: class after class in the order of their stones, each written when it is whole.

use std::collections::BTreeMap;
use std::fs::File;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use seega_files::remove_unfinished;
use seega_rules::Rules;

use crate::error::ExactError;
use crate::file::{self, ClassFile};
use crate::geometry::{Geometry, Set};
use crate::ranking::{Ranking, boards};
use crate::solve::{Smaller, full_turns, slot, solve};
use crate::summary::Summary;
use crate::value::{Class, Value};

/// A step of a build: a class, and the one that its quiet turns lead to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Step {
    /// The class whose mover has as many stones or more.
    pub class: Class,
    /// The boards of both, one of each eight that are symmetric.
    pub boards: u64,
    /// Bytes of memory that it takes.
    pub memory: u64,
}

/// What was made of a class.
#[derive(Clone, Debug)]
pub struct Built {
    /// The class.
    pub class: Class,
    /// Its figures.
    pub summary: Summary,
    /// How long it took, the class that its quiet turns lead to included.
    pub time: Duration,
    /// Bytes of its file.
    pub bytes: u64,
}

/// Who is told how a build goes on.
pub trait Progress {
    /// A class is begun.
    fn begun(&mut self, step: &Step);

    /// A class is written.
    fn built(&mut self, built: &Built);

    /// A class is there already.
    fn known(&mut self, class: Class, summary: &Summary);
}

/// Looks away.
impl Progress for () {
    fn begun(&mut self, _: &Step) {}

    fn built(&mut self, _: &Built) {}

    fn known(&mut self, _: Class, _: &Summary) {}
}

/// The fewest stones that a position of movement can have under the rules, both sides together.
pub fn fewest_stones(rules: &Rules) -> u8 {
    2 * fewest(rules)
}

/// The steps to tables of every class with up to so many stones in all.
pub fn plan(rules: &Rules, stones: u8) -> Vec<Step> {
    let mut steps = Vec::new();
    for class in pairs(rules, stones) {
        let both = if class.mover == class.opponent { vec![class] } else { vec![class, class.flipped()] };
        let count = |class: Class| boards(rules.size, class.mover, class.opponent);
        let boards = both.iter().map(|&class| count(class)).fold(0, u64::saturating_add);
        let smaller = smaller_than(rules, class).into_iter().map(count).fold(0, u64::saturating_add);
        // Of each board two results of two bytes for each of two sweeps, three counters, and what rounding up may add; of a
        // smaller one its value.
        steps.push(Step { class, boards, memory: boards.saturating_mul(16).saturating_add(smaller) });
    }
    steps
}

fn fewest(rules: &Rules) -> u8 {
    rules.lose_at.stones() + 1
}

/// The classes with up to so many stones, of each two that quiet turns connect the one whose mover has more.
pub(crate) fn pairs(rules: &Rules, stones: u8) -> impl Iterator<Item = Class> {
    let fewest = fewest(rules);
    (2 * fewest..=stones)
        .flat_map(move |all| (fewest..=all / 2).map(move |opponent| Class { mover: all - opponent, opponent }))
}

/// The classes that captures lead to: one side has as many stones as before, the other fewer.
fn smaller_than(rules: &Rules, class: Class) -> Vec<Class> {
    let fewest = fewest(rules);
    let mut smaller = Vec::new();
    for (kept, taken_from) in [(class.mover, class.opponent), (class.opponent, class.mover)] {
        for left in fewest..taken_from {
            let class = Class { mover: kept, opponent: left };
            smaller.extend([class, class.flipped()]);
        }
    }
    smaller.sort_unstable();
    smaller.dedup();
    smaller
}

/// Builds every class with up to so many stones in all in a folder, but for those that are there already and sound. Killed at
/// any moment it goes on with the class that it was at.
///
/// # Errors
/// There is no class with so few stones; a class takes more memory than is allowed (then nothing is begun); a file can't be read
/// or written or is of other rules; another program builds in the folder; it was stopped.
pub fn build(
    rules: &Rules,
    stones: u8,
    folder: &Path,
    memory: u64,
    progress: &mut dyn Progress,
    stop: &AtomicBool,
) -> Result<(), ExactError> {
    let steps = plan(rules, stones);
    if steps.is_empty() {
        return Err(ExactError::TooFew { stones, fewest: fewest_stones(rules) });
    }
    if let Some(step) = steps.iter().find(|step| step.memory > memory) {
        return Err(ExactError::Memory { stones: step.class.stones(), needed: step.memory, allowed: memory });
    }
    std::fs::create_dir_all(folder).map_err(ExactError::io(folder))?;
    let lock = File::create(folder.join(".lock")).map_err(ExactError::io(folder))?;
    if lock.try_lock().is_err() {
        return Err(ExactError::file(folder, "another program builds tables in this folder"));
    }
    remove_unfinished(folder).map_err(ExactError::io(folder))?;
    let geometry = Geometry::new(rules);
    let mut values = Values { rules, geometry: &geometry, folder, classes: BTreeMap::new() };
    for step in steps {
        let mut classes = vec![step.class, step.class.flipped()];
        classes.dedup();
        if let Some(known) = sound(folder, rules, &geometry, &classes)? {
            known.iter().for_each(|file| progress.known(file.class(), file.summary()));
            continue;
        }
        if stop.load(Ordering::Relaxed) {
            return Err(ExactError::Stopped);
        }
        progress.begun(&step);
        let start = Instant::now();
        values.load(&smaller_than(rules, step.class))?;
        let solved = solve(rules, &geometry, step.class, &values, stop).ok_or(ExactError::Stopped)?;
        for solved in &solved {
            let summary = Summary::of(rules, &geometry, solved);
            let bytes = file::write(folder, rules, solved, summary.clone())?;
            progress.built(&Built { class: solved.class, summary, time: start.elapsed(), bytes });
        }
    }
    Ok(())
}

/// The files of classes, if all are there and sound. A file that is damaged is made again; one of other rules is not touched.
fn sound(
    folder: &Path,
    rules: &Rules,
    geometry: &Geometry,
    classes: &[Class],
) -> Result<Option<Vec<ClassFile>>, ExactError> {
    let mut files = Vec::new();
    for &class in classes {
        if !file::path(folder, class).exists() {
            return Ok(None);
        }
        match ClassFile::open(folder, rules, geometry, class) {
            Ok(file) if file.is_sound() => files.push(file),
            Err(error @ ExactError::OtherRules(_)) => return Err(error),
            _ => return Ok(None),
        }
    }
    Ok(Some(files))
}

/// The values of smaller classes with the quiet counter at 0.
struct Values<'a> {
    rules: &'a Rules,
    geometry: &'a Geometry,
    folder: &'a Path,
    classes: BTreeMap<Class, ClassValues>,
}

struct ClassValues {
    ranking: Ranking,
    blocked: Vec<u64>,
    /// Of each slot; of those without a position anything.
    values: Vec<Value>,
}

impl Values<'_> {
    /// Reads those classes, and forgets others.
    fn load(&mut self, classes: &[Class]) -> Result<(), ExactError> {
        self.classes.retain(|class, _| classes.contains(class));
        let full = full_turns(self.rules);
        for &class in classes {
            if !self.classes.contains_key(&class) {
                let file = ClassFile::open(self.folder, self.rules, self.geometry, class)?;
                let values = file.all(|thresholds| thresholds.value(full))?;
                let (ranking, blocked) = (file.ranking().clone(), file.blocked().to_vec());
                self.classes.insert(class, ClassValues { ranking, blocked, values });
            }
        }
        Ok(())
    }
}

impl Smaller for Values<'_> {
    fn value(&self, mover: Set, opponent: Set, opening: bool) -> Value {
        let class = Class { mover: mover.count_ones() as u8, opponent: opponent.count_ones() as u8 };
        let ClassValues { ranking, blocked, values } = &self.classes[&class];
        values[slot(ranking, blocked, mover, opponent, opening)]
    }
}
