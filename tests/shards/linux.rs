//! The tests, which need Linux.

use std::env;
use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::os::unix::process::CommandExt;
use std::path::PathBuf;
use std::process::{Child, Command, Output, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use cairn::arena::record::{self, GameRecord};
use libtest_mimic::Trial;

/// Parts into which everything is cut.
const PARTS: usize = 3;
/// Games of a part.
const GAMES: usize = 12;
/// The longest that a command of a test may take, in seconds.
const PATIENCE: u64 = 120;

/// What was changed in the scripts, so that a game takes a tenth of a second and is always the
/// same.
const CHANGES: [(&str, &[(&str, &str)]); 3] = [
    ("match.sh", &[("--tc 8+0.08 --games 4096", "--nodes 20000 --games 36")]),
    ("selfplay.sh", &[("--games 100000", "--nodes 20000 --games 36")]),
    ("array.sh", &[]),
];

/// The tests, of which those are to be ignored that lack a tool.
pub fn tests() -> Vec<Trial> {
    let common = ["setpriv", "unshare", "timeout"];
    let slurm = ["ip", "munged", "slurmctld", "slurmd", "sbatch", "squeue", "scontrol", "sinfo"];
    vec![
        trial("shards_of_gnu_parallel", [&common[..], &["parallel"]].concat(), with_parallel),
        trial("shards_of_slurm", [&common[..], &slurm].concat(), with_slurm),
    ]
}

fn trial(name: &str, tools: Vec<&str>, test: fn()) -> Trial {
    let missing = missing(&tools);
    let is_required = env::var_os("CAIRN_ALL_TESTS").is_some();
    let kind = missing.clone().map(|tool| format!("needs {tool}")).unwrap_or_default();
    let is_ignored = missing.is_some() && !is_required;
    Trial::test(name, move || match missing {
        Some(tool) => Err(format!("{tool} is needed for this test, and missing").into()),
        None => {
            test();
            Ok(())
        }
    })
    .with_kind(kind)
    .with_ignored_flag(is_ignored)
}

/// What keeps a test that needs these programs from running here.
fn missing(tools: &[&str]) -> Option<String> {
    let path = search_path();
    let is_there = |tool: &str| env::split_paths(&path).any(|folder| folder.join(tool).is_file());
    if let Some(tool) = tools.iter().find(|tool| !is_there(tool)) {
        return Some((*tool).to_string());
    }
    let tried = Command::new("unshare").args(NAMESPACES).arg("true").output().unwrap();
    (!tried.status.success()).then(|| "root".to_string())
}

/// Where programs are looked for: daemons are not on everyone's path.
fn search_path() -> String {
    format!("{}:/usr/sbin:/sbin", env::var("PATH").unwrap_or_default())
}

const NAMESPACES: [&str; 5] = ["--pid", "--fork", "--kill-child", "--mount-proc", "--net"];

/// A folder with the scripts, the programs of their commands, and what they write.
struct Folder(tempfile::TempDir);

impl Folder {
    fn new() -> Self {
        let folder = Self(tempfile::tempdir().unwrap());
        for name in ["bin", "new", "old"] {
            fs::create_dir(folder.path(name)).unwrap();
            symlink(env!("CARGO_BIN_EXE_cairn"), folder.path(name).join("cairn")).unwrap();
        }
        for (name, changes) in CHANGES {
            let source = format!("{}/tests/shards/scripts/{name}", env!("CARGO_MANIFEST_DIR"));
            let mut text = fs::read_to_string(source).unwrap();
            for (from, to) in changes {
                assert!(text.matches(from).count() == 1, "{name} no longer says {from} once");
                text = text.replace(from, to);
            }
            fs::write(folder.path(name), text).unwrap();
            fs::set_permissions(folder.path(name), PermissionsExt::from_mode(0o755)).unwrap();
        }
        folder
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn read(&self, name: &str) -> String {
        fs::read_to_string(self.path(name)).unwrap()
    }

    fn lines(&self, name: &str) -> usize {
        fs::read_to_string(self.path(name)).map_or(0, |text| text.matches('\n').count())
    }

    /// Starts a command that ends with everything it started, at the latest when this thread ends.
    fn start(&self, command: &[&str]) -> Child {
        Command::new("setpriv")
            .args(["--pdeathsig", "KILL", "unshare"])
            .args(NAMESPACES)
            .args(["timeout", "--signal=KILL", &PATIENCE.to_string()])
            .args(command)
            .env("PATH", format!("{}:{}", self.path("bin").display(), search_path()))
            .current_dir(&self.0)
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            // `timeout` and others send signals to their whole group, of which the test is not to
            // be.
            .process_group(0)
            .spawn()
            .unwrap()
    }

    /// Runs a command like that to its end, which must be a good one.
    fn run(&self, command: &[&str]) {
        let Output { status, stdout, stderr } = self.start(command).wait_with_output().unwrap();
        let [stdout, stderr] = [stdout, stderr].map(|text| String::from_utf8(text).unwrap());
        assert!(status.success(), "{command:?}: {status}\n{stdout}\n{stderr}");
    }

    /// Plays everything in one part, and takes the files away.
    fn reference(&self) -> (Vec<GameRecord>, String) {
        thread::scope(|scope| {
            for script in ["./match.sh", "./selfplay.sh"] {
                scope.spawn(move || self.run(&[script, "1", "1"]));
            }
        });
        let whole = (self.games(1), self.samples(1));
        for file in ["part-1.jsonl", "samples-1.txt"] {
            fs::remove_file(self.path(file)).unwrap();
        }
        whole
    }

    /// The games in so many parts of the match, without what no two runs have in common.
    fn games(&self, parts: usize) -> Vec<GameRecord> {
        let part = |i| record::read(&self.path(&format!("part-{i}.jsonl"))).unwrap();
        let records: Vec<_> = (1..=parts).map(part).collect();
        assert!(records.iter().all(|records| !records.torn));
        let entries = records.into_iter().flat_map(|records| records.games);
        let mut games: Vec<_> = entries
            .inspect(|entry| assert!(entry.fault.is_none(), "line {}", entry.line))
            .map(|entry| entry.game)
            .collect();
        games.iter_mut().flat_map(|game| &mut game.moves).for_each(|mv| mv.ms = 0.0);
        games.sort_by_key(|game| (game.pair, game.leg));
        games
    }

    /// All that so many parts of self-play wrote.
    fn samples(&self, parts: usize) -> String {
        (1..=parts).map(|i| self.read(&format!("samples-{i}.txt"))).collect()
    }

    /// Fails unless the parts together are the whole.
    fn assert_whole(&self, (games, samples): &(Vec<GameRecord>, String)) {
        assert_eq!(games.len(), PARTS * GAMES);
        assert_eq!(self.games(PARTS), *games);
        assert_eq!(samples.matches("# game ").count(), PARTS * GAMES);
        assert!(self.samples(PARTS) == *samples, "other samples than without shards");
    }

    /// Fails unless a file still begins with what it held when its writer was killed, which was
    /// some of it.
    fn assert_continued(&self, file: &str, killed: &str) {
        // The game that was being written was written again, from its beginning.
        let killed = &killed[..=killed.rfind('\n').unwrap()];
        let text = self.read(file);
        assert!(text.starts_with(killed), "{file} was begun again");
        assert!(killed.len() < text.len(), "{file} was whole before its writer was killed");
    }
}

/// Kills all that a command started, and waits until nothing of it is left.
fn kill(unshare: &mut Child) {
    let id = unshare.id();
    let children = fs::read_to_string(format!("/proc/{id}/task/{id}/children")).unwrap();
    let first = nix::unistd::Pid::from_raw(children.trim().parse().unwrap());
    // With the first process of its namespace end all the others, and `unshare` waits for them.
    nix::sys::signal::kill(first, nix::sys::signal::Signal::SIGKILL).unwrap();
    unshare.wait().unwrap();
}

/// Both scripts with GNU parallel, killed with all shards in the middle, and once more.
fn with_parallel() {
    let folder = Folder::new();
    let whole = folder.reference();
    for (script, file, lines) in [("match", "part-2.jsonl", 3), ("selfplay", "samples-2.txt", 60)] {
        let command = format!(
            "parallel --jobs {PARTS} --joblog {script}.log --resume-failed \
             ./{script}.sh {{}} {PARTS} '>' {script}-{{}}.txt ::: $(seq {PARTS})"
        );
        let mut first = folder.start(&["sh", "-c", &command]);
        let start = Instant::now();
        while folder.lines(file) < lines {
            assert!(start.elapsed().as_secs() < PATIENCE, "{file} does not grow");
            thread::sleep(Duration::from_millis(20));
        }
        kill(&mut first);
        let killed = folder.read(file);
        folder.run(&["sh", "-c", &command]);
        folder.assert_continued(file, &killed);
    }
    folder.assert_whole(&whole);
}

/// Both scripts as job arrays of Slurm, of which a task is requeued in the middle.
fn with_slurm() {
    let folder = Folder::new();
    let whole = folder.reference();
    let script = |name: &str| format!("{}/tests/shards/{name}", env!("CARGO_MANIFEST_DIR"));
    let (slurm, jobs) = (script("slurm.sh"), script("jobs.sh"));
    let state = folder.path("slurm").display().to_string();
    folder.run(&["bash", &slurm, &state, "bash", &jobs, &PARTS.to_string()]);
    let jobs = folder.read("jobs.txt");
    assert_eq!(jobs.matches("JobState=COMPLETED").count(), 2 * PARTS, "{jobs}");
    assert_eq!(jobs.matches("Restarts=1").count(), 2, "{jobs}");
    for file in ["part-2.jsonl", "samples-2.txt"] {
        folder.assert_continued(file, &folder.read(&format!("killed-{file}")));
    }
    folder.assert_whole(&whole);
}
