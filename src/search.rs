//! Searching for the best move.
//!
//! This floor knows games only through the traits in [`crate::game`] and names none. A [`Searcher`]
//! is one of two ways of searching, both of which hand over to the exact solver near the end of the
//! game:
//!
//! - [`alphabeta`]: iterative deepening (`deepening`) with aspiration windows over a principal
//!   variation search (`worker`): transposition table (`table`), staged move picker (`order`) by
//!   table move, killers and history (`history`), late move reductions and pruning, reverse
//!   futility pruning, razoring, a quiescence search, extensions of forced moves, and bounds
//!   between sibling moves that differ in the value of a piece only. Several threads share the
//!   table (lazy SMP).
//! - [`mcts`]: a best-first tree by PUCT above short alpha-beta searches.
//! - [`solve`]: null-window searches to the end of the game, with a table of proofs.
//!
//! [`limits`] says what ends a search and [`report`] what it tells; `time` makes a budget of a clock,
//! [`level`] weakens the player, and `params` holds the tunable numbers. Most of the methods are described
//! in the Chess Programming Wiki under the names used here; others name their source where they
//! are.

pub mod alphabeta;
pub mod buckets;
mod deepening;
mod fold;
mod history;
pub mod level;
pub mod limits;
mod lines;
pub mod mcts;
pub mod method;
mod node_counter;
mod order;
mod params;
pub mod report;
pub mod score;
mod sibling_bounds;
pub mod solve;

mod table;
pub mod threads;
mod time;
mod worker;

#[cfg(doc)]
#[doc = include_str!("search/lab-book.md")]
pub mod lab_book {}

use crate::game::Playable;
use limits::{Control, Limits};
use report::Report;

/// A way of searching: alpha-beta, Monte-Carlo tree search, or either of them at a level.
///
/// A searcher owns its memory and keeps it between moves of a game. It searches with its own
/// threads while `search` blocks the calling one.
pub trait Searcher<G: Playable>: Send {
    /// Searches a position that is not over until a limit is reached, the position is solved to the
    /// end, or the control stops it.
    ///
    /// `report` is called from the calling thread only, at least once before the search ends, and
    /// the last report of line 1 starts with the move to play. With one thread, the same limits
    /// other than time, and the same history since [`new_game`](Searcher::new_game) the reports are
    /// the same.
    fn search(
        &mut self,
        position: &G,
        limits: &Limits<G::Move>,
        control: &Control,
        report: &mut dyn FnMut(&Report<G::Move>),
    );

    /// Forgets everything that was learnt from earlier searches.
    fn new_game(&mut self);

    /// Uses a table of this many MiB from now on and forgets the old one.
    ///
    /// # Errors
    /// When the memory cannot be had; the searcher keeps the table that it has.
    fn set_hash(&mut self, mebibytes: usize) -> Result<(), OutOfMemory>;

    /// Searches with this many threads from now on, at least 1.
    fn set_threads(&mut self, threads: usize);
}

/// A table could not be allocated.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{mebibytes} MiB of memory are not to be had")]
pub struct OutOfMemory {
    /// The size that was asked for.
    pub mebibytes: usize,
}
