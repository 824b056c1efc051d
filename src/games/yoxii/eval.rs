//! What Yoxii's search is told about a position.
//!
//! The totem wanders until somebody cannot move it, so that neither the points of the moment nor the
//! pieces far away say much before the end: in self-play no linear evaluation of an opening position
//! explained more than a few percent of the final margin. The freedom to move the totem says most, then the
//! number of pieces near it. The weights are those of a least-squares fit of the final margin.

use super::position::{NEIGHBOURS, SECOND_NEIGHBOURS};
use super::{Move, Yoxii};
use crate::game::{Chances, Evaluate, MAX_EVAL, Reductions};

/// Centipoints for each square to which a player could move the totem.
const FREEDOM: i32 = 75;
/// Centipoints for each piece next to the totem.
const NEAR: i32 = 35;
/// Centipoints for each point next to the totem.
const NEAR_POINT: i32 = 3;
/// Centipoints for each piece two steps from the totem.
const FAR: i32 = 25;
/// Centipoints that being to move is worth.
const TEMPO: i32 = 60;

impl Evaluate for Yoxii {
    // Fitted by maximum likelihood to 3184 positions of 200 games at 20 000 nodes a move.
    const CHANCES: Chances = Chances { scale_at_end: -54.0, scale_per_ply: 8.4, draw_margin: 52.0 };

    const HISTORY_SIZE: usize = 64 * 64 * 4;
    const LOUD_GAIN: Option<i32> = None;
    const SWING: i32 = 150;
    const REDUCTIONS: Reductions = Reductions { constant: 40, divisor: 130 };
    // Fitted to 1500 games between levels, with errors of 40 and 60 at the two ends.
    const STRENGTH: (usize, usize) = (190, 1240);

    fn evaluate(&self) -> i32 {
        let near = NEIGHBOURS[self.totem()];
        let far = SECOND_NEIGHBOURS[self.totem()];
        let [own, other] = [self.side, self.side.other()].map(|player| {
            let pieces = self.pieces(player);
            FREEDOM * self.landings(player).count_ones() as i32
                + NEAR * (pieces & near).count_ones() as i32
                + NEAR_POINT * self.sum(player, near)
                + FAR * (pieces & far).count_ones() as i32
        });
        (own - other + TEMPO).clamp(-MAX_EVAL, MAX_EVAL)
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
