//! The `cairn` program: look at the processor, parse, run, print one error, set the exit code.

use std::io::{ErrorKind, Write};
use std::process::ExitCode;

use cairn::cli::{self, Cli};

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
    env_logger::Builder::from_env(env_logger::Env::default().default_filter_or("warn")).init();
    match cli::run(Cli::from_command_line()) {
        Ok(()) => ExitCode::SUCCESS,
        // Whoever reads our output has seen enough.
        Err(error) if is_broken_pipe(&error) => ExitCode::SUCCESS,
        Err(error) => {
            let _ = writeln!(std::io::stderr(), "error: {error:#}");
            ExitCode::FAILURE
        }
    }
}

fn is_broken_pipe(error: &anyhow::Error) -> bool {
    error.chain().any(|cause| {
        cause.downcast_ref::<std::io::Error>().is_some_and(|e| e.kind() == ErrorKind::BrokenPipe)
    })
}
