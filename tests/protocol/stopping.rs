//! Whatever runs ends at once when it is told to: every kind of work, few threads and many, early
//! and late, in every way to say so.

use std::thread;
use std::time::{Duration, Instant};

use crate::engine::Engine;

/// Far more than the 100 ms that protocol.md promises, for a machine that is busy, and less than
/// any of the work takes.
const LIMIT: Duration = Duration::from_secs(4);
/// Hokito with 26 piles, where the exact solver has its part.
const LATE: &str = "position fen C.BA2CC/..BA.A/2bB.2A4CB/b.caa2c/c..2a2c./aba2ba. b";

/// Something that takes longer than that, mostly much longer.
struct Work {
    game: &'static str,
    /// What is sent before.
    setup: &'static str,
    command: &'static str,
    /// Its last line, or how that begins.
    last: &'static str,
}

const STOPPED: &str = "info string perft stopped";

const fn work(
    game: &'static str,
    setup: &'static str,
    command: &'static str,
    last: &'static str,
) -> Work {
    Work { game, setup, command, last }
}

const WORKS: [Work; 11] = [
    work("hokito", "", "go infinite", "bestmove"),
    work("yoxii", "", "go ponder depth 2", "bestmove"),
    work("yoxii", "", "go movetime 60000", "bestmove"),
    work("hokito", LATE, "go win 20", "bestmove"),
    work("hokito", LATE, "go infinite", "bestmove"),
    work("hokito", "setoption name Search value mcts", "go infinite", "bestmove"),
    work("yoxii", "setoption name MultiPV value 256", "go depth 30", "bestmove"),
    work("hokito", "", "perft 5", STOPPED),
    work("hokito", "", "go perft 12", STOPPED),
    work("yoxii", "", "perft 5", STOPPED),
    work("yoxii", "", "perft 6", STOPPED),
];

const EARLY: Duration = Duration::from_millis(5);
const LATER: Duration = Duration::from_millis(150);

impl Work {
    /// An engine that has begun so long ago.
    fn begin(&self, threads: usize, time: Duration) -> Engine {
        let mut engine = Engine::with(&["--game", self.game]);
        engine.ask(&format!("setoption name Threads value {threads}"));
        engine.ask(self.setup);
        self.go_on(&mut engine, time);
        engine
    }

    fn go_on(&self, engine: &mut Engine, time: Duration) {
        engine.send(self.command);
        thread::sleep(time);
    }

    /// Waits for the last line. What is said before it tells of the search.
    fn hear_last(&self, engine: &mut Engine) {
        loop {
            let line = engine.line();
            if line.starts_with(self.last) {
                return;
            }
            assert!(line.starts_with("info depth "), "{}: {line}", self.command);
        }
    }
}

fn soon(what: &str, work: &Work, threads: usize, since: Instant) {
    let Work { game, setup, command, .. } = work;
    let time = since.elapsed();
    assert!(
        time < LIMIT,
        "{what} of '{command}' took {time:?}: {game}, {threads} threads, '{setup}'"
    );
}

#[test]
fn everything_ends_at_once() {
    for work in &WORKS {
        for threads in [1, 5, 16, 64] {
            let mut engine = work.begin(threads, EARLY);
            let start = Instant::now();
            engine.send("stop");
            work.hear_last(&mut engine);
            soon("stop", work, threads, start);

            work.go_on(&mut engine, LATER);
            let start = Instant::now();
            engine.send("go nodes 1");
            work.hear_last(&mut engine);
            engine.best_move();
            soon("another go", work, threads, start);

            work.go_on(&mut engine, LATER);
            for (what, mut engine) in [("quit", engine), ("the end", work.begin(threads, EARLY))] {
                let start = Instant::now();
                match what {
                    "quit" => engine.send("quit"),
                    _ => engine.hang_up(),
                }
                let (status, _, lines) = engine.end();
                soon(what, work, threads, start);
                assert!(status.success(), "{what} of '{}': {status}", work.command);
                let last = lines.last().expect("a last line");
                assert!(last.starts_with(work.last), "{what} of '{}': {last}", work.command);
            }
        }
    }
}
