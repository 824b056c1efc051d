//! Legal moves of Hokito.
//!
//! Seen from above, the piles and their nearest neighbours form a graph, and a move is a walk of
//! one to three edges that never goes straight back. The position keeps the neighbours of every
//! pile as a set ([`Hokito::neighbours`]), so a walk is a few table look-ups and the targets of a
//! pile come as one set:
//!
//! - The nearest pile *back* from a neighbour is the pile where the hop began, so "no turning back"
//!   is "every neighbour but the last square".
//! - A walk of three edges cannot end where it began, since the graph's edges are horizontal and
//!   vertical: two hops that are not opposite never cancel, and a third cannot repair both. So the
//!   start needs no special treatment.
//!
//! **Capacity.** A player owns at most six tops of each value. A pile of value 1 has at most 4
//! targets, of value 2 at most 4 * 3 = 12, of value 3 at most 35 other squares: 6 * (4 + 12 + 35) =
//! 306, below [`MAX_MOVES`](crate::game::MAX_MOVES).

use super::Hokito;
use super::position::{Move, SQUARES};
use crate::game::MoveList;
use crate::game::bits::{Bits, bit};

impl Hokito {
    /// The squares on which the pile on a square may land, from a walk of `value` hops.
    #[inline]
    fn reach(&self, from: usize, value: usize) -> u64 {
        let near = self.neighbours[from];
        match value {
            1 => near,
            2 => self.second::<4>(near) & !bit(from),
            _ => {
                let mut reach = 0;
                let mut rest = near;
                for _ in 0..4 {
                    let first = first_or_none(rest);
                    reach |= self.second::<3>(self.neighbours[first] & !bit(from)) & !bit(first);
                    rest &= rest.wrapping_sub(1);
                }
                reach
            }
        }
    }

    /// All neighbours of the squares of a set of at most `N`. Without branches, since how many
    /// there are is hard to predict.
    #[inline]
    fn second<const N: usize>(&self, mut set: u64) -> u64 {
        let mut reach = 0;
        for _ in 0..N {
            reach |= self.neighbours[first_or_none(set)];
            set &= set.wrapping_sub(1);
        }
        reach
    }

    /// Calls `visit` with every pile that the side to move owns and the set of its legal targets.
    #[inline]
    fn for_each_pile(&self, mut visit: impl FnMut(usize, u64) -> bool) {
        let own = self.owned[self.side.index()];
        let singles = self.occupied() & !self.stacks;
        for (value, of_value) in self.valued.iter().enumerate() {
            for from in Bits(own & of_value) {
                let kind = if self.stacks & bit(from) == 0 { singles } else { self.stacks };
                if !visit(from, self.reach(from, value + 1) & kind) {
                    return;
                }
            }
        }
    }

    #[inline]
    pub(super) fn list_moves(&self, moves: &mut MoveList<Move>) {
        self.for_each_pile(|from, targets| {
            moves.extend(Bits(targets).map(|to| Move::new(from, to)));
            true
        });
    }

    #[inline]
    pub(super) fn number_of_moves(&self) -> usize {
        let mut count = 0;
        self.for_each_pile(|_, targets| {
            count += targets.count_ones() as usize;
            true
        });
        count
    }

    /// The number of moves, and the points won by the best capture of the highest pile.
    #[inline]
    pub(super) fn moves_and_swing(&self) -> (usize, i32) {
        let mut count = 0;
        let highest = self.highest_pile();
        let mut attackers = 0;
        self.for_each_pile(|from, targets| {
            count += targets.count_ones() as usize;
            attackers |= (targets >> highest & 1) << from;
            true
        });
        let target = self.piles[highest];
        let best = (1..=3).rev().find(|&value| self.valued[value - 1] & attackers != 0);
        let sign = if self.owned[self.side.index()] & bit(highest) == 0 { 1 } else { -1 };
        let swing = best.map_or(0, |value| {
            (value as i32 + sign * i32::from(target.value)) * i32::from(target.height)
        });
        (count, swing.max(0))
    }

    #[inline]
    pub(super) fn no_moves(&self) -> bool {
        let mut none = true;
        self.for_each_pile(|_, targets| {
            none = targets == 0;
            none
        });
        none
    }

    /// The legal targets of one pile of the side to move; the empty set for any other square.
    #[inline]
    pub(super) fn targets(&self, from: usize) -> u64 {
        let pile = self.piles[from];
        if self.owned[self.side.index()] & bit(from) == 0 {
            return 0;
        }
        let kind = if pile.height > 1 { self.stacks } else { self.occupied() & !self.stacks };
        self.reach(from, pile.value as usize) & kind
    }
}

/// The lowest square of a set; [`SQUARES`], which is no square and has no neighbours, for the empty
/// set.
#[inline]
fn first_or_none(set: u64) -> usize {
    (set | bit(SQUARES)).trailing_zeros() as usize
}
