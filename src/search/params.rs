//! Every tunable number of the search, in one place. Margins are multiples of the game's
//! [`SWING`](crate::game::Evaluate::SWING).
//!
//! Reductions, late move pruning, margins, order and history were tuned by SPSA (Spall, *An overview of
//! the simultaneous perturbation method*, 1998): 2500 pairs of games of Hokito at 6000 nodes a move. The
//! same for Yoxii led elsewhere without a gain; the laboratory book in [`search`](super) has the results.

/// Half of the first aspiration window, in hundredths of a swing.
pub const ASPIRATION: i32 = 50;
/// Iterations up to this depth use the full window.
pub const ASPIRATION_DEPTH: u32 = 4;

/// Reverse futility pruning: up to this depth a position that is better than beta by
/// [`REVERSE_FUTILITY_MARGIN`] for every ply fails high at once.
pub const REVERSE_FUTILITY_DEPTH: i32 = 3;
/// Hundredths of a swing a ply.
pub const REVERSE_FUTILITY_MARGIN: i32 = 100;

/// Late move pruning: up to this depth only the first `LATE_MOVES + LATE_MOVES_BY_DEPTH * depth * depth`
/// moves are tried.
pub const LATE_MOVE_DEPTH: i32 = 3;
/// See [`LATE_MOVE_DEPTH`].
pub const LATE_MOVES: i32 = 4;
/// See [`LATE_MOVE_DEPTH`].
pub const LATE_MOVES_BY_DEPTH: i32 = 9;

/// Late move reductions: the part of it, in percent, that holds at the root.
pub const REDUCTION_ROOT: i32 = 77;
/// Late move reductions: this much history is worth a ply.
pub const REDUCTION_HISTORY: i32 = 7_000;
/// Late move reductions: plies more for a move of which the like was searched.
pub const REDUCTION_KIN: i32 = 2;

/// Move ordering: what a centipoint of immediate gain is worth in units of history.
pub const ORDER_GAIN: i32 = 11;
/// Move ordering: the bonus of a killer move.
pub const ORDER_KILLER: i32 = 8_000;

/// History: a move that cuts off a search of `depth` plies gains this times `depth * depth + 2 * depth`.
pub const HISTORY_BONUS: i32 = 20;
/// History: but no more than this.
pub const HISTORY_BONUS_MAX: i32 = 1600;
/// History: the part, in percent, that is kept from one search to the next.
pub const HISTORY_KEPT: i32 = 50;

/// Quiescence: loud moves are tried for this many plies.
pub const QUIESCENCE_DEPTH: i32 = 6;

/// Handing over to the solver: an attempt at the outcome is made when it is expected to take no more
/// than this many times the positions that it may visit.
pub const PATIENCE: f64 = 1.5;
/// Handing over to the solver: even the first attempt may visit so many positions.
pub const FIRST_ATTEMPT: u64 = 4096;
/// On a clock, the part of the time of a move that is spent on the margin of a won game.
pub const MARGIN_TIME: f64 = 0.25;

/// On a clock: what the time for a move is multiplied by, after so many iterations that did not change
/// the best move.
pub const TIME_BY_STABILITY: [f64; 5] = [1.5, 1.25, 1.1, 1.0, 0.9];
/// On a clock: the part of its time that a move gets more for every swing by which the score fell.
pub const TIME_BY_FALL: f64 = 0.25;
/// On a clock: the time is multiplied by this, less the part of the positions that were visited under
/// the best move.
pub const TIME_BY_SHARE: f64 = 1.6;
