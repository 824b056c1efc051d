//! Values far beyond what anybody needs.

use std::time::{Duration, Instant};

use cairn::game::{Game, Notation};
use cairn::games::hokito::Hokito;

use crate::engine::{Engine, error};

#[test]
fn ten_thousand_moves_in_a_line() {
    let mut engine = Engine::start();
    let line = format!("position startpos moves{}", " a1b1".repeat(10_000));
    let lines = engine.ask(&line);
    assert!(error(&lines).starts_with("position: move 2 of 10000: "), "{lines:?}");
    assert_eq!(engine.query("position"), Hokito::start().notation());
    engine.quit();
}

#[test]
fn a_megabyte_of_spaces() {
    let mut engine = Engine::start();
    assert!(engine.ask(&" ".repeat(1 << 20)).is_empty());
    engine.send(&format!("query{}p1turn", " ".repeat(1 << 20)));
    assert_eq!(engine.line(), "response true");
    engine.quit();
}

#[test]
fn a_word_of_a_megabyte() {
    let mut engine = Engine::start();
    let word = "x".repeat(1 << 20);
    let commands = ["", "position fen ", "moves ", "go ", "setoption name ", "query "];
    for command in commands {
        engine.send(&format!("{command}{word}"));
        let answer = engine.line();
        assert!(answer.starts_with("info string error: "), "{answer}");
        assert!(answer.contains("xxx... (1048576 characters)"), "{answer}");
        assert!(answer.len() < 600, "{} bytes", answer.len());
        if command == "go " {
            engine.best_move();
        }
    }
    engine.quit();
}

#[test]
fn a_line_without_end() {
    let mut engine = Engine::start();
    for _ in 0..17 {
        engine.send_bytes(&vec![b'y'; 1 << 20]);
    }
    engine.send("");
    let answer = engine.line();
    assert!(answer.starts_with("info string error: a line of more than "), "{answer}");
    assert!(engine.sync().is_empty());
    engine.quit();
}

#[test]
fn a_table_of_a_petabyte() {
    let mut engine = Engine::start();
    let lines = engine.ask("setoption name Hash value 1000000000");
    assert!(error(&lines).starts_with("option Hash cannot be '1000000000'"), "{lines:?}");
    engine.go("go depth 2");
    engine.quit();
}

#[test]
fn the_largest_table_either_works_or_leaves_the_old_one() {
    let mut engine = Engine::start();
    let lines = engine.ask("setoption name Hash value 65536");
    if !lines.is_empty() {
        assert!(
            error(&lines).ends_with("the table keeps its 64 MiB; nothing changed"),
            "{lines:?}"
        );
    }
    engine.go("go depth 2");
    engine.quit();
}

#[test]
fn memory_stays_within_the_table_and_a_little() {
    let mut engine = Engine::with(&["--game", "yoxii"]);
    engine.ask("setoption name Hash value 8");
    engine.go("go movetime 500");
    engine.ask("setoption name Game value hokito");
    engine.go("go movetime 500");
    if let Some(peak) = engine.peak_memory() {
        assert!(peak <= 8 + 32, "{peak} MiB");
    }
}

#[test]
fn a_thousand_threads() {
    let mut engine = Engine::start();
    assert!(engine.ask("setoption name Threads value 1000").is_empty());
    let start = Instant::now();
    engine.go("go movetime 50");
    assert!(start.elapsed() < Duration::from_secs(10), "{:?}", start.elapsed());
    engine.quit();
}

#[test]
fn numbers_of_64_bits_and_more() {
    let mut engine = Engine::start();
    for number in ["9223372036854775807", "18446744073709551615", "99999999999999999999999999"] {
        for line in [
            format!("go wtime {number} btime {number} winc {number} binc {number} nodes 100"),
            format!("go movetime {number} depth 2"),
            format!("go depth {number} nodes 1000"),
            format!("go nodes {number} depth 2"),
            format!("go movestogo {number} p1time 1000"),
            format!("go win {number} nodes 1000"),
        ] {
            let (lines, _) = engine.go(&line);
            assert!(!lines[0].contains("error"), "{line}: {lines:?}");
        }
    }
    engine.quit();
}
