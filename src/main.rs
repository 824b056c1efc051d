//! The `cairn` program: look at the processor, parse, run, print one error, set the exit code.

use std::io::{ErrorKind, Write};
use std::process::ExitCode;

use cairn::cli::{self, Cli};
use cairn::outside::excerpt;

fn main() -> ExitCode {
    #[cfg(target_arch = "x86_64")]
    if !cairn::cpu::check() {
        return ExitCode::FAILURE;
    }
    run()
}

/// Apart from `main`, so that none of its instructions come before the check.
#[inline(never)]
fn run() -> ExitCode {
    log_to_standard_error();
    let ended = match Cli::from_command_line() {
        Ok(cli) => cli::run(cli).map(|()| ExitCode::SUCCESS),
        Err(error) => cli::answer(&error),
    };
    match ended {
        Ok(status) => status,
        // Whoever reads our output has seen enough.
        Err(error) if is_broken_pipe(&error) => ExitCode::SUCCESS,
        Err(error) => {
            cli::note(&format!("error: {error:#}"));
            ExitCode::FAILURE
        }
    }
}

/// Lets the log go to standard error, with what came from outside shown as everywhere.
fn log_to_standard_error() {
    env_logger::Builder::from_env(env_logger::Env::default().default_filter_or("warn"))
        .format(|line, record| {
            let (time, level, target) = (line.timestamp(), record.level(), record.target());
            let style = line.default_level_style(level);
            let text = excerpt(&record.args().to_string(), cli::LONGEST_NOTE);
            writeln!(line, "[{time} {style}{level}{style:#} {target}] {text}")
        })
        .init();
}

fn is_broken_pipe(error: &anyhow::Error) -> bool {
    error.chain().any(|cause| {
        cause.downcast_ref::<std::io::Error>().is_some_and(|e| e.kind() == ErrorKind::BrokenPipe)
    })
}
