//! What is told of a position, and of a game as a whole. Chances and values are those of the position's mover.

use seega_exact::{Exact, Value as ExactValue};
use seega_players::analysis::{AnalysedAction, Analysis};
use seega_rules::{Action, Outcome, Position, Side};
use seega_search::{Chances, Proof};
use serde_json::{Map, Value, json};

use super::query::Played;

/// What is found of a position.
pub(super) struct Found {
    pub(super) position: Position,
    /// `None` where the game is over.
    pub(super) analysis: Option<Analysis>,
    /// `None` where no table knows it.
    pub(super) exact: Option<Exact>,
    pub(super) exact_actions: Vec<(Action, Exact)>,
}

/// Chances to four places.
fn rounded(chance: f32) -> f64 {
    (f64::from(chance) * 1e4).round() / 1e4
}

fn side(side: Side) -> String {
    side.letter().to_string()
}

fn exact(exact: Exact) -> Value {
    let value = match exact.value {
        ExactValue::Win => "win",
        ExactValue::Draw => "draw",
        ExactValue::Loss => "loss",
    };
    json!({ "value": value, "distance": exact.distance })
}

/// The score, from 0 to 1, that chances come to.
fn score(chances: Chances) -> f64 {
    f64::from(chances.win) + 0.5 * f64::from(chances.draw)
}

/// A score by exact value, from 0 to 1.
fn exact_score(exact: Exact) -> f64 {
    match exact.value {
        ExactValue::Win => 1.0,
        ExactValue::Draw => 0.5,
        ExactValue::Loss => 0.0,
    }
}

/// The score of a side in a game that is over.
fn outcome_score(outcome: Outcome, side: Side) -> f64 {
    match outcome.winner {
        None => 0.5,
        Some(winner) if winner == side => 1.0,
        Some(_) => 0.0,
    }
}

impl Found {
    /// What is told of it, with so many actions.
    pub(super) fn told(&self, id: &Value, ply: Option<usize>, lines: usize) -> Value {
        let mut object = Map::new();
        let mut put = |key: &str, value: Value| {
            object.insert(key.to_owned(), value);
        };
        put("id", id.clone());
        if let Some(ply) = ply {
            put("ply", ply.into());
        }
        put("position", self.position.to_string().into());
        put("mover", side(self.position.mover()).into());
        if let Some(found) = self.exact {
            put("exact", exact(found));
        }
        match (&self.analysis, self.position.outcome()) {
            (Some(analysis), _) => {
                let Chances { win, draw, loss } = analysis.chances;
                put("simulations", analysis.simulations.into());
                put("win", rounded(win).into());
                put("draw", rounded(draw).into());
                put("loss", rounded(loss).into());
                let policy = analysis.actions.iter();
                let policy: Map<String, Value> =
                    policy.map(|action| (action.action.to_string(), rounded(action.policy).into())).collect();
                put("policy", policy.into());
                let actions = self.ordered().into_iter().take(lines).map(|action| self.told_action(action));
                put("actions", actions.collect());
            }
            (None, outcome) => {
                let winner = outcome.and_then(|outcome| outcome.winner).map_or("draw".to_owned(), side);
                put("result", winner.into());
            }
        }
        object.into()
    }

    fn told_action(&self, action: &AnalysedAction) -> Value {
        let line: Vec<String> = action.line.iter().map(Action::to_string).collect();
        let mut told = json!({
            "action": action.action.to_string(),
            "visits": action.visits,
            "prior": rounded(action.prior),
            "policy": rounded(action.policy),
            "line": line,
        });
        if let Some(Chances { win, draw, loss }) = action.chances {
            told["win"] = rounded(win).into();
            told["draw"] = rounded(draw).into();
            told["loss"] = rounded(loss).into();
        }
        if let Some(Proof { end, plies }) = action.proof {
            let mover = self.position.mover();
            let value = end.winner().map_or("draw", |winner| if winner == mover { "win" } else { "loss" });
            told["proven"] = json!({ "value": value, "plies": plies });
        }
        if let Some(found) = self.exact_of(action.action) {
            told["exact"] = exact(found);
        }
        told
    }

    fn exact_of(&self, action: Action) -> Option<Exact> {
        self.exact_actions.iter().find(|(known, _)| *known == action).map(|&(_, found)| found)
    }

    /// The actions, the best first: by exact values where there are some, of equal ones as the search holds them.
    fn ordered(&self) -> Vec<&AnalysedAction> {
        let mut actions: Vec<&AnalysedAction> = self.analysis.iter().flat_map(|analysis| &analysis.actions).collect();
        actions.sort_by_key(|found| std::cmp::Reverse(self.exact_of(found.action).map(|exact| exact.rank())));
        actions
    }

    /// The action to play.
    fn best(&self) -> Option<Action> {
        self.ordered().first().map(|best| best.action)
    }

    /// The score that its mover can expect.
    fn expected(&self) -> Option<f64> {
        match (self.exact, &self.analysis, self.position.outcome()) {
            (Some(exact), ..) => Some(exact_score(exact)),
            (None, Some(analysis), _) => analysis.actions.first().and_then(|best| best.chances).map(score),
            (None, None, Some(outcome)) => Some(outcome_score(outcome, self.position.mover())),
            (None, None, None) => None,
        }
    }
}

/// What is told of a game: for each ply what it lost of the score that its mover could expect, the worst first. A ply is judged by
/// what is found of the position that it leads to; that of the last may be found, too.
pub(super) fn game(id: &Value, plies: &[Played], found: &[Found]) -> Value {
    /// A loss that is told, of a score from 0 to 1.
    const LEAST: f64 = 0.05;
    let mut mistakes: Vec<(f64, Value)> = Vec::new();
    for (index, (ply, here)) in plies.iter().zip(found).enumerate() {
        let mover = ply.position.mover();
        let after = match (here.exact_of(ply.action), found.get(index + 1), ply.after.outcome()) {
            (Some(exact), ..) => Some(exact_score(exact)),
            (None, Some(next), _) => next.expected().map(|score| match next.position.mover() == mover {
                true => score,
                false => 1.0 - score,
            }),
            (None, None, Some(outcome)) => Some(outcome_score(outcome, mover)),
            (None, None, None) => None,
        };
        let (Some(before), Some(after)) = (here.expected(), after) else { continue };
        let lost = before - after;
        let best = here.best();
        // Where the best was played, only the view of it changed.
        if lost < LEAST || best == Some(ply.action) {
            continue;
        }
        let told = json!({
            "ply": index + 1,
            "mover": side(mover),
            "played": ply.action.to_string(),
            "best": best.map(|best| best.to_string()),
            "lost": (1e4 * lost).round() / 1e4,
            "exact": here.exact_of(ply.action).is_some(),
        });
        mistakes.push((lost, told));
    }
    mistakes.sort_by(|(a, _), (b, _)| b.total_cmp(a));
    let mistakes: Vec<Value> = mistakes.into_iter().map(|(_, told)| told).collect();
    json!({ "id": id, "plies": plies.len(), "mistakes": mistakes })
}
