//! Iterative deepening by one thread, and the exact solver's share in it.
//!
//! Near the end of the game the first thread shares its effort between alpha-beta and the
//! [solver](super::solve): after an iteration the solver may visit as many positions as alpha-beta has,
//! once a proof of the outcome can be expected to take no more than a few times that. Since iterations
//! grow, so do the attempts, and what they prove stays in the solver's table. A proof of the outcome ends
//! alpha-beta: what remains is the margin, and the other lines where several are wanted, which the
//! solver finds, too ([`lines`](super::lines)).

use std::cmp::Reverse;
use std::sync::atomic::Ordering::Relaxed;

use super::count::Halted;
use super::limits::{Control, Limits};
use super::lines::{Counts, Lines, Question};
use super::params::{ASPIRATION_DEPTH, FIRST_ATTEMPT, MARGIN_TIME, PATIENCE};
use super::report::Report;
use super::score::Score;
use super::solve::{Solution, Solver};
use super::time::{Budget, Confidence};
use super::worker::Worker;
use crate::game::Playable;

/// The solver's part in a search.
pub struct Exact<'a, G> {
    solver: &'a Solver<G>,
    /// Positions that the outcome is expected to take.
    effort: f64,
    /// Positions visited.
    nodes: u64,
}

impl<'a, G: Playable> Exact<'a, G> {
    /// `None` when the limits ask for something else than best play to the end.
    pub fn new(solver: &'a Solver<G>, position: &G, limits: &Limits<G::Move>) -> Option<Self> {
        let left = position.plies_left();
        limits.are_for_the_end(left).then(|| Self {
            solver,
            effort: G::EFFORT.positions(left),
            nodes: 0,
        })
    }

    /// The positions that an attempt may visit when alpha-beta has visited so many; `None` when it is
    /// not worth it.
    fn attempt(&self, searched: u64) -> Option<u64> {
        let most = searched.max(FIRST_ATTEMPT);
        (self.effort <= PATIENCE * most as f64).then_some(most.saturating_sub(self.nodes))
    }

    fn solve(
        &self,
        question: &Question<G>,
        most: Option<u64>,
        control: &Control,
    ) -> Solution<G::Move> {
        self.solver.solve(&question.position, question.goal, most, control, &mut |_| {})
    }
}

/// One thread's iterative deepening.
pub struct Deepening<'a, G: Playable> {
    position: &'a G,
    limits: &'a Limits<G::Move>,
    budget: Option<Budget>,
    worker: Worker<'a, G>,
    /// The moves of the root, the best ones in front.
    moves: Vec<G::Move>,
    confidence: Confidence<G::Move>,
}

impl<'a, G: Playable> Deepening<'a, G> {
    /// The search of some moves of a position by a worker, within a budget of time if there is one.
    pub fn new(
        position: &'a G,
        limits: &'a Limits<G::Move>,
        budget: Option<Budget>,
        worker: Worker<'a, G>,
        moves: Vec<G::Move>,
    ) -> Self {
        Self { position, limits, budget, worker, moves, confidence: Confidence::new() }
    }

    /// Searches deeper and deeper until something ends it.
    pub fn run(mut self, exact: Option<Exact<'a, G>>, report: &mut dyn FnMut(&Report<G::Move>)) {
        let mut reports = self.deepen(exact, report);
        if reports.is_empty() {
            reports.push(self.first_guess());
        }
        self.worker.tell();
        for line in &mut reports {
            line.nodes = self.worker.shared().nodes.total();
            line.time = self.worker.shared().control.elapsed();
            line.hash_full = self.worker.shared().table.fullness();
            report(line);
        }
    }

    /// The last reports of all lines.
    fn deepen(
        &mut self,
        mut exact: Option<Exact<'a, G>>,
        report: &mut dyn FnMut(&Report<G::Move>),
    ) -> Vec<Report<G::Move>> {
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
                self.rank(&mut reports);
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
            if depth < deepest
                && let Some(exact) = &mut exact
                && let Some(solved) = self.attempt(exact, &reports, report)
            {
                return solved;
            }
        }
        reports
    }

    /// Brings the lines of an iteration, and their moves, into the order of their scores. The search for a later line, with
    /// other reductions, may have found a better score.
    fn rank(&mut self, reports: &mut [Report<G::Move>]) {
        reports.sort_by_key(|report| Reverse(report.score));
        for ((line, report), place) in (1..).zip(reports).zip(&mut self.moves) {
            report.line = line;
            if let Some(&mv) = report.pv.first() {
                *place = mv;
            }
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
        let half = G::TUNING.aspiration * G::SWING / 100;
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

    /// Lets the solver try to prove the outcome, and then all that it can of the lines. The last
    /// reports, if the outcome is known; `told` is what alpha-beta knows. A lost side plays on as
    /// alpha-beta advised, until the margin is known.
    fn attempt(
        &mut self,
        exact: &mut Exact<'a, G>,
        told: &[Report<G::Move>],
        report: &mut dyn FnMut(&Report<G::Move>),
    ) -> Option<Vec<Report<G::Move>>> {
        self.worker.tell();
        let shared = self.worker.shared();
        let searched = shared.nodes.total() - exact.nodes;
        let mut most = exact.attempt(searched)?.min(self.nodes_left());
        let whole = self.limits.only.is_empty();
        let mut lines = Lines::new(self.position, self.moves.iter().copied(), whole, told);
        while !lines.has_result() {
            let question = lines.question()?;
            // The other threads go on meanwhile.
            shared.nodes.add(most);
            let solution = exact.solve(&question, Some(most), shared.control);
            shared.nodes.give_back(most);
            exact.nodes += solution.nodes;
            most = most.saturating_sub(solution.nodes);
            self.worker.add_nodes(solution.nodes);
            if !lines.learn(&question, solution) {
                return None;
            }
        }
        // The other threads are of no more use.
        shared.halt.store(true, Relaxed);
        let counts = || Counts {
            nodes: shared.nodes.total(),
            time: shared.control.elapsed(),
            hash_full: shared.table.fullness(),
        };
        if lines.question().is_some() {
            lines.reports(counts()).iter().for_each(&mut *report);
            shared.control.end_after(self.budget.map(|budget| budget.for_margins(self.limits)));
            lines.prove(
                &mut |question| {
                    let left = self.limits.nodes.map(|_| self.nodes_left());
                    let solution = exact.solve(question, left, shared.control);
                    self.worker.add_nodes(solution.nodes);
                    solution
                },
                &mut |lines| lines.reports(counts()).iter().for_each(&mut *report),
            );
        }
        Some(lines.reports(counts()))
    }

    /// Positions that may still be visited.
    fn nodes_left(&self) -> u64 {
        let visited = self.worker.shared().nodes.total();
        self.limits.nodes.map_or(u64::MAX, |max| max.saturating_sub(visited))
    }

    fn report(&mut self, line: usize, depth: u32, score: Score) -> Report<G::Move> {
        self.worker.tell();
        let shared = self.worker.shared();
        Report {
            line: line + 1,
            depth,
            selective_depth: self.worker.selective_depth,
            score,
            proven: score.is_win()
                || score.is_loss()
                || depth as usize >= self.position.plies_left(),
            nodes: shared.nodes.total(),
            time: shared.control.elapsed(),
            hash_full: shared.table.fullness(),
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
    fn is_enough(&mut self, reports: &[Report<G::Move>]) -> bool {
        let Some(best) = reports.first() else { return false };
        let won = best.score.is_win();
        if won && self.limits.win_within.is_some() {
            return true;
        }
        if let Some(&mv) = best.pv.first() {
            self.confidence.update(mv, best.score, self.worker.share_of_best(), G::SWING);
        }
        let control = self.worker.shared().control;
        let Some(budget) = self.budget.filter(|_| !control.is_pondering()) else { return false };
        if self.limits.clock.is_none() {
            // Who gave a time for this move wants it used.
            return control.elapsed() >= budget.soft;
        }
        let factor = if won { MARGIN_TIME } else { self.confidence.factor() };
        let soft = budget.soft.mul_f64(factor).min(budget.hard);
        control.elapsed() >= soft
    }
}
