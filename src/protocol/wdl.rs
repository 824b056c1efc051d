//! Chances to win, draw and lose.

use crate::game::Playable;
use crate::search::score::Score;

/// Chances to win, draw and lose in thousandths, for the side to move of a position that was given
/// this score. They add up to 1000.
///
/// A proven result is certain. For an expected one the chance to win is a logistic curve of the
/// score that gets flatter the more plies are left; the chance to lose is its mirror image and the
/// rest are draws.
#[must_use]
pub fn chances<G: Playable>(position: &G, score: Score, proven: bool) -> [u32; 3] {
    if proven {
        return match () {
            () if score.is_win() => [1000, 0, 0],
            () if score.is_loss() => [0, 0, 1000],
            () => [0, 1000, 0],
        };
    }
    let margin = f64::from(score.centipoints());
    let [win, _, loss] = G::CHANCES.of(margin, position.plies_left());
    let [win, loss] = [win, loss].map(|chance| (1000.0 * chance).round() as u32);
    [win, 1000_u32.saturating_sub(win + loss), loss]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::MAX_EVAL;
    use crate::games::hokito::Hokito;
    use crate::games::yoxii::Yoxii;

    fn holds_for<G: Playable>() {
        let position = G::start();
        let mut last = 0;
        for score in (-MAX_EVAL..=MAX_EVAL).step_by(50) {
            let [win, draw, loss] = chances(&position, Score(score), false);
            assert_eq!(win + draw + loss, 1000);
            assert!(win >= last, "more points never mean fewer wins");
            assert_eq!(chances(&position, Score(-score), false), [loss, draw, win]);
            last = win;
        }
        assert_eq!(chances(&position, Score::DRAW, true), [0, 1000, 0]);
        assert_eq!(chances(&position, Score(MAX_EVAL + 1), true), [1000, 0, 0]);
        assert_eq!(chances(&position, Score(-MAX_EVAL - 1), true), [0, 0, 1000]);
    }

    #[test]
    fn chances_follow_the_score() {
        holds_for::<Hokito>();
        holds_for::<Yoxii>();
    }
}
