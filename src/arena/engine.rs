//! An engine as a process that speaks UGI.
//!
//! One thread reads what the engine prints and stamps every line with the time of its arrival, so
//! that the time charged for a move does not depend on when the runner gets to look at it.

mod process;

use std::io::{self, Write};
use std::path::Path;
use std::process::{Child, ChildStdin};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::time::{Duration, Instant};

use super::declared::Declared;
use super::info::Info;
use super::record::Reason;
use super::spec::EngineSpec;
pub use process::kill_all;
use process::{Dialogue, LastWords, Line};

/// How often a waiting runner looks whether the match was stopped.
const STOP_POLL: Duration = Duration::from_millis(20);
/// How long an engine has to leave after `quit`, and a crashed one to be seen as ended.
const LEAVE: Duration = Duration::from_millis(500);
/// The same when whoever stopped the match waits for its summary.
const LEAVE_INTERRUPTED: Duration = Duration::from_millis(50);
/// How long an engine has to answer a `query`. Not all know the command.
const QUERY: Duration = Duration::from_secs(1);

/// What an engine did wrong.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Failure {
    /// The kind of failure.
    pub reason: Reason,
    /// What happened, for a person.
    pub detail: String,
}

/// Why an engine gave no answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Stop {
    /// By its own fault.
    Failed(Failure),
    /// The match was stopped.
    Interrupted,
}

/// Why an engine is not running.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NoStart {
    /// There is no process, or no log of it: nothing that the engine could do about.
    Unable(String),
    /// The process did not get ready, or the match was stopped.
    Stop(Stop),
}

/// The answer to `go`.
#[derive(Clone, Debug)]
pub struct Answer {
    /// The word behind `bestmove`; empty if there was none.
    pub mv: String,
    /// From just before the command was written until the line arrived.
    pub time: Duration,
    /// The last complete `info` line about the best move.
    pub info: Info,
}

/// A running engine. Dropping it ends the process and everything that the process has started.
pub struct Engine {
    child: Child,
    stdin: Option<ChildStdin>,
    lines: Receiver<Line>,
    dialogue: Dialogue,
    last_words: LastWords,
    grace: Duration,
    answers_queries: bool,
    options: Vec<Declared>,
    stop: Arc<AtomicBool>,
}

impl Engine {
    /// Starts the program, shakes hands and sets its options. An engine of several games, that is,
    /// with an option `Game`, is told which one it is.
    ///
    /// `grace` is how long it may take for each answer, `log` a file to which its dialogue is
    /// appended, and `stop` ends every waiting when it becomes true.
    ///
    /// # Errors
    /// When the program cannot be run, does not speak UGI, or the match was stopped.
    pub fn start(
        spec: &EngineSpec,
        game: &str,
        grace: Duration,
        log: Option<&Path>,
        stop: Arc<AtomicBool>,
    ) -> Result<Self, NoStart> {
        let dialogue = Dialogue::open(log).map_err(|error| {
            let log = log.unwrap_or(Path::new("")).display();
            NoStart::Unable(format!("the log '{log}' cannot be written: {error}"))
        })?;
        let process = process::spawn(&spec.command, &dialogue).map_err(|error| {
            let program = spec.command.first().map_or("", String::as_str);
            NoStart::Unable(format!("'{program}' cannot be run: {error}"))
        })?;
        let mut engine = Self {
            child: process.child,
            stdin: Some(process.stdin),
            lines: process.lines,
            dialogue,
            last_words: process.last_words,
            grace,
            answers_queries: true,
            options: Vec::new(),
            stop,
        };
        match engine.handshake(spec, game) {
            Ok(()) => Ok(engine),
            Err(Stop::Failed(Failure { detail, .. })) => {
                Err(NoStart::Stop(Stop::Failed(Failure { reason: Reason::Start, detail })))
            }
            Err(stop) => Err(NoStart::Stop(stop)),
        }
    }

    fn handshake(&mut self, spec: &EngineSpec, game: &str) -> Result<(), Stop> {
        self.send("ugi")?;
        let deadline = Instant::now() + self.grace;
        loop {
            let line = self.receive(deadline, "ugi")?;
            if let Some(option) = Declared::parse(&line.text) {
                self.options.push(option);
            } else if line.text == "ugiok" {
                break;
            }
        }
        if let Some(option) = self.option("game") {
            self.send(&format!("setoption name {} value {game}", option.name))?;
        }
        for (name, value) in &spec.options {
            self.send(&format!("setoption name {name} value {value}"))?;
        }
        self.wait_ready()
    }

    /// The declaration of an option.
    fn option(&self, name: &str) -> Option<&Declared> {
        self.options.iter().find(|option| option.name.eq_ignore_ascii_case(name))
    }

    /// What speaks against these options and their values, by what the engine declares: sentences
    /// for a person without their subject, the engine.
    #[must_use]
    pub fn objections(&self, options: &[(String, String)]) -> Vec<String> {
        let objection = |(name, value): &(String, String)| match self.option(name) {
            Some(option) => option.objection(value),
            None => Some(format!("does not declare the option '{name}'")),
        };
        options.iter().filter_map(objection).collect()
    }

    /// Makes the engine forget the last game.
    ///
    /// # Errors
    /// When it is not ready in time or the match was stopped.
    pub fn new_game(&mut self) -> Result<(), Stop> {
        self.send("uginewgame")?;
        self.wait_ready()
    }

    fn wait_ready(&mut self) -> Result<(), Stop> {
        self.send("isready")?;
        let deadline = Instant::now() + self.grace;
        while self.receive(deadline, "isready")?.text != "readyok" {}
        Ok(())
    }

    /// Sends a position and waits until the engine has taken it. Whatever it still had to say to
    /// earlier commands is out of the way then.
    ///
    /// # Errors
    /// When it is not ready in time, the engine is gone, or the match was stopped.
    pub fn position(&mut self, command: &str) -> Result<(), Stop> {
        self.send(command)?;
        self.wait_ready()
    }

    /// Sends a `go` command and waits for the move. `patience` is how long to wait for it.
    ///
    /// # Errors
    /// When no answer came in time, the engine is gone, or the match was stopped.
    pub fn go(&mut self, command: &str, patience: Duration) -> Result<Answer, Stop> {
        let start = self.send(command)?;
        let mut info = Info::default();
        loop {
            let line = self.receive(start + patience, "go")?;
            let mut words = line.text.split_ascii_whitespace();
            match words.next() {
                Some("info") => info.update(words),
                Some("bestmove") => {
                    let mv = words.next().unwrap_or_default().to_string();
                    return Ok(Answer { mv, time: line.at.saturating_duration_since(start), info });
                }
                _ => {}
            }
        }
    }

    /// Asks for a fact about the position. `None` when the engine does not answer such questions.
    ///
    /// # Errors
    /// When the engine is gone or the match was stopped.
    pub fn query(&mut self, what: &str) -> Result<Option<String>, Stop> {
        if !self.answers_queries {
            return Ok(None);
        }
        self.send(&format!("query {what}"))?;
        let deadline = Instant::now() + QUERY;
        loop {
            match self.receive(deadline, "query") {
                Ok(line) => {
                    if let Some(answer) = line.text.strip_prefix("response ") {
                        return Ok(Some(answer.trim().to_string()));
                    }
                }
                Err(Stop::Failed(Failure { reason: Reason::Hang, .. })) => {
                    self.answers_queries = false;
                    return Ok(None);
                }
                Err(stop) => return Err(stop),
            }
        }
    }

    /// Sends a line. When that was: the log is written before and is not charged to the engine.
    fn send(&mut self, line: &str) -> Result<Instant, Stop> {
        self.dialogue.write('>', line);
        let at = Instant::now();
        let written = self.stdin.as_mut().map(|stdin| {
            stdin.write_all(format!("{line}\n").as_bytes())?;
            stdin.flush()
        });
        match written {
            Some(Ok(())) => Ok(at),
            _ => Err(self.crashed()),
        }
    }

    /// The next line of the engine.
    fn receive(&mut self, deadline: Instant, question: &str) -> Result<Line, Stop> {
        loop {
            if self.stop.load(Ordering::Relaxed) {
                return Err(Stop::Interrupted);
            }
            let now = Instant::now();
            // Also an engine that never stops talking has to answer in time.
            if now >= deadline {
                return Err(Stop::Failed(Failure {
                    reason: Reason::Hang,
                    detail: format!("no answer to '{question}'"),
                }));
            }
            match self.lines.recv_timeout(STOP_POLL.min(deadline - now)) {
                Ok(line) => return Ok(line),
                // Something that the engine has started may keep its output open when it is gone.
                Err(RecvTimeoutError::Timeout) if process::has_ended(&mut self.child) => {
                    return self.lines.try_recv().map_err(|_| self.crashed());
                }
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => return Err(self.crashed()),
            }
        }
    }

    fn crashed(&mut self) -> Stop {
        let mut detail = match process::wait(&mut self.child, LEAVE) {
            Some(status) => format!("the process ended with {status}"),
            None => "it closed its output".to_string(),
        };
        let words = self.last_words.hear(LEAVE);
        if !words.is_empty() {
            detail += &format!(": {words}");
        }
        Stop::Failed(Failure { reason: Reason::Crash, detail })
    }
}

impl Drop for Engine {
    fn drop(&mut self) {
        // The end of its input tells an engine to leave as `quit` does, if it reads at all.
        let _ = self.send_quit();
        self.stdin = None;
        let interrupted = self.stop.load(Ordering::Relaxed);
        process::end(&mut self.child, if interrupted { LEAVE_INTERRUPTED } else { LEAVE });
    }
}

impl Engine {
    fn send_quit(&mut self) -> io::Result<()> {
        self.dialogue.write('>', "quit");
        match &mut self.stdin {
            Some(stdin) => stdin.write_all(b"quit\n"),
            None => Ok(()),
        }
    }
}
