//! What each command does, and what it answers when it cannot.

use std::fs;

use cairn::game::{Game, Notation};
use cairn::games::hokito::Hokito;
use cairn::games::yoxii::Yoxii;

use crate::engine::{Engine, error, field, number, searched};
use crate::games::check_search;

/// Three plies from the end, won by 16 points with the only move.
const ONE_MOVE: &str = ".A..2B./....../....../4c..2b.24A/...a../..2a... w";

#[test]
fn the_handshake_declares_every_option_with_a_default_in_its_range() {
    let mut engine = Engine::start();
    engine.send("ugi");
    let (lines, last) = engine.until("ugiok");
    assert_eq!(last, "ugiok");
    assert_eq!(lines[0], format!("id name Cairn {}", env!("CARGO_PKG_VERSION")));
    assert!(lines[1].starts_with("id author "));
    let names = [
        "Game",
        "Hash",
        "Threads",
        "MultiPV",
        "MultiPVFold",
        "Ponder",
        "Move Overhead",
        "Search",
        "ShowWDL",
        "LimitStrength",
        "Elo",
        "OwnBook",
        "Clear Hash",
        "Log File",
    ];
    for (name, line) in names.iter().zip(&lines[2..]) {
        assert!(line.starts_with(&format!("option name {name} type ")), "{line}");
        match field(line, "type").expect("a type") {
            "spin" => {
                let range = number(line, "min")..=number(line, "max");
                assert!(range.contains(&number(line, "default")), "{line}");
            }
            "check" => assert_eq!(field(line, "default"), Some("false"), "{line}"),
            "combo" => {
                let default = field(line, "default").expect("a default");
                assert!(line.contains(&format!(" var {default}")), "{line}");
            }
            "string" => assert_eq!(field(line, "default"), Some("<empty>"), "{line}"),
            kind => assert_eq!(kind, "button", "{line}"),
        }
    }
    assert_eq!(lines.len(), 2 + names.len());
    engine.send("uci");
    assert_eq!(engine.until("uciok").1, "uciok");
    engine.quit();
}

#[test]
fn nothing_is_said_before_the_first_question() {
    Engine::start().is_silent();
}

#[test]
fn the_game_can_be_chosen_at_the_start_and_by_the_option() {
    let mut engine = Engine::with(&["ugi", "--game", "yoxii"]);
    assert_eq!(engine.query("position"), Yoxii::start().notation());
    assert!(engine.ask("setoption name game value HOKITO").is_empty());
    assert_eq!(engine.query("position"), Hokito::start().notation());
    assert!(engine.ask("position startpos moves a1b1").is_empty());
    assert!(engine.ask("setoption name Game value hokito").is_empty());
    assert_ne!(engine.query("position"), Hokito::start().notation(), "the same game goes on");
    let answer = engine.ask("setoption name Game value chess");
    assert_eq!(
        error(&answer),
        "option Game cannot be 'chess', expected hokito or yoxii; nothing changed"
    );
    engine.quit();
}

#[test]
fn the_options_of_the_old_game_hold_in_the_new_one() {
    let mut engine = Engine::start();
    engine.ask("setoption name MultiPV value 2");
    engine.ask("setoption name Game value yoxii");
    let (lines, _) = engine.go("go depth 1");
    assert!(searched(&lines).iter().any(|line| field(line, "multipv") == Some("2")));
}

#[test]
fn new_game_sets_the_start_position() {
    for word in ["uginewgame", "ucinewgame"] {
        let mut engine = Engine::start();
        engine.ask("moves a1b1");
        assert!(engine.ask(word).is_empty());
        assert_eq!(engine.query("position"), Hokito::start().notation());
    }
}

#[test]
fn bad_lines_get_one_answer_and_change_nothing() {
    let mut engine = Engine::start();
    engine.ask("moves a1b1");
    let position = engine.query("position");
    for (line, answer) in [
        ("xyzzy", "unknown command 'xyzzy', type 'help' for the list"),
        ("isready now", "isready: unexpected 'now', expected nothing behind it"),
        ("stop it", "stop: unexpected 'it', expected nothing behind it"),
        ("debug", "debug: the line ends where on or off was expected"),
        ("debug maybe", "debug: unexpected 'maybe', expected on or off"),
        (
            "query",
            "query: the line ends where gameover, p1turn, result, legalmoves, position or score was expected",
        ),
        (
            "query fen",
            "query: unexpected 'fen', expected gameover, p1turn, result, legalmoves, position or score",
        ),
        ("query result please", "query: unexpected 'please', expected nothing behind it"),
        ("ponderhit", "ponderhit: no search is pondering"),
        ("position", "position: the line ends where startpos or fen was expected"),
        ("position start", "position: unexpected 'start', expected startpos or fen"),
        (
            "position startpos a1b1",
            "position: unexpected 'a1b1', expected moves or the end of the line",
        ),
        ("position fen", "position: '': expected two fields, BOARD and SIDE, found 0"),
        ("position fen moves a1b1", "position: '': expected two fields, BOARD and SIDE, found 0"),
        (
            "position fen startpos",
            "position: 'startpos': expected two fields, BOARD and SIDE, found 1",
        ),
        (
            "position startpos moves a1b1 a1b1",
            "position: move 2 of 2: move 'a1b1' is not legal here: a1 is empty",
        ),
        (
            "position startpos moves a1b1 e7e5",
            "position: move 2 of 2: 'e7e5' is not a move, expected from-square and to-square on a1 to f6, such as a1c3",
        ),
        (
            "moves b4a4 a1",
            "moves: move 2 of 2: 'a1' is not a move, expected from-square and to-square on a1 to f6, such as a1c3",
        ),
        (
            "moves 0000",
            "moves: move 1 of 1: '0000' is not a move, expected from-square and to-square on a1 to f6, such as a1c3",
        ),
        ("perft", "perft: the line ends where a number of plies, at least 1 was expected"),
        ("perft 0", "perft: unexpected '0', expected a number of plies, at least 1"),
        ("perft 36", "perft 36: no game of Hokito lasts longer than 35 plies"),
        ("go perft x", "go perft: unexpected 'x', expected a number of plies, at least 1"),
        ("setoption", "setoption: the line ends where name NAME value VALUE was expected"),
        ("setoption Hash 3", "setoption: unexpected 'Hash', expected name NAME value VALUE"),
        ("setoption name", "setoption: the line ends where the name of an option was expected"),
        (
            "setoption name value 3",
            "setoption: the line ends where the name of an option was expected",
        ),
        (
            "setoption name Hash",
            "option Hash cannot be '', expected a whole number from 1 to 65536",
        ),
        (
            "setoption name Hash value lots",
            "option Hash cannot be 'lots', expected a whole number from 1 to 65536",
        ),
        (
            "setoption name Hash value 0",
            "option Hash cannot be '0', expected a whole number from 1 to 65536",
        ),
        (
            "setoption name Threads value 1 2",
            "option Threads cannot be '1 2', expected a whole number from 1 to 1024",
        ),
        (
            "setoption name MultiPV value -1",
            "option MultiPV cannot be '-1', expected a whole number from 1 to 256",
        ),
        (
            "setoption name move overhead value 6000",
            "option Move Overhead cannot be '6000', expected a whole number from 0 to 5000",
        ),
        (
            "setoption name Ponder value yes",
            "option Ponder cannot be 'yes', expected true or false",
        ),
        (
            "setoption name LimitStrength value 1",
            "option LimitStrength cannot be '1', expected true or false",
        ),
        (
            "setoption name Elo value 99",
            "option Elo cannot be '99', expected a whole number from 300 to 1600",
        ),
        (
            "setoption name Elo value 9999",
            "option Elo cannot be '9999', expected a whole number from 300 to 1600",
        ),
        (
            "setoption name Elo value strong",
            "option Elo cannot be 'strong', expected a whole number from 300 to 1600",
        ),
        (
            "setoption name OwnBook value true",
            "option OwnBook cannot be 'true': there is no opening book",
        ),
        (
            "setoption name Search value luck",
            "option Search cannot be 'luck', expected auto or alphabeta or mcts",
        ),
        ("setoption name Clear Hash value 3", "option Clear Hash cannot be '3', expected no value"),
        (
            "setoption name Contempt value 3",
            "unknown option 'Contempt', expected one of Game, Hash, Threads, MultiPV, MultiPVFold, Ponder, Move Overhead, Search, ShowWDL, LimitStrength, Elo, OwnBook, Clear Hash, Log File",
        ),
    ] {
        let lines = engine.ask(line);
        assert_eq!(error(&lines), format!("{answer}; nothing changed"), "{line}");
        assert_eq!(engine.query("position"), position, "{line}");
    }
    engine.quit();
}

#[test]
fn a_line_may_be_written_in_many_ways() {
    let mut engine = Engine::start();
    for bytes in
        [b"isready\r\n".as_slice(), b"\tisready \n", b"   isready\t\r\n", b"\n\r\n \t\n\nisready\n"]
    {
        engine.send_bytes(bytes);
        assert_eq!(engine.line(), "readyok");
    }
    engine.send_bytes(b"position\tstartpos \t moves   a1b1\t\r\n");
    assert!(engine.sync().is_empty());
    engine.send_bytes(b"\xff\xfe\x00 isready\n");
    let lines = engine.sync();
    assert!(error(&lines).starts_with("unknown command '\u{fffd}\u{fffd}\\u{0}'"), "{lines:?}");
    engine.send_bytes("a\u{202e}b\u{feff}\u{200b}\n".as_bytes());
    let lines = engine.sync();
    assert!(
        error(&lines).starts_with(r"unknown command 'a\u{202e}b\u{feff}\u{200b}'"),
        "{lines:?}"
    );
    engine.send_bytes(b"isready");
    engine.hang_up();
    assert_eq!(engine.line(), "readyok");
    assert!(engine.end().0.success());
}

#[test]
fn all_options_may_be_set_in_any_case() {
    let mut engine = Engine::start();
    for line in [
        "setoption name hash value 16",
        "setoption name HASH value 16",
        "setoption name threads value 2",
        "setoption name multipv value 1",
        "setoption name ponder value TRUE",
        "setoption name move overhead value 50",
        "setoption name search value AlphaBeta",
        "setoption name showwdl value false",
        "setoption name limitstrength value true",
        "setoption name ELO value 500",
        "setoption name ownbook value false",
        "setoption name clear hash",
        "setoption name Clear Hash value",
        "setoption name Log File value",
        "setoption name Log File value <empty>",
    ] {
        assert!(engine.ask(line).is_empty(), "{line}");
    }
    engine.go("go depth 2");
    engine.quit();
}

#[test]
fn the_log_file_has_the_dialogue() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("a log.txt");
    let mut engine = Engine::start();
    assert!(engine.ask(&format!("setoption name Log File value {}", path.display())).is_empty());
    engine.ask("query p1turn");
    engine.ask("setoption name Log File value");
    engine.ask("query gameover");
    let log = fs::read_to_string(&path).expect("the log");
    let lines: Vec<&str> = log.lines().collect();
    let texts: Vec<&str> = lines.iter().map(|line| &line[13..]).collect();
    assert_eq!(
        texts,
        [
            "> isready",
            "< readyok",
            "> query p1turn",
            "< response true",
            "> isready",
            "< readyok",
            "> setoption name Log File value",
        ]
    );
    assert!(lines.iter().all(|line| line[..12].trim().parse::<f64>().is_ok()), "{log}");
    let answer = engine.ask("setoption name Log File value /nowhere/at/all");
    assert!(error(&answer).starts_with("option Log File: '/nowhere/at/all': "), "{answer:?}");
    engine.quit();
}

#[cfg(target_os = "linux")]
#[test]
fn a_log_file_that_cannot_be_written_is_told_once() {
    let mut engine = Engine::start();
    let lines = engine.ask("setoption name Log File value /dev/full");
    assert!(error(&lines).starts_with("Log File: "), "{lines:?}");
    assert!(error(&lines).ends_with("; the log has ended"), "{lines:?}");
    assert_eq!(engine.ask("query p1turn"), ["response true"]);
    engine.quit();
}

#[test]
fn debug_tells_the_go_as_it_was_understood() {
    let mut engine = Engine::start();
    engine.ask("debug on");
    engine.ask("position startpos moves a1b1");
    for (line, understood) in [
        ("go p2time 900 p1time 5 binc 7 movestogo 3", "go p2time 900 p2inc 7 movestogo 3"),
        ("go depth 1 nodes 50", "go depth 1 nodes 50"),
        ("go win 1 depth 2 searchmoves e5e2 e5e2", "go depth 2 win 1 searchmoves e5e2"),
        ("go movetime -1", "go movetime 0"),
    ] {
        let (lines, _) = engine.go(line);
        assert_eq!(lines[0], format!("info string {understood}"), "{line}");
    }
    engine.send("go infinite");
    assert_eq!(engine.line(), "info string go infinite");
    engine.send("stop");
    engine.best_move();
    engine.quit();
}

#[test]
fn multi_pv_lines_come_together_and_are_ranked() {
    let mut engine = Engine::with(&["--game", "yoxii"]);
    engine.ask("setoption name MultiPV value 4");
    let (lines, best) = engine.go("go depth 3");
    let infos = searched(&lines);
    assert_eq!(infos.len() % 4, 0);
    for batch in infos.chunks(4) {
        let ranks: Vec<i64> = batch.iter().map(|info| number(info, "multipv")).collect();
        assert_eq!(ranks, [1, 2, 3, 4]);
        let scores: Vec<i64> = batch.iter().map(|info| number(info, "cp")).collect();
        assert!(scores.is_sorted_by(|a, b| a >= b), "{scores:?}");
        let mut firsts: Vec<_> = batch.iter().map(|info| field(info, "pv")).collect();
        firsts.sort();
        firsts.dedup();
        assert_eq!(firsts.len(), 4, "different moves");
    }
    assert_eq!(field(infos[infos.len() - 4], "pv"), Some(best.as_str()));
}

#[test]
fn one_line_has_no_rank() {
    let (lines, _) = Engine::start().go("go depth 3");
    assert!(searched(&lines).iter().all(|info| field(info, "multipv").is_none()), "{lines:?}");
}

#[test]
fn search_moves_restrict_the_root() {
    let mut engine = Engine::start();
    let (_, best) = engine.go("go depth 4 searchmoves a1b1");
    assert_eq!(best, "a1b1");
    let (_, best) = engine.go("go searchmoves a1b1 d1e1 a1b1 depth 4");
    assert!(["a1b1", "d1e1"].contains(&best.as_str()), "{best}");
    let (lines, best) = engine.go("go depth 2 searchmoves a1f6 d1e1");
    assert!(lines[0].contains("error: go: searchmoves: move 'a1f6' is not legal"), "{lines:?}");
    assert_eq!(best, "d1e1");
    let (lines, best) = engine.go("go depth 2 searchmoves zz");
    assert!(lines[0].contains("error: go: searchmoves: 'zz' is not a move"), "{lines:?}");
    check_search(&Hokito::start(), &lines, &best);
    let (lines, best) = engine.go("go depth 2 searchmoves");
    assert!(lines[0].contains("error: go: cannot read 'searchmoves'"), "{lines:?}");
    check_search(&Hokito::start(), &lines, &best);
}

#[test]
fn go_win_ends_with_the_proof() {
    let mut engine = Engine::start();
    engine.ask(&format!("position fen {ONE_MOVE}"));
    let (lines, best) = engine.go("go win 1");
    let last = searched(&lines).last().copied().expect("an info line");
    assert_eq!((field(last, "result"), number(last, "cp")), (Some("win"), 1600));
    assert_eq!(best, "f3d3");
    let (lines, _) = Engine::start().go("go win 2");
    let last = searched(&lines).last().cloned().expect("an info line").clone();
    assert_eq!(field(&last, "result"), None, "no win in two plies");
}

#[test]
fn perft_divides() {
    for line in ["perft 2", "go perft 2"] {
        let mut engine = Engine::with(&["--game", "yoxii"]);
        engine.send(line);
        let mut sum = 0;
        for _ in 0..256 {
            let line = engine.line();
            let (mv, leaves) = line.split_once(": ").expect("move: count");
            assert!(Yoxii::start().parse_move(mv).is_ok(), "{line}");
            sum += leaves.parse::<u64>().expect("a count");
        }
        assert_eq!(engine.line(), "");
        assert_eq!(engine.line(), "51136");
        assert_eq!(sum, 51136);
        engine.quit();
    }
}

#[test]
fn a_small_perft_is_done_although_the_input_ends() {
    for end in ["", "quit\n"] {
        let mut engine = Engine::start();
        engine.send_bytes(format!("perft 2\n{end}").as_bytes());
        engine.hang_up();
        let (status, _, lines) = engine.end();
        assert!(status.success());
        assert_eq!(lines.last().map(String::as_str), Some("11876"));
    }
}

#[test]
fn a_large_perft_can_be_stopped() {
    let mut engine = Engine::start();
    engine.send("perft 9");
    assert!(engine.sync().is_empty());
    engine.send("stop");
    assert_eq!(engine.line(), "info string perft stopped");
    engine.send("perft 9");
    engine.send("quit");
    assert!(engine.end().0.success());
}

#[test]
fn eval_draw_help_and_debug_talk_to_people() {
    let mut engine = Engine::start();
    let eval = engine.ask("eval");
    assert!(eval[0].starts_with("info string eval cp "), "{eval:?}");
    assert!(eval[0].ends_with(" points 36 36"), "{eval:?}");
    let drawing = engine.ask("d").join("\n");
    assert!(drawing.contains("Black to move") && drawing.contains(&Hokito::start().notation()));
    let help = engine.ask("help").join("\n");
    for command in ["ugi", "go", "stop", "query", "setoption", "quit"] {
        assert!(help.contains(command), "{command}");
    }
    for line in drawing.lines().chain(help.lines()) {
        let word = line.split(' ').next().unwrap_or_default();
        assert!(!["ugiok", "readyok", "bestmove", "response"].contains(&word), "{line}");
    }
    engine.ask("debug on");
    let lines = engine.ask("moves a1b1");
    assert!(lines[0].starts_with("info string position "), "{lines:?}");
    engine.ask("debug off");
    assert!(engine.ask("moves b4a4").is_empty());
}

#[test]
fn chances_are_told_on_demand_and_sum_to_a_thousand() {
    let mut engine = Engine::with(&["--game", "yoxii"]);
    assert!(searched(&engine.go("go depth 3").0).iter().all(|line| !line.contains(" wdl ")));
    engine.ask("setoption name ShowWDL value true");
    for info in searched(&engine.go("go depth 4").0) {
        let (_, wdl) = info.split_once(" wdl ").expect("chances");
        let sum: u32 = wdl.split(' ').take(3).map(|n| n.parse::<u32>().expect("a number")).sum();
        assert_eq!(sum, 1000, "{info}");
    }
    engine.ask("setoption name Game value hokito");
    engine.ask(&format!("position fen {ONE_MOVE}"));
    assert!(engine.go("go depth 1").0[0].contains(" wdl 1000 0 0 "));
}

#[test]
fn the_bench_can_be_stopped() {
    let mut engine = Engine::start();
    engine.send("bench");
    assert!(engine.sync().is_empty());
    engine.send("stop");
    assert_eq!(engine.line(), "info string bench stopped");
    engine.quit();
}

#[test]
fn images_of_a_move_are_folded_where_asked() {
    let mut engine = Engine::with(&["--game", "yoxii"]);
    engine.ask("setoption name MultiPV value 256");
    // Straight and slantwise, on five of eight squares each, four values.
    for (value, count) in [("true", 40), ("false", 256)] {
        assert!(engine.ask(&format!("setoption name multipvfold value {value}")).is_empty());
        let (lines, best) = engine.go("go depth 1");
        let infos = searched(&lines);
        let last = infos.iter().rposition(|info| number(info, "multipv") == 1).expect("line 1");
        assert_eq!(infos[last..].len(), count);
        assert_eq!(field(infos[last], "pv"), Some(best.as_str()));
    }
}
