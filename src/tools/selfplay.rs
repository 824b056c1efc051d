//! Games of the engine against itself, as samples from which an evaluation learns.
//!
//! A search meets positions that no good player would allow. So every game begins with a few random moves and
//! has one slip, a random move, somewhere later; samples are taken from there on, so that both sides' play
//! between a sample and the result is as good as it can be. A game ends when its result is proven.

use std::fmt;
use std::str::FromStr;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use rayon::prelude::*;

use crate::game::random::Random;
use crate::game::{Notation, Playable};
use crate::search::limits::{Control, Limits};
use crate::search::method::Method;
use crate::search::score::Score;
use crate::search::{OutOfMemory, Searcher};

/// How games are played.
#[derive(Clone, Copy, Debug)]
pub struct Plan {
    /// Positions visited for a move.
    pub nodes: u64,
    /// A game begins with at most so many random moves.
    pub random_plies: usize,
}

/// A position and what became of it, seen by the side to move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sample<G> {
    /// The position, not over.
    pub position: G,
    /// What the search thought of it, in centipoints.
    pub score: i32,
    /// The points by which the game was won or lost.
    pub margin: i32,
    /// 2 for a win, 1 for a draw, 0 for a loss.
    pub result: u8,
}

impl<G: Notation> fmt::Display for Sample<G> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { position, score, margin, result } = self;
        write!(f, "{};{score};{margin};{result}", position.notation())
    }
}

/// Why a line is not a sample.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "expected a sample: POSITION;SCORE;MARGIN;RESULT, as cairn selfplay writes it for this game"
)]
pub struct NoSample;

impl<G: Notation> FromStr for Sample<G> {
    type Err = NoSample;

    fn from_str(line: &str) -> Result<Self, NoSample> {
        fn number<N: FromStr>(text: &str) -> Result<N, NoSample> {
            text.parse().map_err(|_| NoSample)
        }
        let fields: Vec<&str> = line.split(';').collect();
        let [position, score, margin, result] = fields[..] else { return Err(NoSample) };
        let position = G::parse(position).map_err(|_| NoSample)?;
        let result = number(result)?;
        if position.is_over() || result > 2 {
            return Err(NoSample);
        }
        Ok(Self { position, score: number(score)?, margin: number(margin)?, result })
    }
}

/// MiB of table for a game.
const HASH: usize = 2;

/// Plays the games with these seeds, in parallel, and hands out the samples of each; `None` for one
/// that was not finished before the interrupt became true.
///
/// # Errors
/// When there is no memory for the tables.
pub fn play<G: Playable>(
    plan: Plan,
    seeds: Vec<u64>,
    interrupt: &Arc<AtomicBool>,
) -> Result<Vec<Option<Vec<Sample<G>>>>, OutOfMemory> {
    seeds
        .into_par_iter()
        .map_init(
            || Method::Auto.searcher::<G>(HASH, 1),
            |searcher, seed| match searcher {
                Ok(searcher) => Ok(game(searcher.as_mut(), plan, seed, interrupt)),
                Err(error) => Err(*error),
            },
        )
        .collect()
}

/// Before the slip a move has one of so many parts of the positions.
const BEFORE_SLIP: u64 = 4;

fn game<G: Playable>(
    searcher: &mut dyn Searcher<G>,
    plan: Plan,
    seed: u64,
    interrupt: &Arc<AtomicBool>,
) -> Option<Vec<Sample<G>>> {
    let mut random = Random::new(seed);
    let mut samples = Vec::new();
    let mut position = G::random_start(0, &mut random);
    if interrupt.load(Ordering::Acquire) {
        return None;
    }
    searcher.new_game();
    let opening = random.below(plan.random_plies + 1);
    let slip = random.below(G::MAX_PLIES * 2 / 3);
    let mut ply = 0;
    let end = loop {
        if position.is_over() {
            break Score::of_end(&position);
        }
        let mv = if ply < opening || ply == slip {
            let moves = position.moves();
            moves[random.below(moves.len())]
        } else {
            let nodes = if ply < slip { plan.nodes / BEFORE_SLIP } else { plan.nodes };
            let limits = Limits { nodes: Some(nodes.max(1)), ..Limits::default() };
            let control = Control::interruptible(interrupt);
            let mut last = None;
            searcher
                .search(&position, &limits, &control, &mut |report| last = Some(report.clone()));
            if control.is_stopped() {
                return None;
            }
            let Some(best) = last else { break Score::of_end(&position) };
            if ply > slip || slip < opening {
                samples.push((position, best.score));
                if best.proven {
                    break best.score;
                }
            }
            best.pv[0]
        };
        position.make(mv);
        ply += 1;
    };
    let last = position.side_to_move();
    let seen = samples
        .into_iter()
        .map(|(position, score)| {
            let end = if position.side_to_move() == last { end } else { -end };
            Sample {
                position,
                score: score.centipoints(),
                margin: end.centipoints() / 100,
                result: 1 + u8::from(end.is_win()) - u8::from(end.is_loss()),
            }
        })
        .collect();
    Some(seen)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::games::hokito::Hokito;
    use crate::games::yoxii::Yoxii;

    const PLAN: Plan = Plan { nodes: 200, random_plies: 4 };

    fn samples_are_consistent<G: Playable>() {
        let interrupt = Arc::new(AtomicBool::new(false));
        let play = || play::<G>(PLAN, (1..20).collect(), &interrupt).expect("2 MiB are to be had");
        let games = play();
        assert_eq!(games, play());
        interrupt.store(true, Ordering::Release);
        assert!(play().iter().all(Option::is_none));
        let games: Vec<_> = games.into_iter().flatten().collect();
        assert_eq!(games.len(), 19);
        assert!(games.iter().flatten().count() > 50);
        for game in &games {
            for sample in game {
                assert_eq!(sample.to_string().parse().as_ref(), Ok(sample));
                assert!(!sample.position.is_over());
                let sign = i32::from(sample.result) - 1;
                assert!(sample.margin * sign >= 0 && (sign != 0 || sample.margin == 0), "{sample}");
            }
            for pair in game.windows(2) {
                assert_eq!(pair[0].margin, -pair[1].margin);
                assert_eq!(pair[0].result, 2 - pair[1].result);
            }
        }
    }

    #[test]
    fn samples_of_every_game_are_consistent() {
        samples_are_consistent::<Hokito>();
        samples_are_consistent::<Yoxii>();
    }

    #[test]
    fn other_lines_are_no_samples() {
        let good = "CBACBA/ACBACB/BACBAC/cabcab/bcabca/abcabc b;10;-2;0";
        assert!(good.parse::<Sample<Hokito>>().is_ok());
        for bad in ["", "x;1;2;0", &good[..good.len() - 1], &good.replace("10", "ten")] {
            assert_eq!(bad.parse::<Sample<Hokito>>(), Err(NoSample), "{bad}");
        }
        assert_eq!(format!("{good};9").parse::<Sample<Hokito>>(), Err(NoSample));
        assert_eq!(good.replace(";0", ";3").parse::<Sample<Hokito>>(), Err(NoSample));
    }
}
