//! The file of records of a match.

use std::fs::{File, OpenOptions};
use std::io::ErrorKind;
use std::path::Path;

use anyhow::{Context, anyhow, ensure};

use crate::arena::record::{self, GameRecord, Records};
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

/// Reads a file of records, and names those that do not count.
pub fn read(path: &Path) -> anyhow::Result<Records> {
    let records = record::read(path)?;
    for entry in &records.games {
        if let Some(fault) = &entry.fault {
            let fault = anyhow!(fault.clone());
            log::warn!(
                "{}, line {}: this game does not count: {fault:#}",
                path.display(),
                entry.line
            );
        }
    }
    Ok(records)
}

/// The games of this match that the file holds and that count, and how many there are that do not.
/// Those stay in the file, where they never count, and are played again. A torn last line is cut
/// off.
pub fn resume<G: Playable>(
    path: &Path,
    arena: &Match<G>,
    pairs: &[Pair],
) -> anyhow::Result<(Vec<GameRecord>, u64)> {
    if !path.exists() {
        return Ok((Vec::new(), 0));
    }
    let records = read(path)?;
    for entry in &records.games {
        let game = &entry.game;
        let expected = pairs
            .binary_search_by_key(&game.pair, |pair| pair.index)
            .ok()
            .and_then(|i| arena.plan(pairs[i], game.leg));
        // The opening may be what is wrong with a game that does not count.
        let belongs = expected.is_some_and(|(players, opening)| {
            players == game.players && (opening == game.opening || entry.fault.is_some())
        });
        ensure!(
            belongs,
            "{}, line {}: the game does not belong to this match: other engines, limits, openings \
             or number of games",
            path.display(),
            entry.line
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
    let all = records.games.len();
    let counted: Vec<GameRecord> = records
        .games
        .into_iter()
        .filter(|entry| entry.fault.is_none())
        .map(|entry| entry.game)
        .collect();
    let left_out = (all - counted.len()) as u64;
    Ok((counted, left_out))
}
