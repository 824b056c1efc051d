//! Leaf counts against the table in tests/data/perft.tsv, in every way of counting.

mod corpus;

use std::process::Output;
use std::thread;
use std::time::{Duration, Instant};

use assert_cmd::Command;
use cairn::game::{Game, MoveList, Notation, Outcome, Playable, Player};
use cairn::games::GameName;
use cairn::games::hokito::Hokito;
use cairn::games::yoxii::Yoxii;
use cairn::search::limits::Control;
use cairn::tools::perft::{Counter, Divided, Uncounted, perft};

const TABLE: &str = include_str!("data/perft.tsv");

/// The positions of the table and their leaves at depth 1, 2, ...
fn table<G: Notation>() -> impl Iterator<Item = (G, Vec<u64>)> {
    corpus::rows(TABLE, G::NAME).map(|row| {
        let position = G::parse(row[0]).expect(row[0]);
        (position, row[1..].iter().map(|count| count.parse().unwrap()).collect())
    })
}

fn reference_counts<G: Playable>() {
    let mut positions = 0;
    for (position, counts) in table::<G>() {
        positions += 1;
        assert_eq!(perft(&position, 0), 1);
        for (depth, &count) in (1..).zip(&counts) {
            assert_eq!(perft(&position, depth), count, "{} {depth}", position.notation());
        }
    }
    assert!(positions > 10, "the table has {positions} positions of {}", G::NAME);
}

#[test]
fn hokito_counts() {
    reference_counts::<Hokito>();
}

#[test]
fn yoxii_counts() {
    reference_counts::<Yoxii>();
}

/// One thread or more threads than cores, no table or one so small that entries fight for it: the
/// counts are the same, and one counter may serve all positions.
fn counter_counts<G: Playable>() {
    for (threads, mebibytes) in [(1, None), (3, None), (1, Some(1)), (3, Some(1))] {
        let counter = Counter::new(threads, mebibytes).unwrap();
        let control = Control::new(false);
        for (position, counts) in table::<G>() {
            assert_eq!(counter.count(&position, 0, &control), Ok(1));
            for (depth, &count) in (1..).zip(&counts).filter(|(_, count)| **count < 20_000_000) {
                let context = format!(
                    "{} depth {depth}, {threads} threads, {mebibytes:?} MiB",
                    position.notation()
                );
                assert_eq!(counter.count(&position, depth, &control), Ok(count), "{context}");
                let Divided { rows, total } = counter.divide(&position, depth, &control).unwrap();
                assert_eq!(total, count, "{context}");
                assert_eq!(rows.len(), position.count_moves(), "{context}");
                assert!(rows.is_sorted(), "{context}");
                for (text, leaves) in rows {
                    let mut next = position;
                    next.make(position.parse_move(&text).unwrap());
                    assert_eq!(leaves, perft(&next, depth - 1), "{context} {text}");
                }
            }
        }
    }
}

#[test]
fn hokito_counter() {
    counter_counts::<Hokito>();
}

#[test]
fn yoxii_counter() {
    counter_counts::<Yoxii>();
}

#[test]
fn a_count_can_be_stopped() {
    let counter = Counter::new(2, Some(1)).unwrap();
    let control = Control::new(false);
    let start = Instant::now();
    thread::scope(|scope| {
        let count = scope.spawn(|| counter.count(&Hokito::start(), 20, &control));
        thread::sleep(Duration::from_millis(50));
        assert!(!count.is_finished());
        control.stop();
        assert_eq!(count.join().unwrap(), Err(Uncounted::Stopped));
    });
    assert!(start.elapsed() < Duration::from_secs(10));
    // What was counted in part is not remembered.
    let (position, counts) = table::<Hokito>().nth(5).unwrap();
    let control = Control::new(false);
    assert_eq!(counter.count(&position, 4, &control), Ok(counts[3]));
}

/// A game that never ends, with 1000 moves in a position that is always the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Endless;

impl Game for Endless {
    type Move = u16;
    const MAX_PLIES: usize = usize::MAX;

    fn start() -> Self {
        Self
    }
    fn side_to_move(&self) -> Player {
        Player::One
    }
    fn key(&self) -> u64 {
        0
    }
    fn generate(&self, moves: &mut MoveList<u16>) {
        moves.extend(1..=1000);
    }
    fn count_moves(&self) -> usize {
        1000
    }
    fn is_over(&self) -> bool {
        false
    }
    fn is_legal(&self, mv: u16) -> bool {
        (1..=1000).contains(&mv)
    }
    fn make(&mut self, _: u16) {}
    fn points(&self) -> [i32; 2] {
        [0, 0]
    }
    fn outcome(&self) -> Outcome {
        Outcome { winner: None, margin: 0 }
    }
    fn plies_left(&self) -> usize {
        usize::MAX
    }
}

#[test]
fn counts_beyond_64_bits_are_refused() {
    let counter = Counter::new(1, Some(1)).unwrap();
    let control = Control::new(false);
    for depth in 1..=6 {
        assert_eq!(counter.count(&Endless, depth, &control), Ok(1000_u64.pow(depth)));
    }
    assert_eq!(counter.count(&Endless, 7, &control), Err(Uncounted::TooMany));
}

#[test]
fn a_table_that_cannot_be_had_is_an_error() {
    let error = Counter::new(1, Some(usize::MAX)).unwrap_err();
    assert_eq!(error.to_string(), format!("{} MiB of memory are not to be had", usize::MAX));
}

fn cairn(arguments: &[&str]) -> Output {
    Command::cargo_bin("cairn").unwrap().arg("perft").args(arguments).output().unwrap()
}

fn stdout(arguments: &[&str]) -> String {
    let output = cairn(arguments);
    assert!(output.status.success(), "{output:?}");
    String::from_utf8(output.stdout).unwrap()
}

#[test]
fn the_command_prints_a_line_for_each_depth() {
    assert_eq!(stdout(&["--depth", "3"]), "1 110\n2 11876\n3 1155403\n");
    let yoxii = ["--game", "Yoxii", "--fen", "startpos", "--depth", "2", "--threads", "2"];
    assert_eq!(stdout(&yoxii), "1 256\n2 51136\n");
    let ended = ["--fen", ".2A..../...A2c./...2A../b.16c2B.a/....a./ab6C... b", "--hash", "1"];
    let counts = "1 6\n2 20\n3 59\n4 58\n5 32\n6 23\n7 17\n8 5\n9 0\n10 0\n";
    assert_eq!(stdout(&[&ended[..], &["--depth", "10"]].concat()), counts);
}

#[test]
fn the_command_divides() {
    let divided = stdout(&["--depth", "2", "--divide"]);
    let (rows, total) = divided.split_once("\n\n").unwrap();
    assert_eq!(total, "11876\n");
    assert_eq!(rows.lines().next(), Some("a1a2: 109"));
    assert_eq!(rows.lines().count(), 110);
    let sum: u64 =
        rows.lines().map(|row| row.split_once(": ").unwrap().1.parse::<u64>().unwrap()).sum();
    assert_eq!(sum, 11876);
    let other = ["--depth", "2", "--divide", "--threads", "3", "--hash", "1"];
    assert_eq!(stdout(&other), divided);
    let over = ["--fen", ".A..2B./....../....../4c..26A../...a../..2a... b", "--depth", "1"];
    assert_eq!(stdout(&over), "1 0\n");
    assert_eq!(stdout(&[&over[..], &["--divide"]].concat()), "\n0\n");
}

#[test]
fn the_command_refuses_what_makes_no_sense() {
    for (arguments, words) in [
        (&["--depth", "36"][..], &["--depth 36", "Hokito", "35 plies"][..]),
        (&["--depth", "0"], &["'0'", "--depth"]),
        (&["--depth", "-1"], &["-1"]),
        (&["--depth", "two"], &["'two'", "--depth"]),
        (&[], &["--depth"]),
        (&["--depth", "2", "--threads", "0"], &["'0'", "--threads"]),
        (&["--depth", "2", "--hash", "0"], &["'0'", "--hash"]),
        (&["--depth", "2", "--hash", "4294967295"], &["4294967295 MiB of memory"]),
        (&["--depth", "2", "--game", "chess"], &["'chess'", "hokito or yoxii"]),
        (&["--depth", "2", "--fen", "6/6 b"], &["'6/6 b'", "Hokito", "6 ranks", "found 2"]),
    ] {
        let output = cairn(arguments);
        let stderr = String::from_utf8(output.stderr).unwrap();
        assert!(!output.status.success(), "{arguments:?}");
        assert!(output.stdout.is_empty(), "{arguments:?}");
        for word in words {
            assert!(stderr.contains(word), "{arguments:?}: no {word} in {stderr}");
        }
    }
}

#[test]
fn every_game_has_a_start_position_in_the_table() {
    for game in GameName::ALL {
        let depth_1 = stdout(&["--game", game.as_str(), "--depth", "1"]);
        let count = corpus::rows(TABLE, game.as_str()).next().unwrap()[1];
        assert_eq!(depth_1, format!("1 {count}\n"));
    }
}
