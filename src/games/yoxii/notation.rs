//! Yoxii as text: positions `BOARD SIDE`, moves `d5e6c`, and a drawing for the terminal.

use std::fmt::Write;

use super::position::{Move, NEIGHBOURS, SIZE, STRIDE, SUPPLY, on_board};
use super::{Player, Yoxii};
use crate::error::{MoveError, PositionError};
use crate::game::bits::{bit, parse_square, square_name};
use crate::game::board::BoardFormat;
use crate::game::{Game, Notation};

/// Ranks are lists of the squares that exist, so their width varies.
const fn width(rank: usize) -> usize {
    SIZE - 2 * first_file(rank)
}

/// The lowest file of a rank.
const fn first_file(rank: usize) -> usize {
    rank.abs_diff(3).saturating_sub(1)
}

const FORMAT: BoardFormat<SIZE> = BoardFormat {
    widths: {
        let mut widths = [0; SIZE];
        let mut rank = 0;
        while rank < SIZE {
            widths[rank] = width(rank);
            rank += 1;
        }
        widths
    },
    sides: ['w', 'r'],
};

impl Notation for Yoxii {
    const NAME: &'static str = "yoxii";
    const TITLE: &'static str = "Yoxii";
    const PLAYERS: [&'static str; 2] = ["White", "Red"];

    fn parse(text: &str) -> Result<Self, PositionError> {
        parse_position(text)
    }

    fn notation(&self) -> String {
        let mut text = String::with_capacity(48);
        for rank in (0..SIZE).rev() {
            for file in first_file(rank)..first_file(rank) + width(rank) {
                text.push(self.symbol(rank * STRIDE + file));
            }
            text.push(if rank > 0 { '/' } else { ' ' });
        }
        text.push(FORMAT.side_letter(self.side));
        text
    }

    fn parse_move(&self, text: &str) -> Result<Move, MoveError> {
        let syntax = || MoveError::Syntax {
            text: text.to_string(),
            expected: "the totem's new square, the square of the piece and its value a to d, \
                       such as d5e6c",
        };
        let square = |name| match parse_square(name) {
            Some((file, rank)) if on_board(file, rank) => Ok(rank * STRIDE + file),
            _ => Err(syntax()),
        };
        let &[t0, t1, s0, s1, value @ b'a'..=b'd'] = text.as_bytes() else {
            return Err(syntax());
        };
        let value = (value - b'a') as usize + 1;
        let mv = Move::new(square(&[t0, t1])?, square(&[s0, s1])?, value);
        match self.objection(mv) {
            None => Ok(mv),
            Some(reason) => Err(MoveError::Illegal { text: text.to_string(), reason }),
        }
    }

    fn move_text(mv: Move) -> String {
        let value = (b'a' + mv.value() as u8 - 1) as char;
        format!("{}{}{value}", name(mv.totem()), name(mv.square()))
    }

    fn describe_move(&self, mv: Move) -> String {
        format!(
            "{} moves the totem from {} to {} and puts a {} on {}",
            Self::PLAYERS[self.side.index()],
            name(self.totem()),
            name(mv.totem()),
            mv.value(),
            name(mv.square()),
        )
    }

    fn draw(&self) -> String {
        let mut text = String::new();
        for rank in (0..=SIZE).rev() {
            // The line between this rank and the one above spans the wider of the two.
            let widest = (if rank < SIZE { width(rank) } else { 0 }).max(if rank > 0 {
                width(rank - 1)
            } else {
                0
            });
            let indent = " ".repeat(4 + 4 * ((SIZE - widest) / 2));
            let _ = writeln!(text, "{indent}+{}", "---+".repeat(widest));
            if rank == 0 {
                break;
            }
            let rank = rank - 1;
            let indent = " ".repeat(4 * first_file(rank));
            let _ = write!(text, "  {} {indent}|", rank + 1);
            for file in first_file(rank)..first_file(rank) + width(rank) {
                let symbol = self.symbol(rank * STRIDE + file);
                let _ = write!(text, " {} |", if symbol == '.' { ' ' } else { symbol });
            }
            text.push('\n');
        }
        text += "    ";
        for file in 0..SIZE {
            let _ = write!(text, "  {} ", (b'a' + file as u8) as char);
        }
        text.truncate(text.trim_end().len());
        text += "\n\n";
        let around = NEIGHBOURS[self.totem()];
        for (player, letters) in [(Player::One, "A B C D"), (Player::Two, "a b c d")] {
            let [one, two, three, four] = self.hand(player);
            let _ = writeln!(
                text,
                "  {:<5} ({letters} = 1 2 3 4)  {:>2} points from {} next to the totem, \
                 in hand {one} x 1, {two} x 2, {three} x 3, {four} x 4",
                Self::PLAYERS[player.index()],
                self.sum(player, around),
                (self.pieces(player) & around).count_ones(),
            );
        }
        let side = Self::PLAYERS[self.side.index()];
        text += &match self.count_moves() {
            0 => format!(
                "  {side} cannot move the totem * on {}: the game is over\n",
                name(self.totem())
            ),
            1 => {
                format!("  {side} to move the totem * from {}, 1 legal move\n", name(self.totem()))
            }
            n => format!(
                "  {side} to move the totem * from {}, {n} legal moves\n",
                name(self.totem())
            ),
        };
        text
    }
}

impl Yoxii {
    /// What the notation shows of a square.
    fn symbol(&self, square: usize) -> char {
        match self.value_on(square) {
            0 if square == self.totem() => '*',
            0 => '.',
            value => {
                let white = self.pieces(Player::One) & bit(square) != 0;
                letter(if white { Player::One } else { Player::Two }, value)
            }
        }
    }

    /// Why a move is not legal; `None` when it is.
    fn objection(&self, mv: Move) -> Option<String> {
        let side = Self::PLAYERS[self.side.index()];
        let (totem, square) = (name(mv.totem()), name(mv.square()));
        if self.is_legal(mv) {
            None
        } else if self.is_over() {
            Some("the game is over".to_string())
        } else if self.landings(self.side) & bit(mv.totem()) == 0 {
            Some(format!("{side} cannot move the totem from {} to {totem}", name(self.totem())))
        } else if self.hand(self.side)[mv.value() - 1] == 0 {
            Some(format!("{side} has no piece of value {} left", mv.value()))
        } else if mv.square() == mv.totem() {
            Some(format!("the totem itself stands on {square}"))
        } else if self.empty_squares() & bit(mv.square()) == 0 {
            Some(format!("{square} is not empty"))
        } else {
            Some(format!("{square} is not next to {totem}, which still has an empty neighbour"))
        }
    }
}

fn name(square: usize) -> String {
    square_name(square % STRIDE, square / STRIDE)
}

/// The letter of a piece: `A` to `D` for White, `a` to `d` for Red.
fn letter(player: Player, value: usize) -> char {
    ([b'A', b'a'][player.index()] + value as u8 - 1) as char
}

/// What stands on a square.
#[derive(Clone, Copy)]
enum Square {
    Empty,
    Totem,
    Piece(Player, usize),
}

fn parse_position(text: &str) -> Result<Yoxii, PositionError> {
    let (ranks, side) = FORMAT.parse(text, parse_rank)?;
    let mut totems = Vec::new();
    let mut pieces = Vec::new();
    for (rank, squares) in ranks.into_iter().enumerate() {
        for (file, found) in (first_file(rank)..).zip(squares) {
            let square = rank * STRIDE + file;
            match found {
                Square::Empty => {}
                Square::Totem => totems.push(square),
                Square::Piece(player, value) => pieces.push((player, square, value)),
            }
        }
    }
    let &[totem] = totems.as_slice() else {
        return Err(PositionError::Totem { found: totems.len() });
    };
    check_supply(&pieces, side)?;
    let mut position = Yoxii::empty(totem, side);
    for (player, square, value) in pieces {
        position.place(player, square, value);
    }
    Ok(position)
}

/// The squares of one rank, as many as the text has.
fn parse_rank(rank: usize, text: &str) -> Result<Vec<Square>, PositionError> {
    let square = |(i, found): (usize, char)| match found {
        '.' => Ok(Square::Empty),
        '*' => Ok(Square::Totem),
        'A'..='D' => Ok(Square::Piece(Player::One, found as usize - 'A' as usize + 1)),
        'a'..='d' => Ok(Square::Piece(Player::Two, found as usize - 'a' as usize + 1)),
        _ => Err(PositionError::Character {
            rank: rank + 1,
            text: text.to_string(),
            found,
            column: i + 1,
            expected: "'.', the totem '*' or a piece A B C D a b c d",
        }),
    };
    text.chars().enumerate().map(square).collect()
}

/// No more pieces of a kind than exist, and numbers that fit the side to move.
fn check_supply(pieces: &[(Player, usize, usize)], side: Player) -> Result<(), PositionError> {
    for player in [Player::One, Player::Two] {
        for value in 1..=4 {
            let found = pieces.iter().filter(|p| p.0 == player && p.2 == value).count();
            let most = SUPPLY[value - 1] as usize;
            if found > most {
                return Err(PositionError::TooMany { piece: letter(player, value), found, most });
            }
        }
    }
    let white = pieces.iter().filter(|p| p.0 == Player::One).count();
    let red = pieces.len() - white;
    if white != red + side.index() {
        return Err(PositionError::Balance {
            white,
            red,
            side: Yoxii::PLAYERS[side.index()],
            expected: match side {
                Player::One => "as many White pieces as Red ones",
                Player::Two => "one White piece more than Red ones",
            },
        });
    }
    Ok(())
}
