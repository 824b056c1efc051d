//! Yoxii (Jeremy Partinico): pieces of four values placed around a wandering totem.

mod deferred;
mod eval;
mod features;
mod moves;
mod notation;
mod position;
mod structure;

pub use position::{CENTRE, Move, PIECES, SIZE, SQUARES, SUPPLY};

use rand::Rng;

use crate::game::{Effort, Endgame, Game, MoveList, Outcome, Player, Setup, Structure, Symmetry};
use position::STRIDE;

/// A position of Yoxii.
///
/// Player one is White.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Yoxii {
    pieces: [u64; 2],
    /// The pieces of value 1 to 4, of both players.
    valued: [u64; 4],
    key: u64,
    hands: [[u8; 4]; 2],
    /// Bit v - 1 is set while value v is in hand, or only that of [`DEFERRED`](position::DEFERRED).
    kinds: [u8; 2],
    totem: u8,
    side: Player,
}

impl Game for Yoxii {
    type Move = Move;

    // Every move places one of 36 pieces.
    const MAX_PLIES: usize = 2 * PIECES;

    fn start() -> Self {
        Self::empty(CENTRE, Player::One)
    }

    #[inline]
    fn side_to_move(&self) -> Player {
        self.side
    }

    #[inline]
    fn key(&self) -> u64 {
        self.key
    }

    #[inline]
    fn generate(&self, moves: &mut MoveList<Move>) {
        self.list_moves(moves);
    }

    #[inline]
    fn count_moves(&self) -> usize {
        self.number_of_moves()
    }

    // A landing square always leaves a place for the piece: at least the square that the totem
    // leaves.
    #[inline]
    fn is_over(&self) -> bool {
        self.landings(self.side) == 0
    }

    #[inline]
    fn is_legal(&self, mv: Move) -> bool {
        self.allows(mv)
    }

    #[inline]
    fn make(&mut self, mv: Move) {
        self.play(mv);
    }

    #[inline]
    fn points(&self) -> [i32; 2] {
        self.points_now()
    }

    #[inline]
    fn outcome(&self) -> Outcome {
        self.outcome_now()
    }

    #[inline]
    fn plies_left(&self) -> usize {
        self.empty_squares().count_ones() as usize - 1
    }
}

impl Setup for Yoxii {
    const SETUPS: &'static [&'static str] = &["standard"];

    fn random_start(_: usize, _: &mut impl Rng) -> Self {
        Self::start()
    }
}

impl Endgame for Yoxii {
    const EFFORT: Effort = Effort { base: 3.7e-8, growth: 4.07 };

    #[inline]
    fn winning_end(&self) -> Option<Move> {
        self.best_winning_end()
    }

    /// Values decide nothing before the end: the structure is the squares of both players' pieces,
    /// the totem and the side to move. What is in hand follows from the board.
    #[inline]
    fn structure(&self) -> Option<Structure> {
        Some(Structure { key: self.structure_key(), values: self.value_planes() })
    }

    #[inline]
    fn deferring(&self, player: Player) -> Option<Self> {
        self.deferred_by(player)
    }

    /// Both games can be played in step: on the same squares, and with the pieces in hand matched
    /// by rank, the highest with the highest and so on. So each piece has a partner, and at the end
    /// the margins differ by what the pieces next to the totem differ from their partners. A piece
    /// whose neighbours are all occupied by other pieces will never be next to the totem. In the
    /// worst case all others are that count the same way.
    #[inline]
    fn differs(&self, values: [u64; 2]) -> (i32, i32) {
        self.margins_apart(values)
    }

    /// Moves that differ in the value of the piece only. Values do not change what can be played.
    /// So whoever placed a 2 can play as if it were the 3, and use the 3 in their hand where the
    /// other game has the 2: at the end at most one of the two pieces is next to the totem where it
    /// counts less, by their difference.
    #[inline]
    fn sibling_group(mv: Move) -> Option<(u16, i32)> {
        Some((u16::from(mv) & 0xfff, mv.value() as i32))
    }
}

impl Symmetry for Yoxii {
    /// The four rotations, and each of them mirrored.
    const SYMMETRIES: usize = 8;

    fn image(&self, index: usize) -> Self {
        let image = |square| {
            let (file, rank) =
                crate::game::bits::image(index, square % STRIDE, square / STRIDE, SIZE);
            rank * STRIDE + file
        };
        let mut position = Self::empty(image(self.totem()), self.side);
        for (square, player, value) in self.each_piece() {
            position.place(player, image(square), value);
        }
        position
    }

    /// Never: White has as many pieces on the board as Red when White is to move, and with
    /// exchanged roles the other player would be to move.
    fn swapped(&self) -> Option<Self> {
        None
    }
}
