//! The command line: its grammar, and one module for each subcommand.

mod analyze;
mod bench;
mod interrupt;
mod json;
mod match_;
mod openings;
mod out;
mod perft;
mod selfplay;
mod solve;
mod train;
mod ugi;

use std::io::{self, StdoutLock, Write};
use std::process::ExitCode;

use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{Args, CommandFactory, Parser, Subcommand};
use indicatif::{ProgressBar, ProgressStyle};

use crate::game::Playable;
use crate::games::GameName;
use crate::outside::{excerpt, visible};
use crate::search::threads::useful;

/// A game engine for Hokito and Yoxii
///
/// Without a subcommand it speaks the Universal Game Interface on stdin and stdout, the way match
/// runners and graphical programs start it. Type `help` there for the commands.
#[derive(Debug, Parser)]
#[command(
    version,
    max_term_width = 100,
    args_conflicts_with_subcommands = true,
    after_help = "\
Examples:
  cairn analyze                            search the start position and explain the best move
  cairn analyze --game yoxii --movetime 1000
  cairn solve --fen POSITION               prove the result of a late position
  cairn perft --depth 4                    count the leaves of the game tree
  cairn --game yoxii                       play Yoxii over the line protocol

Positions are written as 'BOARD SIDE', for example
  Hokito  'CBACBA/ACBACB/BACBAC/cabcab/bcabca/abcabc b'
  Yoxii   '.../...../......./...*.../......./...../... w'

RUST_LOG=debug shows diagnostics on stderr. The exit status is 0 when all went well, 1 when
something failed and 2 when the command line was wrong."
)]
pub struct Cli {
    #[command(subcommand)]
    command: Option<Command>,
    #[command(flatten)]
    ugi: ugi::Ugi,
}

impl Cli {
    /// Reads the command line of this process.
    ///
    /// # Errors
    /// What is wrong with it, or the help that it asks for: see [`answer`].
    pub fn from_command_line() -> Result<Self, clap::Error> {
        Self::try_parse().map_err(|error| {
            // The same mistake, told with words that can be seen.
            let shown = std::env::args_os().map(|word| visible(&word.to_string_lossy()));
            let mut error = Self::try_parse_from(shown).err().unwrap_or(error);
            let conflict = error.kind() == ErrorKind::ArgumentConflict;
            if let (true, Some(ContextValue::String(name))) =
                (conflict, error.get(ContextKind::InvalidSubcommand))
                && Self::has_game(name)
            {
                let tip = format!("put '--game' behind '{name}'");
                error.insert(ContextKind::Suggested, ContextValue::StyledStrs(vec![tip.into()]));
            }
            error
        })
    }

    /// Whether this subcommand is about one game.
    fn has_game(name: &str) -> bool {
        Self::command().find_subcommand(name).is_some_and(|command| {
            command.get_arguments().any(|argument| argument.get_id() == "game")
        })
    }
}

#[derive(Debug, Subcommand)]
enum Command {
    Ugi(ugi::Ugi),
    Analyze(analyze::Analyze),
    Match(Box<match_::MatchArgs>),
    Openings(openings::OpeningsCommand),
    Solve(solve::Solve),
    Perft(perft::Perft),
    Selfplay(selfplay::SelfplayArgs),
    Train(train::TrainArgs),
    Bench(bench::Bench),
}

/// The choice of a game, common to most subcommands.
#[derive(Clone, Copy, Debug, Args)]
struct GameArg {
    /// The game: hokito or yoxii
    #[arg(long, value_name = "GAME", default_value_t)]
    game: GameName,
}

/// The number of threads, common to whatever takes long.
#[derive(Clone, Copy, Debug, Args)]
struct ThreadsArg {
    /// Threads that share the work; more than there are processors are never started
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..=1024))]
    threads: u16,
}

impl ThreadsArg {
    /// How many threads to start.
    fn count(self) -> usize {
        useful(self.threads.into())
    }
}

/// The position behind `--fen`, or the start position.
fn position<G: Playable>(fen: Option<&str>) -> anyhow::Result<G> {
    use anyhow::Context;
    match fen {
        None | Some("startpos") => Ok(G::start()),
        Some(text) => G::parse(text)
            .with_context(|| format!("--fen '{text}' is not a position of {}", G::TITLE)),
    }
}

/// Standard output, for results. A write that fails says where it failed.
struct Results(StdoutLock<'static>);

impl Results {
    fn new() -> Self {
        Self(io::stdout().lock())
    }
}

/// The same kind of error, told with its place.
fn on_stdout(error: io::Error) -> io::Error {
    io::Error::new(error.kind(), format!("standard output: {error}"))
}

impl Write for Results {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.write(bytes).map_err(on_stdout)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.flush().map_err(on_stdout)
    }
}

/// No line on standard error has more characters from outside than this: more than any path has.
pub const LONGEST_NOTE: usize = 5000;

/// Writes a line for a person to standard error, in which nothing that came from outside does harm.
/// That it cannot be written never ends or changes what goes to standard output.
pub fn note(line: &str) {
    let line = excerpt(line, LONGEST_NOTE) + "\n";
    let _ = io::stderr().write_all(line.as_bytes());
}

/// Answers a command line that was not [read](Cli::from_command_line), and tells the exit status:
/// help that was asked for goes to standard output, and what is wrong to standard error.
///
/// # Errors
/// When the help cannot be written.
pub fn answer(error: &clap::Error) -> anyhow::Result<ExitCode> {
    if !error.use_stderr() {
        error.print().and_then(|()| io::stdout().flush()).map_err(on_stdout)?;
        return Ok(ExitCode::SUCCESS);
    }
    let _ = error.print();
    Ok(ExitCode::from(USAGE))
}

/// The exit status when the command line is wrong.
const USAGE: u8 = 2;

/// A bar on standard error that fills as `length` things are done.
fn progress(length: u64) -> ProgressBar {
    let bar = ProgressBar::new(length);
    if let Ok(style) = ProgressStyle::with_template("{bar:20} {pos}/{len} {eta}") {
        bar.set_style(style);
    }
    bar
}

/// Runs the program that the command line asks for.
///
/// # Errors
/// Whatever stops it; the message is for the person who typed the command.
pub fn run(cli: Cli) -> anyhow::Result<()> {
    match cli.command {
        Some(Command::Analyze(analyze)) => analyze.run(),
        Some(Command::Match(args)) => args.run(),
        Some(Command::Openings(args)) => args.run(),
        Some(Command::Solve(solve)) => solve.run(),
        Some(Command::Perft(perft)) => perft.run(),
        Some(Command::Selfplay(args)) => args.run(),
        Some(Command::Train(args)) => args.run(),
        Some(Command::Bench(bench)) => bench.run(),
        Some(Command::Ugi(ugi)) => ugi.run(),
        None => cli.ugi.run(),
    }
}
