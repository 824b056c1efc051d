//! What perft remembers: leaves by position and depth.

use crate::search::OutOfMemory;
use crate::search::buckets::Buckets;

/// Bits of the data that hold the depth; the rest hold the count.
const DEPTH_BITS: u32 = 6;

/// A hash table of bounded size.
#[derive(Debug)]
pub(super) struct Table(Buckets);

impl Table {
    /// An empty table of this many MiB, at least 1.
    pub(super) fn new(mebibytes: usize) -> Result<Self, OutOfMemory> {
        Buckets::new(mebibytes).map(Self)
    }

    /// The leaves `depth` plies, at least 1, below the position with that key.
    pub(super) fn get(&self, key: u64, depth: u32) -> Option<u64> {
        let data = self.0.get(key).filter(|&data| depth_of(data) == depth)?;
        Some(data >> DEPTH_BITS)
    }

    /// Remembers a count, in place of the entry with the least depth. What does not fit into an
    /// entry is forgotten at once.
    pub(super) fn put(&self, key: u64, depth: u32, leaves: u64) {
        if depth >> DEPTH_BITS != 0 || leaves >> (u64::BITS - DEPTH_BITS) != 0 {
            return;
        }
        let entry = self.0.place(key, |data| depth_of(data) as i32);
        entry.put(key, leaves << DEPTH_BITS | u64::from(depth));
    }
}

const fn depth_of(data: u64) -> u32 {
    (data & ((1 << DEPTH_BITS) - 1)) as u32
}
