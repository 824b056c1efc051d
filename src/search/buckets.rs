//! The memory of a hash table that threads share without a lock.
//!
//! An entry is two words, `data` and `key ^ data` (Hyatt and Mann, *A lock-less transposition-table
//! implementation for parallel search*, 2002). A torn write makes the key not match, so what is
//! found is what was stored for exactly that 64-bit key. Four entries share a cache line.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use bytemuck::Zeroable;

use super::OutOfMemory;

/// A place for one entry.
#[derive(Debug, Zeroable)]
#[repr(C)]
pub struct AtomicEntry {
    check: AtomicU64,
    data: AtomicU64,
}

impl AtomicEntry {
    /// What is stored here, if it belongs to that key.
    #[inline]
    pub fn get(&self, key: u64) -> Option<u64> {
        let data = self.data.load(Relaxed);
        (self.check.load(Relaxed) ^ data == key && data != 0).then_some(data)
    }

    /// Whatever is stored here, 0 for nothing.
    #[inline]
    pub fn data(&self) -> u64 {
        self.data.load(Relaxed)
    }

    /// Stores data other than 0.
    #[inline]
    pub fn put(&self, key: u64, data: u64) {
        self.check.store(key ^ data, Relaxed);
        self.data.store(data, Relaxed);
    }
}

const WAYS: usize = 4;
const CACHE_LINE: usize = WAYS * size_of::<AtomicEntry>();

/// Entries in buckets, found by the high bits of a key.
#[derive(Debug)]
pub struct Buckets {
    /// Rust zeroes memory of more than the least alignment by hand, which would touch all of it
    /// before it is used. So the entries are allocated without, and the first few may stay unused.
    entries: Box<[AtomicEntry]>,
    /// The first entry on a cache line of its own.
    first: usize,
    count: usize,
}

impl Buckets {
    /// This many MiB of empty entries, at least 1. The operating system hands out the memory as it
    /// is first touched.
    ///
    /// # Errors
    /// When the memory cannot be had.
    pub fn new(mebibytes: usize) -> Result<Self, OutOfMemory> {
        let failed = OutOfMemory { mebibytes };
        let bytes = mebibytes.max(1).checked_mul(1 << 20).ok_or(failed)?;
        let count = bytes / CACHE_LINE;
        let entries: Box<[AtomicEntry]> =
            bytemuck::allocation::try_zeroed_slice_box((count + 1) * WAYS).map_err(|()| failed)?;
        let first = (entries.as_ptr().addr().wrapping_neg() % CACHE_LINE)
            .div_ceil(size_of::<AtomicEntry>());
        Ok(Self { entries, first, count })
    }

    /// Empties all entries.
    ///
    /// Fresh memory is zero without being touched. Zeroing the old in place would touch what nobody
    /// has, and a new game's first move would wait for it: 1.6 s with 2 GiB.
    pub fn clear(&mut self) {
        if let Ok(fresh) = Self::new((self.count * CACHE_LINE) >> 20) {
            *self = fresh;
            return;
        }
        for entry in &mut self.entries {
            *entry.check.get_mut() = 0;
            *entry.data.get_mut() = 0;
        }
    }

    /// The entries in which an entry of that key may be.
    #[inline]
    pub fn bucket(&self, key: u64) -> &[AtomicEntry] {
        let index = ((u128::from(key) * self.count as u128) >> 64) as usize;
        &self.entries[self.first + WAYS * index..][..WAYS]
    }

    /// What is stored for that key.
    #[inline]
    pub fn get(&self, key: u64) -> Option<u64> {
        self.bucket(key).iter().find_map(|entry| entry.get(key))
    }

    /// Where to store an entry of that key: in its own place, else in an empty one, else where the
    /// data is worth least.
    #[inline]
    pub fn place(&self, key: u64, worth: impl Fn(u64) -> i32) -> &AtomicEntry {
        let bucket = self.bucket(key);
        let mut place = &bucket[0];
        let mut least = i32::MAX;
        for entry in bucket {
            if entry.get(key).is_some() {
                return entry;
            }
            let data = entry.data();
            let worth = if data == 0 { i32::MIN } else { worth(data) };
            if worth < least {
                least = worth;
                place = entry;
            }
        }
        place
    }

    /// Asks the processor to bring the place of a key nearer.
    #[inline]
    pub fn prefetch(&self, key: u64) {
        #[cfg(target_arch = "x86_64")]
        {
            use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
            let place = self.bucket(key).as_ptr();
            // SAFETY: prefetching has no effect on memory, and the address is that of a reference.
            unsafe { _mm_prefetch::<_MM_HINT_T0>(place.cast()) };
        }
        #[cfg(not(target_arch = "x86_64"))]
        let _ = key;
    }

    /// Entries from one end of the memory, as good as any, for estimates: all of them if there are
    /// no more than a thousand.
    pub fn sample(&self) -> &[AtomicEntry] {
        let entries = &self.entries[self.first..][..self.count * WAYS];
        &entries[..entries.len().min(1000)]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn too_much_memory_is_refused() {
        assert!(Buckets::new(usize::MAX).is_err());
        assert!(Buckets::new(1 << 40).is_err());
    }

    #[test]
    fn a_bucket_is_a_cache_line() {
        let buckets = Buckets::new(1).expect("1 MiB");
        for key in [0, 1 << 63, u64::MAX] {
            let bucket = buckets.bucket(key);
            assert_eq!(bucket.as_ptr().addr() % CACHE_LINE, 0);
            assert_eq!(size_of_val(bucket), CACHE_LINE);
        }
    }

    #[test]
    fn the_least_worth_makes_room() {
        let mut buckets = Buckets::new(1).expect("1 MiB");
        // Keys that differ in the lowest bits share a bucket.
        for key in 1..=6 {
            buckets.place(key, |data| data as i32).put(key, 10 - key);
        }
        // 4, 5 and 6 were worth least when the next one came.
        assert_eq!(
            [1, 2, 3, 4, 5, 6].map(|key| buckets.get(key)),
            [Some(9), Some(8), Some(7), None, None, Some(4)]
        );
        buckets.place(2, |_| 0).put(2, 99);
        assert_eq!(buckets.get(2), Some(99));
        assert_eq!(buckets.get(1), Some(9));
        buckets.clear();
        assert!((1..=6).all(|key| buckets.get(key).is_none()));
    }
}
