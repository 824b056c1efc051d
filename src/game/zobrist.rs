//! Hashing of positions: Zobrist constants, and making other hashes of one.
//!
//! The constants decide which positions share a bucket of a table, and so how many nodes a search
//! takes. They are made at compile time, which a generator with `rand`'s traits cannot do.

/// A hash of a number, which need not look random itself: the next output of SplitMix64 (Steele,
/// Lea, Flood: *Fast Splittable Pseudorandom Number Generators*, 2014) in the state `x`. Different
/// numbers have different hashes.
#[must_use]
pub const fn mix(x: u64) -> u64 {
    let mut z = x.wrapping_add(GAMMA);
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

/// How far SplitMix64's state moves from one output to the next.
const GAMMA: u64 = 0x9e37_79b9_7f4a_7c15;

/// A table of Zobrist constants: what SplitMix64 gives from this seed on.
#[must_use]
pub const fn table<const N: usize>(seed: u64) -> [u64; N] {
    let mut table = [0; N];
    let mut i = 0;
    while i < N {
        table[i] = mix(seed.wrapping_add(GAMMA.wrapping_mul(i as u64)));
        i += 1;
    }
    table
}
