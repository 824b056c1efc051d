//! What a seed gives, the same on every platform and in every version.
//!
//! A seed that stands in a file or on a command line must give the same set-ups and openings in ten
//! years. The generator's stream is that of a published algorithm and cannot change. But releases
//! of `rand` may change what its `shuffle` and `random_range` make of a stream. So set-ups, and the
//! moves of games that follow from a seed, are drawn with [`Draw`], a few lines on top of any
//! generator with `rand`'s traits; all else is drawn with `rand`'s own methods.

use rand::Rng;

/// The generator of all random numbers: SplitMix64, seeded with `SeedableRng::seed_from_u64`.
pub type Random = rand_xoshiro::SplitMix64;

/// Draws that are the same in every version.
pub trait Draw: Rng {
    /// A number below `bound`, which is not 0, by the high half of a product (Lemire 2019); the
    /// bias is below `bound` in 2^64.
    fn below(&mut self, bound: usize) -> usize {
        ((u128::from(self.next_u64()) * bound as u128) >> 64) as usize
    }

    /// Puts the items into random order (Fisher-Yates, from the end).
    fn permute<T>(&mut self, items: &mut [T]) {
        for last in (1..items.len()).rev() {
            items.swap(last, self.below(last + 1));
        }
    }
}

impl<R: Rng> Draw for R {}
