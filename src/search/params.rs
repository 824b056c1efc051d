//! The tunable numbers of the search that are the same for all games, in one place. Those that
//! [differ](crate::game::Tuning) were tuned by SPSA (Spall, *An overview of the simultaneous
//! perturbation method*, 1998).

/// Iterations up to this depth use the full window.
pub const ASPIRATION_DEPTH: u32 = 4;

/// Razoring is for positions of up to this depth.
pub const RAZORING_DEPTH: i32 = 2;

/// Late move reductions: so many moves are searched to the full depth.
pub const EARLY_MOVES: i32 = 3;
/// Late move reductions: plies more for a move of which a sibling was searched.
pub const REDUCTION_SIBLING: i32 = 2;

/// History: a move that cuts off gains no more than this at once.
pub const HISTORY_BONUS_MAX: i32 = 1600;

/// Quiescence: noisy moves are tried for this many plies.
pub const QUIESCENCE_DEPTH: i32 = 6;

/// Handing over to the solver: an attempt at the outcome is made when it is expected to take no
/// more than this many times the positions that it may visit.
pub const PATIENCE: f64 = 1.5;
/// Handing over to the solver: even the first attempt may visit so many positions.
pub const FIRST_ATTEMPT: u64 = 4096;
/// On a clock, the part of the time of a move that is spent on the margin of a won game.
pub const MARGIN_TIME: f64 = 0.25;

/// On a clock: with so many plies to go a position is solved at once, so that no time need be left
/// for what comes.
pub const SOLVED_PLIES: usize = 17;
/// On a clock: what the time for a move is multiplied by, after so many iterations that did not
/// change the best move.
pub const TIME_BY_STABILITY: [f64; 5] = [1.5, 1.25, 1.1, 1.0, 0.9];
/// On a clock: the part of its time that a move gets more for every swing by which the score fell.
pub const TIME_BY_FALL: f64 = 0.25;
/// On a clock: the time is multiplied by this, less the part of the positions that were visited
/// under the best move.
pub const TIME_BY_SHARE: f64 = 1.6;
