//! The times and the memory that protocol.md promises: `cargo bench --bench protocol`.
//!
//! Prints the median and the worst of several trials, and fails when the worst breaks the promise.
//! Only an idle machine can be held to them.

#[path = "../tests/protocol/engine.rs"]
#[allow(dead_code)]
mod engine;

use std::process::ExitCode;
use std::time::{Duration, Instant};

use engine::Engine;

const TRIALS: usize = 50;

fn main() -> ExitCode {
    let mut kept = true;
    println!("{:<38} {:>8} {:>8} {:>8}", "milliseconds", "median", "worst", "promise");
    for game in ["hokito", "yoxii"] {
        for (name, promise, trial) in [
            ("start to ugiok", 20.0, start as fn(&str) -> Duration),
            ("stop to bestmove", 10.0, stop),
            ("isready during a search", 5.0, ready),
            ("movetime exceeded by", 10.0, move_time),
            ("quit during a search", 100.0, quit),
            ("end of input during a search", 100.0, hang_up),
        ] {
            let mut times: Vec<f64> =
                (0..TRIALS).map(|_| trial(game).as_secs_f64() * 1000.0).collect();
            times.sort_by(f64::total_cmp);
            let worst = times[TRIALS - 1];
            println!("{game:<7} {name:<30} {:>8.2} {worst:>8.2} {promise:>8}", times[TRIALS / 2]);
            kept &= worst <= promise;
        }
    }
    println!("\n{:<38} {:>8} {:>8}", "MiB", "peak", "promise");
    for hash in [1, 64, 256] {
        if let Some(peak) = memory(hash) {
            let promise = hash + 32;
            println!("Hash {hash:<33} {peak:>8} {promise:>8}");
            kept &= peak <= promise;
        }
    }
    if kept { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

fn searching(game: &str) -> Engine {
    let mut engine = Engine::with(&["--game", game]);
    engine.send("go infinite");
    std::thread::sleep(Duration::from_millis(50));
    engine.sync();
    engine
}

fn start(game: &str) -> Duration {
    let start = Instant::now();
    let mut engine = Engine::with(&["--game", game]);
    engine.send("ugi");
    engine.until("ugiok");
    start.elapsed()
}

fn stop(game: &str) -> Duration {
    let mut engine = searching(game);
    let start = Instant::now();
    engine.send("stop");
    engine.best_move();
    start.elapsed()
}

fn ready(game: &str) -> Duration {
    let mut engine = searching(game);
    let start = Instant::now();
    engine.sync();
    start.elapsed()
}

fn move_time(game: &str) -> Duration {
    const TIME: Duration = Duration::from_millis(100);
    let mut engine = Engine::with(&["--game", game]);
    engine.sync();
    let start = Instant::now();
    engine.go(&format!("go movetime {}", TIME.as_millis()));
    start.elapsed().saturating_sub(TIME)
}

fn quit(game: &str) -> Duration {
    let mut engine = searching(game);
    engine.send("quit");
    engine.end().1
}

fn hang_up(game: &str) -> Duration {
    let mut engine = searching(game);
    engine.hang_up();
    engine.end().1
}

/// The most memory of a process that filled a table of this many MiB, where the system tells.
fn memory(hash: usize) -> Option<usize> {
    let mut engine = Engine::with(&["--game", "yoxii"]);
    engine.send(&format!("setoption name Hash value {hash}"));
    engine.send("go movetime 3000");
    engine.best_move();
    engine.peak_memory()
}
