//! Exact play: proving what a position is worth when nobody errs.
//!
//! The [`Solver`] asks yes-or-no questions, "is the position worth at least this much?", by null-window
//! alpha-beta searches that run to the end of the game. The first questions settle the *outcome*; the
//! following ones close in on the *margin*, each of them beginning at the bound that the last answer
//! left (MTD(f): Plaat, Schaeffer, Pijls and de Bruin, *Best-first fixed-depth minimax algorithms*, 1996).
//! All questions share one table of lower and upper bounds ([`table`]), so that a later one mostly
//! repeats what an earlier one proved. Where a game tells the course of play from what it is worth
//! ([`Endgame::shape`](crate::game::Endgame::shape)), bounds are also passed on between positions that differ in
//! the latter only.
//!
//! Where a game has choices that decide nothing before the end, like the values of the pieces in Yoxii, most questions are
//! answered in an easier game in which one player puts them off until then ([`Endgame::deferring`](crate::game::Endgame::deferring)): if even that
//! does not help the player, nothing does.
//!
//! One search works in tiers, after the solver of Edax; the module `worker` explains them. Several threads
//! ask the same question and keep out of each other's way.
//!
//! # What was tried and left out
//! Nodes in relation to the solver as it was then, on 20 positions of Hokito with 18 and 20 piles, taken
//! from games between greedy players:
//! - Folding symmetric positions, also after taking out empty ranks and files: 2 to 3 % fewer
//!   positions. They differ less and less often the more piles are left, and a table entry is
//!   worth most high up in the tree. It does not pay for its key.
//! - A key that leaves out heights, to share the ordering or (with slack) the bounds of positions
//!   that differ in heights only: at most 6 % fewer positions.
//! - History: -2 to +40 %, killers: -4 to +30 %, by their weight. Mobility says what they know.
//! - The mover's own mobility: -3 to +6 %. The square of the opponent's mobility: -1 to -3 %.
//! - Points won by the move: 25 to 60 % *more* positions unless its weight is tiny.
//! - Proof-number search (df-pn with mobility, thresholds 1 + epsilon, alpha-beta below 8 to 12
//!   plies) in place of alpha-beta: as many positions for the outcome, 1.1 to 1.9 times as many for the proof that
//!   no more is to be had; 1 to 2.5 times the time.
//!
//! Later, with the lists of children and the tables as they are now (Hokito with 20 piles, outcome and margin):
//! - Steps of 2 or 4 points instead of 1 in the questions for the margin, growing by 1.5 or 2 while they
//!   succeed, and halving or quartering the gap from the first failure on: -1 to +3 % positions in Hokito, +3 to +13 %
//!   in Yoxii. A question that asks too much costs as much as the last one, those that ask a point more cost little.
//!   Asking first for the exact margin, as if an oracle told it, takes a third fewer positions: that is all that a
//!   good guess could win.
//! - Sharper margins within reach from piles that can no longer meet (connected parts of the board, single pieces and
//!   stacks apart): 14 % fewer positions from 13 piles down, each of them dearer. The high stack changes hands up to the
//!   last move, and positions with 7 piles still have two moves.
//! - The table down to 4 plies from the end in place of 8: 14 % fewer positions, more time.
//! - For the order: whether the mover could take the highest pile back, and the mover's own mobility: -2 to +5 %. The most
//!   points that any reply wins instead of those for the highest pile: 9 % fewer positions, but by making all replies,
//!   which takes twice the time.
//! - The network's evaluation in the order, from 9 or 12 plies on: -0 to +59 % by its weight; in Yoxii with 16 placed, from 11 plies
//!   on: +34 and +37 %.
//! - In Yoxii with 16 placed, margins within reach (the totem on any empty square, the squares around it filled with
//!   the best pieces in hand): positions that are nearly decided become trivial, but of 30 positions 21 kept their number of nodes within
//!   6 %, at 1.2 times the time. Only squares that the totem can still get to: 3 % fewer positions.
//! - Making the children of a family when they are searched, and counting their replies once: 1.02 times the speed in Yoxii.
//!
//! # Putting off choices
//! What values that are chosen in the end did to the solver of Yoxii (geometric mean of the positions visited in 20 positions with 16
//! placed, outcome and margin): from 2.77 million to 0.33 million. Nearly all questions are answered at the root or next to it. Then:
//! - In a family the highest value first, the others only after the highest of all families: 0.20 million. With a PV whose moves come
//!   from an ordered search 0.19 million; the time went from 0.56 to 0.06 s.
//! - The game in which the opponent puts off choices first, where a node is expected to fail high: 3 times as many. Only the side to move
//!   puts them off: 1.2 times. A player does so only where a node is expected to fail that way: 13 to 15 times, since one wrong
//!   expectation at the root turns all of them.
//! - The other player may place nothing but their highest value, at first: 0.85 times the positions, the same time.
//! - Asking only from 12, 15, 17 or 19 plies on: nothing changes. Children looked up from 9 plies on: 0.9 times the positions, 1.08 times
//!   the time.

pub mod table;
mod worker;

use std::marker::PhantomData;
use std::sync::atomic::Ordering::Relaxed;
use std::thread;
use std::time::Duration;

use super::OutOfMemory;
use super::count::Halted;
use super::limits::Control;
use super::score::Score;
use crate::game::{Outcome, Playable, Player};
use table::{Proofs, Shapes};
use worker::{Memory, Shared, Worker};

/// What is proven of a position, for its side to move.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Solution<M> {
    /// The position is worth at least this; [`Score::MIN`] when nothing is proven.
    pub lower: Score,
    /// The position is worth at most this; [`Score::MAX`] when nothing is proven.
    pub upper: Score,
    /// Best play from here to the end of the game, when the bounds meet; otherwise no more than a move that reaches the
    /// lower bound, which is there whenever a lower bound is proven. It ends early only when the solver was
    /// stopped while it looked for it. Empty when the game is over.
    pub pv: Vec<M>,
    /// Positions visited, not counting those where the game is over.
    pub nodes: u64,
}

impl<M> Solution<M> {
    /// The exact value, when the bounds meet.
    #[must_use]
    pub fn score(&self) -> Option<Score> {
        (self.lower >= self.upper).then_some(self.lower)
    }

    /// The sign of the value, as far as it is proven: 1 for a win, 0 for a draw, -1 for a loss.
    #[must_use]
    pub fn result(&self) -> Option<i32> {
        result(self.lower, self.upper)
    }
}

/// The sign of a value between two bounds, as far as they tell.
pub(super) fn result(lower: Score, upper: Score) -> Option<i32> {
    match (lower, upper) {
        (lower, _) if lower > Score::DRAW => Some(1),
        (_, upper) if upper < Score::DRAW => Some(-1),
        (Score::DRAW, Score::DRAW) => Some(0),
        _ => None,
    }
}

/// A position of which everything is proven.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Solved<M> {
    /// What it is worth for its side to move.
    pub score: Score,
    /// A move that keeps outcome and margin; `None` when the game is over.
    pub best: Option<M>,
    /// Best play from here on, beginning with `best`.
    pub pv: Vec<M>,
}

impl<M> Solved<M> {
    /// How the game ends under best play.
    #[must_use]
    pub fn outcome(&self, side_to_move: Player) -> Outcome {
        let winner = match self.score.0.signum() {
            1 => Some(side_to_move),
            -1 => Some(side_to_move.other()),
            _ => None,
        };
        Outcome { winner, margin: self.score.centipoints() / 100 * side_to_move.sign() }
    }
}

/// What to prove.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Goal {
    /// Who wins. The bounds on the margin stay as wide as they happen to be.
    Outcome,
    /// Who wins, and then by how much.
    Margin,
    /// Whether the position is worth at least this, and nothing else.
    AtLeast(Score),
}

/// How far a running solver is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Progress {
    /// Proven so far: at least this.
    pub lower: Score,
    /// Proven so far: at most this.
    pub upper: Score,
    /// Positions visited by all threads.
    pub nodes: u64,
    /// Since the [`Control`] was made.
    pub time: Duration,
}

/// Proves what positions of a game are worth, and remembers what it proved.
///
/// ```
/// use cairn::game::Notation;
/// use cairn::games::hokito::Hokito;
/// use cairn::search::{limits::Control, solve::Solver};
///
/// let position = Hokito::parse("A.2A..B/.....2B/...6C.6c/..2C2b.c/4C.6c.../a.b.a. b")?;
/// let solver = Solver::new(1, 1)?;
/// let solved = solver.solve_within(&position, 1_000_000, &Control::new(false));
/// let solved = solved.expect("so late a position is soon solved");
/// assert!(solved.score.is_win());
/// assert_eq!(solved.score.centipoints(), 1800);
/// assert_eq!(solved.best.map(Hokito::move_text).as_deref(), Some("c2d4"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Solver<G> {
    proofs: Proofs,
    shapes: Shapes,
    threads: usize,
    game: PhantomData<G>,
}

impl<G: Playable> Solver<G> {
    /// A solver with a table of this many MiB and this many threads, at least 1 of each.
    ///
    /// # Errors
    /// When the memory for the table cannot be had.
    pub fn new(mebibytes: usize, threads: usize) -> Result<Self, OutOfMemory> {
        Ok(Self {
            proofs: Proofs::new(mebibytes)?,
            shapes: Shapes::new()?,
            threads: threads.max(1),
            game: PhantomData,
        })
    }

    /// Forgets all proofs.
    pub fn clear(&mut self) {
        self.proofs.clear();
        self.shapes.clear();
    }

    /// Solves with this many threads from now on, at least 1.
    pub fn set_threads(&mut self, threads: usize) {
        self.threads = threads.max(1);
    }

    /// Everything about a position, or `None` when it takes more than `max_nodes` positions or the
    /// control stops it. What was proven till then stays in the table: asking again goes on from
    /// there.
    #[must_use]
    pub fn solve_within(
        &self,
        position: &G,
        max_nodes: u64,
        control: &Control,
    ) -> Option<Solved<G::Move>> {
        let solution = self.solve(position, Goal::Margin, Some(max_nodes), control, &mut |_| {});
        let score = solution.score()?;
        let best = solution.pv.first().copied();
        (best.is_some() || position.is_over()).then_some(Solved { score, best, pv: solution.pv })
    }

    /// Proves the outcome of a position and then, if that is the goal, the margin, or one bound; or
    /// as much of it as the limit of positions to visit and the control allow. `progress` is called now and then from the calling thread.
    #[must_use]
    pub fn solve(
        &self,
        position: &G,
        goal: Goal,
        max_nodes: Option<u64>,
        control: &Control,
        progress: &mut dyn FnMut(&Progress),
    ) -> Solution<G::Move> {
        let shared = Shared::new(&self.proofs, &self.shapes, control, max_nodes, self.threads);
        let mut solving = Solving {
            shared,
            position,
            progress,
            memory: Memory::new(),
            lower: Score::MIN,
            upper: Score::MAX,
            best: None,
        };
        let halted = solving.prove(goal).is_err();
        let mut pv =
            if !halted && solving.lower >= solving.upper { solving.line() } else { Vec::new() };
        let Solving { shared, lower, upper, best, .. } = solving;
        if pv.is_empty() {
            pv.extend(best);
        }
        Solution { lower, upper, pv, nodes: shared.nodes.total() }
    }
}

/// A position that is being solved.
struct Solving<'a, G: Playable> {
    shared: Shared<'a>,
    position: &'a G,
    progress: &'a mut dyn FnMut(&Progress),
    memory: Memory<G>,
    lower: Score,
    upper: Score,
    /// A move that reaches the lower bound.
    best: Option<G::Move>,
}

impl<G: Playable> Solving<'_, G> {
    /// Narrows the bounds until the goal is reached.
    fn prove(&mut self, goal: Goal) -> Result<(), Halted> {
        if self.position.is_over() {
            (self.lower, self.upper) = (Score::of_end(self.position), Score::of_end(self.position));
            return Ok(());
        }
        if let Goal::AtLeast(score) = goal {
            return self.ask(score);
        }
        // The likelier answer alone settles the outcome, unless it is a draw.
        let (win, no_loss) = (Score(1), Score::DRAW);
        if self.position.evaluate() > 0 {
            self.ask(win)?;
            if self.upper >= no_loss && self.lower < no_loss {
                self.ask(no_loss)?;
            }
        } else {
            self.ask(no_loss)?;
            if self.lower < win && self.upper >= win {
                self.ask(win)?;
            }
        }
        while goal == Goal::Margin && self.lower < self.upper {
            let more = Score(self.lower.0 + 1);
            self.ask(if self.lower > Score::DRAW { more } else { self.upper })?;
        }
        Ok(())
    }

    /// Asks whether the position is worth at least `beta`, all threads at once, and narrows the bounds.
    fn ask(&mut self, beta: Score) -> Result<(), Halted> {
        if self.shared.control.is_over() {
            return Err(Halted);
        }
        let (shared, position) = (&self.shared, self.position);
        let (lower, upper) = (self.lower, self.upper);
        let progress = &mut *self.progress;
        let memory = &mut self.memory;
        let mut tell = |nodes| {
            progress(&Progress { lower, upper, nodes, time: shared.control.elapsed() });
        };
        let answer = thread::scope(|scope| {
            let helpers: Vec<_> = (1..shared.threads)
                .map_while(|_| {
                    let help =
                        || Worker::new(shared, &mut Memory::new(), &mut |_| {}).ask(position, beta);
                    let spawned = thread::Builder::new().spawn_scoped(scope, help);
                    spawned.inspect_err(|e| log::warn!("solving with fewer threads: {e}")).ok()
                })
                .collect();
            let mut answer = Worker::new(shared, memory, &mut tell).ask(position, beta);
            for helper in helpers {
                if let (Err(Halted), Ok(Ok(found))) = (answer, helper.join()) {
                    answer = Ok(found);
                }
            }
            answer
        });
        shared.answered.store(false, Relaxed);
        let score = answer?;
        if score < beta {
            self.upper = self.upper.min(score);
        } else if score > self.lower {
            // The answer may come from a position of the same shape. It counts when there is a move that shows it.
            let mut quiet = |_| {};
            let mut worker = Worker::new(&self.shared, &mut self.memory, &mut quiet);
            let Some((mv, _)) = worker.reaching(self.position, score)? else { return Err(Halted) };
            self.lower = score;
            self.best = Some(mv);
        }
        Ok(())
    }

    /// Best play from a position whose value is proven: every move on it keeps the value.
    fn line(&mut self) -> Vec<G::Move> {
        let mut quiet = |_| {};
        let mut worker = Worker::new(&self.shared, &mut self.memory, &mut quiet);
        let mut line = Vec::new();
        let (mut position, mut value) = (*self.position, self.lower);
        while !position.is_over() {
            let Ok(Some((mv, child))) = worker.reaching(&position, value) else { break };
            line.push(mv);
            position = child;
            value = -value;
        }
        line
    }
}
