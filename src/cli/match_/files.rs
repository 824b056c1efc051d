//! The file of records of a match.

use std::fs::{File, OpenOptions};
use std::io::ErrorKind;
use std::path::Path;

use anyhow::{Context, anyhow, ensure};

use crate::arena::record::{self, GameRecord};
use crate::arena::runner::Match;
use crate::arena::schedule::Pair;
use crate::game::Playable;

/// Creates the file for games as text, which never takes the place of another one.
pub fn create_text(path: &Path) -> anyhow::Result<File> {
    File::create_new(path).map_err(|error| match error.kind() {
        ErrorKind::AlreadyExists => {
            anyhow!("--text {}: the file exists and is left as it is", path.display())
        }
        _ => anyhow!(error).context(format!("--text {}", path.display())),
    })
}

/// The games of this match that the file holds. A torn last line is cut off.
pub fn resume<G: Playable>(
    path: &Path,
    arena: &Match<G>,
    pairs: &[Pair],
) -> anyhow::Result<Vec<GameRecord>> {
    if !path.exists() {
        return Ok(Vec::new());
    }
    let records = record::read(path)?;
    for (line, game) in (1..).zip(&records.games) {
        let expected = pairs
            .binary_search_by_key(&game.pair, |pair| pair.index)
            .ok()
            .and_then(|i| arena.plan(pairs[i], game.leg));
        ensure!(
            expected.is_some_and(|plan| plan.0 == game.players && plan.1 == game.opening),
            "{}: game {line} does not belong to this match: other engines, limits, openings or \
             number of games",
            path.display()
        );
    }
    // Only now is it sure that the file is one of this match and may be changed.
    if records.torn {
        log::warn!("{}: the last line is torn; its game is played again", path.display());
        OpenOptions::new()
            .write(true)
            .open(path)
            .and_then(|file| file.set_len(records.whole))
            .with_context(|| format!("{}", path.display()))?;
    }
    Ok(records.games)
}
