//! The search tree: nodes and edges in two arenas, values backed up by side, and proven ends.
//!
//! A tree stays a tree: equal positions on different paths are different nodes. Values are kept as White sees them, so
//! that backing up needs no sign. The games are acyclic, so proven wins, draws and losses are all exact.

use seega_rules::Side;

use crate::evaluator::Evaluation;
use crate::value::{GameEnd, MoverView, Outlook, WhiteView};

/// The index of a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct NodeId(u32);

impl NodeId {
    pub(crate) const ROOT: NodeId = NodeId(0);
    const NONE: NodeId = NodeId(u32::MAX);
}

/// An end that is proven: play by the rules can't change it against the side that it serves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Proof {
    /// The end.
    pub end: GameEnd,
    /// Plies to it, if the winner hurries and the loser delays. Of a draw: to one of its ends.
    pub plies: u16,
}

#[derive(Clone, Debug)]
struct Node {
    first_edge: u32,
    edges: u16,
    mover: Side,
    visits: u32,
    /// The sum of the values of all visits.
    sum: f32,
    /// The sums of their results alone, and of the chances of a draw.
    result_sum: f32,
    draw_sum: f32,
    /// What the evaluator said; of a proven draw, the value of the end that it leads to.
    own: WhiteView,
    proof: Option<Proof>,
}

/// An action of a node, and where it leads.
#[derive(Clone, Debug)]
struct Edge<A> {
    action: A,
    child: NodeId,
    /// The prior probability, and its logarithm.
    prior: f32,
    log_prior: f32,
}

/// A tree. Every node but an end has all its edges from the moment it is made.
#[derive(Clone, Debug)]
pub(crate) struct Tree<A> {
    nodes: Vec<Node>,
    edges: Vec<Edge<A>>,
}

/// An edge as selection sees it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct EdgeView {
    /// The prior probability.
    pub(crate) prior: f32,
    /// The prior probability's logarithm.
    pub(crate) log_prior: f32,
    /// Visits of the child.
    pub(crate) visits: u32,
    /// The child's mean value, or its proven one; `None` without a visit.
    pub(crate) value: Option<MoverView>,
    /// The child's proof.
    pub(crate) proof: Option<Proof>,
}

impl EdgeView {
    /// Whether the edge is proven to end so for the mover of its node: 1 win, 0 draw, -1 loss.
    pub(crate) fn proven_for(&self, mover: Side) -> Option<i8> {
        self.proof.map(|proof| sign_for(proof.end, mover))
    }

    /// How good the proven end is for the mover of its node: wins by few plies, draws by their value, losses by many
    /// plies.
    pub(crate) fn rank(&self, mover: Side) -> Option<Rank> {
        let proof = self.proof?;
        let plies = i32::from(proof.plies);
        Some(match sign_for(proof.end, mover) {
            1 => (1, 0.0, -plies),
            0 => (0, self.value.map_or(0.0, |value| value.0), plies),
            sign => (sign, 0.0, plies),
        })
    }
}

/// Ranks of proven ends, the better the higher.
type Rank = (i8, f32, i32);

/// 1 if the end is that side's win, 0 for a draw, -1 for its loss.
pub(crate) fn sign_for(end: GameEnd, side: Side) -> i8 {
    match end.winner() {
        None => 0,
        Some(winner) if winner == side => 1,
        Some(_) => -1,
    }
}

impl<A: Copy> Tree<A> {
    pub(crate) fn new() -> Tree<A> {
        Tree { nodes: Vec::new(), edges: Vec::new() }
    }

    /// Forgets everything, keeping the memory.
    pub(crate) fn clear(&mut self) {
        self.nodes.clear();
        self.edges.clear();
    }

    pub(crate) fn node_count(&self) -> usize {
        self.nodes.len()
    }

    /// Adds an evaluated node. `actions` and the logits correspond.
    pub(crate) fn add(&mut self, mover: Side, actions: &[A], evaluation: Evaluation<'_>, own: WhiteView) -> NodeId {
        let first_edge = self.edges.len() as u32;
        let highest = evaluation.logits.iter().copied().fold(f32::NEG_INFINITY, f32::max);
        self.edges.extend(actions.iter().zip(evaluation.logits).map(|(&action, logit)| {
            let log_prior = logit - highest;
            Edge { action, child: NodeId::NONE, prior: log_prior.exp(), log_prior }
        }));
        let edges = &mut self.edges[first_edge as usize..];
        let sum: f32 = edges.iter().map(|edge| edge.prior).sum();
        let log_sum = sum.ln();
        for edge in edges {
            edge.prior /= sum;
            edge.log_prior -= log_sum;
        }
        self.push(Node {
            first_edge,
            edges: actions.len() as u16,
            mover,
            visits: 0,
            sum: 0.0,
            result_sum: 0.0,
            draw_sum: 0.0,
            own,
            proof: None,
        })
    }

    /// Adds a node at which the game is over. Its own value may lean to the material that decides nothing.
    pub(crate) fn add_end(&mut self, mover: Side, end: GameEnd, own: WhiteView) -> NodeId {
        let proof = Some(Proof { end, plies: 0 });
        let first_edge = self.edges.len() as u32;
        self.push(Node { first_edge, edges: 0, mover, visits: 0, sum: 0.0, result_sum: 0.0, draw_sum: 0.0, own, proof })
    }

    fn push(&mut self, node: Node) -> NodeId {
        self.nodes.push(node);
        NodeId(self.nodes.len() as u32 - 1)
    }

    pub(crate) fn link(&mut self, parent: NodeId, edge: usize, child: NodeId) {
        let index = self.edge_index(parent, edge);
        self.edges[index].child = child;
    }

    fn node(&self, id: NodeId) -> &Node {
        &self.nodes[id.0 as usize]
    }

    fn edge_index(&self, id: NodeId, edge: usize) -> usize {
        self.node(id).first_edge as usize + edge
    }

    pub(crate) fn edge_count(&self, id: NodeId) -> usize {
        usize::from(self.node(id).edges)
    }

    pub(crate) fn action(&self, id: NodeId, edge: usize) -> A {
        self.edges[self.edge_index(id, edge)].action
    }

    pub(crate) fn child(&self, id: NodeId, edge: usize) -> Option<NodeId> {
        let child = self.edges[self.edge_index(id, edge)].child;
        (child != NodeId::NONE).then_some(child)
    }

    pub(crate) fn mover(&self, id: NodeId) -> Side {
        self.node(id).mover
    }

    pub(crate) fn proof(&self, id: NodeId) -> Option<Proof> {
        self.node(id).proof
    }

    /// What the evaluator said of the node.
    pub(crate) fn own_value(&self, id: NodeId) -> WhiteView {
        self.node(id).own
    }

    /// The node's value: what is proven, else the mean of its visits, else the evaluator's.
    pub(crate) fn value(&self, id: NodeId) -> WhiteView {
        let node = self.node(id);
        match node.proof {
            // A draw's value may lean to the material at its end; a win is a win.
            Some(proof) if proof.end == GameEnd::Draw => node.own,
            Some(proof) => proof.end.value(),
            None if node.visits > 0 => WhiteView(node.sum / node.visits as f32),
            None => node.own,
        }
    }

    /// What is expected at a node with a visit, whatever the material: proven, or the mean of its visits.
    pub(crate) fn outlook(&self, id: NodeId) -> Outlook {
        let node = self.node(id);
        match node.proof {
            Some(proof) => proof.end.outlook(),
            None => {
                let visits = node.visits.max(1) as f32;
                Outlook { result: WhiteView(node.result_sum / visits), draw: node.draw_sum / visits }
            }
        }
    }

    /// The edges of the best line from a node: where it is proven what leads to that, else the most visited ones.
    pub(crate) fn best_line(&self, mut id: NodeId, mut each: impl FnMut(A)) {
        loop {
            let mover = self.mover(id);
            let key = |edge: &EdgeView| (edge.proven_for(mover) == Some(1), edge.visits);
            let proven = self.proof(id).is_some();
            let mut best: Option<(usize, EdgeView)> = None;
            for (index, edge) in self.edges(id).enumerate() {
                let better = best.is_none_or(|(_, best)| match proven {
                    true => edge.rank(mover) > best.rank(mover),
                    false => key(&edge) > key(&best),
                });
                if better {
                    best = Some((index, edge));
                }
            }
            let Some((index, child)) = best.and_then(|(index, _)| self.child(id, index).map(|child| (index, child)))
            else {
                return;
            };
            each(self.action(id, index));
            id = child;
        }
    }

    /// The node's edges, as its mover sees them.
    pub(crate) fn edges(&self, id: NodeId) -> impl Iterator<Item = EdgeView> {
        let node = self.node(id);
        let first = node.first_edge as usize;
        self.edges[first..first + usize::from(node.edges)].iter().map(move |edge| {
            let child = (edge.child != NodeId::NONE).then_some(edge.child);
            EdgeView {
                prior: edge.prior,
                log_prior: edge.log_prior,
                visits: child.map_or(0, |child| self.node(child).visits),
                value: child.map(|child| self.value(child).seen_by(node.mover)),
                proof: child.and_then(|child| self.node(child).proof),
            }
        })
    }

    /// Counts a visit with that value and outlook at each node of a path from the root, and proves what follows from a
    /// proof at its end.
    pub(crate) fn back_up(&mut self, path: &[(NodeId, usize)], leaf: NodeId, value: WhiteView, outlook: Outlook) {
        self.count_visit(leaf, value, outlook);
        let mut proven = self.node(leaf).proof.is_some();
        for &(id, _) in path.iter().rev() {
            self.count_visit(id, value, outlook);
            proven = proven && self.prove(id);
        }
    }

    fn count_visit(&mut self, id: NodeId, value: WhiteView, outlook: Outlook) {
        let node = &mut self.nodes[id.0 as usize];
        node.visits += 1;
        node.sum += value.0;
        node.result_sum += outlook.result.0;
        node.draw_sum += outlook.draw;
    }

    /// Proves a node from its children if they suffice: a win is enough; else all must be proven, and the best is
    /// taken. Gives whether the node is proven.
    fn prove(&mut self, id: NodeId) -> bool {
        let mover = self.mover(id);
        let mut best: Option<(Rank, Proof, MoverView)> = None;
        let mut all = true;
        for edge in self.edges(id) {
            match (edge.rank(mover), edge.proof, edge.value) {
                (Some(rank), Some(proof), Some(value)) => {
                    if best.is_none_or(|(best, ..)| rank > best) {
                        best = Some((rank, proof, value));
                    }
                }
                _ => all = false,
            }
        }
        let Some((_, best, value)) = best.filter(|(_, best, _)| all || sign_for(best.end, mover) == 1) else {
            return false;
        };
        let node = &mut self.nodes[id.0 as usize];
        node.proof = Some(Proof { end: best.end, plies: best.plies.saturating_add(1) });
        if best.end == GameEnd::Draw {
            node.own = value.of(mover);
        }
        true
    }
}
