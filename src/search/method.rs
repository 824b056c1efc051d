//! The ways of searching, by name.

use std::fmt;
use std::str::FromStr;

use super::alphabeta::AlphaBeta;
use super::mcts::Mcts;
use super::{OutOfMemory, Searcher};
use crate::game::Playable;

/// A way of searching.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Method {
    /// The strongest one for the game.
    #[default]
    Auto,
    /// [`AlphaBeta`].
    AlphaBeta,
    /// [`Mcts`].
    Mcts,
}

impl Method {
    /// All of them, the default first.
    pub const ALL: [Self; 3] = [Self::Auto, Self::AlphaBeta, Self::Mcts];

    /// The name as it is written in the protocol.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Auto => "auto",
            Self::AlphaBeta => "alphabeta",
            Self::Mcts => "mcts",
        }
    }

    /// A searcher with a table of this many MiB and this many threads.
    ///
    /// # Errors
    /// When the memory for the table cannot be had.
    pub fn searcher<G: Playable>(
        self,
        mebibytes: usize,
        threads: usize,
    ) -> Result<Box<dyn Searcher<G>>, OutOfMemory> {
        match self {
            Self::Auto | Self::AlphaBeta => Ok(Box::new(AlphaBeta::new(mebibytes, threads)?)),
            Self::Mcts => Ok(Box::new(Mcts::new(mebibytes, threads)?)),
        }
    }
}

impl fmt::Display for Method {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// A word that names no way of searching.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("unknown search '{word}', expected {}", Method::ALL.map(Method::as_str).join(" or "))]
pub struct UnknownMethod {
    /// The word.
    pub word: String,
}

impl FromStr for Method {
    type Err = UnknownMethod;

    /// Reads a name in upper or lower case.
    fn from_str(word: &str) -> Result<Self, UnknownMethod> {
        Self::ALL
            .into_iter()
            .find(|method| method.as_str().eq_ignore_ascii_case(word))
            .ok_or_else(|| UnknownMethod { word: word.to_string() })
    }
}
