//! What runs beside the listener: a search, a perft or a bench on a thread of its own.

use std::io;
use std::sync::mpsc::{self, Receiver, RecvTimeoutError};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use super::output::Output;
use super::reply::{Info, Reply};
use super::wdl;
use crate::game::Playable;
use crate::search::Searcher;
use crate::search::limits::{Control, Limits};
use crate::search::report::Report;

/// A searcher that a job takes along and gives back.
pub type Engine<G> = Box<dyn Searcher<G>>;

/// Something that runs on a thread of its own until it is done or stopped.
pub struct Job<G: Playable> {
    thread: JoinHandle<Option<Engine<G>>>,
    control: Arc<Control>,
    /// Hangs up when the job is done; nothing is ever sent.
    done: Receiver<()>,
}

impl<G: Playable> Job<G> {
    /// Starts a job. It gives back the searcher that it took along, if it took one.
    ///
    /// # Errors
    /// When the operating system has no more threads.
    pub fn start(
        control: Control,
        work: impl FnOnce(&Control) -> Option<Engine<G>> + Send + 'static,
    ) -> io::Result<Self> {
        let control = Arc::new(control);
        let (alive, done) = mpsc::channel::<()>();
        let shared = Arc::clone(&control);
        let thread = thread::Builder::new().name("search".to_string()).spawn(move || {
            let engine = work(&shared);
            drop(alive);
            engine
        })?;
        Ok(Self { thread, control, done })
    }

    /// Tells the job to end soon.
    pub fn stop(&self) {
        self.control.stop();
        self.thread.thread().unpark();
    }

    /// Tells a pondering search that the awaited move was played; `false` if none is pondering.
    pub fn ponder_hit(&self) -> bool {
        let pondering = self.control.is_pondering() && !self.control.is_stopped();
        if pondering {
            self.control.ponder_hit();
            self.thread.thread().unpark();
        }
        pondering
    }

    /// Waits for the end of the job and takes back its searcher; `None` if it had none or failed.
    pub fn join(self) -> Option<Engine<G>> {
        self.thread.join().ok().flatten()
    }

    /// Waits for the end of the job, at most this long; whether it came.
    pub fn wait(&self, most: Duration) -> bool {
        self.done.recv_timeout(most) == Err(RecvTimeoutError::Disconnected)
    }
}

/// A search as a `go` asks for it.
pub struct Search<G: Playable> {
    /// Where from.
    pub position: G,
    /// What ends it.
    pub limits: Limits<G::Move>,
    /// Whether the `bestmove` waits for `stop`.
    pub infinite: bool,
    /// Whether `info` lines tell the chances.
    pub show_wdl: bool,
}

impl<G: Playable> Search<G> {
    /// Searches, tells what is found, and ends with exactly one `bestmove`.
    pub fn run(&self, engine: &mut dyn Searcher<G>, control: &Control, output: &Output) {
        let printer = Mutex::new(Printer::new(self, output));
        let locked = || printer.lock().unwrap_or_else(PoisonError::into_inner);
        if self.position.is_over() {
            locked().report(&Report::of_end(&self.position, control.elapsed()));
        } else {
            thread::scope(|scope| {
                let (searching, ended) = mpsc::channel::<()>();
                if self.limits.multi_pv > 1 {
                    let write_overdue = move || {
                        while ended.recv_timeout(TICK) == Err(RecvTimeoutError::Timeout) {
                            locked().write_overdue();
                        }
                    };
                    let spawned = thread::Builder::new().spawn_scoped(scope, write_overdue);
                    let _ = spawned.inspect_err(|e| log::warn!("held lines may come late: {e}"));
                }
                engine.search(&self.position, &self.limits, control, &mut |report| {
                    locked().report(report);
                    // Nobody hears the rest.
                    if output.is_closed() {
                        control.stop();
                    }
                });
                drop(searching);
            });
        }
        let best = printer.into_inner().unwrap_or_else(PoisonError::into_inner).finish();
        while !control.is_stopped() && (self.infinite || control.is_pondering()) {
            thread::park();
        }
        let best = best.or_else(|| self.position.moves().first().copied());
        output.send(&Reply::BestMove(best.map(G::move_text)));
    }
}

/// So many lines may come at once, and so many a second after that.
const LINES_A_SECOND: f64 = 100.0;

/// But a whole set of lines is written so long after the last one, however many they are.
const LONGEST_PAUSE: Duration = Duration::from_millis(250);

/// Between two looks at whether a set is held for too long.
const TICK: Duration = Duration::from_millis(25);

/// Writes reports as `info` lines, but not faster than a reader needs them. What was held back and
/// not overtaken is written at the end, so that the last lines are always those of the last report.
struct Printer<'a, G: Playable> {
    output: &'a Output,
    position: G,
    several: bool,
    show_wdl: bool,
    best: Option<G::Move>,
    held: Vec<Report<G::Move>>,
    holding: bool,
    /// Reports of the current set so far, and of a whole set, as the last one was.
    seen: usize,
    whole: usize,
    /// Lines that may be written now.
    credit: f64,
    since: Instant,
    /// When a set was written last.
    written: Instant,
}

impl<'a, G: Playable> Printer<'a, G> {
    fn new(search: &Search<G>, output: &'a Output) -> Self {
        let now = Instant::now();
        Self {
            output,
            position: search.position,
            several: search.limits.multi_pv > 1,
            show_wdl: search.show_wdl,
            best: None,
            held: Vec::new(),
            holding: false,
            seen: 0,
            whole: 0,
            credit: LINES_A_SECOND,
            since: now,
            written: now,
        }
    }

    fn report(&mut self, report: &Report<G::Move>) {
        if report.line == 1 {
            // The lines of one iteration are written together or not at all.
            let earned = self.since.elapsed().as_secs_f64() * LINES_A_SECOND;
            self.since = Instant::now();
            self.credit = (self.credit + earned).min(LINES_A_SECOND);
            self.holding = self.output.is_behind()
                || self.credit < 1.0 && self.written.elapsed() < LONGEST_PAUSE;
            if !self.holding {
                self.written = self.since;
            }
            self.held.clear();
            self.whole = std::mem::take(&mut self.seen);
            self.best = report.pv.first().copied();
        }
        self.seen += 1;
        if self.holding {
            self.held.push(report.clone());
        } else {
            self.credit -= 1.0;
            self.write(report);
        }
    }

    /// Writes a whole set that is held, if nothing was written for long.
    fn write_overdue(&mut self) {
        let overdue = self.written.elapsed() + TICK >= LONGEST_PAUSE;
        if overdue && self.seen == self.whole && !self.output.is_behind() {
            self.credit -= self.held.len() as f64;
            for report in std::mem::take(&mut self.held) {
                self.written = Instant::now();
                self.write(&report);
            }
        }
    }

    fn write(&self, report: &Report<G::Move>) {
        let wdl = self.show_wdl.then(|| {
            let counted = report.chances;
            counted.unwrap_or_else(|| wdl::chances(&self.position, report.score, report.proven))
        });
        let info = Info::new::<G>(report, self.several, wdl);
        self.output.send(&Reply::Info(Box::new(info)));
    }

    fn finish(self) -> Option<G::Move> {
        for report in &self.held {
            self.write(report);
        }
        self.best
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use super::*;
    use crate::game::Game;
    use crate::games::hokito::Hokito;
    use crate::search::OutOfMemory;
    use crate::search::score::Score;

    const LINES: usize = 256;
    const ITERATIONS: u32 = 130;

    type Tell<'a> = &'a mut dyn FnMut(&Report<<Hokito as Game>::Move>);

    /// A search that does what it is told.
    struct Script<F>(F);

    impl<F: FnMut(&Control, Tell) + Send> Searcher<Hokito> for Script<F> {
        fn search(
            &mut self,
            _: &Hokito,
            _: &Limits<<Hokito as Game>::Move>,
            control: &Control,
            report: Tell,
        ) {
            self.0(control, report);
        }

        fn new_game(&mut self) {}

        fn set_hash(&mut self, _: usize) -> Result<(), OutOfMemory> {
            Ok(())
        }

        fn set_threads(&mut self, _: usize) {}
    }

    /// Tells the lines of an iteration.
    fn iteration(depth: u32, time: Duration, report: Tell) {
        for line in 1..=LINES {
            let (score, proven) = (Score(0), false);
            let end = Report::of_end(&Hokito::start(), time);
            report(&Report { line, depth, score, proven, ..end });
        }
    }

    /// What was written.
    #[derive(Clone, Default)]
    struct Paper(Arc<Mutex<Vec<u8>>>);

    impl Write for Paper {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.0.lock().expect("nobody panics").write(bytes)
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    impl Paper {
        /// The depth and the number of every line of a search.
        fn infos(&self) -> Vec<(u32, u32)> {
            let text = String::from_utf8(self.0.lock().expect("nobody panics").clone());
            let text = text.expect("replies are UTF-8");
            let numbers = |line: &str| {
                let words: Vec<&str> = line.split(' ').collect();
                let number = |i: usize| words[i].parse::<u32>().expect("a number");
                (number(2), number(6))
            };
            let ended = &text[..text.rfind('\n').map_or(0, |end| end + 1)];
            ended.lines().filter(|line| line.starts_with("info depth ")).map(numbers).collect()
        }
    }

    fn many_lines() -> Search<Hokito> {
        let limits = Limits { multi_pv: LINES, ..Limits::default() };
        Search { position: Hokito::start(), limits, infinite: false, show_wdl: false }
    }

    #[test]
    fn a_set_does_not_wait_for_the_next_iteration() {
        let paper = Paper::default();
        let output = Output::new(Box::new(paper.clone())).expect("a thread is to be had");
        let mut slow = Script(|control: &Control, report: Tell| {
            for depth in 1..=2 {
                iteration(depth, control.elapsed(), report);
            }
            // Far longer than the longest pause, for a busy machine.
            let patience = Duration::from_secs(20);
            while paper.infos().len() < 2 * LINES && control.elapsed() < patience {
                thread::sleep(TICK);
            }
            assert_eq!(paper.infos().len(), 2 * LINES, "the second set is written meanwhile");
        });
        many_lines().run(&mut slow, &Control::new(false), &output);
        output.finish().expect("paper takes all");
        assert_eq!(paper.infos().len(), 2 * LINES, "and not again at the end");
    }

    #[test]
    fn whole_sets_of_many_lines_come_again_and_again() {
        let paper = Paper::default();
        let output = Output::new(Box::new(paper.clone())).expect("a thread is to be had");
        let mut times = Vec::new();
        let mut hasty = Script(|control: &Control, report: Tell| {
            for depth in 1..=ITERATIONS {
                thread::sleep(Duration::from_millis(10));
                times.push(control.elapsed());
                iteration(depth, control.elapsed(), report);
            }
        });
        many_lines().run(&mut hasty, &Control::new(false), &output);
        output.finish().expect("paper takes all");

        let infos = paper.infos();
        let mut depths = Vec::new();
        for set in infos.chunks(LINES) {
            let depth = set[0].0;
            assert!(set.iter().copied().eq((1..=LINES as u32).map(|line| (depth, line))));
            depths.push(depth);
        }
        assert_eq!(depths.last(), Some(&ITERATIONS), "the last set is written");
        let time = |depth: u32| times[depth as usize - 1];
        for pair in depths.windows(2) {
            // No iteration that ended late enough was left out.
            let due = time(pair[0]) + LONGEST_PAUSE + Duration::from_millis(50);
            let missed = (pair[0] + 1..pair[1]).find(|&depth| time(depth) > due);
            assert_eq!(missed, None, "{depths:?}");
        }
        // Nor are there more than a reader needs.
        let most = 3 + time(ITERATIONS).as_millis() / LONGEST_PAUSE.as_millis();
        assert!(depths.len() as u128 <= most, "{depths:?}");
    }
}
