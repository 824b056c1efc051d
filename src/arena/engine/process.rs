//! The process of an engine: its pipes, its log, and its end.

use std::fs::{File, OpenOptions};
use std::io::{self, BufRead, BufReader, Read, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, Command, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::{Duration, Instant};

use wait_timeout::ChildExt;

use crate::outside::excerpt;

/// Longer lines are cut: no answer of an engine is that long.
const MAX_LINE: usize = 1 << 16;
/// Characters that are kept of a line on standard error.
const LONGEST_LAST_WORDS: usize = 200;
/// Lines that may wait to be looked at. An engine that prints more waits itself.
const MAX_WAITING: usize = 1 << 10;

/// A line that an engine printed, without the end of line.
#[derive(Clone, Debug)]
pub struct Line {
    /// When it arrived.
    pub at: Instant,
    /// The line.
    pub text: String,
}

/// A process with threads that read its output.
pub struct Process {
    pub child: Child,
    pub stdin: ChildStdin,
    pub lines: Receiver<Line>,
    pub last_words: LastWords,
}

/// The last line that a process printed on its standard error.
pub struct LastWords {
    line: Arc<Mutex<String>>,
    /// Hangs up when the process has closed its standard error; nothing is ever sent.
    closed: Receiver<()>,
}

impl LastWords {
    /// The line, for a process that has ended: at most this long it is awaited. Empty if there was
    /// none.
    pub fn hear(&self, patience: Duration) -> String {
        let _ = self.closed.recv_timeout(patience);
        self.line.lock().map(|line| line.clone()).unwrap_or_default()
    }
}

/// The process groups that are alive, for an end in a hurry.
static ALIVE: Mutex<Vec<u32>> = Mutex::new(Vec::new());

/// Kills every engine of this program at once, for a program that is about to be aborted.
pub fn kill_all() {
    let alive = match ALIVE.lock() {
        Ok(alive) => alive,
        Err(poisoned) => poisoned.into_inner(),
    };
    for &group in alive.iter() {
        kill_group(group);
    }
}

/// Runs a program in a process group of its own: a Ctrl-C on the terminal is for the runner, and
/// the engine can be killed together with whatever it has started.
pub fn spawn(command: &[String], dialogue: &Dialogue) -> io::Result<Process> {
    let (program, arguments) = command
        .split_first()
        .ok_or_else(|| io::Error::new(io::ErrorKind::InvalidInput, "the command is empty"))?;
    let mut command = Command::new(program);
    command.args(arguments).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    #[cfg(unix)]
    std::os::unix::process::CommandExt::process_group(&mut command, 0);
    let mut child = command.spawn()?;
    lock_alive().push(child.id());
    let (Some(stdin), Some(stdout), Some(stderr)) =
        (child.stdin.take(), child.stdout.take(), child.stderr.take())
    else {
        end(&mut child, Duration::ZERO);
        return Err(io::Error::other("the process has no pipes"));
    };
    let (sender, lines) = sync_channel(MAX_WAITING);
    let (open, closed) = sync_channel(0);
    let last_words = LastWords { line: Arc::default(), closed };
    thread::spawn({
        let dialogue = dialogue.clone();
        move || forward(BufReader::new(stdout), &sender, &dialogue)
    });
    thread::spawn({
        let (dialogue, line) = (dialogue.clone(), Arc::clone(&last_words.line));
        move || {
            remember(BufReader::new(stderr), &line, &dialogue);
            drop(open);
        }
    });
    Ok(Process { child, stdin, lines, last_words })
}

/// Sends lines on until the engine closes its output or nobody listens any more.
fn forward(mut output: impl BufRead, sender: &SyncSender<Line>, dialogue: &Dialogue) {
    while let Some(text) = read_line(&mut output) {
        let at = Instant::now();
        dialogue.write('<', &text);
        if sender.send(Line { at, text }).is_err() {
            return;
        }
    }
}

fn remember(mut output: impl BufRead, last_words: &Mutex<String>, dialogue: &Dialogue) {
    while let Some(text) = read_line(&mut output) {
        dialogue.write('!', &text);
        if !text.trim().is_empty()
            && let Ok(mut last_words) = last_words.lock()
        {
            *last_words = excerpt(&text, LONGEST_LAST_WORDS);
        }
    }
}

/// The next line, cut to [`MAX_LINE`] bytes, with anything that is not UTF-8 replaced. `None` at
/// the end.
fn read_line(input: &mut impl BufRead) -> Option<String> {
    let mut bytes = Vec::new();
    input.by_ref().take(MAX_LINE as u64).read_until(b'\n', &mut bytes).ok()?;
    if bytes.is_empty() {
        return None;
    }
    if bytes.len() == MAX_LINE && bytes.last() != Some(&b'\n') {
        input.skip_until(b'\n').ok()?;
    }
    Some(String::from_utf8_lossy(&bytes).trim_end_matches(['\r', '\n']).to_string())
}

/// Waits at most this long for a process to end by itself.
pub fn wait(child: &mut Child, patience: Duration) -> Option<ExitStatus> {
    child.wait_timeout(patience).ok().flatten()
}

/// Whether a process has ended.
pub fn has_ended(child: &mut Child) -> bool {
    matches!(child.try_wait(), Ok(Some(_)))
}

/// Gives a process some time to end by itself, then kills it and all that it has started.
pub fn end(child: &mut Child, patience: Duration) {
    let group = child.id();
    let _ = wait(child, patience);
    kill_group(group);
    let _ = child.kill();
    let _ = child.wait();
    lock_alive().retain(|&alive| alive != group);
}

fn lock_alive() -> std::sync::MutexGuard<'static, Vec<u32>> {
    ALIVE.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
}

#[cfg(unix)]
fn kill_group(group: u32) {
    use nix::sys::signal::{Signal, killpg};
    use nix::unistd::Pid;

    if let Ok(group) = i32::try_from(group) {
        // That the group is gone already is what we want.
        let _ = killpg(Pid::from_raw(group), Signal::SIGKILL);
    }
}

#[cfg(not(unix))]
fn kill_group(_: u32) {}

/// The log of what is said to an engine (`>`), what it says (`<`) and what it prints on its
/// standard error (`!`), with the seconds since its start.
#[derive(Clone)]
pub struct Dialogue {
    start: Instant,
    file: Option<Arc<Mutex<File>>>,
}

impl Dialogue {
    /// Goes on with a log file, or keeps no log.
    pub fn open(path: Option<&Path>) -> io::Result<Self> {
        let file = match path {
            Some(path) => Some(OpenOptions::new().create(true).append(true).open(path)?),
            None => None,
        };
        Ok(Self { start: Instant::now(), file: file.map(|file| Arc::new(Mutex::new(file))) })
    }

    /// Adds a line. A log that cannot be written is no reason to end a match.
    pub fn write(&self, mark: char, text: &str) {
        if let Some(file) = &self.file
            && let Ok(mut file) = file.lock()
        {
            let seconds = self.start.elapsed().as_secs_f64();
            let _ = file.write_all(format!("{seconds:10.4} {mark} {text}\n").as_bytes());
        }
    }
}
