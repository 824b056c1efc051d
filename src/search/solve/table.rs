//! The solver's transposition table: what is proven of a position, shared by all threads.
//!
//! Unlike the table of the heuristic search an entry has no depth, since everything in it is true
//! for ever, and holds *two* bounds on the score: the outcome is proven first and the margin later,
//! so that both a lower and an upper bound are usually known.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use bytemuck::Zeroable;

use crate::game::Structure;
use crate::search::OutOfMemory;
use crate::search::buckets::Buckets;
use crate::search::score::Score;

/// What is proven of a position, for its side to move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Proof {
    /// The position is worth at least this.
    pub lower: Score,
    /// The position is worth at most this.
    pub upper: Score,
    /// A move that reaches the lower bound, or 0.
    pub mv: u16,
    /// The binary logarithm of the positions that the proof took, 0 to 63.
    pub work: u8,
}

impl Proof {
    /// Nothing is known.
    pub const NONE: Self = Self { lower: Score::MIN, upper: Score::MAX, mv: 0, work: 0 };

    /// Worth at least `score`, thanks to a move; it took `nodes` positions to prove.
    pub fn at_least(score: Score, mv: u16, nodes: u64) -> Self {
        Self { lower: score, mv, work: log(nodes), ..Self::NONE }
    }

    /// Worth at most `score`; it took `nodes` positions to prove.
    pub fn at_most(score: Score, nodes: u64) -> Self {
        Self { upper: score, work: log(nodes), ..Self::NONE }
    }

    fn pack(self) -> u64 {
        u64::from(self.mv)
            | u64::from(self.lower.0 as i16 as u16) << 16
            | u64::from(self.upper.0 as i16 as u16) << 32
            | u64::from(self.work) << 48
            | 1 << 63
    }

    fn unpack(data: u64) -> Self {
        Self {
            mv: data as u16,
            lower: Score(i32::from((data >> 16) as i16)),
            upper: Score(i32::from((data >> 32) as i16)),
            work: (data >> 48 & 63) as u8,
        }
    }
}

/// The binary logarithm, rounded down; 0 for 0.
fn log(nodes: u64) -> u8 {
    nodes.checked_ilog2().unwrap_or(0) as u8
}

/// Proofs of positions with at most this many plies to go are kept in the small table.
const SHALLOW_PLIES: usize = 15;

/// Memory for what is known of structures.
const STRUCTURE_MIB: usize = 4;

/// A table of proofs of fixed size; or rather two. Nearly all proofs are of positions close to the
/// end of the game, small and soon worthless. They have a table of 1 MiB for themselves, which
/// stays in the cache of the processor, and leave the large one to the others. That made the solver
/// 1.5 to 1.9 times as fast.
pub struct Proofs {
    deep: Buckets,
    shallow: Buckets,
}

impl Proofs {
    /// An empty table of this many MiB, at least 1, and one more.
    ///
    /// # Errors
    /// When the memory cannot be had.
    pub fn new(mebibytes: usize) -> Result<Self, OutOfMemory> {
        Ok(Self { deep: Buckets::new(mebibytes)?, shallow: Buckets::new(1)? })
    }

    /// Forgets everything.
    pub fn clear(&mut self) {
        self.deep.clear();
        self.shallow.clear();
    }

    /// Where proofs of positions with that many plies to go are kept.
    #[inline]
    fn buckets(&self, left: usize) -> &Buckets {
        if left > SHALLOW_PLIES { &self.deep } else { &self.shallow }
    }

    /// What is proven of the position with that key and that many plies to go.
    #[inline]
    pub fn get(&self, key: u64, left: usize) -> Option<Proof> {
        self.buckets(left).get(key).map(Proof::unpack)
    }

    /// The move that is known to reach the lower bound of that position, or 0.
    #[inline]
    pub fn best_move(&self, key: u64, left: usize) -> u16 {
        self.get(key, left).map_or(0, |proof| proof.mv)
    }

    /// Asks the processor to bring the place of a proof nearer.
    #[inline]
    pub fn prefetch(&self, key: u64, left: usize) {
        self.buckets(left).prefetch(key);
    }

    /// Adds what was proven: to what is known of the position, or in place of the entry that took
    /// the least work.
    #[inline]
    pub fn put(&self, key: u64, left: usize, mut proof: Proof) {
        let entry = self.buckets(left).place(key, |data| i32::from(Proof::unpack(data).work));
        if let Some(known) = entry.get(key).map(Proof::unpack) {
            if known.lower >= proof.lower {
                proof.lower = known.lower;
                proof.mv = if known.mv == 0 { proof.mv } else { known.mv };
            }
            proof.upper = proof.upper.min(known.upper);
            proof.work = proof.work.max(known.work);
        }
        entry.put(key, proof.pack());
    }
}

/// Which bound.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Bound {
    /// The position is worth at least this.
    Lower,
    /// The position is worth at most this.
    Upper,
}

/// For every [`Structure`] the best lower bound and the best upper bound that was proven of a
/// position, and of which. Others of the structure are worth nearly as much.
pub struct StructureBounds(Box<[[StructureEntry; 2]]>);

/// A bound on one position of a structure: its values, the score, and the key of the structure
/// combined with all three, as in [`Buckets`].
#[derive(Zeroable)]
#[repr(C)]
struct StructureEntry {
    check: AtomicU64,
    score: AtomicU64,
    values: [AtomicU64; 2],
}

impl StructureBounds {
    /// An empty table.
    ///
    /// # Errors
    /// When the memory cannot be had.
    pub fn new() -> Result<Self, OutOfMemory> {
        let places = (STRUCTURE_MIB << 20) / size_of::<[StructureEntry; 2]>();
        bytemuck::allocation::try_zeroed_slice_box(places)
            .map(Self)
            .map_err(|()| OutOfMemory { mebibytes: STRUCTURE_MIB })
    }

    /// Forgets everything: with fresh memory, for the reason that [`Buckets::clear`] gives.
    pub fn clear(&mut self) {
        match Self::new() {
            Ok(fresh) => *self = fresh,
            Err(_) => self.0.fill_with(Zeroable::zeroed),
        }
    }

    #[inline]
    fn place(&self, key: u64, bound: Bound) -> &StructureEntry {
        let index = (u128::from(key) * self.0.len() as u128) >> 64;
        &self.0[index as usize][bound as usize]
    }

    /// A bound on some position of a structure, and the values of that position.
    #[inline]
    pub fn get(&self, key: u64, bound: Bound) -> Option<(Score, [u64; 2])> {
        let entry = self.place(key, bound);
        let score = entry.score.load(Relaxed);
        let values = entry.values.each_ref().map(|values| values.load(Relaxed));
        let found = entry.check.load(Relaxed) ^ Self::mix(score, values);
        (found == key && score != 0).then_some((Score(score as i32), values))
    }

    /// Remembers a bound on a position, unless a better one is known of the structure.
    #[inline]
    pub fn put(&self, structure: &Structure, bound: Bound, score: Score) {
        let better = self.get(structure.key, bound).is_some_and(|(known, _)| match bound {
            Bound::Lower => known > score,
            Bound::Upper => known < score,
        });
        if better {
            return;
        }
        let entry = self.place(structure.key, bound);
        let score = u64::from(score.0 as u32) | 1 << 32;
        entry.check.store(structure.key ^ Self::mix(score, structure.values), Relaxed);
        entry.score.store(score, Relaxed);
        for (place, value) in entry.values.iter().zip(structure.values) {
            place.store(value, Relaxed);
        }
    }

    /// Values come as sets of the same squares: turned, so that what they share does not cancel.
    #[inline]
    fn mix(score: u64, [first, second]: [u64; 2]) -> u64 {
        score ^ first ^ second.rotate_left(21)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LEFT: usize = 20;

    #[test]
    fn bounds_of_one_position_are_joined() {
        let proofs = Proofs::new(1).expect("1 MiB");
        proofs.put(7, LEFT, Proof::at_least(Score(-300), 11, 9));
        proofs.put(7, LEFT, Proof::at_most(Score(20_100), 1 << 20));
        proofs.put(7, LEFT, Proof::at_least(Score(-20_000), 12, 1));
        let joined = Proof { lower: Score(-300), upper: Score(20_100), mv: 11, work: 20 };
        assert_eq!(proofs.get(7, LEFT), Some(joined));
        assert_eq!(proofs.get(8, LEFT), None);
    }

    #[test]
    fn a_full_bucket_gives_up_what_took_least_work() {
        let proofs = Proofs::new(1).expect("1 MiB");
        // Keys that differ in the lowest bits share a bucket.
        for key in 1..=4 {
            proofs.put(key, LEFT, Proof::at_least(Score(1), 5, 1 << (10 - key)));
        }
        proofs.put(5, LEFT, Proof::at_most(Score(0), 1));
        assert_eq!(proofs.get(4, LEFT), None);
        assert!([1, 2, 3, 5].iter().all(|&key| proofs.get(key, LEFT).is_some()));
    }

    #[test]
    fn plies_to_go_tell_where_a_proof_is() {
        let proofs = Proofs::new(1).expect("1 MiB");
        for left in [0, SHALLOW_PLIES, SHALLOW_PLIES + 1, 30] {
            let proof = Proof::at_most(Score(0), 1);
            proofs.put(left as u64, left, proof);
            assert_eq!(proofs.get(left as u64, left), Some(proof));
        }
    }

    #[test]
    fn a_shape_keeps_its_best_bounds() {
        let structure_bounds = StructureBounds::new().expect("a few MiB");
        let structure = |values| Structure { key: 7 << 60, values };
        for (bound, scores, best) in
            [(Bound::Lower, [-300, 20_100, 0], 20_100), (Bound::Upper, [5, -200, 9], -200)]
        {
            assert_eq!(structure_bounds.get(7 << 60, bound), None);
            for (i, score) in (0..).zip(scores) {
                structure_bounds.put(&structure([i, 8]), bound, Score(score));
            }
            assert_eq!(structure_bounds.get(7 << 60, bound), Some((Score(best), [1, 8])));
        }
        // Another structure takes the place.
        let other = Structure { key: 7 << 60 | 1, values: [3, 4] };
        structure_bounds.put(&other, Bound::Lower, Score(1));
        assert_eq!(structure_bounds.get(other.key, Bound::Lower), Some((Score(1), [3, 4])));
        assert_eq!(structure_bounds.get(7 << 60, Bound::Lower), None);
        assert_eq!(structure_bounds.get(7 << 60, Bound::Upper), Some((Score(-200), [1, 8])));
    }

    #[test]
    fn too_large_a_table_is_refused() {
        assert!(Proofs::new(usize::MAX).is_err());
    }
}
