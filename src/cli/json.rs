//! What `--json` writes: an object on each line. protocol.md has the fields.

use std::io::{self, Write};

use serde::Serialize;

use crate::game::{Playable, Player};
use crate::protocol::reply::Info;
use crate::search::report::Report;
use crate::search::score::Score;
use crate::search::solve::Solution;

/// A line of a search, as it goes on or at its end.
#[derive(Serialize)]
pub struct Line {
    kind: &'static str,
    line: usize,
    depth: u32,
    seldepth: u32,
    score_cp: i32,
    result: Option<&'static str>,
    exact: bool,
    nodes: u64,
    nps: u64,
    hashfull: u32,
    time_ms: u64,
    pv: Vec<String>,
}

impl Line {
    /// A report about a position; `last` when the search has ended with it.
    pub fn new<G: Playable>(position: &G, report: &Report<G::Move>, last: bool) -> Self {
        let info = Info::new::<G>(report, true, None);
        Self {
            kind: if last { "result" } else { "report" },
            line: report.line,
            depth: info.depth,
            seldepth: info.selective_depth,
            score_cp: info.centipoints,
            result: info.result,
            exact: report.is_exact(position),
            nodes: info.nodes,
            nps: info.nodes_per_second,
            hashfull: info.hash_full,
            time_ms: info.millis as u64,
            pv: info.pv,
        }
    }
}

/// A move of a game record.
#[derive(Serialize)]
pub struct Played {
    pub kind: &'static str,
    /// The game's number in the file, from 1.
    pub game: usize,
    pub ply: usize,
    pub player: &'static str,
    pub played: String,
    pub best: Option<String>,
    pub depth: u32,
    pub score_cp: i32,
    pub result: Option<&'static str>,
    pub played_score_cp: i32,
    pub played_result: Option<&'static str>,
    pub lost_cp: i32,
}

/// How a game of a record ended.
#[derive(Serialize)]
pub struct End {
    kind: &'static str,
    game: usize,
    result: &'static str,
    margin: i32,
}

impl End {
    /// The end of the game with that number, from 1, whose last position this is.
    pub fn new<G: Playable>(game: usize, position: &G) -> Self {
        let outcome = position.outcome();
        let result = match outcome.winner {
            Some(Player::One) => "p1win",
            Some(Player::Two) => "p2win",
            None => "draw",
        };
        Self { kind: "end", game, result, margin: outcome.margin }
    }
}

/// What is proven of a position, or of one of its moves.
#[derive(Serialize)]
pub struct Proven {
    kind: &'static str,
    #[serde(rename = "move", skip_serializing_if = "Option::is_none")]
    mv: Option<String>,
    result: Option<&'static str>,
    margin: Option<i32>,
    lower: Option<i32>,
    upper: Option<i32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    best: Option<Option<String>>,
    pv: Vec<String>,
    nodes: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    time_ms: Option<u64>,
}

impl Proven {
    /// The position itself, which took so many milliseconds.
    pub fn position<G: Playable>(solution: &Solution<G::Move>, time_ms: u64) -> Self {
        let best = solution.pv.first().map(|&mv| G::move_text(mv));
        Self { best: Some(best), time_ms: Some(time_ms), ..Self::new::<G>("result", solution) }
    }

    /// A move, with what is proven of it for the player who makes it and the line behind it.
    pub fn of_move<G: Playable>(mv: G::Move, solution: &Solution<G::Move>) -> Self {
        let mut proven = Self { mv: Some(G::move_text(mv)), ..Self::new::<G>("move", solution) };
        proven.pv.insert(0, G::move_text(mv));
        proven
    }

    fn new<G: Playable>(kind: &'static str, solution: &Solution<G::Move>) -> Self {
        Self {
            kind,
            mv: None,
            result: solution.result().map(result),
            margin: solution.score().and_then(points),
            lower: points(solution.lower),
            upper: points(solution.upper),
            best: None,
            pv: solution.pv.iter().map(|&mv| G::move_text(mv)).collect(),
            nodes: solution.nodes,
            time_ms: None,
        }
    }
}

/// The name of a result for the side to move: 1, 0 or -1.
pub fn result(sign: i32) -> &'static str {
    match sign.signum() {
        1 => "win",
        0 => "draw",
        _ => "loss",
    }
}

/// The final margin of a bound in points; `None` when nothing is proven.
pub fn points(bound: Score) -> Option<i32> {
    (bound > Score::MIN && bound < Score::MAX).then(|| bound.centipoints() / 100)
}

/// Writes an object as a line.
///
/// # Errors
/// When it cannot be written.
pub fn write(out: &mut impl Write, object: &impl Serialize) -> io::Result<()> {
    let text = serde_json::to_string(object)?;
    writeln!(out, "{text}")?;
    out.flush()
}
