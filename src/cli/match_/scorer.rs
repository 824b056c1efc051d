//! Counting the games of a running match and showing how it stands.

use std::fs::File;
use std::io::Write;
use std::time::{Duration, Instant};

use anyhow::{Context, ensure};
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use super::super::{Results, note};
use crate::arena::record::{self, GameRecord};
use crate::arena::report;
use crate::arena::sprt::Sprt;
use crate::arena::summary::{Summary, Trial};
use crate::game::Player;

/// Lines in a log that is not a terminal are at least this far apart.
const LOG_INTERVAL: Duration = Duration::from_secs(10);

/// Counts the games of a match and shows how it stands.
pub struct Scorer {
    pub summary: Summary,
    trial: Option<Trial>,
    /// Where the records go.
    pub file: Option<File>,
    /// Games of the whole match.
    games: u64,
    bar: ProgressBar,
    last_line: Instant,
    /// What went wrong first.
    pub error: Option<anyhow::Error>,
}

impl Scorer {
    pub fn new(names: &[String], sprt: Option<Sprt>, games: u64) -> Self {
        let bar = ProgressBar::with_draw_target(Some(games), ProgressDrawTarget::stderr());
        if let Ok(style) = ProgressStyle::with_template("{bar:16} {pos}/{len} {eta}  {wide_msg}") {
            bar.set_style(style);
        }
        Self {
            summary: Summary::new(names),
            trial: sprt.map(Trial::new),
            file: None,
            games,
            bar,
            last_line: Instant::now(),
            error: None,
        }
    }

    pub fn is_undecided(&self) -> bool {
        self.trial.as_ref().is_none_or(|trial| trial.decision.is_none())
    }

    pub fn count(&mut self, game: &GameRecord) {
        if !self.summary.add(game) {
            self.note(&format!(
                "game {}.{} is there twice; the first one counts",
                game.pair + 1,
                game.leg + 1
            ));
            return;
        }
        if let Some(trial) = &mut self.trial {
            trial.advance(&self.summary);
        }
        self.bar.inc(1);
    }

    /// Keeps a game that has just ended.
    pub fn take(&mut self, game: &GameRecord) -> anyhow::Result<()> {
        self.count(game);
        if game.reason.is_failure() {
            let loser = usize::from(game.result.half_points(Player::One) == 2);
            self.note(&format!(
                "game {}.{}: {} by {}: {}",
                game.pair + 1,
                game.leg + 1,
                game.reason.words(),
                game.players[loser].name,
                game.detail
            ));
        }
        for (player, answers) in game.players.iter().zip(&game.disagreements) {
            for answer in answers {
                self.note(&format!(
                    "game {}.{}: {} answers {answer}",
                    game.pair + 1,
                    game.leg + 1,
                    player.name
                ));
            }
        }
        let line = report::line(&self.summary, self.trial.as_ref());
        if self.bar.is_hidden() && self.last_line.elapsed() >= LOG_INTERVAL {
            self.last_line = Instant::now();
            self.note(&line);
        }
        self.bar.set_message(line);
        let Some(file) = &mut self.file else { return Ok(()) };
        record::append(file, game).context("a game could not be recorded").inspect_err(|_| {
            // Behind half a line no other is to stand.
            self.file = None;
        })
    }

    /// A line on standard error, above the progress bar if there is one.
    fn note(&self, line: &str) {
        self.bar.suspend(|| note(line));
    }

    /// The report on standard output, then whatever kept the match from its end.
    pub fn finish(self) -> anyhow::Result<()> {
        let played = self.bar.position();
        self.bar.finish_and_clear();
        Results::new().write_all(report::full(&self.summary, self.trial.as_ref()).as_bytes())?;
        if let Some(error) = self.error {
            return Err(error);
        }
        ensure!(
            played == self.games || !self.is_undecided(),
            "stopped after {played} of {} games{}",
            self.games,
            if self.file.is_some() { "; --resume goes on with them" } else { "" }
        );
        Ok(())
    }
}
