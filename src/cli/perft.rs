//! `cairn perft`.

use clap::Args;

use super::GameArg;
use crate::game::Playable;
use crate::games::ForGame;
use crate::tools::perft;

/// Count the leaves of the game tree
#[derive(Debug, Args)]
pub struct Perft {
    #[command(flatten)]
    game: GameArg,
    /// The position; the start position if left out
    #[arg(long, value_name = "POSITION")]
    fen: Option<String>,
    /// Plies to look ahead
    #[arg(long, value_name = "PLIES")]
    depth: u32,
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
        for depth in 1..=self.depth {
            println!("{depth} {}", perft::perft(&position, depth));
        }
        Ok(())
    }
}
