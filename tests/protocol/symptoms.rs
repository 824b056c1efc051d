//! What was seen to break other engines, each kind by name.

use std::time::{Duration, Instant};

use cairn::game::{Game, Notation};
use cairn::games::hokito::Hokito;
use cairn::games::yoxii::Yoxii;

use crate::engine::{Engine, SILENCE, error, field, number, searched};
use crate::games::check_search;

/// A late position, solved at once.
const LATE: &str = "4CA.2C../A...../.....C/..6b.../8C...10c2c/....b. b";
/// White has the one move f3d3.
const ONE_MOVE: &str = ".A..2B./....../....../4c..2b.24A/...a../..2a... w";
/// Soon even on a busy machine.
const SOON: Duration = Duration::from_secs(3);

fn soon<T>(what: &str, act: impl FnOnce() -> T) -> T {
    let start = Instant::now();
    let result = act();
    assert!(start.elapsed() < SOON, "{what} took {:?}", start.elapsed());
    result
}

#[test]
fn crash_on_broken_positions() {
    let mut engine = Engine::start();
    let start = Hokito::start().notation();
    let (board, side) = start.split_once(' ').expect("two fields");
    for fen in [
        "",
        "x",
        "startpos",
        "position",
        board,
        side,
        &format!("{board} x"),
        &format!("{board} b b"),
        &format!("{board} position {side}"),
        &format!("startpos {board} {side}"),
        &format!("position fen {board} {side}"),
        &format!("{board}/cccccc {side}"),
        &format!("{} {side}", &board[7..]),
        &format!("{}c {side}", board),
        &format!("{} {side}", board.replace('A', "C")),
        &format!("{} {side}", board.replace('A', "99999999999999999999A")),
        &format!("{} {side}", board.replace('A', "ä")),
        "////// b",
        "....../....../....../....../....../...... b",
        "36a...../....../....../....../....../...... c",
    ] {
        let lines = engine.ask(&format!("position fen {fen}"));
        assert!(error(&lines).starts_with("position: "), "{fen}: {lines:?}");
        assert_eq!(engine.query("position"), start, "{fen}");
    }
    engine.quit();
}

#[test]
fn crash_on_empty_position() {
    let mut engine = Engine::start();
    for line in ["position", "position ", "position\t"] {
        error(&engine.ask(line));
    }
    engine.quit();
}

#[test]
fn arbiter_sends_moves_with_nothing_behind() {
    let mut engine = Engine::start();
    let fen = format!("position fen {LATE} moves");
    for line in ["position startpos moves", "position startpos moves ", "moves", "moves ", &fen] {
        assert!(engine.ask(line).is_empty(), "{line}");
    }
    assert_eq!(engine.query("position"), LATE);
}

#[test]
fn moves_applied_behind_an_illegal_one() {
    let mut engine = Engine::start();
    engine.ask("position startpos moves a1b1");
    let before = engine.query("position");
    for line in [
        "position startpos moves a1b1 a1b1 a4b4",
        "position startpos moves zz a1b1",
        "moves a4b4 zz c1d1",
        "moves zz",
    ] {
        error(&engine.ask(line));
        assert_eq!(engine.query("position"), before, "{line}");
    }
}

#[test]
fn moves_behind_the_end_of_the_game() {
    let mut engine = Engine::start();
    engine.ask(&format!("position fen {ONE_MOVE} moves f3d3"));
    assert_eq!(engine.query("gameover"), "true");
    let lines = engine.ask("moves a3a6");
    assert!(error(&lines).contains("the game is over"), "{lines:?}");
}

#[test]
fn a_crashed_opponent_moves_0000() {
    let mut engine = Engine::start();
    error(&engine.ask("position startpos moves 0000"));
    engine.go("go nodes 100");
}

#[test]
fn search_without_end_on_a_time_of_zero_or_less() {
    let mut engine = Engine::start();
    for line in [
        "go movetime 0",
        "go movetime -1",
        "go movetime -9223372036854775808",
        "go p1time 0 p2time 0",
        "go p1time -5 p2time -5 p1inc -1 p2inc -1",
        "go wtime 0 btime 1000",
        "go p1time 1",
        "go p2time 100",
        "go p1inc 5",
        "go movestogo 0",
        "go movestogo 5",
        "go p1time 50 movestogo 0",
        "go binc 1 winc 1 btime 20 wtime 20",
        "go depth 0",
        "go nodes 0",
        "go win 0",
    ] {
        let (lines, best) = soon(line, || engine.go(line));
        check_search(&Hokito::start(), &lines, &best);
    }
}

#[test]
fn words_that_mean_nothing_behind_go() {
    let mut engine = Engine::start();
    for (line, words) in [
        ("go fast", "'fast'"),
        ("go movetime", "'movetime'"),
        ("go movetime soon", "'movetime soon'"),
        ("go p1time 1e9 p2time 0x10", "'p1time 1e9', cannot read 'p2time 0x10'"),
        ("go depth depth 2", "'depth'"),
        ("go mate 3", "'mate', cannot read '3'"),
        ("go wtime btime 100", "'wtime'"),
        ("go depth 1.5", "'depth 1.5'"),
        ("go movestogo 0", "'movestogo 0'"),
        ("go p1time 30 movestogo -1", "'movestogo -1'"),
        ("go depth 0", "'depth 0'"),
        ("go nodes -5 movetime 10", "'nodes -5'"),
        ("go win 0", "'win 0'"),
    ] {
        let (lines, best) = soon(line, || engine.go(line));
        let expected =
            format!("info string error: go: cannot read {words}; the search goes on without");
        assert_eq!(lines[0], expected, "{line}");
        check_search(&Hokito::start(), &lines, &best);
    }
}

/// A time control that begins with the next move would leave the whole clock to this one.
#[test]
fn the_whole_clock_spent_on_a_move_with_no_moves_to_go() {
    let mut engine = Engine::start();
    engine.ask("debug on");
    for (line, understood) in [
        ("go p1time 60000 movestogo 0 nodes 50", "go p1time 60000 p1inc 0 nodes 50"),
        ("go p1time 60000 movestogo -40 nodes 50", "go p1time 60000 p1inc 0 nodes 50"),
        (
            "go p1time 60000 movestogo 2 movestogo 0 nodes 50",
            "go p1time 60000 p1inc 0 movestogo 2 nodes 50",
        ),
    ] {
        let (lines, _) = engine.go(line);
        assert!(
            lines[0].starts_with("info string error: go: cannot read 'movestogo "),
            "{lines:?}"
        );
        assert_eq!(lines[1], format!("info string {understood}"), "{line}");
    }
}

#[test]
fn illegal_searchmoves_without_a_limit() {
    let mut engine = Engine::start();
    for line in ["go searchmoves a1f6", "go searchmoves zz d1e1"] {
        let (lines, best) = soon(line, || engine.go(line));
        assert!(lines[0].contains("error: go: searchmoves: "), "{lines:?}");
        check_search(&Hokito::start(), &lines, &best);
    }
}

#[test]
fn node_limits_ignored_with_more_threads() {
    let mut engine = Engine::start();
    engine.ask("setoption name Threads value 4");
    // From the start, and where the solver takes its part.
    for position in ["startpos", "fen .B.AA10c/.B..BA/.A8B..A/..a.a./a..a.c/bb.cbb b"] {
        for nodes in [1, 1000, 20_000, 200_000] {
            engine.send(&format!("position {position}"));
            let (lines, _) = soon("nodes", || engine.go(&format!("go nodes {nodes}")));
            let visited = number(searched(&lines).last().expect("info"), "nodes");
            assert!(visited <= nodes + 4 * 1024, "{visited} of {nodes}");
        }
    }
}

#[test]
fn a_limit_left_over_from_the_last_search() {
    let mut engine = Engine::start();
    for limit in ["depth 1", "nodes 1", "movetime 0", "win 1", "searchmoves a1b1 depth 1"] {
        engine.go(&format!("go {limit}"));
        let (lines, _) = engine.go("go depth 4");
        let infos = searched(&lines);
        assert_eq!(number(infos.last().expect("info"), "depth"), 4, "{limit}");
        assert_ne!(field(infos.last().expect("info"), "pv"), Some("a1b1"));
    }
}

#[test]
fn deadlock_on_stop_when_idle() {
    let mut engine = Engine::start();
    for _ in 0..3 {
        assert!(engine.ask("stop").is_empty());
    }
    assert_eq!(searched(&engine.go("go depth 3").0).last().map(|i| number(i, "depth")), Some(3));
    engine.quit();
}

#[test]
fn an_old_stop_ends_the_next_search() {
    let mut engine = Engine::start();
    for _ in 0..20 {
        engine.send_bytes(b"stop\nstop\ngo depth 4\n");
        let (lines, _) = engine.best_move();
        assert_eq!(searched(&lines).last().map(|info| number(info, "depth")), Some(4));
    }
}

#[test]
fn a_stop_right_behind_go_is_lost() {
    let mut engine = Engine::start();
    for _ in 0..50 {
        engine.send_bytes(b"go infinite\nstop\n");
        soon("stop", || engine.best_move());
    }
    assert!(engine.sync().is_empty());
}

#[test]
fn deadlock_on_quit_during_a_search() {
    for line in ["go infinite", "go ponder movetime 10", "go movetime 100000", "perft 12", "bench"]
    {
        let mut engine = Engine::start();
        engine.ask(line);
        soon(line, || engine.quit());
    }
}

#[test]
fn the_end_of_input_during_a_search_leaves_an_orphan() {
    for line in ["go infinite", "go ponder", "go movetime 100000", "perft 12", "bench", "isready"] {
        let mut engine = Engine::start();
        engine.send(line);
        engine.hang_up();
        let (status, time, lines) = engine.end();
        assert!(status.success() && time < SOON, "{line}: {status} {time:?}");
        let moves = lines.iter().filter(|line| line.starts_with("bestmove ")).count();
        assert_eq!(moves, usize::from(line.starts_with("go")), "{line}: {lines:?}");
    }
}

#[test]
fn a_best_move_before_stop_when_infinite() {
    let mut engine = Engine::start();
    for go in ["go infinite", "go infinite depth 2", "go infinite nodes 10 movetime 1", "go ponder"]
    {
        for fen in [LATE, ONE_MOVE] {
            engine.ask(&format!("position fen {fen}"));
            engine.send(go);
            while let Some(line) = engine.line_within(SILENCE) {
                assert!(line.starts_with("info depth "), "{go}: {line}");
            }
            engine.send("stop");
            engine.best_move();
        }
    }
}

#[test]
fn a_game_that_is_over_has_the_null_move() {
    let mut engine = Engine::start();
    engine.ask(&format!("position fen {ONE_MOVE} moves f3d3"));
    for go in ["go movetime 1000", "go depth 5", "go", "go nodes 1", "go p1time 100 p2time 100"] {
        let (lines, best) = soon(go, || engine.go(go));
        assert_eq!(best, "0000");
        let info = searched(&lines).last().copied().expect("info");
        assert_eq!((field(info, "result"), number(info, "cp")), (Some("loss"), -1600));
    }
    engine.send("go infinite");
    engine.line();
    engine.is_silent();
    engine.send("stop");
    assert_eq!(engine.best_move().1, "0000");
    engine.send("perft 3");
    assert_eq!((engine.line(), engine.line()), (String::new(), "0".to_string()));
}

#[test]
fn no_best_move_when_it_is_forced() {
    let mut engine = Engine::start();
    engine.ask(&format!("position fen {ONE_MOVE}"));
    for go in ["go movetime 100", "go depth 9", "go nodes 1", "go", "go p1time 10 p2time 10"] {
        assert_eq!(soon(go, || engine.go(go)).1, "f3d3");
    }
}

#[test]
fn a_go_without_limits_ends_when_the_game_is_solved() {
    let mut engine = Engine::start();
    engine.ask(&format!("position fen {LATE}"));
    let (lines, best) = soon("go", || engine.go("go"));
    check_search(&Hokito::parse(LATE).expect("a position"), &lines, &best);
    assert!(field(searched(&lines).last().expect("info"), "result").is_some());
}

#[test]
fn a_solved_position_floods_the_pipe() {
    let mut engine = Engine::start();
    engine.ask(&format!("position fen {LATE}"));
    engine.send("go infinite");
    let mut count = 0;
    let start = Instant::now();
    while start.elapsed() < Duration::from_millis(500) {
        count += usize::from(engine.line_within(Duration::from_millis(50)).is_some());
    }
    assert!(count <= 2 * Hokito::MAX_PLIES, "{count} lines in half a second");
    engine.send("stop");
    engine.best_move();
}

#[test]
fn many_lines_of_multi_pv_flood_the_pipe() {
    let mut engine = Engine::with(&["--game", "yoxii"]);
    engine.ask("setoption name MultiPV value 256");
    let (lines, best) = engine.go("go depth 2");
    let infos = searched(&lines);
    assert!(infos.len() <= 2 * 256, "{} lines", infos.len());
    let last: Vec<i64> = infos[infos.len() - 256..].iter().map(|i| number(i, "multipv")).collect();
    assert!(last.iter().copied().eq(1..=256), "the last iteration is complete: {last:?}");
    assert_eq!(field(infos[infos.len() - 256], "pv"), Some(best.as_str()));
}

#[test]
fn more_lines_than_legal_moves() {
    let mut engine = Engine::start();
    engine.ask("setoption name MultiPV value 256");
    engine.ask(&format!("position fen {ONE_MOVE}"));
    let (lines, _) = engine.go("go depth 3");
    assert!(searched(&lines).iter().all(|info| number(info, "multipv") == 1), "{lines:?}");
    engine.ask("position startpos");
    let (lines, _) = engine.go("go depth 1");
    let most = searched(&lines).iter().map(|info| number(info, "multipv")).max();
    assert_eq!(most, Some(110));
}

#[test]
fn time_lost_because_the_table_was_allocated_at_go() {
    let mut engine = Engine::start();
    assert!(engine.ask("setoption name Hash value 1024").is_empty());
    let start = Instant::now();
    engine.go("go movetime 20");
    assert!(start.elapsed() < Duration::from_millis(500), "{:?}", start.elapsed());
}

/// cutegames sends `uginewgame` without an `isready` behind it, and the clock runs with the next
/// `go`.
#[test]
fn time_lost_because_the_table_was_cleared_at_go() {
    let mut engine = Engine::start();
    engine.ask("setoption name Hash value 2048");
    for _ in 0..2 {
        let start = Instant::now();
        engine.send("uginewgame");
        engine.go("go movetime 20");
        assert!(start.elapsed() < Duration::from_millis(500), "{:?}", start.elapsed());
    }
}

#[test]
fn the_same_search_twice_after_a_new_game() {
    for game in ["hokito", "yoxii"] {
        let mut engine = Engine::with(&["--game", game]);
        let mut search = || {
            engine.ask("uginewgame");
            let (lines, best) = engine.go("go depth 5");
            (number(searched(&lines).last().expect("info"), "nodes"), best)
        };
        let first = search();
        assert_eq!(search(), first);
        assert_eq!(search(), first);
    }
}

#[test]
fn a_ponder_search_waits_for_the_hit() {
    let mut engine = Engine::start();
    engine.ask("position startpos moves a1b1");
    for go in ["go ponder movetime 30", "go ponder p1time 100 p2time 100", "go ponder depth 2"] {
        engine.send(go);
        while let Some(line) = engine.line_within(SILENCE) {
            assert!(line.starts_with("info depth "), "{go}: {line}");
        }
        engine.send("ponderhit");
        let (_, best) = soon("ponderhit", || engine.best_move());
        assert!(!best.is_empty());
        error(&engine.ask("ponderhit"));
    }
    engine.send("go ponder infinite");
    engine.send("ponderhit");
    while let Some(line) = engine.line_within(SILENCE) {
        assert!(line.starts_with("info depth "), "{line}");
    }
    engine.send("stop");
    engine.best_move();
}

#[test]
fn ready_during_a_search_which_goes_on() {
    let mut engine = Engine::start();
    engine.send("go infinite");
    for _ in 0..20 {
        let lines = soon("isready", || engine.sync());
        assert!(lines.iter().all(|line| line.starts_with("info depth ")), "{lines:?}");
    }
    engine.send("stop");
    engine.best_move();
}

/// Every command in the middle of a search: the search goes on, or ends with its one move.
#[test]
fn commands_during_a_search() {
    for (line, ends) in [
        ("ugi", false),
        ("position startpos moves a1b1", false),
        ("position startpos moves a1a1", false),
        ("moves a1b1", false),
        ("query gameover", false),
        ("query legalmoves", false),
        ("eval", false),
        ("d", false),
        ("help", false),
        ("debug on", false),
        ("ponderhit", false),
        ("setoption name MultiPV value 3", false),
        ("setoption name Move Overhead value 3", false),
        ("setoption name Hash value 64", false),
        ("setoption name Threads value 1", false),
        ("setoption name Search value auto", false),
        ("setoption name Search value alphabeta", true),
        ("setoption name Hash value 8", true),
        ("setoption name Threads value 2", true),
        ("setoption name Game value yoxii", true),
        ("setoption name Clear Hash", true),
        ("uginewgame", true),
        ("perft 1", true),
    ] {
        let mut engine = Engine::start();
        engine.send("go infinite");
        let lines = engine.ask(line);
        let moves = |lines: &[String]| lines.iter().filter(|l| l.starts_with("bestmove ")).count();
        assert_eq!(moves(&lines), usize::from(ends), "{line}: {lines:?}");
        let lines = engine.ask("stop");
        if !ends && moves(&lines) == 0 {
            engine.best_move();
        }
        engine.go("go nodes 100");
        engine.quit();
    }
}

#[test]
fn go_during_a_search_ends_it_first() {
    let mut engine = Engine::start();
    engine.send("go infinite");
    engine.send("position startpos moves a1b1");
    engine.send("go depth 1");
    let (_, first) = engine.best_move();
    let (lines, second) = engine.best_move();
    assert!(Hokito::start().parse_move(&first).is_ok());
    let mut position = Hokito::start();
    position.make(position.parse_move("a1b1").expect("a legal move"));
    check_search(&position, &lines, &second);
    assert!(engine.sync().is_empty());
}

#[test]
fn win_scores_have_the_sign_of_the_side_to_move() {
    for (fen, result, centipoints) in [
        ("4A....C/..2b2B.2A/A2b.4C.C/a..2c8cc/.c.b../ca.a.. b", "win", 6400),
        ("A.6b.../C..4A.6b/....../....2a./2C6C..a4c/...2a.a b", "draw", 0),
        ("B.16A.2b./...2A.2c/A....2A/.b..../.b.b2a./.aa.a2a w", "loss", -4100),
    ] {
        let mut engine = Engine::start();
        engine.ask(&format!("position fen {fen}"));
        let (lines, _) = engine.go("go depth 36");
        let info = searched(&lines).last().cloned().expect("info").clone();
        assert_eq!(field(&info, "result"), Some(result), "{info}");
        assert_eq!(number(&info, "cp"), centipoints, "{info}");
    }
    let fen = "cCC/*bCd./bCbDCDc/...DcBd/....d.A/...cc/..B w";
    let mut engine = Engine::with(&["--game", "yoxii"]);
    engine.ask(&format!("position fen {fen}"));
    let (lines, best) = engine.go("go depth 36");
    check_search(&Yoxii::parse(fen).expect("a position"), &lines, &best);
    assert_eq!(searched(&lines).last().and_then(|info| field(info, "result")), Some("draw"));
}

#[test]
fn cutegames_sends_every_option_of_its_settings() {
    let mut engine = Engine::start();
    engine.send("ugi");
    engine.until("ugiok");
    for line in ["debug value false", "threads value 1", "hash value 16", "ownbook value false"] {
        engine.send(&format!("setoption name {line}"));
    }
    let lines = engine.sync();
    assert!(error(&lines).starts_with("unknown option 'debug'"), "{lines:?}");
    engine.quit();
}
