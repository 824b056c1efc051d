//! The result of a match from its files.

use std::io::Write;
use std::path::{Path, PathBuf};

use anyhow::{Context, bail, ensure};

use super::super::Results;
use super::files;
use crate::arena::record::{Entry, GameRecord, PlayerRecord};
use crate::arena::sprt::Sprt;
use crate::arena::summary::{Summary, Trial};
use crate::arena::{report, text};
use crate::maps::HashMap;

/// Merges the files of a match and its shards, shows the result, and writes the games as text if
/// that is wanted.
pub fn report(files: &[PathBuf], sprt: Option<Sprt>, text: Option<&Path>) -> anyhow::Result<()> {
    let mut summary = Summary::default();
    let games = merge(files, &mut summary)?;
    if games.is_empty() {
        let names: Vec<String> = files.iter().map(|path| path.display().to_string()).collect();
        let that_count = if summary.left_out() > 0 { " that count" } else { "" };
        bail!("--report {}: no games{that_count}", names.join(" "));
    }
    let (counted, again): (Vec<_>, Vec<_>) = games.into_iter().partition(|game| summary.add(game));
    if !again.is_empty() {
        log::warn!(
            "left out {} whose place in the match was taken",
            report::counted(again.len() as u64, "game")
        );
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
    Ok(Results::new().write_all(report::full(&summary, trial.as_ref()).as_bytes())?)
}

/// All games that count, in the order of the schedule. The others are left out of the summary.
fn merge(paths: &[PathBuf], summary: &mut Summary) -> anyhow::Result<Vec<GameRecord>> {
    let mut games: Vec<GameRecord> = Vec::new();
    let mut common = Common::default();
    for path in paths {
        let records = files::read(path)?;
        if records.torn {
            log::warn!("{}: the last line is torn and left out", path.display());
        }
        for Entry { line, game, fault } in records.games {
            if fault.is_some() {
                summary.leave_out(1);
                continue;
            }
            common.check(&game).with_context(|| {
                format!("{}, line {line}: of another match than those before", path.display())
            })?;
            games.push(game);
        }
    }
    games.sort_by_key(|game| (game.pair, game.leg));
    Ok(games)
}

/// What the games of one match have in common.
#[derive(Default)]
struct Common {
    game: Option<String>,
    /// By their names.
    engines: HashMap<String, PlayerRecord>,
    /// The opening of each pair, and who is player one and two in its first game.
    pairs: HashMap<usize, (String, [String; 2])>,
}

impl Common {
    /// Compares a game with those before it.
    fn check(&mut self, game: &GameRecord) -> anyhow::Result<()> {
        let first = self.game.get_or_insert_with(|| game.game.clone());
        ensure!(*first == game.game, "it is a game of {}, not {first}", game.game);
        for player in &game.players {
            let known = self.engines.entry(player.name.clone()).or_insert_with(|| player.clone());
            ensure!(
                known == player,
                "'{}' has another command, other options or other limits",
                player.name
            );
        }
        let mut players = game.players.each_ref().map(|player| player.name.clone());
        if game.leg == 1 {
            players.reverse();
        }
        let (opening, names) =
            self.pairs.entry(game.pair).or_insert_with(|| (game.opening.clone(), players.clone()));
        ensure!(*names == players, "pair {} is played by other engines", game.pair + 1);
        ensure!(*opening == game.opening, "pair {} has another opening", game.pair + 1);
        Ok(())
    }
}
