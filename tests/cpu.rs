//! A build for a newer processor on an older one, which an emulator plays.
//!
//! The tests have a harness of their own, so that they are shown as ignored where there is no
//! emulator (`qemu-x86_64`, from Debian's `qemu-user`).

use std::process::{Command, Output};

use libtest_mimic::{Arguments, Trial};

/// What `cairn --version` does on that processor.
fn version_on(cpu: &str) -> Output {
    Command::new("qemu-x86_64")
        .args(["-cpu", cpu, env!("CARGO_BIN_EXE_cairn"), "--version"])
        .output()
        .expect("the emulator starts")
}

/// The instructions that are missing there; none when it runs.
fn missing_on(cpu: &str) -> Vec<String> {
    let output = version_on(cpu);
    let [stdout, stderr] =
        [output.stdout, output.stderr].map(|text| String::from_utf8(text).expect("it is UTF-8"));
    // The emulator itself may warn of what it cannot emulate.
    let errors: Vec<&str> =
        stderr.lines().filter(|line| !line.starts_with("qemu-x86_64: warning")).collect();
    if output.status.success() {
        assert_eq!(stdout, concat!("cairn ", env!("CARGO_PKG_VERSION"), "\n"));
        assert!(errors.is_empty(), "{stderr}");
        return Vec::new();
    }
    assert_eq!(output.status.code(), Some(1), "{} {stderr}", output.status);
    assert_eq!(stdout, "");
    let [line] = errors[..] else { panic!("one line is expected, not {stderr}") };
    let names = line
        .strip_prefix(
            "error: this build of cairn uses instructions that this processor does not have: ",
        )
        .and_then(|rest| {
            rest.strip_suffix(
                "; build it on this machine, or for any 64-bit PC with \
                 RUSTFLAGS=\"-C target-cpu=x86-64\"",
            )
        })
        .unwrap_or_else(|| panic!("{line}"));
    names.split(", ").map(str::to_string).collect()
}

/// Nehalem is of 2008.
fn an_older_processor_is_told_what_it_lacks() {
    let missing = missing_on("Nehalem");
    let named = |name: &str| missing.iter().any(|missing| missing == name);
    assert_eq!(named("avx2"), cfg!(target_feature = "avx2"), "{missing:?}");
    assert_eq!(named("bmi2"), cfg!(target_feature = "bmi2"), "{missing:?}");
    assert_eq!(named("avx512f"), cfg!(target_feature = "avx512f"), "{missing:?}");
    assert!(!named("sse4.2") && !named("popcnt"), "it has them: {missing:?}");
}

fn what_a_processor_has_is_not_named() {
    let (older, newer) = (missing_on("Nehalem"), missing_on("max"));
    assert!(newer.iter().all(|name| older.contains(name)), "{newer:?} {older:?}");
    assert!(!newer.iter().any(|name| name == "bmi2"), "the emulator has it: {newer:?}");
}

fn main() {
    let arguments = Arguments::from_args();
    let emulated = cfg!(target_arch = "x86_64")
        && Command::new("qemu-x86_64").arg("--version").output().is_ok();
    let tests: [(&str, fn()); 2] = [
        ("an_older_processor_is_told_what_it_lacks", an_older_processor_is_told_what_it_lacks),
        ("what_a_processor_has_is_not_named", what_a_processor_has_is_not_named),
    ];
    let trials = tests.map(|(name, test)| {
        Trial::test(name, move || {
            test();
            Ok(())
        })
        .with_ignored_flag(!emulated)
    });
    libtest_mimic::run(&arguments, trials.into()).exit();
}
