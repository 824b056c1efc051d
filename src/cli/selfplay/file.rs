//! A file of self-play that may have been begun before.

use std::fs::File;
use std::io::{BufRead, BufReader, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use anyhow::{Context, anyhow, bail, ensure};

use crate::cli::out;
use crate::tools::selfplay::END_OF_GAME;

/// Games in the order of their seeds, each written as it ends.
///
/// A file that was begun before holds whole games and perhaps the beginning of one more. Of these
/// the last whole one is played again and all behind it: what the file holds of them must be the
/// same, and what is missing is put behind it. So nothing in the file is ever changed, and a file
/// of another run is refused.
pub struct GamesFile {
    path: PathBuf,
    file: File,
    /// The file as it was, where it was not yet compared with what is played.
    old: Option<BufReader<File>>,
    /// The bytes of the file.
    length: u64,
    /// The games that need not be played.
    pub played: u64,
}

impl GamesFile {
    /// Opens the file of the games with these seeds; with `resume` there may be one.
    ///
    /// # Errors
    /// When it cannot be opened, there is one without `resume`, or it holds other games.
    pub fn open(
        path: &Path,
        resume: bool,
        seeds: impl Iterator<Item = u64>,
    ) -> anyhow::Result<Self> {
        let file = out::open(path, resume)?;
        let io = || format!("--out {}", path.display());
        let mut old = BufReader::new(File::open(path).with_context(io)?);
        let (played, start) = last_whole_game(&mut old, seeds).with_context(io)?;
        old.seek(SeekFrom::Start(start)).with_context(io)?;
        let length = file.metadata().with_context(io)?.len();
        let old = (start < length).then_some(old);
        Ok(Self { path: path.to_path_buf(), file, old, length, played })
    }

    /// Takes the next game: compares it with what the file holds, or writes it.
    ///
    /// # Errors
    /// When the file holds another game or does not take this one, or someone else writes to it.
    pub fn put(&mut self, text: &str) -> anyhow::Result<()> {
        let text = text.as_bytes();
        let name = self.path.display();
        let mut held = Vec::new();
        if let Some(old) = &mut self.old {
            old.take(text.len() as u64).read_to_end(&mut held).with_context(|| name.to_string())?;
        }
        let Some(missing) = text.strip_prefix(&held[..]) else {
            bail!(
                "{name}: the last game is not the one that this command plays: other --game, \
                 --nodes, --plies, --seed or version; the file is left as it is"
            );
        };
        if missing.is_empty() {
            return Ok(());
        }
        self.old = None;
        let length = self.file.metadata().with_context(|| name.to_string())?.len();
        ensure!(
            length == self.length,
            "{name}: someone else writes to the file; stopped, --resume goes on with it"
        );
        self.file.write_all(missing).context("a game could not be written")?;
        self.length += missing.len() as u64;
        Ok(())
    }

    /// Ends the file, in which nothing may stand behind the last game.
    ///
    /// # Errors
    /// When something does, or the system reports that it lost something.
    pub fn end(mut self) -> anyhow::Result<()> {
        let name = self.path.display();
        if let Some(old) = &mut self.old {
            let rest = old.fill_buf().with_context(|| name.to_string())?;
            ensure!(rest.is_empty(), "{name}: something stands behind the last game of this run");
        }
        self.file.sync_all().with_context(|| name.to_string())
    }
}

/// How many games before the last whole one a file holds, and where that one begins.
fn last_whole_game(
    file: &mut impl BufRead,
    mut seeds: impl Iterator<Item = u64>,
) -> anyhow::Result<(u64, u64)> {
    let (mut begin, mut end, mut offset, mut whole) = (0, 0, 0, 0_u64);
    let mut line = Vec::new();
    for number in 1.. {
        line.clear();
        offset += file.read_until(b'\n', &mut line)? as u64;
        let Some(text) = line.strip_suffix(b"\n") else { break };
        let Some(found) = text.strip_prefix(END_OF_GAME.as_bytes()) else { continue };
        let found = String::from_utf8_lossy(found);
        let expected = seeds
            .next()
            .ok_or_else(|| anyhow!("line {number}: game {found} is behind the last of this run"))?;
        ensure!(
            found == expected.to_string(),
            "line {number}: game {found}, expected game {expected}: other --seed or --shard, or \
             two that wrote to the file; it is left as it is"
        );
        (begin, end) = (end, offset);
        whole += 1;
    }
    Ok((whole.saturating_sub(1), begin))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_whole_game_is_found() {
        let found = |text: &str| last_whole_game(&mut text.as_bytes(), 7..9).ok();
        assert_eq!(found(""), Some((0, 0)));
        assert_eq!(found("a\nb"), Some((0, 0)));
        assert_eq!(found("a\n# game 7\n"), Some((0, 0)));
        assert_eq!(found("a\n# game 7\n# game 8"), Some((0, 0)));
        assert_eq!(found("a\n# game 7\n# game 8\n"), Some((1, 11)));
        for wrong in ["# game 8\n", "# game 7\n# game 7\n", "# game 7\n# game 8\n# game 9\n"] {
            assert_eq!(found(wrong), None, "{wrong}");
        }
    }
}
