//! The command line: its grammar, and one module for each subcommand.

mod perft;
mod ugi;

use clap::{Args, Parser, Subcommand};

use crate::game::Playable;
use crate::games::GameName;

/// A game engine for Hokito and Yoxii.
#[derive(Debug, Parser)]
#[command(version, about, max_term_width = 100)]
pub struct Cli {
    #[command(subcommand)]
    command: Option<Command>,
    #[command(flatten)]
    ugi: ugi::Ugi,
}

#[derive(Debug, Subcommand)]
enum Command {
    Ugi(ugi::Ugi),
    Perft(perft::Perft),
}

/// The choice of a game, common to most subcommands.
#[derive(Clone, Copy, Debug, Args)]
struct GameArg {
    /// The game: hokito or yoxii
    #[arg(long, value_name = "GAME", default_value_t)]
    game: GameName,
}

/// The position behind `--fen`, or the start position.
fn position<G: Playable>(fen: Option<&str>) -> anyhow::Result<G> {
    use anyhow::Context;
    match fen {
        None | Some("startpos") => Ok(G::start()),
        Some(text) => G::parse(text)
            .with_context(|| format!("--fen '{text}' is not a position of {}", G::TITLE)),
    }
}

/// Runs the program that the command line asks for.
///
/// # Errors
/// Whatever stops it; the message is for the person who typed the command.
pub fn run(cli: Cli) -> anyhow::Result<()> {
    match cli.command {
        Some(Command::Perft(perft)) => perft.run(),
        Some(Command::Ugi(ugi)) => {
            ugi.run();
            Ok(())
        }
        None => {
            cli.ugi.run();
            Ok(())
        }
    }
}
