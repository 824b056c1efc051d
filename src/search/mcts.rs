//! Monte-Carlo tree search: a tree that grows where the best play seems to be.
//!
//! A *visit* goes down from the root by PUCT to a position that has no value yet, values it, and brings the
//! value back to all nodes on its way (module `visit`). The tree is a best-first search above short
//! alpha-beta searches: these value the leaves, their best moves and their history are the priors of
//! the moves, and their table is shared by all leaves, which is where transpositions pay.
//!
//! **Values** are chances: a score becomes the chance to win (and half the chance to draw) by the game's
//! [`CHANCES`](crate::game::Evaluate::CHANCES), and the average of a root move becomes a score again by the
//! inverse. A node keeps the average of its visits and the minimax of its leaves; both count.
//!
//! **Proofs** are bounds on the score: of positions at the end, of the short searches, and of the exact
//! solver, to which positions near the end are given; and again as their visits grow. They are
//! backed up as bounds, and the search ends when those of the root tell the result. Where several
//! lines are wanted, the solver then proves all of them.
//!
//! **Memory** (module `tree`) is of fixed size, and a search that has used it up goes on: what was not visited for
//! a while makes room. The tree is kept from move to move.
//!
//! With one thread nothing is random and nothing depends on time but its limits: there is no seed because
//! there is nothing to seed.
//!
//! # Laboratory book
//!
//! All of this was measured before a fault was found: a won position that became the root by the reuse of the tree
//! was played at random. It cost about 65 Elo in Hokito at 10 ms a move (from -63 ± 35 to +4 ± 37, 200 games each), so that
//! the figures are too low, all of them about alike.
//!
//! Elo against alpha-beta as it was before its numbers were tuned, with the 95% error, one thread. Both sides visited 50 000 positions a move (150 000 in the last
//! rows), those of the searches at leaves and of the solver counted for the tree, which takes the same processor
//! time. 60 games for each figure (40 in the first five rows and the last three). With so few games only the large differences
//! are real.
//!
//! | leaves | other settings | Hokito | Yoxii |
//! |---|---|---|---|
//! | depth 1, full window | minimax 0.5, much solving | -215 ± 117 | -285 ± 168 |
//! | depth 3, full window | minimax 0.5, much solving | -191 ± 107 | -137 ± 105 |
//! | depth 4, full window | minimax 0.5, much solving | -168 ± 99 | -17 ± 69 |
//! | depth 2, full window | averages alone, much solving | -117 ± 98 | -108 ± 100 |
//! | depth 2, full window | minimax 0.9, much solving | -158 ± 93 | -191 ± 95 |
//! | depth 4, full window | averages alone | -70 ± 79 | -64 ± 59 |
//! | depth 5, full window | averages alone | -114 ± 78 | -6 ± 79 |
//! | depth 4, full window | averages alone, less first-play urgency (0.3) | -89 ± 67 | -70 ± 73 |
//! | depth 4, full window | averages alone, sharper priors (3 000) | -161 ± 78 | -89 ± 85 |
//! | depth 4, full window | averages alone, flatter priors (12 000) | -134 ± 71 | +23 ± 76 |
//! | depth 1, window 100 | averages alone | -183 ± 82 | |
//! | depth 2, window 100 | averages alone | -161 ± 88 | -6 ± 77 |
//! | depth 3, window 100 | averages alone | -108 ± 64 | +83 ± 75 |
//! | depth 3, window 100 | averages alone, twice the exploration | -154 ± 75 | +29 ± 81 |
//! | depth 3, window 50 | averages alone | -176 ± 82 | +12 ± 65 |
//! | depth 4, window 50 | averages alone | -127 ± 68 | +17 ± 66 |
//! | depth 4, window 150 | averages alone | -134 ± 90 | -29 ± 81 |
//! | depth 4, window 150 | averages alone, behind searches of 2 and 3 plies | -140 ± 91 | -53 ± 84 |
//! | **depth 4, window 150** | **minimax 0.3** | -59 ± 59 | -35 ± 90 |
//! | depth 3, window 150 (100 in Yoxii) | averages alone, 150 000 positions | -108 ± 96 | -108 ± 116 |
//! | depth 5, window 150 | averages alone, 150 000 positions | -53 ± 91 | |
//! | depth 4, window 100 | averages alone, 150 000 positions | | -26 ± 71 |
//!
//! Windows are in hundredths of a [`SWING`](crate::game::Evaluate::SWING), either way. What matters is the depth of the
//! searches at leaves: the nearer the whole is to alpha-beta, the better.
//!
//! Scores in Yoxii at 20 ms a move, of 60 games each against plain UCT (random playouts only) and, in the last
//! two rows, against alpha-beta, which itself had 82.5% of 60 games (from other openings) against UCT:
//!
//! | leaves | against | score |
//! |---|---|---|
//! | as they are | UCT | 89% |
//! | depth 3, 0.3 of the value from 4 random playouts, flatter priors | UCT | 85% |
//! | depth 2, 0.3 of the value from 2 playouts, flatter priors, averages alone | UCT | 87% |
//! | depth 1, likewise | UCT | 73% to 81% |
//! | depth 1, half of the value from a playout, likewise | UCT | 68% |
//! | evaluation, half of the value from a playout, likewise | UCT | 73% |
//! | depth 2, 0.3 of the value from 2 playouts, flatter priors, averages alone | alpha-beta | 45% |
//! | as they are, flatter priors (12 000) | alpha-beta | 42% |
//!
//! All that was with linear evaluations. With networks of 32 neurons, at 50 ms a move against alpha-beta with the
//! same, 100 games each: as it was 39.5% in Hokito and 38% in Yoxii, with leaves of depth 2 42% and 23%.
//!
//! With 128 neurons in Yoxii, likewise, 80 games each from balanced openings (95% error: 10%):
//!
//! | change | score |
//! |---|---|
//! | none: depth 4, window 150, minimax 0.3, exploration 1.5, first play 0.15, priors 6 000, doubt 0.5 | 37% |
//! | leaves of depth 2, 3 and 6 | 17%, 26%, 30% |
//! | minimax 0.7 | 29% |
//! | exploration 0.7 and 2.5 | 28%, 31% |
//! | first play 0.03 | 40% |
//! | priors 12 000 | 41% |
//! | doubt 1.5 | 40% |
//! | window 400 | 43% |
//! | window 1000, priors 12 000 | 42% |
//! | **window 400, priors 12 000, doubt 1.5** | 44% |
//! | window 400, priors 12 000, doubt 1, first play 0.03 | 33% |
//! | the bold row, and a node is searched a ply deeper whenever its visits are 8 or 4 times as many | 36%, 43% |
//! | the solver comes back with 100 or 400 positions a visit instead of 20 (and the bold row) | 38%, 35% |
//!
//! The bold row scored 96.5% of 200 games against plain UCT, 94.8% before, and 97.2% with the deeper searches (4). In Hokito (80 games) it is worth as
//! much as what was there: 41% and 41%. A leaf's search leaves late moves out, so that a reply that ends the game
//! could be missed by it and by all that came after; since [`winning_end`](crate::game::Endgame::winning_end) it
//! cannot.

mod params;
mod tree;
mod visit;

use std::cell::Cell;
use std::cmp::Ordering;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering::Relaxed};
use std::thread;

use super::alphabeta::AlphaBeta;
use super::count::Nodes;
use super::fold;
use super::limits::{Control, Limits};
use super::lines::{Counts, Lines, Question};
use super::report::Report;
use super::score::Score;
use super::time::Budget;
use super::worker::{self, Worker};
use super::{OutOfMemory, Searcher};
use crate::game::Playable;
use params::{DOUBT, LEAF_EFFORT};
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

    /// Makes this position the root: with what the last search learnt about it, if it was the root then, or
    /// comes one or two moves behind it.
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
        let budget = Budget::new(limits, position.plies_left());
        control.end_after(budget.map(|budget| budget.hard));
        let leaves = worker::Shared {
            table,
            control,
            halt: AtomicBool::new(false),
            nodes: Nodes::new(None, histories.len()),
            full_width: false,
        };
        let shared = Shared {
            tree: &self.tree,
            solver,
            leaves: &leaves,
            root: position,
            only: &only,
            lines: limits.lines.max(1),
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
        let mut lead = Lead { shared: &shared, limits, budget, depth: 0 };
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
            lead.run(&mut visitor, report);
            // The last visits of a number that was asked for are still made.
            if limits.nodes.is_none_or(|nodes| shared.begun.load(Relaxed) < nodes) {
                leaves.halt.store(true, Relaxed);
            }
        });
        lead.end(report);
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
struct Lead<'a, G: Playable> {
    shared: &'a Shared<'a, G>,
    limits: &'a Limits<G::Move>,
    budget: Option<Budget>,
    /// The longest principal variation so far.
    depth: u32,
}

/// A move of the root.
struct Choice {
    mv: u16,
    visits: u32,
    /// For the side to move at the root.
    value: f32,
    draw: f32,
    bounds: Bounds,
}

impl Choice {
    /// A child of this parent. Without a visit it is worth what the parent is, and nobody knows what that is without any.
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

    /// A value that is rather sure.
    fn sure_value(&self) -> f32 {
        // What is at most a draw is worth less than a sure one.
        let most = if self.bounds.upper > Score::DRAW { 1.0 } else { 0.5 };
        let doubt = DOUBT / (self.visits.max(1) as f32).sqrt();
        self.bounds.result().unwrap_or(self.value.min(most) - doubt)
    }

    /// Which move is the better one to play: by proofs, then by the value that is rather sure.
    fn compare(&self, other: &Self) -> Ordering {
        let class = |choice: &Self| match choice.bounds.result() {
            Some(1.0) => (2, choice.bounds.lower),
            Some(0.0) => (0, choice.bounds.upper),
            _ => (1, Score::DRAW),
        };
        let tried = |choice: &Self| choice.visits > 0 || choice.bounds.result().is_some();
        class(self)
            .cmp(&class(other))
            .then(tried(self).cmp(&tried(other)))
            .then(self.sure_value().total_cmp(&other.sure_value()))
    }
}

/// The children of a node, the best first.
fn choices(tree: &Tree, node: &Node) -> Vec<Choice> {
    let mut choices = Vec::new();
    each_node(tree, node, &mut |child, _| choices.push(Choice::new(child, node)));
    choices.sort_by(|a, b| b.compare(a));
    choices
}

impl<G: Playable> Lead<'_, G> {
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
        let time = shared.leaves.control.elapsed();
        if limits.clock.is_none() || time < budget.soft {
            // A forced move saves time on a clock; who gave a time for this move wants it used.
            return limits.clock.is_some() && shared.has_one_move();
        }
        // After the soft limit only a best move that is not the most visited one deserves more.
        let choices = choices(shared.tree, &shared.tree.root);
        let most = choices.iter().map(|choice| choice.visits).max();
        choices.first().is_none_or(|best| Some(best.visits) == most)
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
        let moves = choices(shared.tree, &shared.tree.root);
        let moves = moves.into_iter().map(|choice| G::Move::from(choice.mv));
        let mut lines = Lines::new(shared.root, moves, limits.only.is_empty(), &told);
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
        let choices = choices(shared.tree, &shared.tree.root);
        let lines: Vec<_> = choices.iter().take(shared.lines).collect();
        let variations: Vec<_> = lines.iter().map(|choice| shared.variation(choice.mv)).collect();
        let longest = variations.iter().map(Vec::len).max().unwrap_or(0);
        // The greatest depth there is promises an exact margin.
        self.depth = self.depth.max((longest as u32).min(plies_left as u32 - 1));
        let nodes = shared.ended.load(Relaxed);
        let exact = shared.tree.root.bounds().is_exact()
            && lines.iter().all(|choice| choice.bounds.is_exact());
        let depth = match nodes {
            0 => 0,
            _ if exact => plies_left as u32,
            _ => self.depth,
        };
        let mut above = Score::MAX;
        let report = |(line, (choice, pv)): (usize, (&Choice, Vec<G::Move>))| {
            let bounds = choice.bounds;
            let (score, proven) = match bounds.result() {
                Some(1.0) => (bounds.lower, true),
                Some(0.0) => (bounds.upper, true),
                Some(_) => (Score::DRAW, true),
                None => (self.expected(choice), false),
            };
            above = above.min(score);
            Report {
                line: line + 1,
                depth,
                selective_depth: shared.longest.load(Relaxed).max(self.depth),
                score: above,
                proven,
                chances: (!proven).then(|| chances(choice)),
                nodes,
                time: shared.leaves.control.elapsed(),
                hash_full: shared.tree.fullness(),
                pv,
            }
        };
        lines.into_iter().zip(variations).enumerate().map(report).collect()
    }

    /// The score for which the value of a move stands.
    fn expected(&self, choice: &Choice) -> Score {
        let margin = G::CHANCES.margin(f64::from(choice.value), self.shared.root.plies_left());
        let most = f64::from(crate::game::MAX_EVAL);
        Score(margin.clamp(-most, most).round() as i32)
    }
}

/// The chances of a move in thousandths, as the tree has them.
fn chances(choice: &Choice) -> [u32; 3] {
    let value = choice.value.clamp(0.0, 1.0);
    let draw = choice.draw.min(2.0 * value).min(2.0 * (1.0 - value));
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

    fn has_one_move(&self) -> bool {
        let first = self.tree.blocks(&self.tree.root).next();
        first.is_some_and(|block| block.nodes().len() == 1 && block.rest() == 0.0)
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
    let mut best: Option<(Choice, Pinned<'t>, usize)> = None;
    for block in tree.blocks(node) {
        let may = block.nodes().iter().enumerate().filter(|(_, child)| may(child));
        let first = may.map(|(place, child)| (Choice::new(child, node), place));
        let first = first.reduce(|a, b| if b.0.compare(&a.0).is_gt() { b } else { a });
        if let Some((choice, place)) = first
            && best.as_ref().is_none_or(|(best, ..)| choice.compare(best).is_gt())
        {
            best = Some((choice, block, place));
        }
    }
    best.map(|(_, block, place)| (block, place))
}
