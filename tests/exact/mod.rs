//! What a position is worth, from the exact solver.

use cairn::game::Playable;
use cairn::search::limits::Control;
use cairn::search::score::Score;
use cairn::search::solve::{Goal, Solver};

/// The exact value for the side to move.
pub fn value<G: Playable>(solver: &Solver<G>, position: &G) -> Score {
    let free = Control::new(false);
    let solution = solver.solve(position, Goal::Margin, None, &free, &mut |_| {});
    solution.score().expect("nothing stops it")
}
