//! One thread that answers a question about a position.
//!
//! A node is asked whether it is worth at least `beta` and answers with a bound (fail-soft): a score of at
//! least `beta` is a lower bound on the value of the position, a lower score an upper bound. How
//! much care a node takes depends on the plies that are left:
//! - **Leaves** ([`LEAF_PLIES`] or fewer): no table and no counting of replies, but moves that end the
//!   game are looked at before any other is searched: a third to a half of all positions there have such a
//!   move that answers the question. The others come in the order of their immediate gain.
//! - **Above**: the table; and the moves in the order of the opponent's replies, fewest first, which makes
//!   small trees and often strands the opponent. A little immediate gain breaks near ties.
//! - **From [`ETC_PLIES`]**: what the table knows of the children is looked up for all of them first
//!   (enhanced transposition cutoffs: Plaat et al., *Exploiting graph properties of game trees*, 1996).
//!   With several threads, a child that another thread searches right now is put off (after Kerrigan's
//!   simplified ABDADA).
//!
//! On all tiers a position answers without a search when the margins within
//! [reach](crate::game::Endgame::reachable) do, and a move when one of its
//! [family](crate::game::Endgame::family) was too bad by enough.

use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering::Relaxed};

use arrayvec::ArrayVec;

use super::table::{Proof, Proofs};
use crate::game::{MAX_MOVES, MoveList, Playable};
use crate::search::family::Family;
use crate::search::limits::Control;
use crate::search::score::Score;

/// Up to this many plies from the end the table and the order cost more than they save. Measured
/// in time with both games.
const LEAF_PLIES: usize = 8;
/// From this many plies on, all children are looked up in the table.
const ETC_PLIES: usize = 12;
/// From this many plies on, threads put off each other's moves.
const SHARE_PLIES: usize = 11;
/// Centipoints of immediate gain that weigh as much as one reply of the opponent.
const REPLY: i32 = 256;
/// Positions between two looks at the limits.
const CHECK: u64 = 4096;

/// The question was dropped.
#[derive(Clone, Copy, Debug)]
pub struct Halted;

/// What the threads share while they solve a position.
pub struct Shared<'a> {
    pub proofs: &'a Proofs,
    pub control: &'a Control,
    /// Visited by all threads that told theirs.
    pub nodes: AtomicU64,
    pub max_nodes: Option<u64>,
    pub threads: usize,
    /// One of the threads has the answer.
    pub answered: AtomicBool,
    busy: Busy,
}

impl<'a> Shared<'a> {
    pub fn new(
        proofs: &'a Proofs,
        control: &'a Control,
        max_nodes: Option<u64>,
        threads: usize,
    ) -> Self {
        Self {
            proofs,
            control,
            nodes: AtomicU64::new(0),
            max_nodes,
            threads,
            answered: AtomicBool::new(false),
            busy: Busy::new(threads),
        }
    }
}

/// The positions that threads are searching: a small set with room for one position in each place.
struct Busy(Box<[AtomicU32]>);

impl Busy {
    /// With one thread nothing is ever busy.
    fn new(threads: usize) -> Self {
        let places = if threads > 1 { 1 << 12 } else { 0 };
        Self((0..places).map(|_| AtomicU32::new(0)).collect())
    }

    fn place(&self, key: u64) -> Option<(&AtomicU32, u32)> {
        let place = self.0.get(key as usize % self.0.len().max(1))?;
        Some((place, (key >> 32) as u32))
    }

    fn contains(&self, key: u64) -> bool {
        self.place(key).is_some_and(|(place, mark)| place.load(Relaxed) == mark)
    }

    fn insert(&self, key: u64) {
        if let Some((place, mark)) = self.place(key) {
            place.store(mark, Relaxed);
        }
    }

    fn remove(&self, key: u64) {
        if let Some((place, _)) = self.place(key) {
            place.store(0, Relaxed);
        }
    }
}

/// The answer, where the margins that can still be reached give it.
#[inline]
fn out_of_reach<G: Playable>(position: &G, beta: Score) -> Option<Score> {
    let (least, greatest) = position.reachable()?;
    let (lower, upper) = (-Score::won_by(-least), Score::won_by(greatest));
    if upper < beta { Some(upper) } else { (lower >= beta).then_some(lower) }
}

/// A thread's counters.
pub struct Worker<'a> {
    shared: &'a Shared<'a>,
    /// Called now and then with the number of positions visited.
    tell: &'a mut dyn FnMut(u64),
    nodes: u64,
    told: u64,
    check_at: u64,
}

impl Drop for Worker<'_> {
    fn drop(&mut self) {
        self.count_in();
    }
}

impl<'a> Worker<'a> {
    pub fn new(shared: &'a Shared<'a>, tell: &'a mut dyn FnMut(u64)) -> Self {
        Self { shared, tell, nodes: 0, told: 0, check_at: 0 }
    }

    /// Whether a position that is not over is worth at least `beta`: a bound on its value. The
    /// answer of the first thread ends the work of the others.
    pub fn ask<G: Playable>(&mut self, position: &G, beta: Score) -> Result<Score, Halted> {
        let answer = self.node(position, beta)?;
        self.shared.answered.store(true, Relaxed);
        Ok(answer)
    }

    /// A move that keeps the value of a position, which must be its exact value, and the position
    /// behind that move. The move that the table knows is tried first.
    pub fn keeping<G: Playable>(
        &mut self,
        position: &G,
        value: Score,
    ) -> Result<Option<(G::Move, G)>, Halted> {
        let known = self.shared.proofs.get(position.key()).map_or(0, |proof| proof.mv);
        let mut moves = position.moves();
        moves.sort_by_key(|&mv| (mv.into() != known, -position.gain(mv)));
        for mv in moves {
            let mut child = *position;
            child.make(mv);
            let keeps = if child.is_over() {
                -Score::of_end(&child) >= value
            } else {
                -self.node(&child, Score(1 - value.0))? >= value
            };
            if keeps {
                return Ok(Some((mv, child)));
            }
        }
        Ok(None)
    }

    fn node<G: Playable>(&mut self, position: &G, beta: Score) -> Result<Score, Halted> {
        let left = position.plies_left();
        if left <= LEAF_PLIES {
            return self.leaf(position, beta);
        }
        if let Some(bound) = out_of_reach(position, beta) {
            return Ok(bound);
        }
        self.count()?;
        let began = self.nodes;
        let shared = self.shared;
        let key = position.key();
        let known = shared.proofs.get(key).unwrap_or(Proof::NONE);
        if known.lower >= beta {
            return Ok(known.lower);
        }
        if known.upper < beta {
            return Ok(known.upper);
        }

        let mut list = MoveList::new();
        position.generate(&mut list);
        let mut moves: ArrayVec<(i32, G::Move), MAX_MOVES> = ArrayVec::new();
        let mut best = Score::MIN;
        for mv in list {
            let mut child = *position;
            child.make(mv);
            let replies = child.count_moves() as i32;
            let bound = if replies == 0 {
                -Score::of_end(&child)
            } else {
                let proof = (left >= ETC_PLIES).then(|| shared.proofs.get(child.key())).flatten();
                match proof {
                    Some(proof) if -proof.upper >= beta => -proof.upper,
                    Some(proof) if -proof.lower < beta => -proof.lower,
                    _ => {
                        let number = G::family(mv).map_or(0, |(_, number)| number);
                        let order = 8 * (replies * REPLY - position.gain(mv)) - number;
                        moves.push((if mv.into() == known.mv { i32::MIN } else { order }, mv));
                        continue;
                    }
                }
            };
            if bound >= beta {
                shared.proofs.put(key, Proof::at_least(bound, mv.into(), 0));
                return Ok(bound);
            }
            best = best.max(bound);
        }

        let mut family = Family::default();
        let count = moves.len();
        let mut next = 0;
        while next < moves.len() {
            if next < count {
                let first = (next..count).min_by_key(|&i| moves[i]).unwrap_or(next);
                moves.swap(next, first);
            }
            let mv = moves[next].1;
            next += 1;
            if let Some(bound) = family.bound::<G>(mv, Score::raised)
                && bound < beta
            {
                best = best.max(bound);
                continue;
            }
            let mut child = *position;
            child.make(mv);
            let put_off = left >= SHARE_PLIES && (2..=count).contains(&next);
            if put_off && shared.busy.contains(child.key()) && moves.try_push((0, mv)).is_ok() {
                continue;
            }
            if left >= SHARE_PLIES {
                shared.busy.insert(child.key());
            }
            let answer = self.node(&child, Score(1 - beta.0));
            if left >= SHARE_PLIES {
                shared.busy.remove(child.key());
            }
            let score = -answer?;
            family.insert::<G>(mv, score);
            best = best.max(score);
            if score >= beta {
                let work = self.nodes - began + 1;
                shared.proofs.put(key, Proof::at_least(best, mv.into(), work));
                return Ok(best);
            }
        }
        shared.proofs.put(key, Proof::at_most(best, self.nodes - began + 1));
        Ok(best)
    }

    fn leaf<G: Playable>(&mut self, position: &G, beta: Score) -> Result<Score, Halted> {
        if let Some(bound) = out_of_reach(position, beta) {
            return Ok(bound);
        }
        self.count()?;
        let mut list = MoveList::new();
        position.generate(&mut list);
        let mut best = Score::MIN;
        let mut open: ArrayVec<(G::Move, G), 32> = ArrayVec::new();
        for mv in list {
            let mut child = *position;
            child.make(mv);
            let score = if child.is_over() {
                -Score::of_end(&child)
            } else if let Err(full) = open.try_push((mv, child)) {
                -self.leaf(&full.element().1, Score(1 - beta.0))?
            } else {
                continue;
            };
            best = best.max(score);
            if best >= beta {
                return Ok(best);
            }
        }
        let mut order: ArrayVec<_, 32> =
            open.iter().enumerate().map(|(i, (mv, _))| (position.gain(*mv), i)).collect();
        order.sort_unstable();
        let mut family = Family::default();
        for (_, i) in order.into_iter().rev() {
            let (mv, child) = &open[i];
            let score = match family.bound::<G>(*mv, Score::raised) {
                Some(bound) if bound < beta => bound,
                _ => {
                    let score = -self.leaf(child, Score(1 - beta.0))?;
                    family.insert::<G>(*mv, score);
                    score
                }
            };
            best = best.max(score);
            if best >= beta {
                break;
            }
        }
        Ok(best)
    }

    /// Counts a position, and looks at the limits now and then.
    #[inline]
    fn count(&mut self) -> Result<(), Halted> {
        if self.nodes >= self.check_at {
            self.check()?;
        }
        self.nodes += 1;
        Ok(())
    }

    #[cold]
    fn check(&mut self) -> Result<(), Halted> {
        self.count_in();
        let shared = self.shared;
        let nodes = shared.nodes.load(Relaxed);
        if shared.answered.load(Relaxed)
            || shared.control.is_over()
            || shared.max_nodes.is_some_and(|max| nodes >= max)
        {
            return Err(Halted);
        }
        (self.tell)(nodes);
        let left = shared.max_nodes.map_or(CHECK, |max| max.saturating_sub(nodes));
        self.check_at = self.nodes + left.clamp(1, CHECK);
        Ok(())
    }

    fn count_in(&mut self) {
        self.shared.nodes.fetch_add(self.nodes - self.told, Relaxed);
        self.told = self.nodes;
    }
}
