//! `cairn openings`, and the choice of openings for other subcommands.

use std::path::PathBuf;
use std::str::FromStr;

use anyhow::{Context, ensure};
use clap::Args;

use crate::arena::openings::{self, RandomOpenings};
use crate::game::Playable;

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
