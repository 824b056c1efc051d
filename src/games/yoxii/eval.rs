//! What Yoxii's search is told about a position.
//!
//! The totem wanders until somebody cannot move it, so that neither the points of the moment nor
//! the pieces far away say much before the end: in self-play no linear evaluation of an opening
//! position explained more than a few percent of the final margin. A small network of everything
//! around the totem does.

use std::sync::LazyLock;

use super::{Move, Yoxii};
use crate::game::network::{AccumulatorCache, LANES, Network};
use crate::game::{Chances, Evaluate, Features, InputBuckets, MAX_EVAL, Tuning};

/// Trained by `cairn train` on games that `cairn selfplay` played.
static NETWORK: LazyLock<Network<VECTORS>> =
    LazyLock::new(|| Network::read::<Yoxii>(include_bytes!("yoxii.net")));

const VECTORS: usize = Yoxii::HIDDEN / LANES;

/// Centipoints of final margin for each unit of the logarithm of the odds.
const SCALE: i32 = 200;

/// Up to so many moves, those that differ in the value only counted once, are hardly a choice.
const FORCED_PLACES: u32 = 4;

impl Evaluate for Yoxii {
    // Fitted by maximum likelihood to 1.0 million samples of `cairn selfplay --nodes 6000`.
    const CHANCES: Chances = Chances { scale_at_end: 117.0, scale_per_ply: 1.7, draw_margin: 34.0 };

    const HISTORY_SIZE: usize = 64 * 64 * 4;
    const NOISY_GAIN: Option<i32> = None;
    const SWING: i32 = 150;
    const TUNING: Tuning = Tuning {
        aspiration: 10,
        reverse_futility_depth: 1,
        reverse_futility_margin: 99,
        razoring_margin: 95,
        late_move_depth: 5,
        late_moves: 2,
        late_moves_by_depth: 2,
        reduction: 30,
        reduction_divisor: 112,
        reduction_history: 2_600,
        reduction_root: 60,
        order_gain: 0,
        order_killer: 6_700,
        history_bonus: 22,
        history_kept: 50,
    };
    // Fitted to 1254 games between levels, with errors of 110 and 160 at the two ends.
    const STRENGTH: (usize, usize) = (270, 1460);

    type EvalCache = AccumulatorCache<<Self as InputBuckets>::Planes, VECTORS>;

    fn evaluate(&self) -> i32 {
        NETWORK.evaluate(self, SCALE).clamp(-MAX_EVAL, MAX_EVAL)
    }

    #[inline]
    fn evaluate_with(&self, cache: &mut Self::EvalCache) -> i32 {
        NETWORK.evaluate_with(self, cache, SCALE).clamp(-MAX_EVAL, MAX_EVAL)
    }

    #[inline]
    fn gain(&self, _mv: Move) -> i32 {
        0
    }

    #[inline]
    fn is_forced(&self) -> bool {
        self.has_one_landing_or_at_most(FORCED_PLACES)
    }

    #[inline]
    fn history_index(&self, mv: Move) -> usize {
        ((mv.value() - 1) * 64 + mv.square()) * 64 + mv.totem()
    }
}
