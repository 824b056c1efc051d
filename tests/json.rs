//! `--json`: an object on every line, for scripts.

use assert_cmd::Command;
use serde_json::Value;

/// The objects that a command writes.
fn objects(arguments: &[&str]) -> Vec<Value> {
    let run = Command::new(env!("CARGO_BIN_EXE_cairn")).args(arguments).assert().success();
    let text = String::from_utf8(run.get_output().stdout.clone()).expect("output is UTF-8");
    let object = |line| serde_json::from_str(line).unwrap_or_else(|e| panic!("{e}: {line}"));
    let objects: Vec<Value> = text.lines().map(object).collect();
    assert!(!objects.is_empty() && objects.iter().all(Value::is_object), "{text}");
    objects
}

fn of_kind<'a>(objects: &'a [Value], kind: &str) -> Vec<&'a Value> {
    objects.iter().filter(|object| object["kind"] == kind).collect()
}

fn numbers(objects: &[&Value], field: &str) -> Vec<i64> {
    objects.iter().map(|object| object[field].as_i64().expect(field)).collect()
}

/// Red to move wins by nothing but the number of pieces, with one move; the others lose.
const LATE: &str = ".../ba.../C.cBcc./*CB..B./.C.d.c./cCDDC/dDd r";
const LATE_MOVES: usize = 4;
/// White has the one move f3d3, which ends the game.
const ONE_MOVE: &str = ".A..2B./....../....../4c..2b.24A/...a../..2a... w";

#[test]
fn analysis_reports_and_ends_with_results() {
    let arguments = ["analyze", "--json", "--depth", "4", "--lines", "3", "--hash", "1"];
    let objects = objects(&[&arguments[..], &["--game", "yoxii"]].concat());
    let (reports, results) = (of_kind(&objects, "report"), of_kind(&objects, "result"));
    assert_eq!(reports.len() + results.len(), objects.len());
    assert_eq!(numbers(&reports, "depth"), [1, 1, 1, 2, 2, 2, 3, 3, 3, 4, 4, 4]);
    assert_eq!(numbers(&reports, "line"), [1, 2, 3].repeat(4));
    assert_eq!(numbers(&results, "line"), [1, 2, 3]);
    assert_eq!(numbers(&results, "score_cp"), numbers(&reports[9..], "score_cp"));
    for object in &objects {
        assert_eq!((&object["result"], &object["exact"]), (&Value::Null, &Value::Bool(false)));
        assert!(object["pv"].as_array().is_some_and(|pv| pv.iter().all(Value::is_string)));
        for field in ["seldepth", "nodes", "nps", "hashfull", "time_ms"] {
            assert!(object[field].is_u64(), "{field}: {object}");
        }
    }
    assert_eq!(objects[objects.len() - 3..].iter().collect::<Vec<_>>(), results);
}

#[test]
fn analysis_tells_what_is_proven() {
    let analyze = ["analyze", "--json", "--hash", "4"];
    let objects = objects(&[&analyze[..], &["--fen", ONE_MOVE]].concat());
    let results = of_kind(&objects, "result");
    let [result] = results.as_slice() else { panic!("one result: {objects:?}") };
    assert_eq!((&result["result"], &result["exact"]), (&"win".into(), &true.into()));
    assert_eq!((&result["score_cp"], &result["pv"][0]), (&1600.into(), &"f3d3".into()));
}

#[test]
fn analysis_of_a_game_that_is_over_has_a_result_without_a_move() {
    let over = ".A..2B./....../....../4c..26A../...a../..2a... b";
    let objects = objects(&["analyze", "--json", "--fen", over]);
    assert_eq!(objects.len(), 1);
    let result = &objects[0];
    assert_eq!((&result["kind"], &result["result"]), (&"result".into(), &"loss".into()));
    assert_eq!((&result["score_cp"], &result["exact"]), (&(-1600).into(), &true.into()));
    assert_eq!(result["pv"], Value::Array(Vec::new()));
}

#[test]
fn a_game_record_has_an_object_for_each_move() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("games.txt");
    let path = path.to_str().expect("a path in UTF-8");
    // White has two moves that keep the draw, and plays another one.
    let draw = "cCC/*bCd./bCbDCDc/...DcBd/....d.A/...cc/..B w";
    std::fs::write(path, format!("[Game \"yoxii\"]\n[Opening \"{draw}\"]\n\n1. b4a4a\n"))
        .expect("the record is written");
    let arguments = ["analyze", "--json", "--depth", "36", "--game-record", path];
    let moves = objects(&[&arguments[..], &["--game", "yoxii"]].concat());
    let [step] = moves.as_slice() else { panic!("one move: {moves:?}") };
    assert_eq!(
        (&step["kind"], &step["game"], &step["ply"]),
        (&"move".into(), &1.into(), &1.into())
    );
    assert_eq!((&step["player"], &step["played"]), (&"White".into(), &"b4a4a".into()));
    let best = step["best"].as_str().expect("a move");
    assert!(best.starts_with("b4c3"), "{best}");
    assert_eq!(step["result"], "draw");
    assert_eq!((&step["score_cp"], &step["played_result"]), (&0.into(), &"loss".into()));
    let lost = step["lost_cp"].as_i64().expect("a number");
    assert_eq!(Some(-lost), step["played_score_cp"].as_i64());

    std::fs::write(path, format!("[Game \"hokito\"]\n[Opening \"{ONE_MOVE}\"]\n\n1... f3d3\n"))
        .expect("the record is written");
    let objects = objects(&arguments);
    let [step, end] = objects.as_slice() else { panic!("a move and the end: {objects:?}") };
    assert_eq!((&step["lost_cp"], &step["score_cp"]), (&0.into(), &1600.into()));
    assert_eq!((&end["kind"], &end["game"]), (&"end".into(), &1.into()));
    assert_eq!((&end["result"], &end["margin"]), (&"p2win".into(), &(-16).into()));
}

#[test]
fn solve_gives_the_position_and_its_moves() {
    let solve = ["solve", "--json", "--hash", "4", "--game", "yoxii", "--fen", LATE];
    let alone = objects(&solve);
    let objects = objects(&[&solve[..], &["--all"]].concat());
    let (results, moves) = (of_kind(&objects, "result"), of_kind(&objects, "move"));
    let [result] = results.as_slice() else { panic!("one result: {objects:?}") };
    assert_eq!((results.len() + moves.len(), alone.len()), (objects.len(), 1));
    for field in ["kind", "result", "margin", "lower", "upper", "best", "pv", "nodes"] {
        assert_eq!(result[field], alone[0][field], "{field}");
    }
    assert!(result["time_ms"].is_u64());
    assert_eq!((&result["result"], &result["margin"]), (&"win".into(), &0.into()));
    assert_eq!((&result["best"], &result["pv"][0]), (&"b5a4b".into(), &"b5a4b".into()));
    assert_eq!(moves.len(), LATE_MOVES);
    assert_eq!(moves[0]["move"], result["best"]);
    let margins = numbers(&moves, "margin");
    assert!(margins.windows(2).all(|pair| pair[0] >= pair[1]), "{margins:?}");
    for solved in moves {
        let margin = solved["margin"].as_i64().expect("a number");
        assert_eq!(
            (solved["lower"].as_i64(), solved["upper"].as_i64()),
            (Some(margin), Some(margin))
        );
        assert_eq!(solved["pv"][0], solved["move"]);
        let loses = solved["result"] == "loss";
        assert_eq!(loses, solved["move"] != result["best"], "{solved}");
    }
}

#[test]
fn solve_of_a_game_that_is_over_has_no_move() {
    let over = ".A..2B./....../....../4c..26A../...a../..2a... b";
    let objects = objects(&["solve", "--json", "--fen", over]);
    let result = &objects[0];
    assert_eq!((&result["result"], &result["margin"]), (&"loss".into(), &(-16).into()));
    assert!(result.as_object().is_some_and(|result| result.contains_key("best")));
    assert_eq!((&result["best"], &result["pv"]), (&Value::Null, &Value::Array(Vec::new())));
}
