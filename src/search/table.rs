//! The transposition table, shared by all threads without a lock.
//!
//! An entry is two words, `data` and `key ^ data` (Hyatt and Mann, *A lock-less transposition-table
//! implementation for parallel search*, 2002). A torn write makes the key not match, so what is found
//! is what was stored for exactly that 64-bit key. Four entries share a cache line.

use std::sync::atomic::{AtomicU8, AtomicU64, Ordering::Relaxed};

use bytemuck::Zeroable;

use super::OutOfMemory;
use super::score::Score;

/// What a stored score says about the value of its position.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Bound {
    /// At least the score: a move was too good.
    Lower = 1,
    /// At most the score: no move was good enough.
    Upper = 2,
    /// The score itself.
    Exact = 3,
}

/// What the table knows of a position.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Entry {
    /// The best move found, or 0 when there was none to tell.
    pub mv: u16,
    /// The score found.
    pub score: Score,
    /// How to read the score.
    pub bound: Bound,
    /// Remaining plies of the search that found it, 0 to 127.
    pub depth: u8,
    /// The static evaluation in centipoints.
    pub eval: i16,
}

const GENERATIONS: u8 = 64;

impl Entry {
    fn pack(self, generation: u8) -> u64 {
        u64::from(self.mv)
            | u64::from(self.score.0 as i16 as u16) << 16
            | u64::from(self.eval as u16) << 32
            | u64::from(self.depth) << 48
            | (self.bound as u64) << 56
            | u64::from(generation) << 58
    }

    /// The best move found; it is of that very position but for a collision of keys.
    #[inline]
    #[must_use]
    pub fn best_move<M: From<u16>>(self) -> Option<M> {
        (self.mv != 0).then(|| M::from(self.mv))
    }

    /// Whether the score settles a search of `depth` plies with that window.
    #[inline]
    #[must_use]
    pub fn answers(self, depth: i32, alpha: Score, beta: Score) -> bool {
        let deep = i32::from(self.depth) >= depth;
        let at_least = self.bound != Bound::Upper && (deep || self.score.is_win());
        let at_most = self.bound != Bound::Lower && (deep || self.score.is_loss());
        at_least && (at_most || self.score >= beta) || at_most && self.score <= alpha
    }

    fn unpack(data: u64) -> Option<Self> {
        let bound = match data >> 56 & 3 {
            1 => Bound::Lower,
            2 => Bound::Upper,
            3 => Bound::Exact,
            _ => return None,
        };
        Some(Self {
            mv: data as u16,
            score: Score(i32::from((data >> 16) as i16)),
            bound,
            depth: (data >> 48) as u8,
            eval: (data >> 32) as i16,
        })
    }
}

#[derive(Zeroable)]
#[repr(C)]
struct Slot {
    check: AtomicU64,
    data: AtomicU64,
}

const WAYS: usize = 4;

const CACHE_LINE: usize = 64;

/// A transposition table of fixed size.
pub struct Table {
    /// Rust zeroes memory of more than the least alignment by hand, which would touch all of it before
    /// the first search. So the slots are allocated without, and the first few may stay unused.
    slots: Box<[Slot]>,
    /// The first slot on a cache line of its own.
    first: usize,
    buckets: usize,
    generation: AtomicU8,
}

impl Table {
    /// An empty table of this many MiB, at least 1. The operating system hands out the memory as
    /// it is first touched.
    ///
    /// # Errors
    /// When the memory cannot be had.
    pub fn new(mebibytes: usize) -> Result<Self, OutOfMemory> {
        let failed = OutOfMemory { mebibytes };
        let bytes = mebibytes.max(1).checked_mul(1 << 20).ok_or(failed)?;
        let buckets = bytes / CACHE_LINE;
        let slots: Box<[Slot]> = bytemuck::allocation::try_zeroed_slice_box((buckets + 1) * WAYS)
            .map_err(|()| failed)?;
        let first = (slots.as_ptr().addr().wrapping_neg() % CACHE_LINE).div_ceil(size_of::<Slot>());
        Ok(Self { slots, first, buckets, generation: AtomicU8::new(0) })
    }

    /// Forgets everything.
    ///
    /// Fresh memory is zero without being touched. Zeroing the old in place would touch what no search
    /// has, and a new game's first move would wait for it: 1.6 s with 2 GiB.
    pub fn clear(&mut self) {
        if let Ok(fresh) = Self::new((self.buckets * CACHE_LINE) >> 20) {
            *self = fresh;
            return;
        }
        for slot in &mut self.slots {
            *slot.check.get_mut() = 0;
            *slot.data.get_mut() = 0;
        }
        *self.generation.get_mut() = 0;
    }

    /// Begins a search: entries of earlier ones are replaced first.
    pub fn new_search(&mut self) {
        let generation = self.generation.get_mut();
        *generation = (*generation + 1) % GENERATIONS;
    }

    #[inline]
    fn bucket(&self, key: u64) -> &[Slot] {
        let index = ((u128::from(key) * self.buckets as u128) >> 64) as usize;
        &self.slots[self.first + WAYS * index..][..WAYS]
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

    /// What is known of the position with that key.
    #[inline]
    pub fn get(&self, key: u64) -> Option<Entry> {
        self.bucket(key).iter().find_map(|slot| {
            let data = slot.data.load(Relaxed);
            let found = slot.check.load(Relaxed) ^ data == key;
            if found { Entry::unpack(data) } else { None }
        })
    }

    /// Stores what was found, in place of the same position or of the entry least worth keeping:
    /// shallow, or from an earlier search.
    #[inline]
    pub fn put(&self, key: u64, entry: Entry) {
        let generation = self.generation.load(Relaxed);
        let mut victim = None;
        let mut least = i32::MAX;
        for slot in self.bucket(key) {
            let data = slot.data.load(Relaxed);
            if slot.check.load(Relaxed) ^ data == key {
                victim = Some(slot);
                break;
            }
            let age = i32::from((generation + GENERATIONS - (data >> 58) as u8) % GENERATIONS);
            let worth = match Entry::unpack(data) {
                None => i32::MIN,
                Some(old) => i32::from(old.depth) - 4 * age,
            };
            if worth < least {
                least = worth;
                victim = Some(slot);
            }
        }
        if let Some(slot) = victim {
            let data = entry.pack(generation);
            slot.check.store(key ^ data, Relaxed);
            slot.data.store(data, Relaxed);
        }
    }

    /// The part of a sample of the table that the current search filled, in thousandths.
    #[must_use]
    pub fn fullness(&self) -> u32 {
        let generation = u64::from(self.generation.load(Relaxed));
        let sample = &self.slots[self.first..][..WAYS * self.buckets.min(250)];
        let used = sample.iter().map(|slot| slot.data.load(Relaxed));
        let count = used.filter(|data| data >> 56 & 3 != 0 && data >> 58 == generation).count();
        (count * 1000 / sample.len()) as u32
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entry(depth: u8) -> Entry {
        Entry { mv: 77, score: Score(-20_300), bound: Bound::Upper, depth, eval: -1234 }
    }

    #[test]
    fn an_entry_comes_back_as_it_was_put() {
        let table = Table::new(1).expect("1 MiB");
        for bound in [Bound::Lower, Bound::Upper, Bound::Exact] {
            let stored = Entry { bound, ..entry(9) };
            table.put(42, stored);
            assert_eq!(table.get(42), Some(stored));
        }
        assert_eq!(table.get(43), None);
    }

    #[test]
    fn a_shallow_proof_counts_on_the_side_of_the_winner_only() {
        let win = Entry { score: Score(20_300), bound: Bound::Exact, ..entry(3) };
        assert!(win.answers(9, Score(20_000), Score(20_100)), "at least this win");
        assert!(!win.answers(9, Score(20_400), Score(20_500)), "perhaps a better one");
        assert!(win.answers(3, Score(20_400), Score(20_500)), "not at this depth");
        let loss = entry(3);
        assert!(loss.answers(9, Score(-20_200), Score(-20_100)));
        assert!(!loss.answers(9, Score(-20_500), Score(-20_400)));
        let expected = Entry { score: Score(300), bound: Bound::Lower, ..entry(3) };
        assert!(expected.answers(3, Score(100), Score(200)));
        assert!(!expected.answers(4, Score(100), Score(200)));
        assert!(!expected.answers(3, Score(400), Score(500)));
    }

    #[test]
    fn a_full_bucket_gives_up_old_and_shallow_entries_first() {
        let mut table = Table::new(1).expect("1 MiB");
        // Keys that differ in the lowest bits share a bucket.
        for key in 1..=4 {
            table.put(key, entry(10 + key as u8));
        }
        table.put(5, entry(1));
        assert_eq!(table.get(1), None, "the shallowest went");
        table.new_search();
        table.put(5, entry(9));
        table.put(6, entry(2));
        assert!(table.get(2).is_none() && table.get(5).is_some(), "the old one went");
        table.clear();
        assert!((1..=6).all(|key| table.get(key).is_none()));
    }

    #[test]
    fn too_large_a_table_is_refused() {
        assert!(Table::new(usize::MAX).is_err());
        assert!(Table::new(1 << 40).is_err());
    }
}
