//! Whole games, with everything that runners send on the way.

use std::time::{Duration, Instant};

use cairn::game::{Game, Notation, Player};
use cairn::games::hokito::Hokito;
use cairn::games::yoxii::Yoxii;

use crate::engine::{Engine, field, number, searched};

/// Plays a game as `position ... moves ...`, and checks every answer against the rules.
fn play<G: Notation>(go: &str) {
    play_by::<G>("auto", go);
}

/// The same with this way of searching.
fn play_by<G: Notation>(search: &str, go: &str) {
    let mut engine = Engine::with(&["--game", G::NAME]);
    engine.send("ugi");
    engine.until("ugiok");
    engine.send(&format!("setoption name Search value {search}"));
    engine.send("uginewgame");
    let mut position = G::start();
    let mut moves = String::new();
    while !position.is_over() {
        engine.send(&format!("position startpos moves{moves}"));
        assert_eq!(engine.query("gameover"), "false");
        assert_eq!(engine.query("result"), "none");
        let p1 = position.side_to_move() == Player::One;
        assert_eq!(engine.query("p1turn"), p1.to_string());
        assert_eq!(engine.query("position"), position.notation());
        let legal: Vec<String> = position.moves().into_iter().map(G::move_text).collect();
        assert_eq!(engine.query("legalmoves"), legal.join(" "));
        let (lines, best) = engine.go(go);
        check_search(&position, &lines, &best);
        position.make(position.parse_move(&best).expect("a legal move"));
        moves += &format!(" {best}");
    }
    engine.send(&format!("position startpos moves{moves}"));
    assert_eq!(engine.query("gameover"), "true");
    assert_eq!(engine.query("legalmoves"), "none");
    let result = match position.outcome().winner {
        Some(Player::One) => "p1win",
        Some(Player::Two) => "p2win",
        None => "draw",
    };
    assert_eq!(engine.query("result"), result);
    let [one, two] = position.points();
    assert_eq!(engine.query("score"), format!("{one} {two}"));
    assert_eq!(engine.go(go).1, "0000");
    engine.quit();
}

/// The `info` lines of a search, one principal variation a time, tell the truth.
pub fn check_search<G: Notation>(position: &G, lines: &[String], best: &str) {
    let infos = searched(lines);
    let last = infos.last().expect("an info line before the move");
    assert_eq!(field(last, "pv"), Some(best), "{last}");
    let mut depth = 0;
    for info in infos {
        assert!(number(info, "depth") >= depth, "{info}");
        depth = number(info, "depth");
        assert!(number(info, "seldepth") >= 0, "{info}");
        assert!((-15_000..=15_000).contains(&number(info, "cp")), "{info}");
        assert!(number(info, "nodes") >= 0, "{info}");
        assert!(number(info, "nps") >= 0, "{info}");
        assert!((0..=1000).contains(&number(info, "hashfull")), "{info}");
        assert!(number(info, "time") >= 0, "{info}");
        let (_, pv) = info.split_once(" pv ").expect("a line of play");
        let mut position = *position;
        for text in pv.split(' ') {
            position.make(position.parse_move(text).unwrap_or_else(|e| panic!("{e}: {info}")));
        }
    }
}

#[test]
fn a_game_of_hokito_by_depth() {
    play::<Hokito>("go depth 3");
}

#[test]
fn a_game_of_yoxii_by_depth() {
    play::<Yoxii>("go depth 3");
}

#[test]
fn a_game_of_hokito_by_clock() {
    play::<Hokito>("go p1time 200 p2time 200 p1inc 10 p2inc 10");
}

#[test]
fn a_game_of_yoxii_by_clock() {
    play::<Yoxii>("go wtime 200 btime 200 winc 10 binc 10");
}

#[test]
fn a_game_of_hokito_by_time() {
    play::<Hokito>("go movetime 20");
}

#[test]
fn a_game_of_yoxii_by_nodes() {
    play::<Yoxii>("go nodes 2000");
}

#[test]
fn a_game_of_each_by_tree_search() {
    for go in ["go nodes 30", "go depth 3", "go wtime 200 btime 200 winc 10 binc 10"] {
        play_by::<Hokito>("mcts", go);
        play_by::<Yoxii>("mcts", go);
    }
}

/// Plays a game on clocks and sees that no time is overdrawn by more than a busy machine explains.
fn play_by_clock<G: Notation>(time: Duration, increment: Duration) {
    const PATIENCE: Duration = Duration::from_millis(250);
    let mut engine = Engine::with(&["--game", G::NAME]);
    engine.sync();
    let mut position = G::start();
    let mut clocks = [time; 2];
    while !position.is_over() {
        let ([one, two], inc) = (clocks.map(|clock| clock.as_millis()), increment.as_millis());
        let clock = &mut clocks[position.side_to_move().index()];
        let start = Instant::now();
        let (_, best) = engine.go(&format!("go p1time {one} p2time {two} p1inc {inc} p2inc {inc}"));
        let used = start.elapsed();
        assert!(used <= *clock + PATIENCE, "{used:?} of {clock:?} in {}", position.notation());
        *clock = clock.saturating_sub(used) + increment;
        position.make(position.parse_move(&best).expect("a legal move"));
        engine.send(&format!("moves {best}"));
    }
    engine.quit();
}

#[test]
fn no_time_is_lost_at_low_increments() {
    play_by_clock::<Hokito>(Duration::from_millis(200), Duration::from_millis(10));
    play_by_clock::<Yoxii>(Duration::from_millis(200), Duration::from_millis(10));
}

#[test]
fn no_time_is_lost_without_increment() {
    play_by_clock::<Hokito>(Duration::from_millis(1000), Duration::ZERO);
    play_by_clock::<Yoxii>(Duration::from_millis(1000), Duration::ZERO);
}

/// cutergames keeps the position in the engine and sends each move once.
#[test]
fn a_game_move_by_move() {
    let mut engine = Engine::with(&["--game", "yoxii"]);
    let mut position = Yoxii::start();
    while !position.is_over() {
        let (_, best) = engine.go("go nodes 300");
        position.make(position.parse_move(&best).expect("a legal move"));
        engine.send(&format!("moves {best}"));
        assert_eq!(engine.query("position"), position.notation());
    }
    assert_eq!(engine.query("gameover"), "true");
    engine.quit();
}
