//! The alpha-beta searcher: iterative deepening with aspiration windows, alone or with several
//! threads that share one table (lazy SMP), which hands over to the exact solver near the end of
//! the game.

use std::cmp::Reverse;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::thread;

use super::deepening::{Deepening, Handover};
use super::fold;
use super::history::History;
use super::limits::{Control, Limits};
use super::node_counter::NodeTotal;
use super::report::Report;
use super::solve::Solver;
use super::table::Table;
use super::time::Budget;
use super::worker::{Shared, Worker};
use super::{OutOfMemory, Searcher};
use crate::game::Playable;

/// The solver's part of the memory: one of so many.
const SOLVER_SHARE: usize = 4;

/// Alpha-beta search.
pub struct AlphaBeta<G: Playable> {
    pub(super) table: Table,
    pub(super) solver: Solver<G>,
    /// One for each thread.
    pub(super) histories: Vec<History<G::Move>>,
}

impl<G: Playable> AlphaBeta<G> {
    /// A searcher with tables of this many MiB together and this many threads, at least 1 of each.
    ///
    /// # Errors
    /// When the memory for the tables cannot be had.
    pub fn new(mebibytes: usize, threads: usize) -> Result<Self, OutOfMemory> {
        let (table, solver) = memory(mebibytes, threads)?;
        let mut searcher = Self { table, solver, histories: Vec::new() };
        searcher.set_threads(threads);
        Ok(searcher)
    }
}

/// The two tables, each of 1 MiB at least.
fn memory<G: Playable>(
    mebibytes: usize,
    threads: usize,
) -> Result<(Table, Solver<G>), OutOfMemory> {
    let proofs = mebibytes / SOLVER_SHARE;
    let all = |_| OutOfMemory { mebibytes };
    let table = Table::new(mebibytes - proofs).map_err(all)?;
    Ok((table, Solver::new(proofs, threads).map_err(all)?))
}

impl<G: Playable> Searcher<G> for AlphaBeta<G> {
    fn search(
        &mut self,
        position: &G,
        limits: &Limits<G::Move>,
        control: &Control,
        report: &mut dyn FnMut(&Report<G::Move>),
    ) {
        let mut moves = fold::considered(position, limits);
        if moves.is_empty() {
            return;
        }
        moves.sort_by_key(|&mv| Reverse(position.gain(mv)));
        let budget = Budget::new(limits, position.plies_left(), moves.len());
        control.end_after(budget.map(|budget| budget.hard));
        if limits.win_within.is_some() {
            // What is known from deeper searches is not won within so many plies.
            self.table.clear();
        }
        self.table.new_search();
        let shared = Shared {
            table: &self.table,
            control,
            halt: AtomicBool::new(false),
            nodes: NodeTotal::new(limits.nodes, self.histories.len()),
            full_width: limits.win_within.is_some(),
        };
        let (first, others) = self.histories.split_at_mut(1);
        let Some(history) = first.first_mut() else { return };
        thread::scope(|scope| {
            for history in others {
                let (shared, moves) = (&shared, moves.clone());
                let help = move || {
                    history.new_search::<G>();
                    let worker = Worker::new(shared, history);
                    Deepening::new(position, limits, None, worker, moves).run(None, &mut |_| {});
                };
                if let Err(error) = thread::Builder::new().spawn_scoped(scope, help) {
                    log::warn!("searching with fewer threads: {error}");
                    break;
                }
            }
            history.new_search::<G>();
            let worker = Worker::new(&shared, history);
            let exact = Handover::new(&self.solver, position, limits);
            Deepening::new(position, limits, budget, worker, moves).run(exact, report);
            shared.halt.store(true, Relaxed);
        });
    }

    fn new_game(&mut self) {
        self.table.clear();
        self.solver.clear();
        let threads = self.histories.len();
        self.histories.clear();
        self.set_threads(threads);
    }

    fn set_hash(&mut self, mebibytes: usize) -> Result<(), OutOfMemory> {
        (self.table, self.solver) = memory(mebibytes, self.histories.len())?;
        Ok(())
    }

    fn set_threads(&mut self, threads: usize) {
        self.histories.resize_with(threads.max(1), || History::new::<G>());
        self.solver.set_threads(threads);
    }
}
