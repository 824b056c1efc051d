//! `cairn bench`.

use std::io::Write;

use anyhow::Context;
use clap::Args;

use super::Results;
use crate::search::limits::Control;
use crate::tools::bench;

/// Search fixed positions of every game to a fixed depth and count the nodes
///
/// One thread and a small table make the count the same on every machine and every time. Who
/// changes how the engine plays changes the count; who only makes it faster does not. The lines are
/// one `GAME NODES` for each game, and at the end `NODES nodes SPEED nps`.
#[derive(Clone, Copy, Debug, Args)]
pub struct Bench {}

impl Bench {
    pub(super) fn run(self) -> anyhow::Result<()> {
        let report = bench::run(&Control::new(false))?.context("the bench was stopped")?;
        write!(Results::new(), "{report}")?;
        Ok(())
    }
}
