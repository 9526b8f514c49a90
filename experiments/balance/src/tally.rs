//! What games have in common: counts over the games of one network, or of chance.

use std::collections::{BTreeMap, HashSet};

use seega_rules::{EndReason, Position, Rules, Side, Symmetry};
use seega_selfplay::{GameError, PlayedGame};
use serde::Serialize;

use crate::statistics::bootstrap::Results;
use crate::statistics::slope::ByLead;

/// Bins of calibration.
pub const BINS: usize = 10;

/// A sum of numbers and how many there were.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Mean {
    sum: f64,
    count: f64,
}

impl Mean {
    fn add(&mut self, value: f64, weight: f64) {
        self.sum += weight * value;
        self.count += weight;
    }

    fn merge(&mut self, other: Mean) {
        self.sum += other.sum;
        self.count += other.count;
    }

    /// The mean; `None` of nothing.
    pub fn value(self) -> Option<f64> {
        (self.count > 0.0).then(|| self.sum / self.count)
    }

    /// How much it is the mean of.
    pub fn weight(self) -> f64 {
        self.count
    }
}

/// Counts over games.
#[derive(Clone, Debug, Default)]
pub struct Tally {
    /// How games ended for White, who places first.
    pub white: Results,
    /// Games by what ended them.
    pub reasons: BTreeMap<&'static str, u64>,
    /// Plies a game.
    pub plies: Mean,
    /// Turns of movement a game, of both sides together.
    pub turns: Mean,
    /// Legal actions a ply, in movement.
    pub branching: Mean,
    /// Stones captured a game.
    pub captures: Mean,
    /// The share of capturing turns with more than one capturing step.
    pub chains: Mean,
    /// The most capturing steps of a turn.
    pub longest_chain: u32,
    /// What a game was, to know whether it was played before.
    games: HashSet<u64>,
    /// Boards after White's first turn, of those that are symmetric one.
    openings: BTreeMap<u64, u64>,
    /// By square of the board's numbering and owner as movement begins: White's score.
    squares: Vec<[Mean; 2]>,
    /// Positions of movement by the mover's lead in stones.
    pub by_lead: ByLead,
    /// By the score that a search expected for the mover: what it expected, and what came of it.
    pub calibration: [(Mean, Mean); BINS],
    /// The squared difference between the score that searches expected and the result.
    pub brier: Mean,
}

impl Tally {
    /// Adds a game that is over.
    ///
    /// # Errors
    /// The game is not by the rules, or not over.
    pub fn add(&mut self, rules: &Rules, game: &PlayedGame) -> Result<(), GameError> {
        let symmetries = symmetries(rules);
        let mut seen = Game { plies_to_opening: u32::from(rules.per_turn.stones()), ..Game::new(&symmetries) };
        let end = game.replay(rules, |position, actions, played| {
            seen.position(position, actions.len());
            seen.expected(position, played.found.as_ref().map(|found| found.value.0));
        })?;
        seen.end(&end);
        let outcome = end.outcome().ok_or(GameError::Unfinished(game.plies.len()))?;
        self.end(rules, &seen, outcome.winner, outcome.reason);
        self.plies.add(game.plies.len() as f64, 1.0);
        // Of games that are symmetric one is another's copy.
        let hash = |symmetry: &Symmetry| {
            game.plies.iter().fold(0, |state, ply| {
                let action = symmetry.action(rules.size, ply.action);
                let place = seega_models::action::index(rules.size, action).unwrap_or_default();
                seega_rules::mix(state ^ place as u64)
            })
        };
        self.games.extend(symmetries.iter().map(hash).min());
        Ok(())
    }

    fn end(&mut self, rules: &Rules, seen: &Game<'_>, winner: Option<Side>, reason: EndReason) {
        let size = rules.size;
        let result_of = |side: Side| match winner {
            Some(winner) if winner == side => 1.0,
            None => 0.0,
            Some(_) => -1.0,
        };
        let score_of = |side| 0.5 + 0.5 * result_of(side);
        count(&mut self.white, result_of(Side::White));
        *self.reasons.entry(reason.name()).or_default() += 1;
        self.turns.add(f64::from(seen.turns), 1.0);
        self.branching.merge(seen.branching);
        self.captures.add(f64::from(seen.captures), 1.0);
        self.chains.merge(seen.chains);
        self.longest_chain = self.longest_chain.max(seen.longest_chain);
        if let Some(opening) = seen.opening {
            *self.openings.entry(opening).or_default() += 1;
        }
        if self.squares.is_empty() {
            self.squares = vec![Default::default(); usize::from(size.squares())];
        }
        for (owner, stones) in seen.placed.iter().flatten().enumerate() {
            for square in *stones {
                self.squares[size.index_of(square)][owner].add(score_of(Side::White), 1.0);
            }
        }
        // Each game counts alike, however many turns it had.
        let weight = 1.0 / seen.leads.len().max(1) as f64;
        for &(mover, lead) in &seen.leads {
            self.by_lead.add(lead, result_of(mover), weight);
        }
        let weight = 1.0 / seen.expected.len().max(1) as f64;
        for &(mover, expected) in &seen.expected {
            let bin = ((expected * BINS as f64) as usize).min(BINS - 1);
            self.calibration[bin].0.add(expected, weight);
            self.calibration[bin].1.add(score_of(mover), weight);
            self.brier.add((expected - score_of(mover)).powi(2), weight);
        }
    }

    /// Adds all of another's.
    pub fn merge(&mut self, other: &Tally) {
        self.white = self.white.and(other.white);
        for (reason, games) in &other.reasons {
            *self.reasons.entry(reason).or_default() += games;
        }
        for (mine, others) in [
            (&mut self.plies, other.plies),
            (&mut self.turns, other.turns),
            (&mut self.branching, other.branching),
            (&mut self.captures, other.captures),
            (&mut self.chains, other.chains),
            (&mut self.brier, other.brier),
        ] {
            mine.merge(others);
        }
        self.longest_chain = self.longest_chain.max(other.longest_chain);
        self.games.extend(&other.games);
        for (opening, games) in &other.openings {
            *self.openings.entry(*opening).or_default() += games;
        }
        if self.squares.is_empty() {
            self.squares.clone_from(&other.squares);
        } else {
            for (mine, others) in self.squares.iter_mut().zip(&other.squares) {
                mine.iter_mut().zip(others).for_each(|(mine, others)| mine.merge(*others));
            }
        }
        self.by_lead.merge(&other.by_lead);
        for (mine, others) in self.calibration.iter_mut().zip(&other.calibration) {
            mine.0.merge(others.0);
            mine.1.merge(others.1);
        }
    }

    /// All games.
    pub fn games(&self) -> u64 {
        self.white.games()
    }

    /// The share of games that are no other's copy.
    pub fn distinct(&self) -> f64 {
        self.games.len() as f64 / self.games().max(1) as f64
    }

    /// How many first turns of White there are in effect: two to the power of their entropy, where symmetric ones are one.
    /// (Miller and Madow's correction makes up for turns that so many games don't show.)
    pub fn first_turns(&self) -> f64 {
        let all = self.openings.values().sum::<u64>().max(1) as f64;
        let part = |&games: &u64| {
            let share = games as f64 / all;
            -share * share.ln()
        };
        let entropy: f64 = self.openings.values().map(part).sum();
        (entropy + (self.openings.len().max(1) - 1) as f64 / (2.0 * all)).exp()
    }

    /// What each square was as movement began, averaged over the symmetries that the start has, by the board's numbering.
    pub fn squares(&self, rules: &Rules) -> Vec<SquareUse> {
        let (size, symmetries) = (rules.size, symmetries(rules));
        let mut orbits: BTreeMap<usize, [Mean; 2]> = BTreeMap::new();
        let orbit = |square| symmetries.iter().map(|symmetry| size.index_of(symmetry.square(size, square))).min();
        for square in size.board() {
            let sum = orbits.entry(orbit(square).unwrap_or_default()).or_default();
            let owners = self.squares.get(size.index_of(square)).copied().unwrap_or_default();
            sum.iter_mut().zip(owners).for_each(|(sum, owner)| sum.merge(owner));
        }
        let mut squares: Vec<SquareUse> = vec![SquareUse::default(); usize::from(size.squares())];
        for square in size.board() {
            let [white, black] = orbits[&orbit(square).unwrap_or_default()];
            let both = white.weight() + black.weight();
            squares[size.index_of(square)] = SquareUse {
                white: (both > 0.0).then(|| white.weight() / both),
                worth: white.value().zip(black.value()).map(|(white, black)| white - black),
            };
        }
        squares
    }
}

/// What a square was as movement began.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct SquareUse {
    /// The share of games in which White held it; `None` for one that stays empty.
    pub white: Option<f64>,
    /// By how much White's score was higher in games in which White held it; `None` where one side always did.
    pub worth: Option<f64>,
}

fn count(results: &mut Results, result: f64) {
    match result {
        1.0 => results.wins += 1,
        0.0 => results.draws += 1,
        _ => results.losses += 1,
    }
}

/// The symmetries that leave the start of a game as it is: all but those that turn a cross.
pub(crate) fn symmetries(rules: &Rules) -> Vec<Symmetry> {
    let start = Position::start(rules);
    Symmetry::ALL.into_iter().filter(|symmetry| symmetry.position(&start) == start).collect()
}

/// What is seen of one game.
struct Game<'a> {
    /// The symmetries of its start.
    symmetries: &'a [Symmetry],
    /// Plies until White has had its first turn.
    plies_to_opening: u32,
    /// The stones of White and Black as movement began.
    placed: Option<[seega_rules::Bitboard; 2]>,
    /// The board after White's first turn.
    opening: Option<u64>,
    turns: u32,
    branching: Mean,
    /// Stones before the last step of movement.
    stones: u8,
    captures: u32,
    /// Capturing steps of the turn so far.
    chain: u32,
    chains: Mean,
    longest_chain: u32,
    leads: Vec<(Side, i32)>,
    expected: Vec<(Side, f64)>,
}

impl Game<'_> {
    fn new(symmetries: &[Symmetry]) -> Game<'_> {
        Game {
            symmetries,
            plies_to_opening: 0,
            placed: None,
            opening: None,
            turns: 0,
            branching: Mean::default(),
            stones: 0,
            captures: 0,
            chain: 0,
            chains: Mean::default(),
            longest_chain: 0,
            leads: Vec::new(),
            expected: Vec::new(),
        }
    }

    /// A position with so many legal actions, whose game goes on.
    fn position(&mut self, position: &Position, actions: usize) {
        if position.is_placement() {
            if self.plies_to_opening == 0 && self.opening.is_none() {
                let boards = self.symmetries.iter().map(|symmetry| symmetry.position(position).hash());
                self.opening = boards.min();
            }
            self.plies_to_opening = self.plies_to_opening.saturating_sub(1);
            return;
        }
        self.movement_begins(position);
        self.branching.add(actions as f64, 1.0);
        self.count_captures(position);
        if position.chain().is_none() {
            self.turn_ends();
            self.turns += 1;
            let [own, enemy] = [position.mover(), position.opponent()].map(|side| position.stones(side).count());
            self.leads.push((position.mover(), i32::from(own) - i32::from(enemy)));
        }
    }

    /// Keeps the placement, with the first position that has one: a game may be over with the last stone placed.
    fn movement_begins(&mut self, position: &Position) {
        if self.placed.is_none() {
            self.placed = Some(Side::BOTH.map(|side| position.stones(side)));
            self.stones = position.occupied().count();
        }
    }

    /// The position in which the game is over.
    fn end(&mut self, position: &Position) {
        self.movement_begins(position);
        self.count_captures(position);
        self.turn_ends();
    }

    /// Counts what the step before took.
    fn count_captures(&mut self, position: &Position) {
        let stones = position.occupied().count();
        if stones < self.stones {
            self.captures += u32::from(self.stones - stones);
            self.chain += 1;
            self.stones = stones;
        }
    }

    fn expected(&mut self, position: &Position, value: Option<f32>) {
        // In placement actions are drawn, so that what was expected of the best ones says little.
        if let Some(value) = value.filter(|_| !position.is_placement()) {
            self.expected.push((position.mover(), 0.5 + 0.5 * f64::from(value)));
        }
    }

    fn turn_ends(&mut self) {
        if self.chain > 0 {
            self.chains.add(f64::from(u8::from(self.chain > 1)), 1.0);
            self.longest_chain = self.longest_chain.max(self.chain);
            self.chain = 0;
        }
    }
}
