//! What Yoxii's search is told about a position.

use super::{Move, Yoxii};
use crate::game::{Evaluate, Game};

impl Evaluate for Yoxii {
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
