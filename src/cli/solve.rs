//! `cairn solve`.

use std::io::{IsTerminal, Write, stderr};
use std::time::Duration;

use clap::Args;
use indicatif::{ProgressBar, ProgressStyle};

use super::json::{self, Proven};
use super::{GameArg, Results, ThreadsArg, interrupt, note};
use crate::game::Playable;
use crate::games::ForGame;
use crate::search::limits::Control;
use crate::search::report::nodes_per_second;
use crate::search::score::Score;
use crate::search::solve::{Goal, Progress, Solution, Solver};

/// Prove what a late position is worth when nobody errs
///
/// Searches to the end of the game: first for the outcome, then for the best final margin.
#[derive(Debug, Args)]
#[command(after_help = "\
Prints, for the side to move:
  result win|draw|loss   the outcome under best play
  margin N               the final margin in points, negative in a loss
  best MOVE              a move that keeps both
  pv MOVE ...            best play to the end of the game
and with --all, for each legal move, best first:
  MOVE result R margin N
A finished game has a result and a margin, `best none` and an empty pv.

Ctrl-C ends the work; then the answer is what was proven so far: `result unknown` unless the outcome
is known, in place of the margin
  bounds LOW HIGH        the margin is at least LOW and at most HIGH, - is no bound
and the move that reaches the lower bound, or none.

With --json there is an object of JSON on one line instead, with kind result, and with --all one
of kind move for each legal move. margin and the bounds lower and upper are in points, time_ms is
in milliseconds, and what is not known is null. protocol.md has all fields.

Examples:
  cairn solve --fen 'A.2A..B/.....2B/...6C.6c/..2C2b.c/4C.6c.../a.b.a. b'
  cairn solve --game yoxii --all --fen '.../ba.../C.cBcc./*CB..B./.C.d.c./cCDDC/dDd r'

How long it takes depends on the piles or empty squares that are left; the README has the figures.
Two more of them make it about twenty times as long.")]
pub struct Solve {
    #[command(flatten)]
    game: GameArg,
    /// The position to solve; the start position is out of reach
    #[arg(long, value_name = "POSITION")]
    fen: String,
    #[command(flatten)]
    threads: ThreadsArg,
    /// Size of the table of proofs
    #[arg(long, value_name = "MIB", default_value_t = 256, value_parser = clap::value_parser!(u32).range(1..=65_536))]
    hash: u32,
    /// Solve every legal move, too
    #[arg(long)]
    all: bool,
    /// Write JSON for scripts, an object on each line
    #[arg(long)]
    json: bool,
}

impl Solve {
    pub(super) fn run(self) -> anyhow::Result<()> {
        self.game.game.dispatch(self)
    }
}

impl ForGame for Solve {
    type Output = anyhow::Result<()>;

    fn run<G: Playable>(self) -> anyhow::Result<()> {
        let position: G = super::position(Some(&self.fen))?;
        let solver = Solver::new(self.hash as usize, self.threads.count())?;
        let control = Control::interruptible(&interrupt::watch(|| {})?);

        let mut bar = Bar::new();
        let solution = solver
            .solve(&position, Goal::Margin, None, &control, &mut |progress| bar.show(progress));
        let time = control.elapsed();
        bar.finish(&solution, time);
        if self.json {
            let proven = Proven::position::<G>(&solution, time.as_millis() as u64);
            json::write(&mut Results::new(), &proven)?;
        } else {
            print::<G>(&solution)?;
        }
        if self.all {
            print_moves(&solver, &position, &control, self.json)?;
        }
        Ok(())
    }
}

/// The lines about the position itself.
fn print<G: Playable>(solution: &Solution<G::Move>) -> anyhow::Result<()> {
    let mut out = Results::new();
    writeln!(out, "{}\n{}", result(solution), margin(solution))?;
    let mut best = "none".to_string();
    let mut line = "pv".to_string();
    for (i, &mv) in solution.pv.iter().enumerate() {
        let text = G::move_text(mv);
        line = format!("{line} {text}");
        if i == 0 {
            best = text;
        }
    }
    writeln!(out, "best {best}\n{line}")?;
    Ok(())
}

/// Solves and prints each legal move, best first; those of which the outcome or the margin was not
/// proven before Ctrl-C come where their lower bound puts them.
fn print_moves<G: Playable>(
    solver: &Solver<G>,
    position: &G,
    control: &Control,
    json: bool,
) -> anyhow::Result<()> {
    let moves = position.moves();
    let mut bar = Bar::new();
    let mut solved = Vec::with_capacity(moves.len());
    for mv in moves {
        let mut child = *position;
        child.make(mv);
        let theirs =
            solver.solve(&child, Goal::Margin, None, control, &mut |progress| bar.show(progress));
        let ours = Solution { lower: -theirs.upper, upper: -theirs.lower, ..theirs };
        solved.push((mv, ours));
    }
    bar.line.finish_and_clear();
    solved.sort_by_key(|(_, solution)| (-solution.lower, -solution.upper));
    let mut out = Results::new();
    for (mv, solution) in &solved {
        if json {
            json::write(&mut out, &Proven::of_move::<G>(*mv, solution))?;
            continue;
        }
        writeln!(out, "{} {} {}", G::move_text(*mv), result(solution), margin(solution))?;
    }
    Ok(())
}

/// `result win`, `draw`, `loss` or `unknown`.
fn result<M>(solution: &Solution<M>) -> &'static str {
    match solution.result() {
        Some(1) => "result win",
        Some(0) => "result draw",
        Some(_) => "result loss",
        None => "result unknown",
    }
}

/// `margin N`, or `bounds LOW HIGH` when it is not known.
fn margin<M>(solution: &Solution<M>) -> String {
    match solution.score() {
        Some(score) => format!("margin {}", points(score)),
        None => format!("bounds {} {}", points(solution.lower), points(solution.upper)),
    }
}

/// The final margin of a proven bound in points; `-` when nothing is proven.
fn points(bound: Score) -> String {
    json::points(bound).map_or_else(|| "-".to_string(), |points| points.to_string())
}

/// Shows on standard error how far the solver is: in a line that changes on a terminal, in a line a
/// second elsewhere.
struct Bar {
    line: ProgressBar,
    is_terminal: bool,
    next: Duration,
}

/// Time between two lines.
const PAUSE: Duration = Duration::from_secs(1);

impl Bar {
    fn new() -> Self {
        let line = ProgressBar::new_spinner();
        line.set_style(ProgressStyle::default_spinner());
        Self { line, is_terminal: stderr().is_terminal(), next: PAUSE }
    }

    fn show(&mut self, progress: &Progress) {
        let Progress { lower, upper, nodes, time } = *progress;
        let text =
            format!("{} margin from {} to {}", effort(nodes, time), points(lower), points(upper));
        if self.is_terminal {
            self.line.set_message(text);
            self.line.tick();
        } else if time >= self.next {
            self.next = time + PAUSE;
            note(&text);
        }
    }

    /// Takes the line away and leaves the cost of the whole.
    fn finish<M>(self, solution: &Solution<M>, time: Duration) {
        self.line.finish_and_clear();
        let stopped = if solution.score().is_none() { ", stopped" } else { "" };
        note(&format!("{}{stopped}", effort(solution.nodes, time)));
    }
}

/// Nodes, time and speed in words.
fn effort(nodes: u64, time: Duration) -> String {
    let speed = nodes_per_second(nodes, time);
    format!("{nodes} nodes, {:.3} s, {speed} nps", time.as_secs_f64())
}
