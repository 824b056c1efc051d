//! Ctrl-C ends what takes long, and nothing that was finished is lost.

#![cfg(unix)]

use std::fs;
use std::io::{BufRead, BufReader, Read};
use std::process::{Command, Output, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;

/// Far more than the 100 ms that it takes, for a machine that is busy; far less than the work.
const LIMIT: Duration = Duration::from_secs(4);

/// Runs the program, interrupts it so long after the first line with this beginning, and gives what
/// it wrote behind that line.
fn interrupted(arguments: &[&str], line: &str, after: Duration) -> Output {
    let mut child = Command::new(env!("CARGO_BIN_EXE_cairn"))
        .args(arguments)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut stdout = BufReader::new(child.stdout.take().unwrap());
    let mut stderr = BufReader::new(child.stderr.take().unwrap());
    let output = thread::scope(|scope| {
        let wait = |reader: &mut dyn BufRead| {
            assert!(reader.lines().any(|read| read.unwrap().starts_with(line)), "no line {line}");
            thread::sleep(after);
        };
        match line {
            "" => thread::sleep(after),
            "epoch" => wait(&mut stderr),
            _ => wait(&mut stdout),
        }
        let rest = scope.spawn(|| {
            let mut text = Vec::new();
            stderr.read_to_end(&mut text).unwrap();
            text
        });
        let start = Instant::now();
        kill(Pid::from_raw(child.id() as i32), Signal::SIGINT).unwrap();
        let mut text = Vec::new();
        stdout.read_to_end(&mut text).unwrap();
        let status = child.wait().unwrap();
        let time = start.elapsed();
        assert!(time < LIMIT, "{arguments:?} took {time:?}");
        Output { status, stdout: text, stderr: rest.join().unwrap() }
    });
    assert!(output.status.code().is_some(), "{arguments:?}: {}", output.status);
    output
}

fn texts(output: &Output) -> (&str, &str) {
    (str::from_utf8(&output.stdout).unwrap(), str::from_utf8(&output.stderr).unwrap())
}

#[test]
fn perft_keeps_the_depths_that_are_finished() {
    for (threads, table) in [("1", &[][..]), ("16", &[]), ("5", &["--hash", "16"])] {
        let arguments = [&["perft", "--depth", "12", "--threads", threads], table].concat();
        let output = interrupted(&arguments, "3 1155403", Duration::from_millis(5));
        let (stdout, stderr) = texts(&output);
        let finished = 3 + stdout.lines().count();
        assert_eq!(output.status.code(), Some(1));
        assert!(stderr.contains(&format!("counted to depth {finished} of 12: ")), "{stderr}");
    }
    let arguments = ["perft", "--depth", "9", "--divide", "--threads", "2"];
    let output = interrupted(&arguments, "", Duration::from_millis(300));
    let (stdout, stderr) = texts(&output);
    assert_eq!((output.status.code(), stdout), (Some(1), ""));
    assert!(stderr.contains("nothing was counted to its end"), "{stderr}");
}

#[test]
fn solve_tells_what_is_proven() {
    let fen = "C.BA2CC/..BA.A/2bB.2A4CB/b.caa2c/c..2a2c./aba2ba. b";
    for threads in ["1", "16"] {
        let arguments = ["solve", "--fen", fen, "--threads", threads, "--hash", "1"];
        let output = interrupted(&arguments, "", Duration::from_millis(500));
        let (stdout, stderr) = texts(&output);
        assert!(output.status.success(), "{stderr}");
        assert!(stdout.contains("bounds "), "{stdout}");
        assert!(stderr.ends_with(", stopped\n"), "{stderr}");
    }
}

/// Also those of games that were finished since the last lines were written.
#[test]
fn selfplay_writes_the_samples_of_all_finished_games() {
    let arguments =
        ["selfplay", "--games", "100000", "--nodes", "500", "--threads", "2", "--game", "yoxii"];
    let output = interrupted(&arguments, "", Duration::from_millis(1000));
    let (stdout, stderr) = texts(&output);
    assert_eq!(output.status.code(), Some(1));
    let words = stderr.split_once("stopped after ").expect(stderr).1;
    let games: usize = words.split(' ').next().unwrap().parse().unwrap();
    let whole = Command::new(env!("CARGO_BIN_EXE_cairn"))
        .args(["selfplay", "--games", &games.next_multiple_of(256).to_string()])
        .args(&arguments[3..])
        .output()
        .unwrap();
    // Whichever games of a batch are unfinished: what there is stands in the whole in this order.
    let mut whole = texts(&whole).0.lines();
    assert!(games > 2, "{stderr}");
    assert!(stdout.lines().count() > games && stdout.ends_with('\n'), "{games}: {stdout}");
    assert!(stdout.lines().all(|line| whole.any(|other| other == line)), "{games} games");
}

#[test]
fn train_writes_what_was_learnt() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).to_str().unwrap().to_string();
    let samples = Command::new(env!("CARGO_BIN_EXE_cairn"))
        .args(["selfplay", "--games", "200", "--nodes", "50", "--game", "yoxii"])
        .output()
        .unwrap();
    fs::write(path("samples"), samples.stdout).unwrap();
    let (net, samples) = (path("net"), path("samples"));
    let train = ["train", "--game", "yoxii", "--epochs", "1000", "--out", &net, &samples];
    let output = interrupted(&train, "epoch", Duration::ZERO);
    let (_, stderr) = texts(&output);
    assert_eq!(output.status.code(), Some(1));
    let stopped = stderr.lines().last().unwrap();
    assert!(stopped.contains("stopped after ") && stopped.contains(" of 1000 epochs"), "{stderr}");
    let length = include_bytes!("../src/games/yoxii/yoxii.net").len() as u64;
    assert_eq!(fs::metadata(&net).unwrap().len(), length);
}
