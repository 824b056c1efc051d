//! Hokito as text: positions `BOARD SIDE`, moves `a1c3`, and a drawing for the terminal.

use std::fmt::Write;

use super::position::{Move, PIECES_OF_A_KIND, Pile, SIZE, SQUARES};
use super::{Hokito, Player};
use crate::error::{MoveError, PositionError};
use crate::game::bits::{bit, parse_square, square_name};
use crate::game::board::BoardFormat;
use crate::game::{Game, Notation};

const START: &str = "CBACBA/ACBACB/BACBAC/cabcab/bcabca/abcabc b";

const FORMAT: BoardFormat<SIZE> = BoardFormat { widths: [SIZE; SIZE], sides: ['b', 'w'] };

pub(super) fn start() -> Hokito {
    parse_position(START).expect("the start position is a valid constant")
}

impl Notation for Hokito {
    const NAME: &'static str = "hokito";
    const TITLE: &'static str = "Hokito";
    const PLAYERS: [&'static str; 2] = ["Black", "White"];

    fn parse(text: &str) -> Result<Self, PositionError> {
        parse_position(text)
    }

    fn notation(&self) -> String {
        let mut text = String::with_capacity(48);
        for rank in (0..SIZE).rev() {
            for file in 0..SIZE {
                push_pile(&mut text, self.pile(rank * SIZE + file));
            }
            text.push(if rank > 0 { '/' } else { ' ' });
        }
        text.push(FORMAT.side_letter(self.side));
        text
    }

    fn parse_move(&self, text: &str) -> Result<Move, MoveError> {
        let syntax = || MoveError::Syntax {
            text: text.to_string(),
            expected: "from-square and to-square on a1 to f6, such as a1c3",
        };
        let square = |name| match parse_square(name) {
            Some((file, rank)) if file < SIZE && rank < SIZE => Ok(rank * SIZE + file),
            _ => Err(syntax()),
        };
        let bytes = text.as_bytes();
        if bytes.len() != 4 {
            return Err(syntax());
        }
        let mv = Move::new(square(&bytes[..2])?, square(&bytes[2..])?);
        match self.objection(mv) {
            None => Ok(mv),
            Some(reason) => Err(MoveError::Illegal { text: text.to_string(), reason }),
        }
    }

    fn move_text(mv: Move) -> String {
        name(mv.from_square()) + &name(mv.to_square())
    }

    fn describe_move(&self, mv: Move) -> String {
        let (pile, target) = (self.pile(mv.from_square()), self.pile(mv.to_square()));
        format!(
            "{} moves the {} from {} onto the {} on {}",
            Self::PLAYERS[pile.owner as usize],
            words(pile),
            name(mv.from_square()),
            words(target),
            name(mv.to_square()),
        )
    }

    fn draw(&self) -> String {
        let mut text = String::new();
        let edge = format!("    +{}\n", "-----+".repeat(SIZE));
        text += &edge;
        for rank in (0..SIZE).rev() {
            let _ = write!(text, "  {} |", rank + 1);
            for file in 0..SIZE {
                let mut cell = String::new();
                push_pile(&mut cell, self.pile(rank * SIZE + file));
                let _ = write!(text, "{:>4} |", if cell == "." { "" } else { &cell });
            }
            text.push('\n');
            text += &edge;
        }
        text += "    ";
        for file in 0..SIZE {
            let _ = write!(text, "{:>4}  ", (b'a' + file as u8) as char);
        }
        text.truncate(text.trim_end().len());
        let [black, white] = self.points();
        let _ = write!(
            text,
            "\n\n  Black (a b c = 1 2 3)  {black:>3} points, {:>2} piles\n  \
             White (A B C = 1 2 3)  {white:>3} points, {:>2} piles\n",
            self.owned(Player::One).count_ones(),
            self.owned(Player::Two).count_ones(),
        );
        let side = Self::PLAYERS[self.side.index()];
        text += &match self.count_moves() {
            0 => format!("  {side} cannot move: the game is over\n"),
            1 => format!("  {side} to move, 1 legal move\n"),
            moves => format!("  {side} to move, {moves} legal moves\n"),
        };
        text
    }
}

impl Hokito {
    /// Why a move is not legal; `None` when it is.
    fn objection(&self, mv: Move) -> Option<String> {
        let (from, to) = (mv.from_square(), mv.to_square());
        let (pile, target) = (self.pile(from), self.pile(to));
        let kind = |pile: Pile| if pile.height > 1 { "a stack" } else { "a single piece" };
        if self.targets(from) & bit(to) != 0 {
            None
        } else if self.is_over() {
            Some("the game is over".to_string())
        } else if pile.height == 0 {
            Some(format!("{} is empty", name(from)))
        } else if pile.owner as usize != self.side.index() {
            Some(format!(
                "the pile on {} is not {}'s, who is to move",
                name(from),
                Self::PLAYERS[self.side.index()]
            ))
        } else if target.height == 0 {
            Some(format!("{} is empty", name(to)))
        } else if (target.height > 1) != (pile.height > 1) {
            Some(format!("{} cannot land on {}", kind(pile), kind(target)))
        } else {
            Some(format!(
                "no path of {} {} leads from {} to {}",
                pile.value,
                if pile.value == 1 { "hop" } else { "hops" },
                name(from),
                name(to)
            ))
        }
    }
}

fn name(square: usize) -> String {
    square_name(square % SIZE, square / SIZE)
}

/// The letter of a top: `a` to `c` for Black, `A` to `C` for White.
fn letter(owner: u8, value: u8) -> char {
    ([b'a', b'A'][owner as usize] + value - 1) as char
}

fn push_pile(text: &mut String, pile: Pile) {
    if pile.height > 1 {
        text.push_str(&pile.height.to_string());
    }
    text.push(if pile.height == 0 { '.' } else { letter(pile.owner, pile.value) });
}

fn words(pile: Pile) -> String {
    let colour = ["black", "white"][pile.owner as usize];
    match pile.height {
        1 => format!("{colour} {}", pile.value),
        height => format!("stack of {height} with a {colour} {} on top", pile.value),
    }
}

fn parse_position(text: &str) -> Result<Hokito, PositionError> {
    let (ranks, side) = FORMAT.parse(text, |rank, text| parse_rank(rank + 1, text))?;
    let mut piles = [Pile::EMPTY; SQUARES];
    for (place, pile) in piles.iter_mut().zip(ranks.into_iter().flatten()) {
        *place = pile;
    }
    check_supply(&piles)?;
    Ok(Hokito::from_piles(piles, side))
}

/// The squares of one rank, as many as the text has.
fn parse_rank(rank: usize, text: &str) -> Result<Vec<Pile>, PositionError> {
    let mut squares = Vec::with_capacity(SIZE);
    let mut digits = String::new();
    for (i, found) in text.chars().enumerate() {
        let pile = match found {
            '0'..='9' => {
                digits.push(found);
                continue;
            }
            'a'..='c' => Pile { height: 1, value: found as u8 - b'a' + 1, owner: 0 },
            'A'..='C' => Pile { height: 1, value: found as u8 - b'A' + 1, owner: 1 },
            '.' if digits.is_empty() => Pile::EMPTY,
            _ => {
                return Err(PositionError::Character {
                    rank,
                    text: text.to_string(),
                    found,
                    column: i + 1,
                    expected: if digits.is_empty() {
                        "'.', a pile a b c A B C, or its height"
                    } else {
                        "a pile a b c A B C behind its height"
                    },
                });
            }
        };
        if digits.is_empty() {
            squares.push(pile);
            continue;
        }
        match digits.parse() {
            Ok(height @ 2..=36) if !digits.starts_with('0') => {
                squares.push(Pile { height, ..pile })
            }
            _ => {
                let column = i + 1 - digits.len();
                let text = text.to_string();
                return Err(PositionError::Height { rank, text, height: digits, column });
            }
        }
        digits.clear();
    }
    if !digits.is_empty() {
        let column = text.chars().count() + 1 - digits.len();
        return Err(PositionError::Height { rank, text: text.to_string(), height: digits, column });
    }
    Ok(squares)
}

/// All 36 pieces are somewhere, and no more tops of a kind are seen than there are pieces.
fn check_supply(piles: &[Pile; SQUARES]) -> Result<(), PositionError> {
    for (owner, value) in (0..2).flat_map(|owner| (1..=3).map(move |value| (owner, value))) {
        let found = piles.iter().filter(|p| p.owner == owner && p.value == value).count();
        if found > PIECES_OF_A_KIND {
            let piece = letter(owner, value);
            return Err(PositionError::TooMany { piece, found, most: PIECES_OF_A_KIND });
        }
    }
    let found = piles.iter().map(|pile| pile.height as usize).sum();
    if found != SQUARES {
        return Err(PositionError::Total { found });
    }
    Ok(())
}
