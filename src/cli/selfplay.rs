//! `cairn selfplay`.

use std::io::{self, Write};

use anyhow::ensure;
use clap::Args;
use rayon::ThreadPoolBuilder;

use super::{GameArg, ThreadsArg, interrupt};
use crate::game::Playable;
use crate::games::ForGame;
use crate::tools::selfplay::{Plan, play};

/// Play games of the engine against itself, for an evaluation to learn from
///
/// Each line is `POSITION;SCORE;MARGIN;RESULT`, seen by the side to move: what the search thought, in centipoints; the points
/// by which the game was won in the end, or lost; and 2 for a win, 1 for a draw, 0 for a loss. The same seed gives the same
/// lines with any number of threads. Ctrl-C ends the work after the lines of all finished games.
#[derive(Debug, Args)]
#[command(after_help = "\
Example:
  cairn selfplay --game yoxii --games 100000 --threads 2 > samples.txt
  cairn train --game yoxii --out src/games/yoxii/yoxii.net samples.txt")]
pub struct SelfplayArgs {
    #[command(flatten)]
    game: GameArg,
    /// How many games
    #[arg(long, value_name = "N", default_value_t = 1000, value_parser = clap::value_parser!(u64).range(1..))]
    games: u64,
    /// Positions visited for a move
    #[arg(long, value_name = "N", default_value_t = 5000, value_parser = clap::value_parser!(u64).range(1..))]
    nodes: u64,
    /// The seed of the first game; those behind it have the next ones
    #[arg(long, value_name = "SEED", default_value_t = 1)]
    seed: u64,
    /// Random moves at the beginning of a game, at most
    #[arg(long, value_name = "N", default_value_t = 6, value_parser = clap::value_parser!(u8))]
    plies: u8,
    #[command(flatten)]
    threads: ThreadsArg,
}

impl SelfplayArgs {
    pub(super) fn run(self) -> anyhow::Result<()> {
        self.game.game.dispatch(self)
    }
}

/// Games that are played before their samples are written.
const BATCH: u64 = 256;

impl ForGame for SelfplayArgs {
    type Output = anyhow::Result<()>;

    fn run<G: Playable>(self) -> anyhow::Result<()> {
        let plan = Plan { nodes: self.nodes, random_plies: self.plies.into() };
        let pool = ThreadPoolBuilder::new().num_threads(self.threads.count()).build()?;
        let bar = super::progress(self.games);
        let mut out = io::BufWriter::new(io::stdout().lock());
        let interrupt = interrupt::watch(|| {})?;
        let mut finished = 0;
        for first in (0..self.games).step_by(BATCH as usize) {
            let games = first..(first + BATCH).min(self.games);
            let seeds = games.clone().map(|i| self.seed.wrapping_add(i)).collect();
            let played = pool.install(|| play::<G>(plan, seeds, &interrupt))?;
            for game in played.into_iter().flatten() {
                for sample in game {
                    writeln!(out, "{sample}")?;
                }
                finished += 1;
            }
            bar.set_position(finished);
            if finished < games.end {
                break;
            }
        }
        out.flush()?;
        bar.finish_and_clear();
        ensure!(
            finished == self.games,
            "stopped after {finished} of {} games, whose samples are written",
            self.games
        );
        Ok(())
    }
}
