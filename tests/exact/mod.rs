//! Late positions, and what they are worth, from the exact solver.

use cairn::game::Playable;
use cairn::game::random::{Draw, Random};
use cairn::search::limits::Control;
use cairn::search::score::Score;
use cairn::search::solve::{Goal, Solver};
use rand::SeedableRng;

/// The exact value for the side to move.
pub fn value<G: Playable>(solver: &Solver<G>, position: &G) -> Score {
    let free = Control::new(false);
    let solution = solver.solve(position, Goal::Margin, None, &free, &mut |_| {});
    solution.score().expect("nothing stops it")
}

/// Random positions that are not over, with at most `left` plies to go.
pub fn late_positions<G: Playable>(seed: u64, count: usize, left: usize) -> Vec<G> {
    let mut random = Random::seed_from_u64(seed);
    let mut positions = Vec::new();
    while positions.len() < count {
        let setup = random.below(G::SETUPS.len());
        let mut position = G::random_start(setup, &mut random);
        while !position.is_over() && position.plies_left() > left {
            let moves = position.moves();
            position.make(moves[random.below(moves.len())]);
        }
        if !position.is_over() {
            positions.push(position);
        }
    }
    positions
}

/// The exact value of a move, for the player who makes it.
pub fn value_of_move<G: Playable>(solver: &Solver<G>, position: &G, mv: G::Move) -> Score {
    let mut child = *position;
    child.make(mv);
    -if child.is_over() { Score::of_end(&child) } else { value(solver, &child) }
}
