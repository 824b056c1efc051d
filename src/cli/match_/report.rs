//! The result of a match from its files.

use std::io::Write;
use std::path::{Path, PathBuf};

use anyhow::{Context, ensure};

use super::files;
use super::scorer::print;
use crate::arena::record::{self, GameRecord};
use crate::arena::sprt::Sprt;
use crate::arena::summary::{Summary, Trial};
use crate::arena::{report, text};

/// Merges the files of a match and its shards, shows the result, and writes the games as text if
/// that is wanted.
pub fn report(files: &[PathBuf], sprt: Option<Sprt>, text: Option<&Path>) -> anyhow::Result<()> {
    let games = merge(files)?;
    let mut summary = Summary::default();
    let (counted, again): (Vec<_>, Vec<_>) = games.into_iter().partition(|game| summary.add(game));
    if !again.is_empty() {
        log::warn!("{} games were left out: their places in the match were taken", again.len());
    }
    ensure!(
        sprt.is_none() || summary.names().len() == 2,
        "--sprt compares two engines, the files have games of {}",
        summary.names().len()
    );
    let trial = sprt.map(|test| {
        let mut trial = Trial::new(test);
        trial.advance(&summary);
        trial
    });
    if let Some(path) = text {
        let games: Vec<String> = counted.iter().map(text::write).collect();
        files::create_text(path)?
            .write_all(games.join("\n").as_bytes())
            .with_context(|| format!("--text {}", path.display()))?;
    }
    print(&report::full(&summary, trial.as_ref()))
}

/// All games in the order of the schedule.
fn merge(files: &[PathBuf]) -> anyhow::Result<Vec<GameRecord>> {
    let mut games: Vec<GameRecord> = Vec::new();
    for path in files {
        let records = record::read(path)?;
        if records.torn {
            log::warn!("{}: the last line is torn and left out", path.display());
        }
        for (line, game) in (1..).zip(records.games) {
            if let Some(first) = games.first() {
                ensure!(
                    first.game == game.game,
                    "{}: game {line} is one of {}, those before are of {}",
                    path.display(),
                    game.game,
                    first.game
                );
            }
            games.push(game);
        }
    }
    games.sort_by_key(|game| (game.pair, game.leg));
    Ok(games)
}
