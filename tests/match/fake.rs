//! Engines that misbehave, each in its own way, and one that does not.
//!
//! The test program is all of them: it plays one when it is called with `fake KIND FOLDER`. Each
//! process leaves a file in the folder that is named by its process id, so that a test can see how
//! often an engine was started and whether one is still alive.

use std::fs;
use std::io::{BufRead, Write};
use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

use cairn::game::{Game, Notation};
use cairn::games::hokito::Hokito;

/// The legal move that a fake plays: always the first one.
fn first_move(position: &Hokito) -> String {
    position.moves().first().map_or("0000".to_string(), |&mv| Hokito::move_text(mv))
}

fn say(line: &str) {
    let mut stdout = std::io::stdout().lock();
    // Who is killed while it speaks has nothing to complain about.
    let _ = writeln!(stdout, "{line}").and_then(|()| stdout.flush());
}

/// Plays an engine until the end of its input, or until its kind says otherwise.
pub fn run(kind: &str, folder: &Path) {
    fs::write(folder.join(std::process::id().to_string()), "").unwrap();
    let starts = fs::read_dir(folder).unwrap().count();
    let mut position = Hokito::start();
    let mut moves = 0;
    for line in std::io::stdin().lock().lines().map_while(Result::ok) {
        let words: Vec<&str> = line.split_whitespace().collect();
        match words.as_slice() {
            // The runner tries every engine once before the match.
            ["ugi"] if kind == "starts-twice" && starts > 2 => {
                eprintln!("no licence");
                std::process::exit(9);
            }
            ["ugi"] => {
                say("a banner");
                say("id name Fake");
                say("option name Hash type spin default 1 min 1 max 9");
                say("ugiok");
            }
            ["isready"] => say("readyok"),
            ["uginewgame"] if kind == "crash-between-games" && moves > 0 => std::process::exit(5),
            ["position", "fen", rest @ ..] => {
                let end = rest.iter().position(|&word| word == "moves").unwrap_or(rest.len());
                position = Hokito::parse(&rest[..end].join(" ")).unwrap();
                for text in rest.iter().skip(end + 1) {
                    position.make(position.parse_move(text).unwrap());
                }
            }
            ["query", ..] if kind == "no-query" => {}
            ["query", "p1turn"] => {
                say(&format!("response {}", position.side_to_move().index() == 0));
            }
            ["query", "gameover"] => say(&format!("response {}", position.is_over())),
            ["query", "result"] if kind == "liar" => say("response none"),
            ["query", "result"] => say(match position.outcome().winner.map(|w| w.index()) {
                Some(0) => "response p1win",
                Some(_) => "response p2win",
                None => "response draw",
            }),
            ["go", ..] => {
                moves += 1;
                go(kind, &position, moves);
            }
            ["quit"] if kind == "deaf" => {}
            ["quit"] => return,
            _ => {}
        }
    }
    if kind == "deaf" {
        std::thread::sleep(Duration::from_secs(1000));
    }
}

fn go(kind: &str, position: &Hokito, moves: u32) {
    let best = format!("bestmove {}", first_move(position));
    match kind {
        "late" => std::thread::sleep(Duration::from_millis(400)),
        "silent" => loop {
            std::thread::park();
        },
        "crash" if moves == 3 => {
            eprintln!("the roof is on fire");
            std::process::exit(3);
        }
        // What it has started is left behind when it crashes.
        "orphan" => {
            let child = Command::new("sleep").arg("1000").spawn().unwrap();
            say(&format!("info string {}", child.id()));
            let folder = std::env::args().next_back().unwrap();
            fs::write(Path::new(&folder).join(child.id().to_string()), "").unwrap();
            std::process::exit(3);
        }
        #[cfg(unix)]
        "closed" => {
            let _ = nix::unistd::close(1);
            std::thread::sleep(Duration::from_secs(1000));
        }
        "illegal" if moves == 2 => return say("bestmove a1f6"),
        "garbage" => {
            let mut stdout = std::io::stdout().lock();
            let _ = stdout.write_all(b"\xff\xfe\x00 bestmove\r\n\xc3\x28 info depth x score\n");
            let _ = stdout.write_all(b"info depth \xff score cp 99999999999999 nodes -1\n");
            drop(stdout);
            return say("bestmove \u{fffd}\u{1f600}");
        }
        "empty" => return say("bestmove"),
        "megabytes" => {
            // One line of four megabytes, then as many lines.
            say(&"x".repeat(4 << 20));
            say(&"info string nothing of interest\n".repeat(100_000));
        }
        "endless" => loop {
            say("info depth 1 score cp 0 nodes 1");
        },
        "stutter" => say(&best),
        // Thinks for a millisecond and tells how many microseconds it really took.
        "precise" => {
            let start = Instant::now();
            std::thread::sleep(Duration::from_millis(1));
            say(&format!("info depth 1 score cp 0 nodes {}", start.elapsed().as_micros()));
        }
        // Sees itself ahead by nine points when it is player one, behind when it is not.
        "sure" => {
            let score = 900 * position.side_to_move().sign();
            say(&format!("info depth 1 score cp {score} nodes 1"));
        }
        _ => {}
    }
    say(&best);
}
