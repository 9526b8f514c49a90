//! The tree search on toy games whose values are worked out by full enumeration: sides that move twice in a row and
//! ends at any depth among them.

use rand::rngs::SmallRng;
use rand::{RngExt, SeedableRng};
use seega_rules::Side;
use seega_search::{
    Chances, Evaluations, Evaluator, Game, GameEnd, GumbelSettings, Leaf, MoverView, PuctSettings, RootAction, Search,
    SearchRule, SearchSettings, Uniform, WhiteView,
};

/// A game that is written down as a whole: a list of nodes, the first one the start.
#[derive(Debug)]
struct Toy;

/// A node: its mover, and where each action leads; without actions, how the game ended.
#[derive(Clone, Debug)]
struct Node {
    mover: Side,
    end: Option<GameEnd>,
    /// White's lead in material.
    margin: f32,
    children: Vec<usize>,
}

#[derive(Clone, Copy, Debug)]
struct At {
    node: usize,
    mover: Side,
}

impl Game for Toy {
    type Rules = Vec<Node>;
    type Position = At;
    type Action = usize;

    fn mover(at: &At) -> Side {
        at.mover
    }

    fn end(nodes: &Vec<Node>, at: &At) -> Option<GameEnd> {
        nodes[at.node].end
    }

    fn legal_actions(nodes: &Vec<Node>, at: &At, actions: &mut Vec<usize>) {
        actions.extend(0..nodes[at.node].children.len());
    }

    fn apply(nodes: &Vec<Node>, at: &mut At, action: usize) {
        let node = nodes[at.node].children[action];
        *at = At { node, mover: nodes[node].mover };
    }

    fn margin(nodes: &Vec<Node>, at: &At) -> WhiteView {
        WhiteView(nodes[at.node].margin)
    }
}

fn choice(mover: Side, children: &[usize]) -> Node {
    Node { mover, end: None, margin: 0.0, children: children.to_vec() }
}

fn end(mover: Side, end: GameEnd) -> Node {
    Node { mover, end: Some(end), margin: 0.0, children: Vec::new() }
}

fn start(nodes: &[Node]) -> At {
    At { node: 0, mover: nodes[0].mover }
}

fn gumbel() -> SearchSettings {
    SearchSettings::default()
}

fn puct() -> SearchSettings {
    SearchSettings { rule: SearchRule::Puct(PuctSettings::default()), ..SearchSettings::default() }
}

/// Searches to the end of the budget.
fn run(
    settings: SearchSettings,
    nodes: &[Node],
    simulations: u32,
    evaluator: &mut impl Evaluator<Toy, Error = std::convert::Infallible>,
    noise: Option<u64>,
) -> Search<Toy> {
    let mut search = Search::new(settings);
    let mut evaluations = Evaluations::default();
    let mut random = noise.map(SmallRng::seed_from_u64);
    search.begin(nodes.to_vec(), start(nodes), simulations, random.as_mut());
    while let Some(leaf) = search.gather() {
        let Ok(()) = evaluator.evaluate(&[leaf], &mut evaluations);
        search.apply(evaluations.get(0));
    }
    search
}

fn root_actions(search: &mut Search<Toy>) -> Vec<RootAction<usize>> {
    let mut actions = Vec::new();
    search.root_actions(&mut actions);
    actions
}

/// A random game: sides move in any order, and every node has up to four actions.
fn random_game(random: &mut SmallRng, depth: u32) -> Vec<Node> {
    fn grow(random: &mut SmallRng, depth: u32, nodes: &mut Vec<Node>) -> usize {
        let mover = if random.random() { Side::White } else { Side::Black };
        let index = nodes.len();
        if depth == 0 || (index > 0 && random.random_range(0..6) == 0) {
            let ends = [GameEnd::BlackWins, GameEnd::Draw, GameEnd::WhiteWins];
            nodes.push(end(mover, ends[random.random_range(0..3)]));
        } else {
            nodes.push(choice(mover, &[]));
            for _ in 0..random.random_range(1..=4) {
                let child = grow(random, depth - 1, nodes);
                nodes[index].children.push(child);
            }
        }
        index
    }
    let mut nodes = Vec::new();
    grow(random, depth, &mut nodes);
    nodes
}

/// The value by full enumeration.
fn minimax(nodes: &[Node], index: usize) -> GameEnd {
    let node = &nodes[index];
    if let Some(end) = node.end {
        return end;
    }
    let values = node.children.iter().map(|&child| minimax(nodes, child));
    match node.mover {
        Side::White => values.max(),
        Side::Black => values.min(),
    }
    .unwrap()
}

/// What is proven is right. PUCT never leaves an action alone, so in the end it proves every game; Gumbel's rule stays
/// with what looks best and so proves most.
#[test]
fn enough_simulations_prove_the_values_of_games() {
    let mut random = SmallRng::seed_from_u64(7);
    const GAMES: u64 = 300;
    for (settings, share) in [(puct(), 1.0), (gumbel(), 0.8)] {
        let (mut proven, mut games) = (0, 0);
        for game in 0..GAMES {
            let nodes = random_game(&mut random, 5);
            if nodes[0].children.len() == 1 {
                // Without a choice nothing is searched.
                continue;
            }
            games += 1;
            let value = minimax(&nodes, 0);
            let mut search = run(settings, &nodes, 20_000, &mut Uniform, Some(game));
            if let Some(proof) = search.proof() {
                proven += 1;
                assert_eq!(proof.end, value, "game {game} {settings:?}");
                assert_eq!(search.value(), value.value(), "game {game}");
                let action = search.best_action();
                let played = nodes[0].children[action];
                assert_eq!(minimax(&nodes, played), value, "game {game} {settings:?}: the action gives it away");
                // The line leads to the proven end, in as many plies as the proof has.
                let line = search.line(action);
                let end = line.iter().fold(0, |node, &action| nodes[node].children[action]);
                assert_eq!((nodes[end].end, line.len()), (Some(value), usize::from(proof.plies)), "game {game}");
                let chances = search.chances();
                assert_eq!(
                    (chances.value().of(nodes[0].mover), chances.draw),
                    (value.value(), f32::from(u8::from(value == GameEnd::Draw)))
                );
            }
        }
        assert!(games > GAMES / 2);
        assert!(f64::from(proven) >= share * games as f64, "{proven} of {games} proven by {settings:?}");
    }
}

/// White moves twice in a row: a first move that only a second one of White's own makes good. A search that negates
/// by ply takes White's second choice for Black's and turns away.
#[test]
fn a_double_move_is_the_same_sides_twice() {
    use GameEnd::{BlackWins, Draw, WhiteWins};
    use Side::{Black, White};
    let nodes = [
        choice(White, &[1, 2]),
        // White again: one way loses, the other wins.
        choice(White, &[3, 4]),
        choice(Black, &[5, 6]),
        end(Black, BlackWins),
        end(Black, WhiteWins),
        end(White, Draw),
        end(White, BlackWins),
    ];
    for settings in [gumbel(), puct()] {
        let mut search = run(settings, &nodes, 50, &mut Uniform, None);
        assert_eq!(search.best_action(), 0, "{settings:?}");
        assert_eq!(search.proof().map(|proof| (proof.end, proof.plies)), Some((WhiteWins, 2)), "{settings:?}");
        assert_eq!(search.value(), WhiteView(1.0));
    }
}

/// With an evaluator that sees the mover slightly ahead everywhere, a value that is backed up by side is positive for
/// White exactly at White's own nodes.
#[test]
fn values_back_up_by_side() {
    use Side::{Black, White};
    struct MoverAhead;
    impl Evaluator<Toy> for MoverAhead {
        type Error = std::convert::Infallible;

        fn evaluate(&mut self, leaves: &[Leaf<'_, Toy>], out: &mut Evaluations) -> Result<(), Self::Error> {
            out.clear();
            for leaf in leaves {
                let chances = Chances { win: 0.6, draw: 0.2, loss: 0.2 };
                out.push(leaf.actions.iter().map(|_| 0.0), chances, MoverView(0.0));
            }
            Ok(())
        }
    }
    // Two actions; both lead to nodes with a choice. The first keeps White to move, the second gives Black the move.
    let nodes = [
        choice(White, &[1, 2]),
        choice(White, &[3, 3]),
        choice(Black, &[3, 3]),
        choice(White, &[4, 4]),
        end(White, GameEnd::Draw),
    ];
    let mut search = run(gumbel(), &nodes, 2, &mut MoverAhead, None);
    let actions = root_actions(&mut search);
    assert_eq!(actions.iter().map(|action| action.visits).collect::<Vec<_>>(), [1, 1]);
    assert!((actions[0].value.unwrap().0 - 0.4).abs() < 1e-6, "{actions:?}");
    assert!((actions[1].value.unwrap().0 + 0.4).abs() < 1e-6, "{actions:?}");
    // What the evaluator said, turned for the node whose mover is the other side.
    let chances = |index: usize| actions[index].chances.unwrap();
    let near = |a: Chances, b: [f32; 3]| {
        [a.win - b[0], a.draw - b[1], a.loss - b[2]].iter().all(|difference| difference.abs() < 1e-6)
    };
    assert!(near(chances(0), [0.6, 0.2, 0.2]) && near(chances(1), [0.2, 0.2, 0.6]), "{actions:?}");
    assert!(near(search.chances(), [1.4 / 3.0, 0.2, 1.0 / 3.0]), "{:?}", search.chances());
    // The root's own evaluation and the two simulations.
    assert!((search.value().0 - 0.4 / 3.0).abs() < 1e-6, "{:?}", search.value());
}

#[test]
fn of_two_proven_wins_the_shorter_is_played() {
    use Side::{Black, White};
    let nodes = [
        choice(White, &[1, 2, 6]),
        choice(Black, &[3]),
        choice(Black, &[4]),
        choice(White, &[5]),
        end(White, GameEnd::WhiteWins),
        end(Black, GameEnd::WhiteWins),
        end(Black, GameEnd::BlackWins),
    ];
    // A root whose children are all proven before a win stops the search: through PUCT's even visits.
    let mut search = run(puct(), &nodes, 1, &mut Uniform, None);
    assert_eq!(search.proof(), None);
    search = run(puct(), &nodes, 100, &mut Uniform, None);
    assert_eq!(search.proof().map(|proof| proof.plies), Some(2));
    assert_eq!(search.best_action(), 1);
}

#[test]
fn the_longest_loss_is_played() {
    use Side::{Black, White};
    let nodes =
        [choice(White, &[1, 2]), end(Black, GameEnd::BlackWins), choice(Black, &[3]), end(White, GameEnd::BlackWins)];
    for settings in [gumbel(), puct()] {
        let mut search = run(settings, &nodes, 50, &mut Uniform, None);
        assert_eq!((search.proof().unwrap().end, search.best_action()), (GameEnd::BlackWins, 1), "{settings:?}");
    }
}

#[test]
fn a_proven_loss_has_no_part_in_the_policy() {
    use Side::{Black, White};
    let nodes = [
        choice(White, &[1, 2, 3]),
        end(Black, GameEnd::BlackWins),
        choice(Black, &[4, 4]),
        choice(Black, &[4, 4]),
        choice(White, &[5, 5]),
        choice(Black, &[6, 6]),
        end(White, GameEnd::Draw),
    ];
    for settings in [gumbel(), puct()] {
        let mut search = run(settings, &nodes, 6, &mut Uniform, None);
        assert_eq!(search.proof(), None);
        let actions = root_actions(&mut search);
        assert_eq!(actions[0].policy, 0.0, "{actions:?}");
        let sum: f32 = actions.iter().map(|action| action.policy).sum();
        assert!((sum - 1.0).abs() < 1e-5, "{actions:?}");
    }
}

#[test]
fn two_roots_with_as_many_actions_get_different_noise() {
    let nodes = random_game(&mut SmallRng::seed_from_u64(3), 1);
    let wide = [
        choice(Side::White, &[1; 12]),
        choice(Side::Black, &[2, 2]),
        choice(Side::White, &[3, 3]),
        end(Side::White, GameEnd::Draw),
    ];
    assert!(!nodes.is_empty());
    for settings in [gumbel(), puct()] {
        let mut random = SmallRng::seed_from_u64(5);
        let mut visits = Vec::new();
        let mut search = Search::<Toy>::new(settings);
        let mut evaluations = Evaluations::default();
        for _ in 0..2 {
            search.begin(wide.to_vec(), start(&wide), 8, Some(&mut random));
            while let Some(leaf) = search.gather() {
                let Ok(()) = Uniform.evaluate(&[leaf], &mut evaluations);
                search.apply(evaluations.get(0));
            }
            visits.push(root_actions(&mut search).iter().map(|action| action.visits).collect::<Vec<_>>());
        }
        assert_ne!(visits[0], visits[1], "{settings:?}");
    }
}

/// Policy improvement, shown numerically as in mctx's demonstration: on a bandit whose evaluator is right about values
/// and has a random policy, the improved policy has a higher expected value than the prior, for nearly every one.
#[test]
fn the_search_improves_the_policy() {
    struct Bandit {
        logits: Vec<f32>,
        values: Vec<f32>,
    }
    impl Evaluator<Toy> for Bandit {
        type Error = std::convert::Infallible;

        fn evaluate(&mut self, leaves: &[Leaf<'_, Toy>], out: &mut Evaluations) -> Result<(), Self::Error> {
            out.clear();
            for leaf in leaves {
                if leaf.position.node == 0 {
                    let prior_value: f32 = expected(&softmax(&self.logits), &self.values);
                    let chances = chances_of(prior_value);
                    out.push(self.logits.iter().copied(), chances, MoverView(0.0));
                } else {
                    // An arm's node is Black's, who sees White's value turned round.
                    let chances = chances_of(-self.values[leaf.position.node - 1]);
                    out.push(leaf.actions.iter().map(|_| 0.0), chances, MoverView(0.0));
                }
            }
            Ok(())
        }
    }
    fn chances_of(value: f32) -> Chances {
        Chances { win: (1.0 + value) / 2.0, draw: 0.0, loss: (1.0 - value) / 2.0 }
    }
    fn softmax(logits: &[f32]) -> Vec<f32> {
        let sum: f32 = logits.iter().map(|logit| logit.exp()).sum();
        logits.iter().map(|logit| logit.exp() / sum).collect()
    }
    fn expected(policy: &[f32], values: &[f32]) -> f32 {
        policy.iter().zip(values).map(|(probability, value)| probability * value).sum()
    }

    const ARMS: usize = 10;
    let mut random = SmallRng::seed_from_u64(11);
    let mut nodes = vec![choice(Side::White, &(1..=ARMS).collect::<Vec<_>>())];
    // Each arm leads to a node from which nothing is decided within reach.
    for arm in 1..=ARMS {
        nodes.push(choice(Side::Black, &[arm, arm]));
    }
    let (mut improved, mut gain) = (0, 0.0);
    const BANDITS: u32 = 500;
    for bandit in 0..BANDITS {
        let mut evaluator = Bandit {
            logits: (0..ARMS).map(|_| random.random_range(-2.0..2.0)).collect(),
            values: (0..ARMS).map(|_| random.random_range(-0.9..0.9)).collect(),
        };
        let prior = expected(&softmax(&evaluator.logits), &evaluator.values);
        let settings = SearchSettings {
            rule: SearchRule::Gumbel(GumbelSettings { considered: 4, ..GumbelSettings::default() }),
            ..SearchSettings::default()
        };
        let mut search = run(settings, &nodes, 4, &mut evaluator, Some(u64::from(bandit)));
        let policy: Vec<f32> = root_actions(&mut search).iter().map(|action| action.policy).collect();
        let after = expected(&policy, &evaluator.values);
        improved += u32::from(after > prior);
        gain += after - prior;
    }
    // Four of ten arms seen: it can't be worse, and is better unless the four hold nothing above the mean.
    assert!(improved >= BANDITS * 95 / 100, "{improved} of {BANDITS} improved");
    assert!(gain / BANDITS as f32 > 0.3, "mean gain {}", gain / BANDITS as f32);
}

#[test]
fn a_full_tree_ends_the_search() {
    let nodes: Vec<Node> = vec![choice(Side::White, &[0, 0])];
    let settings = SearchSettings { max_nodes: 40, ..gumbel() };
    let search = run(settings, &nodes, 10_000, &mut Uniform, None);
    assert!(search.is_done());
    assert_eq!(search.simulations(), 39);
}

/// With a weight of the lead, draws differ, and a proven draw keeps the value of the end that both sides lead it to:
/// after action 0 Black has a draw behind, after action 1 only one ahead. What is learnt of either is a draw.
#[test]
fn the_lead_tells_draws_apart_and_is_no_result() {
    let draw = |margin| Node { mover: Side::White, end: Some(GameEnd::Draw), margin, children: Vec::new() };
    let black = |children: &[usize]| choice(Side::Black, children);
    let nodes = vec![choice(Side::White, &[1, 2]), black(&[3, 4]), black(&[5, 5]), draw(0.5), draw(-0.5), draw(0.25)];
    for settings in [gumbel(), puct()] {
        let settings = SearchSettings { margin_weight: 0.5, ..settings };
        let mut search = run(settings, &nodes, 100, &mut Uniform, None);
        assert_eq!(search.proof().map(|proof| (proof.end, proof.plies)), Some((GameEnd::Draw, 2)));
        assert_eq!(search.best_action(), 1);
        assert_eq!(search.value(), WhiteView(0.125));
        assert_eq!(search.expected_result(), WhiteView(0.0));
        let values: Vec<_> = root_actions(&mut search).iter().map(|action| action.value).collect();
        assert_eq!(values, [Some(MoverView(-0.25)), Some(MoverView(0.125))]);
    }
}
