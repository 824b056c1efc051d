//! `cairn match`.

use std::fs::{self, File, OpenOptions};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use anyhow::{Context, bail, ensure};
use clap::Args;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use super::GameArg;
use super::openings::OpeningArgs;
use crate::arena::engine::{self, Stop};
use crate::arena::game::{Adjudication, Conduct};
use crate::arena::record::{self, GameRecord};
use crate::arena::report;
use crate::arena::runner::Match;
use crate::arena::schedule::{Pair, Schedule, Shard, Tournament};
use crate::arena::spec::{EngineSpec, MoveLimits, PartialSpec, TimeControl};
use crate::arena::sprt::Sprt;
use crate::arena::summary::{Summary, Trial};
use crate::game::{Playable, Player};
use crate::games::ForGame;

/// Lines in a log that is not a terminal are at least this far apart.
const LOG_INTERVAL: Duration = Duration::from_secs(10);

/// Play a match between engines and judge their strength
///
/// Games are played in pairs, the same opening with sides changed. The result goes to standard
/// output, progress to standard error.
#[derive(Debug, Args)]
pub struct MatchArgs {
    #[command(flatten)]
    game: GameArg,
    /// An engine that speaks UGI; give two or more
    ///
    /// Parts separated by commas: cmd="PROGRAM ARGUMENTS", name=NAME, option.NAME=VALUE, and its own
    /// limits tc=, movetime=, nodes=, depth= in place of the common ones.
    #[arg(long = "engine", value_name = "SPEC")]
    engines: Vec<PartialSpec>,
    /// Options and limits common to all engines, written as for --engine
    #[arg(long, value_name = "SPEC")]
    each: Option<PartialSpec>,
    /// Clock for a game and increment for a move in seconds, such as 8+0.08
    #[arg(long, value_name = "SECONDS+SECONDS")]
    tc: Option<TimeControl>,
    /// Milliseconds for each move
    #[arg(long, value_name = "MS", value_parser = clap::value_parser!(u64).range(1..))]
    movetime: Option<u64>,
    /// Nodes for each move
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    nodes: Option<u64>,
    /// Plies to look ahead for each move
    #[arg(long, value_name = "PLIES", value_parser = clap::value_parser!(u32).range(1..))]
    depth: Option<u32>,
    /// Games between any two engines that meet, an even number
    #[arg(long, value_name = "N", default_value_t = 100)]
    games: usize,
    #[command(flatten)]
    openings: OpeningArgs,
    /// Games played at the same time
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = positive)]
    concurrency: usize,
    /// Stop when a sequential test on normalised Elo is decided; alpha and beta are 0.05 if left out
    #[arg(long, value_name = "elo0=0,elo1=5,alpha=0.05,beta=0.05")]
    sprt: Option<Sprt>,
    /// Who meets whom when there are more than two engines
    #[arg(long, value_enum, default_value_t)]
    tournament: Tournament,
    /// Play the I-th of N parts of the match, counted from 1
    #[arg(long, value_name = "I/N", default_value = "1/1", hide_default_value = true)]
    shard: Shard,
    /// Milliseconds that an engine may be late without losing
    #[arg(long, value_name = "MS", default_value_t = 0)]
    margin: u64,
    /// Seconds after which an engine that does not answer is killed
    ///
    /// They count from the end of its time for the move. An engine without a limit of time has ten
    /// minutes for a move.
    #[arg(long, value_name = "SECONDS", default_value_t = 10, value_parser = clap::value_parser!(u64).range(1..))]
    grace: u64,
    /// End a game when both engines see the same side ahead by X points in N moves of each
    #[arg(long, value_name = "points=X,moves=N")]
    adjudicate: Option<Adjudication>,
    /// Write a line of JSON for each game to this file
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
    /// Go on with the match in the file of --out
    #[arg(long, requires = "out")]
    resume: bool,
    /// Keep what is said to and by the engines in this folder
    #[arg(long, value_name = "DIR")]
    log: Option<PathBuf>,
}

fn positive(text: &str) -> Result<usize, String> {
    match text.parse() {
        Ok(number @ 1..) => Ok(number),
        _ => Err("expected a whole number, at least 1".to_string()),
    }
}

impl MatchArgs {
    pub(super) fn run(self) -> anyhow::Result<()> {
        self.game.game.dispatch(self)
    }

    /// The engines with everything that is common put in.
    fn specs(&self) -> anyhow::Result<Vec<EngineSpec>> {
        ensure!(self.engines.len() >= 2, "a match needs two engines: give --engine twice or more");
        let mut common = self.each.clone().unwrap_or_default();
        ensure!(
            common.name.is_none() && common.command.is_none(),
            "--each cannot set name= or cmd=, only options and limits"
        );
        let limits = MoveLimits {
            clock: self.tc,
            move_time: self.movetime.map(Duration::from_millis),
            nodes: self.nodes,
            depth: self.depth,
        };
        ensure!(
            limits.is_empty() || common.limits.is_empty(),
            "limits are given both in --each and by --tc, --movetime, --nodes or --depth"
        );
        if common.limits.is_empty() {
            common.limits = limits;
        }
        let mut specs: Vec<EngineSpec> = Vec::new();
        for engine in &self.engines {
            let spec = engine.clone().complete(&common)?;
            ensure!(
                !spec.limits.is_empty(),
                "{} has no limit: give --tc, --movetime, --nodes or --depth",
                spec.name
            );
            ensure!(
                specs.iter().all(|other| other.name != spec.name),
                "two engines are called '{}': give each a name of its own with name=",
                spec.name
            );
            specs.push(spec);
        }
        Ok(specs)
    }
}

impl ForGame for MatchArgs {
    type Output = anyhow::Result<()>;

    fn run<G: Playable>(self) -> anyhow::Result<()> {
        let engines = self.specs()?;
        ensure!(
            self.games > 0 && self.games.is_multiple_of(2),
            "--games {}: every opening is played twice, expected an even number",
            self.games
        );
        ensure!(
            self.sprt.is_none() || engines.len() == 2,
            "--sprt compares two engines, not {}",
            engines.len()
        );
        ensure!(
            self.sprt.is_none() || self.shard == Shard::default(),
            "--sprt needs all games in one place: play the shards without it"
        );
        let rounds = self.games / 2;
        let pairs: Vec<Pair> =
            Schedule::new(engines.len(), self.tournament, rounds, self.shard).pairs().collect();
        let openings: Vec<G> = self.openings.positions(rounds)?;
        if openings.len() < rounds {
            log::warn!("{} openings for {rounds} rounds: they are used again", openings.len());
        }
        if let Some(folder) = &self.log {
            fs::create_dir_all(folder).with_context(|| format!("--log {}", folder.display()))?;
        }
        let names: Vec<String> = engines.iter().map(|engine| engine.name.clone()).collect();
        let arena = Match {
            engines,
            openings,
            conduct: Conduct {
                margin: Duration::from_millis(self.margin),
                grace: Duration::from_secs(self.grace),
                adjudication: self.adjudicate,
            },
            concurrency: self.concurrency,
            log: self.log.clone(),
            stop: stop_on_signal()?,
        };
        match arena.try_engines() {
            Ok(undeclared) => {
                for (engine, option) in undeclared {
                    log::warn!("{engine} does not declare the option '{option}'");
                }
            }
            Err((engine, Stop::Failed(failure))) => {
                bail!("{engine} does not start: {}", failure.detail)
            }
            Err((_, Stop::Interrupted)) => bail!("stopped before the first game"),
        }

        let mut scorer = Scorer::new(&names, self.sprt, 2 * pairs.len());
        if let Some(path) = &self.out {
            let played = if self.resume { resume(path, &arena, &pairs)? } else { Vec::new() };
            for game in &played {
                scorer.count(game);
            }
            scorer.file = Some(open(path, self.resume)?);
        }
        let wanted: Vec<(Pair, [bool; 2])> = pairs
            .iter()
            .map(|pair| (*pair, [0, 1].map(|leg| !scorer.summary.has(pair.index, leg))))
            .filter(|(_, legs)| legs.contains(&true))
            .collect();
        if scorer.is_undecided() {
            arena.run(&wanted, |game| {
                if let Err(error) = scorer.take(&game) {
                    arena.stop.store(true, Ordering::Relaxed);
                    scorer.error.get_or_insert(error);
                }
                if !scorer.is_undecided() {
                    arena.stop.store(true, Ordering::Relaxed);
                }
            });
        }
        scorer.finish()
    }
}

/// A flag that Ctrl-C and its like set. A second one ends the program at once.
fn stop_on_signal() -> anyhow::Result<Arc<AtomicBool>> {
    let stop = Arc::new(AtomicBool::new(false));
    let flag = Arc::clone(&stop);
    ctrlc::set_handler(move || {
        if flag.swap(true, Ordering::Relaxed) {
            engine::kill_all();
            std::process::exit(130);
        }
    })
    .context("no handler for Ctrl-C")?;
    let panics = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |info| {
        engine::kill_all();
        panics(info);
    }));
    Ok(stop)
}

/// Opens the file for records. A new match never writes over an old one.
fn open(path: &Path, resume: bool) -> anyhow::Result<File> {
    let mut options = OpenOptions::new();
    options.append(true);
    if resume {
        options.create(true);
    } else {
        options.create_new(true);
    }
    options
        .open(path)
        .with_context(|| format!("--out {} (an old match goes on with --resume)", path.display()))
}

/// The games of this match that the file holds. A torn last line is cut off.
fn resume<G: Playable>(
    path: &Path,
    arena: &Match<G>,
    pairs: &[Pair],
) -> anyhow::Result<Vec<GameRecord>> {
    if !path.exists() {
        return Ok(Vec::new());
    }
    let records = record::read(path)?;
    if records.torn {
        log::warn!("{}: the last line is torn; its game is played again", path.display());
        OpenOptions::new()
            .write(true)
            .open(path)
            .and_then(|file| file.set_len(records.whole))
            .with_context(|| format!("{}", path.display()))?;
    }
    for (line, game) in (1..).zip(&records.games) {
        let expected = pairs
            .binary_search_by_key(&game.pair, |pair| pair.index)
            .ok()
            .and_then(|i| arena.plan(pairs[i], game.leg));
        ensure!(
            expected.is_some_and(|plan| plan.0 == game.players && plan.1 == game.opening),
            "{}: game {line} does not belong to this match: other engines, limits, openings or \
             number of games",
            path.display()
        );
    }
    Ok(records.games)
}

/// Counts the games of a match and shows how it stands.
struct Scorer {
    summary: Summary,
    trial: Option<Trial>,
    file: Option<File>,
    bar: ProgressBar,
    last_line: Instant,
    error: Option<anyhow::Error>,
}

impl Scorer {
    fn new(names: &[String], sprt: Option<Sprt>, games: usize) -> Self {
        let bar = ProgressBar::with_draw_target(Some(games as u64), ProgressDrawTarget::stderr());
        if let Ok(style) = ProgressStyle::with_template("{bar:20} {pos}/{len} {eta}  {msg}") {
            bar.set_style(style);
        }
        Self {
            summary: Summary::new(names),
            trial: sprt.map(Trial::new),
            file: None,
            bar,
            last_line: Instant::now(),
            error: None,
        }
    }

    fn is_undecided(&self) -> bool {
        self.trial.as_ref().is_none_or(|trial| trial.decision.is_none())
    }

    fn count(&mut self, game: &GameRecord) {
        self.summary.add(game);
        if let Some(trial) = &mut self.trial {
            trial.advance(&self.summary);
        }
        self.bar.inc(1);
    }

    /// Keeps a game that has just ended.
    fn take(&mut self, game: &GameRecord) -> anyhow::Result<()> {
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
        match &mut self.file {
            Some(file) => record::append(file, game).context("a game could not be recorded"),
            None => Ok(()),
        }
    }

    /// A line on standard error, above the progress bar if there is one.
    fn note(&self, line: &str) {
        self.bar.suspend(|| eprintln!("{line}"));
    }

    /// The report on standard output, then whatever went wrong.
    fn finish(self) -> anyhow::Result<()> {
        self.bar.finish_and_clear();
        print(&report::full(&self.summary, self.trial.as_ref()))?;
        self.error.map_or(Ok(()), Err)
    }
}

fn print(text: &str) -> anyhow::Result<()> {
    let mut stdout = std::io::stdout().lock();
    stdout.write_all(text.as_bytes())?;
    Ok(stdout.flush()?)
}
