//! The games, and the one place where the name of a game becomes a type.

pub mod hokito;
pub mod yoxii;

use std::fmt;
use std::str::FromStr;

use thiserror::Error;

use crate::game::{Features, Notation, Playable};

/// Something that is done for whichever game was named.
pub trait ForGame {
    /// What comes of it.
    type Output;
    /// Does it for the game `G`.
    fn run<G: Playable + Features>(self) -> Self::Output;
}

macro_rules! register {
    ($($(#[$meta:meta])* $variant:ident = $game:ty),+ $(,)?) => {
        /// A game by name.
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
        pub enum GameName {
            $(
                $(#[$meta])*
                #[doc = concat!("The game [`", stringify!($game), "`].")]
                $variant,
            )+
        }

        impl GameName {
            /// All games, the default first.
            pub const ALL: &'static [Self] = &[$(Self::$variant),+];

            /// The name as it is written on the command line and in the protocol.
            #[must_use]
            pub const fn as_str(self) -> &'static str {
                match self {
                    $(Self::$variant => <$game as Notation>::NAME,)+
                }
            }

            /// Does something for the game of this name.
            pub fn dispatch<V: ForGame>(self, visitor: V) -> V::Output {
                match self {
                    $(Self::$variant => visitor.run::<$game>(),)+
                }
            }
        }
    };
}

register! {
    #[default]
    Hokito = hokito::Hokito,
    Yoxii = yoxii::Yoxii,
}

impl fmt::Display for GameName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// A word that names no game.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("unknown game '{word}', expected {}", GameName::ALL.iter().map(|g| g.as_str()).collect::<Vec<_>>().join(" or "))]
pub struct UnknownGame {
    /// The word.
    pub word: String,
}

impl FromStr for GameName {
    type Err = UnknownGame;

    /// Reads a name in upper or lower case.
    fn from_str(word: &str) -> Result<Self, UnknownGame> {
        Self::ALL
            .iter()
            .copied()
            .find(|game| game.as_str().eq_ignore_ascii_case(word))
            .ok_or_else(|| UnknownGame { word: word.to_string() })
    }
}
