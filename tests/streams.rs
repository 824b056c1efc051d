//! What becomes of output that cannot be written, and of text from outside that cannot be seen.

use std::fs;
use std::path::Path;
use std::process::{Command, Output, Stdio};

/// A late position of Hokito with a single move.
const LATE: &str = ".A..2B./....../....../4c..2b.24A/...a../..2a... w";

fn cairn(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_cairn"));
    command.args(arguments).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

fn run(command: &mut Command) -> Output {
    command.output().expect("the program runs")
}

/// The end of a pipe that nobody reads.
fn closed_pipe() -> Stdio {
    let (_, writer) = std::io::pipe().expect("a pipe");
    writer.into()
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).expect("output is UTF-8")
}

/// A path in a folder, as an argument.
fn path(folder: &Path, name: &str) -> String {
    folder.join(name).to_str().expect("a path in UTF-8").to_string()
}

/// A folder with the games and records that [`results`] needs.
fn files() -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    let game = format!("[Opening \"{LATE}\"]\n\n1. f3d3\n");
    fs::write(path(folder.path(), "game"), game).expect("the game is written");
    let player =
        |name| format!(r#"{{"name":"{name}","command":["x"],"options":[],"limits":"nodes=1"}}"#);
    let record = format!(
        "{{\"game\":\"hokito\",\"pair\":0,\"leg\":0,\"players\":[{},{}],\
         \"opening\":\"{LATE}\",\"begins\":2,\"moves\":[{{\"move\":\"f3d3\",\"ms\":1.0}}],\
         \"result\":\"p2win\",\"reason\":\"rules\",\"points\":[15,31]}}",
        player("A"),
        player("B")
    );
    fs::write(path(folder.path(), "records"), format!("{record}\n"))
        .expect("the record is written");
    let spoilt = format!("{record}\n{}\n", record.replace("p2win", "p1win"));
    fs::write(path(folder.path(), "spoilt"), spoilt).expect("the records are written");
    let samples = run(&mut cairn(&["selfplay", "--games", "60", "--nodes", "20"])).stdout;
    fs::write(path(folder.path(), "samples"), samples.repeat(5)).expect("the samples are written");
    folder
}

/// A command line for everything that is written to standard output, apart from the dialogue.
fn results(folder: &Path) -> Vec<Vec<String>> {
    let (game, records) = (path(folder, "game"), path(folder, "records"));
    let mut all: Vec<Vec<&str>> = vec![
        vec!["--version"],
        vec!["--help"],
        vec!["-h"],
        vec!["help"],
        vec!["help", "match"],
        vec!["perft", "--depth", "2"],
        vec!["perft", "--depth", "2", "--divide"],
        vec!["solve", "--fen", LATE],
        vec!["solve", "--all", "--fen", LATE],
        vec!["selfplay", "--games", "2", "--nodes", "10"],
        vec!["openings", "--count", "3"],
        vec!["analyze", "--depth", "1", "--hash", "1"],
        vec!["analyze", "--fen", LATE],
        vec!["analyze", "--depth", "1", "--hash", "1", "--game-record", &game],
        vec!["match", "--report", &records],
        vec!["bench"],
    ];
    for name in
        ["ugi", "analyze", "match", "openings", "solve", "perft", "selfplay", "train", "bench"]
    {
        all.push(vec![name, "--help"]);
    }
    all.into_iter().map(|words| words.into_iter().map(str::to_string).collect()).collect()
}

#[cfg(target_os = "linux")]
#[test]
fn a_result_that_cannot_be_written_is_a_failure() {
    let folder = files();
    for arguments in results(folder.path()) {
        let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
        let full = fs::File::options().write(true).open("/dev/full").expect("Linux has it");
        let output = run(cairn(&words).stdout(full));
        let stderr = text(&output.stderr);
        assert_eq!(output.status.code(), Some(1), "{words:?}: {stderr}");
        let last = stderr.lines().last().expect("a line");
        assert!(last.starts_with("error: standard output: No space left"), "{words:?}: {stderr}");
    }
}

#[test]
fn a_result_that_nobody_reads_is_none() {
    let folder = files();
    for arguments in results(folder.path()) {
        let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
        let output = run(cairn(&words).stdout(closed_pipe()));
        let stderr = text(&output.stderr);
        assert!(output.status.success(), "{words:?}: {} {stderr}", output.status);
        assert!(!stderr.contains("error") && !stderr.contains("panicked"), "{words:?}: {stderr}");
    }
}

/// The kinds of standard error that take nothing, as what comes behind a command in a shell.
#[cfg(target_os = "linux")]
const SILENT: [&str; 3] = ["2>/dev/full", "2>&-", "2</dev/null"];

#[cfg(target_os = "linux")]
#[test]
fn a_remark_that_cannot_be_written_changes_no_result() {
    let folder = files();
    let [game, spoilt, samples] = ["game", "spoilt", "samples"].map(|it| path(folder.path(), it));
    let cases: &[&[&str]] = &[
        &["perft", "--depth", "3"],
        &["perft", "--depth", "2", "--divide"],
        &["solve", "--all", "--fen", LATE],
        &["selfplay", "--games", "20", "--nodes", "10"],
        &["openings", "--count", "30", "--max-score", "20", "--nodes", "10"],
        // It has no times in it, which differ from run to run.
        &["analyze", "--depth", "1", "--hash", "1", "--game-record", &game],
        &["match", "--report", &spoilt],
        &["help", "perft"],
    ];
    for arguments in cases {
        let expected = run(&mut cairn(arguments));
        assert!(expected.status.success() && !expected.stdout.is_empty(), "{arguments:?}");
        for silent in SILENT {
            let output = run(shell(arguments, silent).env("RUST_LOG", "trace"));
            assert!(output.status.success(), "{arguments:?} {silent}: {}", output.status);
            assert_eq!(text(&output.stdout), text(&expected.stdout), "{arguments:?} {silent}");
        }
    }
    // The exit status is what it is with somebody who listens.
    for silent in SILENT {
        assert_eq!(run(&mut shell(&["fly"], silent)).status.code(), Some(2));
        assert_eq!(run(&mut shell(&["solve", "--fen", "x"], silent)).status.code(), Some(1));
        let network = path(folder.path(), "network");
        let train = ["train", "--epochs", "2", "--out", &network, &samples];
        assert!(run(&mut shell(&train, silent)).status.success(), "{silent}");
        let size = fs::metadata(&network).expect("the network is written").len();
        assert_eq!(size, fs::metadata("src/games/hokito/hokito.net").expect("there").len());
        fs::remove_file(&network).expect("it is there");
    }
}

/// The program with its standard error redirected by a shell.
#[cfg(target_os = "linux")]
fn shell(arguments: &[&str], redirection: &str) -> Command {
    let mut command = Command::new("sh");
    command.arg("-c").arg(format!("\"$@\" {redirection}")).arg("sh");
    command.arg(env!("CARGO_BIN_EXE_cairn")).args(arguments);
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

#[test]
fn what_cannot_be_seen_is_shown() {
    let folder = tempfile::tempdir().expect("a folder");
    let evil = "\u{202e}a\u{200b}\u{1b}[31m\u{feff}";
    let shown = r"\u{202e}a\u{200b}\u{1b}[31m\u{feff}";
    let file = path(folder.path(), "file");
    let network = path(folder.path(), "network");
    fs::write(&file, format!("{evil}\n")).expect("the file is written");
    let engine = format!("--engine=cmd={evil}");
    let name = format!("--engine=name={evil},cmd=x");
    let cases: &[(&[&str], i32)] = &[
        (&["solve", "--fen", evil], 1),
        (&["perft", "--depth", "1", "--fen", evil], 1),
        (&["analyze", "--game-record", evil], 1),
        (&["analyze", "--game-record", &file], 1),
        (&["openings", "--setup", evil], 1),
        (&["match", "--report", evil], 1),
        (&["match", &engine, "--engine=name=B,cmd=x", "--nodes=1"], 1),
        (&["match", &name, "--engine=name=B,cmd=x", "--nodes=1"], 1),
        (&["match", "--engine=cmd=a", "--engine=cmd=b", "--nodes=1", "--openings", evil], 1),
        (&["train", "--out", &network, evil], 1),
        (&["--game", evil], 2),
        (&[evil], 2),
        (&["match", "--sprt", evil], 2),
        (&["match", "--engine", evil], 2),
    ];
    for (arguments, code) in cases {
        let output = run(&mut cairn(arguments));
        let stderr = text(&output.stderr);
        assert_eq!(output.status.code(), Some(*code), "{arguments:?}: {stderr}");
        assert!(stderr.contains(shown), "{arguments:?}: {stderr}");
        assert!(stderr.lines().all(|line| line.chars().all(cairn::outside::is_visible)));
    }
}

#[test]
fn a_byte_order_mark_is_skipped_in_every_file() {
    let folder = files();
    let network = path(folder.path(), "network");
    for name in ["game", "samples"] {
        let file = path(folder.path(), name);
        let arguments: Vec<&str> = match name {
            "game" => vec!["analyze", "--depth", "1", "--hash", "1", "--game-record", &file],
            _ => vec!["train", "--epochs", "1", "--out", &network, &file],
        };
        let content = fs::read(&file).expect("the file is there");
        fs::write(&file, [b"\xef\xbb\xbf", &content[..]].concat()).expect("the file is written");
        let output = run(&mut cairn(&arguments));
        assert!(output.status.success(), "{name}: {}", text(&output.stderr));
        // As some editors write it.
        for (mark, order) in [(b"\xff\xfe", "little"), (b"\xfe\xff", "big")] {
            fs::write(&file, [mark, &content[..]].concat()).expect("the file is written");
            let stderr = text(&run(&mut cairn(&arguments)).stderr);
            let expected = format!("the text is in UTF-16 ({order}-endian), expected UTF-8");
            assert!(stderr.contains(&expected) && stderr.contains(&file), "{stderr}");
        }
    }
}
