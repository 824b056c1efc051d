//! One thread's visits: from the root down to a leaf, and back with what the leaf is worth.

use std::sync::atomic::{AtomicU32, AtomicU64, Ordering::Relaxed};

use arrayvec::ArrayVec;

use super::params::*;
use super::tree::{BLOCK, Block, Bounds, Node, Owner, Pinned, Tree};
use crate::game::{MAX_EVAL, MAX_MOVES, Playable};
use crate::search::fold;
use crate::search::history::MAX_PLY;
use crate::search::node_counter::Halted;
use crate::search::score::Score;
use crate::search::solve::{Goal, Solver};
use crate::search::worker::{self, Worker};

/// What the threads of one search share.
pub struct Shared<'a, G: Playable> {
    pub tree: &'a Tree,
    pub solver: &'a Solver<G>,
    /// For the searches at leaves, and to halt.
    pub leaves: &'a worker::Shared<'a>,
    pub root: &'a G,
    /// The moves of the root, if not all of them are to be considered.
    pub search_moves: &'a [G::Move],
    /// How many best moves are wanted.
    pub lines: usize,
    /// End after this many visits.
    pub max_visits: Option<u64>,
    pub begun: AtomicU64,
    pub ended: AtomicU64,
    /// The longest line looked at, in plies.
    pub longest: AtomicU32,
}

/// A node on the way of a visit.
struct Step<'a> {
    /// The block and the place in it; `None` for the root.
    at: Option<(Pinned<'a>, usize)>,
    root: &'a Node,
}

impl Step<'_> {
    #[inline]
    fn node(&self) -> &Node {
        match &self.at {
            None => self.root,
            Some((block, place)) => &block.nodes()[*place],
        }
    }

    fn owner(&self) -> Owner {
        self.at.as_ref().map_or(Owner::ROOT, |(block, place)| block.owner(*place))
    }
}

/// The value of a child for the side that may move there: the average of its visits, mixed with
/// minimax (Lanctot, Winands, Pepels and Sturtevant, *Monte Carlo Tree Search with Heuristic
/// Evaluations using Implicit Minimax Backups*, 2014).
#[inline]
pub fn value(child: &Node) -> f32 {
    let average = child.average();
    child.best().map_or(average, |best| average + MINIMAX_WEIGHT * (1.0 - best - average))
}

/// A thread at work.
pub struct Visitor<'a, G: Playable> {
    shared: &'a Shared<'a, G>,
    worker: Worker<'a, G>,
}

impl<'a, G: Playable> Visitor<'a, G> {
    pub fn new(shared: &'a Shared<'a, G>, worker: Worker<'a, G>) -> Self {
        Self { shared, worker }
    }

    /// Gives the root all its moves, and the best of them a high prior if there is time to find it.
    pub fn prepare(&mut self) {
        let shared = self.shared;
        let _ = self.worker.evaluate(shared.root, LEAF_DEPTH, Score::MIN, Score::MAX);
        while !shared.is_prepared() {
            let root = Step { at: None, root: &shared.tree.root };
            self.select(&root, shared.root, &[], true);
        }
        // What was proven when this was a leaf shows no move.
        shared.tree.root.forget_lower_bound();
        self.refresh(&shared.tree.root);
    }

    /// Visits a leaf.
    ///
    /// # Errors
    /// When there are to be no more visits, or the search was halted before this one ended.
    pub fn visit(&mut self) -> Result<(), Halted> {
        let shared = self.shared;
        let number = shared.begun.fetch_add(1, Relaxed);
        if shared.max_visits.is_some_and(|max| number >= max) {
            return Err(Halted);
        }
        let line = (number % shared.lines as u64) as usize;
        let mut position = *shared.root;
        let mut path: ArrayVec<Step<'a>, MAX_PLY> = ArrayVec::new();
        path.push(Step { at: None, root: &shared.tree.root });
        self.worker.selective_depth = 0;
        let found = loop {
            let Some(step) = path.last() else { return Err(Halted) };
            let node = step.node();
            let visits = node.begin();
            if position.is_over() {
                node.narrow(Bounds::exactly(Score::of_end(&position)));
            }
            if node.bounds().result().is_some() {
                break Ok(proven(node));
            }
            if node.best().is_none() {
                let parent = path.len().checked_sub(2).map(|parent| path[parent].node());
                let guess = parent.and_then(Node::best).map(|best| 1.0 - best);
                break self.evaluate(&position, node, guess);
            }
            if self.prove_again(&position, node, visits) {
                break Ok(proven(node));
            }
            let child = match path.len() {
                1 => self.select_root(step, &position, line),
                _ => self.select(step, &position, &[], false),
            };
            let Some((block, place)) = child else {
                // There was no memory for children, or another thread is about to add them.
                break Ok((node.best().unwrap_or(0.5), 0.0));
            };
            position.make(block.nodes()[place].mv().into());
            path.push(Step { at: Some((block, place)), root: step.root });
        };
        match found {
            Ok((value, draw)) => {
                self.back_up(&path, value, draw);
                let longest = path.len() as u32 - 1 + self.worker.selective_depth;
                shared.longest.fetch_max(longest, Relaxed);
                shared.ended.fetch_add(1, Relaxed);
                Ok(())
            }
            Err(halted) => {
                path.iter().for_each(|step| step.node().give_up());
                Err(halted)
            }
        }
    }

    /// What a leaf is worth for its side to move, and how much of that is a draw.
    fn evaluate(
        &mut self,
        position: &G,
        node: &Node,
        guess: Option<f32>,
    ) -> Result<(f32, f32), Halted> {
        let left = position.plies_left();
        if is_in_reach::<G>(left, LEAF_EFFORT as f64) && self.prove(position, node, LEAF_EFFORT) {
            return Ok(proven(node));
        }
        let (mut alpha, mut beta) = (Score::MIN, Score::MAX);
        if let Some(guess) = guess {
            // Far from what is expected a bound is as good as a value, and much cheaper.
            let guess = G::CHANCES.margin(f64::from(guess), left) as i32;
            let half = LEAF_WINDOW * G::SWING / 100;
            alpha = Score((guess - half).clamp(-MAX_EVAL, MAX_EVAL - 1));
            beta = Score((guess + half).clamp(alpha.0 + 1, MAX_EVAL));
        }
        let score = self.worker.evaluate(position, LEAF_DEPTH, alpha, beta)?;
        let exact = LEAF_DEPTH as usize >= left;
        if score.is_win() || exact && score > alpha {
            self.narrow(node, Bounds { lower: score, ..Bounds::OPEN });
        }
        if score.is_loss() || exact && score < beta {
            self.narrow(node, Bounds { upper: score, ..Bounds::OPEN });
        }
        if node.bounds().result().is_some() {
            return Ok(proven(node));
        }
        let [win, draw, _] = G::CHANCES.of(f64::from(score.0), left);
        let (win, draw) = (win as f32, draw as f32);
        let value = win + draw / 2.0;
        node.set_best(value);
        Ok((value, draw))
    }

    /// Gives a node near the end to the solver again when its visits have doubled, and every 256 of
    /// them. Whether it is proven.
    fn prove_again(&self, position: &G, node: &Node, visits: u32) -> bool {
        let due = visits.is_power_of_two() || visits.is_multiple_of(256);
        let effort = PROVE_EFFORT * u64::from(visits);
        if !due || !is_in_reach::<G>(position.plies_left(), PROVE_PATIENCE * effort as f64) {
            return false;
        }
        self.prove(position, node, effort)
    }

    /// Asks the solver for the result of a position. Whether it is proven now.
    fn prove(&self, position: &G, node: &Node, effort: u64) -> bool {
        let shared = self.shared;
        let control = shared.leaves.control;
        let solution =
            shared.solver.solve(position, Goal::Outcome, Some(effort), control, &mut |_| {});
        self.narrow(node, Bounds { lower: solution.lower, upper: solution.upper });
        if self.is_root(node)
            && let Some(mv) = solution.pv.first().and_then(|&mv| self.considered(mv))
        {
            let bounds = Bounds { upper: -solution.lower, ..Bounds::OPEN };
            for block in shared.tree.blocks(node) {
                block.nodes().iter().filter(|n| n.mv() == mv.into()).for_each(|n| n.narrow(bounds));
            }
            self.refresh(node);
        }
        node.bounds().result().is_some()
    }

    /// The move of the root that is considered and as good as this one: itself, or its image.
    fn considered(&self, mv: G::Move) -> Option<G::Move> {
        let only = self.shared.search_moves;
        match only {
            [] => Some(mv),
            _ => fold::follow(self.shared.root, &[mv], only).map(|(place, _)| only[place]),
        }
    }

    /// Adds to what is proven of a node. That the root is worth something counts only when one of
    /// its children shows it, so that there is a move to play.
    fn narrow(&self, node: &Node, bounds: Bounds) {
        let lower = if self.is_root(node) { Score::MIN } else { bounds.lower };
        node.narrow(Bounds { lower, ..bounds });
    }

    fn is_root(&self, node: &Node) -> bool {
        std::ptr::eq(node, &raw const self.shared.tree.root)
    }

    /// Chooses a child of the root. With several lines wanted, every line's visits go to the best
    /// move that no line before it has.
    fn select_root(
        &mut self,
        step: &Step<'a>,
        position: &G,
        line: usize,
    ) -> Option<(Pinned<'a>, usize)> {
        let mut taken: Vec<(u32, u16)> = Vec::new();
        if line > 0 {
            for block in self.shared.tree.blocks(step.node()) {
                taken.extend(block.nodes().iter().map(|child| (child.visits(), child.mv())));
            }
            taken.sort_unstable_by(|a, b| b.cmp(a));
            taken.truncate(line.min(taken.len().saturating_sub(1)));
        }
        let taken: Vec<u16> = taken.into_iter().map(|(_, mv)| mv).collect();
        self.select(step, position, &taken, true)
    }

    /// Chooses a child by PUCT (Rosin, *Multi-armed bandits with episode context*, 2011, in the
    /// form of AlphaZero).
    fn select(
        &mut self,
        step: &Step<'a>,
        position: &G,
        without: &[u16],
        is_root: bool,
    ) -> Option<(Pinned<'a>, usize)> {
        let tree = self.shared.tree;
        let node = step.node();
        let mut block = match tree.enter(node.link()) {
            Some(block) => block,
            None => tree.grow(node.link(), step.owner(), |block| {
                self.fill(block, position, &[], is_root);
            })?,
        };
        let visits = node.visits() as f32;
        let growth = CPUCT_FACTOR * libm::log1pf(visits / CPUCT_BASE);
        let explore = (CPUCT + growth) * visits.sqrt();
        let first_play = 1.0 - value(node) - FPU_REDUCTION;
        let mut most = f32::MIN;
        let mut best = None;
        loop {
            let mut place = None;
            for (i, child) in block.nodes().iter().enumerate() {
                if without.contains(&child.mv()) {
                    continue;
                }
                let urgency = match child.bounds().result() {
                    Some(result) if result > 0.5 => continue,
                    Some(result) => 1.0 - result,
                    None => {
                        let count = child.visits();
                        let value = if count == 0 { first_play } else { value(child) };
                        value + explore * child.prior() / (1.0 + count as f32)
                    }
                };
                if urgency > most {
                    most = urgency;
                    place = Some(i);
                }
            }
            let rest = block.rest();
            let next = tree.enter(block.next()).or_else(|| {
                let wanted = is_root || first_play + explore * rest > most;
                (rest > 0.0 && wanted).then(|| self.widen(node, &block, position, is_root))?
            });
            if let Some(place) = place {
                best = Some((block, place));
            }
            block = match next {
                Some(next) => next,
                None => return best,
            };
        }
    }

    /// Adds a block of children behind the last one.
    fn widen(
        &self,
        node: &Node,
        last: &Pinned<'a>,
        position: &G,
        is_root: bool,
    ) -> Option<Pinned<'a>> {
        let mut known: Vec<u16> = Vec::new();
        for block in self.shared.tree.blocks(node) {
            known.extend(block.nodes().iter().map(Node::mv));
        }
        self.shared.tree.grow(last.next(), last.next_owner(), |block| {
            self.fill(block, position, &known, is_root);
        })
    }

    /// Fills a block with the most promising moves that are not known yet.
    fn fill(&self, block: &Block, position: &G, known: &[u16], is_root: bool) {
        let only = self.shared.search_moves;
        let list = if is_root && !only.is_empty() {
            only.iter().copied().collect()
        } else {
            position.moves()
        };
        let entry = self.shared.leaves.table.get(position.key());
        let table_move: u16 = entry.map_or(0, |entry| entry.mv);
        let mut moves: ArrayVec<(i32, u16), MAX_MOVES> = list
            .into_iter()
            .map(|mv| {
                let bonus = if mv.into() == table_move { PRIOR_TABLE } else { 0 };
                (self.worker.move_score(position, mv) + bonus, mv.into())
            })
            .collect();
        let most = moves.iter().map(|&(order, _)| order).max().unwrap_or(0);
        let weight = |order: i32| libm::expf((order - most) as f32 / PRIOR_TEMPERATURE);
        let sum: f32 = moves.iter().map(|&(order, _)| weight(order)).sum();
        let prior = |order| ((weight(order) / sum * f32::from(u16::MAX)) as u16).max(1);
        moves.retain(|(_, mv)| !known.contains(mv));
        let sorted = BLOCK.min(moves.len());
        if moves.len() > BLOCK {
            // The block's moves and the first behind them.
            moves.select_nth_unstable_by(BLOCK, |a, b| b.cmp(a));
        }
        moves[..sorted].sort_unstable_by(|a, b| b.cmp(a));
        let rest = moves.get(BLOCK).map_or(0, |&(order, _)| prior(order));
        block.fill(moves[..sorted].iter().map(|&(order, mv)| (mv, prior(order))), rest);
    }

    /// Brings the result of a visit to all nodes on its way.
    fn back_up(&self, path: &[Step<'a>], mut value: f32, draw: f32) {
        for (ply, step) in path.iter().enumerate().rev() {
            let node = step.node();
            if ply + 1 < path.len() {
                self.refresh(node);
                if let Some(result) = node.bounds().result() {
                    value = result;
                }
            }
            value = 1.0 - value;
            node.add(value, draw);
        }
    }

    /// Works out anew what a node owes to its children: proofs (Winands, Björnsson and Saito,
    /// *Monte-Carlo Tree Search Solver*, 2008, with bounds as by Cazenave and Saffidine, *Score
    /// bounded Monte-Carlo tree search*, 2010) and minimax.
    fn refresh(&self, node: &Node) {
        let mut bounds = Bounds { lower: Score::MIN, upper: Score::MIN };
        let mut best: Option<f32> = None;
        let mut rest = 0.0;
        for block in self.shared.tree.blocks(node) {
            for child in block.nodes() {
                let proven = child.bounds().flipped();
                bounds.lower = bounds.lower.max(proven.lower);
                bounds.upper = bounds.upper.max(proven.upper);
                let value = proven.result().or_else(|| child.best().map(|best| 1.0 - best));
                if let Some(value) = value {
                    best = Some(best.map_or(value, |best| best.max(value)));
                }
            }
            rest = block.rest();
        }
        if rest > 0.0 || bounds.upper == Score::MIN {
            bounds.upper = Score::MAX;
        }
        node.narrow(bounds);
        if let Some(best) = best {
            node.set_best(best);
        }
    }
}

/// Whether a proof can be expected to take no more than so many positions.
fn is_in_reach<G: Playable>(plies_left: usize, positions: f64) -> bool {
    G::EFFORT.positions(plies_left) <= positions
}

/// The value of a node whose result is proven, and how much of it is a draw.
fn proven(node: &Node) -> (f32, f32) {
    let result = node.bounds().result().unwrap_or(0.5);
    node.set_best(result);
    (result, if result == 0.5 { 1.0 } else { 0.0 })
}
