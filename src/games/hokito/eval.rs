//! What Hokito's search is told about a position.
//!
//! The points on the board say little before the last moves: a high stack changes hands again and
//! again. What lasts is *how many* piles a player owns, of which value, and whether they are
//! stacks. A linear evaluation can tell no more than that; a small network that sees squares and
//! heights, too, can.

use std::sync::LazyLock;

use super::{Hokito, Move, SQUARES};
use crate::game::network::{LANES, Network};
use crate::game::{Chances, Evaluate, Features, MAX_EVAL, Tuning};

/// Centipoints of final margin that owning a pile is worth, by kind (single piece, stack) and
/// value: from a least-squares fit to positions of self-play, a guess for ordering moves.
const WORTH: [[i32; 3]; 2] = [[730, 1180, 1550], [1140, 1730, 1990]];

/// Trained by `cairn train` on games that `cairn selfplay` played.
static NETWORK: LazyLock<Network<VECTORS>> =
    LazyLock::new(|| Network::read::<Hokito>(include_bytes!("hokito.net")));

const VECTORS: usize = Hokito::HIDDEN / LANES;

/// Centipoints of final margin for each unit of the logarithm of the odds.
const SCALE: i32 = 1350;

/// Up to so many piles a player may have hardly a choice.
const FORCED_PILES: u32 = 28;
/// Up to so many moves are hardly a choice.
const FORCED_MOVES: usize = 3;

impl Evaluate for Hokito {
    // Fitted by maximum likelihood to 8765 positions of 1200 games at 20 000 nodes a move.
    const CHANCES: Chances =
        Chances { scale_at_end: -370.0, scale_per_ply: 53.2, draw_margin: 42.0 };

    const HISTORY_SIZE: usize = 64 * SQUARES;
    /// Captures of stacks and of valuable single pieces.
    const NOISY_GAIN: Option<i32> = Some(1800);
    const SWING: i32 = 620;
    const TUNING: Tuning = Tuning {
        aspiration: 14,
        reverse_futility_depth: 5,
        reverse_futility_margin: 106,
        razoring_margin: 324,
        late_move_depth: 5,
        late_moves: 1,
        late_moves_by_depth: 1,
        reduction: 20,
        reduction_divisor: 57,
        reduction_history: 10_500,
        reduction_root: 55,
        order_gain: 11,
        order_killer: 5_800,
        history_bonus: 20,
        history_kept: 53,
    };
    // Fitted to 780 games between levels, with errors of 80 and 190 at the two ends.
    const STRENGTH: (usize, usize) = (195, 1485);

    type EvalCache = ();

    #[inline]
    fn evaluate(&self) -> i32 {
        NETWORK.evaluate(self, SCALE).clamp(-MAX_EVAL, MAX_EVAL)
    }

    #[inline]
    fn gain(&self, mv: Move) -> i32 {
        let (moved, covered) = (self.pile(mv.from_square()), self.pile(mv.to_square()));
        let kind = usize::from(moved.height > 1);
        let lost = WORTH[kind][covered.value as usize - 1];
        let value = moved.value as usize - 1;
        let grown = WORTH[1][value] - WORTH[kind][value];
        grown + if covered.owner == moved.owner { -lost } else { lost }
    }

    #[inline]
    fn is_forced(&self) -> bool {
        // With many piles nobody has so few moves, and to count them would cost more than it gains.
        self.occupied().count_ones() <= FORCED_PILES && self.number_of_moves() <= FORCED_MOVES
    }

    #[inline]
    fn history_index(&self, mv: Move) -> usize {
        mv.from_square() * 64 + mv.to_square()
    }
}
