//! What Hokito's search is told about a position.

use super::{Hokito, Move, SQUARES};
use crate::game::{Evaluate, Game};

impl Evaluate for Hokito {
    const HISTORY_SIZE: usize = 64 * SQUARES;

    fn evaluate(&self) -> i32 {
        let [one, two] = self.points();
        100 * self.side_to_move().sign() * (one - two)
    }

    #[inline]
    fn gain(&self, mv: Move) -> i32 {
        let (moved, covered) = (self.pile(mv.from_square()), self.pile(mv.to_square()));
        let (value, lost) = (i32::from(moved.value), i32::from(covered.value));
        let height = i32::from(covered.height);
        100 * height * if covered.owner == moved.owner { value - lost } else { value + lost }
    }

    #[inline]
    fn history_index(&self, mv: Move) -> usize {
        mv.from_square() * 64 + mv.to_square()
    }
}
