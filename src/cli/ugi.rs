//! `cairn ugi`, and `cairn` alone: the engine behind a line protocol.

use std::io;
use std::sync::Arc;

use anyhow::Context;
use clap::Args;

use super::GameArg;
use crate::protocol::options::Options;
use crate::protocol::output::Output;
use crate::protocol::session;

/// Speak the Universal Game Interface on stdin and stdout (the default)
///
/// `protocol.md` is its reference; the command `help` lists the commands.
#[derive(Clone, Copy, Debug, Args)]
pub struct Ugi {
    #[command(flatten)]
    game: GameArg,
}

impl Ugi {
    pub(super) fn run(self) -> anyhow::Result<()> {
        let options = Options { game: self.game.game, ..Options::default() };
        let output = Arc::new(Output::new(Box::new(io::stdout()))?);
        session::converse(io::stdin().lock(), output, options)
            .context("cannot write to standard output")
    }
}
