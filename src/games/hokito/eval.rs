//! What Hokito's search is told about a position.
//!
//! The points on the board say little before the last moves: a high stack changes hands again and
//! again. What lasts is *how many* piles a player owns, of which value, and whether they are stacks.
//! The weights are those of a least-squares fit of the final margin to positions of self-play; with
//! 18 to 33 piles the heights added nothing that the fit could measure.

use super::{Hokito, Move, SQUARES};
use crate::game::{Chances, Evaluate, MAX_EVAL, Reductions};

/// Centipoints of final margin that owning a pile is worth, by kind (single piece, stack) and value.
const WORTH: [[i32; 3]; 2] = [[730, 1180, 1550], [1140, 1730, 1990]];
/// Centipoints that being to move is worth.
const TEMPO: i32 = 920;

impl Evaluate for Hokito {
    // Fitted by maximum likelihood to 12 020 positions of 600 games at 20 000 nodes a move.
    const CHANCES: Chances = Chances { scale_at_end: 750.0, scale_per_ply: 2.5, draw_margin: 8.0 };

    const HISTORY_SIZE: usize = 64 * SQUARES;
    /// Captures of stacks and of valuable single pieces.
    const LOUD_GAIN: Option<i32> = Some(1800);
    const SWING: i32 = 620;
    const REDUCTIONS: Reductions = Reductions { constant: 51, divisor: 60 };
    // Fitted to 1500 games between levels, with errors of 60 and 80 at the two ends.
    const STRENGTH: (usize, usize) = (280, 1570);

    fn evaluate(&self) -> i32 {
        let [own, other] = [self.side, self.side.other()].map(|player| self.owned(player));
        let difference =
            |set: u64| (own & set).count_ones() as i32 - (other & set).count_ones() as i32;
        let mut sum = TEMPO;
        for (value, of_value) in self.valued.iter().enumerate() {
            sum += WORTH[0][value] * difference(of_value & !self.stacks);
            sum += WORTH[1][value] * difference(of_value & self.stacks);
        }
        sum.clamp(-MAX_EVAL, MAX_EVAL)
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
    fn history_index(&self, mv: Move) -> usize {
        mv.from_square() * 64 + mv.to_square()
    }
}
