//! The command line, run as a user runs it.

use std::fs;
use std::io::{BufRead, BufReader};
use std::process::{Command, Stdio};
use std::thread;

use assert_cmd::Command as Run;
use predicates::prelude::*;
use predicates::str::{contains, is_empty, is_match, starts_with};

fn cairn(arguments: &[&str]) -> Run {
    let mut command = Run::new(env!("CARGO_BIN_EXE_cairn"));
    command.args(arguments);
    command
}

fn stdout(arguments: &[&str]) -> String {
    let output = cairn(arguments).assert().success().get_output().stdout.clone();
    String::from_utf8(output).expect("output is UTF-8")
}

#[test]
fn help_and_version_are_told() {
    cairn(&["--version"]).assert().success().stdout(starts_with("cairn "));
    let help = stdout(&["--help"]);
    for word in [
        "ugi",
        "analyze",
        "perft",
        "bench",
        "selfplay",
        "train",
        "Examples:",
        "RUST_LOG",
        "BOARD SIDE",
    ] {
        assert!(help.contains(word), "{word}");
    }
    for subcommand in ["ugi", "analyze", "perft", "bench", "selfplay", "train"] {
        cairn(&[subcommand, "--help"]).assert().success().stdout(contains("Usage: cairn"));
    }
}

#[test]
fn a_wrong_command_line_is_a_usage_error() {
    for arguments in [
        &["fly"][..],
        &["--game", "chess"],
        &["--game", "yoxii", "bench"],
        &["analyze", "--movetime", "5", "--depth", "3"],
        &["analyze", "--depth", "0"],
        &["analyze", "--nodes", "many"],
        &["analyze", "--lines", "0"],
        &["analyze", "--hash", "99999999"],
        &["analyze", "--elo", "9999"],
        &["analyze", "--elo", "500", "--threads", "2"],
        &["bench", "--depth", "3"],
        &["selfplay", "--games", "0"],
        &["train", "samples"],
    ] {
        cairn(arguments)
            .assert()
            .code(2)
            .stdout(is_empty())
            .stderr(starts_with("error: ").and(contains("--help")));
    }
}

#[test]
fn an_option_before_the_subcommand_is_told_its_place() {
    for arguments in [&["--game", "yoxii", "analyze"][..], &["--game", "yoxii", "perft"]] {
        cairn(arguments)
            .assert()
            .code(2)
            .stderr(contains(format!("tip: put '--game' behind '{}'\n", arguments[2])));
    }
    cairn(&["--game", "yoxii", "bench"]).assert().code(2).stderr(contains("tip:").not());
}

#[test]
fn a_bad_position_is_a_failure_that_names_it() {
    for arguments in
        [&["analyze", "--fen", "nowhere b"][..], &["perft", "--depth", "1", "--fen", "nowhere b"]]
    {
        cairn(arguments)
            .assert()
            .code(1)
            .stdout(is_empty())
            .stderr("error: --fen 'nowhere b' is not a position of Hokito: expected 6 ranks separated by '/', found 1\n");
    }
}

#[test]
fn analysis_ends_with_the_best_move_in_words() {
    let text = stdout(&["analyze", "--fen", ".A..2B./....../....../4c..2b.24A/...a../..2a... w"]);
    assert!(text.contains("White to move, 1 legal move"), "{text}");
    assert!(
        text.contains(
            "Best move f3d3: White moves the stack of 24 with a white 1 on top from f3 onto"
        ),
        "{text}"
    );
    assert!(text.ends_with("White wins by 16 points against any play.\n"), "{text}");
}

#[test]
fn analysis_gets_deeper_and_shows_as_many_lines_as_asked() {
    let text =
        stdout(&["analyze", "--game", "yoxii", "--depth", "4", "--lines", "3", "--hash", "1"]);
    let rows = text.lines().skip_while(|line| !line.starts_with("depth")).skip(1);
    let depths: Vec<u32> =
        rows.map_while(|row| row.split_whitespace().next()?.parse().ok()).collect();
    assert_eq!(depths, [1, 1, 1, 2, 2, 2, 3, 3, 3, 4, 4, 4], "{text}");
    assert_eq!(text.matches("Best move ").count(), 3, "{text}");
    assert!(text.contains("\n3. Best move "), "{text}");
}

#[test]
fn analysis_keeps_to_its_limits() {
    let text = stdout(&["analyze", "--nodes", "3000"]);
    let row = text.lines().rev().find(|line| line.contains("  0.0")).expect("a row");
    let nodes: u64 = row.split_whitespace().nth(2).and_then(|n| n.parse().ok()).expect("nodes");
    assert!(nodes <= 3000 + 4096, "{row}");
    let start = std::time::Instant::now();
    stdout(&["analyze", "--movetime", "100", "--threads", "2"]);
    assert!(start.elapsed().as_secs() < 5);
}

#[test]
fn analyze_shows_what_a_weaker_player_thinks() {
    let late = "4CA.2C../A...../.....C/..6b.../8C...10c2c/....b. b";
    let text = stdout(&["analyze", "--elo", "700", "--fen", late]);
    assert!(text.contains("Best move ") && text.contains(" expected to be "), "{text}");
    assert!(!text.contains("against any play"), "no proof: {text}");
}

#[test]
fn analysis_of_a_game_that_is_over_says_how_it_ended() {
    let text = stdout(&["analyze", "--fen", ".A..2B./....../....../4c..26A../...a../..2a... b"]);
    assert!(text.ends_with("White has won by 16 points.\n"), "{text}");
}

#[test]
fn a_game_record_is_reviewed_move_by_move() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("games.txt");
    let path = path.to_str().expect("a path in UTF-8");
    // White has two moves that keep the draw, and plays another one.
    let fen = "cCC/*bCd./bCbDCDc/...DcBd/....d.A/...cc/..B w";
    let text = format!("[Game \"yoxii\"]\n[Opening \"{fen}\"]\n\n1. b4a4a\n");
    std::fs::write(path, text).expect("the record is written");
    let review = stdout(&["analyze", "--game", "yoxii", "--game-record", path, "--depth", "36"]);
    let row = review.lines().last().expect("a row");
    assert!(row.contains("White  b4a4a  b4c3"), "{review}");
    assert!(row.ends_with("throws a draw away"), "{review}");

    let run = |record: &str| cairn(&["analyze", "--game-record", record]).assert().code(1);
    run(path).stderr(contains("--game-record").and(contains("yoxii")));
    run("/nowhere").stderr(contains("--game-record '/nowhere'"));
    std::fs::write(path, "1. a1b1 a1b1\n").expect("the record is written");
    run(path).stderr(contains("a1 is empty"));
}

#[test]
fn the_bench_is_the_same_twice_and_side_by_side() {
    let runs: Vec<_> = (0..2).map(|_| thread::spawn(|| stdout(&["bench"]))).collect();
    let nodes: Vec<Vec<String>> = runs
        .into_iter()
        .map(|run| {
            let text = run.join().expect("the bench runs");
            assert!(
                is_match("^hokito [0-9]+\nyoxii [0-9]+\n[0-9]+ nodes [0-9]+ nps\n$")
                    .expect("a pattern")
                    .eval(&text),
                "{text}"
            );
            text.split_whitespace().take(5).map(str::to_string).collect()
        })
        .collect();
    assert_eq!(nodes[0], nodes[1]);
}

#[cfg(unix)]
#[test]
fn analysis_ends_with_the_best_move_also_after_ctrl_c() {
    use nix::sys::signal::{Signal, kill};
    let mut child = Command::new(env!("CARGO_BIN_EXE_cairn"))
        .args(["analyze", "--movetime", "600000", "--hash", "1"])
        .stdout(Stdio::piped())
        .spawn()
        .expect("the program starts");
    let stdout = child.stdout.take().expect("stdout is a pipe");
    let mut lines = BufReader::new(stdout).lines().map(|line| line.expect("output is UTF-8"));
    lines.find(|line| line.starts_with("    1 ")).expect("the row of depth 1");
    let id = i32::try_from(child.id()).expect("the id of a process");
    kill(nix::unistd::Pid::from_raw(id), Signal::SIGINT).expect("the signal is sent");
    let rest: Vec<String> = lines.collect();
    assert!(rest.iter().any(|line| line.starts_with("Best move ")), "{rest:?}");
    assert!(child.wait().expect("the program ends").success());
}

/// Reads one line of what the program writes, then closes the pipe.
#[test]
fn a_broken_pipe_is_no_error() {
    for arguments in
        [&["analyze", "--depth", "4"][..], &["perft", "--depth", "3", "--divide"], &["ugi"]]
    {
        let mut child = Command::new(env!("CARGO_BIN_EXE_cairn"))
            .args(arguments)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("the program starts");
        let stdin = child.stdin.take();
        if arguments == ["ugi"] {
            let mut stdin = stdin.as_ref().expect("stdin is a pipe");
            std::io::Write::write_all(&mut stdin, b"go infinite\n").expect("the engine reads");
        }
        let mut line = String::new();
        let mut reader = BufReader::new(child.stdout.take().expect("stdout is a pipe"));
        reader.read_line(&mut line).expect("the program writes");
        drop(reader);
        drop(stdin);
        let output = child.wait_with_output().expect("the program ends");
        assert!(output.status.success(), "{arguments:?}: {}", output.status);
        let errors = String::from_utf8_lossy(&output.stderr);
        assert!(
            !errors.contains("error") && !errors.contains("panicked"),
            "{arguments:?}: {errors}"
        );
    }
}

#[test]
fn diagnostics_go_to_standard_error_when_asked() {
    cairn(&["analyze", "--depth", "1"])
        .env("RUST_LOG", "trace")
        .assert()
        .success()
        .stdout(contains("Best move"));
    cairn(&[]).write_stdin("quit\n").env("RUST_LOG", "trace").assert().success().stdout(is_empty());
}

#[test]
fn a_network_is_trained_on_games_of_the_engine_against_itself() {
    let directory = tempfile::tempdir().expect("a directory for the test");
    let path = |name: &str| directory.path().join(name).display().to_string();
    for game in ["hokito", "yoxii"] {
        let selfplay = ["selfplay", "--game", game, "--games", "60", "--nodes", "100"];
        let samples = stdout(&selfplay);
        assert_eq!(samples, stdout(&[&selfplay[..], &["--threads", "2"]].concat()));
        assert_ne!(samples, stdout(&[&selfplay[..], &["--seed", "1000"]].concat()));
        // Samples of a thousand lines are kept apart, so that there must be more.
        fs::write(path("samples"), samples.repeat(5)).expect("the file is written");
        let (samples, network) = (path("samples"), path("network"));
        let train = ["train", "--game", game, "--epochs", "2", "--out", &network, &samples];
        cairn(&train).assert().success().stdout(is_empty()).stderr(contains("epoch 2: loss 0."));
        let size = fs::metadata(&network).expect("the network is written").len();
        assert_eq!(
            size,
            fs::metadata(format!("src/games/{game}/{game}.net")).expect("there").len()
        );
    }
}

#[test]
fn what_is_no_sample_is_told_with_its_place() {
    let directory = tempfile::tempdir().expect("a directory for the test");
    let path = |name: &str| directory.path().join(name).display().to_string();
    let (samples, network) = (path("samples"), path("network"));
    let train = ["train", "--out", &network, &samples];
    cairn(&train).assert().code(1).stderr(starts_with(format!("error: {samples}: ")));
    let good = "CBACBA/ACBACB/BACBAC/cabcab/bcabca/abcabc b;10;-2;0\n";
    fs::write(&samples, good).expect("the file is written");
    cairn(&train).assert().code(1).stderr(contains("only 1 samples"));
    fs::write(&samples, format!("{good}nothing\n")).expect("the file is written");
    cairn(&train).assert().code(1).stderr(contains("samples, line 2: expected a sample"));
    assert!(!directory.path().join("network").exists());
    fs::write(&samples, good.repeat(2000)).expect("the file is written");
    let network = path("nowhere/network");
    cairn(&["train", "--out", &network, &samples])
        .assert()
        .code(1)
        .stderr(starts_with(format!("error: {network}: ")));
}
