//! A match that goes on until it is known which of two differences in strength is the true one.

use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::sync::atomic::AtomicBool;

use seega_players::PlayerError;
use seega_rules::record::GameRecord;

use crate::game::PlayedGame;
use crate::play::{MatchError, Observer, Seats, Table, run_tables};
use crate::statistics::sprt::{Decision, Sprt};
use crate::tally::Tally;

/// What a sequential match came to.
#[derive(Clone, Debug, PartialEq)]
pub struct SequentialMatch {
    /// The pairs up to the decision, in their order.
    pub tally: Tally,
    /// The decision; open if the pairs ran out or the match was stopped.
    pub decision: Decision,
    /// Games that ran beyond those pairs and do not count.
    pub surplus: usize,
}

/// Plays a table until the test decides, up to its number of pairs, and gives all games that are over besides.
///
/// Pairs count in the order in which they began: in that in which they end, short games would come first. When `stop`
/// is set, the pairs that are over count, up to the first that is not.
///
/// # Errors
/// As [`run_tables`].
pub fn run_sprt(
    table: &Table,
    sprt: &Sprt,
    workers: &mut [Seats],
    stop: &AtomicBool,
    observer: &mut dyn Observer,
) -> Result<(SequentialMatch, Vec<PlayedGame>), MatchError> {
    let mut progress = Progress::new(sprt);
    let mut games = table.known.clone();
    games.sort_by_key(|game| (game.pair, game.a_side));
    games.iter().for_each(|game| {
        progress.add(game);
    });
    if progress.decision == Decision::Open {
        let mut watch = Watch { observer, progress };
        games = run_tables(std::slice::from_ref(table), workers, stop, &mut watch)?.concat();
        progress = watch.progress;
    }
    let surplus = progress.games - 2 * progress.next as usize;
    Ok((SequentialMatch { decision: progress.decision, tally: progress.tally, surplus }, games))
}

/// A test with the pairs that count.
struct Progress<'a> {
    sprt: &'a Sprt,
    tally: Tally,
    decision: Decision,
    /// The next pair to count.
    next: u32,
    /// Games that are over, from there on.
    over: BTreeMap<u32, Vec<PlayedGame>>,
    games: usize,
}

impl<'a> Progress<'a> {
    fn new(sprt: &'a Sprt) -> Progress<'a> {
        let tally = Tally::default();
        Progress { sprt, tally, decision: Decision::Open, next: 0, over: BTreeMap::new(), games: 0 }
    }

    fn add(&mut self, game: &PlayedGame) -> Decision {
        self.games += 1;
        self.over.entry(game.pair).or_default().push(*game);
        while self.decision == Decision::Open
            && let Some(&[one, two]) = self.over.get(&self.next).map(Vec::as_slice)
        {
            let mut pair = [one, two];
            pair.sort_by_key(|game| game.a_side);
            self.tally.add(&pair);
            self.over.remove(&self.next);
            self.next += 1;
            self.decision = self.sprt.decide(&self.tally.pairs);
        }
        self.decision
    }
}

struct Watch<'a, 'o> {
    observer: &'o mut dyn Observer,
    progress: Progress<'a>,
}

impl Observer for Watch<'_, '_> {
    fn round(&mut self, running: usize, plies: u64) {
        self.observer.round(running, plies);
    }

    fn game_over(&mut self, table: usize, game: &PlayedGame, record: Option<GameRecord>) -> ControlFlow<()> {
        let wish = self.observer.game_over(table, game, record);
        let counted = self.progress.next;
        let decision = self.progress.add(game);
        if self.progress.next > counted {
            self.observer.pair_counted(&self.progress.tally);
        }
        if decision == Decision::Open { wish } else { ControlFlow::Break(()) }
    }

    fn crashed(&mut self, seat: usize, error: &PlayerError) {
        self.observer.crashed(seat, error);
    }
}
