//! A Yoxii position and what it keeps while moves are made.

use super::Yoxii;
use crate::game::bits::{Bits, bit};
use crate::game::{Outcome, Player, zobrist};

/// Files, and ranks, of the square around the board.
pub const SIZE: usize = 7;
/// Squares of the board.
pub const SQUARES: usize = 37;
/// Pieces of value 1 to 4 that each player has.
pub const SUPPLY: [u8; 4] = [5, 5, 5, 3];
/// Pieces of one player.
pub const PIECES: usize = 18;

/// The value, as far as moves are concerned, of a piece whose value is chosen in the end.
pub(super) const DEFERRED: usize = 5;

/// Square numbers are 8 * rank + file, so that a step in any direction is a fixed difference and
/// the unused eighth file keeps the ends of the ranks apart.
pub const STRIDE: usize = 8;
/// The middle of the board, d4.
pub const CENTRE: usize = 3 * STRIDE + 3;

/// Whether the square with that file and rank is on the board.
#[must_use]
pub const fn on_board(file: usize, rank: usize) -> bool {
    file < SIZE && rank < SIZE && file.abs_diff(3) + rank.abs_diff(3) <= 4
}

/// All squares of the board.
pub const BOARD: u64 = {
    let mut board = 0;
    let mut s = 0;
    while s < 64 {
        if on_board(s % STRIDE, s / STRIDE) {
            board |= bit(s);
        }
        s += 1;
    }
    board
};

/// The eight directions: four upwards in square numbers, four downwards.
pub const STEPS: [i32; 8] = [1, 7, 8, 9, -1, -7, -8, -9];

/// The squares from a square to the edge of the board, for each of [`STEPS`].
pub const RAYS: [[u64; 8]; 64] = {
    let mut rays = [[0; 8]; 64];
    let mut s = 0;
    while s < 64 {
        let mut d = 0;
        while d < 8 {
            let mut t = s as i32 + STEPS[d];
            while BOARD & bit(s) != 0 && t >= 0 && t < 64 && BOARD & bit(t as usize) != 0 {
                rays[s][d] |= bit(t as usize);
                t += STEPS[d];
            }
            d += 1;
        }
        s += 1;
    }
    rays
};

/// The squares next to a square.
pub const NEIGHBOURS: [u64; 64] = {
    let mut neighbours = [0; 64];
    let mut s = 0;
    while s < 64 {
        let mut d = 0;
        while d < 8 {
            let t = s as i32 + STEPS[d];
            if RAYS[s][d] != 0 {
                neighbours[s] |= bit(t as usize);
            }
            d += 1;
        }
        s += 1;
    }
    neighbours
};

/// The totem's new square, the square of the piece and the piece's value.
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
    /// A move from its three parts; `value` is 1 to 4.
    #[inline]
    #[must_use]
    pub const fn new(totem: usize, square: usize, value: usize) -> Self {
        Self((totem | square << 6 | (value - 1) << 12) as u16)
    }

    /// Where the totem goes.
    #[inline]
    #[must_use]
    pub const fn totem(self) -> usize {
        (self.0 & 63) as usize
    }

    /// Where the piece goes.
    #[inline]
    #[must_use]
    pub const fn square(self) -> usize {
        (self.0 >> 6 & 63) as usize
    }

    /// The value of the piece, 1 to 4.
    #[inline]
    #[must_use]
    pub const fn value(self) -> usize {
        (self.0 >> 12) as usize + 1
    }
}

const PIECE_KEYS: [u64; 64 * 8] = zobrist::table(0x0079_6f78_6969_0001);
const TOTEM_KEYS: [u64; 64] = zobrist::table(0x0079_6f78_6969_0002);
/// For the squares of pieces whose values are chosen in the end, and for the player who chooses.
pub(super) const DEFERRED_KEYS: [u64; 64] = zobrist::table(0x0079_6f78_6969_0004);
const SIDE_KEY: u64 = zobrist::table::<1>(0x0079_6f78_6969_0003)[0];

impl Yoxii {
    /// The empty board with the totem on its square.
    pub(super) fn empty(totem: usize, side: Player) -> Self {
        Self {
            pieces: [0; 2],
            valued: [0; 4],
            key: TOTEM_KEYS[totem] ^ if side == Player::Two { SIDE_KEY } else { 0 },
            hands: [SUPPLY; 2],
            kinds: [0b1111; 2],
            totem: totem as u8,
            side,
        }
    }

    /// Puts a piece from the hand of a player on an empty square.
    #[inline]
    pub(super) fn place(&mut self, player: Player, square: usize, value: usize) {
        let me = player.index();
        self.pieces[me] |= bit(square);
        if value == DEFERRED {
            self.key ^= DEFERRED_KEYS[square];
            return;
        }
        self.valued[value - 1] |= bit(square);
        self.key ^= PIECE_KEYS[square * 8 + me * 4 + value - 1];
        self.hands[me][value - 1] -= 1;
        self.kinds[me] &= !(u8::from(self.hands[me][value - 1] == 0) << (value - 1));
    }

    #[inline]
    pub(super) fn play(&mut self, mv: Move) {
        self.key ^= TOTEM_KEYS[self.totem as usize] ^ TOTEM_KEYS[mv.totem()] ^ SIDE_KEY;
        self.totem = mv.totem() as u8;
        self.place(self.side, mv.square(), mv.value());
        self.side = self.side.other();
    }

    /// The square of the totem.
    #[inline]
    #[must_use]
    pub const fn totem(&self) -> usize {
        self.totem as usize
    }

    /// The squares of a player's pieces.
    #[inline]
    #[must_use]
    pub const fn pieces(&self, player: Player) -> u64 {
        self.pieces[player.index()]
    }

    /// The pieces that a player still has, by value from 1.
    #[inline]
    #[must_use]
    pub const fn hand(&self, player: Player) -> [u8; 4] {
        self.hands[player.index()]
    }

    /// The squares without a piece; the totem's square is among them.
    #[inline]
    #[must_use]
    pub const fn empty_squares(&self) -> u64 {
        BOARD & !(self.pieces[0] | self.pieces[1])
    }

    /// The pieces whose values are still open.
    #[inline]
    pub(super) const fn open_pieces(&self) -> u64 {
        let [one, two, three, four] = self.valued;
        (self.pieces[0] | self.pieces[1]) & !(one | two | three | four)
    }

    /// What so many pieces of a player, chosen in the end, are worth.
    #[inline]
    pub(super) const fn best_in_hand(&self, player: Player, mut pieces: u32) -> i32 {
        let mut sum = 0;
        let mut value = self.hands[0].len();
        while value > 0 && pieces > 0 {
            let held = self.hands[player.index()][value - 1] as u32;
            let taken = if held < pieces { held } else { pieces };
            sum += taken as i32 * value as i32;
            pieces -= taken;
            value -= 1;
        }
        sum
    }

    /// The sum of the values of a player's pieces on the squares of a set.
    #[inline]
    #[must_use]
    pub const fn sum(&self, player: Player, set: u64) -> i32 {
        let own = self.pieces[player.index()] & set;
        let [one, two, three, four] = self.valued;
        let known = (one & own).count_ones()
            + 2 * (two & own).count_ones()
            + 3 * (three & own).count_ones()
            + 4 * (four & own).count_ones();
        let open = (self.open_pieces() & own).count_ones();
        known as i32 + self.best_in_hand(player, open)
    }

    /// The value of the piece on a square, 0 where there is none.
    #[inline]
    #[must_use]
    pub fn value_on(&self, square: usize) -> usize {
        (1..=4).find(|value| self.valued[value - 1] & bit(square) != 0).unwrap_or(0)
    }

    /// The points of both players, next to the totem.
    #[inline]
    pub(super) const fn points_now(&self) -> [i32; 2] {
        let around = NEIGHBOURS[self.totem as usize];
        [self.sum(Player::One, around), self.sum(Player::Two, around)]
    }

    /// The result if the game ended here: points, then pieces next to the totem.
    pub(super) const fn outcome_now(&self) -> Outcome {
        let around = NEIGHBOURS[self.totem as usize];
        let [one, two] = self.points_now();
        let margin = one - two;
        let more = (self.pieces[0] & around).count_ones() as i32
            - (self.pieces[1] & around).count_ones() as i32;
        let winner = match if margin != 0 { margin } else { more } {
            0 => None,
            1.. => Some(Player::One),
            _ => Some(Player::Two),
        };
        Outcome { winner, margin }
    }

    /// The squares of all pieces, with owner and value.
    pub(super) fn each_piece(&self) -> impl Iterator<Item = (usize, Player, usize)> + '_ {
        [Player::One, Player::Two].into_iter().flat_map(move |player| {
            Bits(self.pieces(player)).map(move |square| (square, player, self.value_on(square)))
        })
    }
}
