//! One thread's alpha-beta search.
//!
//! Principal variation search in negamax form: every node returns the score for its side to move,
//! within or beyond its window (fail-soft).
//!
//! **Proven scores stay proven.** A score in the range of wins or losses tells the result under
//! best play, whatever the depth, with a margin that the winner has for certain; more may be found
//! by a deeper search. So the table may use it at any depth, but only on the winner's side of the
//! window ([`Entry::answers`]). Where a node leaves moves out or cuts on a guess, its score is kept
//! inside the range of expected scores. A node whose remaining depth reaches
//! [`Game::plies_left`](crate::game::Game::plies_left) searches to the end of the game and leaves
//! nothing out: its score is exact.
//!
//! **Winning ends.** Whether a move ends the game at once and wins it is asked before all else,
//! also at the horizon, where the game tells it at a glance
//! ([`Endgame::winning_end`](crate::game::Endgame::winning_end)).
//!
//! **Forced moves.** Where the side to move has hardly a choice the search goes a ply deeper
//! ([`Evaluate::is_forced`](crate::game::Evaluate::is_forced)), as chess programs do with a single
//! reply.

use std::sync::LazyLock;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

use arrayvec::ArrayVec;

use super::history::{History, MAX_PLY};
use super::limits::Control;
use super::node_counter::{Halted, NodeCounter, NodeTotal};
use super::order::Picker;
use super::params::*;
use super::score::Score;
use super::sibling_bounds::SiblingBounds;
use super::table::{Bound, Entry, Table};
use crate::game::{MAX_EVAL, Playable};

/// The moves of a line, the first to play in front.
pub type Line<M> = ArrayVec<M, MAX_PLY>;

/// What the threads of one search share.
pub struct Shared<'a> {
    /// The transposition table.
    pub table: &'a Table,
    /// The stop flag and the clock of the search, in the hands of the caller.
    pub control: &'a Control,
    /// Tells all threads to end.
    pub halt: AtomicBool,
    /// Positions visited, and how many there may be.
    pub nodes: NodeTotal,
    /// Leave nothing out and look no further than the depth: what is won then is won within it.
    pub full_width: bool,
}

/// A thread's own memory and counters.
pub struct Worker<'a, G: Playable> {
    shared: &'a Shared<'a>,
    history: &'a mut History<G::Move>,
    counter: NodeCounter<'a>,
    /// The longest line looked at, in plies.
    pub selective_depth: u32,
    lines: Vec<Line<G::Move>>,
    /// Positions visited in the last search of the root: under the best move, and in all.
    root_nodes: [u64; 2],
    logarithms: &'static [i32; 256],
    /// What the evaluation remembers.
    eval_cache: G::EvalCache,
}

impl<'a, G: Playable> Worker<'a, G> {
    /// A thread that has not begun.
    pub fn new(shared: &'a Shared<'a>, history: &'a mut History<G::Move>) -> Self {
        let lines = vec![Line::new(); MAX_PLY + 1];
        Self {
            shared,
            history,
            counter: NodeCounter::new(&shared.nodes),
            selective_depth: 0,
            lines,
            root_nodes: [0; 2],
            logarithms: &LOGARITHMS,
            eval_cache: G::EvalCache::default(),
        }
    }

    /// Looks for the best of `moves` within a window, from a search of `depth` plies, 1 or more.
    ///
    /// A move that beats alpha goes to the front of `moves` at once, its line is then
    /// [`line`](Worker::line) and its score `found`: they count even when the search is halted.
    pub fn search_root(
        &mut self,
        position: &G,
        moves: &mut [G::Move],
        depth: u32,
        mut alpha: Score,
        beta: Score,
        found: &mut Option<Score>,
    ) -> Result<Score, Halted> {
        let depth = depth as i32;
        let full_width = self.shared.full_width || reaches_end(position, depth);
        let began = self.counter.nodes();
        let mut best = Score::MIN;
        for i in 0..moves.len() {
            let before = self.counter.nodes();
            let mut child = *position;
            child.make(moves[i]);
            let score = if i == 0 {
                -self.node::<true>(&child, depth - 1, 1, -beta, -alpha)?
            } else {
                let reduction = if i < 4 || full_width {
                    0
                } else {
                    self.reduction(depth, i) / 100 * G::TUNING.reduction_root / 100
                };
                self.late_move::<true>(&child, depth - 1, reduction, 1, alpha, beta)?
            };
            best = best.max(score);
            if i == 0 || score > alpha {
                self.root_nodes[0] = self.counter.nodes() - before;
            }
            if score > alpha {
                alpha = score;
                *found = Some(score);
                self.extend_line(0, moves[i]);
                moves[..=i].rotate_right(1);
            }
            if score >= beta {
                break;
            }
        }
        self.root_nodes[1] = self.counter.nodes() - began;
        Ok(best)
    }

    /// The score of a position from a search of `depth` plies, 0 or more, within or beyond a
    /// window.
    pub fn evaluate(
        &mut self,
        position: &G,
        depth: i32,
        alpha: Score,
        beta: Score,
    ) -> Result<Score, Halted> {
        self.node::<true>(position, depth, 0, alpha, beta)
    }

    /// The score of a move by which moves are ordered, in units of history.
    pub fn move_score(&self, position: &G, mv: G::Move) -> i32 {
        super::order::move_score(position, mv, self.history)
    }

    /// The part of the last search of the root that was spent on the best move, 0 to 1.
    pub fn share_of_best(&self) -> f64 {
        self.root_nodes[0] as f64 / self.root_nodes[1].max(1) as f64
    }

    /// What the threads of the search share.
    pub fn shared(&self) -> &'a Shared<'a> {
        self.shared
    }

    /// Counts positions that somebody else visited for this thread.
    pub fn add_nodes(&mut self, nodes: u64) {
        self.shared.nodes.add(nodes);
        self.counter.plan_check();
    }

    /// The line behind the last score of [`search_root`](Worker::search_root).
    pub fn line(&self) -> &[G::Move] {
        &self.lines[0]
    }

    /// Tells the others of all positions visited.
    pub fn publish_nodes(&mut self) {
        self.counter.publish();
    }

    /// Searches a move that is expected not to beat alpha: a null window and a reduced depth first,
    /// and more only if it surprises.
    #[inline]
    fn late_move<const PV: bool>(
        &mut self,
        child: &G,
        depth: i32,
        reduction: i32,
        ply: usize,
        alpha: Score,
        beta: Score,
    ) -> Result<Score, Halted> {
        let above = Score(alpha.0 + 1);
        let mut score = -self.node::<false>(child, depth - reduction, ply, -above, -alpha)?;
        if score > alpha && reduction > 0 {
            score = -self.node::<false>(child, depth, ply, -above, -alpha)?;
        }
        if PV && score > alpha && score < beta {
            score = -self.node::<true>(child, depth, ply, -beta, -alpha)?;
        }
        Ok(score)
    }

    fn node<const PV: bool>(
        &mut self,
        position: &G,
        depth: i32,
        ply: usize,
        mut alpha: Score,
        beta: Score,
    ) -> Result<Score, Halted> {
        self.count()?;
        self.lines[ply].clear();
        self.selective_depth = self.selective_depth.max(ply as u32);
        if position.is_over() {
            return Ok(Score::of_end(position));
        }
        if (depth > 0 || !self.shared.full_width)
            && let Some(mv) = position.winning_end()
        {
            let mut end = *position;
            end.make(mv);
            let score = -Score::of_end(&end);
            if score >= beta || depth <= 0 {
                if PV && score > alpha {
                    self.lines[ply + 1].clear();
                    self.extend_line(ply, mv);
                }
                return Ok(score);
            }
        }
        if depth <= 0 {
            let eval = position.evaluate_with(&mut self.eval_cache);
            if self.shared.full_width {
                return Ok(Score(eval));
            }
            return self.quiescence(position, eval, QUIESCENCE_DEPTH, ply, alpha, beta);
        }
        let forced = !self.shared.full_width && position.is_forced();
        let depth = if forced { depth + 1 } else { depth };

        // No move may be left out or searched less deeply, when that is asked for or there is no
        // more to search behind the depth.
        let to_the_end = reaches_end(position, depth);
        let full_width = self.shared.full_width || to_the_end;
        let key = position.key();
        let entry = self.shared.table.get(key);
        if let Some(entry) = entry
            && !PV
            && entry.answers(depth, alpha, beta)
        {
            return Ok(entry.score);
        }
        let eval = match entry {
            Some(entry) => i32::from(entry.eval),
            None => position.evaluate_with(&mut self.eval_cache),
        };
        let table_move = entry.and_then(Entry::best_move).filter(|&mv| position.is_legal(mv));

        let tuning = G::TUNING;
        let margin = |hundredths: i32| hundredths * G::SWING / 100 * depth;
        if !PV && !full_width && depth <= tuning.reverse_futility_depth {
            let guess = eval - margin(tuning.reverse_futility_margin);
            if guess >= beta.0 {
                return Ok(Score(guess.clamp(-MAX_EVAL, MAX_EVAL)));
            }
        }
        if !PV
            && !full_width
            && depth <= RAZORING_DEPTH
            && !alpha.is_win()
            && eval + margin(tuning.razoring_margin) <= alpha.0
        {
            let score = self.quiescence(position, eval, QUIESCENCE_DEPTH, ply, alpha, beta)?;
            if score <= alpha {
                return Ok(score);
            }
        }

        let first_alpha = alpha;
        let mut best = Score::MIN;
        let mut best_move = None;
        let mut tried: ArrayVec<u32, 64> = ArrayVec::new();
        let mut siblings = SiblingBounds::default();
        let raise = if to_the_end { Score::raised } else { Score::raised_if_proven };
        // What is won within a number of plies may be won with one value only.
        let siblings_bound = to_the_end || !full_width;
        let mut picker = Picker::new(position, table_move);
        let mut number = 0;
        while let Some((mv, order)) = picker.next(self.history, ply) {
            number += 1;
            if !PV
                && !full_width
                && depth <= tuning.late_move_depth
                && !best.is_loss()
                && number > tuning.late_moves + tuning.late_moves_by_depth * depth * depth
            {
                break;
            }
            let bound = if siblings_bound { siblings.bound::<G>(mv, raise) } else { None };
            if let Some(bound) = bound
                && bound <= alpha
            {
                best = best.max(bound);
                continue;
            }
            let reduction = if number <= EARLY_MOVES || full_width || depth < 2 {
                0
            } else {
                let less = self.reduction(depth, number as usize)
                    - 100 * order / tuning.reduction_history
                    - if PV { 100 } else { 0 };
                let less = less / 100 + if bound.is_some() { REDUCTION_SIBLING } else { 0 };
                less.clamp(0, depth - 1)
            };
            // Made in place: a copy right after the move would wait for what the move wrote.
            let mut child = *position;
            child.make(mv);
            if depth - reduction > 1 {
                // At the horizon the table is not asked.
                self.shared.table.prefetch(child.key());
            }
            let score = if number == 1 {
                -self.node::<PV>(&child, depth - 1, ply + 1, -beta, -alpha)?
            } else {
                self.late_move::<PV>(&child, depth - 1, reduction, ply + 1, alpha, beta)?
            };
            siblings.insert::<G>(mv, score);
            if score > best {
                best = score;
                if score > alpha {
                    best_move = Some(mv);
                    alpha = score;
                    if PV {
                        self.extend_line(ply, mv);
                    }
                    if score >= beta {
                        self.learn(position, mv, &tried, depth, ply);
                        break;
                    }
                }
            }
            let _ = tried.try_push(position.history_index(mv) as u32);
        }

        let bound = if best >= beta {
            Bound::Lower
        } else if best > first_alpha {
            Bound::Exact
        } else {
            Bound::Upper
        };
        self.shared.table.put(
            key,
            Entry {
                mv: best_move.or(table_move).map_or(0, Into::into),
                score: best,
                bound,
                depth: depth as u8,
                eval: eval as i16,
            },
        );
        Ok(best)
    }

    /// The score of a position at the horizon: its evaluation `eval`, or what noisy moves make of
    /// it.
    ///
    /// Doing nothing is not a move, but with many moves to choose from one of them is as good as
    /// nothing; so the evaluation is the least that the side to move gets. Only wins are proven
    /// here.
    fn quiescence(
        &mut self,
        position: &G,
        eval: i32,
        depth: i32,
        ply: usize,
        mut alpha: Score,
        beta: Score,
    ) -> Result<Score, Halted> {
        let mut best = Score(eval);
        if best >= beta || depth == 0 {
            return Ok(best);
        }
        alpha = alpha.max(best);
        let mut picker = Picker::noisy(position);
        while let Some((mv, _)) = picker.next(self.history, ply) {
            self.count()?;
            self.selective_depth = self.selective_depth.max(ply as u32 + 1);
            let mut child = *position;
            child.make(mv);
            let score = if child.is_over() {
                -Score::of_end(&child)
            } else {
                let eval = child.evaluate_with(&mut self.eval_cache);
                -self.quiescence(&child, eval, depth - 1, ply + 1, -beta, -alpha)?
            };
            if score > best {
                best = score;
                alpha = alpha.max(score);
                if score >= beta {
                    break;
                }
            }
        }
        Ok(best)
    }

    /// Learns from the move that was too good for the opponent.
    fn learn(&mut self, position: &G, mv: G::Move, tried: &[u32], depth: i32, ply: usize) {
        let player = position.side_to_move();
        let bonus = (G::TUNING.history_bonus * (depth * depth + 2 * depth)).min(HISTORY_BONUS_MAX);
        self.history.learn(player, position.history_index(mv), bonus);
        for &index in tried {
            self.history.learn(player, index as usize, -bonus);
        }
        self.history.learn_killer(ply, mv);
    }

    /// Puts a move in front of the line of the next ply.
    #[inline]
    fn extend_line(&mut self, ply: usize, mv: G::Move) {
        let (this, next) = self.lines.split_at_mut(ply + 1);
        this[ply].clear();
        this[ply].push(mv);
        this[ply].extend(next[0].iter().copied().take(MAX_PLY - 1));
    }

    /// Counts a position, and looks at the limits now and then.
    #[inline]
    fn count(&mut self) -> Result<(), Halted> {
        let Shared { halt, control, .. } = self.shared;
        let counted = self.counter.count(|_| halt.load(Relaxed) || control.is_over());
        counted.inspect_err(|Halted| halt.store(true, Relaxed))
    }

    /// By how much a move far down the list is searched less deeply, in hundredths of a ply.
    #[inline]
    fn reduction(&self, depth: i32, number: usize) -> i32 {
        let product = self.logarithms[depth.min(255) as usize] * self.logarithms[number.min(255)];
        G::TUNING.reduction + product / G::TUNING.reduction_divisor
    }
}

/// Whether a search of so many plies, 1 or more, sees the end of the game on every line.
#[inline]
fn reaches_end<G: Playable>(position: &G, depth: i32) -> bool {
    depth as usize >= position.plies_left()
}

/// Natural logarithms, in hundredths.
static LOGARITHMS: LazyLock<[i32; 256]> = LazyLock::new(|| {
    std::array::from_fn(|number| (100.0 * libm::log(number.max(1) as f64)) as i32)
});
