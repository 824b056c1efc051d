//! A match that a test sets up and looks at.

use std::fs;
use std::path::PathBuf;
use std::process::{Command, Output};

use cairn::arena::record::{self, GameRecord};

/// A test, by name.
pub type Test = (&'static str, fn());

/// A folder with everything of one match.
pub struct Table {
    folder: tempfile::TempDir,
}

/// What a match left behind.
pub struct Outcome {
    pub stdout: String,
    pub stderr: String,
    pub games: Vec<GameRecord>,
}

impl Table {
    pub fn new() -> Self {
        Self { folder: tempfile::tempdir().unwrap() }
    }

    /// A file of this match.
    pub fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// `--engine` with a fake of this kind, which is also its name.
    pub fn fake(&self, kind: &str) -> String {
        let folder = self.path(kind);
        fs::create_dir_all(&folder).unwrap();
        let program = std::env::current_exe().unwrap();
        format!(
            "--engine=name={kind},cmd=\"'{}' fake {kind} '{}'\"",
            program.display(),
            folder.display()
        )
    }

    /// `cairn match` with these arguments and records in a file of that name.
    pub fn command(&self, out: &str, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_cairn"));
        command.arg("match").arg("--out").arg(self.path(out)).args(arguments);
        command
    }

    /// Runs `cairn match`, which must succeed.
    pub fn play(&self, out: &str, arguments: &[&str]) -> Outcome {
        let output = self.command(out, arguments).output().unwrap();
        let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).unwrap();
        let (stdout, stderr) = (text(&output.stdout), text(&output.stderr));
        assert!(output.status.success(), "{stdout}\n{stderr}");
        Outcome { stdout, stderr, games: self.games(out) }
    }

    /// The games of a file of records, in the order of the schedule.
    pub fn games(&self, out: &str) -> Vec<GameRecord> {
        let records = record::read(&self.path(out)).unwrap();
        assert!(!records.torn);
        assert!(records.games.iter().all(|entry| entry.fault.is_none()));
        let mut games: Vec<_> = records.games.into_iter().map(|entry| entry.game).collect();
        games.sort_by_key(|game| (game.pair, game.leg));
        games
    }

    /// Runs `cairn match --report` with these files.
    pub fn try_report(&self, files: &[&str], arguments: &[&str]) -> Output {
        let mut command = Command::new(env!("CARGO_BIN_EXE_cairn"));
        command.args(["match", "--report"]).args(files.iter().map(|file| self.path(file)));
        command.args(arguments).output().unwrap()
    }

    /// What `cairn match --report` says of these files.
    pub fn report(&self, files: &[&str], arguments: &[&str]) -> String {
        let output = self.try_report(files, arguments);
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).unwrap()
    }

    /// What `cairn match --report` complains of in these files, of which it must not report.
    pub fn refused_report(&self, files: &[&str], arguments: &[&str]) -> String {
        let output = self.try_report(files, arguments);
        assert_eq!(output.status.code(), Some(1));
        assert!(output.stdout.is_empty());
        String::from_utf8(output.stderr).unwrap()
    }

    /// How often a fake was started.
    pub fn starts(&self, kind: &str) -> usize {
        fs::read_dir(self.path(kind)).unwrap().count()
    }

    /// Fails when a process of a fake of this kind is still alive.
    pub fn assert_gone(&self, kind: &str) {
        for file in fs::read_dir(self.path(kind)).unwrap() {
            let name = file.unwrap().file_name();
            let id = name.to_str().unwrap();
            assert!(!is_alive(id), "{kind}, process {id}");
        }
    }
}

/// Whether there is such a process: by /proc or else by `ps`, which not every Linux has.
#[cfg(unix)]
fn is_alive(id: &str) -> bool {
    let state = if fs::exists("/proc/self/stat").unwrap() {
        let stat = fs::read_to_string(format!("/proc/{id}/stat")).unwrap_or_default();
        // The name before it, in parentheses, may hold anything.
        stat.rsplit_once(") ").map(|(_, state)| state.to_string()).unwrap_or_default()
    } else {
        let ps = Command::new("ps").args(["-o", "stat=", "-p", id]).output().unwrap();
        String::from_utf8(ps.stdout).unwrap()
    };
    // A process that is dead but not yet taken note of by its parent has state Z.
    !state.is_empty() && !state.starts_with('Z')
}

/// Whether there is such a process.
#[cfg(windows)]
fn is_alive(id: &str) -> bool {
    let filter = format!("PID eq {id}");
    let list = Command::new("tasklist").args(["/NH", "/FI", &filter]).output().unwrap();
    String::from_utf8_lossy(&list.stdout).split_whitespace().any(|word| word == id)
}
