//! The transposition table, shared by all threads.

use std::sync::atomic::{AtomicU8, Ordering::Relaxed};

use super::OutOfMemory;
use super::buckets::{AtomicEntry, Buckets};
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

/// A transposition table of fixed size.
pub struct Table {
    buckets: Buckets,
    generation: AtomicU8,
}

impl Table {
    /// An empty table of this many MiB, at least 1.
    ///
    /// # Errors
    /// When the memory cannot be had.
    pub fn new(mebibytes: usize) -> Result<Self, OutOfMemory> {
        Ok(Self { buckets: Buckets::new(mebibytes)?, generation: AtomicU8::new(0) })
    }

    /// Forgets everything.
    pub fn clear(&mut self) {
        self.buckets.clear();
        *self.generation.get_mut() = 0;
    }

    /// Begins a search: entries of earlier ones are replaced first.
    pub fn new_search(&mut self) {
        let generation = self.generation.get_mut();
        *generation = (*generation + 1) % GENERATIONS;
    }

    /// Asks the processor to bring the place of a key nearer.
    #[inline]
    pub fn prefetch(&self, key: u64) {
        self.buckets.prefetch(key);
    }

    /// What is known of the position with that key.
    #[inline]
    pub fn get(&self, key: u64) -> Option<Entry> {
        self.buckets.get(key).and_then(Entry::unpack)
    }

    /// Stores what was found, in place of the same position or of the entry least worth keeping:
    /// shallow, or from an earlier search.
    #[inline]
    pub fn put(&self, key: u64, entry: Entry) {
        let generation = self.generation.load(Relaxed);
        let worth = |data: u64| {
            let age = i32::from((generation + GENERATIONS - (data >> 58) as u8) % GENERATIONS);
            i32::from((data >> 48) as u8) - 4 * age
        };
        self.buckets.place(key, worth).put(key, entry.pack(generation));
    }

    /// The part of a sample of the table that the current search filled, in thousandths.
    #[must_use]
    pub fn fullness(&self) -> u32 {
        let generation = u64::from(self.generation.load(Relaxed));
        let sample = self.buckets.sample();
        let used = sample.iter().map(AtomicEntry::data);
        let count = used.filter(|&data| data != 0 && data >> 58 == generation).count();
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
}
