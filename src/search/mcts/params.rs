//! Every tunable number of the tree search, in one place.

/// Plies of the alpha-beta search that values a leaf.
pub const LEAF_DEPTH: i32 = 4;
/// Half of the window of that search around the value of the node above, in hundredths of a swing.
pub const LEAF_WINDOW: i32 = 400;
/// A leaf is given to the solver first, for so many positions, if they are expected to be enough.
pub const LEAF_EFFORT: u64 = 1_000;
/// The solver comes back to a node as its visits grow, for so many positions for each of them...
pub const PROVE_EFFORT: u64 = 20;
/// ... if a proof is expected to take no more than so many times that.
pub const PROVE_PATIENCE: f64 = 10.0;

/// Exploration of a node with few visits.
pub const CPUCT: f32 = 1.5;
/// Exploration grows with the logarithm of the visits, by this factor...
pub const CPUCT_FACTOR: f32 = 0.5;
/// ... from about this many visits on.
pub const CPUCT_BASE: f32 = 500.0;
/// By how much less than its parent a move is worth that was not tried.
pub const FPU_REDUCTION: f32 = 0.15;
/// The part of minimax in the value of a node; the rest is the average of the visits.
pub const MINIMAX_WEIGHT: f32 = 0.3;

/// Units of move ordering that make a move e times as likely.
pub const PRIOR_TEMPERATURE: f32 = 12_000.0;
/// Units of move ordering that the best move of the leaf's own search is worth.
pub const PRIOR_TABLE: i32 = 12_000;

/// The best move is the one with the highest value less this, divided by the root of its visits.
pub const LCB_PENALTY: f32 = 1.5;
