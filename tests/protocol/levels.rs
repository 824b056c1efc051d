//! LimitStrength and Elo as a program behind the protocol sees them.

use std::time::{Duration, Instant};

use cairn::game::Game;
use cairn::games::hokito::Hokito;

use crate::engine::{Engine, field, number, searched};
use crate::games::check_search;

fn limited(elo: u32) -> Engine {
    let mut engine = Engine::start();
    assert!(engine.ask("setoption name LimitStrength value true").is_empty());
    assert!(engine.ask(&format!("setoption name Elo value {elo}")).is_empty());
    engine
}

fn nodes(lines: &[String]) -> i64 {
    number(searched(lines).last().expect("an info line"), "nodes")
}

#[test]
fn elo_alone_changes_nothing() {
    let mut engine = Engine::start();
    let (lines, best) = engine.go("go depth 6");
    engine.ask("uginewgame");
    engine.ask("setoption name Elo value 400");
    let (again, same) = engine.go("go depth 6");
    assert_eq!((nodes(&again), same), (nodes(&lines), best));
    engine.quit();
}

#[test]
fn a_level_answers_early_and_keeps_to_stricter_limits() {
    let mut engine = limited(500);
    let (lines, best) = engine.go("go");
    check_search(&Hokito::start(), &lines, &best);
    let own = nodes(&lines);
    assert!(own < 20_000, "{own} nodes");
    let start = Instant::now();
    for go in ["go movetime 20000", "go p1time 60000 p2time 60000"] {
        let (lines, same) = engine.go(go);
        assert_eq!((nodes(&lines), &same), (own, &best), "{go}");
    }
    assert!(start.elapsed() < Duration::from_secs(10), "{:?}", start.elapsed());
    assert_eq!(nodes(&engine.go("go nodes 60").0), 60);
    let (lines, _) = engine.go("go depth 1");
    assert!(searched(&lines).iter().all(|info| number(info, "depth") == 1), "{lines:?}");
    engine.go("go movetime 0");
    assert_eq!(engine.go("go searchmoves d1e1").1, "d1e1");
    engine.quit();
}

#[test]
fn a_strong_level_keeps_to_the_time() {
    let mut engine = limited(1000);
    let start = Instant::now();
    engine.go("go movetime 5");
    assert!(start.elapsed() < Duration::from_secs(3), "{:?}", start.elapsed());
    engine.quit();
}

#[test]
fn neither_hash_nor_threads_nor_earlier_games_change_the_move_of_a_level() {
    let mut engine = limited(600);
    let (lines, best) = engine.go("go");
    engine.ask("moves a1b1");
    engine.go("go");
    engine.ask("setoption name Hash value 3");
    engine.ask("setoption name Threads value 2");
    engine.ask("position startpos");
    let (again, same) = engine.go("go");
    assert_eq!((nodes(&again), same), (nodes(&lines), best));
    engine.quit();
}

#[test]
fn a_level_waits_when_it_is_told_to() {
    let mut engine = limited(300);
    for (go, end) in [("go infinite", "stop"), ("go ponder movetime 5", "ponderhit")] {
        engine.send(go);
        std::thread::sleep(Duration::from_millis(100));
        let lines = engine.sync();
        assert!(lines.iter().all(|line| line.starts_with("info ")), "{lines:?}");
        engine.send(end);
        engine.best_move();
    }
    engine.quit();
}

#[test]
fn a_level_shows_several_lines_and_proves_nothing() {
    let late = "4CA.2C../A...../.....C/..6b.../8C...10c2c/....b. b";
    let mut engine = limited(700);
    engine.ask("setoption name MultiPV value 2");
    engine.ask("position startpos");
    let (lines, _) = engine.go("go");
    let ranks: Vec<_> = searched(&lines).iter().map(|info| number(info, "multipv")).collect();
    assert!(ranks.len() >= 2 && ranks.chunks(2).all(|pair| pair == [1, 2]), "{ranks:?}");
    engine.ask(&format!("position fen {late}"));
    let (lines, _) = engine.go("go");
    assert!(searched(&lines).iter().all(|info| field(info, "result").is_none()), "{lines:?}");
    // Who asks for a proof gets one.
    let (lines, _) = engine.go("go win 5");
    assert!(searched(&lines).iter().any(|info| field(info, "result").is_some()), "{lines:?}");
    engine.ask("setoption name LimitStrength value false");
    let (lines, _) = engine.go("go");
    assert!(searched(&lines).iter().any(|info| field(info, "result").is_some()), "{lines:?}");
    engine.quit();
}

#[test]
fn the_top_of_the_scale_is_full_strength() {
    let mut engine = Engine::start();
    let (lines, best) = engine.go("go depth 7");
    let mut top = Engine::start();
    top.ask("setoption name LimitStrength value true");
    let (again, same) = top.go("go depth 7");
    assert_eq!((nodes(&again), same), (nodes(&lines), best), "the default of Elo is the top");
}

#[test]
fn a_level_goes_into_the_next_game() {
    let mut engine = limited(300);
    engine.ask("setoption name Game value yoxii");
    let (lines, _) = engine.go("go");
    assert!(nodes(&lines) < 20_000);
    engine.quit();
}
