//! A worker of a match: its thread's share of the pairs, played side by side by players of its own.

use std::collections::{HashSet, VecDeque};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::mpsc::SyncSender;
use std::time::{Duration, Instant};

use seega_players::{Player, PlayerError, Turn};
use seega_rules::record::GameRecord;
use seega_rules::{Action, Side};

use crate::game::{Forfeit, Game, PlayedGame};
use crate::opening::Start;
use crate::play::{Seats, Table};

/// How often a worker tells how far it is.
const TELL_EVERY: Duration = Duration::from_millis(100);

/// What a worker tells.
pub(crate) enum Event {
    Over(usize, PlayedGame, Option<Box<GameRecord>>),
    Round {
        worker: usize,
        running: usize,
        plies: u64,
    },
    Crashed {
        seat: usize,
        error: PlayerError,
    },
    /// A player can't go on in any game.
    Gone(PlayerError),
}

/// Which pairs a worker plays.
#[derive(Clone, Copy)]
pub(crate) struct Share {
    pub(crate) number: usize,
    pub(crate) workers: usize,
}

/// A game that has not begun.
struct Waiting<'a> {
    pair: u32,
    a_side: Side,
    start: &'a Start,
}

/// Plays its share.
pub(crate) struct Worker<'a> {
    tables: &'a [Table],
    share: Share,
    seats: &'a mut Seats,
    events: SyncSender<Event>,
    /// When it told last how far it is.
    told: Instant,
    /// Games to come, for each table.
    waiting: Vec<VecDeque<Waiting<'a>>>,
    running: Vec<Game>,
    plies: u64,
}

impl<'a> Worker<'a> {
    pub(crate) fn begin(
        tables: &'a [Table],
        starts: &'a [Vec<Start>],
        share: Share,
        seats: &'a mut Seats,
        events: SyncSender<Event>,
    ) -> Worker<'a> {
        let waiting = tables.iter().zip(starts).enumerate().map(|(index, (table, starts))| {
            let known: HashSet<(u32, Side)> = table.known.iter().map(|game| (game.pair, game.a_side)).collect();
            // From table to table it is another worker's turn to have the first pair, so that short matches are shared.
            let first = (share.number + index) % share.workers;
            let mine = (0..).zip(starts).skip(first).step_by(share.workers);
            mine.flat_map(|(pair, start)| Side::BOTH.map(|a_side| Waiting { pair, a_side, start }))
                .filter(|game| !known.contains(&(game.pair, game.a_side)))
                .collect()
        });
        let waiting = waiting.collect();
        Worker { tables, share, seats, events, told: Instant::now(), waiting, running: Vec::new(), plies: 0 }
    }

    /// Plays until its share is done, or it is to stop.
    pub(crate) fn play(mut self, stopped: &dyn Fn() -> bool) {
        while !stopped() {
            self.fill();
            if self.running.is_empty() {
                break;
            }
            for seat in 0..self.seats.len() {
                if let Err(gone) = self.play_turns(seat, stopped) {
                    self.tell(Event::Gone(gone));
                    return;
                }
                self.collect();
            }
            if self.told.elapsed() >= TELL_EVERY {
                self.tell_round();
            }
        }
        self.tell_round();
    }

    fn tell_round(&mut self) {
        self.told = Instant::now();
        self.tell(Event::Round { worker: self.share.number, running: self.running.len(), plies: self.plies });
    }

    /// Begins games up to what each table may run at once.
    fn fill(&mut self) {
        for (index, (table, waiting)) in self.tables.iter().zip(&mut self.waiting).enumerate() {
            let running = self.running.iter().filter(|game| game.table == index).count();
            let free = table.settings.at_once.max(1).saturating_sub(running).min(waiting.len());
            let begin = |game: Waiting<'_>| Game::begin(table, index, game.pair, game.a_side, game.start);
            self.running.extend(waiting.drain(..free).map(begin));
        }
    }

    /// Takes out the games that are over.
    fn collect(&mut self) {
        let over: Vec<Game> = self.running.extract_if(.., |game| game.is_over()).collect();
        for game in over {
            let table = game.table;
            let (game, record) = game.played();
            self.tell(Event::Over(table, game, record.map(Box::new)));
        }
    }

    fn tell(&self, event: Event) {
        // Nobody listens once the match was given up.
        let _ = self.events.send(event);
    }

    /// Lets a player make a ply in each game in which it moves.
    ///
    /// # Errors
    /// The player can't go on in any game; those that wait for it have no result.
    fn play_turns(&mut self, seat: usize, stopped: &dyn Fn() -> bool) -> Result<(), PlayerError> {
        let tables = self.tables;
        let player = &mut *self.seats[seat];
        let mut games: Vec<&mut Game> =
            self.running.iter_mut().filter(|game| !game.is_over() && game.seat_to_move() == seat).collect();
        if games.is_empty() {
            return Ok(());
        }
        self.plies += games.len() as u64;
        if !player.is_asked_one_by_one()
            && let Ok(actions) = ask(player, tables, &mut games)
        {
            for (game, action) in games.iter_mut().zip(actions) {
                game.play(&tables[game.table].settings.rules, action);
            }
            return Ok(());
        }
        // Whose game it broke down over is seen when it is asked one by one.
        for game in games {
            if stopped() {
                break;
            }
            match ask(player, tables, &mut [&mut *game]) {
                Ok(actions) => {
                    actions.into_iter().for_each(|action| game.play(&tables[game.table].settings.rules, action))
                }
                Err(PlayerError::Resigns) => game.resign(),
                Err(gone @ PlayerError::Gone { .. }) => return Err(gone),
                Err(error) => {
                    game.forfeit(Forfeit::Crash);
                    let _ = self.events.send(Event::Crashed { seat, error });
                }
            }
        }
        Ok(())
    }
}

/// The actions that a player chooses in these games, one each. A player that panics has broken down like any other.
fn ask(player: &mut dyn Player, tables: &[Table], games: &mut [&mut Game]) -> Result<Vec<Action>, PlayerError> {
    let mut turns: Vec<Turn<'_>> = games
        .iter_mut()
        .map(|game| Turn {
            rules: &tables[game.table].settings.rules,
            position: game.position,
            random: &mut game.random,
        })
        .collect();
    let actions = catch_unwind(AssertUnwindSafe(|| player.choose(&mut turns))).unwrap_or(Err(PlayerError::Panicked))?;
    match actions.len() == turns.len() {
        true => Ok(actions),
        false => Err(PlayerError::Answers { given: actions.len(), turns: turns.len() }),
    }
}
