//! Positions from which games start.
//!
//! Openings are drawn at random from a seed, the same on every machine, without two that are the
//! same up to a symmetry of the game.

use std::io;
use std::marker::PhantomData;
use std::path::{Path, PathBuf};

use rand::SeedableRng;
use thiserror::Error;

use crate::error::PositionError;
use crate::game::random::{Draw, Random};
use crate::game::{Playable, Symmetry};
use crate::maps::HashSet;
use crate::outside::TextFile;
use crate::search::Searcher;
use crate::search::limits::{Control, Limits};
use crate::search::score::Score;

/// Attempts in a row without a new opening before a source counts as exhausted.
const MAX_ATTEMPTS: usize = 10_000;

/// Openings drawn at random, none of them over, and none like another before it.
#[derive(Clone, Debug)]
pub struct RandomOpenings<G> {
    random: Random,
    setup: usize,
    plies: usize,
    seen: HashSet<String>,
    game: PhantomData<G>,
}

impl<G: Playable> RandomOpenings<G> {
    /// Start positions of a set-up, numbered as in [`Setup::SETUPS`](crate::game::Setup::SETUPS),
    /// with this many random moves played.
    #[must_use]
    pub fn new(seed: u64, setup: usize, plies: usize) -> Self {
        Self {
            random: Random::seed_from_u64(seed),
            setup,
            plies,
            seen: HashSet::default(),
            game: PhantomData,
        }
    }

    fn draw(&mut self) -> Option<G> {
        let mut position = G::random_start(self.setup, &mut self.random);
        for _ in 0..self.plies {
            let moves = position.moves();
            if moves.is_empty() {
                return None;
            }
            position.make(moves[self.random.below(moves.len())]);
        }
        (!position.is_over()).then_some(position)
    }
}

impl<G: Playable> Iterator for RandomOpenings<G> {
    type Item = G;

    /// The next opening; `None` when no new one is found any more.
    fn next(&mut self) -> Option<G> {
        (0..MAX_ATTEMPTS)
            .find_map(|_| self.draw().filter(|position| self.seen.insert(canonical(position))))
    }
}

/// One text for a position and all its symmetric twins.
fn canonical<G: Playable>(position: &G) -> String {
    let images = |position: &G| (0..G::SYMMETRIES).map(|i| position.image(i).notation()).min();
    let swapped = Symmetry::swapped(position).as_ref().and_then(images);
    images(position).into_iter().chain(swapped).min().unwrap_or_default()
}

/// Why there are no openings.
#[derive(Debug, Error)]
pub enum OpeningError {
    /// The file cannot be read.
    #[error("{}", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// What the system says.
        source: io::Error,
    },
    /// A line is not a position.
    #[error("{}, line {line}", path.display())]
    Position {
        /// The file.
        path: PathBuf,
        /// The line, from 1.
        line: usize,
        /// What is wrong with it.
        source: PositionError,
    },
    /// A position in which nothing can be played.
    #[error("{}, line {line}: the game is over in this position", path.display())]
    Over {
        /// The file.
        path: PathBuf,
        /// The line, from 1.
        line: usize,
    },
    /// No line is a position.
    #[error("{}: no positions", path.display())]
    Empty {
        /// The file.
        path: PathBuf,
    },
    /// Random openings ran out.
    #[error(
        "only {found} different openings were found, {wanted} are needed: other numbers of random \
         plies may give more"
    )]
    Exhausted {
        /// How many there are.
        found: usize,
        /// How many the match needs.
        wanted: usize,
    },
}

/// Reads a file with a position on every line. Empty lines and lines that begin with `#` are left
/// out.
///
/// # Errors
/// When the file cannot be read, a line is not a position, or a game is over before it begins.
pub fn read<G: Playable>(path: &Path) -> Result<Vec<G>, OpeningError> {
    let path = || path.to_path_buf();
    let text =
        TextFile::read(&path()).map_err(|source| OpeningError::Io { path: path(), source })?;
    let mut openings = Vec::new();
    for (line, text) in (1..).zip(text.lines()) {
        if text.trim().is_empty() || text.starts_with('#') {
            continue;
        }
        let position = G::parse(text).map_err(|source| OpeningError::Position {
            path: path(),
            line,
            source,
        })?;
        if position.is_over() {
            return Err(OpeningError::Over { path: path(), line });
        }
        openings.push(position);
    }
    if openings.is_empty() { Err(OpeningError::Empty { path: path() }) } else { Ok(openings) }
}

/// Draws this many random openings.
///
/// # Errors
/// When there are not that many.
pub fn draw<G: Playable>(source: RandomOpenings<G>, count: usize) -> Result<Vec<G>, OpeningError> {
    let openings: Vec<G> = source.take(count).collect();
    if openings.len() < count {
        return Err(OpeningError::Exhausted { found: openings.len(), wanted: count });
    }
    Ok(openings)
}

/// How far ahead either side is in a position, in centipoints, by a search of this many nodes. A
/// proven result counts with its margin.
///
/// The searcher forgets what it knew before, so that the answer depends on nothing but the
/// position.
pub fn imbalance<G: Playable>(searcher: &mut dyn Searcher<G>, position: &G, nodes: u64) -> i32 {
    searcher.new_game();
    let limits = Limits { nodes: Some(nodes), ..Limits::default() };
    let mut score = Score::DRAW;
    searcher.search(position, &limits, &Control::new(false), &mut |report| score = report.score);
    score.centipoints().abs()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::{Game, Notation};
    use crate::games::hokito::Hokito;
    use crate::games::yoxii::Yoxii;

    fn check<G: Playable>(setup: usize, plies: usize) {
        let openings: Vec<G> = draw(RandomOpenings::new(7, setup, plies), 200).unwrap();
        assert_eq!(openings, draw::<G>(RandomOpenings::new(7, setup, plies), 200).unwrap());
        assert_ne!(openings, draw::<G>(RandomOpenings::new(8, setup, plies), 200).unwrap());
        let mut seen = HashSet::default();
        for opening in &openings {
            assert!(!opening.is_over());
            for i in 0..G::SYMMETRIES {
                assert!(!seen.contains(&opening.image(i).notation()));
                if let Some(swapped) = opening.image(i).swapped() {
                    assert!(!seen.contains(&swapped.notation()));
                }
            }
            seen.insert(opening.notation());
        }
    }

    #[test]
    fn random_openings_are_reproducible_and_all_different() {
        check::<Hokito>(0, 0);
        check::<Hokito>(1, 3);
        check::<Yoxii>(0, 2);
    }

    #[test]
    fn openings_can_run_out() {
        let error = draw::<Yoxii>(RandomOpenings::new(1, 0, 0), 2).unwrap_err();
        assert!(error.to_string().starts_with("only 1 different"), "{error}");
    }

    #[test]
    fn a_file_is_read_and_its_mistakes_are_named() {
        let path = std::env::temp_dir().join(format!("cairn-openings-{}", std::process::id()));
        let start = Yoxii::start().notation();
        let read = |text: &str| {
            std::fs::write(&path, text).unwrap();
            let result = read::<Yoxii>(&path).map_err(|error| error.to_string());
            std::fs::remove_file(&path).unwrap();
            result
        };
        assert_eq!(read(&format!("# one\n\n{start}\n")).unwrap(), [Yoxii::start()]);
        assert_eq!(read(&format!("\u{feff}# one\n{start}\n")).unwrap(), [Yoxii::start()]);
        assert_eq!(read(&format!("\u{feff}{start}")).unwrap(), [Yoxii::start()]);
        assert!(read(&format!("{start}\nnonsense w\n")).unwrap_err().contains("line 2"));
        assert!(read("\n").unwrap_err().contains("no positions"));
        assert!(self::super::read::<Yoxii>(Path::new("/nowhere")).is_err());
    }
}
