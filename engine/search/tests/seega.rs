//! The tree search on positions of the real game: whole searches frozen as golden trees, and forced wins found.

use std::convert::Infallible;
use std::fs;
use std::path::PathBuf;

use rand::SeedableRng;
use rand::rngs::SmallRng;
use seega_rules::{Position, preset};
use seega_search::{
    Chances, Evaluations, Evaluator, GameEnd, Leaf, MoverView, PuctSettings, RootAction, Search, SearchRule,
    SearchSettings, Seega, Uniform,
};
use serde_json::{Value, json};

/// An evaluator with opinions: numbers that only depend on the position's hash, the same on every machine.
struct Hashed;

impl Evaluator<Seega> for Hashed {
    type Error = Infallible;

    fn evaluate(&mut self, leaves: &[Leaf<'_, Seega>], out: &mut Evaluations) -> Result<(), Infallible> {
        out.clear();
        for leaf in leaves {
            let hash = leaf.position.hash();
            // Sixteenths from -1 to 1: sums of them are exact.
            let opinion = |shift: u64| ((hash.rotate_right((7 * shift % 64) as u32) & 31) as f32 - 15.5) / 16.0;
            let value = opinion(0) * 0.9;
            let chances = Chances { win: (1.0 + value) / 2.0, draw: 0.0, loss: (1.0 - value) / 2.0 };
            let logits = (1..=leaf.actions.len() as u64).map(opinion);
            out.push(logits, chances, MoverView(opinion(3)));
        }
        Ok(())
    }
}

fn search(
    rules: &str,
    position: &str,
    settings: SearchSettings,
    simulations: u32,
    noise: Option<u64>,
    evaluator: &mut impl Evaluator<Seega, Error = Infallible>,
) -> Search<Seega> {
    let rules = preset::parse(rules).unwrap();
    let position = Position::from_text(position, &rules).unwrap();
    let mut random = noise.map(SmallRng::seed_from_u64);
    let mut evaluations = Evaluations::default();
    let mut search = Search::new(settings);
    search.begin(rules, position, simulations, random.as_mut());
    while let Some(leaf) = search.gather() {
        let Ok(()) = evaluator.evaluate(&[leaf], &mut evaluations);
        search.apply(evaluations.get(0));
    }
    search
}

fn puct() -> SearchSettings {
    SearchSettings { rule: SearchRule::Puct(PuctSettings::default()), ..SearchSettings::default() }
}

/// Placement, chains that may and must go on, a skipped side, few stones.
const POSITIONS: [(&str, &str); 5] = [
    ("sija", "5/1w3/1w3/5/5 b p2 - 0"),
    ("sija", "bwwbw/bw2b/bwwbb/w1www/wwbbb w m c3:1 0"),
    ("siga", "bbb1w/3bw/bw2w/w3w/5 w m - 17"),
    ("kawu", "1w1ww/1w2b/1b3/b3b/2b2 b m - 47"),
    ("szidzsa/5", "w4/2bbw/1ww1b/1w3/1ww1w w m - 0"),
];

/// What is kept of a search: visits and policy of each root action, the value and the choice.
fn told(search: &mut Search<Seega>) -> Value {
    let mut actions: Vec<RootAction<_>> = Vec::new();
    search.root_actions(&mut actions);
    let rounded = |number: f32| (f64::from(number) * 1e4).round() / 1e4;
    json!({
        "best": search.best_action().to_string(),
        "value": rounded(search.value().0),
        "simulations": search.simulations(),
        "actions": actions
            .iter()
            .map(|found| json!([found.action.to_string(), found.visits, rounded(found.policy)]))
            .collect::<Vec<_>>(),
    })
}

/// Whether two trees are the same but for the last digits of their numbers.
fn same(a: &Value, b: &Value) -> bool {
    match (a, b) {
        (Value::Array(a), Value::Array(b)) => a.len() == b.len() && a.iter().zip(b).all(|(a, b)| same(a, b)),
        (Value::Object(a), Value::Object(b)) => {
            a.len() == b.len() && a.iter().all(|(key, value)| b.get(key).is_some_and(|other| same(value, other)))
        }
        (Value::Number(a), Value::Number(b)) => match (a.as_f64(), b.as_f64()) {
            (Some(a), Some(b)) => (a - b).abs() < 1.5e-3,
            _ => a == b,
        },
        _ => a == b,
    }
}

/// Searches as they were when somebody last looked at them. `SEEGA_GOLDEN=write` writes them anew, to be looked at.
#[test]
fn searches_grow_the_golden_trees() {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/golden_trees.json");
    let mut trees = Vec::new();
    for (rules, position) in POSITIONS {
        for (name, settings) in [("gumbel", SearchSettings::default()), ("puct", puct())] {
            for noise in [None, Some(1)] {
                let settings = SearchSettings { margin_weight: 0.125, ..settings };
                let mut search = search(rules, position, settings, 48, noise, &mut Hashed);
                let noisy = noise.is_some();
                trees.push(json!({
                    "rules": rules, "position": position, "search": name, "noise": noisy, "found": told(&mut search),
                }));
            }
        }
    }
    if std::env::var("SEEGA_GOLDEN").is_ok_and(|wish| wish == "write") {
        let lines: Vec<String> = trees.iter().map(Value::to_string).collect();
        fs::write(&path, format!("[\n{}\n]\n", lines.join(",\n"))).unwrap();
    }
    let golden: Vec<Value> = serde_json::from_str(&fs::read_to_string(&path).unwrap()).unwrap();
    assert_eq!(golden.len(), trees.len());
    for (tree, golden) in trees.iter().zip(&golden) {
        assert!(same(tree, golden), "found {tree}\ngolden {golden}");
    }
}

/// Wins in two or three turns that alpha-beta proved, none of them by the next turn alone.
#[test]
fn forced_wins_are_found_without_a_network() {
    let wins = [
        ("sija", "w1w1b/2b2/b4/4w/w1www w m - 1"),
        ("siga", "bbb1w/3bw/bw2w/w3w/5 w m - 17"),
        ("siga", "w2b1/1bb1w/w4/1b2w/1ww2 w m - 16"),
        ("siga", "ww1b1/2b1b/5/1ww1b/2wwb w m - 16"),
        ("kawu", "1w1ww/1w2b/1b3/b3b/2b2 b m - 47"),
        ("kawu", "wwwwb/1w3/2wb1/2w1w/w4 w m - 11"),
        ("kawu", "w2ww/w4/ww1b1/4w/2w2 w m - 33"),
        ("szidzsa/5", "w1b1b/w1bb1/b4/b4/bb1b1 b m - 3"),
    ];
    for (rules, position) in wins {
        for settings in [SearchSettings::default(), puct()] {
            let mut search = search(rules, position, settings, 60_000, None, &mut Uniform);
            let white = position.contains(" w m ");
            let win = if white { GameEnd::WhiteWins } else { GameEnd::BlackWins };
            assert_eq!(search.proof().map(|proof| proof.end), Some(win), "{rules} {position} {settings:?}");
            let mut actions = Vec::new();
            search.root_actions(&mut actions);
            let best = search.best_action();
            let found = actions.iter().find(|found| found.action == best).unwrap();
            assert_eq!((found.policy, found.proof.map(|proof| proof.end)), (1.0, Some(win)), "{rules} {position}");
        }
    }
}
