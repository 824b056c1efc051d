//! Maps and sets that are the same in every run.
//!
//! Those of the standard library have keys of their own in each process, so that what is done in
//! the order of a map differs from run to run. The keys of these are fixed: two runs of a program
//! do the same in the same order. It is still another one with another build or on another
//! processor, so what is written out in order is kept in a [`BTreeMap`](std::collections::BTreeMap)
//! or sorted.

use std::collections;
use std::hash::BuildHasher;

use ahash::{AHasher, RandomState};

/// A map with fixed keys; `HashMap::default()` is an empty one.
pub type HashMap<K, V> = collections::HashMap<K, V, FixedKeys>;

/// A set with fixed keys; `HashSet::default()` is an empty one.
pub type HashSet<T> = collections::HashSet<T, FixedKeys>;

/// Makes hashers whose keys are always the same.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct FixedKeys;

impl BuildHasher for FixedKeys {
    type Hasher = AHasher;

    fn build_hasher(&self) -> AHasher {
        const KEYS: RandomState = RandomState::with_seeds(1, 2, 3, 4);
        KEYS.build_hasher()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sets_that_are_filled_alike_have_one_order() {
        let in_order = || (0..1000).collect::<HashSet<u32>>().into_iter().collect::<Vec<_>>();
        assert_eq!(in_order(), in_order());
    }
}
