//! The solver's transposition table: what is proven of a position, shared by all threads.
//!
//! Unlike the table of the heuristic search an entry has no depth, since
//! everything in it is true for ever, and holds *two* bounds on the score: the outcome is proven first and
//! the margin later, so that both a lower and an upper bound are usually known.

use crate::search::OutOfMemory;
use crate::search::score::Score;
use crate::search::slots::Slots;

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

/// A table of proofs of fixed size.
pub struct Proofs(Slots);

impl Proofs {
    /// An empty table of this many MiB, at least 1.
    ///
    /// # Errors
    /// When the memory cannot be had.
    pub fn new(mebibytes: usize) -> Result<Self, OutOfMemory> {
        Slots::new(mebibytes).map(Self)
    }

    /// Forgets everything.
    pub fn clear(&mut self) {
        self.0.clear();
    }

    /// What is proven of the position with that key.
    #[inline]
    pub fn get(&self, key: u64) -> Option<Proof> {
        self.0.get(key).map(Proof::unpack)
    }

    /// Adds what was proven: to what is known of the position, or in place of the entry that took the
    /// least work.
    #[inline]
    pub fn put(&self, key: u64, mut proof: Proof) {
        let slot = self.0.place(key, |data| i32::from(Proof::unpack(data).work));
        if let Some(known) = slot.get(key).map(Proof::unpack) {
            if known.lower >= proof.lower {
                proof.lower = known.lower;
                proof.mv = if known.mv == 0 { proof.mv } else { known.mv };
            }
            proof.upper = proof.upper.min(known.upper);
            proof.work = proof.work.max(known.work);
        }
        slot.put(key, proof.pack());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bounds_of_one_position_are_joined() {
        let proofs = Proofs::new(1).expect("1 MiB");
        proofs.put(7, Proof::at_least(Score(-300), 11, 9));
        proofs.put(7, Proof::at_most(Score(20_100), 1 << 20));
        proofs.put(7, Proof::at_least(Score(-20_000), 12, 1));
        let joined = Proof { lower: Score(-300), upper: Score(20_100), mv: 11, work: 20 };
        assert_eq!(proofs.get(7), Some(joined));
        assert_eq!(proofs.get(8), None);
    }

    #[test]
    fn a_full_bucket_gives_up_what_took_least_work() {
        let proofs = Proofs::new(1).expect("1 MiB");
        // Keys that differ in the lowest bits share a bucket.
        for key in 1..=4 {
            proofs.put(key, Proof::at_least(Score(1), 5, 1 << (10 - key)));
        }
        proofs.put(5, Proof::at_most(Score(0), 1));
        assert_eq!(proofs.get(4), None);
        assert!([1, 2, 3, 5].iter().all(|&key| proofs.get(key).is_some()));
    }

    #[test]
    fn too_large_a_table_is_refused() {
        assert!(Proofs::new(usize::MAX).is_err());
    }
}
