//! The options: their declarations, and what `setoption` makes of a name and a value.

use std::fmt::Display;
use std::ops::RangeInclusive;
use std::path::PathBuf;
use std::time::Duration;

use thiserror::Error;

use super::command::shorten;
use crate::games::GameName;
use crate::search::level::ELO;
use crate::search::method::Method;
use crate::search::threads::useful;

/// The options that keep a value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Options {
    /// `Game`.
    pub game: GameName,
    /// `Hash`: size of the table in MiB.
    pub hash: usize,
    /// `Threads`.
    pub threads: usize,
    /// `MultiPV`: how many best moves to show.
    pub multi_pv: usize,
    /// `MultiPVFold`: whether moves that are images of each other count as one then.
    pub multi_pv_fold: bool,
    /// `Ponder`: a declaration of the user's; `go ponder` works in any case.
    pub ponder: bool,
    /// `Move Overhead`: kept back from every time for the way to the runner.
    pub move_overhead: Duration,
    /// `Search`.
    pub search: Method,
    /// `ShowWDL`: whether `info` tells the chances to win, draw and lose.
    pub show_wdl: bool,
    /// `LimitStrength`: whether to play at the level of `elo`.
    pub limit_strength: bool,
    /// `Elo`, within [`ELO`].
    pub elo: usize,
}

impl Options {
    /// As many threads as `threads` asks for, but no more than are worth having.
    pub fn threads_to_start(&self) -> usize {
        useful(self.threads)
    }
}

impl Default for Options {
    fn default() -> Self {
        Self {
            game: GameName::default(),
            hash: 64,
            threads: 1,
            multi_pv: 1,
            multi_pv_fold: false,
            ponder: false,
            move_overhead: Duration::from_millis(10),
            search: Method::default(),
            show_wdl: false,
            limit_strength: false,
            elo: *ELO.end(),
        }
    }
}

const HASH: RangeInclusive<usize> = 1..=65_536;
const THREADS: RangeInclusive<usize> = 1..=1024;
const MULTI_PV: RangeInclusive<usize> = 1..=256;
const MOVE_OVERHEAD: RangeInclusive<usize> = 0..=5000;

/// A `setoption` that was understood.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Setting {
    /// `Game`.
    Game(GameName),
    /// `Hash`, in MiB.
    Hash(usize),
    /// `Threads`.
    Threads(usize),
    /// `MultiPV`.
    MultiPv(usize),
    /// `MultiPVFold`.
    MultiPvFold(bool),
    /// `Ponder`.
    Ponder(bool),
    /// `Move Overhead`.
    MoveOverhead(Duration),
    /// `Search`.
    Search(Method),
    /// `ShowWDL`.
    ShowWdl(bool),
    /// `LimitStrength`.
    LimitStrength(bool),
    /// `Elo`.
    Elo(usize),
    /// `OwnBook`, which can only be off.
    NoBook,
    /// `Clear Hash`.
    ClearHash,
    /// `Log File`: the file, or none.
    LogFile(Option<PathBuf>),
}

/// Why a `setoption` changed nothing.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum OptionError {
    /// No option has this name.
    #[error("unknown option '{name}', expected one of {}", NAMES.join(", "))]
    Unknown {
        /// The name.
        name: String,
    },
    /// The option cannot have this value.
    #[error("option {name} cannot be '{value}', expected {expected}")]
    Value {
        /// The option.
        name: &'static str,
        /// The value.
        value: String,
        /// What it may be.
        expected: String,
    },
    /// There is no opening book to switch on.
    #[error("option OwnBook cannot be 'true': there is no opening book")]
    NoBook,
}

/// The names as they are declared; in lines that come in, upper and lower case are the same.
const NAMES: [&str; 14] = [
    "Game",
    "Hash",
    "Threads",
    "MultiPV",
    "MultiPVFold",
    "Ponder",
    "Move Overhead",
    "Search",
    "ShowWDL",
    "LimitStrength",
    "Elo",
    "OwnBook",
    "Clear Hash",
    "Log File",
];

impl Setting {
    /// Reads the name and the value of a `setoption`.
    ///
    /// # Errors
    /// Names the option or the value, and what was expected.
    pub fn parse(name: &str, value: &str) -> Result<Self, OptionError> {
        let Some(name) = NAMES.into_iter().find(|known| known.eq_ignore_ascii_case(name)) else {
            return Err(OptionError::Unknown { name: shorten(name) });
        };
        Ok(match name {
            "Game" => Self::Game(choice(name, value, GameName::ALL)?),
            "Hash" => Self::Hash(spin(name, value, HASH)?),
            "Threads" => Self::Threads(spin(name, value, THREADS)?),
            "MultiPV" => Self::MultiPv(spin(name, value, MULTI_PV)?),
            "MultiPVFold" => Self::MultiPvFold(check(name, value)?),
            "Ponder" => Self::Ponder(check(name, value)?),
            "Move Overhead" => {
                let millis = spin(name, value, MOVE_OVERHEAD)?;
                Self::MoveOverhead(Duration::from_millis(millis as u64))
            }
            "Search" => Self::Search(choice(name, value, &Method::ALL)?),
            "ShowWDL" => Self::ShowWdl(check(name, value)?),
            "LimitStrength" => Self::LimitStrength(check(name, value)?),
            "Elo" => Self::Elo(spin(name, value, ELO)?),
            "OwnBook" if check(name, value)? => return Err(OptionError::NoBook),
            "OwnBook" => Self::NoBook,
            "Clear Hash" if value.is_empty() => Self::ClearHash,
            "Clear Hash" => return Err(invalid(name, value, "no value".to_string())),
            _ => Self::LogFile(
                Some(value).filter(|v| !v.is_empty() && *v != "<empty>").map(PathBuf::from),
            ),
        })
    }
}

fn invalid(name: &'static str, value: &str, expected: String) -> OptionError {
    OptionError::Value { name, value: shorten(value), expected }
}

fn spin(
    name: &'static str,
    value: &str,
    range: RangeInclusive<usize>,
) -> Result<usize, OptionError> {
    value.parse().ok().filter(|number| range.contains(number)).ok_or_else(|| {
        invalid(name, value, format!("a whole number from {} to {}", range.start(), range.end()))
    })
}

fn check(name: &'static str, value: &str) -> Result<bool, OptionError> {
    value
        .to_ascii_lowercase()
        .parse()
        .map_err(|_| invalid(name, value, "true or false".to_string()))
}

fn choice<T: Copy + Display>(name: &'static str, value: &str, all: &[T]) -> Result<T, OptionError> {
    all.iter().copied().find(|one| one.to_string().eq_ignore_ascii_case(value)).ok_or_else(|| {
        let names: Vec<String> = all.iter().map(T::to_string).collect();
        invalid(name, value, names.join(" or "))
    })
}

/// The declarations of all options, a line each. The defaults are those of a start with this game.
#[must_use]
pub fn declarations(game: GameName) -> Vec<String> {
    let default = Options { game, ..Options::default() };
    NAMES
        .into_iter()
        .map(|name| {
            let kind = match name {
                "Game" => declare_choice(default.game, GameName::ALL),
                "Hash" => declare_spin(default.hash, HASH),
                "Threads" => declare_spin(default.threads, THREADS),
                "MultiPV" => declare_spin(default.multi_pv, MULTI_PV),
                "MultiPVFold" => declare_check(default.multi_pv_fold),
                "Ponder" => declare_check(default.ponder),
                "Move Overhead" => declare_spin(default.move_overhead.as_millis(), MOVE_OVERHEAD),
                "Search" => declare_choice(default.search, &Method::ALL),
                "ShowWDL" => declare_check(default.show_wdl),
                "LimitStrength" => declare_check(default.limit_strength),
                "Elo" => declare_spin(default.elo, ELO),
                "OwnBook" => declare_check(false),
                "Clear Hash" => "button".to_string(),
                _ => "string default <empty>".to_string(),
            };
            format!("option name {name} type {kind}")
        })
        .collect()
}

fn declare_spin(default: impl Display, range: RangeInclusive<usize>) -> String {
    format!("spin default {default} min {} max {}", range.start(), range.end())
}

fn declare_check(default: bool) -> String {
    format!("check default {default}")
}

fn declare_choice<T: Display>(default: T, all: &[T]) -> String {
    let mut kind = format!("combo default {default}");
    for one in all {
        kind += &format!(" var {one}");
    }
    kind
}
