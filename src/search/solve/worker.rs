//! One thread that answers a question about a position.
//!
//! A node is asked whether it is worth at least `beta` and answers with a bound (fail-soft): a
//! score of at least `beta` is a lower bound on the value of the position, a lower score an upper
//! bound. How much care a node takes depends on the plies that are left:
//! - **Everywhere**: moves that end the game are looked at before any other is searched: near the
//!   end a third to a half of all positions have such a move that answers the question. The other
//!   moves come in the order of the opponent's replies, fewest first, which makes small trees and
//!   often strands the opponent; but those after which the opponent can at once win back more than
//!   the question allows come late, and immediate gain breaks near ties.
//! - **Above the leaves** (more than [`LEAF_PLIES`]): the [table](super::table). Where a game has
//!   choices that can be [put off](crate::game::Endgame::deferring), the question is first asked of
//!   the position in which the side to move puts them off: if it is not worth `beta` even then,
//!   that is the answer. Then of the one in which the opponent does. Only if neither tells, the
//!   moves are searched.
//! - **From [`ETC_PLIES`]**: what the tables know of the children is looked up for all of them
//!   first (enhanced transposition cutoffs: Plaat et al., *Exploiting graph properties of game
//!   trees*, 1996). With several threads, a child that another thread searches right now is put off
//!   (after Kerrigan's simplified ABDADA).
//!
//! Where a game has [structures](crate::game::Endgame::structure), a position above the leaves also
//! answers when what is known of another one of its structure is clear enough. On all tiers a
//! position answers without a search when the margins within
//! [reach](crate::game::Endgame::reachable) do, and a move when one of its
//! [siblings](crate::game::Endgame::sibling_group) was too bad by enough.

use std::sync::atomic::{AtomicBool, AtomicU32, Ordering::Relaxed};

use arrayvec::ArrayVec;

use super::table::{Bound, Proof, Proofs, StructureBounds};
use crate::game::{MAX_MOVES, MoveList, Playable, Structure};
use crate::search::limits::Control;
use crate::search::node_counter::{Halted, NodeCounter, NodeTotal};
use crate::search::score::Score;
use crate::search::sibling_bounds::SiblingBounds;

/// Up to this many plies from the end the table costs more than it saves.
const LEAF_PLIES: usize = 7;
/// From this many plies on, all children are looked up in the table.
const ETC_PLIES: usize = 11;
/// From this many plies on, threads put off each other's moves.
const SHARE_PLIES: usize = 11;
/// What moves are ordered by: a reply of the opponent.
const REPLY: i32 = 2048;
/// A centipoint of immediate gain.
const GAIN: i32 = 3;
/// That the opponent's best reply, as far as seen at a glance, leaves less than what is asked for.
const LACKING: i32 = 6000;
/// Every point that is lacking then.
const LACKING_POINT: i32 = 200;
/// A rank among siblings: the highest of every group come before the others, unless they leave the
/// opponent 64 replies more.
const SIBLING_RANK: i32 = 1 << 17;
/// The order of a move that is put off.
const PUT_OFF: i32 = i32::MAX;

/// What the threads share while they solve a position.
pub struct Shared<'a> {
    pub proofs: &'a Proofs,
    pub structure_bounds: &'a StructureBounds,
    pub control: &'a Control,
    pub nodes: NodeTotal,
    pub threads: usize,
    /// One of the threads has the answer.
    pub answered: AtomicBool,
    busy: Busy,
}

impl<'a> Shared<'a> {
    pub fn new(
        proofs: &'a Proofs,
        structure_bounds: &'a StructureBounds,
        control: &'a Control,
        max_nodes: Option<u64>,
        threads: usize,
    ) -> Self {
        Self {
            proofs,
            structure_bounds,
            control,
            nodes: NodeTotal::new(max_nodes, threads),
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

/// The answer, where the bounds on the value of a position give it.
#[inline]
fn answer(lower: Score, upper: Score, beta: Score) -> Option<Score> {
    if upper < beta { Some(upper) } else { (lower >= beta).then_some(lower) }
}

/// The answer, where the margins that can still be reached give it.
#[inline]
fn out_of_reach<G: Playable>(position: &G, beta: Score) -> Option<Score> {
    let (least, greatest) = position.reachable()?;
    answer(-Score::won_by(-least), Score::won_by(greatest), beta)
}

/// A move that is to be searched; least first.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Candidate<M> {
    order: i32,
    mv: M,
    /// Where the position behind the move is.
    child: u16,
}

/// A copy of a position in the place with that number, which is no greater than the length. The
/// memory stays, so that a position is copied only once, to where it is searched.
#[inline]
fn room<'c, G: Copy>(children: &'c mut Vec<G>, place: usize, position: &G) -> &'c mut G {
    if place == children.len() {
        children.push(*position);
    } else {
        children[place] = *position;
    }
    &mut children[place]
}

/// Room for the children of the nodes of a line of play, by the plies that are left.
pub struct ChildBuffers<G>(Vec<Vec<G>>);

impl<G: Playable> ChildBuffers<G> {
    /// Nothing yet; it grows as it is used.
    pub fn new() -> Self {
        Self(vec![Vec::new(); G::MAX_PLIES + 1])
    }
}

/// A thread's counters, and its memory.
pub struct Worker<'a, G: Playable> {
    children: &'a mut ChildBuffers<G>,
    shared: &'a Shared<'a>,
    /// Called now and then with the number of positions visited.
    tell: &'a mut dyn FnMut(u64),
    counter: NodeCounter<'a>,
}

impl<'a, G: Playable> Worker<'a, G> {
    pub fn new(
        shared: &'a Shared<'a>,
        children: &'a mut ChildBuffers<G>,
        tell: &'a mut dyn FnMut(u64),
    ) -> Self {
        Self { children, shared, tell, counter: NodeCounter::new(&shared.nodes) }
    }

    /// Whether a position that is not over is worth at least `beta`: a bound on its value. The
    /// answer of the first thread ends the work of the others.
    pub fn null_window(&mut self, position: &G, beta: Score) -> Result<Score, Halted> {
        let answer = self.node(position, beta)?;
        self.shared.answered.store(true, Relaxed);
        Ok(answer)
    }

    /// A move that makes sure of a value that a position is worth at least, and the position behind
    /// that move. The move that the table knows is tried first.
    pub fn move_reaching(
        &mut self,
        position: &G,
        value: Score,
    ) -> Result<Option<(G::Move, G)>, Halted> {
        let (key, left, proofs) = (position.key(), position.plies_left(), self.shared.proofs);
        let mut known = proofs.best_move(key, left);
        if known == 0 && left > LEAF_PLIES {
            self.node(position, value)?;
            known = proofs.best_move(key, left);
        }
        let mut moves = position.moves();
        moves.sort_by_key(|&mv| (mv.into() != known, -position.gain(mv)));
        for mv in moves {
            let mut child = *position;
            child.make(mv);
            let reaches = if child.is_over() {
                -Score::of_end(&child) >= value
            } else {
                -self.node(&child, Score(1 - value.0))? >= value
            };
            if reaches {
                return Ok(Some((mv, child)));
            }
        }
        Ok(None)
    }

    fn node(&mut self, position: &G, beta: Score) -> Result<Score, Halted> {
        if let Some(bound) = out_of_reach(position, beta) {
            return Ok(bound);
        }
        self.count()?;
        let left = position.plies_left();
        let mut children = std::mem::take(&mut self.children.0[left]);
        let answer = self.search(position, left, beta, &mut children);
        self.children.0[left] = children;
        answer
    }

    /// The work of a node, with memory for its children.
    fn search(
        &mut self,
        position: &G,
        left: usize,
        beta: Score,
        children: &mut Vec<G>,
    ) -> Result<Score, Halted> {
        let (key, began, shared) = (position.key(), self.counter.nodes(), self.shared);
        let proofs = (left > LEAF_PLIES).then_some(shared.proofs);
        let known = proofs.and_then(|proofs| proofs.get(key, left)).unwrap_or(Proof::NONE);
        if let Some(bound) = answer(known.lower, known.upper, beta) {
            return Ok(bound);
        }

        let structure = proofs.and_then(|_| position.structure());
        if let Some(structure) = &structure
            && let Some(bound) = self.structure_cutoff(position, structure, beta)
        {
            return Ok(bound);
        }

        if proofs.is_some()
            && let Some(bound) = self.deferred(position, beta)?
        {
            return Ok(bound);
        }

        let mut list = MoveList::new();
        position.generate(&mut list);
        let mut moves: ArrayVec<Candidate<G::Move>, MAX_MOVES> = ArrayVec::new();
        let mut best = Score::MIN;
        for &mv in &list {
            let child = room(children, moves.len(), position);
            child.make(mv);
            let (replies, swing) = child.threats();
            if replies == 0 {
                best = best.max(-Score::of_end(child));
                if best >= beta {
                    if let Some(proofs) = proofs {
                        proofs.put(key, left, Proof::at_least(best, mv.into(), 0));
                    }
                    return Ok(best);
                }
                continue;
            }
            if left > LEAF_PLIES + 1 {
                shared.proofs.prefetch(child.key(), left - 1);
            }
            let order = if mv.into() == known.mv {
                i32::MIN
            } else {
                let lacking = swing.map(|swing| {
                    let [one, two] = child.points();
                    let margin = (one - two) * position.side_to_move().sign();
                    beta.centipoints() / 100 - margin + swing
                });
                let lacking = match lacking {
                    Some(points @ 1..) => LACKING + LACKING_POINT * points,
                    _ => 0,
                };
                let number = G::sibling_group(mv).map_or(0, |(_, number)| number);
                replies as i32 * REPLY - GAIN * position.gain(mv) + lacking - SIBLING_RANK * number
            };
            moves.push(Candidate { order, mv, child: moves.len() as u16 });
        }

        if left >= ETC_PLIES {
            let mut refuting = None;
            moves.retain(|&mut Candidate { mv, child, .. }| {
                let child = &children[usize::from(child)];
                let Some(bound) = self.probe(child, left - 1, Score(1 - beta.0)) else {
                    return true;
                };
                if -bound >= beta {
                    refuting = refuting.max(Some((-bound, mv)));
                    return true;
                }
                best = best.max(-bound);
                false
            });
            if let Some((bound, mv)) = refuting {
                shared.proofs.put(key, left, Proof::at_least(bound, mv.into(), 0));
                return Ok(bound);
            }
        }

        let mut siblings = SiblingBounds::default();
        let mut open = &mut moves[..];
        while let Some(first) = (0..open.len()).min_by_key(|&i| open[i]) {
            open.swap(0, first);
            let Candidate { order, mv, child } = open[0];
            let child = &children[usize::from(child)];
            if left >= SHARE_PLIES && order < PUT_OFF && shared.busy.contains(child.key()) {
                open[0].order = PUT_OFF;
                continue;
            }
            let score = match siblings.bound::<G>(mv, Score::raised) {
                Some(bound) if bound < beta => bound,
                _ => {
                    let score = -self.child(child, left, Score(1 - beta.0))?;
                    siblings.insert::<G>(mv, score);
                    score
                }
            };
            best = best.max(score);
            if score >= beta {
                if let Some(proofs) = proofs {
                    let work = self.counter.nodes() - began + 1;
                    proofs.put(key, left, Proof::at_least(best, mv.into(), work));
                    if let Some(structure) = &structure {
                        shared.structure_bounds.put(structure, Bound::Lower, best);
                    }
                }
                return Ok(best);
            }
            open = &mut open[1..];
        }
        if let Some(proofs) = proofs {
            proofs.put(key, left, Proof::at_most(best, self.counter.nodes() - began + 1));
            if let Some(structure) = &structure {
                shared.structure_bounds.put(structure, Bound::Upper, best);
            }
        }
        Ok(best)
    }

    /// The answer, where it is the same when a player puts off their choices.
    fn deferred(&mut self, position: &G, beta: Score) -> Result<Option<Score>, Halted> {
        let (key, left, began) = (position.key(), position.plies_left(), self.counter.nodes());
        let mover = position.side_to_move();
        for player in [mover, mover.other()] {
            let Some(easier) = position.deferring(player) else { break };
            let bound = self.node(&easier, beta)?;
            if (bound < beta) == (player == mover) {
                let work = self.counter.nodes() - began + 1;
                let proofs = self.shared.proofs;
                let proof = if bound < beta {
                    Proof::at_most(bound, work)
                } else {
                    Proof::at_least(bound, proofs.best_move(easier.key(), left), work)
                };
                proofs.put(key, left, proof);
                return Ok(Some(bound));
            }
        }
        Ok(None)
    }

    /// The answer for a child, where the tables have it.
    #[inline]
    fn probe(&self, position: &G, left: usize, beta: Score) -> Option<Score> {
        let proof = self.shared.proofs.get(position.key(), left);
        proof
            .and_then(|proof| answer(proof.lower, proof.upper, beta))
            .or_else(|| self.structure_cutoff(position, &position.structure()?, beta))
    }

    /// The answer, where what is known of another position of the same structure gives it.
    #[inline]
    fn structure_cutoff(&self, position: &G, structure: &Structure, beta: Score) -> Option<Score> {
        let known = |bound| self.shared.structure_bounds.get(structure.key, bound);
        if let Some((score, values)) = known(Bound::Lower).filter(|known| known.0 >= beta) {
            let bound = -(-score).raised(position.differs(values).1);
            if bound >= beta {
                return Some(bound);
            }
        }
        let (score, values) = known(Bound::Upper).filter(|known| known.0 < beta)?;
        let bound = score.raised(position.differs(values).0);
        (bound < beta).then_some(bound)
    }

    /// Searches a child of a node with `left` plies to go, and lets the other threads know.
    #[inline]
    fn child(&mut self, child: &G, left: usize, beta: Score) -> Result<Score, Halted> {
        if left < SHARE_PLIES {
            return self.node(child, beta);
        }
        self.shared.busy.insert(child.key());
        let answer = self.node(child, beta);
        self.shared.busy.remove(child.key());
        answer
    }

    /// Counts a position, and looks at the limits now and then.
    #[inline]
    fn count(&mut self) -> Result<(), Halted> {
        let Shared { answered, control, .. } = self.shared;
        let tell = &mut self.tell;
        self.counter.count(|nodes| {
            tell(nodes);
            answered.load(Relaxed) || control.is_over()
        })
    }
}
