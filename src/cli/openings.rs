//! `cairn openings`, and the choice of openings for other subcommands.

use std::io::Write;
use std::path::PathBuf;
use std::str::FromStr;

use anyhow::{Context, ensure};
use clap::Args;

use super::{GameArg, Results};
use crate::arena::openings::{self, RandomOpenings};
use crate::game::Playable;
use crate::games::ForGame;
use crate::search::method::Method;

/// Write openings for matches
///
/// Each line is a position. No two are the same up to a symmetry of the game, and the same seed
/// gives the same positions everywhere.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  cairn openings --count 1000 > halves.txt
  cairn openings --game yoxii --plies 4 --count 500 --max-score 4 > yoxii.txt
  cairn match --game yoxii --openings yoxii.txt ...")]
pub struct OpeningsCommand {
    #[command(flatten)]
    game: GameArg,
    /// How many
    #[arg(long, value_name = "N", default_value_t = 100)]
    count: usize,
    /// The seed from which they are drawn
    #[arg(long, value_name = "SEED", default_value_t = 1)]
    seed: u64,
    #[command(flatten)]
    random: RandomArgs,
    /// Leave out those in which a search sees either side ahead by more than this many points
    #[arg(long, value_name = "POINTS", value_parser = points)]
    max_score: Option<f64>,
    /// Nodes of that search
    #[arg(
        long,
        value_name = "N",
        requires = "max_score",
        default_value_t = 20_000,
        value_parser = clap::value_parser!(u64).range(1..)
    )]
    nodes: u64,
}

fn points(text: &str) -> Result<f64, String> {
    match text.parse() {
        Ok(points) if (0.0..=1000.0).contains(&points) => Ok(points),
        _ => Err("expected a number of points, at least 0".to_string()),
    }
}

impl OpeningsCommand {
    pub(super) fn run(self) -> anyhow::Result<()> {
        self.game.game.dispatch(self)
    }
}

impl ForGame for OpeningsCommand {
    type Output = anyhow::Result<()>;

    fn run<G: Playable>(self) -> anyhow::Result<()> {
        let mut searcher = Method::Auto.searcher::<G>(HASH, 1)?;
        let mut balanced = |position: &G| {
            self.max_score.is_none_or(|points| {
                let imbalance = openings::imbalance(searcher.as_mut(), position, self.nodes);
                f64::from(imbalance) <= 100.0 * points
            })
        };
        let bar = super::progress(self.count as u64);
        let mut written = 0;
        let mut out = Results::new();
        for position in self.random.source::<G>(self.seed)?.filter(&mut balanced).take(self.count) {
            writeln!(out, "{}", position.notation())?;
            written += 1;
            bar.inc(1);
        }
        bar.finish_and_clear();
        ensure!(
            written == self.count,
            "only {written} openings were found, {} are wanted: another number of random plies \
             (--plies) may give more",
            self.count
        );
        Ok(())
    }
}

/// MiB of table for the search that judges openings: enough for its few nodes.
const HASH: usize = 4;

/// Where openings come from.
#[derive(Clone, Debug)]
enum Source {
    Random(u64),
    File(PathBuf),
}

impl FromStr for Source {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text.strip_prefix("random:") {
            Some(seed) => seed
                .parse()
                .map(Self::Random)
                .map_err(|_| format!("'{seed}': expected a whole number as the seed")),
            None => Ok(Self::File(PathBuf::from(text))),
        }
    }
}

/// The openings of a match.
#[derive(Clone, Debug, Args)]
pub struct OpeningArgs {
    /// Openings: random:SEED, or a file with a position on every line
    #[arg(long, value_name = "SOURCE", default_value = "random:1")]
    openings: Source,
    #[command(flatten)]
    random: RandomArgs,
}

/// The kind of random openings.
#[derive(Clone, Debug, Args)]
struct RandomArgs {
    /// Set-up of random openings: halves or scattered in Hokito, standard in Yoxii
    #[arg(long, value_name = "SETUP")]
    setup: Option<String>,
    /// Random moves played in each random opening
    #[arg(long, value_name = "N")]
    plies: Option<usize>,
}

impl RandomArgs {
    fn source<G: Playable>(&self, seed: u64) -> anyhow::Result<RandomOpenings<G>> {
        let setup = match &self.setup {
            None => 0,
            Some(name) => G::SETUPS
                .iter()
                .position(|setup| setup.eq_ignore_ascii_case(name))
                .with_context(|| {
                    format!("--setup {name}: {} has the set-ups {}", G::TITLE, G::SETUPS.join(", "))
                })?,
        };
        Ok(RandomOpenings::new(seed, setup, self.plies.unwrap_or(0)))
    }
}

impl OpeningArgs {
    /// Up to `count` openings: fewer only when a file has no more.
    pub(super) fn positions<G: Playable>(&self, count: usize) -> anyhow::Result<Vec<G>> {
        match &self.openings {
            Source::Random(seed) => Ok(openings::draw(self.random.source(*seed)?, count)?),
            Source::File(path) => {
                ensure!(
                    self.random.setup.is_none() && self.random.plies.is_none(),
                    "--setup and --plies are for random openings, not for those of a file"
                );
                let mut positions = openings::read(path)?;
                positions.truncate(count);
                Ok(positions)
            }
        }
    }
}
