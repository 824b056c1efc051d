//! What is kept of a game, as one line of JSON.

use std::fs::File;
use std::io::{self, BufRead, Write};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use thiserror::Error;

use super::replay::{Contradiction, replay};
use crate::game::Player;
use crate::games::GameName;
use crate::outside::{TextFile, excerpt, is_visible};

/// A game that was played to some end.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct GameRecord {
    /// The name of the game.
    pub game: String,
    /// The pair of games that this one belongs to, from 0 through the whole match.
    pub pair: usize,
    /// 0 for the first game of the pair, 1 for the second, in which the sides are changed.
    pub leg: usize,
    /// The engines of player one and player two.
    pub players: [PlayerRecord; 2],
    /// The position from which the game was played.
    pub opening: String,
    /// The player to move in the opening: 1 or 2.
    pub begins: u8,
    /// The moves, all of them legal.
    pub moves: Vec<MoveRecord>,
    /// Who won.
    pub result: GameResult,
    /// How the game ended.
    pub reason: Reason,
    /// What happened, when the reason does not say everything; empty otherwise.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub detail: String,
    /// The points of both players in the last position.
    pub points: [i32; 2],
    /// Answers of each player's engine about the position that contradict the rules.
    #[serde(default, skip_serializing_if = "no_disagreements")]
    pub disagreements: [Vec<String>; 2],
}

fn no_disagreements(disagreements: &[Vec<String>; 2]) -> bool {
    disagreements.iter().all(Vec::is_empty)
}

/// An engine as it took part in a game.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PlayerRecord {
    /// The name that it has in the match.
    pub name: String,
    /// Program and arguments.
    pub command: Vec<String>,
    /// Options that were set, in this order.
    pub options: Vec<(String, String)>,
    /// What it was given for its moves, such as `nodes=1000`.
    pub limits: String,
}

/// A move and what the engine said of it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct MoveRecord {
    /// The move.
    #[serde(rename = "move")]
    pub text: String,
    /// Milliseconds from the command to the answer.
    pub ms: f64,
    /// The expected final margin in centipoints, seen by the mover.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub score: Option<i32>,
    /// The result for the mover, if the engine claims to have proved it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub proven: Option<Proven>,
    /// Depth of the last iteration, in plies.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub depth: Option<u32>,
    /// Positions visited.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub nodes: Option<u64>,
}

/// A result that an engine claims to have proved, seen by the side to move.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Proven {
    /// It wins.
    Win,
    /// Neither side wins.
    Draw,
    /// It loses.
    Loss,
}

/// Who won, in the words of the UGI protocol.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum GameResult {
    /// Player one won.
    #[serde(rename = "p1win")]
    OneWins,
    /// Player two won.
    #[serde(rename = "p2win")]
    TwoWins,
    /// Nobody won.
    #[serde(rename = "draw")]
    Draw,
}

impl GameResult {
    /// The result with that winner.
    #[must_use]
    pub const fn won_by(winner: Option<Player>) -> Self {
        match winner {
            Some(Player::One) => Self::OneWins,
            Some(Player::Two) => Self::TwoWins,
            None => Self::Draw,
        }
    }

    /// The word for it in UGI.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::OneWins => "p1win",
            Self::TwoWins => "p2win",
            Self::Draw => "draw",
        }
    }

    /// 2 for a win of this player, 1 for a draw, 0 for a loss.
    #[must_use]
    pub const fn half_points(self, player: Player) -> u8 {
        match (self, player) {
            (Self::Draw, _) => 1,
            (Self::OneWins, Player::One) | (Self::TwoWins, Player::Two) => 2,
            _ => 0,
        }
    }
}

/// How a game ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Reason {
    /// The player to move had no move.
    Rules,
    /// Both engines agreed for long enough that one of them wins.
    Score,
    /// The runner's own search proved the result.
    Solved,
    /// An engine answered later than its time allowed.
    Time,
    /// An engine's move was not legal.
    Illegal,
    /// What an engine answered was not a move at all.
    Garbage,
    /// An engine's process ended.
    Crash,
    /// An engine gave no answer and was killed.
    Hang,
    /// An engine's process did not get ready for the first game, or again after an earlier failure.
    Start,
}

impl Reason {
    /// Whether the engine that lost did so by its own failure.
    #[must_use]
    pub const fn is_failure(self) -> bool {
        !matches!(self, Self::Rules | Self::Score | Self::Solved)
    }

    /// The reason in words.
    #[must_use]
    pub const fn words(self) -> &'static str {
        match self {
            Self::Rules => "end by the rules",
            Self::Score => "adjudicated by score",
            Self::Solved => "adjudicated by proof",
            Self::Time => "loss on time",
            Self::Illegal => "illegal move",
            Self::Garbage => "garbage for a move",
            Self::Crash => "crash",
            Self::Hang => "hang",
            Self::Start => "failed start",
        }
    }
}

/// Why records cannot be read.
#[derive(Debug, Error)]
pub enum RecordError {
    /// The file cannot be read.
    #[error("{}", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// What the system says.
        source: io::Error,
    },
    /// A line is not the record of a game.
    #[error("{}, line {line}: not the record of a game", path.display())]
    Line {
        /// The file.
        path: PathBuf,
        /// The line, from 1.
        line: usize,
        /// What is wrong with it.
        source: serde_json::Error,
    },
    /// A field of a record has a value that no game can have.
    #[error("{}, line {line}: {field} is {found}, expected {expected}", path.display())]
    Field {
        /// The file.
        path: PathBuf,
        /// The line, from 1.
        line: usize,
        /// The name of the field.
        field: &'static str,
        /// Its value.
        found: String,
        /// What it may be.
        expected: &'static str,
    },
    /// What stands behind the last line feed is not the beginning of a record.
    #[error("{}, line {line}: not the record of a game", path.display())]
    Foreign {
        /// The file.
        path: PathBuf,
        /// The line, from 1.
        line: usize,
    },
}

/// A game in a file.
#[derive(Debug)]
pub struct Entry {
    /// Its line, from 1.
    pub line: usize,
    /// The game.
    pub game: GameRecord,
    /// Why it does not count: the first thing in it that the rules contradict. Else it was played
    /// as it is written.
    pub fault: Option<Contradiction>,
}

/// The records of a file.
#[derive(Debug, Default)]
pub struct Records {
    /// The games, in the order of the file.
    pub games: Vec<Entry>,
    /// The length in bytes of the whole lines. Behind it is a last line that was being written when
    /// its writer was stopped, if the file is longer than that.
    pub whole: u64,
    /// Whether there is such a torn line.
    pub torn: bool,
}

/// How the line of a record begins.
const BEGINNING: &[u8] = br#"{"game":"#;

/// Reads a file of records and replays the games by the rules. A last line without its line feed
/// was torn and is left out.
///
/// # Errors
/// When the file cannot be read, a whole line of it is not a record or has a field that no game can
/// have, or its last line is not the beginning of a record.
pub fn read(path: &Path) -> Result<Records, RecordError> {
    let io = |source| RecordError::Io { path: path.to_path_buf(), source };
    let mut file = TextFile::open(path).map_err(io)?;
    let mut records = Records { whole: file.mark as u64, ..Records::default() };
    let mut text = Vec::new();
    for line in 1.. {
        text.clear();
        let length = file.read_until(b'\n', &mut text).map_err(io)?;
        if text.last() != Some(&b'\n') {
            records.torn = length > 0;
            if !text.starts_with(BEGINNING) && !BEGINNING.starts_with(&text) {
                return Err(RecordError::Foreign { path: path.to_path_buf(), line });
            }
            break;
        }
        records.whole += length as u64;
        if !text.trim_ascii().is_empty() {
            let game: GameRecord = serde_json::from_slice(&text)
                .map_err(|source| RecordError::Line { path: path.to_path_buf(), line, source })?;
            if let Some((field, found, expected)) = mistake(&game) {
                let path = path.to_path_buf();
                return Err(RecordError::Field { path, line, field, found, expected });
            }
            let fault = replay(&game).err();
            records.games.push(Entry { line, game, fault });
        }
    }
    Ok(records)
}

/// A field with a value that no game can have, that value, and what was expected.
fn mistake(game: &GameRecord) -> Option<(&'static str, String, &'static str)> {
    let quoted = |text: &str| format!("\"{}\"", excerpt(text, LONGEST_NAME));
    let GameRecord { pair, leg, begins, players, .. } = game;
    if !GameName::ALL.iter().any(|known| known.as_str() == game.game) {
        return Some(("game", quoted(&game.game), "the name of a game"));
    }
    if u32::try_from(*pair).is_err() {
        return Some(("pair", pair.to_string(), "a number below 2^32"));
    }
    if *leg > 1 {
        return Some(("leg", leg.to_string(), "0 or 1"));
    }
    if !(1..=2).contains(begins) {
        return Some(("begins", begins.to_string(), "1 or 2"));
    }
    if let Some(player) = players.iter().find(|player| !is_name(&player.name)) {
        return Some(("name", quoted(&player.name), NAME));
    }
    if players[0].name == players[1].name {
        return Some(("name", quoted(&players[1].name), "two engines with different names"));
    }
    if let Some(mv) = game.moves.iter().find(|mv| mv.ms < 0.0) {
        return Some(("ms", mv.ms.to_string(), "a time from 0"));
    }
    let may_be_drawn = matches!(game.reason, Reason::Rules | Reason::Solved);
    if game.result == GameResult::Draw && !may_be_drawn {
        return Some(("result", quoted("draw"), "a winner, because of the reason"));
    }
    None
}

/// The most characters of the name of an engine. So many fit into a line of a report, and, whatever
/// they are, into the name of a log file.
pub const LONGEST_NAME: usize = 60;

/// What the name of an engine must be, in words.
pub const NAME: &str = "a name of 1 to 60 characters that can be seen";

/// Whether an engine can have this name: there is something to see, nothing that cannot be seen,
/// and no more than [`LONGEST_NAME`] characters.
#[must_use]
pub fn is_name(name: &str) -> bool {
    !name.trim().is_empty() && name.chars().all(is_visible) && name.chars().count() <= LONGEST_NAME
}

/// Writes a record as a line of its own, in one piece, and hands it to the system.
///
/// # Errors
/// When the system does not take it.
pub fn append(file: &mut File, game: &GameRecord) -> io::Result<()> {
    let mut line = serde_json::to_vec(game)?;
    line.push(b'\n');
    file.write_all(&line)?;
    file.flush()
}
