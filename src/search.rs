//! Searching for the best move.
//!
//! This floor knows games only through the traits in [`crate::game`] and names none.
//!
//! # Laboratory book
//!
//! What was tried, with the Elo of the change and its 95% interval, in pairs of games from random
//! set-ups (Yoxii: from three random plies), one thread, 16 MiB; from the kin on from those that a
//! search of 20 000 positions finds balanced. In Hokito seven pairs of ten are
//! split whatever the engines do: the set-up decides, and differences look small.
//!
//! | change | Hokito | Yoxii | games each, limit |
//! |---|---|---|---|
//! | evaluation: piles owned, or freedom of the totem, instead of points | +354 [+293, +440] | +147 [+115, +182] | 200 and 400, 20 ms |
//! | quiescence: captures of stacks and of valuable single pieces, 6 plies | +56 [+24, +89] | | 300, 20 ms |
//! | quiescence: all captures, 3 plies | +23 [-7, +54] | | 300, 20 ms |
//! | quiescence: only the loudest captures, 1 ply | +7 [-36, +50] | | 200, 20 ms |
//! | reductions divided by 1.2 instead of 2.0 | +16 [-12, +44] | +13 [-21, +47] | 300, 15 000 nodes |
//! | reductions divided by 1.5 instead of 2.0 | +10 [-13, +34] | +10 [-28, +49] | 300, 15 000 nodes |
//! | reverse futility margin 200 a ply instead of 400 | -42 [-71, -14] | +20 [-12, +52] | 300, 15 000 nodes |
//! | evaluation fitted again, to self-play of the engine with the first fit | +16 [-14, +46] | +4 [-24, +33] | 400, 15 000 nodes |
//! | evaluation with the number of moves of both sides, from 20 piles on | -9 [-49, +31] | | 240, 15 ms |
//! | history without the value of the piece | | -26 [-56, +3] | 400, 15 000 nodes |
//! | ordering: high values first | | +21 [-10, +52] | 400, 15 000 nodes |
//! | ordering: low values first | | +5 [-24, +34] | 400, 15 000 nodes |
//! | ordering by the evaluation after the move | | -56 [-93, -21] | 300, 15 ms |
//! | the same without its cost | | +6 [-28, +40] | 300, 15 000 nodes |
//! | moves that differ in the piece's value: bounded by their kin | | +17 [-7, +42] | 600, 20 000 nodes |
//! | the same: reduced by 1 ply more | | +9 [-16, +35] | 600, 20 000 nodes |
//! | the same: reduced by 2 plies more | | +25 [+1, +49] | 600, 20 000 nodes |
//! | the same: bounded, and reduced by 2 | | +11 [-14, +36] | 500, 20 000 nodes |
//! | the same: bounded, and reduced by 4 | | +18 [-9, +45] | 500, 20 000 nodes |
//! | continuation history: by where the opponent's move landed | -18 [-37, +1] | -8 [-31, +16] | 400 and 600, 20 000 nodes |
//! | futility pruning, 3 plies | -10 [-29, +10] | | 400, 20 000 nodes |
//! | a table score in place of the evaluation | -8 [-21, +5] | -13 [-36, +9] | 400 and 600, 20 000 nodes |
//! | late move pruning after 4 + 4 depth² moves | 0 [-30, +30] | +5 [-19, +30] | 400 and 600, 20 000 nodes |
//! | late move pruning up to depth 6 | | -2 [-7, +4] | 600, 20 000 nodes |
//! | singular extensions from depth 6 | -1 [-30, +29] | | 400, 20 000 nodes |
//! | null move from depth 3 (with the reduction of kin) | | -26 [-53, +1] | 500, 20 000 nodes |
//! | reductions divided by 1.1 instead of 1.3 (likewise) | | -2 [-30, +26] | 500, 20 000 nodes |
//! | reverse futility margin 60% (likewise) | | +1 [-25, +27] | 500, 20 000 nodes |
//! | internal iterative reduction from depth 4 (likewise) | | +1 [-27, +28] | 500, 20 000 nodes |
//! | a reduction by one more when the evaluation falls (likewise) | | +6 [-21, +34] | 500, 20 000 nodes |
//! | history counts twice as much for reductions (likewise) | | +20 [-6, +46] | 500, 20 000 nodes |
//! | exact solver, patience 4 and all of alpha-beta's positions | +5 [-13, +24] | -23 [-45, -1] | 200, 50 000 nodes |
//! | exact solver, patience 30 and half of alpha-beta's positions | -24 [-52, +3] | -5 [-22, +12] | 200, 50 000 nodes |
//! | SPSA on Hokito: 2500 pairs at 6000 nodes, twelve numbers | +34 [+4, +65] | +2 [-24, +28] | 400 and 600, 20 000 nodes |
//! | the same with more nodes | +68 [+24, +115] | -28 [-67, +11] | 160, 120 000 and 200, 100 000 nodes |
//! | SPSA on Hokito goes on: 2500 pairs at 10 000 nodes | +80 [+31, +131] | | 160, 120 000 nodes |
//! | the same, reductions divided by 0.45 instead of 0.6 | +13 [-34, +60] | | 160, 120 000 nodes |
//! | the same for Yoxii but for the reductions | | -17 [-54, +19] | 300, 50 000 nodes |
//! | SPSA on Yoxii: 2500 pairs at 6000 nodes | | +8 [-16, +32] | 600, 20 000 nodes |
//! | reductions divided by 1.8 instead of 1.3 | | -5 [-40, +31] | 300, 50 000 nodes |
//! | all together against the engine before kin, solver and SPSA, 2 s + 0.02 s | +133 ± 40 | +53 ± 42 | 200 |
//!
//! So Hokito wants late moves to be searched far less deeply, the more so the longer a search lasts, and Yoxii did
//! not with an evaluation that knew next to nothing.
//!
//! ## Networks as evaluations
//!
//! Linear evaluations fitted to 254 000 positions of Hokito self-play explained no more of the final margin with
//! squares, attacked piles, heights or products of counts than with the twelve counts of piles alone,
//! before 20 piles were left; in Yoxii they explained next to nothing. Plain Monte-Carlo search with ten times
//! the time took a fifth of the points from alpha-beta there. Then came networks (see
//! [`network`](crate::game::network)), with 32 hidden neurons if nothing else is said, each trained on games of the one before. Elo of the change and its
//! 95% error, against the row before unless another opponent is named, with the same number of nodes; the last column is games
//! and nodes. Losses are those on games kept apart, in nats; they compare where the samples are the same.
//!
//! | network | Hokito | Yoxii | games, nodes |
//! |---|---|---|---|
//! | 1.0 and 1.2 million samples of games with the linear evaluation, 1 move in 12 random | -63 ± 41 | +141 ± 48 | 200, 20 000 |
//! | 0.6 million samples, taken only after the last random move, against linear | +31 ± 37 | | 200, 20 000 |
//! | 1.7 million samples of the first kind; the search's opinion counts 0.3 | | +4 ± 49 | 200, 10 000 |
//! | 2.5 million samples; inputs as far from the totem share weights (loss 0.6461 from 0.6497) | | +110 ± 34 | 400, 10 000 |
//! | 2.4 million samples, 1 move in 25 random | | +55 ± 37 | 300, 10 000 |
//! | the same and 0.4 million samples after a slip | | -15 ± 35 | 300, 10 000 |
//! | 1 million of those, own weights decay (loss 0.6327 from 0.6355) | | +41 ± 30 | 400, 10 000 |
//! | 4.0 million samples | | +44 ± 30 | 400, 10 000 |
//! | 64 neurons, 5.8 million samples, better first weights (below) | | +73 ± 32 | 400, 10 000 |
//! | the same at 50 ms a move | | +85 ± 32 | 300 |
//! | 128 neurons, 6.5 million samples, at 50 ms a move | | +31 ± 31 | 300 |
//! | 7.0 million samples, at 50 ms a move | | +45 ± 31 | 300 |
//! | 8.9 million samples, at 50 ms a move | | +1 ± 30 | 300 |
//! | 1.8 million samples after a slip, own weights decay, against linear | +13 ± 29 | | 300, 20 000 |
//! | the same against linear at 40 ms a move, balanced openings | +44 ± 47 | | 200 |
//! | 2.7 million samples | -4 ± 49 | | 200, 40 000 |
//! | the same against linear at 40 ms a move, balanced openings | +40 ± 51 | | 200 |
//!
//! What samples are of decides in Hokito: where both sides played well throughout, a network does not learn what a
//! hanging pile is worth, and the leaves of a search are full of those. So [`selfplay`](crate::tools::selfplay)
//! takes samples from a slip on.
//!
//! Much depends on the weights that training begins with. With rows of groups within 0.15, and output weights
//! within 0.3 that differed from phase to phase, 64 neurons were no better than 32 (loss 0.6365, 0.6355). On 2.5
//! million samples of Yoxii and in six epochs 32 neurons came from 0.6229 (loss against the results alone, like all
//! that follow) to 0.6147 by rows within 0.05 (0.6208), steps of 0.004 instead of 0.002 (0.6182), the same output
//! weights in all phases (0.6167), and larger ones (within 0.6: 0.6158; with steps of 0.003 and within 0.8:
//! 0.6147). On 3.2 million samples 32 neurons had 0.6158, 64 had 0.6086, 128 0.6030, and 0.6015 with half the
//! decay; 256 learnt their samples by heart (as good as 128 apart, 0.014 better on what they had seen). In Hokito
//! 128 neurons came from 0.3968 to 0.3923 and played no better: -18 ± 39 (300 games, 40 000 nodes), so that 32 stay
//! there. Searches' opinions that count 0.6 or 0.85 instead of 0.3: 0.6216 and 0.6273 for 0.6189 in Yoxii, 0.3999
//! and 0.4051 for 0.3963 in Hokito. What is in hand as inputs of its own, in Yoxii: 0.6089 for 0.6086.
//!
//! Not played: seven classes of heights instead of four (0.4005, 0.4008); which piles either side attacks (0.3916,
//! 0.4008: worth more than all else, but it takes two generations of moves for every leaf); a bias for each class
//! of totem squares (0.6462, 0.6461). With the network, a swing of 420 or 900 instead of 620 centipoints in Hokito:
//! +21 ± 46 and +24 ± 46 (200 games, 60 000 nodes); reductions in Yoxii with 50 and 0.9 or 51 and 0.6 instead of 40
//! and 1.3: -1 ± 33 and -9 ± 34 (300 games, 30 000 nodes).
//!
//! Looking at every position whether a move ends the game at once and wins it
//! ([`winning_end`](crate::game::Endgame::winning_end)), before all else and at the horizon: +34 ± 30 in Yoxii (300
//! games at 50 ms), and 14% fewer positions for the same depth.
//!
//! Then the search was looked at again, with both networks: 400 games (Hokito with 3 moves 800, with 2 and 6 moves 200) at 40 ms a move with
//! `Move Overhead` 0, balanced openings, each against the search without. Forced moves are what gained: where a player has
//! hardly a choice, the search goes a ply deeper ([`is_forced`](crate::game::Evaluate::is_forced)).
//!
//! | change | Hokito | Yoxii |
//! |---|---|---|
//! | a ply more with at most 2, 3, 5, 6, 10 moves | +28 ± 41, +41 ± 22, +25 ± 29, +21 ± 50, +25 ± 29 | |
//! | the same with at most 3, also at the horizon | +10 ± 31 | |
//! | a ply more where the totem can go to one square only | | +46 ± 30, again: +53 ± 30 |
//! | the same, also at the horizon | | +37 ± 27 |
//! | a ply more where it can go to at most two | | -1 ± 27 |
//! | a ply more with at most 3, 4, 6, 8 moves, those that differ in the value counted once | | +53 ± 26, +46 ± 29, +44 ± 27, -38 ± 29 |
//! | a ply more with one square for the totem, or at most 4 moves | | +57 ± 29 |
//! | the same, and reductions divided by 1.1 instead of 1.3 | | +27 ± 28 |
//! | order: also by the evaluation after the move, from depth 4 or (with less weight) 5 | | -23 ± 29, -12 ± 26 |
//! | ProbCut from depth 5: 4 plies less deep, a swing beyond beta | | -1 ± 26 |
//! | the same, and beyond alpha | | +2 ± 24 |
//! | the same from depth 6: 3 plies less deep, 60% of a swing | | -12 ± 28 |
//!
//! Then SPSA once more, with networks and forced moves, for each game alone: sixteen numbers of the search in Hokito, fifteen in Yoxii, with
//! razoring (up to depth 2) among them. The first run had 4300 pairs of games in Hokito and 3300 in Yoxii at 30 000 nodes a move, the second went on with 5000 and
//! 3900 at 50 000 nodes, and with three numbers more: reductions where a cut is expected, where the evaluation has risen since the
//! player's last turn, and on the principal variation. Openings are balanced.
//!
//! | change | Hokito | Yoxii | games, limit |
//! |---|---|---|---|
//! | the first run's numbers | +32 ± 31 | +38 ± 27 | 400, 40 ms |
//! | the same without the cost of numbers that can be changed | -8 ± 31 | +51 ± 29 | 400, 60 ms |
//! | the second run's, against the first's | +2 ± 29 | -12 ± 25 | 400, 40 ms |
//! | the second run's | +29 ± 20 | | 1000, 40 ms |
//! | the second run's without the three numbers more, against with them | +4 ± 24 | | 600, 40 ms |
//! | the first run's and a correction of the evaluation by what it was wrong about stacks, or the totem's neighbours | +5 ± 34 | +2 ± 33 | 300, 40 ms |
//! | order: also by the number of replies, from depth 4 and with less than 26 plies to go | -17 ± 31 | | 400, 40 ms |
//! | with less than 25 plies to go, late move pruning after twice or ten times as many moves | -13 ± 28, +4 ± 30 | | 400, 40 ms |
//! | the same: late moves reduced by a ply less | -10 ± 29 | | 400, 40 ms |
//! | the same: margins of reverse futility and razoring 1.5 times as wide | -3 ± 31 | | 400, 40 ms |
//! | no table at depth 1, where most positions are: it is memory that a node waits for | -4 ± 24 | -6 ± 22 | 600, 40 ms |
//! | two threads, the second with every other depth only | -1 ± 34 | +12 ± 31 | 300, 50 ms |
//! | on a clock, time shared out to the moves before 17 plies are left instead of a third of all plies | +42 ± 39 | +7 ± 32 | 240, 1 s + 0.01 s |
//! | a solver that needs an eighth of the positions, and is asked a ply earlier | | +1 ± 23 | 400, 40 ms |
//! | all that is kept: the engine against itself before | +37 ± 36 | +36 ± 35 | 280 and 240, 1 s + 0.01 s |
//!
//! So the numbers are those of the second run in Hokito, of the first in Yoxii. Both prune late moves at low depths far more than
//! before, and aspiration windows are narrower.
//!
//! Later, in Yoxii, with fixed numbers of positions and without gain:
//!
//! | change | Yoxii | games, nodes |
//! |---|---|---|
//! | order: for each point of the piece's value 100, 200, 300, 500, 1000, 2000 units of history | +26 ± 29, +17 ± 20, -1 ± 22, +26 ± 28, +1 ± 21, -27 ± 21 | 400 to 800, 20 000 |
//! | the same: 150 | -15 ± 21, -4 ± 20 | 800, 14 000 and 30 000 |
//! | order: for each square where the opponent can move the totem then, 100 or 400 units less | -5 ± 29, -4 ± 30 | 400, 20 000 |
//! | late move pruning counts moves that differ in the value once | -57 ± 27 | 400, 20 000 |
//! | singular extensions from depth 6 (below the table's score by 5 centipoints a ply) | +23 ± 30, +8 ± 21 | 400 and 800, 20 000 |
//! | the same with multi-cut and a ply less where the table's score is above beta | +19 ± 27 | 400, 20 000 |
//! | singular extensions from depth 5, by 8 centipoints a ply | -1 ± 21 | 800, 20 000 |
//! | internal iterative reduction from depth 4 | -4 ± 29 | 400, 20 000 |
//! | counter moves: 4000 units of history | -1 ± 29 | 400, 20 000 |
//! | continuation history: by where the opponent's piece was placed | -28 ± 27 | 400, 20 000 |
//!
//! A second layer of 16 hidden neurons, with weights for each phase, learnt nothing more in Yoxii: 0.6262 for 0.6262 (2.8
//! million samples, five epochs; 0.6262 to 0.6270 with other first weights). Of 3.8 million newer samples, with opinions that count
//! 0, 0.3, 0.6 and 0.8: 0.6085, 0.6064, 0.6106 and 0.6163, although the opinions themselves have 0.569 on the newest million. That
//! what is proven is an opinion like any other, and a win by one point not a certain one, is no reason: with the result in its place
//! 0.6069, 0.6114 and 0.6171.
//!
//! Picking the best move without branches, from numbers that hold order and move, made 1.14 times the nodes in the
//! same time in Yoxii; the same for the inputs of the network in Hokito 1.18 times. Sums of hidden neurons that are
//! remembered from each totem square made 1.09 times the nodes with 128 neurons in Yoxii, early in the game. In
//! Hokito, whose rows are short, they would cost: 0.84 times the nodes of adding all rows, which is 1.08 times what
//! it was when inputs were listed first. No copies of the lists of moves, a child made in place, and no prefetching
//! at the horizon, where the table is not asked: 1.065 times. Huge pages for the tables: 0.96 and 0.98 times, on a virtual machine.

pub mod alphabeta;
mod count;
mod deepening;
mod family;
mod history;
pub mod level;
pub mod limits;
pub mod mcts;
pub mod method;
mod order;
mod params;
pub mod report;
pub mod score;
pub mod slots;
pub mod solve;

mod table;
pub mod threads;
mod time;
mod worker;

use crate::game::Playable;
use limits::{Control, Limits};
use report::Report;

/// A way of searching: alpha-beta, Monte-Carlo tree search, or either of them at a level.
///
/// A searcher owns its memory and keeps it between moves of a game. It searches with its own
/// threads while `search` blocks the calling one.
pub trait Searcher<G: Playable>: Send {
    /// Searches a position that is not over until a limit is reached, the position is solved to the
    /// end, or the control stops it.
    ///
    /// `report` is called from the calling thread only, at least once before the search ends, and the
    /// last report of line 1 starts with the move to play. With one thread, the same limits other
    /// than time, and the same history since [`new_game`](Searcher::new_game) the reports are the same.
    fn search(
        &mut self,
        position: &G,
        limits: &Limits<G::Move>,
        control: &Control,
        report: &mut dyn FnMut(&Report<G::Move>),
    );

    /// Forgets everything that was learnt from earlier searches.
    fn new_game(&mut self);

    /// Uses a table of this many MiB from now on and forgets the old one.
    ///
    /// # Errors
    /// When the memory cannot be had; the searcher keeps the table that it has.
    fn set_hash(&mut self, mebibytes: usize) -> Result<(), OutOfMemory>;

    /// Searches with this many threads from now on, at least 1.
    fn set_threads(&mut self, threads: usize);
}

/// A table could not be allocated.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{mebibytes} MiB of memory are not to be had")]
pub struct OutOfMemory {
    /// The size that was asked for.
    pub mebibytes: usize,
}
