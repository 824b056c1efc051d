//! The one place where replies are written, by a thread of its own.
//!
//! Whoever replies puts the text into a queue and goes on, so that a reader who does not read holds
//! up neither a search nor the listener.

use std::fs::File;
use std::io::{self, BufWriter, ErrorKind, Write};
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use super::reply::Reply;

/// Bytes that are written at once: each such part that the reader takes shows that it reads.
const PART: usize = 4096;
/// When more bytes wait, what nobody has asked for is left out.
const MANY: usize = 1 << 16;
/// So many bytes may wait; before more come, the reader has to take some.
const MOST: usize = 1 << 24;
/// A reader who takes nothing for so long, while something waits, does not read.
const STUCK: Duration = Duration::from_millis(50);

/// Where replies go. All threads share one, and whole replies come out of it.
pub struct Output {
    shared: Arc<Shared>,
    started: Instant,
    log: Mutex<Option<BufWriter<File>>>,
    logging: AtomicBool,
}

/// What the writing thread and all others share.
struct Shared {
    queue: Mutex<Queue>,
    /// Something was put into the queue or taken out.
    changed: Condvar,
}

struct Queue {
    waiting: Vec<u8>,
    /// Bytes that were taken out and are not written yet.
    writing: usize,
    /// When the reader last took something, or something came that had not to wait.
    progress: Instant,
    /// Nothing more will be written.
    closed: bool,
    error: Option<io::Error>,
}

impl Queue {
    fn len(&self) -> usize {
        self.waiting.len() + self.writing
    }

    fn is_stuck(&self) -> bool {
        self.len() > 0 && self.progress.elapsed() >= STUCK
    }

    fn close(&mut self, error: Option<io::Error>) {
        self.closed = true;
        self.error = self.error.take().or(error);
    }
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, Queue> {
        self.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn wait<'a>(&self, queue: MutexGuard<'a, Queue>) -> MutexGuard<'a, Queue> {
        self.changed.wait(queue).unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits until no more than so many bytes wait. Where the reader does not read, all ends.
    fn wait_for_room(&self, most: usize) -> MutexGuard<'_, Queue> {
        let mut queue = self.lock();
        while !queue.closed && queue.len() > most {
            if queue.is_stuck() {
                let bytes = queue.len();
                let text = format!("{bytes} bytes of answers wait, and nobody reads them");
                queue.close(Some(io::Error::new(ErrorKind::TimedOut, text)));
            } else {
                let waited = self.changed.wait_timeout(queue, STUCK);
                queue = waited.unwrap_or_else(PoisonError::into_inner).0;
            }
        }
        queue
    }

    /// Writes what comes until the queue is closed.
    fn write(&self, writer: &mut dyn Write) {
        let mut queue = self.lock();
        while !queue.closed {
            if queue.waiting.is_empty() {
                queue = self.wait(queue);
                continue;
            }
            let text = std::mem::take(&mut queue.waiting);
            queue.writing = text.len();
            drop(queue);
            let written = text.chunks(PART).try_for_each(|part| {
                writer.write_all(part)?;
                let mut queue = self.lock();
                queue.writing -= part.len();
                queue.progress = Instant::now();
                Ok(())
            });
            let written = written.and_then(|()| writer.flush());
            queue = self.lock();
            if let Err(error) = written {
                log::debug!("stdout: {error}");
                queue.close(Some(error));
            }
            self.changed.notify_all();
        }
    }
}

impl Output {
    /// Replies to this writer.
    ///
    /// # Errors
    /// When the operating system has no more threads.
    pub fn new(mut writer: Box<dyn Write + Send>) -> io::Result<Self> {
        let queue = Queue {
            waiting: Vec::new(),
            writing: 0,
            progress: Instant::now(),
            closed: false,
            error: None,
        };
        let shared = Arc::new(Shared { queue: Mutex::new(queue), changed: Condvar::new() });
        let writing = Arc::clone(&shared);
        thread::Builder::new()
            .name("output".to_string())
            .spawn(move || writing.write(&mut *writer))?;
        Ok(Self {
            shared,
            started: Instant::now(),
            log: Mutex::new(None),
            logging: AtomicBool::new(false),
        })
    }

    /// Has a reply written and flushed soon. When nobody reads any more,
    /// [`is_closed`](Output::is_closed) tells it from then on.
    ///
    /// It waits only when 16 MiB wait to be read; if the reader takes none of them, the output is
    /// closed.
    pub fn send(&self, reply: &Reply) {
        let text = reply.to_string();
        // The lines of the log come in the order of the replies.
        let mut log = self.logging.load(Ordering::Acquire).then(|| self.lock_log());
        if let Some(log) = &mut log {
            self.log(log, '<', &text);
        }
        self.enqueue(&text);
    }

    fn enqueue(&self, text: &str) {
        let mut queue = self.shared.wait_for_room(MOST);
        if queue.closed {
            return;
        }
        if queue.len() == 0 {
            queue.progress = Instant::now();
        }
        queue.waiting.extend_from_slice(text.as_bytes());
        self.shared.changed.notify_all();
    }

    /// Notes in the log file that a line came in.
    pub fn received(&self, line: &str) {
        if self.logging.load(Ordering::Acquire) {
            self.log(&mut self.lock_log(), '>', line);
        }
    }

    /// Whether a reply could not be written, or would not have been read.
    #[must_use]
    pub fn is_closed(&self) -> bool {
        self.shared.lock().closed
    }

    /// Whether so much waits to be read that what nobody has asked for is better left out.
    #[must_use]
    pub fn is_behind(&self) -> bool {
        self.shared.lock().len() > MANY
    }

    /// Whether something waits to be read and the reader does not read.
    #[must_use]
    pub fn is_stuck(&self) -> bool {
        self.shared.lock().is_stuck()
    }

    /// Waits until all replies are written, as long as the reader takes some now and then, and ends
    /// the output.
    ///
    /// # Errors
    /// When a reply could not be written, or was not read. That the reader has gone is no error.
    pub fn finish(&self) -> io::Result<()> {
        let mut queue = self.shared.wait_for_room(0);
        queue.close(None);
        self.shared.changed.notify_all();
        match queue.error.take() {
            Some(error) if error.kind() != ErrorKind::BrokenPipe => Err(error),
            _ => Ok(()),
        }
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
        let mut current = self.lock_log();
        self.logging.store(log.is_some(), Ordering::Release);
        *current = log;
        Ok(())
    }

    /// Every line of the text with the time since the start in seconds and the direction. A log
    /// that cannot be written any more is dropped, which the other side is told: the dialogue
    /// matters more.
    fn log(&self, log: &mut Option<BufWriter<File>>, direction: char, text: &str) {
        let Some(file) = log else {
            return;
        };
        let time = self.started.elapsed().as_secs_f64();
        let mut write = || -> io::Result<()> {
            for line in text.lines() {
                writeln!(file, "{time:>12.6} {direction} {line}")?;
            }
            file.flush()
        };
        if let Err(error) = write() {
            *log = None;
            self.logging.store(false, Ordering::Release);
            let reply = Reply::Error(format!("Log File: {error}; the log has ended"));
            self.enqueue(&reply.to_string());
        }
    }

    fn lock_log(&self) -> MutexGuard<'_, Option<BufWriter<File>>> {
        self.log.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Output {
    /// Lets the writing thread end.
    fn drop(&mut self) {
        self.shared.lock().close(None);
        self.shared.changed.notify_all();
    }
}
