//! `cairn selfplay`, in parts and stopped anywhere.

use std::fs;
use std::path::PathBuf;

use assert_cmd::Command as Run;
use predicates::prelude::*;
use predicates::str::{contains, is_empty};
use tempfile::TempDir;

/// The usual options, which others take the place of.
const USUAL: [[&str; 2]; 3] = [["--games", "7"], ["--nodes", "50"], ["--seed", "11"]];

/// A folder with files of self-play.
struct Folder(TempDir);

impl Folder {
    fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    /// `cairn selfplay` with these arguments behind the usual ones, in this folder.
    fn selfplay(&self, arguments: &[&str]) -> Run {
        let mut command = Run::new(env!("CARGO_BIN_EXE_cairn"));
        command.current_dir(&self.0).arg("selfplay");
        let usual = USUAL.iter().filter(|[option, _]| !arguments.contains(option));
        command.args(usual.flatten()).args(arguments);
        command
    }

    fn write(&self, name: &str, text: &str) {
        fs::write(self.path(name), text).unwrap();
    }

    fn read(&self, name: &str) -> String {
        fs::read_to_string(self.path(name)).unwrap()
    }

    /// What the usual command writes.
    fn whole(&self) -> String {
        let output = self.selfplay(&[]).assert().success().get_output().stdout.clone();
        String::from_utf8(output).unwrap()
    }

    /// Goes on with a file that holds this, which must be refused and left as it is.
    fn refuses(&self, text: &str, arguments: &[&str], message: &str) {
        self.write("part", text);
        let arguments = [arguments, &["--out", "part", "--resume"]].concat();
        self.selfplay(&arguments).assert().code(1).stdout(is_empty()).stderr(contains(message));
        assert_eq!(self.read("part"), text);
    }
}

#[test]
fn every_game_ends_with_its_seed() {
    let whole = Folder::new().whole();
    let seeds: Vec<&str> = whole.lines().filter_map(|line| line.strip_prefix("# game ")).collect();
    assert_eq!(seeds, ["11", "12", "13", "14", "15", "16", "17"]);
    assert!(whole.ends_with("# game 17\n"));
    assert!(whole.lines().all(|line| line.starts_with('#') || line.split(';').count() == 4));
}

#[test]
fn parts_in_their_order_are_the_whole() {
    let folder = Folder::new();
    let whole = folder.whole();
    for count in [1, 3, 9] {
        let mut parts = String::new();
        for i in 1..=count {
            let (shard, out) = (format!("{i}/{count}"), format!("part-{i}-{count}"));
            folder.selfplay(&["--shard", &shard, "--out", &out]).assert().success();
            parts += &folder.read(&out);
        }
        assert_eq!(parts, whole);
    }
}

#[test]
fn a_stopped_run_goes_on_where_it_was() {
    let folder = Folder::new();
    let whole = folder.whole();
    let resume = ["--out", "part", "--resume", "--threads", "2"];
    folder.selfplay(&resume).assert().success().stdout(is_empty());
    assert_eq!(folder.read("part"), whole);
    let ends: Vec<usize> = whole.match_indices("# game ").map(|(at, _)| at).collect();
    let near_ends = ends.iter().flat_map(|end| [end - 1, *end, end + 3, end + 9, end + 10]);
    for length in near_ends.chain((0..whole.len()).step_by(311)).filter(|at| *at < whole.len()) {
        folder.write("part", &whole[..length]);
        folder.selfplay(&resume).assert().success();
        assert!(folder.read("part") == whole, "after {length} bytes");
    }
    // Nothing is left to do.
    folder.selfplay(&resume).assert().success();
    assert_eq!(folder.read("part"), whole);
}

#[test]
fn a_file_of_something_else_is_left_as_it_is() {
    let folder = Folder::new();
    let whole = folder.whole();
    folder.write("part", &whole);
    folder
        .selfplay(&["--out", "part"])
        .assert()
        .code(1)
        .stderr(contains("--out part: the file exists").and(contains("--resume")));
    assert_eq!(folder.read("part"), whole);

    let begun = &whole[..whole.find("# game 14").unwrap()];
    let other = "not the one that this command plays";
    folder.refuses(begun, &["--nodes", "60"], other);
    folder.refuses(begun, &["--game", "yoxii"], other);
    folder.refuses(begun, &["--plies", "2"], other);
    folder.refuses(&begun[..begun.find(';').unwrap()], &["--nodes", "60", "--plies", "0"], other);
    folder.refuses("a letter", &[], other);
    folder.refuses("a letter\n", &[], other);
    folder.refuses(begun, &["--seed", "12"], "game 11, expected game 12");
    folder.refuses(begun, &["--shard", "2/3"], "game 11, expected game 13");
    folder.refuses(begun, &["--shard", "1/7"], "game 12 is behind the last");
    folder.refuses(&format!("{begun}{begun}"), &[], "game 11, expected game 14");
    folder.refuses(&format!("{whole}a letter"), &[], "something stands behind the last game");
}

#[test]
fn two_that_write_to_a_file_do_not_go_on() {
    let folder = Folder::new();
    // A first game that lasts long enough for someone else to write.
    let out = folder.path("part");
    let mut first = std::process::Command::new(env!("CARGO_BIN_EXE_cairn"))
        .args(["selfplay", "--games", "1", "--nodes", "200000", "--out"])
        .arg(&out)
        .stderr(std::process::Stdio::piped())
        .spawn()
        .unwrap();
    while !out.exists() {
        assert!(first.try_wait().unwrap().is_none(), "it ended without a file");
        std::thread::yield_now();
    }
    std::thread::sleep(std::time::Duration::from_millis(50));
    folder.write("part", "a letter");
    let output = first.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(1));
    assert!(String::from_utf8_lossy(&output.stderr).contains("someone else writes to the file"));
    assert_eq!(folder.read("part"), "a letter");
}

#[test]
fn arguments_that_say_nothing_are_refused() {
    let folder = Folder::new();
    for (arguments, word) in [
        (&["--resume"][..], "--out"),
        (&["--shard", "0/3"], "expected I/N"),
        (&["--shard", "4/3"], "expected I/N"),
    ] {
        folder.selfplay(arguments).assert().code(2).stdout(is_empty()).stderr(contains(word));
    }
    let nowhere = ["--out", "nowhere/part"];
    folder.selfplay(&nowhere).assert().code(1).stderr(contains("--out nowhere/part"));
}
