//! Playing below full strength.
//!
//! A weaker player is not a strong one who plays at random now and then. They look at fewer
//! positions, overlook moves of both sides, and misjudge what they see. So a level is the same
//! alpha-beta search with fewer nodes, of the game as such a player sees it ([`View`]): what catches
//! the eye is found, small mistakes are more frequent than large ones, and the less is at stake the
//! more often one is made.
//!
//! One number, the *skill* from 0 to 1, sets all three of these. What a skill is worth in Elo was measured in
//! each game ([`Evaluate::LEVELS`](crate::game::Evaluate::LEVELS)), and
//! [`Level::new`] goes that way back.

mod view;

use std::ops::RangeInclusive;

use super::alphabeta::AlphaBeta;
use super::limits::{Control, Limits};
use super::report::Report;
use super::score::Score;
use super::{OutOfMemory, Searcher};
use crate::game::random::Random;
use crate::game::{Evaluate, MAX_EVAL, Playable};
use view::View;

/// The Elo that can be asked for. A player who moves at random has about 0.
pub const ELO: RangeInclusive<usize> = 250..=1200;

/// Nodes of a search at skill 0.
const LEAST_NODES: f64 = 200.0;
/// How many times as many it is at skill 1. That are about as many as the engine visits in 100 ms.
const MORE_NODES: f64 = 2500.0;
/// The standard error of an evaluation at skill 0, in swings of the game.
const MISJUDGED: f64 = 4.0;
/// The part of all moves that is overlooked at skill 0.
const OVERLOOKED: f64 = 0.8;

/// MiB of the table of a level: enough for its nodes, and cleared in no time.
const HASH: usize = 1;

/// How a player sees the game.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Eyes {
    /// How obscure a move may be that is still seen; the obscurity of moves is uniform.
    sees: u32,
    /// The standard error of an evaluation, in centipoints.
    misjudges: i32,
    /// Makes the mistakes of different players differ.
    salt: u64,
}

impl Eyes {
    /// See everything as it is.
    const CLEAR: Self = Self { sees: u32::MAX, misjudges: 0, salt: 0 };
}

/// A strength below that of the engine.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Level {
    elo: usize,
    skill: f64,
}

impl Level {
    /// The level of this many Elo in a game; `None` where that is full strength.
    #[must_use]
    pub fn new<G: Evaluate>(elo: usize) -> Option<Self> {
        let levels = G::LEVELS;
        let above = levels.iter().position(|&level| elo < level)?;
        let skill = match above.checked_sub(1) {
            None => 0.0,
            Some(below) => {
                let [low, high] = [levels[below], levels[above]];
                let part = (elo - low) as f64 / (high - low) as f64;
                (below as f64 + part) / (levels.len() - 1) as f64
            }
        };
        Some(Self { elo, skill })
    }

    /// A searcher that plays at this level.
    ///
    /// # Errors
    /// When there is no memory for its small table.
    pub fn searcher<G: Playable>(self) -> Result<Box<dyn Searcher<G>>, OutOfMemory> {
        Ok(Box::new(Limited {
            eyes: self.eyes(G::SWING),
            nodes: self.nodes(),
            searcher: AlphaBeta::new(HASH, 1)?,
        }))
    }

    /// Positions that are looked at for a move.
    fn nodes(self) -> u64 {
        (LEAST_NODES * libm::pow(MORE_NODES, self.skill)) as u64
    }

    fn eyes(self, swing: i32) -> Eyes {
        let lack = 1.0 - self.skill;
        let weakness = lack * lack.sqrt();
        Eyes {
            sees: (f64::from(u32::MAX) * (1.0 - OVERLOOKED * weakness)) as u32,
            misjudges: (MISJUDGED * weakness * f64::from(swing)) as i32,
            salt: Random::new(self.elo as u64).next(),
        }
    }
}

/// Plays at a level, always with one thread and a small table of its own that is empty before each
/// search. So the move depends on the position, the level, and limits that are stricter than the
/// level's, and on nothing else.
struct Limited<G: Playable> {
    eyes: Eyes,
    nodes: u64,
    searcher: AlphaBeta<View<G>>,
}

impl<G: Playable> Searcher<G> for Limited<G> {
    /// Never reports a proven score: who overlooks moves proves nothing.
    fn search(
        &mut self,
        position: &G,
        limits: &Limits<G::Move>,
        control: &Control,
        report: &mut dyn FnMut(&Report<G::Move>),
    ) {
        // Each of several lines is searched as well as one.
        let nodes = self.nodes.saturating_mul(limits.lines as u64);
        let limits = Limits {
            nodes: Some(limits.nodes.map_or(nodes, |limit| limit.min(nodes))),
            ..limits.clone()
        };
        self.searcher.new_game();
        self.searcher.search(&View::new(*position, self.eyes), &limits, control, &mut |seen| {
            let margin = seen.score.centipoints().clamp(-MAX_EVAL, MAX_EVAL);
            report(&Report { score: Score(margin), proven: false, ..seen.clone() });
        });
    }

    /// Nothing is kept from one search to the next.
    fn new_game(&mut self) {}

    /// The table stays as small as it is.
    fn set_hash(&mut self, _: usize) -> Result<(), OutOfMemory> {
        Ok(())
    }

    /// One thread it stays.
    fn set_threads(&mut self, _: usize) {}
}
