//! perft: counting the leaves of the game tree, the test of a move generator.
//!
//! [`perft`] is the recursive count. [`Counter`] shares the work among threads, remembers what it
//! counted and can be stopped. Both count the last ply without making its moves.

mod table;

use std::fmt;

use rayon::prelude::*;
use rayon::{ThreadPool, ThreadPoolBuildError, ThreadPoolBuilder};
use thiserror::Error;

use crate::game::{Game, Notation};
use crate::search::OutOfMemory;
use crate::search::limits::Control;
use table::Table;

/// The number of move sequences of exactly `depth` plies from a position. It has no guard against
/// counts beyond 64 bits; [`Counter`] has.
#[must_use]
pub fn perft<G: Game>(position: &G, depth: u32) -> u64 {
    match depth {
        0 => 1,
        1 => position.count_moves() as u64,
        _ => {
            let mut leaves = 0;
            for mv in position.moves() {
                // A function that returns the child was measured 20% slower.
                let mut next = *position;
                next.make(mv);
                leaves += perft(&next, depth - 1);
            }
            leaves
        }
    }
}

/// The leaves below every legal move. Its text is a line `move: leaves` for each, a blank line and
/// the total.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Divided {
    /// Moves as text, in alphabetical order, and the leaves below them.
    pub rows: Vec<(String, u64)>,
    /// The sum of all leaves.
    pub total: u64,
}

impl fmt::Display for Divided {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (mv, leaves) in &self.rows {
            writeln!(f, "{mv}: {leaves}")?;
        }
        writeln!(f, "\n{}", self.total)
    }
}

/// Why a [`Counter`] has no result.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum Uncounted {
    /// The control stopped the count.
    #[error("the count was stopped before it was complete")]
    Stopped,
    /// A count that 64 bits do not hold.
    #[error("there are 2^64 - 1 leaves or more, too many to count")]
    TooMany,
}

/// Why there is no [`Counter`].
#[derive(Debug, Error)]
pub enum CounterError {
    /// The threads could not be started.
    #[error("cannot start {threads} threads")]
    Threads {
        /// How many were asked for.
        threads: usize,
        /// What the system said.
        source: ThreadPoolBuildError,
    },
    /// The hash table could not be allocated.
    #[error(transparent)]
    Memory(#[from] OutOfMemory),
}

/// Counts leaves with its own threads and, if wanted, a hash table that it keeps between counts.
///
/// Without a table every count is exact. With one it is as sure as 64-bit keys are: an entry is
/// believed when its whole key and its depth agree.
#[derive(Debug)]
pub struct Counter {
    pool: ThreadPool,
    table: Option<Table>,
}

impl Counter {
    /// A counter of `threads` threads, at least 1, with a table of `mebibytes` MiB or none.
    ///
    /// # Errors
    /// When the system does not give the threads or the memory.
    pub fn new(threads: usize, mebibytes: Option<usize>) -> Result<Self, CounterError> {
        let pool = ThreadPoolBuilder::new()
            .num_threads(threads.max(1))
            .build()
            .map_err(|source| CounterError::Threads { threads, source })?;
        Ok(Self { pool, table: mebibytes.map(Table::new).transpose()? })
    }

    /// The number of move sequences of exactly `depth` plies from a position.
    ///
    /// # Errors
    /// When the control stopped it, or the number is too large.
    pub fn count<G: Game>(
        &self,
        position: &G,
        depth: u32,
        control: &Control,
    ) -> Result<u64, Uncounted> {
        let counts = self.count_by_root_move(position, depth, control)?;
        match depth {
            0 => Ok(1),
            _ => total(counts),
        }
    }

    /// The leaves below every legal move at a `depth` of at least 1.
    ///
    /// # Errors
    /// When the control stopped it, or the sum is too large.
    pub fn divide<G: Notation>(
        &self,
        position: &G,
        depth: u32,
        control: &Control,
    ) -> Result<Divided, Uncounted> {
        let counts = self.count_by_root_move(position, depth, control)?;
        let total = total(counts.iter().copied())?;
        let texts = position.moves().into_iter().map(G::move_text);
        let mut rows: Vec<_> = texts.zip(counts).collect();
        rows.sort_unstable();
        Ok(Divided { rows, total })
    }

    /// The leaves below every legal move, in the order of the moves, or [`u64::MAX`] for more than
    /// that.
    ///
    /// The tree is cut open ply by ply until there are many more subtrees than threads, and the
    /// threads take these one at a time: no subtree is so large that the others wait for it.
    fn count_by_root_move<G: Game>(
        &self,
        position: &G,
        depth: u32,
        control: &Control,
    ) -> Result<Vec<u64>, Uncounted> {
        let enough = 64 * self.pool.current_num_threads();
        let moves = position.moves();
        let mut counts = vec![0_u64; moves.len()];
        if depth == 0 {
            return Ok(counts);
        }
        let mut subtrees: Vec<(usize, G)> =
            moves.into_iter().map(child(position)).enumerate().collect();
        let mut left = depth - 1;
        while left > 2 && !subtrees.is_empty() && subtrees.len() < enough {
            let mut open = Vec::new();
            for (root, position) in &subtrees {
                if control.is_stopped() {
                    return Err(Uncounted::Stopped);
                }
                open.extend(position.moves().into_iter().map(child(position)).map(|p| (*root, p)));
            }
            subtrees = open;
            left -= 1;
        }
        let leaves: Vec<u64> = self.pool.install(|| {
            subtrees
                .par_iter()
                .with_max_len(1)
                .map(|(_, position)| self.count_subtree(position, left, control))
                .collect()
        });
        if control.is_stopped() {
            return Err(Uncounted::Stopped);
        }
        for ((root, _), leaves) in subtrees.iter().zip(leaves) {
            counts[*root] = counts[*root].saturating_add(leaves);
        }
        Ok(counts)
    }

    /// As [`perft`], but through the table, stopped by the control (its result then means nothing),
    /// and [`u64::MAX`] for more than that.
    fn count_subtree<G: Game>(&self, position: &G, depth: u32, control: &Control) -> u64 {
        if control.is_stopped() {
            return 0;
        }
        // Three plies take milliseconds at most, and a position that is not remembered is counted
        // fastest without looking up from it. The table pays from two plies on.
        let bulk = if self.table.is_none() { 3 } else { 1 };
        if depth <= bulk {
            return perft(position, depth);
        }
        if let Some(leaves) = self.table.as_ref().and_then(|table| table.get(position.key(), depth))
        {
            return leaves;
        }
        let mut leaves = 0_u64;
        for mv in position.moves() {
            let mut next = *position;
            next.make(mv);
            leaves = leaves.saturating_add(self.count_subtree(&next, depth - 1, control));
        }
        if let Some(table) = &self.table
            && !control.is_stopped()
        {
            table.put(position.key(), depth, leaves);
        }
        leaves
    }
}

/// The position after a move.
fn child<G: Game>(position: &G) -> impl Fn(G::Move) -> G {
    |mv| {
        let mut next = *position;
        next.make(mv);
        next
    }
}

/// The sum of saturated counts, if it is one.
fn total(counts: impl IntoIterator<Item = u64>) -> Result<u64, Uncounted> {
    match counts.into_iter().fold(0, u64::saturating_add) {
        u64::MAX => Err(Uncounted::TooMany),
        total => Ok(total),
    }
}
