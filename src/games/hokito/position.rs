//! A Hokito position and what it keeps while moves are made.

use super::Hokito;
use crate::game::bits::{Bits, bit};
use crate::game::{Outcome, Player, zobrist};

/// Squares of the board: a1 = 0, b1 = 1, ..., f6 = 35.
pub const SQUARES: usize = 36;
/// Files, and ranks.
pub const SIZE: usize = 6;
/// Pieces of one value that one player has.
pub const PIECES_OF_A_KIND: usize = 6;

/// From one square to another: from + 64 * to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Move(u16);

impl From<u16> for Move {
    #[inline]
    fn from(bits: u16) -> Self {
        Self(bits)
    }
}

impl From<Move> for u16 {
    #[inline]
    fn from(mv: Move) -> Self {
        mv.0
    }
}

impl Move {
    /// The move between two squares.
    #[inline]
    #[must_use]
    pub const fn new(from: usize, to: usize) -> Self {
        Self((from | to << 6) as u16)
    }

    /// The square whose pile moves.
    #[inline]
    #[must_use]
    pub const fn from_square(self) -> usize {
        (self.0 & 63) as usize
    }

    /// The square of the pile on which it lands.
    #[inline]
    #[must_use]
    pub const fn to_square(self) -> usize {
        (self.0 >> 6) as usize
    }
}

/// A pile, or no pile: all that the rules know of a square.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pile {
    /// Pieces in the pile; 0 where the square is empty.
    pub height: u8,
    /// 1 to 3, or 0 where the square is empty.
    pub value: u8,
    /// 0 for Black, 1 for White; 0 where the square is empty.
    pub owner: u8,
}

impl Pile {
    /// No pile.
    pub const EMPTY: Self = Self { height: 0, value: 0, owner: 0 };

    /// Value times height.
    #[inline]
    #[must_use]
    pub const fn points(self) -> i16 {
        self.value as i16 * self.height as i16
    }

    /// The Zobrist constant of this pile on a square: one for the top, one for the height.
    #[inline]
    fn key(self, square: usize) -> u64 {
        TOP_KEYS[square * 6 + self.owner as usize * 3 + self.value as usize - 1]
            ^ HEIGHT_KEYS[square * SQUARES + self.height as usize - 1]
    }
}

const TOP_KEYS: [u64; SQUARES * 6] = zobrist::table(0x686f_6b69_746f_0001);
const HEIGHT_KEYS: [u64; SQUARES * SQUARES] = zobrist::table(0x686f_6b69_746f_0002);
const SIDE_KEY: u64 = zobrist::table::<1>(0x686f_6b69_746f_0003)[0];

/// The squares north, south, east and west of each square, to the edge of the board.
const RAYS: [[u64; 4]; SQUARES] = {
    let mut rays = [[0; 4]; SQUARES];
    let mut s = 0;
    while s < SQUARES {
        let mut t = 0;
        while t < SQUARES {
            if t % SIZE == s % SIZE && t > s {
                rays[s][0] |= bit(t);
            } else if t % SIZE == s % SIZE && t < s {
                rays[s][1] |= bit(t);
            } else if t / SIZE == s / SIZE && t > s {
                rays[s][2] |= bit(t);
            } else if t / SIZE == s / SIZE && t < s {
                rays[s][3] |= bit(t);
            }
            t += 1;
        }
        s += 1;
    }
    rays
};

impl Hokito {
    /// A position built from its piles; everything else is derived.
    pub(super) fn from_piles(piles: [Pile; SQUARES], side: Player) -> Self {
        let mut position = Self {
            neighbours: [0; SQUARES + 1],
            piles,
            owned: [0; 2],
            valued: [0; 3],
            stacks: 0,
            points: [0; 2],
            side,
            key: if side == Player::Two { SIDE_KEY } else { 0 },
        };
        for (square, pile) in piles.iter().enumerate().filter(|(_, pile)| pile.height > 0) {
            position.owned[pile.owner as usize] |= bit(square);
            position.valued[pile.value as usize - 1] |= bit(square);
            position.stacks |= if pile.height > 1 { bit(square) } else { 0 };
            position.points[pile.owner as usize] += pile.points();
            position.key ^= pile.key(square);
        }
        let occupied = position.occupied();
        for square in Bits(occupied) {
            let [north, south, east, west] = RAYS[square].map(|ray| ray & occupied);
            position.neighbours[square] =
                lowest(north) | highest(south) | lowest(east) | highest(west);
        }
        position
    }

    /// The squares that hold a pile.
    #[inline]
    #[must_use]
    pub const fn occupied(&self) -> u64 {
        self.owned[0] | self.owned[1]
    }

    /// The pile on a square.
    #[inline]
    #[must_use]
    pub const fn pile(&self, square: usize) -> Pile {
        self.piles[square]
    }

    /// The squares of a player's piles.
    #[inline]
    #[must_use]
    pub const fn owned(&self, player: Player) -> u64 {
        self.owned[player.index()]
    }

    /// The square of the highest pile, of several the last one.
    #[inline]
    pub(super) fn highest_pile(&self) -> usize {
        let highest = Bits(self.stacks).max_by_key(|&square| self.piles[square].height);
        highest.unwrap_or(self.occupied().trailing_zeros() as usize)
    }

    /// The result if the game ended here.
    pub(super) fn outcome_now(&self) -> Outcome {
        let margin = i32::from(self.points[0] - self.points[1]);
        let winner = match margin.signum() {
            1 => Some(Player::One),
            -1 => Some(Player::Two),
            _ => None,
        };
        Outcome { winner, margin }
    }

    /// Makes the nearest piles on both sides of a square that is emptied neighbours of each other.
    #[inline]
    fn splice_out(&mut self, square: usize) {
        let around = std::mem::take(&mut self.neighbours[square]);
        let [north, south, east, west] = RAYS[square].map(|ray| ray & around);
        let this = bit(square);
        // A branch on whether there is a pile on a side would be hard to predict. Instead the last
        // entry takes what is meant for no pile.
        for (near, far) in [(north, south), (south, north), (east, west), (west, east)] {
            self.neighbours[(near | bit(SQUARES)).trailing_zeros() as usize] ^= this ^ far;
        }
        self.neighbours[SQUARES] = 0;
    }

    #[inline]
    pub(super) fn play(&mut self, mv: Move) {
        let (from, to) = (mv.from_square(), mv.to_square());
        let (moved, covered) = (self.piles[from], self.piles[to]);
        let me = moved.owner as usize;
        let merged = Pile { height: moved.height + covered.height, ..moved };

        self.lift(from, moved);
        self.lift(to, covered);
        self.drop(to, merged);
        self.splice_out(from);
        self.points[covered.owner as usize] -= covered.points();
        self.points[me] += moved.value as i16 * covered.height as i16;
        self.key ^= moved.key(from) ^ covered.key(to) ^ merged.key(to) ^ SIDE_KEY;
        self.side = self.side.other();
    }

    #[inline]
    fn lift(&mut self, square: usize, pile: Pile) {
        self.owned[pile.owner as usize] ^= bit(square);
        self.valued[pile.value as usize - 1] ^= bit(square);
        self.stacks &= !bit(square);
        self.piles[square] = Pile::EMPTY;
    }

    #[inline]
    fn drop(&mut self, square: usize, pile: Pile) {
        self.owned[pile.owner as usize] ^= bit(square);
        self.valued[pile.value as usize - 1] ^= bit(square);
        self.stacks |= u64::from(pile.height > 1) << square;
        self.piles[square] = pile;
    }
}

/// The lowest square of a set, as a set.
#[inline]
const fn lowest(set: u64) -> u64 {
    set & set.wrapping_neg()
}

/// The highest square of a set, as a set.
#[inline]
const fn highest(set: u64) -> u64 {
    if set == 0 { 0 } else { 1 << set.ilog2() }
}
