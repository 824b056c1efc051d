//! Hokito (Claude Leroy): piles on a board of 6 x 6 squares that jump onto each other.

mod eval;
mod features;
mod moves;
mod notation;
mod position;

pub use position::{Move, PIECES_OF_A_KIND, Pile, SIZE, SQUARES};

use rand::Rng;

use crate::game::bits::bit;
use crate::game::random::Draw;
use crate::game::{Effort, Endgame, Game, MoveList, Outcome, Player, Setup, Symmetry};

/// A position of Hokito.
///
/// Player one is Black, who starts on ranks 1 to 3. The game ends when the player *to move* has no
/// legal move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Hokito {
    /// For every occupied square the nearest occupied squares in the four directions. The last
    /// entry belongs to no square and is 0.
    neighbours: [u64; SQUARES + 1],
    piles: [Pile; SQUARES],
    owned: [u64; 2],
    /// The piles of value 1, 2 and 3, of both players.
    valued: [u64; 3],
    /// The piles of height 2 and more.
    stacks: u64,
    points: [i16; 2],
    side: Player,
    key: u64,
}

impl Game for Hokito {
    type Move = Move;

    // Every move empties a square, and one pile remains.
    const MAX_PLIES: usize = SQUARES - 1;

    fn start() -> Self {
        notation::start()
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

    #[inline]
    fn is_over(&self) -> bool {
        self.no_moves()
    }

    #[inline]
    fn is_legal(&self, mv: Move) -> bool {
        mv.from_square() < SQUARES
            && mv.to_square() < SQUARES
            && self.targets(mv.from_square()) & bit(mv.to_square()) != 0
    }

    #[inline]
    fn make(&mut self, mv: Move) {
        self.play(mv);
    }

    #[inline]
    fn points(&self) -> [i32; 2] {
        self.points.map(i32::from)
    }

    #[inline]
    fn outcome(&self) -> Outcome {
        self.outcome_now()
    }

    #[inline]
    fn plies_left(&self) -> usize {
        self.occupied().count_ones() as usize - 1
    }
}

impl Setup for Hokito {
    const SETUPS: &'static [&'static str] = &["halves", "scattered"];

    fn random_start(setup: usize, random: &mut impl Rng) -> Self {
        let piece = |owner, i| Pile { height: 1, value: (i / PIECES_OF_A_KIND) as u8 + 1, owner };
        let mut piles = [Pile::EMPTY; SQUARES];
        for (i, pile) in piles.iter_mut().enumerate() {
            *pile = piece((i / 18) as u8, i % 18);
        }
        if setup == 0 {
            random.permute(&mut piles[..18]);
            random.permute(&mut piles[18..]);
        } else {
            random.permute(&mut piles);
        }
        Self::from_piles(piles, Player::One)
    }
}

impl Endgame for Hokito {
    const EFFORT: Effort = Effort { base: 0.025, growth: 2.28 };

    /// All pieces under the best top of one player: moves cover tops and never make better ones.
    #[inline]
    fn reachable(&self) -> Option<(i32, i32)> {
        let most = |player: Player| {
            let own = self.owned[player.index()];
            let best = (1..=3).rev().find(|&value| self.valued[value - 1] & own != 0);
            (best.unwrap_or(0) * SQUARES) as i32
        };
        Some((-most(self.side.other()), most(self.side)))
    }

    /// Looks at the highest pile only, on which most of the points are.
    #[inline]
    fn threats(&self) -> (usize, Option<i32>) {
        let (count, swing) = self.moves_and_swing();
        (count, Some(swing))
    }
}

impl Symmetry for Hokito {
    /// The four rotations, and each of them mirrored.
    const SYMMETRIES: usize = 8;

    fn image(&self, index: usize) -> Self {
        let mut piles = [Pile::EMPTY; SQUARES];
        for (square, &pile) in self.piles.iter().enumerate() {
            let (file, rank) = crate::game::bits::image(index, square % SIZE, square / SIZE, SIZE);
            piles[rank * SIZE + file] = pile;
        }
        Self::from_piles(piles, self.side)
    }

    fn swapped(&self) -> Option<Self> {
        let piles = self.piles.map(|pile| match pile.height {
            0 => pile,
            _ => Pile { owner: 1 - pile.owner, ..pile },
        });
        Some(Self::from_piles(piles, self.side.other()))
    }
}
