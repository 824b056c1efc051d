//! A reader who does not read, reads late, or cannot be written to.

use std::io::{Read, Write};
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use crate::engine::SILENCE;

/// Far more than the 100 ms of protocol.md, for a machine that is busy.
const SOON: Duration = Duration::from_secs(3);

fn start(stdout: Stdio) -> Child {
    Command::new(env!("CARGO_BIN_EXE_cairn"))
        .args(["--game", "yoxii"])
        .stdin(Stdio::piped())
        .stdout(stdout)
        .stderr(Stdio::piped())
        .spawn()
        .expect("the engine starts")
}

fn send(child: &mut Child, text: &str) {
    let stdin = child.stdin.as_mut().expect("stdin is a pipe");
    stdin.write_all(text.as_bytes()).expect("the engine reads");
}

/// Waits for the end, which must come soon; the exit status and what was said on standard error.
fn end(mut child: Child, what: &str) -> (Option<i32>, String) {
    let start = Instant::now();
    let status = loop {
        if let Some(status) = child.try_wait().expect("the engine can be waited for") {
            break status;
        }
        let hangs = start.elapsed() > SOON;
        if hangs {
            let _ = child.kill();
        }
        assert!(!hangs, "the engine does not end: {what}");
        thread::sleep(Duration::from_millis(1));
    };
    let mut words = String::new();
    child.stderr.take().expect("a pipe").read_to_string(&mut words).expect("words are UTF-8");
    (status.code(), words)
}

/// More than a pipe holds is answered to each of these, and never read.
#[test]
fn a_reader_who_does_not_read_holds_up_neither_quit_nor_the_end() {
    for (what, flood) in [
        ("drawings", "d\n".repeat(20_000)),
        ("readyok", "isready\n".repeat(100_000)),
        ("options", "ugi\n".repeat(5000)),
        ("drawings before a count", "d\n".repeat(20_000) + "perft 7\n"),
        (
            "drawings before many lines of a search",
            "d\n".repeat(20_000) + "setoption name MultiPV value 256\ngo infinite\n",
        ),
    ] {
        for quit in [true, false] {
            let mut child = start(Stdio::piped());
            send(&mut child, &flood);
            thread::sleep(SILENCE);
            if quit {
                send(&mut child, "quit\n");
            } else {
                child.stdin = None;
            }
            let (status, words) = end(child, what);
            assert_eq!(status, Some(1), "{what}: {words}");
            assert!(words.contains("nobody reads them"), "{what}: {words}");
        }
    }
}

/// The engine still obeys: the search is stopped. Nothing is lost when the reader reads at last.
#[test]
fn a_late_reader_gets_everything() {
    let mut child = start(Stdio::piped());
    send(&mut child, &("isready\n".repeat(50_000) + "go infinite\nstop\nquery p1turn\n"));
    thread::sleep(SILENCE);
    let mut stdout = child.stdout.take().expect("stdout is a pipe");
    let reader = thread::spawn(move || {
        let mut text = String::new();
        stdout.read_to_string(&mut text).map(|_| text)
    });
    thread::sleep(SILENCE);
    send(&mut child, "quit\n");
    let (status, words) = end(child, "read late");
    assert_eq!((status, words.as_str()), (Some(0), ""));
    let text = reader.join().expect("no panic").expect("answers are UTF-8");
    let count = |word| text.lines().filter(|line| line.split(' ').next() == Some(word)).count();
    assert_eq!([count("readyok"), count("bestmove"), count("response")], [50_000, 1, 1]);
}

#[test]
fn more_than_a_reader_will_ever_read_ends_the_engine() {
    let mut child = start(Stdio::piped());
    let stdin = child.stdin.as_mut().expect("stdin is a pipe");
    // 24 MB of answers. The engine may be gone before all is sent.
    let _ = stdin.write_all("d\n".repeat(32_000).as_bytes());
    let (status, words) = end(child, "24 MB");
    assert_eq!(status, Some(1), "{words}");
    assert!(words.contains("nobody reads them"), "{words}");
}

#[cfg(target_os = "linux")]
#[test]
fn answers_that_cannot_be_written_are_a_failure() {
    for input in ["isready\n", "go nodes 10\nquit\n", "ugi\nisready\nisready\nperft 1\n"] {
        let full = std::fs::File::options().write(true).open("/dev/full").expect("/dev/full");
        let mut child = start(full.into());
        // The engine may be gone before all is sent.
        let _ = child.stdin.as_mut().expect("stdin is a pipe").write_all(input.as_bytes());
        child.stdin = None;
        let (status, words) = end(child, input);
        assert_eq!(status, Some(1), "{words}");
        assert!(words.starts_with("error: cannot write to standard output: "), "{words}");
        assert_eq!(words.lines().count(), 1, "{words}");
    }
}

#[test]
fn a_reader_who_has_gone_is_no_failure() {
    let mut child = start(Stdio::piped());
    child.stdout = None;
    let _ = child.stdin.as_mut().expect("stdin is a pipe").write_all(b"isready\nisready\n");
    child.stdin = None;
    assert_eq!(end(child, "gone"), (Some(0), String::new()));
}
