//! The grammar of the lines that come in.
//!
//! A line becomes a [`Command`] without knowing the game: positions and moves stay words until the
//! session reads them. A line is understood as a whole or refused as a whole, with one exception:
//! a `go` is never refused, because whoever sent it waits for a move.

use std::time::Duration;

use thiserror::Error;

use crate::outside::excerpt;

/// Something that the engine is told to do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Command {
    /// `ugi` or `uci`: who are you, and which options do you have.
    Identify(Dialect),
    /// `isready`: say `readyok` as soon as everything before is done.
    IsReady,
    /// `uginewgame` or `ucinewgame`: the next position is of another game.
    NewGame,
    /// `setoption name NAME [value VALUE]`.
    SetOption {
        /// The name as written.
        name: String,
        /// The words behind `value`; empty without them.
        value: String,
    },
    /// `position startpos|fen POSITION [moves MOVE ...]`.
    Position {
        /// The words behind `fen`, or `None` for the start position.
        fen: Option<String>,
        /// Moves to play from there.
        moves: Vec<String>,
    },
    /// `moves MOVE ...`: play on from the current position.
    Moves(Vec<String>),
    /// `go ...`: search.
    Go(Box<Go>),
    /// `perft N` or `go perft N`: count leaves.
    Perft(u32),
    /// `stop`: end what runs.
    Stop,
    /// `ponderhit`: the awaited move was played.
    PonderHit,
    /// `query ...`: facts about the current position.
    Query(Query),
    /// `eval`: the static evaluation of the current position.
    Eval,
    /// `d`: a drawing of the current position.
    Draw,
    /// `bench`: search the fixed positions.
    Bench,
    /// `debug on|off`: say more.
    Debug(bool),
    /// `help`: list the commands.
    Help,
    /// `quit`: end the program.
    Quit,
}

/// The two names of one language.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Dialect {
    /// `ugi`, answered by `ugiok`.
    Ugi,
    /// `uci`, answered by `uciok`.
    Uci,
}

/// What can be asked about the current position.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Query {
    /// Whether the game is over.
    GameOver,
    /// Whether it is player one's turn.
    P1Turn,
    /// Who has won.
    Result,
    /// All legal moves.
    LegalMoves,
    /// The position's notation.
    Position,
    /// The points of both players.
    Score,
}

/// The queries and their words.
const QUERIES: [(&str, Query); 6] = [
    ("gameover", Query::GameOver),
    ("p1turn", Query::P1Turn),
    ("result", Query::Result),
    ("legalmoves", Query::LegalMoves),
    ("position", Query::Position),
    ("score", Query::Score),
];

/// The words behind `go`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Go {
    /// `p1time` or `wtime`, `p2time` or `btime`: time left.
    pub time: [Option<Duration>; 2],
    /// `p1inc` or `winc`, `p2inc` or `binc`: time added after every move.
    pub increment: [Option<Duration>; 2],
    /// `movestogo`: moves until the next time control, at least 1.
    pub moves_to_go: Option<u32>,
    /// `movetime`: time for this move.
    pub move_time: Option<Duration>,
    /// `depth`, in plies, at least 1.
    pub depth: Option<u32>,
    /// `nodes`, at least 1.
    pub nodes: Option<u64>,
    /// `win`: end once a win within this many plies, at least 1, is proven.
    pub win: Option<u32>,
    /// `infinite`: no `bestmove` before `stop`.
    pub infinite: bool,
    /// `ponder`: no `bestmove` before `ponderhit` or `stop`.
    pub ponder: bool,
    /// `searchmoves`: the words behind it.
    pub search_moves: Vec<String>,
    /// Words that mean nothing here, in the order in which they came.
    pub unknown: Vec<String>,
}

impl Go {
    /// Whether anything but `stop` is bound to end the search.
    #[must_use]
    pub fn is_limited(&self) -> bool {
        self.time.iter().any(Option::is_some)
            || self.move_time.is_some()
            || self.depth.is_some()
            || self.nodes.is_some()
    }
}

/// Why a line is not a command.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum CommandError {
    /// The first word is no command.
    #[error("unknown command '{word}', type 'help' for the list")]
    Unknown {
        /// The word.
        word: String,
    },
    /// Words behind a command that takes none.
    #[error("{command}: unexpected '{word}', expected nothing behind it")]
    Surplus {
        /// The command.
        command: &'static str,
        /// The first word too many.
        word: String,
    },
    /// A word is not one of those that may stand there.
    #[error("{command}: unexpected '{word}', expected {expected}")]
    Unexpected {
        /// The command.
        command: &'static str,
        /// The word.
        word: String,
        /// What may stand there.
        expected: &'static str,
    },
    /// The line ends too early.
    #[error("{command}: the line ends where {expected} was expected")]
    Incomplete {
        /// The command.
        command: &'static str,
        /// What is missing.
        expected: &'static str,
    },
}

impl Command {
    /// Reads a line; `None` when there is nothing on it.
    ///
    /// # Errors
    /// Names the offending word and what was expected.
    pub fn parse(line: &str) -> Result<Option<Self>, CommandError> {
        let mut words = line.split_whitespace();
        let Some(first) = words.next() else {
            return Ok(None);
        };
        let (command, parsed) = match first {
            "ugi" => ("ugi", Self::Identify(Dialect::Ugi)),
            "uci" => ("uci", Self::Identify(Dialect::Uci)),
            "isready" => ("isready", Self::IsReady),
            "uginewgame" => ("uginewgame", Self::NewGame),
            "ucinewgame" => ("ucinewgame", Self::NewGame),
            "stop" => ("stop", Self::Stop),
            "ponderhit" => ("ponderhit", Self::PonderHit),
            "eval" => ("eval", Self::Eval),
            "d" => ("d", Self::Draw),
            "bench" => ("bench", Self::Bench),
            "help" => ("help", Self::Help),
            "quit" => ("quit", Self::Quit),
            "setoption" => return set_option(words).map(Some),
            "position" => return position(words).map(Some),
            "moves" => return Ok(Some(Self::Moves(words.map(str::to_string).collect()))),
            "go" => return go(words).map(Some),
            "perft" => return perft("perft", words).map(Some),
            "query" => ("query", Self::Query(query(words.next())?)),
            "debug" => ("debug", Self::Debug(on_or_off(words.next())?)),
            _ => return Err(CommandError::Unknown { word: shorten(first) }),
        };
        match words.next() {
            None => Ok(Some(parsed)),
            Some(word) => Err(CommandError::Surplus { command, word: shorten(word) }),
        }
    }
}

/// A word as it may be repeated in an answer: not endless, and with everything escaped that cannot
/// be seen or would break the line.
#[must_use]
pub fn shorten(word: &str) -> String {
    const LONGEST: usize = 40;
    excerpt(word, LONGEST)
}

fn query(word: Option<&str>) -> Result<Query, CommandError> {
    const EXPECTED: &str = "gameover, p1turn, result, legalmoves, position or score";
    let command = "query";
    let word = word.ok_or(CommandError::Incomplete { command, expected: EXPECTED })?;
    QUERIES.iter().find(|(name, _)| *name == word).map(|&(_, query)| query).ok_or_else(|| {
        CommandError::Unexpected { command, word: shorten(word), expected: EXPECTED }
    })
}

fn on_or_off(word: Option<&str>) -> Result<bool, CommandError> {
    let (command, expected) = ("debug", "on or off");
    match word {
        Some("on") => Ok(true),
        Some("off") => Ok(false),
        Some(word) => Err(CommandError::Unexpected { command, word: shorten(word), expected }),
        None => Err(CommandError::Incomplete { command, expected }),
    }
}

fn set_option<'a>(mut words: impl Iterator<Item = &'a str>) -> Result<Command, CommandError> {
    let (command, expected) = ("setoption", "name NAME value VALUE");
    match words.next() {
        Some("name") => {}
        Some(word) => {
            return Err(CommandError::Unexpected { command, word: shorten(word), expected });
        }
        None => return Err(CommandError::Incomplete { command, expected }),
    }
    let name: Vec<&str> = words.by_ref().take_while(|&word| word != "value").collect();
    if name.is_empty() {
        return Err(CommandError::Incomplete { command, expected: "the name of an option" });
    }
    let value: Vec<&str> = words.collect();
    Ok(Command::SetOption { name: name.join(" "), value: value.join(" ") })
}

fn position<'a>(mut words: impl Iterator<Item = &'a str>) -> Result<Command, CommandError> {
    let (command, expected) = ("position", "startpos or fen");
    let fen = match words.next() {
        Some("startpos") => match words.next() {
            None | Some("moves") => None,
            Some(word) => {
                let (word, expected) = (shorten(word), "moves or the end of the line");
                return Err(CommandError::Unexpected { command, word, expected });
            }
        },
        Some("fen") => {
            let fen: Vec<&str> = words.by_ref().take_while(|&word| word != "moves").collect();
            Some(fen.join(" "))
        }
        Some(word) => {
            return Err(CommandError::Unexpected { command, word: shorten(word), expected });
        }
        None => return Err(CommandError::Incomplete { command, expected }),
    };
    Ok(Command::Position { fen, moves: words.map(str::to_string).collect() })
}

fn perft<'a>(
    command: &'static str,
    mut words: impl Iterator<Item = &'a str>,
) -> Result<Command, CommandError> {
    let expected = "a number of plies, at least 1";
    let word = words.next().ok_or(CommandError::Incomplete { command, expected })?;
    let depth = match word.parse() {
        Ok(depth @ 1..) => depth,
        _ => return Err(CommandError::Unexpected { command, word: shorten(word), expected }),
    };
    match words.next() {
        None => Ok(Command::Perft(depth)),
        Some(word) => Err(CommandError::Surplus { command, word: shorten(word) }),
    }
}

fn go<'a>(words: impl Iterator<Item = &'a str>) -> Result<Command, CommandError> {
    let mut words = words.peekable();
    if words.next_if_eq(&"perft").is_some() {
        return perft("go perft", words);
    }
    let mut go = Go::default();
    let [p1time, p2time] = &mut go.time;
    let [p1inc, p2inc] = &mut go.increment;
    let unknown = &mut go.unknown;
    while let Some(word) = words.next() {
        let mut at_least = |least| match words.next_if(|word| !KEYWORDS.contains(word)) {
            Some(value) => {
                let number = saturating_number(value).filter(|&number| number >= least);
                if number.is_none() {
                    unknown.push(format!("{word} {value}"));
                }
                number
            }
            None => {
                unknown.push(word.to_string());
                None
            }
        };
        let mut millis = || at_least(0).map(Duration::from_millis);
        match word {
            "p1time" | "wtime" => replace(p1time, millis()),
            "p2time" | "btime" => replace(p2time, millis()),
            "p1inc" | "winc" => replace(p1inc, millis()),
            "p2inc" | "binc" => replace(p2inc, millis()),
            "movetime" => replace(&mut go.move_time, millis()),
            "nodes" => replace(&mut go.nodes, at_least(1)),
            "movestogo" => replace(&mut go.moves_to_go, at_least(1).map(clamp)),
            "depth" => replace(&mut go.depth, at_least(1).map(clamp)),
            "win" => replace(&mut go.win, at_least(1).map(clamp)),
            "infinite" => go.infinite = true,
            "ponder" => go.ponder = true,
            "searchmoves" => {
                let before = go.search_moves.len();
                while let Some(mv) = words.next_if(|word| !KEYWORDS.contains(word)) {
                    go.search_moves.push(mv.to_string());
                }
                if go.search_moves.len() == before {
                    unknown.push(word.to_string());
                }
            }
            _ => unknown.push(word.to_string()),
        }
    }
    Ok(Command::Go(Box::new(go)))
}

/// The words that mean something behind `go`.
const KEYWORDS: [&str; 16] = [
    "p1time",
    "p2time",
    "p1inc",
    "p2inc",
    "wtime",
    "btime",
    "winc",
    "binc",
    "movestogo",
    "movetime",
    "depth",
    "nodes",
    "win",
    "infinite",
    "ponder",
    "searchmoves",
];

/// A later mention of the same limit replaces an earlier one, an unreadable one does not.
fn replace<T>(limit: &mut Option<T>, new: Option<T>) {
    if new.is_some() {
        *limit = new;
    }
}

fn clamp(number: u64) -> u32 {
    u32::try_from(number).unwrap_or(u32::MAX)
}

/// A whole number in decimal; below zero counts as zero, and what is too large as the largest.
fn saturating_number(word: &str) -> Option<u64> {
    let digits = word.strip_prefix(['-', '+']).unwrap_or(word);
    if digits.is_empty() || !digits.bytes().all(|b| b.is_ascii_digit()) {
        return None;
    }
    Some(if word.starts_with('-') { 0 } else { digits.parse().unwrap_or(u64::MAX) })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn go(line: &str) -> Go {
        match Command::parse(line) {
            Ok(Some(Command::Go(go))) => *go,
            other => panic!("{line}: {other:?}"),
        }
    }

    #[test]
    fn limits_come_in_any_order_and_the_last_one_counts() {
        let expected = Go {
            time: [Some(Duration::from_millis(1000)), Some(Duration::ZERO)],
            increment: [None, Some(Duration::from_millis(10))],
            depth: Some(7),
            nodes: Some(u64::MAX),
            infinite: true,
            search_moves: vec!["a1b1".to_string(), "x".to_string()],
            ..Go::default()
        };
        assert_eq!(
            go(
                "go depth 3 searchmoves a1b1 x btime -8 infinite nodes 99999999999999999999 binc 10 p1time 1000 depth 7"
            ),
            expected
        );
    }

    #[test]
    fn what_cannot_be_read_is_kept_for_the_answer_and_changes_no_limit() {
        let go = go("go depth 5 depth five depth 0 nodes movetime 3 quickly winc movestogo -1");
        let unknown = ["depth five", "depth 0", "nodes", "quickly", "winc", "movestogo -1"];
        assert_eq!(go.unknown, unknown);
        assert_eq!(go.moves_to_go, None);
        assert_eq!((go.depth, go.nodes), (Some(5), None));
        assert_eq!(go.move_time, Some(Duration::from_millis(3)));
    }

    #[test]
    fn numbers_saturate() {
        for (word, number) in [
            ("0", Some(0)),
            ("+5", Some(5)),
            ("-5", Some(0)),
            ("007", Some(7)),
            ("18446744073709551615", Some(u64::MAX)),
            ("18446744073709551616", Some(u64::MAX)),
            ("", None),
            ("-", None),
            ("--1", None),
            ("1.0", None),
            ("1e3", None),
        ] {
            assert_eq!(saturating_number(word), number, "{word}");
        }
    }

    #[test]
    fn names_and_values_of_options_may_have_spaces() {
        let option = |name: &str, value: &str| {
            Ok(Some(Command::SetOption { name: name.to_string(), value: value.to_string() }))
        };
        let parse = Command::parse;
        assert_eq!(parse("setoption name Clear  Hash"), option("Clear Hash", ""));
        assert_eq!(
            parse("setoption name Log File value a value b"),
            option("Log File", "a value b")
        );
    }

    #[test]
    fn a_word_is_repeated_in_one_short_line() {
        assert_eq!(shorten("a\u{7}b"), r"a\u{7}b");
        assert_eq!(shorten(&"é".repeat(40)), "é".repeat(40));
        assert_eq!(shorten(&"é".repeat(41)), "é".repeat(40) + "... (41 characters)");
    }
}
