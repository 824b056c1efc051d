//! Reading positions written as `BOARD SIDE`: what the notations of all games have in common.

use super::Player;
use crate::error::PositionError;

/// The form of a board and of the side to move in a game's notation.
#[derive(Clone, Copy, Debug)]
pub struct BoardFormat<const RANKS: usize> {
    /// Squares of each rank, the lowest rank first.
    pub widths: [usize; RANKS],
    /// The letters of player one and player two behind the board.
    pub sides: [char; 2],
}

impl<const RANKS: usize> BoardFormat<RANKS> {
    /// Takes a position apart into the ranks of its board, the lowest first, and the side to move.
    /// `parse_rank` is given the index of a rank, from 0, and its text, and returns a value for
    /// every square that the text has.
    ///
    /// # Errors
    /// When there are more or fewer fields, ranks or squares than the board has, when the side is
    /// neither of the two letters, and whatever `parse_rank` finds.
    pub fn parse<S>(
        &self,
        text: &str,
        parse_rank: impl Fn(usize, &str) -> Result<Vec<S>, PositionError>,
    ) -> Result<([Vec<S>; RANKS], Player), PositionError> {
        let fields: Vec<&str> = text.split_whitespace().collect();
        let &[board, side] = fields.as_slice() else {
            return Err(PositionError::Fields { found: fields.len() });
        };
        let texts: Vec<&str> = board.split('/').collect();
        if texts.len() != RANKS {
            return Err(PositionError::Ranks { expected: RANKS, found: texts.len() });
        }
        let mut ranks = [const { Vec::new() }; RANKS];
        for (rank, text) in (0..RANKS).rev().zip(texts) {
            let squares = parse_rank(rank, text)?;
            if squares.len() != self.widths[rank] {
                return Err(PositionError::Width {
                    rank: rank + 1,
                    text: text.to_string(),
                    expected: self.widths[rank],
                    found: squares.len(),
                });
            }
            ranks[rank] = squares;
        }
        Ok((ranks, self.parse_side(side)?))
    }

    fn parse_side(&self, word: &str) -> Result<Player, PositionError> {
        let [one, two] = self.sides;
        let mut letters = word.chars();
        match (letters.next(), letters.next()) {
            (Some(letter), None) if letter == one => Ok(Player::One),
            (Some(letter), None) if letter == two => Ok(Player::Two),
            _ => Err(PositionError::Side { found: word.to_string(), expected: self.sides }),
        }
    }

    /// The letter of the side to move.
    #[must_use]
    pub const fn side_letter(&self, side: Player) -> char {
        self.sides[side.index()]
    }
}
