//! What the search learns about moves: history and killers.

use crate::game::{Evaluate, Player};

/// Deeper plies than any game has.
pub const MAX_PLY: usize = 64;

/// A history entry stays within this, either way.
const MAX_HISTORY: i32 = 16_384;

/// Moves that were good before, kept by each thread for itself.
pub struct History<M> {
    /// For each player, by [`Evaluate::history_index`].
    quiet: [Vec<i16>; 2],
    killers: [[Option<M>; 2]; MAX_PLY],
}

impl<M: Copy + PartialEq> History<M> {
    /// Knows nothing.
    pub fn new<G: Evaluate<Move = M>>() -> Self {
        Self {
            quiet: [vec![0; G::HISTORY_SIZE], vec![0; G::HISTORY_SIZE]],
            killers: [[None; 2]; MAX_PLY],
        }
    }

    /// Begins a search: what was learnt counts less.
    pub fn new_search<G: Evaluate<Move = M>>(&mut self) {
        self.killers = [[None; 2]; MAX_PLY];
        for value in self.quiet.iter_mut().flatten() {
            *value = (i32::from(*value) * G::TUNING.history_kept / 100) as i16;
        }
    }

    /// How good the move with that index was for the player.
    #[inline]
    pub fn value(&self, player: Player, index: usize) -> i32 {
        i32::from(self.quiet[player.index()][index])
    }

    /// Whether the move cut off the search of a sibling.
    #[inline]
    pub fn is_killer(&self, ply: usize, mv: M) -> bool {
        self.killers[ply].contains(&Some(mv))
    }

    /// Learns that a move was good or bad, with gravity: the nearer a value is to its limit, the
    /// less it moves.
    #[inline]
    pub fn learn(&mut self, player: Player, index: usize, bonus: i32) {
        let value = &mut self.quiet[player.index()][index];
        let old = i32::from(*value);
        *value = (old + bonus - old * bonus.abs() / MAX_HISTORY) as i16;
    }

    /// Learns the move that ended the search of a node.
    #[inline]
    pub fn learn_killer(&mut self, ply: usize, mv: M) {
        let [first, second] = &mut self.killers[ply];
        if *first != Some(mv) {
            *second = first.replace(mv);
        }
    }
}
