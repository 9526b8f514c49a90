//! A search of one position, in steps: it hands out a leaf, takes the evaluation back, and goes on.
//!
//! One thread so drives many searches at once and evaluates their leaves as one batch:
//!
//! ```
//! use rand::{SeedableRng, rngs::SmallRng};
//! use seega_rules::{Position, preset};
//! use seega_search::{Evaluations, Evaluator, Search, Seega, SearchSettings, Uniform};
//!
//! let rules = preset::parse("sija")?;
//! // White takes b2 and c4 with d4-c3; that is seen with a few simulations.
//! let position = Position::from_text("bwwbw/bwbwb/bw1bb/wbwww/wwbbb w m - 0", &rules)?;
//! let mut random = SmallRng::seed_from_u64(1);
//! let mut search = Search::<Seega>::new(SearchSettings::default());
//! let mut evaluations = Evaluations::default();
//! search.begin(rules, position, 32, None::<&mut SmallRng>);
//! while let Some(leaf) = search.gather() {
//!     Uniform.evaluate(&[leaf], &mut evaluations)?;
//!     search.apply(evaluations.get(0));
//! }
//! assert_eq!(search.simulations(), 32);
//! println!("{} is worth {:?}", search.best_action(), search.value());
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

use rand::Rng;
use rand_distr::{Distribution, Gamma, Gumbel};
use seega_rules::Side;

use crate::evaluator::{Evaluation, Leaf};
use crate::game::Game;
use crate::gumbel::{self, GumbelSettings};
use crate::puct::{self, PuctSettings};
use crate::tree::{EdgeView, NodeId, Proof, Tree};
use crate::value::{Chances, MoverView, Outlook, WhiteView};

/// How to search.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SearchSettings {
    /// The rule by which actions are searched.
    pub rule: SearchRule,
    /// The weight, from 0 to 1, of the lead in material in every value.
    pub margin_weight: f32,
    /// The nodes that a tree may have; then the search ends. Bounds its memory.
    pub max_nodes: usize,
}

impl Default for SearchSettings {
    fn default() -> SearchSettings {
        SearchSettings { rule: SearchRule::Gumbel(GumbelSettings::default()), margin_weight: 0.0, max_nodes: 1 << 20 }
    }
}

/// The rule by which actions are searched.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum SearchRule {
    /// Sequential halving at the root, improved policies.
    Gumbel(GumbelSettings),
    /// Upper confidence bounds, visit counts.
    Puct(PuctSettings),
}

/// What a search found of an action of its root.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RootAction<A> {
    /// The action.
    pub action: A,
    /// The evaluator's probability.
    pub prior: f32,
    /// The probability that the search improved it to: the target of learning.
    pub policy: f32,
    /// Simulations that went through it.
    pub visits: u32,
    /// Its value for the root's mover; `None` without a visit.
    pub value: Option<MoverView>,
    /// How the game is expected to end, as the root's mover sees it; `None` without a visit.
    pub chances: Option<Chances>,
    /// Its proven end.
    pub proof: Option<Proof>,
}

/// A search. It is begun again for each position and keeps its memory.
#[derive(Debug)]
pub struct Search<G: Game> {
    settings: SearchSettings,
    tree: Tree<G::Action>,
    /// What is searched; `None` before the first [`begin`](Self::begin).
    task: Option<Task<G>>,
    /// The way to the leaf that is handed out, and its position and actions.
    path: Vec<(NodeId, usize)>,
    leaf: Option<G::Position>,
    actions: Vec<G::Action>,
    /// Noise for each root action: Gumbel's, or a Dirichlet sample. Empty without noise or before the root is known.
    noise: Vec<f32>,
    considered: Vec<u32>,
    /// Working memory of selection.
    edges: Vec<EdgeView>,
    scores: Vec<f32>,
}

#[derive(Debug)]
struct Task<G: Game> {
    rules: G::Rules,
    root: G::Position,
    budget: u32,
    simulations: u32,
}

impl<G: Game> Search<G> {
    /// A search with these settings.
    pub fn new(settings: SearchSettings) -> Search<G> {
        Search {
            settings,
            tree: Tree::new(),
            task: None,
            path: Vec::new(),
            leaf: None,
            actions: Vec::new(),
            noise: Vec::new(),
            considered: Vec::new(),
            edges: Vec::new(),
            scores: Vec::new(),
        }
    }

    /// Begins to search a position whose game goes on, with that many simulations. With `random` the root's choice is
    /// noisy, as self-play wants it; without, the search is the same every time.
    ///
    /// # Panics
    /// If the game is over.
    pub fn begin(&mut self, rules: G::Rules, root: G::Position, simulations: u32, random: Option<&mut impl Rng>) {
        self.tree.clear();
        self.path.clear();
        self.actions.clear();
        G::legal_actions(&rules, &root, &mut self.actions);
        assert!(!self.actions.is_empty(), "a search begins where the game goes on");
        let count = self.actions.len();
        self.noise.clear();
        match self.settings.rule {
            SearchRule::Gumbel(settings) => {
                self.considered = gumbel::considered_visits(settings.considered.min(count), simulations);
                match random {
                    Some(random) => self.noise.extend(gumbel_noise(count, random)),
                    None => self.noise.resize(count, 0.0),
                }
            }
            SearchRule::Puct(settings) => {
                if let Some(random) = random {
                    self.noise.extend(dirichlet_noise(count, settings.noise_total, random));
                }
            }
        }
        self.leaf = Some(root.clone());
        self.task = Some(Task { rules, root, budget: simulations, simulations: 0 });
    }

    /// The next leaf to be evaluated; `None` when the search is done. A leaf handed out stays the next one until its
    /// evaluation is [applied](Self::apply).
    pub fn gather(&mut self) -> Option<Leaf<'_, G>> {
        while self.leaf.is_none() && !self.is_done() {
            self.simulate();
        }
        self.pending()
    }

    /// The leaf that was handed out and waits for its evaluation.
    pub fn pending(&self) -> Option<Leaf<'_, G>> {
        let rules = &self.task.as_ref()?.rules;
        let position = self.leaf.as_ref()?;
        Some(Leaf { rules, position, actions: &self.actions })
    }

    /// Whether the leaf that waits is the root, whose own evaluation is no simulation.
    pub fn waits_for_its_root(&self) -> bool {
        self.leaf.is_some() && self.tree.node_count() == 0
    }

    /// Takes the evaluation of the leaf that was handed out.
    ///
    /// # Panics
    /// If no leaf is handed out, or the evaluation has not a logit for each of its actions.
    pub fn apply(&mut self, evaluation: Evaluation<'_>) {
        let position = self.leaf.take().expect("a leaf was handed out");
        assert_eq!(evaluation.logits.len(), self.actions.len(), "one logit for each action");
        let mover = G::mover(&position);
        let weight = self.settings.margin_weight;
        let result = evaluation.chances.value();
        let value = MoverView((1.0 - weight) * result.0 + weight * evaluation.margin.0).of(mover);
        let node = self.tree.add(mover, &self.actions, evaluation, value);
        self.end_simulation(node, value, evaluation.chances.outlook(mover));
    }

    /// Links a new node to the end of the path and backs its value up. The root's own evaluation is no simulation.
    fn end_simulation(&mut self, node: NodeId, value: WhiteView, outlook: Outlook) {
        if let Some(&(parent, edge)) = self.path.last() {
            self.tree.link(parent, edge, node);
            self.count_simulation();
        }
        self.tree.back_up(&self.path, node, value, outlook);
    }

    fn count_simulation(&mut self) {
        if let Some(task) = &mut self.task {
            task.simulations += 1;
        }
    }

    /// Whether nothing is left to search: the budget is spent, the result is proven, there is no choice, or the tree
    /// is full.
    pub fn is_done(&self) -> bool {
        let Some(task) = &self.task else { return true };
        if self.tree.node_count() == 0 {
            return false;
        }
        task.simulations >= task.budget
            || self.tree.proof(NodeId::ROOT).is_some()
            || self.tree.edge_count(NodeId::ROOT) == 1
            || self.tree.node_count() >= self.settings.max_nodes
    }

    /// Walks from the root to a new leaf, or to an end or proven node, whose value is backed up at once.
    fn simulate(&mut self) {
        let Some(task) = &self.task else { return };
        let mut position = task.root.clone();
        let rules = &task.rules;
        let simulation = task.simulations;
        self.path.clear();
        let mut node = NodeId::ROOT;
        loop {
            let edge = select(
                &self.tree,
                node,
                simulation,
                &self.settings,
                &self.noise,
                &self.considered,
                &mut self.edges,
                &mut self.scores,
            );
            self.path.push((node, edge));
            G::apply(rules, &mut position, self.tree.action(node, edge));
            match self.tree.child(node, edge) {
                Some(child) if self.tree.proof(child).is_some() => {
                    let (value, outlook) = (self.tree.value(child), self.tree.outlook(child));
                    self.count_simulation();
                    return self.tree.back_up(&self.path, child, value, outlook);
                }
                Some(child) => node = child,
                None => break,
            }
        }
        match G::end(rules, &position) {
            Some(end) => {
                let weight = self.settings.margin_weight;
                let own = WhiteView((1.0 - weight) * end.value().0 + weight * G::margin(rules, &position).0);
                let node = self.tree.add_end(G::mover(&position), end, own);
                self.end_simulation(node, own, end.outlook());
            }
            None => {
                self.actions.clear();
                G::legal_actions(rules, &position, &mut self.actions);
                self.leaf = Some(position);
            }
        }
    }

    /// Simulations done.
    pub fn simulations(&self) -> u32 {
        self.task.as_ref().map_or(0, |task| task.simulations)
    }

    /// The root's value: proven, or the mean of all simulations and the root's own evaluation.
    pub fn value(&self) -> WhiteView {
        self.tree.value(NodeId::ROOT)
    }

    /// The result that is expected, whatever weight the lead in material has in the search's values: proven, or the
    /// mean of all simulations and the root's own evaluation.
    pub fn expected_result(&self) -> WhiteView {
        self.tree.outlook(NodeId::ROOT).result
    }

    /// How the game is expected to end, as the root's mover sees it: proven, or the mean of all simulations and the
    /// root's own evaluation.
    pub fn chances(&self) -> Chances {
        self.tree.outlook(NodeId::ROOT).seen_by(self.mover())
    }

    /// The best line that begins with a root action, that action first: where the end is proven what leads to it, else
    /// what was searched most. The action by its index among the legal ones.
    pub fn line(&self, root_action: usize) -> Vec<G::Action> {
        let mut line = vec![self.tree.action(NodeId::ROOT, root_action)];
        if let Some(child) = self.tree.child(NodeId::ROOT, root_action) {
            self.tree.best_line(child, |action| line.push(action));
        }
        line
    }

    /// What the evaluator said of the root.
    pub fn own_value(&self) -> WhiteView {
        self.tree.own_value(NodeId::ROOT)
    }

    /// The root's proven end.
    pub fn proof(&self) -> Option<Proof> {
        self.tree.proof(NodeId::ROOT)
    }

    /// The side to move at the root.
    pub fn mover(&self) -> Side {
        self.tree.mover(NodeId::ROOT)
    }

    /// Fills `out` with what is found of each root action, in the order of the legal actions. The root must have been
    /// evaluated.
    pub fn root_actions(&mut self, out: &mut Vec<RootAction<G::Action>>) {
        self.view_root();
        let mover = self.mover();
        self.fill_policy(mover);
        out.clear();
        out.extend(self.edges.iter().zip(&self.scores).enumerate().map(|(index, (edge, &policy))| RootAction {
            action: self.tree.action(NodeId::ROOT, index),
            prior: edge.prior,
            policy,
            visits: edge.visits,
            value: edge.value,
            chances: self.tree.child(NodeId::ROOT, index).map(|child| self.tree.outlook(child).seen_by(mover)),
            proof: edge.proof,
        }));
    }

    /// The action to play: proven wins first, the shortest; then by the search's rule, proven losses last. The root
    /// must have been evaluated.
    pub fn best_action(&mut self) -> G::Action {
        self.view_root();
        let mover = self.mover();
        let index = match self.proven_choice(mover) {
            Some(index) => index,
            None => match self.settings.rule {
                SearchRule::Gumbel(settings) => {
                    let own = self.own_value().seen_by(mover);
                    gumbel::score_edges(&self.edges, mover, own, &settings, &mut self.scores);
                    gumbel::choose_at_root(&self.edges, &self.scores, &self.noise)
                }
                SearchRule::Puct(_) => puct::choose(&self.edges, mover),
            },
        };
        self.tree.action(NodeId::ROOT, index)
    }

    fn view_root(&mut self) {
        self.edges.clear();
        self.edges.extend(self.tree.edges(NodeId::ROOT));
    }

    /// Fills `scores` with the improved policy of the root.
    fn fill_policy(&mut self, mover: Side) {
        if let Some(index) = self.proven_choice(mover).filter(|&index| self.edges[index].proven_for(mover) == Some(1)) {
            self.scores.clear();
            self.scores.resize(self.edges.len(), 0.0);
            self.scores[index] = 1.0;
            return;
        }
        match self.settings.rule {
            SearchRule::Gumbel(settings) => {
                let own = self.own_value().seen_by(mover);
                gumbel::score_edges(&self.edges, mover, own, &settings, &mut self.scores);
                gumbel::softmax(&mut self.scores);
            }
            SearchRule::Puct(_) => {
                let all_lost = self.edges.iter().all(|edge| edge.proven_for(mover) == Some(-1));
                let counted = |edge: &EdgeView| match edge.proven_for(mover) {
                    Some(-1) if !all_lost => 0.0,
                    _ => edge.visits as f32,
                };
                let sum: f32 = self.edges.iter().map(counted).sum();
                self.scores.clear();
                self.scores.extend(self.edges.iter().map(|edge| match sum > 0.0 {
                    true => counted(edge) / sum,
                    false => edge.prior,
                }));
            }
        }
    }

    /// Where the root's result is proven, the edge that leads to it: the shortest win, the draw of the highest value,
    /// the longest loss; of equal ones the first.
    fn proven_choice(&self, mover: Side) -> Option<usize> {
        self.proof()?;
        let mut best = None;
        for (index, edge) in self.edges.iter().enumerate() {
            if let Some(rank) = edge.rank(mover)
                && best.is_none_or(|(_, best)| rank > best)
            {
                best = Some((index, rank));
            }
        }
        best.map(|(index, _)| index)
    }
}

/// The edge to follow from a node.
#[expect(clippy::too_many_arguments, reason = "they are disjoint parts of a search, some of them borrowed to write")]
fn select<A: Copy>(
    tree: &Tree<A>,
    node: NodeId,
    simulation: u32,
    settings: &SearchSettings,
    noise: &[f32],
    considered: &[u32],
    edges: &mut Vec<EdgeView>,
    scores: &mut Vec<f32>,
) -> usize {
    edges.clear();
    edges.extend(tree.edges(node));
    let mover = tree.mover(node);
    let at_root = node == NodeId::ROOT;
    match &settings.rule {
        SearchRule::Gumbel(settings) => {
            gumbel::score_edges(edges, mover, tree.own_value(node).seen_by(mover), settings, scores);
            if at_root {
                gumbel::select_at_root(edges, scores, noise, considered[simulation as usize])
            } else {
                gumbel::select_below_root(edges, scores)
            }
        }
        SearchRule::Puct(settings) => {
            let noise = if at_root { noise } else { &[] };
            puct::select(edges, mover, tree.value(node).seen_by(mover), noise, settings)
        }
    }
}

fn gumbel_noise(count: usize, random: &mut impl Rng) -> impl Iterator<Item = f32> {
    let standard = Gumbel::new(0.0f32, 1.0).expect("the scale is positive");
    (0..count).map(move |_| standard.sample(random))
}

/// A sample of the symmetric Dirichlet distribution whose parameters sum to `total`.
fn dirichlet_noise(count: usize, total: f32, random: &mut impl Rng) -> Vec<f32> {
    let gamma = Gamma::new(total / count as f32, 1.0).expect("the parameters are positive");
    let mut sample: Vec<f32> = (0..count).map(|_| gamma.sample(random)).collect();
    // Tiny parameters may give zeros alone; then the noise is even.
    let sum: f32 = sample.iter().sum();
    sample.iter_mut().for_each(|part| *part = if sum > 0.0 { *part / sum } else { 1.0 / count as f32 });
    sample
}
