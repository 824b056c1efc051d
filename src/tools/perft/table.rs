//! What perft remembers: leaves by position and depth.
//!
//! All threads read and write it without locks. An entry is two words, its data and the key xor
//! the data, so that an entry whose halves stem from two writers answers to no key (Hyatt and Mann: *A
//! Lockless Transposition Table Implementation for Parallel Search*, 2002).

use std::sync::atomic::{AtomicU64, Ordering};

use bytemuck::Zeroable;

use crate::search::OutOfMemory;

/// Bits of the data that hold the depth; the rest hold the count.
const DEPTH_BITS: u32 = 6;

/// Entries that share a line of the processor's cache.
const WAYS: usize = 4;

#[derive(Debug, Zeroable)]
#[repr(C)]
struct Entry {
    check: AtomicU64,
    data: AtomicU64,
}

#[derive(Debug, Zeroable)]
#[repr(C, align(64))]
struct Bucket([Entry; WAYS]);

/// A hash table of bounded size.
#[derive(Debug)]
pub(super) struct Table(Box<[Bucket]>);

impl Table {
    /// An empty table of this many MiB, at least 1.
    pub(super) fn new(mebibytes: usize) -> Result<Self, OutOfMemory> {
        let out_of_memory = OutOfMemory { mebibytes };
        let bytes = mebibytes.max(1).checked_mul(1 << 20).ok_or(out_of_memory)?;
        let buckets = bytemuck::allocation::try_zeroed_slice_box(bytes / size_of::<Bucket>())
            .map_err(|()| out_of_memory)?;
        Ok(Self(buckets))
    }

    /// The leaves `depth` plies, at least 1, below the position with that key.
    pub(super) fn get(&self, key: u64, depth: u32) -> Option<u64> {
        self.bucket(key).0.iter().find_map(|entry| {
            let data = entry.data.load(Ordering::Relaxed);
            let found =
                entry.check.load(Ordering::Relaxed) ^ data == key && depth_of(data) == depth;
            found.then_some(data >> DEPTH_BITS)
        })
    }

    /// Remembers a count, in place of the entry with the least depth. What does not fit into an
    /// entry is forgotten at once.
    pub(super) fn put(&self, key: u64, depth: u32, leaves: u64) {
        if depth >> DEPTH_BITS != 0 || leaves >> (u64::BITS - DEPTH_BITS) != 0 {
            return;
        }
        let depth_in = |entry: &&Entry| depth_of(entry.data.load(Ordering::Relaxed));
        if let Some(entry) = self.bucket(key).0.iter().min_by_key(depth_in) {
            let data = leaves << DEPTH_BITS | u64::from(depth);
            entry.check.store(key ^ data, Ordering::Relaxed);
            entry.data.store(data, Ordering::Relaxed);
        }
    }

    fn bucket(&self, key: u64) -> &Bucket {
        &self.0[((u128::from(key) * self.0.len() as u128) >> 64) as usize]
    }
}

const fn depth_of(data: u64) -> u32 {
    (data & ((1 << DEPTH_BITS) - 1)) as u32
}
