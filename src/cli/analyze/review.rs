//! `cairn analyze --game-record`: what every move of a game was worth.

use std::io::Write;
use std::path::Path;

use anyhow::Context;

use super::name;
use crate::arena::text::{self, GameText};
use crate::game::Playable;
use crate::outside::TextFile;
use crate::search::Searcher;
use crate::search::limits::{Control, Limits};
use crate::search::report::Report;
use crate::search::score::Score;

/// What a position is worth to the player to move.
#[derive(Clone, Copy)]
struct Worth<M> {
    score: Score,
    proven: bool,
    /// The best move; `None` when the game is over.
    best: Option<M>,
    depth: u32,
}

impl<M: Copy> Worth<M> {
    /// 1 for a proven win, 0 for a proven draw, -1 for a proven loss.
    fn result(&self) -> Option<i32> {
        self.proven.then(|| i32::from(self.score.is_win()) - i32::from(self.score.is_loss()))
    }

    /// The same seen by the player who moved before.
    fn reversed(self) -> Self {
        Self { score: -self.score, ..self }
    }
}

/// Searches every position of the games in a file and writes a line for each move.
pub(super) fn review<G: Playable>(
    out: &mut impl Write,
    path: &Path,
    searcher: &mut dyn Searcher<G>,
    limits: &Limits<G::Move>,
) -> anyhow::Result<()> {
    let text =
        TextFile::read(path).with_context(|| format!("--game-record '{}'", path.display()))?;
    let games =
        text::parse::<G>(&text).with_context(|| format!("--game-record '{}'", path.display()))?;
    anyhow::ensure!(!games.is_empty(), "--game-record '{}': no game in it", path.display());
    for (i, game) in games.iter().enumerate() {
        let rule = if i > 0 { "\n" } else { "" };
        writeln!(out, "{rule}{}, game {} of {}\n", G::TITLE, i + 1, games.len())?;
        review_game(out, game, searcher, limits)?;
    }
    Ok(())
}

fn review_game<G: Playable>(
    out: &mut impl Write,
    game: &GameText<G>,
    searcher: &mut dyn Searcher<G>,
    limits: &Limits<G::Move>,
) -> anyhow::Result<()> {
    writeln!(out, "{}", game.opening.draw())?;
    writeln!(
        out,
        "{:>3}  {:<6} {:<6} {:<6} {:>9} {:>9}  depth",
        "ply", "player", "played", "best", "score", "lost"
    )?;
    out.flush()?;
    searcher.new_game();
    let mut position = game.opening;
    let mut before = worth(&position, searcher, limits);
    for (ply, &mv) in game.moves.iter().enumerate() {
        let player = name::<G>(position.side_to_move());
        position.make(mv);
        let after = worth(&position, searcher, limits);
        let played = after.reversed();
        let best = before.best.map(G::move_text).unwrap_or_default();
        writeln!(
            out,
            "{:>3}  {player:<6} {:<6} {best:<6} {:>9} {:>9}  {:>5}{}",
            ply + 1,
            G::move_text(mv),
            points(&before),
            lost(&before, &played, before.best == Some(mv)),
            before.depth,
            verdict(&before, &played)
        )?;
        out.flush()?;
        before = after;
    }
    if position.is_over() {
        writeln!(out, "\n{}", super::ending(&position))?;
    }
    Ok(())
}

fn worth<G: Playable>(
    position: &G,
    searcher: &mut dyn Searcher<G>,
    limits: &Limits<G::Move>,
) -> Worth<G::Move> {
    let mut worth = Worth { score: Score::of_end(position), proven: true, best: None, depth: 0 };
    if !position.is_over() {
        let mut tell = |report: &Report<G::Move>| {
            worth = Worth {
                score: report.score,
                proven: report.proven,
                best: report.pv.first().copied(),
                depth: report.depth,
            };
        };
        searcher.search(position, limits, &Control::new(false), &mut tell);
    }
    worth
}

fn points<M: Copy>(worth: &Worth<M>) -> String {
    let points = f64::from(worth.score.centipoints()) / 100.0;
    match worth.result() {
        Some(1) => format!("win {points}"),
        Some(0) => "draw".to_string(),
        Some(_) => format!("loss {}", -points),
        None => format!("{points:+.2}"),
    }
}

/// Points that a move cost against the best one, as far as the two searches see.
fn lost<M: Copy>(before: &Worth<M>, played: &Worth<M>, best: bool) -> String {
    let lost = before.score.centipoints() - played.score.centipoints();
    if best || lost <= 0 { String::new() } else { format!("{:.2}", f64::from(lost) / 100.0) }
}

/// What a move gave away for certain.
fn verdict<M: Copy>(before: &Worth<M>, played: &Worth<M>) -> &'static str {
    match (before.result(), played.result()) {
        (Some(1), Some(-1)) => "  throws a win away and loses",
        (Some(1), Some(0)) => "  throws a win away",
        (Some(0), Some(-1)) => "  throws a draw away",
        _ => "",
    }
}
