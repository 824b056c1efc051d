//! Games of the engine against itself, as samples from which an evaluation learns.
//!
//! A search meets positions that no good player would allow. So every game begins with a few random
//! moves and has one blunder, a random move, somewhere later; samples are taken from there on, so
//! that both sides' play between a sample and the result is as good as it can be. A game ends when
//! its result is proven.

use std::collections::BTreeMap;
use std::fmt;
use std::str::FromStr;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError, mpsc};
use std::thread;

use rand::SeedableRng;

use crate::game::random::{Draw, Random};
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
pub struct InvalidSample;

impl<G: Notation> FromStr for Sample<G> {
    type Err = InvalidSample;

    fn from_str(line: &str) -> Result<Self, InvalidSample> {
        fn number<N: FromStr>(text: &str) -> Result<N, InvalidSample> {
            text.parse().map_err(|_| InvalidSample)
        }
        let fields: Vec<&str> = line.split(';').collect();
        let [position, score, margin, result] = fields[..] else { return Err(InvalidSample) };
        let position = G::parse(position).map_err(|_| InvalidSample)?;
        let result = number(result)?;
        if position.is_over() || result > 2 {
            return Err(InvalidSample);
        }
        Ok(Self { position, score: number(score)?, margin: number(margin)?, result })
    }
}

/// MiB of table for a game.
const HASH: usize = 2;

/// How the line behind the samples of a game begins; the seed of the game ends it. Without that
/// line a game is not whole.
pub const END_OF_GAME: &str = "# game ";

/// What is written of a game: its samples, a line for each, and the line that ends it.
#[must_use]
pub fn text<G: Notation>(seed: u64, samples: &[Sample<G>]) -> String {
    let mut text: String = samples.iter().map(|sample| format!("{sample}\n")).collect();
    text.push_str(&format!("{END_OF_GAME}{seed}\n"));
    text
}

/// Plays the games with these seeds in that many threads, and hands out each with its samples as
/// soon as it and all before it are over. A seed always gives the same game. Once `interrupt` is
/// true no game is begun or finished any more.
///
/// # Errors
/// When there is no memory for the tables, and whatever `take` does not succeed in, which ends the
/// work.
pub fn play<G: Playable, E: From<OutOfMemory>>(
    plan: Plan,
    seeds: impl Iterator<Item = u64> + Send,
    threads: usize,
    interrupt: &Arc<AtomicBool>,
    mut take: impl FnMut(u64, Vec<Sample<G>>) -> Result<(), E>,
) -> Result<(), E> {
    let seeds = Mutex::new(seeds.enumerate());
    let (sender, receiver) = mpsc::channel();
    thread::scope(|scope| {
        for sender in vec![sender; threads] {
            let seeds = &seeds;
            scope.spawn(move || {
                let mut searcher = match Method::Auto.searcher::<G>(HASH, 1) {
                    Ok(searcher) => searcher,
                    // That nobody listens any more is because of an earlier error.
                    Err(error) => return drop(sender.send(Err(error))),
                };
                loop {
                    let next = seeds.lock().unwrap_or_else(PoisonError::into_inner).next();
                    let Some((number, seed)) = next else { break };
                    let played = game(searcher.as_mut(), plan, seed, interrupt);
                    let Some(samples) = played else { break };
                    if sender.send(Ok((number, seed, samples))).is_err() {
                        break;
                    }
                }
            });
        }
        let mut early = BTreeMap::new();
        let mut taken = 0;
        for played in receiver {
            let (number, seed, samples) = played?;
            early.insert(number, (seed, samples));
            while let Some((seed, samples)) = early.remove(&taken) {
                take(seed, samples)?;
                taken += 1;
            }
        }
        Ok(())
    })
}

/// Before the blunder a move has one of so many parts of the positions.
const BEFORE_BLUNDER: u64 = 4;

fn game<G: Playable>(
    searcher: &mut dyn Searcher<G>,
    plan: Plan,
    seed: u64,
    interrupt: &Arc<AtomicBool>,
) -> Option<Vec<Sample<G>>> {
    let mut random = Random::seed_from_u64(seed);
    let mut samples = Vec::new();
    let mut position = G::random_start(0, &mut random);
    if interrupt.load(Ordering::Acquire) {
        return None;
    }
    searcher.new_game();
    let opening = random.below(plan.random_plies + 1);
    let blunder = random.below(G::MAX_PLIES * 2 / 3);
    let mut ply = 0;
    let end = loop {
        if position.is_over() {
            break Score::of_end(&position);
        }
        let mv = if ply < opening || ply == blunder {
            let moves = position.moves();
            moves[random.below(moves.len())]
        } else {
            let nodes = if ply < blunder { plan.nodes / BEFORE_BLUNDER } else { plan.nodes };
            let limits = Limits { nodes: Some(nodes.max(1)), ..Limits::default() };
            let control = Control::interruptible(interrupt);
            let mut last = None;
            searcher
                .search(&position, &limits, &control, &mut |report| last = Some(report.clone()));
            if control.is_stopped() {
                return None;
            }
            let Some(best) = last else { break Score::of_end(&position) };
            if ply > blunder || blunder < opening {
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

    fn games<G: Playable>(
        threads: usize,
        interrupt: &Arc<AtomicBool>,
    ) -> Vec<(u64, Vec<Sample<G>>)> {
        let mut games = Vec::new();
        play(PLAN, 1..20, threads, interrupt, |seed, samples| {
            games.push((seed, samples));
            Ok::<_, OutOfMemory>(())
        })
        .expect("2 MiB are to be had");
        games
    }

    fn samples_are_consistent<G: Playable>() {
        let interrupt = Arc::new(AtomicBool::new(false));
        let games = games::<G>(1, &interrupt);
        assert_eq!(games, self::games::<G>(3, &interrupt));
        assert!(games.iter().map(|game| game.0).eq(1..20));
        interrupt.store(true, Ordering::Release);
        assert_eq!(self::games::<G>(3, &interrupt), []);
        let games: Vec<Vec<Sample<G>>> = games.into_iter().map(|game| game.1).collect();
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
    fn the_first_error_ends_the_work() {
        let mut seen = Vec::new();
        let ended = play::<Hokito, OutOfMemory>(PLAN, 1.., 2, &Arc::default(), |seed, _| {
            seen.push(seed);
            if seed < 3 { Ok(()) } else { Err(OutOfMemory { mebibytes: 9 }) }
        });
        assert!(ended.is_err());
        assert_eq!(seen, [1, 2, 3]);
    }

    #[test]
    fn other_lines_are_no_samples() {
        let good = "CBACBA/ACBACB/BACBAC/cabcab/bcabca/abcabc b;10;-2;0";
        assert!(good.parse::<Sample<Hokito>>().is_ok());
        for bad in ["", "x;1;2;0", &good[..good.len() - 1], &good.replace("10", "ten")] {
            assert_eq!(bad.parse::<Sample<Hokito>>(), Err(InvalidSample), "{bad}");
        }
        assert_eq!(format!("{good};9").parse::<Sample<Hokito>>(), Err(InvalidSample));
        assert_eq!(good.replace(";0", ";3").parse::<Sample<Hokito>>(), Err(InvalidSample));
    }
}
