//! The face that every game shows to the rest of the engine.
//!
//! Rules are the trait [`Game`]; text is [`Notation`]; starting arrays are [`Setup`]; the board's
//! symmetries are [`Symmetry`]; what the search wants to know about a position is
//! [`Evaluate`]. [`Playable`] is all of them together. They are used by static dispatch only: a
//! search of Hokito is compiled for Hokito.

pub mod bits;
pub mod board;
pub mod network;
pub mod random;
pub mod zobrist;

use std::fmt::Debug;
use std::hash::Hash;

use arrayvec::ArrayVec;
use rand::Rng;

use crate::error::{MoveError, PositionError};

/// One of the two players. Player one is the one who moves first in the game.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Player {
    /// Moves first: Black in Hokito, White in Yoxii.
    One,
    /// Moves second.
    Two,
}

impl Player {
    /// 0 for player one, 1 for player two.
    #[inline]
    #[must_use]
    pub const fn index(self) -> usize {
        self as usize
    }

    /// The opponent.
    #[inline]
    #[must_use]
    pub const fn other(self) -> Self {
        match self {
            Self::One => Self::Two,
            Self::Two => Self::One,
        }
    }

    /// +1 for player one, -1 for player two: turns a figure seen from player one into one seen
    /// from this player, and back.
    #[inline]
    #[must_use]
    pub const fn sign(self) -> i32 {
        match self {
            Self::One => 1,
            Self::Two => -1,
        }
    }
}

/// How a game ended, or how it would end if it ended here.
///
/// In both games a larger margin is never a worse result; only at margin 0 does the winner say
/// more than the margin (Yoxii splits equal sums by the piece count).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Outcome {
    /// The winner, or `None` for a draw.
    pub winner: Option<Player>,
    /// Points of player one minus points of player two.
    pub margin: i32,
}

/// The longest move list of any game. Each game proves in its `moves` module that it needs no more.
pub const MAX_MOVES: usize = 1152;

/// Legal moves, in a fixed array on the stack.
pub type MoveList<M> = ArrayVec<M, MAX_MOVES>;

/// The rules of a two-player game without chance, in which a move is compulsory and the game ends
/// when the player to move has none.
///
/// A position keeps everything incrementally that the search asks for at every node. Positions are
/// plain data of a few hundred bytes and moves are made on a copy. Copying was measured against
/// making and undoing moves with perft: 1.09 times as fast in Hokito, and what undoing did in Yoxii
/// anyway.
pub trait Game: Copy + Eq + Debug + Send + Sync + 'static {
    /// A move: a 16-bit number in disguise, never 0.
    type Move: Copy + Ord + Hash + Debug + From<u16> + Into<u16> + Send + Sync + 'static;

    /// No game lasts longer than this many plies.
    const MAX_PLIES: usize;

    /// The fixed start position (`startpos`).
    fn start() -> Self;
    /// Whose turn it is.
    fn side_to_move(&self) -> Player;
    /// The Zobrist key, side to move included. Its constants are part of the source.
    fn key(&self) -> u64;
    /// Appends the legal moves to an empty list, in an order that depends on the position only.
    fn generate(&self, moves: &mut MoveList<Self::Move>);
    /// The number of legal moves, without making a list.
    fn count_moves(&self) -> usize;
    /// Whether the player to move has no move, which ends the game.
    fn is_over(&self) -> bool;
    /// Whether a move, possibly made for another position, is legal in this one.
    fn is_legal(&self, mv: Self::Move) -> bool;
    /// Plays a legal move. There is no undo: who wants the old position back keeps a copy.
    fn make(&mut self, mv: Self::Move);
    /// The points of player one and of player two as they would count if the game ended here.
    fn points(&self) -> [i32; 2];
    /// The result if the game ended here.
    fn outcome(&self) -> Outcome;
    /// An upper bound on the number of plies that can still be played.
    fn plies_left(&self) -> usize;

    /// The legal moves as a list of their own.
    fn moves(&self) -> MoveList<Self::Move> {
        let mut moves = MoveList::new();
        self.generate(&mut moves);
        moves
    }
}

/// Positions, moves and boards as text.
pub trait Notation: Game {
    /// The name by which the game is chosen, in lower case.
    const NAME: &'static str;
    /// The game's name as a title.
    const TITLE: &'static str;
    /// What the two players are called.
    const PLAYERS: [&'static str; 2];

    /// Reads a position.
    ///
    /// # Errors
    /// Names the place and what was expected when the text is not a position of the game.
    fn parse(text: &str) -> Result<Self, PositionError>;

    /// The position as text; [`parse`](Notation::parse) gives an equal position back.
    fn notation(&self) -> String;

    /// Reads a legal move.
    ///
    /// # Errors
    /// When the text is not of the form of a move, or the move is not legal here.
    fn parse_move(&self, text: &str) -> Result<Self::Move, MoveError>;

    /// The move as text.
    fn move_text(mv: Self::Move) -> String;

    /// The move in words for a player.
    fn describe_move(&self, mv: Self::Move) -> String;

    /// The board for a terminal: several lines, each ended by a line feed.
    fn draw(&self) -> String;
}

/// Where games start.
pub trait Setup: Game {
    /// The names of the random set-ups, the published one first. A game without chance in its
    /// set-up has the one name `standard`.
    const SETUPS: &'static [&'static str];

    /// A random start position of the set-up with that index in [`SETUPS`](Setup::SETUPS). The same
    /// seed gives the same position on every platform and in every version.
    fn random_start(setup: usize, random: &mut impl Rng) -> Self;
}

/// The symmetries under which the rules do not change.
pub trait Symmetry: Game {
    /// How many symmetries there are; number 0 is the identity.
    const SYMMETRIES: usize;

    /// The position seen through a symmetry, `index` below [`SYMMETRIES`](Symmetry::SYMMETRIES).
    #[must_use]
    fn image(&self, index: usize) -> Self;

    /// The position with the players' roles exchanged, where the rules have such a position.
    fn swapped(&self) -> Option<Self>;
}

/// How an expected margin becomes chances to win, draw and lose: logistic curves with the scale
/// `scale_at_end + scale_per_ply * plies left`, in centipoints.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Chances {
    /// The scale when no ply is left, as the straight line has it.
    pub scale_at_end: f64,
    /// How much flatter every ply to come makes the curve.
    pub scale_per_ply: f64,
    /// The margin at which a win and its absence are equally likely.
    pub draw_margin: f64,
}

impl Chances {
    /// The least scale of a curve, in centipoints.
    const STEEPEST: f64 = 50.0;

    fn scale(&self, plies_left: usize) -> f64 {
        (self.scale_at_end + self.scale_per_ply * plies_left as f64).max(Self::STEEPEST)
    }

    /// The chances to win, draw and lose, which add up to 1, with an expected margin in centipoints
    /// when at most so many plies can still be played.
    #[must_use]
    pub fn of(&self, margin: f64, plies_left: usize) -> [f64; 3] {
        let scale = self.scale(plies_left);
        let chance = |margin: f64| 1.0 / (1.0 + libm::exp((self.draw_margin - margin) / scale));
        let (win, loss) = (chance(margin), chance(-margin));
        [win, (1.0 - win - loss).max(0.0), loss]
    }

    /// The expected margin in centipoints with which a win and half a draw have this chance,
    /// between 0 and 1.
    #[must_use]
    pub fn margin(&self, chance: f64, plies_left: usize) -> f64 {
        let scale = self.scale(plies_left);
        let chance = chance.clamp(1e-6, 1.0 - 1e-6);
        // With x = exp(margin / scale) the chance is (x / (x + a) + a x / (1 + a x)) / 2.
        let a = libm::exp(self.draw_margin / scale);
        let b = (1.0 + a * a) * (1.0 - 2.0 * chance);
        let root = (b * b + 16.0 * a * a * chance * (1.0 - chance)).sqrt();
        scale * libm::log((root - b) / (4.0 * a * (1.0 - chance)))
    }
}

/// How a search weighs what it knows, as games between the engine and itself tuned it for this
/// game. Margins are in hundredths of a [`SWING`](Evaluate::SWING), the search's numbers in units
/// of its history unless something else is said.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Tuning {
    /// Half of the first aspiration window.
    pub aspiration: i32,
    /// Reverse futility pruning: up to this depth a position that is better than beta by the margin
    /// for every ply fails high at once.
    pub reverse_futility_depth: i32,
    /// See [`reverse_futility_depth`](Tuning::reverse_futility_depth).
    pub reverse_futility_margin: i32,
    /// Razoring: a position that is worse than alpha by this margin for every ply is left to the
    /// quiescence search.
    pub razoring_margin: i32,
    /// Late move pruning: up to this depth only the first
    /// `late_moves + late_moves_by_depth * depth * depth` moves are tried.
    pub late_move_depth: i32,
    /// See [`late_move_depth`](Tuning::late_move_depth).
    pub late_moves: i32,
    /// See [`late_move_depth`](Tuning::late_move_depth).
    pub late_moves_by_depth: i32,
    /// Late move reductions: moves far down the list are searched less deeply by
    /// `reduction + 10 000 * ln(depth) * ln(move number) / reduction_divisor` hundredths of a ply.
    pub reduction: i32,
    /// See [`reduction`](Tuning::reduction): the smaller it is, the less deeply late moves are
    /// searched.
    pub reduction_divisor: i32,
    /// Late move reductions: so many units of history are worth a ply.
    pub reduction_history: i32,
    /// Late move reductions: the part of them, in percent, that holds at the root.
    pub reduction_root: i32,
    /// Move ordering: what a centipoint of immediate [`gain`](Evaluate::gain) is worth.
    pub order_gain: i32,
    /// Move ordering: the bonus of a killer move.
    pub order_killer: i32,
    /// History: a move that cuts off a search of `depth` plies gains this times
    /// `depth * depth + 2 * depth`.
    pub history_bonus: i32,
    /// History: the part, in percent, that is kept from one search to the next.
    pub history_kept: i32,
}

/// What the search asks a game about playing well.
pub trait Evaluate: Game {
    /// What scores are worth, fitted to games of the engine against itself.
    const CHANCES: Chances;

    /// Every move maps to a number below this one in [`history_index`](Evaluate::history_index).
    const HISTORY_SIZE: usize;

    /// A move with at least this [`gain`](Evaluate::gain) is noisy: it changes the evaluation so
    /// much that the search looks at the answers before it trusts the evaluation. `None` when no
    /// move is.
    const NOISY_GAIN: Option<i32>;

    /// By how many centipoints one ply may well change the evaluation. The margins of the search
    /// are multiples of it.
    const SWING: i32;

    /// The Elo of the weakest level of strength, and that of full strength at 100 ms a move, on a
    /// scale where a player who moves at random has 0.
    const STRENGTH: (usize, usize);

    /// The numbers of the search.
    const TUNING: Tuning;

    /// What makes evaluations faster when many positions are alike; `()` where nothing does.
    type EvalCache: Default + Send;

    /// The expected final margin in centipoints, seen by the side to move. It looks at the
    /// position as it stands and is always within [`MAX_EVAL`].
    fn evaluate(&self) -> i32;

    /// The same, with the help of what was remembered of other positions.
    fn evaluate_with(&self, cache: &mut Self::EvalCache) -> i32 {
        let _ = cache;
        self.evaluate()
    }

    /// What the move wins at once, in centipoints seen by the mover: a cheap guess for ordering
    /// moves, not a promise.
    fn gain(&self, mv: Self::Move) -> i32;

    /// Whether the side to move has hardly a choice. Then the search looks a ply further, so that a
    /// line of such moves does not hide what is behind it.
    fn is_forced(&self) -> bool {
        false
    }

    /// Where the history tables keep the move.
    fn history_index(&self, mv: Self::Move) -> usize;
}

/// What a [network](network::Network) sees of a position, from the side to move: inputs that are on
/// or off.
pub trait Features: Game {
    /// How many inputs there are.
    const INPUTS: usize;
    /// The inputs are divided into so many groups of those that mean nearly the same. In training
    /// they learn from each other.
    const GROUPS: usize;
    /// How many hidden neurons there are: a multiple of [`LANES`](network::LANES).
    const HIDDEN: usize;
    /// The game is divided into so many phases, each with output weights of its own.
    const PHASES: usize;

    /// The group of an input.
    fn group(input: usize) -> usize;

    /// The phase of the game.
    fn phase(&self) -> usize;

    /// Calls `visit` with every input that is on.
    fn for_each_input(&self, visit: impl FnMut(usize));

    /// The inputs that are on.
    fn inputs(&self) -> Vec<u16> {
        let mut inputs = Vec::new();
        self.for_each_input(|input| inputs.push(input as u16));
        inputs
    }
}

/// Inputs that are squares of sets, with weights for each *input bucket* (the king buckets of chess
/// networks): the accumulator of one position helps with the next one of the same bucket.
pub trait InputBuckets: Features {
    /// How many buckets there are: like the king buckets of chess networks.
    const INPUT_BUCKETS: usize;
    /// The sets of squares.
    type Planes: Copy + Default + AsRef<[u64]> + Send;

    /// The bucket of the position. The fewer inputs differ from the last position in the same
    /// bucket, the faster the network is.
    fn input_bucket(&self) -> usize;

    /// The squares where inputs are on.
    fn planes(&self) -> Self::Planes;

    /// The input for a square of the set `plane`.
    fn input(bucket: usize, plane: usize, square: usize) -> usize;
}

/// How much work it is to prove who wins: about `base * growth ^ plies left` positions.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Effort {
    /// Positions when no ply is left, as the exponential has it.
    pub base: f64,
    /// The factor for every ply to come.
    pub growth: f64,
}

impl Effort {
    /// A proof is not to be expected, however late the position.
    pub const OUT_OF_REACH: Self = Self { base: f64::INFINITY, growth: 1.0 };

    /// The positions that a proof is expected to take.
    #[must_use]
    pub fn positions(self, plies_left: usize) -> f64 {
        self.base * self.growth.powi(plies_left as i32)
    }
}

/// What an exact solver may be told about a game. Everything has a default that is always right.
pub trait Endgame: Game {
    /// The work of a proof, as it was measured.
    const EFFORT: Effort = Effort::OUT_OF_REACH;

    /// The least and the greatest final margin in points, seen by the side to move, that can still
    /// be reached, as far as that is told at a glance.
    #[must_use]
    fn reachable(&self) -> Option<(i32, i32)> {
        None
    }

    /// The number of legal moves, and by how many points the best of them would change the margin
    /// if the game tells that at a glance: a guess for ordering moves.
    #[must_use]
    fn threats(&self) -> (usize, Option<i32>) {
        (self.count_moves(), None)
    }

    /// A move that ends the game at once and wins it, if the game tells that at a glance; of
    /// several, one that wins by the most points.
    #[must_use]
    fn winning_end(&self) -> Option<Self::Move> {
        None
    }

    /// The position taken apart into what decides the course of the game and what decides only the
    /// margin in the end, where the game has such parts.
    #[must_use]
    fn structure(&self) -> Option<Structure> {
        None
    }

    /// A position that is at least as good for a player and takes less to search, since choices of
    /// theirs that decide nothing before the end are put off until then. The moves of the other
    /// player are the same. `None` where the game has no such choices or they are put off already.
    #[must_use]
    fn deferring(&self, player: Player) -> Option<Self> {
        let _ = player;
        None
    }

    /// By how many points the final margin under best play, seen by the side to move, can at most
    /// be more, and by how many less, than in the position of the same
    /// [structure](Endgame::structure) with those values. The winner in the end depends on the
    /// margin, and where it is 0 on the structure. Asked only where there are structures.
    #[must_use]
    fn differs(&self, values: [u64; 2]) -> (i32, i32) {
        let _ = values;
        (MAX_EVAL, MAX_EVAL)
    }

    /// The group of sibling moves to which a move belongs, and its number there, where the game has
    /// such groups: siblings differ in a detail, like the value of a piece, so that the final
    /// margins under best play after them differ by no more points than the numbers do, and the
    /// score of one bounds that of another. Moves of a group are generated one behind the other,
    /// and all of them end the game or none does.
    #[must_use]
    fn sibling_group(mv: Self::Move) -> Option<(u16, i32)> {
        let _ = mv;
        None
    }
}

/// What decides the course of a game, apart from what it is worth in the end: see
/// [`Endgame::structure`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Structure {
    /// A hash of all that decides which moves there are, now and later, and whose turn it is.
    pub key: u64,
    /// The rest of the position.
    pub values: [u64; 2],
}

/// A static evaluation is never beyond this many centipoints either way.
pub const MAX_EVAL: i32 = 15_000;

/// All that the engine needs of a game.
pub trait Playable: Notation + Setup + Symmetry + Evaluate + Endgame {}

impl<G: Notation + Setup + Symmetry + Evaluate + Endgame> Playable for G {}

/// The positions of a random game but the last one, for tests.
#[cfg(test)]
pub(crate) fn random_game<G: Setup>(setup: usize, random: &mut impl Rng) -> Vec<G> {
    use random::Draw;

    let mut positions = Vec::new();
    let mut position = G::random_start(setup, random);
    while !position.is_over() {
        positions.push(position);
        let moves = position.moves();
        position.make(moves[random.below(moves.len())]);
    }
    positions
}
