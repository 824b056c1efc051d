//! What a search tells while it runs and when it ends.

use std::time::Duration;

use super::score::Score;
use crate::game::Game;

/// The state of a search after an iteration, or part of one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Report<M> {
    /// The rank of this line among the best moves, from 1.
    pub line: usize,
    /// Plies of the iteration; 0 when not even the first was finished.
    pub depth: u32,
    /// The longest line looked at, in plies.
    pub selective_depth: u32,
    /// For the side to move.
    pub score: Score,
    /// Whether the result is what the game is worth under best play. The margin is then one that the
    /// winner has for certain, and exact once the depth reaches the end of the game.
    pub proven: bool,
    /// Chances to win, draw and lose in thousandths, if the search counts them; they add up to 1000.
    pub chances: Option<[u32; 3]>,
    /// Positions visited by all threads since the search began.
    pub nodes: u64,
    /// Since the search began.
    pub time: Duration,
    /// Part of the table that this search filled, in thousandths.
    pub hash_full: u32,
    /// The principal variation: legal moves, the first of them the best, never beyond the game's end.
    pub pv: Vec<M>,
}

impl<M> Report<M> {
    /// What there is to say of a position whose game is over, so long after the search began.
    #[must_use]
    pub fn of_end<G: Game<Move = M>>(position: &G, time: Duration) -> Self {
        Self {
            line: 1,
            depth: 0,
            selective_depth: 0,
            score: Score::of_end(position),
            proven: true,
            chances: None,
            nodes: 0,
            time,
            hash_full: 0,
            pv: Vec::new(),
        }
    }

    /// Whether the score is the exact final margin under best play from the position that was
    /// searched.
    #[must_use]
    pub fn is_exact<G: Game<Move = M>>(&self, position: &G) -> bool {
        self.proven && (position.is_over() || self.depth as usize >= position.plies_left())
    }

    /// Positions a second; 0 before the clock shows a millisecond.
    #[must_use]
    pub fn nodes_per_second(&self) -> u64 {
        nodes_per_second(self.nodes, self.time)
    }
}

/// Positions a second; 0 before the clock shows a millisecond.
#[must_use]
pub fn nodes_per_second(nodes: u64, time: Duration) -> u64 {
    match time.as_millis() {
        0 => 0,
        millis => u64::try_from(u128::from(nodes) * 1000 / millis).unwrap_or(u64::MAX),
    }
}
