//! The games of a match, counted: each pair of games once, forfeits, crashes and reasons apart.

use std::collections::{BTreeMap, HashSet};

use seega_rules::Side;
use seega_rules::record::GameResult;

use crate::game::{Forfeit, PlayedGame};
use crate::statistics::pairs::PairCounts;

/// What the games of a match came to, as its first player A sees it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    /// Games that count: those of the pairs that count, each pair once.
    pub games: u64,
    /// Won by A.
    pub wins: u64,
    /// Drawn.
    pub draws: u64,
    /// Lost by A.
    pub losses: u64,
    /// The pairs that count.
    pub pairs: PairCounts,
    /// Of the games that count, those that A and B forfeited by what is not legal.
    pub illegal: [u64; 2],
    /// Of the games that count, those that A and B forfeited by breaking down.
    pub crashes: [u64; 2],
    /// The games that count by the reason of their end, as records name it.
    pub reasons: BTreeMap<&'static str, u64>,
    /// Games of whole pairs, repeated ones included.
    played: u64,
    /// The different ones among them, by A's side and hash.
    seen: HashSet<(Side, u64)>,
}

/// Below this share of different games nothing is concluded: each repeated game passes for a new one.
const LEAST_DISTINCT: f64 = 0.95;

impl Tally {
    /// Counts the [pairs that count](counted_pairs) of a match.
    ///
    /// Two games are the same if their players had the same sides and their moves were the same. A pair both of whose
    /// games occurred before is passed over.
    pub fn of(games: &[PlayedGame]) -> Tally {
        let mut tally = Tally::default();
        for pair in counted_pairs(games) {
            tally.add(pair);
        }
        tally
    }

    /// Counts one more pair, unless both its games occurred before; tells whether it counts.
    pub fn add(&mut self, pair: &[PlayedGame; 2]) -> bool {
        self.played += 2;
        let fresh = pair.iter().filter(|game| self.seen.insert((game.a_side, game.hash))).count();
        if fresh > 0 {
            self.count(pair);
        }
        fresh > 0
    }

    /// The share of different games among those played, from 0 to 1; 1 if there are none.
    pub fn distinct(&self) -> f64 {
        if self.played == 0 { 1.0 } else { self.seen.len() as f64 / self.played as f64 }
    }

    /// Whether enough games differ (95 %) that something can be concluded from them.
    pub fn is_diverse(&self) -> bool {
        self.distinct() >= LEAST_DISTINCT
    }

    fn count(&mut self, pair: &[PlayedGame; 2]) {
        let results = pair.each_ref().map(ForA::of);
        for (game, result) in pair.iter().zip(results) {
            self.games += 1;
            *self.reasons.entry(game.reason.name()).or_default() += 1;
            let loser = match result {
                ForA::Win => 1,
                ForA::Draw | ForA::Loss => 0,
            };
            match game.forfeit {
                Some(Forfeit::Illegal) => self.illegal[loser] += 1,
                Some(Forfeit::Crash) => self.crashes[loser] += 1,
                None => {}
            }
            match result {
                ForA::Win => self.wins += 1,
                ForA::Draw => self.draws += 1,
                ForA::Loss => self.losses += 1,
            }
        }
        let counts = &mut self.pairs;
        *match results {
            [ForA::Loss, ForA::Loss] => &mut counts.loss_loss,
            [ForA::Loss, ForA::Draw] | [ForA::Draw, ForA::Loss] => &mut counts.loss_draw,
            [ForA::Draw, ForA::Draw] => &mut counts.draw_draw,
            [ForA::Win, ForA::Loss] | [ForA::Loss, ForA::Win] => &mut counts.win_loss,
            [ForA::Win, ForA::Draw] | [ForA::Draw, ForA::Win] => &mut counts.win_draw,
            [ForA::Win, ForA::Win] => &mut counts.win_win,
        } += 1;
    }
}

/// The pairs of a match that count, of games that stand as [`run_match`](crate::run_match) gives them: whole ones in their
/// order, up to the first that is not there. Where a match was stopped, those beyond it are the ones that ended early, and
/// would tell of short games alone.
pub fn counted_pairs(games: &[PlayedGame]) -> impl Iterator<Item = &[PlayedGame; 2]> {
    let pairs = games.chunk_by(|a, b| a.pair == b.pair).map_while(|pair| <&[PlayedGame; 2]>::try_from(pair).ok());
    (0..).zip(pairs).take_while(|(number, pair)| pair[0].pair == *number).map(|(_, pair)| pair)
}

/// A game's result for A.
#[derive(Clone, Copy)]
enum ForA {
    Win,
    Draw,
    Loss,
}

impl ForA {
    fn of(game: &PlayedGame) -> ForA {
        match (game.result, game.a_side) {
            (GameResult::Draw, _) => ForA::Draw,
            (GameResult::White, Side::White) | (GameResult::Black, Side::Black) => ForA::Win,
            (GameResult::White, Side::Black) | (GameResult::Black, Side::White) => ForA::Loss,
        }
    }
}

#[cfg(test)]
mod tests {
    use seega_rules::EndReason;
    use seega_rules::record::RecordReason;

    use super::*;

    fn game(pair: u32, a_side: Side, result: GameResult, hash: u64) -> PlayedGame {
        let reason = RecordReason::Rules(EndReason::Stones);
        PlayedGame { pair, a_side, result, reason, forfeit: None, plies: 30, hash }
    }

    #[test]
    fn results_are_a_s_and_pairs_know_them() {
        use GameResult::{Black, Draw, White};
        let mut games = vec![
            game(0, Side::White, White, 1),
            game(0, Side::Black, Black, 2),
            game(1, Side::White, Black, 3),
            game(1, Side::Black, Black, 4),
            game(2, Side::White, Draw, 5),
            game(2, Side::Black, White, 6),
            // Without its other game: from here on nothing counts.
            game(3, Side::White, White, 7),
            game(4, Side::White, White, 8),
            game(4, Side::Black, Black, 9),
        ];
        (games[5].reason, games[5].forfeit) = (RecordReason::Forfeit, Some(Forfeit::Illegal));
        (games[0].reason, games[0].forfeit) = (RecordReason::Forfeit, Some(Forfeit::Crash));
        let tally = Tally::of(&games);
        assert_eq!((tally.games, tally.wins, tally.draws, tally.losses), (6, 3, 1, 2));
        assert_eq!(tally.pairs, PairCounts { win_win: 1, win_loss: 1, loss_draw: 1, ..PairCounts::default() });
        assert_eq!((tally.illegal, tally.crashes), ([1, 0], [0, 1]));
        assert_eq!(tally.reasons, BTreeMap::from([("stones", 4), ("forfeit", 2)]));
        assert_eq!(tally.distinct(), 1.0);
        // Nor does anything where the first pair is missing.
        assert_eq!(Tally::of(&games[2..]), Tally::default());
    }

    #[test]
    fn a_repeated_pair_counts_once() {
        let pair = |pair, hashes: [u64; 2]| {
            [
                game(pair, Side::White, GameResult::White, hashes[0]),
                game(pair, Side::Black, GameResult::White, hashes[1]),
            ]
        };
        // The second pair is the first once more; in the third the players changed sides and played the same moves.
        let games = [pair(0, [1, 2]), pair(1, [1, 2]), pair(2, [2, 1])].concat();
        let tally = Tally::of(&games);
        assert_eq!((tally.games, tally.wins, tally.losses), (4, 2, 2));
        assert!((tally.distinct() - 4.0 / 6.0).abs() < 1e-12);
    }

    #[test]
    fn nothing_played_is_nothing_counted() {
        assert_eq!(Tally::of(&[]), Tally::default());
        assert_eq!(Tally::default().distinct(), 1.0);
    }
}
