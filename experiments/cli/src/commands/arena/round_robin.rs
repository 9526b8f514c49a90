//! `seega arena round-robin`: everybody against everybody, and their ratings.

use std::collections::BTreeMap;
use std::io::Write;

use anyhow::bail;
use seega_arena::statistics::ratings::{Crosstable, DrawModel, PRIOR_DEVIATION, RatingError, Ratings, Unbounded};
use seega_arena::{Estimate, PlayedGame, Tally, counted_pairs};
use seega_players::PlayerSpec;
use serde_json::{Value, json};

use super::session::{Contest, PlayOptions, Session, Stopped, finish};
use super::show::{self, elo_with_bounds, percent, percent_with_bounds};
use crate::options::parse_games;

/// Plays everybody against everybody and rates them.
///
/// Ratings are by Bradley, Terry and Davidson, with a term for the side that places first. A player's Elo is that at
/// which its expected score against the anchor lies, as often with White as with Black.
#[derive(Debug, clap::Args)]
#[command(after_help = super::PLAYERS)]
pub struct Arguments {
    /// The players, at least two.
    #[arg(required = true, num_args = 2..)]
    players: Vec<PlayerSpec>,

    /// The number of games of each two players, even.
    #[arg(long, default_value_t = 100, value_parser = parse_games)]
    games: u32,

    /// The player whose Elo is 0; without it, the first one.
    #[arg(long, value_name = "PLAYER")]
    anchor: Option<PlayerSpec>,

    /// How draws enter the ratings: davidson, rao-kupper or halves.
    #[arg(long, value_name = "MODEL", default_value_t)]
    draws: DrawModel,

    #[command(flatten)]
    play: PlayOptions,
}

/// The most players: each two of them meet.
const MOST_PLAYERS: usize = 100;

/// What was played at a table.
struct Meeting {
    a: usize,
    b: usize,
    tally: Tally,
}

/// Plays all matches and writes what came of them.
pub fn run(arguments: &Arguments, output: &mut impl Write) -> anyhow::Result<()> {
    let players = &arguments.players;
    let count = players.len();
    if count > MOST_PLAYERS {
        bail!("{count} players are too many; a round robin has {MOST_PLAYERS} at most");
    }
    if let Some(twice) = players.iter().enumerate().find(|(index, player)| players[..*index].contains(player)) {
        bail!("{} is there twice; a round robin wants each player once", twice.1);
    }
    let anchor = match &arguments.anchor {
        None => 0,
        Some(anchor) => match players.iter().position(|player| player == anchor) {
            Some(index) => index,
            None => bail!("the anchor {anchor} is none of the players"),
        },
    };
    let tables: Vec<(usize, usize)> = (0..count).flat_map(|a| (a + 1..count).map(move |b| (a, b))).collect();
    let contest = Contest { kind: "round-robin", players, tables: tables.clone(), games: arguments.games, test: None };
    let mut session = Session::begin(&arguments.play, contest)?;
    let games = session.play()?;
    let table = crosstable(count, &tables, &games);
    let meetings: Vec<Meeting> =
        tables.iter().zip(&games).map(|(&(a, b), games)| Meeting { a, b, tally: Tally::of(games) }).collect();
    let ratings = match meetings.iter().all(|meeting| meeting.tally.is_diverse()) {
        true => Ratings::fit(&table, arguments.draws).map_err(|error| unrated(players, error)),
        false => Err(show::REPEATED.to_owned()),
    };
    let standings = Standings { arguments, anchor, table, meetings, ratings };
    let names: Vec<String> = players.iter().map(ToString::to_string).collect();
    show::tell_crashes(&session, &names);
    let (over, asked) = (games.iter().map(Vec::len).sum(), tables.len() * arguments.games as usize);
    let stopped = Stopped::unless_over(over, asked);
    finish(&arguments.play, &standings.to_json(), stopped, output, |output| {
        standings.write_text(output)?;
        Ok(show::write_pace(&session, output)?)
    })
}

fn unrated(players: &[PlayerSpec], error: RatingError) -> String {
    match error {
        RatingError::Idle(player) => format!("{} has no finished pair of games yet", players[player]),
        RatingError::TooFew | RatingError::NoFit => error.to_string(),
    }
}

/// The games that count.
fn crosstable(players: usize, tables: &[(usize, usize)], games: &[Vec<PlayedGame>]) -> Crosstable {
    let mut table = Crosstable::new(players);
    for (&(a, b), games) in tables.iter().zip(games) {
        let mut tally = Tally::default();
        for pair in counted_pairs(games).filter(|pair| tally.add(pair)) {
            pair.iter().for_each(|game| table.add_game(a, b, game));
        }
    }
    table
}

struct Standings<'a> {
    arguments: &'a Arguments,
    anchor: usize,
    table: Crosstable,
    meetings: Vec<Meeting>,
    ratings: Result<Ratings, String>,
}

fn score([won, drawn, lost]: [u64; 3]) -> f64 {
    (won as f64 + 0.5 * drawn as f64) / ((won + drawn + lost) as f64).max(1.0)
}

impl Standings<'_> {
    /// The players, the strongest first.
    fn order(&self) -> Vec<usize> {
        let strength = |player: usize| match &self.ratings {
            Ok(ratings) => ratings.strength(player).value,
            Err(_) => score(self.table.of(player)),
        };
        let mut order: Vec<usize> = (0..self.table.players()).collect();
        order.sort_by(|&a, &b| strength(b).total_cmp(&strength(a)));
        order
    }

    /// The share of different games, of the meeting that has least.
    fn distinct(&self) -> f64 {
        self.meetings.iter().map(|meeting| meeting.tally.distinct()).fold(1.0, f64::min)
    }

    fn name(&self, player: usize) -> String {
        self.arguments.players[player].to_string()
    }

    fn to_json(&self) -> Value {
        let ratings = self.ratings.as_ref().ok();
        let players: Vec<Value> = self
            .order()
            .into_iter()
            .map(|player| {
                let [wins, draws, losses] = self.table.of(player);
                let elo = ratings.map(|ratings| ratings.elo(player, self.anchor));
                let expected = ratings.map(|ratings| ratings.expected_score(player, self.anchor).value);
                json!({
                    "player": self.name(player),
                    "games": wins + draws + losses,
                    "wins": wins,
                    "draws": draws,
                    "losses": losses,
                    "score": score([wins, draws, losses]),
                    "elo": elo.map(|elo| elo.value),
                    "elo_low": elo.map(|elo| elo.low),
                    "elo_high": elo.map(|elo| elo.high),
                    "expected_score": expected,
                })
            })
            .collect();
        let meetings: Vec<Value> = self
            .meetings
            .iter()
            .map(|Meeting { a, b, tally }| {
                let Estimate { value, low, high } = tally.pairs.score();
                json!({
                    "players": [self.name(*a), self.name(*b)],
                    "games": tally.games,
                    "wins": tally.wins,
                    "draws": tally.draws,
                    "losses": tally.losses,
                    "score": value,
                    "score_low": low,
                    "score_high": high,
                    "expected_score": ratings.map(|ratings| ratings.expected_score(*a, *b).value),
                    "pairs": tally.pairs.by_score(),
                    "illegal": tally.illegal,
                    "crashes": tally.crashes,
                    "reasons": tally.reasons,
                    "distinct": tally.distinct(),
                })
            })
            .collect();
        let first = ratings.map(Ratings::first_player_score);
        let games: u64 = self.meetings.iter().map(|meeting| meeting.tally.games).sum();
        let PlayOptions { rules, openings, seed, .. } = &self.arguments.play;
        json!({
            "rules": rules.name(),
            "openings": openings.to_string(),
            "seed": seed,
            "anchor": self.name(self.anchor),
            "draws": ratings.map(|ratings| ratings.model().to_string()),
            "prior": ratings.and_then(|ratings| ratings.prior).map(prior_in_words),
            "first_player_score": first.map(|score| json!([score.value, score.low, score.high])),
            "draw_chance": ratings.and_then(Ratings::draw_chance),
            "players": players,
            "games": games,
            "meetings": meetings,
            "distinct": self.distinct(),
            "refused": self.ratings.as_ref().err(),
        })
    }

    fn write_text(&self, output: &mut dyn Write) -> anyhow::Result<()> {
        let PlayOptions { rules, openings, seed, .. } = &self.arguments.play;
        let games: u64 = self.meetings.iter().map(|meeting| meeting.tally.games).sum();
        let order = self.order();
        let width = order.iter().map(|&player| self.name(player).chars().count()).max().unwrap_or(0).max(6);
        writeln!(output, "{}, {games} games, openings {openings}, seed {seed}", rules.name())?;
        writeln!(output)?;
        writeln!(output, "    {:width$}  games   score  Elo", "player")?;
        for (place, &player) in (1..).zip(&order) {
            let results = self.table.of(player);
            let elo = match &self.ratings {
                Ok(_) if player == self.anchor => "0 (the anchor)".to_owned(),
                Ok(ratings) => elo_with_bounds(ratings.elo(player, self.anchor)),
                Err(_) => "-".to_owned(),
            };
            let (name, games) = (self.name(player), results.iter().sum::<u64>());
            writeln!(output, "{place:>3} {name:width$}  {games:>5} {:>7}  {elo}", percent(score(results)))?;
        }
        writeln!(output)?;
        writeln!(output, "Score of the row's player against the column's; below it what the ratings expect")?;
        write!(output, "    {:width$}", "")?;
        (1..=order.len()).try_for_each(|place| write!(output, " {place:>7}"))?;
        writeln!(output)?;
        for (place, &player) in (1..).zip(&order) {
            let cells = |f: &dyn Fn(usize) -> String| -> String {
                order
                    .iter()
                    .map(|&other| format!(" {:>7}", if other == player { String::new() } else { f(other) }))
                    .collect()
            };
            let played = cells(&|other| match self.table.between(player, other) {
                [0, 0, 0] => "-".to_owned(),
                results => percent(score(results)),
            });
            writeln!(output, "{place:>3} {:width$}{}", self.name(player), played.trim_end())?;
            if let Ok(ratings) = &self.ratings {
                let expected = cells(&|other| percent(ratings.expected_score(player, other).value));
                writeln!(output, "    {:width$}{}", "", expected.trim_end())?;
            }
        }
        writeln!(output)?;
        self.write_notes(output)
    }

    fn write_notes(&self, output: &mut dyn Write) -> anyhow::Result<()> {
        let mut reasons = BTreeMap::new();
        for (reason, count) in self.meetings.iter().flat_map(|meeting| &meeting.tally.reasons) {
            *reasons.entry(*reason).or_insert(0) += count;
        }
        let reasons: Vec<String> = reasons.into_iter().map(|(reason, count)| format!("{count} {reason}")).collect();
        writeln!(output, "Endings   {}", reasons.join(", "))?;
        for Meeting { a, b, tally } in &self.meetings {
            for (what, counts) in [("illegal actions", tally.illegal), ("breaking down", tally.crashes)] {
                for (player, count) in [*a, *b].into_iter().zip(counts).filter(|(_, count)| *count > 0) {
                    writeln!(output, "Forfeits  {count} by {} for {what}; they count as lost", self.name(player))?;
                }
            }
        }
        let least = percent(self.distinct());
        writeln!(output, "Distinct  {least} of the games of two players, or more")?;
        match &self.ratings {
            Err(why) => writeln!(output, "Refused   no ratings: {why}")?,
            Ok(ratings) => {
                let score = percent_with_bounds(ratings.first_player_score());
                writeln!(output, "White     places first and is expected to score {score} between equals")?;
                let between = ratings.draw_chance().map(|chance| format!(", {} between equals", percent(chance)));
                writeln!(output, "Draws     by the model {}{}", ratings.model(), between.unwrap_or_default())?;
                if let Some(unbounded) = ratings.prior {
                    writeln!(output, "Prior     {}", prior_in_words(unbounded))?;
                }
            }
        }
        Ok(())
    }
}

fn prior_in_words(unbounded: Unbounded) -> String {
    let why = match unbounded {
        Unbounded::Strengths => "some players won, or lost, all games against all others",
        Unbounded::Terms => "the first player's advantage, or the share of draws, has no bound",
    };
    format!("{why}: the results alone don't bound the ratings, so a normal prior of {PRIOR_DEVIATION} Elo was added")
}
