//! What the moves searched at a node say about others of their [sibling
//! groups](crate::game::Endgame::sibling_group).

use arrayvec::ArrayVec;

use super::score::Score;
use crate::game::Endgame;

/// The moves of a node that have siblings and were searched.
#[derive(Default)]
pub struct SiblingBounds(ArrayVec<(u16, i32, Score), 256>);

impl SiblingBounds {
    /// An upper bound on the score of a move, if a sibling was searched. It is as good as the
    /// scores are: proven where they are proven, but that a win may be by more than its score tells
    /// where the search leaves moves out.
    #[inline]
    pub fn bound<G: Endgame>(
        &self,
        mv: G::Move,
        raise: impl Fn(Score, i32) -> Score,
    ) -> Option<Score> {
        let (group, number) = G::sibling_group(mv)?;
        let siblings = self.0.iter().filter(|searched| searched.0 == group);
        siblings.map(|&(_, other, score)| raise(score, (number - other).abs())).min()
    }

    /// Remembers that a move is worth at most `score`.
    #[inline]
    pub fn insert<G: Endgame>(&mut self, mv: G::Move, score: Score) {
        if let Some((group, number)) = G::sibling_group(mv) {
            // Without room the move is forgotten, which is right at any rate.
            let _ = self.0.try_push((group, number, score));
        }
    }
}
