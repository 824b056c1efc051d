use std::collections::BTreeMap;

use cairn::game::{Outcome, Player};
use cairn::games::yoxii::Yoxii;
use cairn::maps::HashMap;

use super::{Reference, Square, name};

/// What stands on every square of the board: `.`, `*` or a piece.
type Board = BTreeMap<Square, char>;

const LETTERS: [&str; 2] = ["ABCD", "abcd"];
const AROUND: [Square; 8] = [(0, 1), (1, 1), (1, 0), (1, -1), (0, -1), (-1, -1), (-1, 0), (-1, 1)];

fn files(rank: i32) -> impl Iterator<Item = i32> {
    (0..7).filter(move |file: &i32| (file - 3).abs() + (rank - 3).abs() <= 4)
}

fn read(position: &str) -> (Board, usize) {
    let (board, side) = position.split_once(' ').unwrap();
    let mut squares = Board::new();
    for (rank, text) in (0..7).rev().zip(board.split('/')) {
        squares.extend(files(rank).zip(text.chars()).map(|(file, symbol)| ((file, rank), symbol)));
    }
    (squares, usize::from(side == "r"))
}

fn write(board: &Board, side: usize) -> String {
    let rank = |rank| files(rank).map(|file| board[&(file, rank)]).collect::<String>();
    let ranks: Vec<String> = (0..7).rev().map(rank).collect();
    format!("{} {}", ranks.join("/"), ["w", "r"][side])
}

fn totem(board: &Board) -> Square {
    *board.iter().find(|(_, symbol)| **symbol == '*').unwrap().0
}

fn around((file, rank): Square, board: &Board) -> impl Iterator<Item = (Square, char)> {
    AROUND
        .into_iter()
        .map(move |(dx, dy)| (file + dx, rank + dy))
        .filter_map(|square| board.get(&square).map(|&symbol| (square, symbol)))
}

/// Where the totem can go.
fn landings(board: &Board, side: usize) -> Vec<Square> {
    let (file, rank) = totem(board);
    let mut landings = Vec::new();
    for (dx, dy) in AROUND {
        let mut square = (file + dx, rank + dy);
        while board.get(&square).is_some_and(|&symbol| LETTERS[side].contains(symbol)) {
            square = (square.0 + dx, square.1 + dy);
        }
        if board.get(&square) == Some(&'.') {
            landings.push(square);
        }
    }
    landings
}

impl Reference for Yoxii {
    const MOST_MOVES: usize = 1152;

    fn reference_moves(position: &str) -> HashMap<String, String> {
        let (board, side) = read(position);
        let mut moves = HashMap::default();
        for landing in landings(&board, side) {
            let mut moved = board.clone();
            moved.insert(totem(&board), '.');
            moved.insert(landing, '*');
            let mut places: Vec<Square> =
                around(landing, &moved).filter(|near| near.1 == '.').map(|near| near.0).collect();
            if places.is_empty() {
                places = moved.keys().copied().filter(|square| moved[square] == '.').collect();
            }
            for place in places {
                for (piece, supply) in LETTERS[side].chars().zip([5, 5, 5, 3]) {
                    if board.values().filter(|symbol| **symbol == piece).count() < supply {
                        let mut next = moved.clone();
                        next.insert(place, piece);
                        let value = piece.to_ascii_lowercase();
                        let text = format!("{}{}{value}", name(landing), name(place));
                        moves.insert(text, write(&next, 1 - side));
                    }
                }
            }
        }
        moves
    }

    fn reference_result(position: &str) -> ([i32; 2], Outcome) {
        let (board, _) = read(position);
        let (mut points, mut pieces) = ([0, 0], [0, 0]);
        for (_, symbol) in around(totem(&board), &board) {
            for player in 0..2 {
                if let Some(kind) = LETTERS[player].find(symbol) {
                    points[player] += kind as i32 + 1;
                    pieces[player] += 1;
                }
            }
        }
        let [white, red] = [0, 1].map(|player| (points[player], pieces[player]));
        let winner = match () {
            () if white > red => Some(Player::One),
            () if white < red => Some(Player::Two),
            () => None,
        };
        (points, Outcome { winner, margin: points[0] - points[1] })
    }

    fn reference_swap(_: &str) -> Option<String> {
        None
    }
}
