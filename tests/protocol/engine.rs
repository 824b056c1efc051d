//! The binary as a child process.

use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, Command, ExitStatus, Stdio};
use std::sync::mpsc::{self, Receiver};
use std::thread;
use std::time::{Duration, Instant};

/// Longer than anything takes on a busy machine. A test that waits this long has failed.
pub const PATIENCE: Duration = Duration::from_secs(30);

/// Long enough for a line that must not come to come.
pub const SILENCE: Duration = Duration::from_millis(150);

/// A running engine. It is killed when it goes out of scope.
pub struct Engine {
    child: Child,
    stdin: Option<ChildStdin>,
    lines: Receiver<String>,
}

impl Engine {
    pub fn start() -> Self {
        Self::with(&[])
    }

    pub fn with(arguments: &[&str]) -> Self {
        let mut child = Command::new(env!("CARGO_BIN_EXE_cairn"))
            .args(arguments)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::inherit())
            .spawn()
            .expect("the engine starts");
        let stdin = child.stdin.take();
        let stdout = child.stdout.take().expect("stdout is a pipe");
        let (sender, lines) = mpsc::channel();
        thread::spawn(move || {
            let mut reader = BufReader::new(stdout);
            let mut bytes = Vec::new();
            while reader.read_until(b'\n', &mut bytes).is_ok_and(|n| n > 0) {
                let line = String::from_utf8(bytes.clone()).expect("replies are UTF-8");
                let line = line.strip_suffix('\n').expect("replies end with a line feed");
                if sender.send(line.to_string()).is_err() {
                    break;
                }
                bytes.clear();
            }
        });
        Self { child, stdin, lines }
    }

    /// Sends a line.
    pub fn send(&mut self, line: &str) {
        self.send_bytes(format!("{line}\n").as_bytes());
    }

    pub fn send_bytes(&mut self, bytes: &[u8]) {
        let stdin = self.stdin.as_mut().expect("stdin is open");
        stdin.write_all(bytes).and_then(|()| stdin.flush()).expect("the engine reads");
    }

    /// The most memory that the process had in use so far, in MiB, where the system tells.
    pub fn peak_memory(&self) -> Option<usize> {
        let status = std::fs::read_to_string(format!("/proc/{}/status", self.child.id())).ok()?;
        let line = status.lines().find(|line| line.starts_with("VmHWM:"))?;
        Some(line.split_whitespace().nth(1)?.parse::<usize>().ok()?.div_ceil(1024))
    }

    /// Ends the engine's input.
    pub fn hang_up(&mut self) {
        self.stdin = None;
    }

    /// The next line, `None` when none comes in this time or the engine has ended.
    pub fn line_within(&mut self, time: Duration) -> Option<String> {
        self.lines.recv_timeout(time).ok()
    }

    /// The next line.
    pub fn line(&mut self) -> String {
        self.line_within(PATIENCE).expect("the engine answers")
    }

    /// The first line that begins with this word, and the lines before it.
    pub fn until(&mut self, word: &str) -> (Vec<String>, String) {
        let mut before = Vec::new();
        let end = Instant::now() + PATIENCE;
        loop {
            let left = end.saturating_duration_since(Instant::now());
            match self.line_within(left) {
                Some(line) if line.split(' ').next() == Some(word) => return (before, line),
                Some(line) => before.push(line),
                None => panic!("no line '{word} ...', but {before:?}"),
            }
        }
    }

    /// What comes until everything sent so far is done.
    pub fn sync(&mut self) -> Vec<String> {
        self.send("isready");
        self.until("readyok").0
    }

    /// Sends a line and gives what it is answered at once.
    pub fn ask(&mut self, line: &str) -> Vec<String> {
        self.send(line);
        self.sync()
    }

    /// The one word behind `response` to a query.
    pub fn query(&mut self, what: &str) -> String {
        let answer = self.ask(&format!("query {what}"));
        let [line] = answer.as_slice() else { panic!("one answer to query {what}: {answer:?}") };
        line.strip_prefix("response ").expect("a response").to_string()
    }

    /// Sends a `go` and gives the `info` lines and the move.
    pub fn go(&mut self, line: &str) -> (Vec<String>, String) {
        self.send(line);
        self.best_move()
    }

    /// The lines up to the `bestmove`, and the move.
    pub fn best_move(&mut self) -> (Vec<String>, String) {
        let (before, line) = self.until("bestmove");
        let words: Vec<&str> = line.split(' ').collect();
        let ["bestmove", mv] = words.as_slice() else { panic!("two words: {line}") };
        (before, (*mv).to_string())
    }

    /// Nothing comes for a while.
    pub fn is_silent(&mut self) {
        assert_eq!(self.line_within(SILENCE), None);
    }

    /// Waits for the end of the process. Gives its status, the time that took, and the lines that
    /// were not read before.
    pub fn end(mut self) -> (ExitStatus, Duration, Vec<String>) {
        let start = Instant::now();
        while start.elapsed() < PATIENCE {
            if let Some(status) = self.child.try_wait().expect("the engine can be waited for") {
                let time = start.elapsed();
                return (status, time, self.lines.iter().collect());
            }
            thread::sleep(Duration::from_millis(1));
        }
        panic!("the engine does not end");
    }

    /// Sends `quit` and sees the engine end well and soon.
    pub fn quit(mut self) {
        self.send("quit");
        let (status, time, _) = self.end();
        assert!(status.success(), "{status}");
        assert!(time < Duration::from_secs(5), "quit took {time:?}");
    }
}

impl Drop for Engine {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// The word behind a name in an `info` line.
pub fn field<'a>(info: &'a str, name: &str) -> Option<&'a str> {
    let mut words = info.split(' ');
    words.find(|word| *word == name)?;
    words.next()
}

/// The number behind a name in an `info` line.
pub fn number(info: &str, name: &str) -> i64 {
    let word = field(info, name).unwrap_or_else(|| panic!("no {name} in '{info}'"));
    word.parse().unwrap_or_else(|_| panic!("{name} is no whole number in '{info}'"))
}

/// The `info` lines that tell of a search.
pub fn searched(lines: &[String]) -> Vec<&String> {
    lines.iter().filter(|line| line.starts_with("info depth ")).collect()
}

/// The one error among the lines.
pub fn error(lines: &[String]) -> &str {
    let [line] = lines else { panic!("one line: {lines:?}") };
    line.strip_prefix("info string error: ").unwrap_or_else(|| panic!("an error: {line}"))
}
