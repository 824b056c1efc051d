//! `cairn analyze --game-record`: what every move of a game was worth.

use std::io::Write;
use std::path::Path;

use anyhow::Context;

use super::{json, name};
use crate::arena::text::{self, GameText};
use crate::game::Playable;
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

/// Searches every position of the games in a file and writes a line for each move, for people or as
/// JSON.
pub(super) fn review<G: Playable>(
    out: &mut impl Write,
    path: &Path,
    searcher: &mut dyn Searcher<G>,
    limits: &Limits<G::Move>,
    json: bool,
) -> anyhow::Result<()> {
    let text = std::fs::read_to_string(path)
        .with_context(|| format!("--game-record '{}'", path.display()))?;
    let games =
        text::parse::<G>(&text).with_context(|| format!("--game-record '{}'", path.display()))?;
    anyhow::ensure!(!games.is_empty(), "--game-record '{}': no game in it", path.display());
    for (i, game) in games.iter().enumerate() {
        if json {
            review_as_json(out, i + 1, game, searcher, limits)?;
            continue;
        }
        let rule = if i > 0 { "\n" } else { "" };
        writeln!(out, "{rule}{}, game {} of {}\n", G::TITLE, i + 1, games.len())?;
        review_game(out, game, searcher, limits)?;
    }
    Ok(())
}

/// A move of a game: what was played, and what the positions before and after it are worth to the
/// player.
struct Step<G: Playable> {
    /// From 1.
    ply: usize,
    player: &'static str,
    mv: G::Move,
    before: Worth<G::Move>,
    played: Worth<G::Move>,
}

impl<G: Playable> Step<G> {
    /// Centipoints that the move cost against the best one, as far as the two searches see.
    fn lost(&self) -> i32 {
        let lost = self.before.score.centipoints() - self.played.score.centipoints();
        if self.before.best == Some(self.mv) { 0 } else { lost.max(0) }
    }
}

/// Goes through the moves of a game. The last position.
fn each_move<G: Playable>(
    game: &GameText<G>,
    searcher: &mut dyn Searcher<G>,
    limits: &Limits<G::Move>,
    tell: &mut dyn FnMut(&Step<G>) -> std::io::Result<()>,
) -> std::io::Result<G> {
    searcher.new_game();
    let mut position = game.opening;
    let mut before = worth(&position, searcher, limits);
    for (i, &mv) in game.moves.iter().enumerate() {
        let player = name::<G>(position.side_to_move());
        position.make(mv);
        let after = worth(&position, searcher, limits);
        tell(&Step { ply: i + 1, player, mv, before, played: after.reversed() })?;
        before = after;
    }
    Ok(position)
}

fn review_as_json<G: Playable>(
    out: &mut impl Write,
    number: usize,
    game: &GameText<G>,
    searcher: &mut dyn Searcher<G>,
    limits: &Limits<G::Move>,
) -> std::io::Result<()> {
    let last = each_move(game, searcher, limits, &mut |step| {
        let played = json::Played {
            kind: "move",
            game: number,
            ply: step.ply,
            player: step.player,
            played: G::move_text(step.mv),
            best: step.before.best.map(G::move_text),
            depth: step.before.depth,
            score_cp: step.before.score.centipoints(),
            result: step.before.result().map(json::result),
            played_score_cp: step.played.score.centipoints(),
            played_result: step.played.result().map(json::result),
            lost_cp: step.lost(),
        };
        json::write(out, &played)
    })?;
    if last.is_over() {
        json::write(out, &json::End::new(number, &last))?;
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
    let position = each_move(game, searcher, limits, &mut |step| {
        let Step { ply, player, mv, before, played } = step;
        let best = before.best.map(G::move_text).unwrap_or_default();
        let lost = match step.lost() {
            0 => String::new(),
            lost => format!("{:.2}", f64::from(lost) / 100.0),
        };
        writeln!(
            out,
            "{ply:>3}  {player:<6} {:<6} {best:<6} {:>9} {lost:>9}  {:>5}{}",
            G::move_text(*mv),
            points(before),
            before.depth,
            verdict(before, played)
        )?;
        out.flush()
    })?;
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

/// What a move gave away for certain.
fn verdict<M: Copy>(before: &Worth<M>, played: &Worth<M>) -> &'static str {
    match (before.result(), played.result()) {
        (Some(1), Some(-1)) => "  throws a win away and loses",
        (Some(1), Some(0)) => "  throws a win away",
        (Some(0), Some(-1)) => "  throws a draw away",
        _ => "",
    }
}
