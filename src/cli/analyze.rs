//! `cairn analyze`.

mod review;

use std::io::{self, Write};
use std::path::PathBuf;
use std::time::Duration;

use clap::Args;

use super::{GameArg, Results, ThreadsArg, interrupt, json};
use crate::game::{Playable, Player};
use crate::games::ForGame;
use crate::search::level::{ELO, Level};
use crate::search::limits::{Control, Limits};
use crate::search::method::Method;
use crate::search::report::Report;

/// Search a position and explain the best move
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  cairn analyze                                        the start position of Hokito, for 5 seconds
  cairn analyze --game yoxii --lines 3                 the three best first moves in Yoxii
  cairn analyze --game-record games.txt --movetime 200 what every move of a game was worth
  cairn analyze --json --nodes 100000                  the same for scripts
  cairn analyze --depth 12 --fen '4CBCACA/2C...4BC/...2b.A/2Ca.2a6c./b...../b.2Bc.a b'

The table shows the search getting deeper: plies looked ahead, the expected final margin in points
for the side to move, positions visited, seconds, and the line of best play. Ctrl-C ends the
search; then the best move so far is explained.

With --json there is an object of JSON on every line instead, with kind report while the search
goes on and kind result for its last lines. score_cp is the margin in hundredths of a point for
the side to move, time_ms is in milliseconds, depth in plies; result is win, draw or loss when
proven, else null, and exact tells whether the margin is proven, too. protocol.md has all fields.")]
pub struct Analyze {
    #[command(flatten)]
    game: GameArg,
    /// The position; the start position if left out
    #[arg(long, value_name = "POSITION")]
    fen: Option<String>,
    /// Go through the games of a text file, as `cairn match` writes them, move by move
    #[arg(long, value_name = "FILE", conflicts_with_all = ["fen", "lines"])]
    game_record: Option<PathBuf>,
    #[command(flatten)]
    limit: Limit,
    #[command(flatten)]
    threads: ThreadsArg,
    /// Size of the transposition table
    #[arg(long, value_name = "MIB", default_value_t = 256, value_parser = clap::value_parser!(u32).range(1..=65_536))]
    hash: u32,
    /// The way of searching: auto, alphabeta or mcts
    #[arg(long, value_name = "SEARCH", default_value_t)]
    search: Method,
    /// Number of best moves to show, of those that are images of each other under a symmetry of the
    /// position only one
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..=256))]
    lines: u16,
    /// Search like a player of this strength, as with the option LimitStrength; always with one
    /// thread and a small table
    #[arg(long, value_name = "ELO", value_parser = elo, conflicts_with_all = ["game_record", "threads", "hash", "search"])]
    elo: Option<usize>,
    /// Write JSON for scripts, an object on each line
    #[arg(long)]
    json: bool,
}

fn elo(text: &str) -> Result<usize, String> {
    text.parse()
        .ok()
        .filter(|elo| ELO.contains(elo))
        .ok_or_else(|| format!("expected a whole number from {} to {}", ELO.start(), ELO.end()))
}

/// What ends the search.
#[derive(Clone, Copy, Debug, Args)]
#[group(multiple = false)]
struct Limit {
    /// Milliseconds to think [default: 5000, with a game record 1000 for each move]
    #[arg(long, value_name = "MS")]
    movetime: Option<u64>,
    /// Plies to look ahead
    #[arg(long, value_name = "PLIES", value_parser = clap::value_parser!(u32).range(1..))]
    depth: Option<u32>,
    /// Positions to visit
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    nodes: Option<u64>,
}

/// Time to think when nothing else is said.
const DEFAULT_TIME: Duration = Duration::from_secs(5);
/// The same for every move of a game record.
const DEFAULT_TIME_OF_A_MOVE: Duration = Duration::from_secs(1);

impl Limit {
    fn limits<M>(self, default_time: Duration, lines: usize) -> Limits<M> {
        let move_time = match (self.movetime, self.depth, self.nodes) {
            (None, None, None) => Some(default_time),
            (millis, ..) => millis.map(Duration::from_millis),
        };
        let (depth, nodes) = (self.depth, self.nodes);
        Limits { move_time, depth, nodes, multi_pv: lines, fold: true, ..Limits::default() }
    }
}

impl Analyze {
    pub(super) fn run(self) -> anyhow::Result<()> {
        self.game.game.dispatch(self)
    }
}

impl ForGame for Analyze {
    type Output = anyhow::Result<()>;

    fn run<G: Playable>(self) -> anyhow::Result<()> {
        let position: G = super::position(self.fen.as_deref())?;
        let mut out = Results::new();
        let mut searcher = match self.elo.and_then(Level::new::<G>) {
            Some(level) => level.searcher()?,
            None => self.search.searcher(self.hash as usize, self.threads.count())?,
        };
        if let Some(path) = &self.game_record {
            let limits = self.limit.limits(DEFAULT_TIME_OF_A_MOVE, 1);
            return review::review(&mut out, path, &mut *searcher, &limits, self.json);
        }
        if !self.json {
            writeln!(out, "{}\n\n{}", G::TITLE, position.draw())?;
        }
        if position.is_over() {
            if self.json {
                let end = Report::of_end(&position, Duration::ZERO);
                json::write(&mut out, &json::Line::new(&position, &end, true))?;
            } else {
                writeln!(out, "{}", ending(&position))?;
            }
            return Ok(());
        }
        let limits = self.limit.limits(DEFAULT_TIME, usize::from(self.lines));
        let control = Control::interruptible(&interrupt::watch(|| {})?);
        let mut last: Vec<Report<G::Move>> = Vec::new();
        let mut written = if self.json { Ok(()) } else { header(&mut out) };
        searcher.search(&position, &limits, &control, &mut |report| {
            // The end of the search reports the last iteration once more.
            let index = report.line - 1;
            let known = last.get(index).is_some_and(|old| {
                old.depth == report.depth && old.pv == report.pv && old.score == report.score
            });
            if !known && written.is_ok() {
                written = if self.json {
                    json::write(&mut out, &json::Line::new(&position, report, false))
                } else {
                    row(&mut out, &position, report)
                };
                if written.is_err() {
                    control.stop();
                }
            }
            match last.get_mut(index) {
                Some(old) => *old = report.clone(),
                None => last.push(report.clone()),
            }
        });
        written?;
        if self.json {
            for report in &last {
                json::write(&mut out, &json::Line::new(&position, report, true))?;
            }
            return Ok(());
        }
        writeln!(out)?;
        conclude(&mut out, &position, &last)?;
        Ok(())
    }
}

fn header(out: &mut impl Write) -> io::Result<()> {
    writeln!(out, "{:>5}  {:>12}  {:>13}  {:>8}  best line", "depth", "score", "nodes", "seconds")
}

/// Moves of a line that fit on a terminal.
const SHOWN_MOVES: usize = 8;

fn row<G: Playable>(
    out: &mut impl Write,
    position: &G,
    report: &Report<G::Move>,
) -> io::Result<()> {
    let mut line: Vec<String> =
        report.pv.iter().take(SHOWN_MOVES).map(|&mv| G::move_text(mv)).collect();
    if report.pv.len() > SHOWN_MOVES {
        line.push("...".to_string());
    }
    writeln!(
        out,
        "{:>5}  {:>12}  {:>13}  {:>8.2}  {}",
        report.depth,
        score(position, report),
        report.nodes,
        report.time.as_secs_f64(),
        line.join(" ")
    )?;
    out.flush()
}

/// The points of a score, always positive.
fn points<M>(report: &Report<M>) -> f64 {
    f64::from(report.score.centipoints().abs()) / 100.0
}

/// A score for the table.
fn score<G: Playable>(position: &G, report: &Report<G::Move>) -> String {
    let (score, points) = (report.score, points(report));
    let more = if report.is_exact(position) { "" } else { "+" };
    match report.proven {
        true if score.is_win() => format!("win by {points}{more}"),
        true if score.is_loss() => format!("loss by {points}{more}"),
        true => "draw".to_string(),
        false => format!("{:+.2}", f64::from(score.centipoints()) / 100.0),
    }
}

/// The best moves in words.
fn conclude<G: Playable>(
    out: &mut impl Write,
    position: &G,
    reports: &[Report<G::Move>],
) -> io::Result<()> {
    for report in reports {
        let Some(&mv) = report.pv.first() else { continue };
        let place = if reports.len() > 1 { format!("{}. ", report.line) } else { String::new() };
        let (text, words) = (G::move_text(mv), position.describe_move(mv));
        writeln!(out, "{place}Best move {text}: {words}.")?;
        writeln!(out, "{}{}", " ".repeat(place.len()), prospect(position, report))?;
    }
    Ok(())
}

/// What the score means.
fn prospect<G: Playable>(position: &G, report: &Report<G::Move>) -> String {
    let side = position.side_to_move();
    let (me, other) = (name::<G>(side), name::<G>(side.other()));
    let (score, points) = (report.score, points(report));
    let by = match report.is_exact(position) {
        true => by(points),
        false => format!("{} or more", by(points)),
    };
    match report.proven {
        true if score.is_win() => format!("{me} wins {by} against any play."),
        true if score.is_loss() => format!("{other} wins {by} against any play."),
        true => "It is a draw if both play their best.".to_string(),
        false if score.centipoints() > 0 => {
            format!("{me} is expected to be {points:.1} points ahead at the end.")
        }
        false if score.centipoints() < 0 => {
            format!("{other} is expected to be {points:.1} points ahead at the end.")
        }
        false => "Neither side is expected to be ahead at the end.".to_string(),
    }
}

/// How a game that is over ended.
fn ending<G: Playable>(position: &G) -> String {
    let outcome = position.outcome();
    match outcome.winner {
        Some(player) => {
            format!("{} has won {}.", name::<G>(player), by(f64::from(outcome.margin.abs())))
        }
        None => "The game has ended in a draw.".to_string(),
    }
}

fn by(points: f64) -> String {
    match points {
        0.0 => "with equal points".to_string(),
        1.0 => "by 1 point".to_string(),
        _ => format!("by {points} points"),
    }
}

fn name<G: Playable>(player: Player) -> &'static str {
    let [one, two] = G::PLAYERS;
    match player {
        Player::One => one,
        Player::Two => two,
    }
}
