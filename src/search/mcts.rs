//! Monte-Carlo tree search: a tree that grows where the best play seems to be.
//!
//! A *visit* goes down from the root by PUCT to a position that has no value yet, values it, and
//! brings the value back to all nodes on its way (module `visit`). The tree is a best-first search
//! above short alpha-beta searches: these value the leaves, their best moves and their history are
//! the priors of the moves, and their table is shared by all leaves, which is where transpositions
//! pay.
//!
//! **Values** are chances: a score becomes the chance to win (and half the chance to draw) by the
//! game's [`CHANCES`](crate::game::Evaluate::CHANCES), and the average of a root move becomes a
//! score again by the inverse. A node keeps the average of its visits and the minimax of its
//! leaves; both count.
//!
//! **Proofs** are bounds on the score: of positions at the end, of the short searches, and of the
//! exact solver, to which positions near the end are given; and again as their visits grow. They
//! are backed up as bounds, and the search ends when those of the root tell the result. Where
//! several lines are wanted, the solver then proves all of them.
//!
//! **Memory** (module `tree`) is of fixed size, and a search that has used it up goes on: what was
//! not visited for a while makes room. The tree is kept from move to move.
//!
//! With one thread nothing is random and nothing depends on time but its limits: there is no seed
//! because there is nothing to seed.

mod params;
mod tree;
mod visit;

#[cfg(doc)]
#[doc = include_str!("mcts/lab-book.md")]
pub mod lab_book {}

use std::cell::Cell;
use std::cmp::Ordering;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering::Relaxed};
use std::thread;

use super::alphabeta::AlphaBeta;
use super::fold;
use super::limits::{Control, Limits};
use super::lines::{Counts, Lines, Question};
use super::node_counter::NodeTotal;
use super::report::Report;
use super::score::Score;
use super::time::Budget;
use super::worker::{self, Worker};
use super::{OutOfMemory, Searcher};
use crate::game::Playable;
use params::{LCB_PENALTY, LEAF_EFFORT};
use tree::{Bounds, Node, Owner, Pinned, Tree};
use visit::{Shared, Visitor};

/// Monte-Carlo tree search.
pub struct Mcts<G: Playable> {
    tree: Tree,
    /// The position of the tree's root, if there is a tree.
    position: Option<G>,
    /// Its table and its solver value the leaves.
    leaves: AlphaBeta<G>,
}

/// Of so many parts of the memory one is for the tables of the leaves, and the rest for the tree.
const LEAF_SHARE: usize = 3;

impl<G: Playable> Mcts<G> {
    /// A searcher with this many MiB for its tree and its tables, and this many threads.
    ///
    /// # Errors
    /// When the memory cannot be had.
    pub fn new(mebibytes: usize, threads: usize) -> Result<Self, OutOfMemory> {
        let for_leaves = mebibytes / LEAF_SHARE;
        let all = |_| OutOfMemory { mebibytes };
        let tree = Tree::new(mebibytes - for_leaves).map_err(all)?;
        let leaves = AlphaBeta::new(for_leaves, threads).map_err(all)?;
        Ok(Self { tree, position: None, leaves })
    }

    /// Makes this position the root: with what the last search learnt about it, if it was the root
    /// then, or comes one or two moves behind it.
    fn set_root(&mut self, position: &G) {
        let known = self.position.replace(*position);
        match known {
            Some(root) if root == *position => {}
            Some(root) => match self.find(&root, position) {
                Some(owner) => self.tree.reroot(owner),
                None => self.tree.clear(),
            },
            None => self.tree.clear(),
        }
    }

    /// The node of a position one or two moves behind the root.
    fn find(&self, root: &G, position: &G) -> Option<Owner> {
        let after = |from: &G, node: &Node| {
            let mut child = *from;
            child.make(node.mv().into());
            child
        };
        let mut found = None;
        each_node(&self.tree, &self.tree.root, &mut |child, owner| {
            let first = after(root, child);
            if first == *position {
                found = Some(owner);
            }
            each_node(&self.tree, child, &mut |grandchild, owner| {
                if after(&first, grandchild) == *position {
                    found = Some(owner);
                }
            });
        });
        found
    }
}

/// Calls a function for each child of a node.
fn each_node(tree: &Tree, node: &Node, f: &mut dyn FnMut(&Node, Owner)) {
    for block in tree.blocks(node) {
        for (place, child) in block.nodes().iter().enumerate() {
            f(child, block.owner(place));
        }
    }
}

impl<G: Playable> Searcher<G> for Mcts<G> {
    fn search(
        &mut self,
        position: &G,
        limits: &Limits<G::Move>,
        control: &Control,
        report: &mut dyn FnMut(&Report<G::Move>),
    ) {
        if limits.win_within.is_some() {
            // Whether there is such a proof is a question for alpha-beta.
            return self.leaves.search(position, limits, control, report);
        }
        let only = fold::considered(position, limits);
        let budget = Budget::new(limits, position.plies_left(), only.len());
        let only = if only.len() == position.count_moves() { Vec::new() } else { only };
        if !only.is_empty() {
            // The root lacks moves then, and is no good for other searches.
            self.position = None;
        }
        self.set_root(position);
        self.tree.new_search();
        let AlphaBeta { table, solver, histories } = &mut self.leaves;
        // Its threads are those of the tree.
        solver.set_threads(1);
        table.new_search();
        control.end_after(budget.map(|budget| budget.hard));
        let leaves = worker::Shared {
            table,
            control,
            halt: AtomicBool::new(false),
            nodes: NodeTotal::new(None, histories.len()),
            full_width: false,
        };
        let shared = Shared {
            tree: &self.tree,
            solver,
            leaves: &leaves,
            root: position,
            search_moves: &only,
            lines: limits.multi_pv.max(1),
            max_visits: limits.nodes,
            begun: AtomicU64::new(0),
            ended: AtomicU64::new(0),
            longest: AtomicU32::new(0),
        };
        let (first, others) = histories.split_at_mut(1);
        let Some(history) = first.first_mut() else { return };
        history.new_search::<G>();
        let mut visitor = Visitor::new(&shared, Worker::new(&leaves, history));
        visitor.prepare();
        let mut main_thread = MainThread { shared: &shared, limits, budget, depth: 0 };
        thread::scope(|scope| {
            for history in others {
                let shared = &shared;
                let help = move || {
                    history.new_search::<G>();
                    let mut visitor = Visitor::new(shared, Worker::new(shared.leaves, history));
                    while !shared.is_over() && visitor.visit().is_ok() {}
                };
                if let Err(error) = thread::Builder::new().spawn_scoped(scope, help) {
                    log::warn!("searching with fewer threads: {error}");
                    break;
                }
            }
            main_thread.run(&mut visitor, report);
            // The last visits of a number that was asked for are still made.
            if limits.nodes.is_none_or(|nodes| shared.begun.load(Relaxed) < nodes) {
                leaves.halt.store(true, Relaxed);
            }
        });
        main_thread.end(report);
        if !only.is_empty() {
            self.position = None;
        }
    }

    fn new_game(&mut self) {
        self.position = None;
        self.leaves.new_game();
    }

    fn set_hash(&mut self, mebibytes: usize) -> Result<(), OutOfMemory> {
        *self = Self::new(mebibytes, self.leaves.histories.len())?;
        Ok(())
    }

    fn set_threads(&mut self, threads: usize) {
        self.leaves.set_threads(threads);
    }
}

/// Reports come when the visits have grown by this factor.
const REPORT_GROWTH: f64 = 1.25;

/// The thread that ends the search and tells about it.
struct MainThread<'a, G: Playable> {
    shared: &'a Shared<'a, G>,
    limits: &'a Limits<G::Move>,
    budget: Option<Budget>,
    /// The longest principal variation so far.
    depth: u32,
}

/// A move of the root.
struct RootMove {
    mv: u16,
    visits: u32,
    /// For the side to move at the root.
    value: f32,
    draw: f32,
    bounds: Bounds,
}

impl RootMove {
    /// A child of this parent. Without a visit it is worth what the parent is, and nobody knows
    /// what that is without any.
    fn new(node: &Node, parent: &Node) -> Self {
        let value = match (node.visits(), parent.visits()) {
            (0, 0) => 0.5,
            (0, _) => 1.0 - visit::value(parent),
            _ => visit::value(node),
        };
        let bounds = node.bounds().flipped();
        // No move is worth more than the position.
        let upper = bounds.upper.min(parent.bounds().upper);
        Self {
            mv: node.mv(),
            visits: node.visits(),
            value,
            draw: node.draw(),
            bounds: Bounds { upper, ..bounds },
        }
    }

    /// The lower confidence bound of the value.
    fn lower_confidence_bound(&self) -> f32 {
        // What is at most a draw is worth less than a sure one.
        let most = if self.bounds.upper > Score::DRAW { 1.0 } else { 0.5 };
        let penalty = LCB_PENALTY / (self.visits.max(1) as f32).sqrt();
        self.bounds.result().unwrap_or(self.value.min(most) - penalty)
    }

    /// Which move is the better one to play: by proofs, then by the lower confidence bound.
    fn compare(&self, other: &Self) -> Ordering {
        let class = |root_move: &Self| match root_move.bounds.result() {
            Some(1.0) => (2, root_move.bounds.lower),
            Some(0.0) => (0, root_move.bounds.upper),
            _ => (1, Score::DRAW),
        };
        let tried = |root_move: &Self| root_move.visits > 0 || root_move.bounds.result().is_some();
        class(self)
            .cmp(&class(other))
            .then(tried(self).cmp(&tried(other)))
            .then(self.lower_confidence_bound().total_cmp(&other.lower_confidence_bound()))
    }
}

/// The children of a node, the best first.
fn root_moves(tree: &Tree, node: &Node) -> Vec<RootMove> {
    let mut root_moves = Vec::new();
    each_node(tree, node, &mut |child, _| root_moves.push(RootMove::new(child, node)));
    root_moves.sort_by(|a, b| b.compare(a));
    root_moves
}

impl<G: Playable> MainThread<'_, G> {
    fn run(&mut self, visitor: &mut Visitor<'_, G>, report: &mut dyn FnMut(&Report<G::Move>)) {
        let mut next = 1;
        while visitor.visit().is_ok() {
            let visits = self.shared.ended.load(Relaxed);
            let told = visits >= next;
            if told {
                next = (visits as f64 * REPORT_GROWTH) as u64 + 1;
                self.tell(report);
            }
            if self.shared.is_over() || self.is_enough(told) {
                break;
            }
        }
    }

    /// Whether the search has done what the limits ask for.
    fn is_enough(&self, told: bool) -> bool {
        let (shared, limits) = (self.shared, self.limits);
        if told && limits.depth.is_some_and(|depth| self.depth >= depth) {
            return true;
        }
        let Some(budget) = self.budget.filter(|_| !shared.leaves.control.is_pondering()) else {
            return false;
        };
        if limits.clock.is_none() || shared.leaves.control.elapsed() < budget.soft {
            // Who gave a time for this move wants it used.
            return false;
        }
        // After the soft limit only a best move that is not the most visited one deserves more.
        let root_moves = root_moves(shared.tree, &shared.tree.root);
        let most = root_moves.iter().map(|root_move| root_move.visits).max();
        root_moves.first().is_none_or(|best| Some(best.visits) == most)
    }

    /// Reports the best lines.
    fn tell(&mut self, report: &mut dyn FnMut(&Report<G::Move>)) {
        self.lines().iter().for_each(report);
    }

    /// Reports the last lines. Where several are wanted and the result is proven, the solver proves
    /// all that it can of them before. Its positions count as visits, as many for each as it may
    /// visit at a leaf.
    fn end(&mut self, report: &mut dyn FnMut(&Report<G::Move>)) {
        let (shared, limits) = (self.shared, self.limits);
        let (root, control) = (shared.tree.root.bounds(), shared.leaves.control);
        let several = shared.lines > 1 && limits.are_for_the_end(shared.root.plies_left());
        if !several || root.result().is_none() || control.is_over() {
            return self.tell(report);
        }
        let told = self.lines();
        told.iter().for_each(&mut *report);
        let moves = root_moves(shared.tree, &shared.tree.root);
        let moves = moves.into_iter().map(|root_move| G::Move::from(root_move.mv));
        let mut lines = Lines::new(shared.root, moves, limits.search_moves.is_empty(), &told);
        lines.narrow(root.lower, root.upper);
        control.end_after(self.budget.map(|budget| budget.for_margins(limits)));
        let visits = shared.ended.load(Relaxed);
        let most = limits.nodes.map(|nodes| (nodes - visits).saturating_mul(LEAF_EFFORT));
        let solved = Cell::new(0);
        let counts = || Counts {
            nodes: visits + u64::div_ceil(solved.get(), LEAF_EFFORT),
            time: control.elapsed(),
            hash_full: shared.tree.fullness(),
        };
        lines.prove(
            &mut |Question { position, goal, .. }| {
                let left = most.map(|most| most.saturating_sub(solved.get()));
                let solution = shared.solver.solve(position, *goal, left, control, &mut |_| {});
                solved.set(solved.get() + solution.nodes);
                solution
            },
            &mut |lines| lines.reports(counts()).iter().for_each(&mut *report),
        );
        lines.reports(counts()).iter().for_each(report);
    }

    /// The best lines.
    fn lines(&mut self) -> Vec<Report<G::Move>> {
        let shared = self.shared;
        let plies_left = shared.root.plies_left();
        let root_moves = root_moves(shared.tree, &shared.tree.root);
        let lines: Vec<_> = root_moves.iter().take(shared.lines).collect();
        let variations: Vec<_> =
            lines.iter().map(|root_move| shared.variation(root_move.mv)).collect();
        let longest = variations.iter().map(Vec::len).max().unwrap_or(0);
        // The greatest depth there is promises an exact margin.
        self.depth = self.depth.max((longest as u32).min(plies_left as u32 - 1));
        let nodes = shared.ended.load(Relaxed);
        let exact = shared.tree.root.bounds().is_exact()
            && lines.iter().all(|root_move| root_move.bounds.is_exact());
        let depth = match nodes {
            0 => 0,
            _ if exact => plies_left as u32,
            _ => self.depth,
        };
        let root = shared.tree.root.bounds().result();
        let mut above = Score::MAX;
        let report = |(line, (root_move, pv)): (usize, (&RootMove, Vec<G::Move>))| {
            let bounds = root_move.bounds;
            let (score, proven) = match bounds.result() {
                Some(1.0) => (bounds.lower, true),
                Some(0.0) => (bounds.upper, true),
                // The best line is about the position, too, where another move may still win.
                Some(_) => (Score::DRAW, line > 0 || root.is_some()),
                None => (self.expected(root_move), false),
            };
            above = above.min(score);
            Report {
                line: line + 1,
                depth,
                selective_depth: shared.longest.load(Relaxed).max(self.depth),
                score: above,
                proven,
                chances: (!proven).then(|| chances(root_move)),
                nodes,
                time: shared.leaves.control.elapsed(),
                hash_full: shared.tree.fullness(),
                pv,
            }
        };
        lines.into_iter().zip(variations).enumerate().map(report).collect()
    }

    /// The score for which the value of a move stands.
    fn expected(&self, root_move: &RootMove) -> Score {
        let margin = G::CHANCES.margin(f64::from(root_move.value), self.shared.root.plies_left());
        let most = f64::from(crate::game::MAX_EVAL);
        Score(margin.clamp(-most, most).round() as i32)
    }
}

/// The chances of a move in thousandths, as the tree has them.
fn chances(root_move: &RootMove) -> [u32; 3] {
    let value = root_move.value.clamp(0.0, 1.0);
    let draw = root_move.draw.min(2.0 * value).min(2.0 * (1.0 - value));
    let win = (1000.0 * (value - draw / 2.0)).round() as u32;
    let draw = ((1000.0 * draw).round() as u32).min(1000 - win);
    [win, draw, 1000 - win - draw]
}

impl<G: Playable> Shared<'_, G> {
    /// Whether there is nothing more to find, or the search was told to end.
    fn is_over(&self) -> bool {
        self.leaves.halt.load(Relaxed)
            || self.leaves.control.is_over()
            || self.tree.root.bounds().result().is_some()
    }

    /// Whether the root has all its moves.
    fn is_prepared(&self) -> bool {
        self.tree.blocks(&self.tree.root).last().is_some_and(|block| block.rest() == 0.0)
    }

    /// The line of best play that begins with a move of the root, as far as the tree knows it.
    fn variation(&self, first: u16) -> Vec<G::Move> {
        let mut line = Vec::new();
        let mut at = pick(self.tree, &self.tree.root, |node| node.mv() == first);
        while let Some((block, place)) = at {
            let node = &block.nodes()[place];
            line.push(G::Move::from(node.mv()));
            at = pick(self.tree, node, |child| child.visits() > 0);
        }
        line
    }
}

/// The best of the children that may be chosen.
fn pick<'t>(
    tree: &'t Tree,
    node: &Node,
    may: impl Fn(&Node) -> bool,
) -> Option<(Pinned<'t>, usize)> {
    let mut best: Option<(RootMove, Pinned<'t>, usize)> = None;
    for block in tree.blocks(node) {
        let may = block.nodes().iter().enumerate().filter(|(_, child)| may(child));
        let first = may.map(|(place, child)| (RootMove::new(child, node), place));
        let first = first.reduce(|a, b| if b.0.compare(&a.0).is_gt() { b } else { a });
        if let Some((root_move, place)) = first
            && best.as_ref().is_none_or(|(best, ..)| root_move.compare(best).is_gt())
        {
            best = Some((root_move, block, place));
        }
    }
    best.map(|(_, block, place)| (block, place))
}
