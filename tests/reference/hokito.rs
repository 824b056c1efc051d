use std::collections::BTreeMap;

use cairn::game::{Outcome, Player};
use cairn::games::hokito::Hokito;
use cairn::maps::{HashMap, HashSet};

use super::{Reference, Square, name};

/// The letter of the top and the height.
type Board = BTreeMap<Square, (char, usize)>;

const LETTERS: [&str; 2] = ["abc", "ABC"];

fn read(position: &str) -> (Board, usize) {
    let (board, side) = position.split_once(' ').unwrap();
    let mut piles = Board::new();
    for (rank, text) in (0..6).rev().zip(board.split('/')) {
        let (mut file, mut height) = (0, 0);
        for symbol in text.chars() {
            if let Some(digit) = symbol.to_digit(10) {
                height = 10 * height + digit as usize;
                continue;
            }
            if symbol != '.' {
                piles.insert((file, rank), (symbol, height.max(1)));
            }
            (file, height) = (file + 1, 0);
        }
    }
    (piles, usize::from(side == "w"))
}

fn write(piles: &Board, side: usize) -> String {
    let rank = |rank| {
        let square = |file| match piles.get(&(file, rank)) {
            None => ".".to_string(),
            Some((top, 1)) => top.to_string(),
            Some((top, height)) => format!("{height}{top}"),
        };
        (0..6).map(square).collect::<String>()
    };
    let ranks: Vec<String> = (0..6).rev().map(rank).collect();
    format!("{} {}", ranks.join("/"), ["b", "w"][side])
}

fn value(top: char) -> i32 {
    top.to_ascii_lowercase() as i32 - 'a' as i32 + 1
}

fn owner(top: char) -> usize {
    usize::from(top.is_uppercase())
}

/// Walks on from a square and collects where the walk can end. The pile in the hand is no longer on
/// the board. That no square is crossed twice is a rule of the published game; here it is checked
/// to follow from the others.
fn walk(board: &Board, path: &[Square], back: Square, hops: i32, ends: &mut HashSet<Square>) {
    let &square = path.last().unwrap();
    if hops == 0 {
        ends.insert(square);
        return;
    }
    for (dx, dy) in [(0, 1), (1, 0), (0, -1), (-1, 0)] {
        if (dx, dy) == back {
            continue;
        }
        let mut path = path.to_vec();
        let mut next = square;
        loop {
            next = (next.0 + dx, next.1 + dy);
            if !(0..6).contains(&next.0) || !(0..6).contains(&next.1) {
                break;
            }
            assert!(!path.contains(&next), "a path crosses itself on {}", name(next));
            path.push(next);
            if board.contains_key(&next) {
                walk(board, &path, (-dx, -dy), hops - 1, ends);
                break;
            }
        }
    }
}

impl Reference for Hokito {
    const MOST_MOVES: usize = 306;

    fn reference_moves(position: &str) -> HashMap<String, String> {
        let (board, side) = read(position);
        let mut moves = HashMap::default();
        for (&from, &(top, height)) in &board {
            if owner(top) != side {
                continue;
            }
            let mut without = board.clone();
            without.remove(&from);
            let mut ends = HashSet::default();
            walk(&without, &[from], (0, 0), value(top), &mut ends);
            for to in ends {
                let (_, below) = without[&to];
                if (height > 1) == (below > 1) {
                    let mut next = without.clone();
                    next.insert(to, (top, height + below));
                    moves.insert(name(from) + &name(to), write(&next, 1 - side));
                }
            }
        }
        moves
    }

    fn reference_result(position: &str) -> ([i32; 2], Outcome) {
        let mut points = [0, 0];
        for (top, height) in read(position).0.into_values() {
            points[owner(top)] += value(top) * height as i32;
        }
        let [black, white] = points;
        let winner = match () {
            () if black > white => Some(Player::One),
            () if black < white => Some(Player::Two),
            () => None,
        };
        (points, Outcome { winner, margin: black - white })
    }

    fn reference_swap(position: &str) -> Option<String> {
        let (board, side) = read(position);
        let swap = |top: char| {
            let kind = LETTERS[owner(top)].find(top).unwrap();
            LETTERS[1 - owner(top)].as_bytes()[kind] as char
        };
        let swapped = board.into_iter().map(|(s, (top, height))| (s, (swap(top), height)));
        Some(write(&swapped.collect(), 1 - side))
    }
}
