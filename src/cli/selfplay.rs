//! `cairn selfplay`.

mod file;

use std::io::{BufWriter, Write};
use std::path::PathBuf;

use anyhow::ensure;
use clap::Args;
use file::GamesFile;

use super::{GameArg, Results, ThreadsArg, interrupt};
use crate::arena::schedule::Shard;
use crate::game::Playable;
use crate::games::ForGame;
use crate::tools::selfplay::{Plan, play, text};

/// Play games of the engine against itself, for an evaluation to learn from
///
/// Each line is `POSITION;SCORE;MARGIN;RESULT`, seen by the side to move: what the search thought,
/// in centipoints; the points by which the game was won in the end, or lost; and 2 for a win, 1 for
/// a draw, 0 for a loss. Behind the lines of a game stands `# game SEED`. The same seed gives the
/// same lines with any number of threads. Ctrl-C ends the work after the lines of the finished
/// games.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  cairn selfplay --game yoxii --games 100000 --threads 2 > samples.txt
  cairn selfplay --games 100000 --shard 3/64 --out part-3.txt --resume
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
    /// Play the I-th of N parts of the games, counted from 1
    ///
    /// The parts in their order are what the whole would be.
    #[arg(long, value_name = "I/N", default_value = "1/1", hide_default_value = true)]
    shard: Shard,
    /// Write to this file instead of standard output, each game as it ends
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
    /// Go on behind the last whole game in the file of --out, which may be missing
    #[arg(long, requires = "out")]
    resume: bool,
    #[command(flatten)]
    threads: ThreadsArg,
}

impl SelfplayArgs {
    pub(super) fn run(self) -> anyhow::Result<()> {
        self.game.game.dispatch(self)
    }

    /// The seed of a game.
    fn seed(&self, number: u64) -> u64 {
        self.seed.wrapping_add(number)
    }

    /// Plays the games of this shard but for the first `skipped`, and hands out the text of each.
    fn play<G: Playable>(
        &self,
        skipped: u64,
        mut take: impl FnMut(&str) -> anyhow::Result<()>,
    ) -> anyhow::Result<()> {
        let plan = Plan { nodes: self.nodes, random_plies: self.plies.into() };
        let games = self.shard.part(self.games);
        let bar = super::progress(games.end - games.start);
        bar.set_position(skipped);
        let seeds = (games.start + skipped..games.end).map(|number| self.seed(number));
        let (wanted, mut finished) = (games.end - games.start, skipped);
        let (threads, interrupt) = (self.threads.count(), interrupt::watch(|| {})?);
        play::<G, anyhow::Error>(plan, seeds, threads, &interrupt, |seed, samples| {
            take(&text(seed, &samples))?;
            finished += 1;
            bar.inc(1);
            Ok(())
        })?;
        bar.finish_and_clear();
        ensure!(
            finished == wanted,
            "stopped after {finished} of {wanted} games, whose samples are written"
        );
        Ok(())
    }
}

impl ForGame for SelfplayArgs {
    type Output = anyhow::Result<()>;

    fn run<G: Playable>(self) -> anyhow::Result<()> {
        if let Some(path) = &self.out {
            let seeds = self.shard.part(self.games).map(|number| self.seed(number));
            let mut file = GamesFile::open(path, self.resume, seeds)?;
            self.play::<G>(file.played, |text| file.put(text))?;
            file.end()
        } else {
            let mut out = BufWriter::new(Results::new());
            let played = self.play::<G>(0, |text| Ok(out.write_all(text.as_bytes())?));
            out.flush()?;
            played
        }
    }
}
