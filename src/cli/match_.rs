//! `cairn match`.

mod files;
mod report;
mod scorer;

use std::fs;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use anyhow::{Context, bail, ensure};
use clap::Args;

use super::openings::OpeningArgs;
use super::{GameArg, interrupt, out};
use crate::arena::engine::{self, Failure, NoStart, Stop};
use crate::arena::game::{Adjudication, Conduct};
use crate::arena::runner::Match;
use crate::arena::schedule::{Pair, Schedule, Shard, Tournament};
use crate::arena::spec::{EngineSpec, MAX_SECONDS, MoveLimits, PartialSpec, TimeControl};
use crate::arena::sprt::Sprt;
use crate::game::Playable;
use crate::games::ForGame;
use scorer::Scorer;

const MAX_MILLISECONDS: u64 = 1000 * MAX_SECONDS;
/// Games of a match or shard. Its schedule and openings have to fit in memory.
const MAX_GAMES: u64 = 1_000_000;

/// Play a match between engines and judge their strength
///
/// Games are played in pairs, the same opening with sides changed. The result goes to standard
/// output, progress to standard error.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  cairn match --engine name=NEW,cmd=./new --engine name=OLD,cmd=./old --tc 8+0.08 --out games.jsonl
  cairn match --game yoxii --plies 4 --engine cmd=./new --engine cmd=./old --nodes 5000 \\
      --games 2000 --concurrency 4 --sprt elo0=0,elo1=5
  cairn match --report games.jsonl --text games.txt

An engine that plays several games and has an option Game is told by it which one the match plays.")]
pub struct MatchArgs {
    #[command(flatten)]
    game: GameArg,
    /// An engine that speaks UGI; give two or more
    ///
    /// Parts separated by commas: cmd="PROGRAM ARGUMENTS", name=NAME, option.NAME=VALUE, and its
    /// own limits tc=, movetime=, nodes=, depth= in place of the common ones. A name has at most 60
    /// characters; without one an engine is called like its program.
    #[arg(long = "engine", value_name = "SPEC")]
    engines: Vec<PartialSpec>,
    /// Options and limits common to all engines, written as for --engine
    #[arg(long, value_name = "SPEC")]
    each: Option<PartialSpec>,
    /// Clock for a game and increment for a move in seconds, such as 8+0.08
    #[arg(long, value_name = "SECONDS+SECONDS")]
    tc: Option<TimeControl>,
    /// Milliseconds for each move
    #[arg(long, value_name = "MS", value_parser = clap::value_parser!(u64).range(1..=MAX_MILLISECONDS))]
    movetime: Option<u64>,
    /// Nodes for each move
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    nodes: Option<u64>,
    /// Plies to look ahead for each move
    #[arg(long, value_name = "PLIES", value_parser = clap::value_parser!(u32).range(1..))]
    depth: Option<u32>,
    /// Games between any two engines that meet, an even number
    #[arg(long, value_name = "N", default_value_t = 100, value_parser = clap::value_parser!(u64).range(2..=MAX_GAMES))]
    games: u64,
    #[command(flatten)]
    openings: OpeningArgs,
    /// Games played at the same time
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..=1024))]
    concurrency: u16,
    /// Stop when a sequential test on normalised Elo is decided; alpha and beta are 0.05 if left
    /// out
    #[arg(long, value_name = "elo0=0,elo1=5,alpha=0.05,beta=0.05")]
    sprt: Option<Sprt>,
    /// Who meets whom when there are more than two engines
    #[arg(long, value_enum, default_value_t)]
    tournament: Tournament,
    /// Play the I-th of N parts of the match, counted from 1
    #[arg(long, value_name = "I/N", default_value = "1/1", hide_default_value = true)]
    shard: Shard,
    /// Milliseconds that an engine may be late without losing
    #[arg(long, value_name = "MS", default_value_t = 0, value_parser = clap::value_parser!(u64).range(..=MAX_MILLISECONDS))]
    margin: u64,
    /// Seconds after which an engine that does not answer is killed
    ///
    /// They count from the end of its time for the move. An engine without a limit of time has ten
    /// minutes for a move.
    #[arg(long, value_name = "SECONDS", default_value_t = 10, value_parser = clap::value_parser!(u64).range(1..=MAX_SECONDS))]
    grace: u64,
    /// End a game when both engines see the same side ahead by X points in N moves of each
    #[arg(long, value_name = "points=X,moves=N")]
    adjudicate: Option<Adjudication>,
    /// End a game when a search of this many nodes, made after every move, proves its result
    #[arg(long, value_name = "NODES", value_parser = clap::value_parser!(u64).range(1..))]
    adjudicate_proven: Option<u64>,
    /// Write a line of JSON for each game to this file
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
    /// Go on with the match in the file of --out
    ///
    /// A game in it that cannot have been played as recorded is played again. Its old line stays
    /// and never counts.
    #[arg(long, requires = "out")]
    resume: bool,
    /// Keep what is said to and by the engines in this folder
    #[arg(long, value_name = "DIR")]
    log: Option<PathBuf>,
    /// Play nothing: show the result of a match from the files of --out, several for its shards
    ///
    /// All games are replayed by the rules. Those whose moves or end cannot be are named and left
    /// out.
    #[arg(
        long,
        value_name = "FILE",
        num_args = 1..,
conflicts_with_all = [
            "game", "engines", "each", "tc", "movetime", "nodes", "depth", "games", "openings", "setup",
            "plies", "concurrency", "tournament", "shard", "margin", "grace", "adjudicate",
            "adjudicate_proven", "out", "resume", "log"
        ]
    )]
    report: Vec<PathBuf>,
    /// With --report: write the games as text to this file
    #[arg(long, value_name = "FILE", requires = "report")]
    text: Option<PathBuf>,
}

impl MatchArgs {
    pub(super) fn run(self) -> anyhow::Result<()> {
        if self.report.is_empty() {
            self.game.game.dispatch(self)
        } else {
            report::report(&self.report, self.sprt, self.text.as_deref())
        }
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
            self.games.is_multiple_of(2),
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
        let rounds = self.games as usize / 2;
        let schedule = Schedule::new(engines.len(), self.tournament, rounds, self.shard);
        let games = 2 * schedule.pairs().len() as u64;
        ensure!(
            games <= MAX_GAMES,
            "--games {}: {games} games in all, at most {MAX_GAMES} can be played here",
            self.games
        );
        let pairs: Vec<Pair> = schedule.pairs().collect();
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
            concurrency: usize::from(self.concurrency),
            proof_nodes: self.adjudicate_proven,
            log: self.log.clone(),
            stop: stop_on_signal()?,
        };
        match arena.try_engines() {
            Ok(objections) => {
                for (engine, objection) in objections {
                    log::warn!("{engine} {objection}");
                }
            }
            Err((
                engine,
                NoStart::Unable(detail) | NoStart::Stop(Stop::Failed(Failure { detail, .. })),
            )) => bail!("{engine} does not start: {detail}"),
            Err((_, NoStart::Stop(Stop::Interrupted))) => bail!("stopped before the first game"),
        }

        let mut scorer = Scorer::new(&names, self.sprt, 2 * pairs.len() as u64);
        if let Some(path) = &self.out {
            if self.resume {
                let (played, left_out) = files::resume(path, &arena, &pairs)?;
                scorer.summary.leave_out(left_out);
                played.iter().for_each(|game| scorer.count(game));
            }
            scorer.file = Some(out::open(path, self.resume)?);
        }
        let wanted: Vec<(Pair, [bool; 2])> = pairs
            .iter()
            .map(|pair| (*pair, [0, 1].map(|leg| !scorer.summary.has(pair.index, leg))))
            .filter(|(_, legs)| legs.contains(&true))
            .collect();
        if scorer.is_undecided() {
            let ended = arena.run(&wanted, |game| {
                if let Err(error) = scorer.take(&game) {
                    arena.stop.store(true, Ordering::Relaxed);
                    scorer.error.get_or_insert(error);
                }
                if !scorer.is_undecided() {
                    arena.stop.store(true, Ordering::Relaxed);
                }
            });
            if let Err(error) = ended {
                scorer.error.get_or_insert(error.into());
            }
        }
        scorer.finish()
    }
}

/// A flag that Ctrl-C and its like set. A second one ends the program at once, and so does a panic,
/// but no engine stays behind.
fn stop_on_signal() -> anyhow::Result<Arc<AtomicBool>> {
    let stop = interrupt::watch(engine::kill_all)?;
    let panics = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |info| {
        engine::kill_all();
        panics(info);
    }));
    Ok(stop)
}
