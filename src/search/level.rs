//! Playing below full strength.
//!
//! A weaker player is not a strong one who plays at random now and then. They look at fewer
//! positions, overlook moves of both sides, and misjudge what they see. So a level is the same
//! alpha-beta search with fewer nodes, of the game as such a player sees it (`level/perceived.rs`):
//! what catches the eye is found, small mistakes are more frequent than large ones, and the less is
//! at stake the more often one is made.
//!
//! One number, the *skill* from 0 to 1, sets all three of these. Elo was measured to grow in
//! proportion to skill in both games, so that two numbers of a game ([`Evaluate::STRENGTH`]) make
//! skill of Elo.
//!
//! They were found by maximum likelihood (a logistic model, Elo linear in skill, 0 for a player who
//! moves at random) from round robins: 1254 games of Yoxii and 780 of Hokito between ten skills and
//! that player. Curves of the second degree put no level elsewhere by more than their error. They
//! have to be found anew when the search changes much: its numbers for few positions are those of
//! the engine. In Hokito, where the set-up decides many games, levels that are near each other look
//! nearer, and far ones farther apart than they are.

mod perceived;

use std::ops::RangeInclusive;

use super::alphabeta::AlphaBeta;
use super::fold;
use super::limits::{Control, Limits};
use super::report::Report;
use super::score::Score;
use super::{OutOfMemory, Searcher};
use crate::game::zobrist::mix;
use crate::game::{Evaluate, MAX_EVAL, Playable};
use perceived::{Perceived, Perception};

/// The Elo that can be asked for. A player who moves at random has about 0.
pub const ELO: RangeInclusive<usize> = 300..=1600;

/// Nodes of a search at skill 0.
const LEAST_NODES: f64 = 200.0;
/// How many times as many it is at skill 1. That makes as many as the engine visits in 100 ms.
const MORE_NODES: f64 = 2500.0;
/// The standard error of an evaluation at skill 0, in swings of the game.
const EVAL_NOISE: f64 = 4.0;
/// The part of all moves that is overlooked at skill 0.
const OVERLOOKED: f64 = 0.8;

/// MiB of the table of a level: enough for its nodes, and cleared in no time.
const HASH: usize = 1;

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
        let (weakest, full) = G::STRENGTH;
        if elo >= full {
            return None;
        }
        let skill = elo.saturating_sub(weakest) as f64 / (full - weakest) as f64;
        Some(Self { elo, skill })
    }

    /// A searcher that plays at this level.
    ///
    /// # Errors
    /// When there is no memory for its small table.
    pub fn searcher<G: Playable>(self) -> Result<Box<dyn Searcher<G>>, OutOfMemory> {
        Ok(Box::new(Limited {
            perception: self.perception(G::SWING),
            nodes: self.nodes(),
            searcher: AlphaBeta::new(HASH, 1)?,
        }))
    }

    /// Positions that are looked at for a move.
    fn nodes(self) -> u64 {
        (LEAST_NODES * libm::pow(MORE_NODES, self.skill)) as u64
    }

    fn perception(self, swing: i32) -> Perception {
        let lack = 1.0 - self.skill;
        let weakness = lack * lack.sqrt();
        Perception {
            obscurity_limit: (f64::from(u32::MAX) * (1.0 - OVERLOOKED * weakness)) as u32,
            eval_noise: (EVAL_NOISE * weakness * f64::from(swing)) as i32,
            salt: mix(self.elo as u64),
        }
    }
}

/// Plays at a level, always with one thread and a small table of its own that is empty before each
/// search. So the move depends on the position, the level, and limits that are stricter than the
/// level's, and on nothing else.
struct Limited<G: Playable> {
    perception: Perception,
    nodes: u64,
    searcher: AlphaBeta<Perceived<G>>,
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
        let moves = fold::considered(position, limits).len();
        let nodes = self.nodes.saturating_mul(limits.multi_pv.min(moves) as u64);
        let limits = Limits {
            nodes: Some(limits.nodes.map_or(nodes, |limit| limit.min(nodes))),
            ..limits.clone()
        };
        self.searcher.new_game();
        self.searcher.search(
            &Perceived::new(*position, self.perception),
            &limits,
            control,
            &mut |seen| {
                let margin = seen.score.centipoints().clamp(-MAX_EVAL, MAX_EVAL);
                report(&Report { score: Score(margin), proven: false, ..seen.clone() });
            },
        );
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::games::hokito::Hokito;
    use crate::games::yoxii::Yoxii;

    fn skills_rise<G: Evaluate>() {
        let mut before = -1.0;
        for elo in ELO.step_by(50) {
            let Some(level) = Level::new::<G>(elo) else {
                assert!(elo >= G::STRENGTH.1 && before > 0.9, "full strength at {elo}");
                continue;
            };
            assert!(level.skill > before && level.skill < 1.0);
            before = level.skill;
        }
        assert!(Level::new::<G>(0).is_some_and(|level| level.skill == 0.0));
    }

    #[test]
    fn a_higher_elo_is_a_higher_skill_up_to_full_strength() {
        skills_rise::<Hokito>();
        skills_rise::<Yoxii>();
    }

    #[test]
    fn the_weakest_and_the_strongest_see_as_they_should() {
        let perception = |skill| Level { elo: 700, skill }.perception(150);
        assert_eq!((perception(1.0).obscurity_limit, perception(1.0).eval_noise), (u32::MAX, 0));
        assert_eq!(perception(0.0).eval_noise, 600);
        assert_eq!(Level { elo: 700, skill: 0.0 }.nodes(), 200);
        assert_eq!(Level { elo: 700, skill: 1.0 }.nodes(), 500_000);
    }
}
