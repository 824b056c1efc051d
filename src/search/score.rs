//! The number that a search carries.

use std::ops::Neg;

use crate::game::{Game, MAX_EVAL, Player};

/// The value of a position for the side to move.
///
/// A score is either *expected*, a final margin in centipoints that the evaluation stands for, or
/// *proven*: the result of the game under best play, with a margin that the winner has for certain.
/// Every proven win is above every expected score, and among proven wins a larger margin is worth
/// more; losses mirror that. A proven draw is 0, and a score does not tell it from an expected 0:
/// [`Report::proven`](super::report::Report::proven) does.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Score(pub i32);

/// The internal value of a proven win by a margin of 0.
const WIN: i32 = 20_000;

impl Score {
    /// Worse than every score.
    pub const MIN: Self = Self(-31_000);
    /// Better than every score.
    pub const MAX: Self = Self(31_000);
    /// A draw.
    pub const DRAW: Self = Self(0);

    /// The proven score of a position whose game is over, for the side to move.
    #[inline]
    #[must_use]
    pub fn of_end<G: Game>(position: &G) -> Self {
        let outcome = position.outcome();
        let margin = 100 * outcome.margin;
        let absolute = match outcome.winner {
            Some(Player::One) => WIN + margin,
            Some(Player::Two) => -WIN + margin,
            None => 0,
        };
        Self(absolute * position.side_to_move().sign())
    }

    /// Whether this is a proven win.
    #[inline]
    #[must_use]
    pub const fn is_win(self) -> bool {
        self.0 > MAX_EVAL
    }

    /// Whether this is a proven loss.
    #[inline]
    #[must_use]
    pub const fn is_loss(self) -> bool {
        self.0 < -MAX_EVAL
    }

    /// The proven score of a win by that many points, 0 or more.
    #[inline]
    #[must_use]
    pub const fn won_by(points: i32) -> Self {
        Self(WIN + 100 * points)
    }

    /// The best proven score that is possible when the margin is up to that many points higher than
    /// in this proven score.
    #[inline]
    #[must_use]
    pub const fn raised(self, points: i32) -> Self {
        match self.centipoints() + 100 * points {
            _ if points == 0 => self,
            margin @ 0.. => Self(WIN + margin),
            margin => Self(margin - WIN),
        }
    }

    /// The score when the margin is up to that many points higher than in this score: as
    /// [`raised`](Score::raised) when this is proven, and an expected score otherwise.
    #[inline]
    #[must_use]
    pub const fn raised_if_proven(self, points: i32) -> Self {
        if self.is_win() || self.is_loss() {
            return self.raised(points);
        }
        let margin = self.0 + 100 * points;
        Self(if margin < MAX_EVAL { margin } else { MAX_EVAL })
    }

    /// The final margin that the score stands for, in centipoints: expected, or proven.
    #[must_use]
    pub const fn centipoints(self) -> i32 {
        if self.is_win() {
            self.0 - WIN
        } else if self.is_loss() {
            self.0 + WIN
        } else {
            self.0
        }
    }
}

impl Neg for Score {
    type Output = Self;

    #[inline]
    fn neg(self) -> Self {
        Self(-self.0)
    }
}
