//! perft: counting the leaves of the game tree, the test of a move generator.
//!
//! The last ply is counted without making its moves.

use rayon::prelude::*;

use crate::game::Game;

/// The number of move sequences of exactly `depth` plies from a position.
#[must_use]
pub fn perft<G: Game>(position: &G, depth: u32) -> u64 {
    match depth {
        0 => 1,
        1 => position.count_moves() as u64,
        _ => {
            let mut leaves = 0;
            for mv in position.moves() {
                let mut next = *position;
                next.make(mv);
                leaves += perft(&next, depth - 1);
            }
            leaves
        }
    }
}

/// The leaves below every legal move at a `depth` of at least 1, in the order of the moves, shared
/// among the threads of the current rayon pool.
#[must_use]
pub fn divide<G: Game>(position: &G, depth: u32) -> Vec<(G::Move, u64)> {
    position
        .moves()
        .par_iter()
        .map(|&mv| {
            let mut next = *position;
            next.make(mv);
            (mv, perft(&next, depth - 1))
        })
        .collect()
}
