//! perft.
use crate::game::Game;

/// Leaves.
pub fn perft<G: Game>(position: &mut G, depth: u32) -> u64 {
    if depth == 0 {
        return 1;
    }
    if depth == 1 {
        return position.count_moves() as u64;
    }
    let mut total = 0;
    for mv in position.moves() {
        let undo = position.make(mv);
        total += perft(position, depth - 1);
        position.undo(mv, undo);
    }
    total
}
/// Leaves.
pub fn perft_copy<G: Game>(position: &G, depth: u32) -> u64 {
    if depth == 0 {
        return 1;
    }
    if depth == 1 {
        return position.count_moves() as u64;
    }
    let mut total = 0;
    for mv in position.moves() {
        let mut child = position.clone();
        child.make(mv);
        total += perft_copy(&child, depth - 1);
    }
    total
}
