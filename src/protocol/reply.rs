//! The lines that go out.

use std::fmt;

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
