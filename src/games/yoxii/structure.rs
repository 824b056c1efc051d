//! What decides the course of a game of Yoxii, and what only its result.

use super::Yoxii;
use super::position::BOARD;

/// Odd numbers without a pattern: the fractional parts of square roots, as in SHA-512.
const MIX: [u64; 2] = [0x6a09_e667_f3bc_c909, 0xbb67_ae85_84ca_a73b];

impl Yoxii {
    /// A hash of the squares of both players' pieces, the totem and the side to move; and of who
    /// chooses values in the end, and for which pieces.
    #[inline]
    pub(super) fn structure_key(&self) -> u64 {
        let fold = |a: u64, b: u64| {
            let product = u128::from(a) * u128::from(b);
            product as u64 ^ (product >> 64) as u64
        };
        let rest = u64::from(self.totem) << 1 | self.side.index() as u64;
        let first = fold(self.pieces[0] ^ MIX[0], MIX[1] ^ rest << 56);
        let key = fold(first ^ self.pieces[1], MIX[0] ^ rest);
        match self.who_defers() {
            Some(player) => fold(key ^ self.open_pieces(), MIX[1] ^ (player.index() as u64) << 56),
            None => key,
        }
    }

    /// The values of the pieces in binary, less one: the higher digits and the lower ones.
    #[inline]
    pub(super) const fn value_planes(&self) -> [u64; 2] {
        let [_, two, three, four] = self.valued;
        [three | four, two | four]
    }

    /// By how many points at most the margin, seen by the side to move, can be more and less than
    /// with other values on the same squares.
    #[inline]
    pub(super) fn margins_apart(&self, values: [u64; 2]) -> (i32, i32) {
        // Squares next to one on which the totem may still end.
        let open = self.empty_squares();
        let row = open | open << 1 | open >> 1;
        let near = (row | row << 8 | row >> 8) & BOARD;

        let (ours, theirs) = (at_least(self.value_planes()), at_least(values));
        let [own, other] = [self.side, self.side.other()].map(|player| self.pieces(player));
        let count = |set: u64| set.count_ones() as i32;
        let (mut more, mut less) = (0, 0);
        for (ours, theirs) in ours.into_iter().zip(theirs) {
            more += count(own & near & ours & !theirs) + count(other & near & theirs & !ours);
            less += count(own & near & theirs & !ours) + count(other & near & ours & !theirs);
            // What is not on the board is in hand.
            for in_hand in [
                count(own & theirs) - count(own & ours),
                count(other & ours) - count(other & theirs),
            ] {
                more += in_hand.max(0);
                less += (-in_hand).max(0);
            }
        }
        (more, less)
    }
}

/// The pieces of at least the value 2, 3 and 4.
#[inline]
const fn at_least([high, low]: [u64; 2]) -> [u64; 3] {
    [high | low, high, high & low]
}
