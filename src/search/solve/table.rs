//! The solver's transposition table: what is proven of a position, shared by all threads.
//!
//! Unlike the [table of the heuristic search](crate::search::table) an entry has no depth, since
//! everything in it is true for ever, and holds *two* bounds on the score: the outcome is proven first and
//! the margin later, so that both a lower and an upper bound are usually known. The words of an
//! entry and its full-length check are the same: `data` and `key ^ data`, four entries a cache line.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use bytemuck::Zeroable;

use crate::search::OutOfMemory;
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

    fn unpack(data: u64) -> Option<Self> {
        (data >> 63 != 0).then_some(Self {
            mv: data as u16,
            lower: Score(i32::from((data >> 16) as i16)),
            upper: Score(i32::from((data >> 32) as i16)),
            work: (data >> 48 & 63) as u8,
        })
    }
}

/// The binary logarithm, rounded down; 0 for 0.
fn log(nodes: u64) -> u8 {
    nodes.checked_ilog2().unwrap_or(0) as u8
}

#[derive(Zeroable)]
#[repr(C)]
struct Slot {
    check: AtomicU64,
    data: AtomicU64,
}

const WAYS: usize = 4;

#[derive(Zeroable)]
#[repr(C, align(64))]
struct Bucket([Slot; WAYS]);

/// A table of proofs of fixed size.
pub struct Proofs {
    buckets: Box<[Bucket]>,
}

impl Proofs {
    /// An empty table of this many MiB, at least 1.
    ///
    /// # Errors
    /// When the memory cannot be had.
    pub fn new(mebibytes: usize) -> Result<Self, OutOfMemory> {
        let failed = OutOfMemory { mebibytes };
        let bytes = mebibytes.max(1).checked_mul(1 << 20).ok_or(failed)?;
        let buckets = bytemuck::allocation::try_zeroed_slice_box(bytes / size_of::<Bucket>())
            .map_err(|()| failed)?;
        Ok(Self { buckets })
    }

    #[inline]
    fn bucket(&self, key: u64) -> &[Slot; WAYS] {
        let index = ((u128::from(key) * self.buckets.len() as u128) >> 64) as usize;
        &self.buckets[index].0
    }

    /// What is proven of the position with that key.
    #[inline]
    pub fn get(&self, key: u64) -> Option<Proof> {
        self.bucket(key).iter().find_map(|slot| {
            let data = slot.data.load(Relaxed);
            let found = slot.check.load(Relaxed) ^ data == key;
            if found { Proof::unpack(data) } else { None }
        })
    }

    /// Adds what was proven: to what is known of the position, or in place of the entry that took the
    /// least work.
    #[inline]
    pub fn put(&self, key: u64, proof: Proof) {
        let mut proof = proof;
        let mut victim = None;
        let mut least = i32::MAX;
        for slot in self.bucket(key) {
            let data = slot.data.load(Relaxed);
            let known = Proof::unpack(data);
            if slot.check.load(Relaxed) ^ data == key
                && let Some(known) = known
            {
                if known.lower >= proof.lower {
                    proof.lower = known.lower;
                    proof.mv = if known.mv == 0 { proof.mv } else { known.mv };
                }
                proof.upper = proof.upper.min(known.upper);
                proof.work = proof.work.max(known.work);
                victim = Some(slot);
                break;
            }
            let worth = known.map_or(-1, |known| i32::from(known.work));
            if worth < least {
                least = worth;
                victim = Some(slot);
            }
        }
        if let Some(slot) = victim {
            let data = proof.pack();
            slot.check.store(key ^ data, Relaxed);
            slot.data.store(data, Relaxed);
        }
    }
}
