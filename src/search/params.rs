//! Every tunable number of the search, in one place. Margins are multiples of the game's
//! [`SWING`](crate::game::Evaluate::SWING).

/// Half of the first aspiration window, in hundredths of a swing.
pub const ASPIRATION: i32 = 50;
/// Iterations up to this depth use the full window.
pub const ASPIRATION_DEPTH: u32 = 4;

/// Reverse futility pruning: up to this depth a position that is better than beta by
/// [`REVERSE_FUTILITY_MARGIN`] for every ply fails high at once.
pub const REVERSE_FUTILITY_DEPTH: i32 = 3;
/// Hundredths of a swing a ply.
pub const REVERSE_FUTILITY_MARGIN: i32 = 100;

/// Late move pruning: up to this depth only the first `LATE_MOVES + LATE_MOVES * depth * depth`
/// moves are tried.
pub const LATE_MOVE_DEPTH: i32 = 3;
/// See [`LATE_MOVE_DEPTH`].
pub const LATE_MOVES: i32 = 8;

/// Late move reductions: the constant part of the reduction in plies.
pub const REDUCTION_BASE: f64 = 0.4;
/// Late move reductions: the product of the logarithms of depth and move number is divided by this.
pub const REDUCTION_DIVISOR: f64 = 1.3;
/// Late move reductions: this much history is worth a ply.
pub const REDUCTION_HISTORY: i32 = 6_000;

/// Move ordering: what a centipoint of immediate gain is worth in units of history.
pub const ORDER_GAIN: i32 = 11;
/// Move ordering: the bonus of a killer move.
pub const ORDER_KILLER: i32 = 12_000;

/// Quiescence: loud moves are tried for this many plies.
pub const QUIESCENCE_DEPTH: i32 = 6;
