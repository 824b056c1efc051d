//! Errors of the two small grammars that every game has: positions and moves.
//!
//! Each names the offending word or place and what was expected there.

use thiserror::Error;

/// Why a text is not a position.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum PositionError {
    /// The text does not have exactly the two fields.
    #[error("expected two fields, BOARD and SIDE, found {found}")]
    Fields {
        /// Number of words found.
        found: usize,
    },
    /// The board has the wrong number of ranks.
    #[error("expected {expected} ranks separated by '/', found {found}")]
    Ranks {
        /// Ranks of the board.
        expected: usize,
        /// Ranks in the text.
        found: usize,
    },
    /// A rank has the wrong number of squares.
    #[error("rank {rank} '{text}': expected {expected} squares, found {found}")]
    Width {
        /// The rank as players count, from 1.
        rank: usize,
        /// The text of the rank.
        text: String,
        /// Squares of that rank on the board.
        expected: usize,
        /// Squares in the text.
        found: usize,
    },
    /// A character that means nothing on a board.
    #[error(
        "rank {rank} '{text}': unexpected '{found}' at character {column}, expected {expected}"
    )]
    Character {
        /// The rank as players count, from 1.
        rank: usize,
        /// The text of the rank.
        text: String,
        /// The character.
        found: char,
        /// Its place in the rank, from 1.
        column: usize,
        /// What may stand there.
        expected: &'static str,
    },
    /// A pile height that is not written as the notation demands.
    #[error(
        "rank {rank} '{text}': height '{height}' at character {column}, expected no number or \
         2 to 36 in front of a pile"
    )]
    Height {
        /// The rank as players count, from 1.
        rank: usize,
        /// The text of the rank.
        text: String,
        /// The digits found.
        height: String,
        /// Where they start, from 1.
        column: usize,
    },
    /// The side to move is not one of the two letters.
    #[error("side to move '{found}': expected '{}' or '{}'", expected[0], expected[1])]
    Side {
        /// The word found.
        found: String,
        /// The two letters.
        expected: [char; 2],
    },
    /// More of one kind of piece than the game has.
    #[error("{found} pieces '{piece}' on the board, at most {most} exist")]
    TooMany {
        /// The letter of the piece.
        piece: char,
        /// How many there are on the board.
        found: usize,
        /// How many the game has.
        most: usize,
    },
    /// The piles of a Hokito board do not add up.
    #[error("the heights of all piles add up to {found}, expected 36")]
    Total {
        /// The sum found.
        found: usize,
    },
    /// Not exactly one totem on a Yoxii board.
    #[error("{found} totems '*' on the board, expected 1")]
    Totem {
        /// How many were found.
        found: usize,
    },
    /// The numbers of pieces on a Yoxii board do not fit the side to move.
    #[error("{white} White and {red} Red pieces with {side} to move, expected {expected}")]
    Balance {
        /// White pieces on the board.
        white: usize,
        /// Red pieces on the board.
        red: usize,
        /// The name of the side to move.
        side: &'static str,
        /// The relation that must hold.
        expected: &'static str,
    },
}

/// Why a text is not a legal move of a position.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum MoveError {
    /// Not of the form of a move.
    #[error("'{text}' is not a move, expected {expected}")]
    Syntax {
        /// The text.
        text: String,
        /// The form of a move, with an example.
        expected: &'static str,
    },
    /// A well-formed move that the rules do not allow in this position.
    #[error("move '{text}' is not legal here: {reason}")]
    Illegal {
        /// The text.
        text: String,
        /// The first rule that it breaks.
        reason: String,
    },
}
