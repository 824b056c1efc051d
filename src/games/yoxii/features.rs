//! What the network of Yoxii sees: every piece, and where both players could move the totem, all as
//! seen from the totem.
//!
//! Symmetries of the board map the squares onto each other in eight classes. The board is turned so
//! that the totem stands on the first square of its class, and each class has its own weights for
//! every piece on every square. What is just as far from the totem is alike in all classes, and
//! shares weights in training.

use super::Yoxii;
use super::position::{BOARD, SIZE, SQUARES, STRIDE};
use crate::game::bits::{Bits, bit, image};
use crate::game::{Features, InputBuckets, Symmetry};

/// Classes of squares of the totem.
const CLASSES: usize = 8;
/// Pieces on a square: owner and value.
const KINDS: usize = 8;
/// Sets of squares: pieces of each kind, and where each player could move the totem.
const PLANES: usize = KINDS + 2;
const CLASS_INPUTS: usize = SQUARES * PLANES;

/// Pieces placed in one phase of the game.
const PHASE: usize = 4;

/// The board seen from a square of the totem.
#[derive(Clone, Copy)]
struct TotemView {
    class: u16,
    /// For every square of the board its number, 0 to 36, when the board is turned.
    numbers: [u16; 64],
}

static TOTEM_VIEWS: [TotemView; 64] = {
    let mut views = [TotemView { class: 0, numbers: [0; 64] }; 64];
    let mut firsts = [0; CLASSES];
    let mut classes = 0;
    let mut totem = 0;
    while totem < 64 {
        if BOARD & bit(totem) != 0 {
            let (mut class, mut symmetry) = (0, 0);
            while class < classes && turned(symmetry, totem) != firsts[class] {
                symmetry += 1;
                if symmetry == Yoxii::SYMMETRIES {
                    (class, symmetry) = (class + 1, 0);
                }
            }
            if class == classes {
                firsts[class] = totem;
                classes += 1;
            }
            views[totem].class = class as u16;
            let mut square = 0;
            while square < 64 {
                if BOARD & bit(square) != 0 {
                    let below = BOARD & (bit(turned(symmetry, square)) - 1);
                    views[totem].numbers[square] = below.count_ones() as u16;
                }
                square += 1;
            }
        }
        totem += 1;
    }
    views
};

/// Where a square goes under a symmetry of the board.
const fn turned(symmetry: usize, square: usize) -> usize {
    let (file, rank) = image(symmetry, square % STRIDE, square / STRIDE, SIZE);
    rank * STRIDE + file
}

/// Differences of two files or ranks, from -6 to 6.
const OFFSETS: usize = 2 * SIZE - 1;

impl Features for Yoxii {
    const INPUTS: usize = CLASSES * CLASS_INPUTS;
    const GROUPS: usize = OFFSETS * OFFSETS * PLANES;
    const HIDDEN: usize = 128;
    const PHASES: usize = SQUARES.div_ceil(PHASE);

    fn group(input: usize) -> usize {
        let (class, input) = (input / CLASS_INPUTS, input % CLASS_INPUTS);
        let (number, plane) = (input / PLANES, input % PLANES);
        let mut squares = Bits(BOARD);
        let square = squares.clone().nth(number).unwrap_or_default();
        let totem = squares.find(|&square| usize::from(TOTEM_VIEWS[square].class) == class);
        let totem = totem.unwrap_or_default();
        let offset = |from: usize, to: usize| to + SIZE - 1 - from;
        let files = offset(totem % STRIDE, square % STRIDE);
        let ranks = offset(totem / STRIDE, square / STRIDE);
        (ranks * OFFSETS + files) * PLANES + plane
    }

    #[inline]
    fn phase(&self) -> usize {
        (SQUARES - self.empty_squares().count_ones() as usize) / PHASE
    }

    fn for_each_input(&self, mut visit: impl FnMut(usize)) {
        let bucket = self.input_bucket();
        for (plane, set) in self.planes().into_iter().enumerate() {
            Bits(set).for_each(|square| visit(Self::input(bucket, plane, square)));
        }
    }
}

impl InputBuckets for Yoxii {
    const INPUT_BUCKETS: usize = 2 * TOTEM_VIEWS.len();
    type Planes = [u64; PLANES];

    #[inline]
    fn input(bucket: usize, plane: usize, square: usize) -> usize {
        let TotemView { class, numbers } = &TOTEM_VIEWS[bucket % TOTEM_VIEWS.len()];
        usize::from(*class) * CLASS_INPUTS + usize::from(numbers[square]) * PLANES + plane
    }

    #[inline]
    fn input_bucket(&self) -> usize {
        self.totem() + TOTEM_VIEWS.len() * self.side.index()
    }

    #[inline]
    fn planes(&self) -> [u64; PLANES] {
        let mut planes = [0; PLANES];
        let [high, low] = self.value_planes();
        for (i, player) in [self.side, self.side.other()].into_iter().enumerate() {
            let pieces = self.pieces(player);
            let [few, many] = [pieces & !high, pieces & high];
            let kinds = [few & !low, few & low, many & !low, many & low];
            planes[4 * i..][..4].copy_from_slice(&kinds);
            planes[KINDS + i] = self.landings(player);
        }
        planes
    }
}

#[cfg(test)]
mod tests {
    use rand::SeedableRng;

    use super::*;
    use crate::game::random::Random;
    use crate::game::{Game, random_game};

    fn inputs(position: &Yoxii) -> Vec<u16> {
        let mut inputs = position.inputs();
        inputs.sort_unstable();
        inputs
    }

    #[test]
    fn positions_are_seen_whole_and_turned() {
        let mut random = Random::seed_from_u64(5);
        for _ in 0..200 {
            for position in random_game::<Yoxii>(0, &mut random) {
                let seen = inputs(&position);
                let pieces = seen.iter().filter(|&&input| input as usize % PLANES < KINDS);
                assert_eq!(pieces.count(), Yoxii::MAX_PLIES - position.plies_left());
                assert!(seen.iter().all(|&input| (input as usize) < Yoxii::INPUTS));
                assert!(seen.windows(2).all(|pair| pair[0] < pair[1]), "{position:?}");
                assert!(position.phase() < Yoxii::PHASES);
                // Where no symmetry but the identity leaves the totem in place, all images look the
                // same.
                let images = (0..Yoxii::SYMMETRIES).map(|i| position.image(i));
                if images.clone().filter(|image| image.totem() == position.totem()).count() == 1 {
                    assert!(images.clone().all(|image| inputs(&image) == seen), "{position:?}");
                }
            }
        }
    }

    #[test]
    fn groups_are_of_inputs_as_far_from_the_totem() {
        let mut groups: Vec<usize> = (0..Yoxii::INPUTS).map(Yoxii::group).collect();
        assert!(groups.iter().all(|&group| group < Yoxii::GROUPS));
        for class in groups.chunks_mut(CLASS_INPUTS) {
            class.sort_unstable();
            assert!(class.windows(2).all(|pair| pair[0] < pair[1]));
        }
    }
}
