//! What is seen while a match is played: a bar with the results so far; and the games on their way to the folder.

use std::ops::ControlFlow;
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressStyle};
use seega_arena::statistics::sprt::Sprt;
use seega_arena::{Archive, ArchiveError, Observer, PlayedGame, Tally};
use seega_players::PlayerError;
use seega_rules::record::{GameRecord, GameResult};

use super::session::Contest;
use super::show::percent;

/// How often a line is written where there is no terminal for the bar.
const TELL_EVERY: Duration = Duration::from_secs(60);

/// Looks on.
pub struct Live {
    bar: ProgressBar,
    begun: Instant,
    names: Vec<String>,
    tables: Vec<(usize, usize)>,
    /// For each player: games won, drawn and lost.
    results: Vec<[u32; 3]>,
    archive: Option<Archive>,
    failure: Option<ArchiveError>,
    /// The test of a sequential match.
    pub sprt: Option<Sprt>,
    test_told: String,
    /// When a line was written last, where there is no terminal for the bar.
    told: Instant,
    /// Plies made.
    pub plies: u64,
    /// The first words of each player that broke down.
    pub crashes: Vec<Option<String>>,
}

impl Live {
    pub fn new(contest: &Contest<'_>, archive: Option<Archive>, known: &[Vec<PlayedGame>]) -> Live {
        let bar = ProgressBar::new(u64::from(contest.games) * contest.tables.len() as u64);
        let template = "{bar:30} {pos}/{len} games over ({elapsed}, {eta} left)\n{msg}";
        bar.set_style(ProgressStyle::with_template(template).expect("the template is right"));
        let mut live = Live {
            bar,
            begun: Instant::now(),
            names: contest.players.iter().map(ToString::to_string).collect(),
            tables: contest.tables.clone(),
            results: vec![[0; 3]; contest.players.len()],
            archive,
            failure: None,
            sprt: None,
            test_told: String::new(),
            told: Instant::now(),
            plies: 0,
            crashes: vec![None; contest.players.len()],
        };
        for (table, games) in known.iter().enumerate() {
            games.iter().for_each(|game| live.count(table, game));
        }
        live.bar.reset_eta();
        live
    }

    fn count(&mut self, table: usize, game: &PlayedGame) {
        let (a, b) = self.tables[table];
        // Won by A, drawn, lost by A.
        let place = match game.result {
            GameResult::Draw => 1,
            _ if game.won_by_a() => 0,
            _ => 2,
        };
        self.results[a][place] += 1;
        self.results[b][2 - place] += 1;
        self.bar.inc(1);
    }

    /// The results so far: a line for two players, a line a player for more.
    fn table(&self) -> String {
        let line = |player: usize| {
            let [won, drawn, lost] = self.results[player];
            let games = won + drawn + lost;
            let score = if games == 0 { 0.5 } else { (f64::from(won) + 0.5 * f64::from(drawn)) / f64::from(games) };
            format!("{}: {won} won, {drawn} drawn, {lost} lost, {}", self.names[player], percent(score))
        };
        match self.names.len() {
            2 => line(0),
            players => (0..players).map(line).collect::<Vec<_>>().join("\n"),
        }
    }

    /// Closes the bar and writes the table of all games.
    ///
    /// # Errors
    /// A game could not be written, then or now.
    pub fn end(&mut self, games: &[Vec<PlayedGame>]) -> Result<(), ArchiveError> {
        self.bar.finish_and_clear();
        match self.failure.take() {
            Some(failure) => Err(failure),
            None => self.archive.as_ref().map_or(Ok(()), |archive| archive.write_table(games)),
        }
    }
}

impl Observer for Live {
    fn round(&mut self, running: usize, plies: u64) {
        self.plies = plies;
        let rate = plies as f64 / self.begun.elapsed().as_secs_f64().max(1e-3);
        let pace = format!("{running} running, {rate:.0} plies/s");
        self.bar.set_message(format!("{}{}\n{pace}", self.table(), self.test_told));
        if self.bar.is_hidden() && self.told.elapsed() >= TELL_EVERY {
            self.told = Instant::now();
            let (over, all) = (self.bar.position(), self.bar.length().unwrap_or_default());
            eprintln!("seega: {over} of {all} games over; {}", self.table().replace('\n', "; "));
        }
    }

    fn game_over(&mut self, table: usize, game: &PlayedGame, record: Option<GameRecord>) -> ControlFlow<()> {
        self.count(table, game);
        if let (Some(archive), Some(record)) = (&mut self.archive, record)
            && let Err(failure) = archive.add(table, game, record)
        {
            self.failure.get_or_insert(failure);
            return ControlFlow::Break(());
        }
        ControlFlow::Continue(())
    }

    fn pair_counted(&mut self, tally: &Tally) {
        if let Some(sprt) = &self.sprt {
            let (low, high) = sprt.bounds();
            let ratio = sprt.log_ratio(&tally.pairs);
            self.test_told = format!("\nlog-likelihood ratio {ratio:+.2}, ends at {low:+.2} or {high:+.2}");
        }
    }

    fn crashed(&mut self, seat: usize, error: &PlayerError) {
        self.crashes[seat].get_or_insert_with(|| error.to_string());
    }
}
