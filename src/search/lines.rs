//! What is proven of the best lines of a position near the end of the game.
//!
//! A search hands its lines over to the exact [solver](super::solve). First comes the outcome of
//! the position, then its margin; that is all for a single line. With more of them the outcome of
//! each follows, then the margin of each, the best first, and in the end no other move may be worth
//! more than the last of them, which is one question for each move.
//!
//! All along the lines are what is known so far: proven scores where there are any, and what the
//! search expects elsewhere. [`Lines`] knows which question comes next and what an answer means;
//! who asks the solver also counts its positions and keeps to the limits.

use std::cmp::Reverse;
use std::time::Duration;

use super::fold;
use super::report::Report;
use super::score::Score;
use super::solve::{Goal, Solution, result};
use crate::game::Playable;

/// Reports come when the positions that were visited have grown by this factor.
const REPORT_GROWTH: f64 = 1.25;

/// Something to ask the solver.
pub struct Question<G> {
    /// The position to solve.
    pub position: G,
    /// What to prove of it.
    pub goal: Goal,
    /// The move that leads to the position; `None` when it is the root.
    of: Option<usize>,
}

/// What the search counts while the solver works.
#[derive(Clone, Copy)]
pub struct Counts {
    /// Positions visited since the search began.
    pub nodes: u64,
    /// Since the search began.
    pub time: Duration,
    /// Part of the table that the search filled, in thousandths.
    pub hash_full: u32,
}

/// A move of the root.
struct Candidate<M> {
    mv: M,
    /// What the search told, if it told about this move.
    told: Option<Report<M>>,
    /// Proven so far, for the side to move at the root.
    lower: Score,
    upper: Score,
    pv: Vec<M>,
    /// Whether `pv` is best play to the end of the game and the bounds meet.
    solved: bool,
}

impl<M: Copy> Candidate<M> {
    fn new(mv: M, told: Option<&Report<M>>) -> Self {
        let (lower, upper) = match told {
            Some(report) if report.proven && report.score.is_win() => (report.score, Score::MAX),
            Some(report) if report.proven && report.score.is_loss() => (Score::MIN, report.score),
            Some(report) if report.proven => (Score::DRAW, Score::DRAW),
            _ => (Score::MIN, Score::MAX),
        };
        let pv = told.map_or_else(|| vec![mv], |report| report.pv.clone());
        Self { mv, told: told.cloned(), lower, upper, pv, solved: false }
    }

    /// Adds to what is proven. `line` is best play when the bounds meet.
    fn learn(&mut self, lower: Score, upper: Score, line: Vec<M>) {
        let raised = lower > self.lower;
        self.lower = self.lower.max(lower);
        self.upper = self.upper.min(upper);
        if lower >= upper {
            self.pv = line;
            self.solved = true;
        } else if raised && lower > Score::DRAW && !self.solved {
            // What the search wanted to play behind it need not win.
            self.pv = vec![self.mv];
        }
    }

    /// The score to show when no move is worth more than `most`, and whether it is proven; `None`
    /// while there is nothing to tell.
    fn score(&self, most: Score) -> Option<(Score, bool)> {
        let upper = self.upper.min(most);
        match result(self.lower, upper) {
            Some(1) => Some((self.lower, true)),
            Some(0) => Some((Score::DRAW, true)),
            Some(_) => Some((upper, true)),
            None => {
                let expected = self.told.as_ref()?.score;
                Some((expected.max(self.lower).min(upper), false))
            }
        }
    }
}

/// The best lines of a position.
pub struct Lines<G: Playable> {
    position: G,
    /// So many are wanted.
    wanted: usize,
    /// Whether the best of the moves is the best of all.
    whole: bool,
    /// What the best move is proven to be worth.
    lower: Score,
    upper: Score,
    moves: Vec<Candidate<G::Move>>,
}

impl<G: Playable> Lines<G> {
    /// The lines that a search told, one at least, among the moves that it considers, which come in
    /// the order in which they seem good. `whole` when these are all moves, or all but images of
    /// others.
    pub fn new(
        position: &G,
        moves: impl IntoIterator<Item = G::Move>,
        whole: bool,
        told: &[Report<G::Move>],
    ) -> Self {
        let report = |mv| told.iter().find(|report| report.pv.first() == Some(&mv));
        let moves = moves.into_iter().map(|mv| Candidate::new(mv, report(mv))).collect();
        let (lower, upper) = (Score::MIN, Score::MAX);
        let mut lines =
            Self { position: *position, wanted: told.len(), whole, lower, upper, moves };
        lines.sum_up();
        lines
    }

    /// Adds what was proven of the best move elsewhere.
    pub fn narrow(&mut self, lower: Score, upper: Score) {
        self.lower = self.lower.max(lower);
        self.upper = self.upper.min(upper);
    }

    /// Whether the result of the best move is proven.
    pub fn has_result(&self) -> bool {
        result(self.lower, self.upper).is_some()
    }

    /// Without the solver's answer about the root, the best move is worth what the moves are.
    fn sum_up(&mut self) {
        if !self.whole {
            let lower = self.moves.iter().map(|candidate| candidate.lower).max();
            let upper = self.moves.iter().map(|candidate| candidate.upper).max();
            self.narrow(lower.unwrap_or(Score::MIN), upper.unwrap_or(Score::MAX));
        }
    }

    /// The lines as they are now, the best first: indices, scores, and whether these are proven.
    fn shown(&self) -> Vec<(usize, Score, bool)> {
        let scores = self.moves.iter().map(|candidate| candidate.score(self.upper));
        let scores = scores.enumerate().filter_map(|(i, score)| score.map(|(s, p)| (i, s, p)));
        let mut shown: Vec<_> = scores.collect();
        shown.sort_by_key(|&(i, score, proven)| Reverse((score, self.moves[i].solved, proven)));
        shown.truncate(self.wanted);
        shown
    }

    /// What to ask next; `None` when all is known.
    pub fn question(&self) -> Option<Question<G>> {
        let root = |goal| Some(Question { position: self.position, goal, of: None });
        if self.whole && !self.has_result() {
            return root(Goal::Outcome);
        }
        if !self.has_result() {
            let open = |c: &Candidate<_>| result(c.lower, c.upper).is_none();
            return self.about(self.moves.iter().position(open)?, Goal::Outcome);
        }
        if self.whole && self.lower < self.upper {
            return root(Goal::Margin);
        }
        let shown = self.shown();
        if let Some(&(i, ..)) = shown.iter().find(|&&(.., proven)| !proven) {
            return self.about(i, Goal::Outcome);
        }
        if let Some(&(i, ..)) = shown.iter().find(|&&(i, ..)| !self.moves[i].solved) {
            return self.about(i, Goal::Margin);
        }
        let &(_, last, _) = shown.last()?;
        let others = (0..self.moves.len()).filter(|i| shown.iter().all(|(shown, ..)| shown != i));
        let i = others.into_iter().find(|&i| self.moves[i].upper.min(self.upper) > last)?;
        // The move is worth no more than the last line unless the answer is worth less than that to
        // the opponent.
        let goal = if self.moves[i].lower > last { Goal::Margin } else { Goal::AtLeast(-last) };
        self.about(i, goal)
    }

    fn about(&self, i: usize, goal: Goal) -> Option<Question<G>> {
        let mut position = self.position;
        position.make(self.moves[i].mv);
        Some(Question { position, goal, of: Some(i) })
    }

    /// Learns from what the solver proved. Whether that answers the question: it does not when the
    /// solver had to end before.
    pub fn learn(&mut self, question: &Question<G>, answer: Solution<G::Move>) -> bool {
        let answered = match question.goal {
            Goal::Outcome => answer.result().is_some(),
            Goal::Margin => answer.score().is_some(),
            Goal::AtLeast(score) => answer.lower >= score || answer.upper < score,
        };
        let Some(i) = question.of else {
            self.narrow(answer.lower, answer.upper);
            let moves: Vec<_> = self.moves.iter().map(|candidate| candidate.mv).collect();
            if let Some((i, line)) = fold::follow(&self.position, &answer.pv, &moves) {
                let upper = if answer.score().is_some() { answer.upper } else { Score::MAX };
                self.moves[i].learn(answer.lower, upper, line);
            }
            return answered;
        };
        let line = [self.moves[i].mv].into_iter().chain(answer.pv).collect();
        self.moves[i].learn(-answer.upper, -answer.lower, line);
        self.sum_up();
        answered
    }

    /// Asks the solver until all is known or a question stays without an answer. `tell` is called
    /// as more is known, but not at the end.
    pub fn prove(
        &mut self,
        solve: &mut dyn FnMut(&Question<G>) -> Solution<G::Move>,
        tell: &mut dyn FnMut(&Self),
    ) {
        let (mut nodes, mut next) = (0, 0);
        while let Some(question) = self.question() {
            if nodes > next {
                next = (nodes as f64 * REPORT_GROWTH) as u64;
                tell(self);
            }
            let answer = solve(&question);
            nodes += answer.nodes;
            if !self.learn(&question, answer) {
                break;
            }
        }
    }

    /// Reports of the lines, the best first.
    pub fn reports(&self, counts: Counts) -> Vec<Report<G::Move>> {
        let left = self.position.plies_left() as u32;
        let told = self.moves.iter().filter_map(|candidate| candidate.told.as_ref());
        let depth = told.map(|report| report.depth).max().unwrap_or(0);
        let depth = if self.question().is_none() { left } else { depth };
        let line = |(line, (i, score, proven)): (usize, (usize, Score, bool))| {
            let candidate = &self.moves[i];
            let chances = candidate.told.as_ref().and_then(|report| report.chances);
            Report {
                line: line + 1,
                depth,
                selective_depth: left,
                score,
                proven,
                chances: chances.filter(|_| !proven),
                nodes: counts.nodes,
                time: counts.time,
                hash_full: counts.hash_full,
                pv: candidate.pv.clone(),
            }
        };
        self.shown().into_iter().enumerate().map(line).collect()
    }
}
