//! What Yoxii's search is told about a position.

use super::{Move, Yoxii};
use crate::game::{Chances, Evaluate, Game};

impl Evaluate for Yoxii {
    // Fitted by maximum likelihood to 2553 positions of 150 games at 20 000 nodes a move.
    const CHANCES: Chances =
        Chances { scale_per_ply: 60.0, scale_at_end: 289.0, draw_margin: 247.0 };

    const HISTORY_SIZE: usize = 64 * 64 * 4;

    fn evaluate(&self) -> i32 {
        let [one, two] = self.points();
        100 * self.side_to_move().sign() * (one - two)
    }

    #[inline]
    fn gain(&self, _mv: Move) -> i32 {
        0
    }

    #[inline]
    fn history_index(&self, mv: Move) -> usize {
        ((mv.value() - 1) * 64 + mv.square()) * 64 + mv.totem()
    }
}
