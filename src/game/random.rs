//! Random numbers that are the same on every platform and for ever.
//!
//! Random set-ups and Zobrist keys are promises: a seed written in a file must give the same
//! position in ten years. The random crates promise this for their generators but not for their
//! shuffles, so the few lines are here. The generator is SplitMix64 (Steele, Lea, Flood: *Fast
//! Splittable Pseudorandom Number Generators*, 2014).

/// A SplitMix64 generator.
#[derive(Clone, Debug)]
pub struct Random(u64);

impl Random {
    /// A generator whose whole sequence follows from the seed.
    #[must_use]
    pub const fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// The next 64 random bits.
    pub const fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// A number below `bound`, which is not 0, by the high half of a product (Lemire 2019); the
    /// bias is below `bound` in 2^64.
    pub const fn below(&mut self, bound: usize) -> usize {
        ((self.next() as u128 * bound as u128) >> 64) as usize
    }

    /// Puts the items into random order (Fisher-Yates, from the end).
    pub fn shuffle<T>(&mut self, items: &mut [T]) {
        for last in (1..items.len()).rev() {
            items.swap(last, self.below(last + 1));
        }
    }

    /// Fills a table of Zobrist constants at compile time.
    #[must_use]
    pub const fn table<const N: usize>(seed: u64) -> [u64; N] {
        let mut random = Self::new(seed);
        let mut table = [0; N];
        let mut i = 0;
        while i < N {
            table[i] = random.next();
            i += 1;
        }
        table
    }
}
