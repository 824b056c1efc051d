//! `cairn perft`.

use std::io::Write;
use std::time::Instant;

use anyhow::{Context, ensure};
use clap::Args;

use super::{GameArg, Results, ThreadsArg, interrupt, note};
use crate::game::Playable;
use crate::games::ForGame;
use crate::search::limits::Control;
use crate::tools::perft::Counter;

/// Count the leaves of the game tree, for testing and timing the move generator
///
/// Prints `DEPTH COUNT` for each depth up to the one given; times go to standard error. Ctrl-C ends
/// the work; the depths that are finished have their lines.
#[derive(Debug, Args)]
pub struct Perft {
    #[command(flatten)]
    game: GameArg,
    /// The position to count from; the start position if left out
    #[arg(long, value_name = "POSITION")]
    fen: Option<String>,
    /// Plies to look ahead
    #[arg(long, value_name = "PLIES", value_parser = clap::value_parser!(u32).range(1..))]
    depth: u32,
    /// Print the leaves below each move at the full depth, and their sum
    #[arg(long)]
    divide: bool,
    #[command(flatten)]
    threads: ThreadsArg,
    /// Remember counted positions in a table of this many MiB; no table if left out
    #[arg(long, value_name = "MIB", value_parser = clap::value_parser!(u32).range(1..))]
    hash: Option<u32>,
}

impl Perft {
    pub(super) fn run(self) -> anyhow::Result<()> {
        self.game.game.dispatch(self)
    }
}

impl ForGame for Perft {
    type Output = anyhow::Result<()>;

    fn run<G: Playable>(self) -> anyhow::Result<()> {
        let position: G = super::position(self.fen.as_deref())?;
        ensure!(
            self.depth as usize <= G::MAX_PLIES,
            "--depth {}: no game of {} lasts longer than {} plies",
            self.depth,
            G::TITLE,
            G::MAX_PLIES
        );
        let counter =
            Counter::new(self.threads.count(), self.hash.map(|mebibytes| mebibytes as usize))?;
        let control = Control::interruptible(&interrupt::watch(|| {})?);
        let mut out = Results::new();
        if self.divide {
            let start = Instant::now();
            let divided = counter
                .divide(&position, self.depth, &control)
                .context("nothing was counted to its end")?;
            write!(out, "{divided}")?;
            report(self.depth, divided.total, start);
            return Ok(());
        }
        for depth in 1..=self.depth {
            let start = Instant::now();
            let leaves = counter.count(&position, depth, &control).with_context(|| {
                let finished = depth - 1;
                format!("counted to depth {finished} of {}", self.depth)
            })?;
            writeln!(out, "{depth} {leaves}")?;
            report(depth, leaves, start);
        }
        Ok(())
    }
}

/// Says on standard error how long a count took.
fn report(depth: u32, leaves: u64, start: Instant) {
    let seconds = start.elapsed().as_secs_f64();
    let millions = leaves as f64 / seconds.max(1e-9) / 1e6;
    note(&format!("depth {depth}: {seconds:.3} s, {millions:.1} M leaves/s"));
}
