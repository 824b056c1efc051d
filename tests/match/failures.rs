//! Every failure is booked on the right side, the match goes on, and no process is left behind.

use std::process::Stdio;

use cairn::arena::record::Reason;

use crate::table::{Outcome, Table, Test};

pub const TESTS: &[Test] = &[
    ("late", late),
    ("late_within_the_margin", late_within_the_margin),
    ("silent", silent),
    ("endless", endless),
    ("crash", crash),
    ("orphan", orphan),
    #[cfg(unix)]
    ("closed_output", closed_output),
    ("illegal", illegal),
    ("garbage", garbage),
    ("empty", empty),
    ("no_second_start", no_second_start),
    ("a_log_that_cannot_be_written", a_log_that_cannot_be_written),
    ("crash_between_games", crash_between_games),
    ("harmless_oddities", harmless_oddities),
    ("megabytes_of_output", megabytes_of_output),
    ("wrong_answers_are_reported", wrong_answers_are_reported),
    ("both_fail", both_fail),
    ("nobody_listens", nobody_listens),
    ("no_engine", no_engine),
];

const TIMED: &[&str] = &["--games=4", "--movetime=200", "--grace=1"];

/// That is no failure of an engine: the match ends without a game.
fn a_log_that_cannot_be_written() {
    let table = Table::new();
    let (a, b) = (table.fake("precise"), table.fake("good"));
    let logs = table.path("logs");
    // A folder in the place of the file.
    std::fs::create_dir_all(logs.join("precise-1.log")).unwrap();
    let log = format!("--log={}", logs.display());
    let output =
        table.command("games", &[&a, &b, "--nodes=1", "--games=4", &log]).output().unwrap();
    assert_eq!(output.status.code(), Some(1));
    let stderr = String::from_utf8(output.stderr).unwrap();
    assert!(stderr.contains("no game can be played with precise: the log"), "{stderr}");
    assert_eq!(table.games("games").len(), 0);
}

/// Plays a fake against a good engine and sees that exactly the fake loses, for that reason.
fn loses(kind: &str, arguments: &[&str], reason: Reason, detail: &str) -> (Table, Outcome) {
    let table = Table::new();
    let (bad, good) = (table.fake(kind), table.fake("good"));
    let mut all = vec![bad.as_str(), good.as_str()];
    all.extend(arguments);
    let outcome = table.play("games", &all);
    assert_eq!(outcome.games.len(), 4);
    for game in &outcome.games {
        let player = if game.players[0].name == kind { 0 } else { 1 };
        assert_eq!(game.result.as_str(), ["p2win", "p1win"][player]);
        assert_eq!(game.reason, reason, "{}", game.detail);
        assert!(game.detail.contains(detail), "'{}' lacks '{detail}'", game.detail);
    }
    let failures = format!("4 {}", reason.words());
    let line = |name: &str| outcome.stdout.lines().rfind(|l| l.starts_with(name)).unwrap();
    assert!(line(kind).ends_with(&failures), "{}", outcome.stdout);
    assert!(line("good").ends_with("none"), "{}", outcome.stdout);
    assert!(outcome.stderr.contains(&format!("{} by {kind}", reason.words())));
    table.assert_gone(kind);
    table.assert_gone("good");
    // Started to try it, then anew for every game, because it failed in the one before.
    if kind != "orphan" {
        assert_eq!(table.starts(kind), 5);
    }
    assert_eq!(table.starts("good"), 2);
    (table, outcome)
}

fn late() {
    let (_, outcome) = loses("late", TIMED, Reason::Time, "ms for 'go movetime 200'");
    assert!(outcome.games.iter().all(|game| game.moves.len() < 2));
    loses("late", &["--games=4", "--tc=0.3"], Reason::Time, "ms for 'go p1time ");
}

fn late_within_the_margin() {
    let table = Table::new();
    let (bad, good) = (table.fake("late"), table.fake("good"));
    let arguments =
        [&bad, &good, "--games=2", "--movetime=200", "--margin=5000", "--concurrency=2"];
    let outcome = table.play("games", &arguments);
    assert!(outcome.games.iter().all(|game| game.reason == Reason::Rules));
}

fn silent() {
    loses("silent", TIMED, Reason::Hang, "no answer to 'go'");
}

fn endless() {
    loses("endless", TIMED, Reason::Hang, "no answer to 'go'");
}

fn crash() {
    let (_, outcome) = loses("crash", TIMED, Reason::Crash, "exit status: 3: the roof is on fire");
    // Its first two moves count.
    assert!(outcome.games.iter().all(|game| (4..=5).contains(&game.moves.len())));
}

fn orphan() {
    let (table, _) = loses("orphan", TIMED, Reason::Crash, "exit status: 3");
    assert_eq!(table.starts("orphan"), 9, "four of them started another process");
}

#[cfg(unix)]
fn closed_output() {
    loses("closed", TIMED, Reason::Crash, "it closed its output");
}

fn illegal() {
    loses("illegal", TIMED, Reason::Illegal, "'a1f6' is not legal here");
}

fn garbage() {
    loses("garbage", TIMED, Reason::Garbage, "is not a move");
}

fn empty() {
    loses("empty", TIMED, Reason::Garbage, "bestmove without a move");
}

fn no_second_start() {
    let table = Table::new();
    let (bad, good) = (table.fake("starts-twice"), table.fake("good"));
    // The second start is for the first game; it plays all of them unless it fails.
    let outcome = table.play("games", &[&bad, &good, "--games=4", "--nodes=1"]);
    assert!(outcome.games.iter().all(|game| game.reason == Reason::Rules));
    // A third one is needed for a second worker.
    let table = Table::new();
    let (bad, good) = (table.fake("starts-twice"), table.fake("good"));
    let outcome = table.play("more", &[&bad, &good, "--games=4", "--nodes=1", "--concurrency=2"]);
    assert!(outcome.games.iter().any(|game| game.reason == Reason::Start));
    assert!(outcome.stderr.contains(
        "failed start by starts-twice: the process ended with exit status: 9: no licence"
    ));
}

fn crash_between_games() {
    let table = Table::new();
    let (bad, good) = (table.fake("crash-between-games"), table.fake("good"));
    let outcome = table.play("games", &[&bad, &good, "--games=4", "--nodes=1"]);
    assert!(outcome.games.iter().all(|game| game.reason == Reason::Rules));
    assert_eq!(table.starts("crash-between-games"), 5);
    assert!(outcome.stderr.contains("failed between two games"));
}

fn harmless_oddities() {
    for kind in ["deaf", "stutter", "no-query"] {
        let table = Table::new();
        let (odd, good) = (table.fake(kind), table.fake("good"));
        let outcome = table.play("games", &[&odd, &good, "--games=6", "--nodes=1"]);
        assert!(outcome.games.iter().all(|game| game.reason == Reason::Rules), "{kind}");
        assert_eq!(table.starts(kind), 2);
        table.assert_gone(kind);
    }
}

fn megabytes_of_output() {
    let table = Table::new();
    let (odd, good) = (table.fake("megabytes"), table.fake("good"));
    let outcome = table.play("games", &[&odd, &good, "--games=2", "--nodes=1"]);
    assert!(outcome.games.iter().all(|game| game.reason == Reason::Rules));
}

fn wrong_answers_are_reported() {
    let table = Table::new();
    let (liar, good) = (table.fake("liar"), table.fake("good"));
    let outcome = table.play("games", &[&liar, &good, "--games=4", "--nodes=1"]);
    for game in &outcome.games {
        let player = if game.players[0].name == "liar" { 0 } else { 1 };
        assert_eq!(game.reason, Reason::Rules);
        assert_eq!(game.disagreements[player].len(), 1);
        assert!(game.disagreements[player][0].contains("'none' to 'query result'"));
        assert!(game.disagreements[1 - player].is_empty());
    }
    assert!(outcome.stdout.contains("4 answers against the rules"));
    assert!(outcome.stderr.contains("liar answers 'none' to 'query result'"));
}

fn both_fail() {
    let table = Table::new();
    let (one, two) = (table.fake("silent"), table.fake("crash"));
    let mut arguments = vec![one.as_str(), two.as_str(), "--concurrency=2"];
    arguments.extend(TIMED);
    let outcome = table.play("games", &arguments);
    assert!(outcome.games.iter().all(|game| game.reason == Reason::Hang));
    table.assert_gone("silent");
    table.assert_gone("crash");
}

fn nobody_listens() {
    let table = Table::new();
    let (bad, good) = (table.fake("illegal"), table.fake("good"));
    let mut command = table.command("games", &[&bad, &good, "--nodes=1", "--games=4"]);
    let mut match_ = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    drop(match_.stderr.take());
    let output = match_.wait_with_output().unwrap();
    assert!(output.status.success());
    assert!(String::from_utf8(output.stdout).unwrap().contains("4 illegal move"));
    assert_eq!(table.games("games").len(), 4);
}

fn no_engine() {
    let table = Table::new();
    let good = table.fake("good");
    for command in ["/no/such/program", "true"] {
        let bad = format!("--engine=name=bad,cmd={command}");
        let output = table.command("games", &[&good, &bad, "--nodes=1"]).output().unwrap();
        let stderr = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(1));
        assert!(stderr.contains("bad does not start"), "{stderr}");
        assert!(!table.path("games").exists());
    }
}
