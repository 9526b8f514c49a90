//! Searching one position to tell what is found, for programs that show it: values, lines, and how it changes as the search
//! goes on.

use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use seega_models::checkpoint::Checkpoint;
use seega_rules::{Action, Position, Rules};
use seega_search::baseline::Limit;
use seega_search::{Chances, GumbelSettings, Proof, PuctSettings, RootAction, Search, SearchRule, Seega};

use crate::PlayerError;
use crate::network::{GoesOn, SearchPlayer};

/// How long a search goes on, unless it is stopped.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Effort {
    /// So many simulations on all threads together: with one thread what `net:PATH@SIMULATIONS` searches.
    Simulations(u32),
    /// So long.
    Time(Duration),
    /// Until it is stopped, or as far as memory goes.
    Endless,
}

/// Simulations of an endless search on all threads together: about as many nodes as a tree may have, which take a third
/// of a gigabyte.
const ENDLESS: u32 = 1 << 20;

/// What a search found.
#[derive(Clone, Debug, PartialEq)]
pub struct Analysis {
    /// Simulations, over all threads.
    pub simulations: u32,
    /// How long it took so far.
    pub time: Duration,
    /// How the game is expected to end, as the mover sees it.
    pub chances: Chances,
    /// Every legal action, the best first.
    pub actions: Vec<AnalysedAction>,
}

/// What a search found of an action.
#[derive(Clone, Debug, PartialEq)]
pub struct AnalysedAction {
    /// The action.
    pub action: Action,
    /// The network's probability.
    pub prior: f32,
    /// The probability that the search improved it to.
    pub policy: f32,
    /// Simulations that went through it.
    pub visits: u32,
    /// How the game is expected to end after it, as the mover sees it; `None` where it was not searched.
    pub chances: Option<Chances>,
    /// Its proven end.
    pub proof: Option<Proof>,
    /// The best line, which begins with it.
    pub line: Vec<Action>,
}

/// A network that searches one position after the other.
pub struct Analyst {
    /// One for each thread.
    players: Vec<SearchPlayer>,
}

impl std::fmt::Debug for Analyst {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Analyst").field("threads", &self.players.len()).finish_non_exhaustive()
    }
}

impl Analyst {
    /// A network that searches on that many threads: each searches by itself, sees the boards turned otherwise, and all
    /// that is found is put together. So threads make values steadier, not lines longer.
    pub fn new(checkpoint: &Checkpoint, threads: usize) -> Analyst {
        let player = |thread| SearchPlayer::new(checkpoint, Limit::Work(1)).turned_by(thread);
        Analyst { players: (0..threads.max(1) as u64).map(player).collect() }
    }

    /// Searches a position whose game goes on. `told` hears what is found whenever some time has passed; `stop` ends the
    /// search.
    ///
    /// # Errors
    /// The network can't evaluate.
    ///
    /// # Panics
    /// If the game is over.
    pub fn analyse(
        &mut self,
        rules: &Rules,
        position: &Position,
        effort: Effort,
        stop: &AtomicBool,
        mut told: impl FnMut(&Analysis) + Send,
    ) -> Result<Analysis, PlayerError> {
        /// The first word of a search, and how much later each further one is.
        const FIRST: Duration = Duration::from_millis(200);
        const FACTOR: f64 = 1.6;
        let start = Instant::now();
        // Sequential halving wants to know its simulations; a search that may end at any time goes by visits.
        let rule = match effort {
            Effort::Endless => SearchRule::Puct(PuctSettings::default()),
            Effort::Simulations(_) | Effort::Time(_) => SearchRule::Gumbel(GumbelSettings::default()),
        };
        let failed = Mutex::new(None);
        let share = |simulations: u32| simulations.div_ceil(self.players.len() as u32);
        let task = Task {
            rule,
            rules,
            position,
            effort: match effort {
                Effort::Simulations(simulations) => Effort::Simulations(share(simulations)),
                Effort::Endless => Effort::Simulations(share(ENDLESS)),
                Effort::Time(_) => effort,
            },
            start,
        };
        thread::scope(|scope| {
            let mut rest = self.players.iter_mut();
            let first = rest.next().expect("there is one at least");
            for player in rest {
                let (failed, task) = (&failed, &task);
                scope.spawn(move || {
                    let searched = task.search(player, &mut |_| !stop.load(Ordering::Relaxed));
                    if let Err(error) = searched {
                        *failed.lock().unwrap_or_else(std::sync::PoisonError::into_inner) = Some(error);
                    }
                });
            }
            let mut next = FIRST;
            let searched = task.search(first, &mut |searches| {
                if start.elapsed() >= next && !searches[0].waits_for_its_root() {
                    told(&put_together(&mut [&mut searches[0]], start.elapsed()));
                    next = start.elapsed().mul_f64(FACTOR);
                }
                !stop.load(Ordering::Relaxed)
            });
            if let Err(error) = searched {
                *failed.lock().unwrap_or_else(std::sync::PoisonError::into_inner) = Some(error);
            }
        });
        if let Some(error) = failed.into_inner().unwrap_or_else(std::sync::PoisonError::into_inner) {
            return Err(error);
        }
        let mut searches: Vec<&mut Search<Seega>> = self.players.iter_mut().map(SearchPlayer::first_search).collect();
        Ok(put_together(&mut searches, start.elapsed()))
    }
}

/// What each thread searches.
struct Task<'a> {
    rule: SearchRule,
    rules: &'a Rules,
    position: &'a Position,
    /// Of each thread.
    effort: Effort,
    /// When the search began, whenever a thread comes to it.
    start: Instant,
}

impl Task<'_> {
    fn search(&self, player: &mut SearchPlayer, goes_on: GoesOn<'_>) -> Result<(), PlayerError> {
        player.by(self.rule);
        let turn = [(*self.rules, *self.position)];
        match self.effort {
            Effort::Simulations(simulations) => player.search(&turn, simulations, goes_on),
            Effort::Endless => player.search(&turn, ENDLESS, goes_on),
            Effort::Time(time) => {
                let left = time.saturating_sub(self.start.elapsed());
                player.search_for(self.rules, self.position, left, goes_on)
            }
        }
    }
}

/// What several searches of one position found together: visits are added, values weighted by them.
fn put_together(searches: &mut [&mut Search<Seega>], time: Duration) -> Analysis {
    let (best, mover) = (searches[0].best_action(), searches[0].mover());
    let mut sums: Vec<AnalysedAction> = Vec::new();
    let mut found: Vec<RootAction<Action>> = Vec::new();
    let count = searches.len() as f32;
    let mut chances = Chances { win: 0.0, draw: 0.0, loss: 0.0 };
    let mut simulations = 0;
    for search in searches.iter_mut() {
        simulations += search.simulations();
        let of_search = search.chances();
        chances.win += of_search.win / count;
        chances.draw += of_search.draw / count;
        chances.loss += of_search.loss / count;
        search.root_actions(&mut found);
        for (index, action) in found.iter().enumerate() {
            match sums.get_mut(index) {
                None => sums.push(AnalysedAction {
                    action: action.action,
                    prior: action.prior / count,
                    policy: action.policy / count,
                    visits: action.visits,
                    chances: action.chances,
                    proof: action.proof,
                    line: search.line(index),
                }),
                Some(sum) => {
                    sum.prior += action.prior / count;
                    sum.policy += action.policy / count;
                    sum.chances = match (sum.chances, action.chances) {
                        (Some(a), Some(b)) => Some(mixed(a, sum.visits, b, action.visits)),
                        (a, b) => a.or(b),
                    };
                    if action.visits > sum.visits {
                        sum.line = search.line(index);
                    }
                    sum.visits += action.visits;
                    sum.proof = sum.proof.or(action.proof);
                }
            }
        }
    }
    // What one has proven needs no mean.
    if let Some(proven) = searches.iter().find(|search| search.proof().is_some()) {
        chances = proven.chances();
    }
    let is_alone = searches.len() == 1;
    // What one search would play comes first; what several hold for best together goes by visits, then by policy.
    sums.sort_by(|a, b| {
        let first = |action: &AnalysedAction| is_alone && action.action == best;
        let wins = |action: &AnalysedAction| action.proof.is_some_and(|proof| proof.end.winner() == Some(mover));
        let key = |action: &AnalysedAction| (first(action), wins(action), action.visits);
        key(b).cmp(&key(a)).then(b.policy.total_cmp(&a.policy))
    });
    Analysis { simulations, time, chances, actions: sums }
}

/// The mean of two, weighted by visits.
fn mixed(a: Chances, visits_a: u32, b: Chances, visits_b: u32) -> Chances {
    let all = (visits_a + visits_b).max(1) as f32;
    let mean = |a: f32, b: f32| (a * visits_a as f32 + b * visits_b as f32) / all;
    Chances { win: mean(a.win, b.win), draw: mean(a.draw, b.draw), loss: mean(a.loss, b.loss) }
}
