//! The rules once more, slow and simple: on characters and coordinates, written from the rules and
//! not from the engine, to judge it by.

mod hokito;
mod yoxii;

use cairn::game::{Outcome, Playable};
use cairn::maps::HashMap;

/// A game with a second, independent account of its rules.
pub trait Reference: Playable {
    /// The legal moves of a position and the position after each, all as text.
    fn reference_moves(position: &str) -> HashMap<String, String>;

    /// The points of both players and the result if the game ended there.
    fn reference_result(position: &str) -> ([i32; 2], Outcome);

    /// A position of exchanged colours, as text, where there is one.
    fn reference_swap(position: &str) -> Option<String>;

    /// More moves than this are not possible, as the `moves` module of the game proves.
    const MOST_MOVES: usize;
}

/// A square: file and rank, both from 0.
type Square = (i32, i32);

fn name((file, rank): Square) -> String {
    format!("{}{}", "abcdefg".as_bytes()[file as usize] as char, rank + 1)
}
