//! The alpha-beta searcher: iterative deepening with aspiration windows, alone or with several
//! threads that share one table (lazy SMP).

use std::cmp::Reverse;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use std::thread;

use super::history::History;
use super::limits::{Control, Limits};
use super::params::{ASPIRATION, ASPIRATION_DEPTH};
use super::report::Report;
use super::score::Score;
use super::table::Table;
use super::time::Budget;
use super::worker::{Halted, Shared, Worker};
use super::{OutOfMemory, Searcher};
use crate::game::Playable;

/// Alpha-beta search.
pub struct AlphaBeta<G: Playable> {
    pub(super) table: Table,
    /// One for each thread.
    pub(super) histories: Vec<History<G::Move>>,
}

impl<G: Playable> AlphaBeta<G> {
    /// A searcher with a table of this many MiB and this many threads.
    ///
    /// # Errors
    /// When the memory for the table cannot be had.
    pub fn new(mebibytes: usize, threads: usize) -> Result<Self, OutOfMemory> {
        let mut searcher = Self { table: Table::new(mebibytes)?, histories: Vec::new() };
        searcher.set_threads(threads);
        Ok(searcher)
    }
}

impl<G: Playable> Searcher<G> for AlphaBeta<G> {
    fn search(
        &mut self,
        position: &G,
        limits: &Limits<G::Move>,
        control: &Control,
        report: &mut dyn FnMut(&Report<G::Move>),
    ) {
        let mut moves =
            if limits.only.is_empty() { position.moves().to_vec() } else { limits.only.clone() };
        if moves.is_empty() {
            return;
        }
        moves.sort_by_key(|&mv| Reverse(position.gain(mv)));
        let budget = Budget::new(limits, position.plies_left());
        if limits.win_within.is_some() {
            // What is known from deeper searches is not won within so many plies.
            self.table.clear();
        }
        self.table.new_search();
        let shared = Shared {
            table: &self.table,
            control,
            halt: AtomicBool::new(false),
            nodes: AtomicU64::new(0),
            max_nodes: limits.nodes,
            max_time: budget.map(|budget| budget.hard),
            threads: self.histories.len(),
            full_width: limits.win_within.is_some(),
        };
        let (first, others) = self.histories.split_at_mut(1);
        let Some(history) = first.first_mut() else { return };
        thread::scope(|scope| {
            for history in others {
                let (shared, moves) = (&shared, moves.clone());
                let help = move || {
                    history.new_search();
                    let worker = Worker::new(shared, history);
                    Deepening { position, limits, budget: None, shared, worker, moves }
                        .run(&mut |_| {});
                };
                if let Err(error) = thread::Builder::new().spawn_scoped(scope, help) {
                    log::warn!("searching with fewer threads: {error}");
                    break;
                }
            }
            history.new_search();
            let worker = Worker::new(&shared, history);
            Deepening { position, limits, budget, shared: &shared, worker, moves }.run(report);
            shared.halt.store(true, Relaxed);
        });
    }

    fn new_game(&mut self) {
        self.table.clear();
        let threads = self.histories.len();
        self.histories.clear();
        self.set_threads(threads);
    }

    fn set_hash(&mut self, mebibytes: usize) -> Result<(), OutOfMemory> {
        self.table = Table::new(mebibytes)?;
        Ok(())
    }

    fn set_threads(&mut self, threads: usize) {
        self.histories.resize_with(threads.max(1), || History::new::<G>());
    }
}

/// One thread's iterative deepening.
struct Deepening<'a, G: Playable> {
    position: &'a G,
    limits: &'a Limits<G::Move>,
    budget: Option<Budget>,
    shared: &'a Shared<'a>,
    worker: Worker<'a, G>,
    /// The moves of the root, the best ones in front.
    moves: Vec<G::Move>,
}

impl<G: Playable> Deepening<'_, G> {
    fn run(mut self, report: &mut dyn FnMut(&Report<G::Move>)) {
        let lines = self.limits.lines.clamp(1, self.moves.len());
        let mut reports: Vec<Report<G::Move>> = Vec::new();
        let end = self.position.plies_left() as u32;
        let limits = [self.limits.depth, self.limits.win_within];
        let deepest = limits.into_iter().flatten().fold(end, u32::min).max(1);
        for depth in 1..=deepest {
            let mut done = Vec::with_capacity(lines);
            let mut found = None;
            while done.len() < lines {
                let line = done.len();
                found = None;
                let previous = reports.get(line).map(|report| report.score);
                match self.line(line, depth, previous, &mut found) {
                    Ok(score) => done.push(self.report(line, depth, score)),
                    Err(Halted) => break,
                }
            }
            let complete = done.len() == lines;
            if complete {
                reports = done;
                reports.iter().for_each(&mut *report);
            } else if reports.is_empty() && !done.is_empty() {
                reports = done;
            } else if (lines == 1 || reports.is_empty())
                && let Some(score) = found
            {
                // The best move so far counts; but lines that belong together are of one iteration.
                reports = vec![Report { proven: score.is_win(), ..self.report(0, depth, score) }];
            }
            if !complete || self.is_enough(&reports) {
                break;
            }
        }
        if reports.is_empty() {
            reports.push(self.first_guess());
        }
        self.worker.tell();
        for line in &mut reports {
            line.nodes = self.shared.nodes.load(Relaxed);
            line.time = self.shared.control.elapsed();
            line.hash_full = self.shared.table.fullness();
            report(line);
        }
    }

    /// Finds the best of the moves behind the first `line` ones, and moves it there.
    fn line(
        &mut self,
        line: usize,
        depth: u32,
        previous: Option<Score>,
        found: &mut Option<Score>,
    ) -> Result<Score, Halted> {
        let (worker, moves) = (&mut self.worker, &mut self.moves[line..]);
        let mut search =
            |alpha, beta| worker.search_root(self.position, moves, depth, alpha, beta, found);
        let Some(previous) = previous.filter(|_| depth > ASPIRATION_DEPTH) else {
            return search(Score::MIN, Score::MAX);
        };
        let half = ASPIRATION * G::SWING / 100;
        let (mut below, mut above) = (half, half);
        loop {
            let alpha = Score((previous.0 - below).max(Score::MIN.0));
            let beta = Score((previous.0 + above).min(Score::MAX.0));
            let score = search(alpha, beta)?;
            if score <= alpha {
                below *= 4;
            } else if score >= beta {
                above *= 4;
            } else {
                return Ok(score);
            }
        }
    }

    fn report(&mut self, line: usize, depth: u32, score: Score) -> Report<G::Move> {
        self.worker.tell();
        Report {
            line: line + 1,
            depth,
            selective_depth: self.worker.selective_depth,
            score,
            proven: score.is_win()
                || score.is_loss()
                || depth as usize >= self.position.plies_left(),
            nodes: self.shared.nodes.load(Relaxed),
            time: self.shared.control.elapsed(),
            hash_full: self.shared.table.fullness(),
            chances: None,
            pv: self.worker.line().to_vec(),
        }
    }

    /// What to play when the search was over before it began.
    fn first_guess(&mut self) -> Report<G::Move> {
        Report {
            pv: self.moves.first().copied().into_iter().collect(),
            proven: false,
            ..self.report(0, 0, Score(self.position.evaluate()))
        }
    }

    /// Whether another iteration is not worth beginning.
    fn is_enough(&self, reports: &[Report<G::Move>]) -> bool {
        let won = reports.first().is_some_and(|best| best.score.is_win());
        if won && self.limits.win_within.is_some() {
            return true;
        }
        let control = self.shared.control;
        let Some(budget) = self.budget.filter(|_| !control.is_pondering()) else { return false };
        // A forced move saves time on a clock; who gave a time for this move wants it used.
        let forced = self.moves.len() == 1 && self.limits.clock.is_some();
        forced || control.elapsed() >= budget.soft
    }
}
