//! What the network of Hokito sees: every pile, with its owner, value and height.

use super::Hokito;
use super::position::SQUARES;
use crate::game::Features;
use crate::game::bits::Bits;

/// Heights 1, 2, 3 and 4, and more.
const HEIGHTS: usize = 4;
/// The class of each height.
const HEIGHT_CLASS: [usize; SQUARES + 1] = {
    let mut classes = [3; SQUARES + 1];
    classes[1] = 0;
    classes[2] = 1;
    classes[3] = 2;
    classes[4] = 2;
    classes
};
/// Piles on a square: owner, value and class of height.
const KINDS: usize = 6 * HEIGHTS;

/// Squares emptied in one phase of the game.
const PHASE: usize = 4;

impl Features for Hokito {
    const INPUTS: usize = SQUARES * KINDS;
    const GROUPS: usize = KINDS;
    const HIDDEN: usize = 32;
    const PHASES: usize = SQUARES / PHASE;

    fn group(input: usize) -> usize {
        input % KINDS
    }

    #[inline]
    fn phase(&self) -> usize {
        (SQUARES - self.occupied().count_ones() as usize) / PHASE
    }

    #[inline]
    fn for_each_input(&self, mut visit: impl FnMut(usize)) {
        let own = self.side.index();
        for square in Bits(self.occupied()) {
            let pile = self.piles[square];
            let top = (usize::from(pile.owner) ^ own) * 3 + usize::from(pile.value) - 1;
            let height = HEIGHT_CLASS[usize::from(pile.height)];
            visit(square * KINDS + top * HEIGHTS + height);
        }
    }
}

#[cfg(test)]
mod tests {
    use rand::SeedableRng;

    use super::*;
    use crate::game::random::Random;
    use crate::game::{Symmetry, random_game};

    #[test]
    fn every_pile_is_seen_as_it_is() {
        let mut random = Random::seed_from_u64(6);
        for _ in 0..50 {
            for position in random_game::<Hokito>(1, &mut random) {
                let inputs = position.inputs();
                let mut seen = Vec::new();
                for input in inputs.iter().map(|&input| usize::from(input)) {
                    assert_eq!(Hokito::group(input), input % KINDS);
                    let pile = position.pile(input / KINDS);
                    let owner = position.side.index() ^ (input % KINDS / (3 * HEIGHTS));
                    assert_eq!(usize::from(pile.owner), owner);
                    assert_eq!(usize::from(pile.value), input % KINDS / HEIGHTS % 3 + 1);
                    let least = [1, 2, 3, 5][input % HEIGHTS];
                    let most = [1, 2, 4, 36][input % HEIGHTS];
                    assert!((least..=most).contains(&pile.height), "{position:?}");
                    seen.push(input / KINDS);
                }
                assert!(seen.into_iter().eq(Bits(position.occupied())));
                assert!(position.phase() < Hokito::PHASES);
                // With exchanged roles everything looks the same.
                let swapped = Symmetry::swapped(&position).expect("there is one").inputs();
                assert_eq!(swapped, inputs);
            }
        }
    }
}
