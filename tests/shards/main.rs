//! The scripts for many machines, run for real on this one: with GNU parallel and with Slurm, of
//! which shards are killed in the middle. No game may be lost or counted twice.
//!
//! All that a test starts runs in namespaces of its own, so that it meets nothing else of this
//! machine and ends with the test. Where the tools are missing the tests are shown as ignored; with
//! `CAIRN_ALL_TESTS` in the environment they fail.

#[cfg(target_os = "linux")]
mod linux;

use libtest_mimic::Arguments;

fn main() {
    #[cfg(target_os = "linux")]
    let tests = linux::tests();
    #[cfg(not(target_os = "linux"))]
    let tests = Vec::new();
    // One after the other: they take their time from the same processors.
    let arguments = Arguments { test_threads: Some(1), ..Arguments::from_args() };
    libtest_mimic::run(&arguments, tests).exit();
}
