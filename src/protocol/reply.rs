//! The lines that go out, and the one place where they are written.

use std::fmt;
use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use crate::game::Playable;
use crate::outside::visible;
use crate::search::report::Report;

/// The move that is written where there is no legal move.
pub const NULL_MOVE: &str = "0000";

/// No answer is longer than this many characters, apart from those that list things.
const LONGEST_NOTE: usize = 500;

/// Something that the engine says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Reply {
    /// The answer to `ugi`: name, author and options; the last line is `ugiok` or `uciok`.
    Identity {
        /// The declarations of all options, a line each.
        options: Vec<String>,
        /// The last line.
        last: &'static str,
    },
    /// `readyok`.
    ReadyOk,
    /// `response ...`, to a query only.
    Response(String),
    /// `info ...` about a search.
    Info(Box<Info>),
    /// `bestmove ...`, to a `go` only: exactly two words.
    BestMove(Option<String>),
    /// `info string ...`: something worth knowing.
    Note(String),
    /// `info string error: ...`: why nothing was done.
    Error(String),
    /// Lines for a person who asked for them, each ended by a line feed.
    Text(String),
}

/// What one `info` line tells about a search.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Info {
    /// Plies of the iteration.
    pub depth: u32,
    /// The longest line looked at, in plies.
    pub selective_depth: u32,
    /// The rank of the line, if more than one is asked for.
    pub line: Option<usize>,
    /// The expected or proven final margin in hundredths of a point, for the side to move.
    pub centipoints: i32,
    /// Chances to win, draw and lose in thousandths, if asked for.
    pub wdl: Option<[u32; 3]>,
    /// `win`, `draw` or `loss` once it is proven.
    pub result: Option<&'static str>,
    /// Positions visited.
    pub nodes: u64,
    /// Positions a second.
    pub nodes_per_second: u64,
    /// Use of the table in thousandths.
    pub hash_full: u32,
    /// Milliseconds since the search began.
    pub millis: u128,
    /// The principal variation.
    pub pv: Vec<String>,
}

impl Info {
    /// The line for a report; `several` when more than one line was asked for.
    #[must_use]
    pub fn new<G: Playable>(
        report: &Report<G::Move>,
        several: bool,
        wdl: Option<[u32; 3]>,
    ) -> Self {
        let result = match report.score {
            _ if !report.proven => None,
            score if score.is_win() => Some("win"),
            score if score.is_loss() => Some("loss"),
            _ => Some("draw"),
        };
        Self {
            depth: report.depth,
            selective_depth: report.selective_depth,
            line: several.then_some(report.line),
            centipoints: report.score.centipoints(),
            wdl,
            result,
            nodes: report.nodes,
            nodes_per_second: report.nodes_per_second(),
            hash_full: report.hash_full,
            millis: report.time.as_millis(),
            pv: report.pv.iter().map(|&mv| G::move_text(mv)).collect(),
        }
    }
}

impl fmt::Display for Info {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "info depth {} seldepth {}", self.depth, self.selective_depth)?;
        if let Some(line) = self.line {
            write!(f, " multipv {line}")?;
        }
        write!(f, " score cp {}", self.centipoints)?;
        if let Some([win, draw, loss]) = self.wdl {
            write!(f, " wdl {win} {draw} {loss}")?;
        }
        if let Some(result) = self.result {
            write!(f, " result {result}")?;
        }
        write!(
            f,
            " nodes {} nps {} hashfull {} time {}",
            self.nodes, self.nodes_per_second, self.hash_full, self.millis
        )?;
        if !self.pv.is_empty() {
            write!(f, " pv {}", self.pv.join(" "))?;
        }
        Ok(())
    }
}

impl fmt::Display for Reply {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Identity { options, last } => {
                writeln!(f, "id name Cairn {}", env!("CARGO_PKG_VERSION"))?;
                writeln!(f, "id author the Cairn authors")?;
                for option in options {
                    writeln!(f, "{option}")?;
                }
                writeln!(f, "{last}")
            }
            Self::ReadyOk => writeln!(f, "readyok"),
            Self::Response(text) => writeln!(f, "response {text}"),
            Self::Info(info) => writeln!(f, "{info}"),
            Self::BestMove(mv) => writeln!(f, "bestmove {}", mv.as_deref().unwrap_or(NULL_MOVE)),
            Self::Note(text) => write_note(f, "info string ", text),
            Self::Error(text) => write_note(f, "info string error: ", text),
            Self::Text(text) => f.write_str(text),
        }
    }
}

/// One line, whatever the text holds.
fn write_note(f: &mut fmt::Formatter<'_>, start: &str, text: &str) -> fmt::Result {
    f.write_str(start)?;
    let kept: String = text.chars().take(LONGEST_NOTE).collect();
    f.write_str(&visible(&kept))?;
    f.write_str(if text.chars().nth(LONGEST_NOTE).is_some() { "...\n" } else { "\n" })
}

/// Where replies go. All threads share one, and whole replies come out of it.
pub struct Output {
    sinks: Mutex<Sinks>,
    started: Instant,
    closed: AtomicBool,
    logging: AtomicBool,
}

struct Sinks {
    writer: Box<dyn Write + Send>,
    log: Option<BufWriter<File>>,
}

impl Output {
    /// Replies to this writer.
    #[must_use]
    pub fn new(writer: Box<dyn Write + Send>) -> Self {
        Self {
            sinks: Mutex::new(Sinks { writer, log: None }),
            started: Instant::now(),
            closed: AtomicBool::new(false),
            logging: AtomicBool::new(false),
        }
    }

    /// Writes and flushes a reply. When nobody reads any more, [`is_closed`](Output::is_closed)
    /// tells it from then on.
    pub fn send(&self, reply: &Reply) {
        let text = reply.to_string();
        let mut sinks = self.lock();
        self.log(&mut sinks, '<', &text);
        self.write(&mut sinks, &text);
    }

    fn write(&self, sinks: &mut Sinks, text: &str) {
        let written = sinks.writer.write_all(text.as_bytes()).and_then(|()| sinks.writer.flush());
        if let Err(error) = written {
            log::debug!("stdout: {error}");
            self.closed.store(true, Ordering::Release);
        }
    }

    /// Notes in the log file that a line came in. Without a log file it never waits, so that a
    /// `quit` is obeyed even while a reply hangs in a pipe that nobody reads.
    pub fn received(&self, line: &str) {
        if !self.logging.load(Ordering::Acquire) {
            return;
        }
        let mut sinks = self.lock();
        self.log(&mut sinks, '>', line);
    }

    /// Whether a reply could not be written.
    #[must_use]
    pub fn is_closed(&self) -> bool {
        self.closed.load(Ordering::Acquire)
    }

    /// Logs the dialogue at the end of this file from now on, or no longer.
    ///
    /// # Errors
    /// When the file cannot be opened; the log then goes on where it went.
    pub fn set_log(&self, path: Option<&Path>) -> io::Result<()> {
        let log = match path {
            None => None,
            Some(path) => {
                Some(BufWriter::new(File::options().append(true).create(true).open(path)?))
            }
        };
        let mut sinks = self.lock();
        self.logging.store(log.is_some(), Ordering::Release);
        sinks.log = log;
        Ok(())
    }

    /// Every line of the text with the time since the start in seconds and the direction. A log that
    /// cannot be written any more is dropped, which the other side is told: the dialogue matters more.
    fn log(&self, sinks: &mut Sinks, direction: char, text: &str) {
        let Some(log) = &mut sinks.log else {
            return;
        };
        let time = self.started.elapsed().as_secs_f64();
        let mut write = || -> io::Result<()> {
            for line in text.lines() {
                writeln!(log, "{time:>12.6} {direction} {line}")?;
            }
            log.flush()
        };
        if let Err(error) = write() {
            sinks.log = None;
            self.logging.store(false, Ordering::Release);
            let reply = Reply::Error(format!("Log File: {error}; the log has ended"));
            self.write(sinks, &reply.to_string());
        }
    }

    fn lock(&self) -> MutexGuard<'_, Sinks> {
        self.sinks.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
