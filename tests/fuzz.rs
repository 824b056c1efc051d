//! Arbitrary input, in the manner of a fuzzer but on any stable toolchain: mutations of a small
//! corpus by a seeded generator, run inside the test process.
//!
//! `CAIRN_FUZZ=10000000 cargo test --release --test fuzz` runs the long form; the default is a few
//! seconds. `CAIRN_FUZZ_SEED` chooses other mutations. A failure prints the input.

use std::env;
use std::io::{self, Cursor, Write};
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::{Arc, Mutex};

use cairn::game::Playable;
use cairn::game::random::Random;
use cairn::games::hokito::Hokito;
use cairn::games::yoxii::Yoxii;
use cairn::protocol::command::Command;
use cairn::protocol::options::{Options, Setting};
use cairn::protocol::output::Output;
use cairn::protocol::session;
use rand::{Rng, RngExt, SeedableRng};

fn number(name: &str, default: u64) -> u64 {
    env::var(name).ok().and_then(|text| text.parse().ok()).unwrap_or(default)
}

/// Inputs that once mattered, and one of every kind.
const DIALOGUES: &[&str] = &[
    "ugi\nisready\nuginewgame\nposition startpos\ngo nodes 50\nquit\n",
    "position startpos moves a1b1 b4a4\nquery p1turn\nquery gameover\nquery result\n",
    "position fen .A..2B./....../....../4c..2b.24A/...a../..2a... w moves f3d3\ngo\ngo infinite\nstop\n",
    "setoption name Game value yoxii\nposition fen cCC/*bCd./bCbDCDc/...DcBd/....d.A/...cc/..B w\ngo depth 2\n",
    "setoption name hash value 2\nsetoption name threads value 2\nsetoption name multipv value 3\n",
    "setoption name Clear Hash\nsetoption name Move Overhead value 5\nsetoption name OwnBook value false\n",
    "go ponder p1time 5 p2time -5 p1inc 1 p2inc 0 movestogo 3\nponderhit\nstop\nisready\n",
    "go searchmoves a1b1 zz depth 1\ngo win 1\ngo movetime 0\ngo depth 0\ngo wtime x\n",
    "go infinite\nposition startpos\nmoves a1b1\nd\neval\nhelp\ndebug on\nquery legalmoves\nstop\nstop\n",
    "perft 1\ngo perft 1\nquery score\nquery position\nuci\nucinewgame\n",
    "position\nposition fen\nposition fen startpos\nposition fen position fen b\nposition startpos moves 0000\n",
    "go nodes 18446744073709551616 movetime 1\r\n\t isready \r\n\n\n",
];

const POSITIONS: &[&str] = &[
    "CBACBA/ACBACB/BACBAC/cabcab/bcabca/abcabc b",
    "4CBCACA/2C...4BC/...2b.A/2Ca.2a6c./b...../b.2Bc.a b",
    ".A..2B./....../....../4c..2b.24A/...a../..2a... w",
    "....../..36A.../....../....../....../...... b",
    ".../...../......./...*.../......./...../... w",
    ".dC/.B.cc/..cdDD./....d../..c.CC./..D.*/..B r",
    "c../.DAd./*cB.D../BCCcDd./...C.c./.a.dc/.C. r",
];

const MOVES: &[&str] = &["a1b1", "c2d4", "d5e6c", "c3b2d", "g4g5a", "0000", "a1", "f6f6", "ä1b1"];

const WORDS: &[&str] = &[
    "ugi",
    "isready",
    "position",
    "startpos",
    "fen",
    "moves",
    "go",
    "stop",
    "quit",
    "query",
    "infinite",
    "ponder",
    "ponderhit",
    "depth",
    "nodes",
    "movetime",
    "searchmoves",
    "win",
    "p1time",
    "binc",
    "movestogo",
    "setoption",
    "name",
    "value",
    "Hash",
    "Threads",
    "MultiPV",
    "Game",
    "hokito",
    "yoxii",
    "perft",
    "1",
    "0",
    "-1",
    "2",
    "9223372036854775808",
    "a1b1",
    "\n",
    "\r\n",
    " ",
    "\t",
    "/",
    "*",
    ".",
    "36",
    "uginewgame",
    "debug",
    "on",
    "d",
    "eval",
    "\u{0}",
    "\u{85}",
    "\u{2028}",
    "é",
];

/// A mutation of one text of the corpus, or a mixture of two.
fn mutate(random: &mut impl Rng, corpus: &[&str]) -> Vec<u8> {
    let mut bytes = corpus[random.random_range(..corpus.len())].as_bytes().to_vec();
    for _ in 0..1 + random.random_range(0..6) {
        let at = random.random_range(..=bytes.len());
        let to = (at + random.random_range(..12_usize)).min(bytes.len());
        match random.random_range(0..8) {
            0 => bytes.truncate(at),
            1 => drop(bytes.drain(at..to)),
            2 => bytes.insert(at, random.random()),
            3 => {
                if let Some(byte) = bytes.get_mut(at) {
                    *byte ^= 1 << random.random_range(0..8);
                }
            }
            4 | 5 => {
                let word = format!(" {} ", WORDS[random.random_range(..WORDS.len())]);
                bytes.splice(at..to, word.bytes());
            }
            6 => {
                let piece = bytes[at..to].to_vec();
                bytes.splice(at..at, piece);
            }
            _ => {
                let other = corpus[random.random_range(..corpus.len())].as_bytes();
                let from = random.random_range(..other.len());
                bytes.splice(at.., other[from..].iter().copied());
            }
        }
    }
    bytes
}

/// Runs a check on many inputs and names the one that fails. What `prepare` leaves out does not
/// count.
fn fuzz(
    default: u64,
    corpus: &[&str],
    prepare: impl Fn(&[u8]) -> Option<Vec<u8>>,
    check: impl Fn(&[u8]),
) {
    let mut random = Random::seed_from_u64(number("CAIRN_FUZZ_SEED", 1));
    let run = |input: &[u8]| {
        if let Err(cause) = catch_unwind(AssertUnwindSafe(|| check(input))) {
            eprintln!("failing input: b\"{}\"", input.escape_ascii());
            resume_unwind(cause);
        }
    };
    corpus.iter().filter_map(|text| prepare(text.as_bytes())).for_each(|input| run(&input));
    let warm = resident_mebibytes();
    let mut left = number("CAIRN_FUZZ", default);
    while left > 0 {
        if let Some(input) = prepare(&mutate(&mut random, corpus)) {
            run(&input);
            left -= 1;
        }
    }
    if let (Some(warm), Some(end)) = (warm, resident_mebibytes()) {
        assert!(end < warm + 100, "memory grew from {warm} to {end} MiB");
    }
}

/// Memory in use, where the system tells.
fn resident_mebibytes() -> Option<usize> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find(|line| line.starts_with("VmRSS:"))?;
    Some(line.split_whitespace().nth(1)?.parse::<usize>().ok()? / 1024)
}

#[derive(Clone, Default)]
struct Sink(Arc<Mutex<Vec<u8>>>);

impl Write for Sink {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().expect("nobody panics while writing").extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// An input as the dialogue may have it without taking the machine's memory and threads: the
/// numbers behind Hash and Threads become small. `None` for what would write files.
fn tame(input: &[u8]) -> Option<Vec<u8>> {
    let mut lines = Vec::new();
    for line in input.split(|&byte| byte == b'\n') {
        let setting = match Command::parse(&String::from_utf8_lossy(line)) {
            Ok(Some(Command::SetOption { name, value })) => Setting::parse(&name, &value).ok(),
            _ => None,
        };
        lines.push(match setting {
            Some(Setting::LogFile(Some(_))) => return None,
            Some(Setting::Hash(n)) => format!("setoption name Hash value {}", 1 + n % 3).into(),
            Some(Setting::Threads(n)) => {
                format!("setoption name Threads value {}", 1 + n % 3).into()
            }
            _ => line.to_vec(),
        });
    }
    Some(lines.join(&b'\n'))
}

/// A dialogue ends by itself, its output is whole lines, and every `go` has its `bestmove`.
fn dialogue(input: &[u8]) {
    let sink = Sink::default();
    let options = Options { hash: 1, ..Options::default() };
    let output = Arc::new(Output::new(Box::new(sink.clone())).expect("a thread is to be had"));
    session::converse(Cursor::new(input.to_vec()), output, options).expect("all is written");
    let written = sink.0.lock().expect("nobody panics while writing").clone();
    let text = String::from_utf8(written).expect("output is UTF-8");
    assert!(text.is_empty() || text.ends_with('\n'), "{text}");

    let (mut searches, mut questions) = (0, 0);
    for line in String::from_utf8_lossy(input).split('\n') {
        match Command::parse(line) {
            Ok(Some(Command::Go(_))) => searches += 1,
            Ok(Some(Command::IsReady)) => questions += 1,
            Ok(Some(Command::Quit)) => break,
            _ => {}
        }
    }
    let count =
        |word: &str| text.lines().filter(|line| line.split(' ').next() == Some(word)).count();
    assert_eq!(count("bestmove"), searches, "{text}");
    assert_eq!(count("readyok"), questions, "{text}");
}

/// A text is a position or not; if it is, it can be written, read, drawn and played on.
fn position<G: Playable>(text: &str) {
    let Ok(position) = G::parse(text) else { return };
    let notation = position.notation();
    assert_eq!(G::parse(&notation).as_ref(), Ok(&position), "{notation}");
    assert_eq!(position.is_over(), position.count_moves() == 0);
    assert!(!position.draw().is_empty());
    for mv in position.moves() {
        assert_eq!(position.parse_move(&G::move_text(mv)), Ok(mv));
        let mut next = position;
        next.make(mv);
        assert_eq!(G::parse(&next.notation()), Ok(next));
    }
}

fn move_text<G: Playable>(text: &str) {
    for position in POSITIONS.iter().filter_map(|text| G::parse(text).ok()) {
        if let Ok(mv) = position.parse_move(text) {
            assert!(position.is_legal(mv));
            assert_eq!(G::move_text(mv), text);
        }
    }
}

#[test]
fn dialogues_of_arbitrary_bytes() {
    fuzz(3000, DIALOGUES, tame, dialogue);
}

#[test]
fn positions_of_arbitrary_text() {
    fuzz(
        100_000,
        POSITIONS,
        |bytes| Some(bytes.to_vec()),
        |bytes| {
            let text = String::from_utf8_lossy(bytes);
            position::<Hokito>(&text);
            position::<Yoxii>(&text);
        },
    );
}

#[test]
fn moves_of_arbitrary_text() {
    fuzz(
        100_000,
        MOVES,
        |bytes| Some(bytes.to_vec()),
        |bytes| {
            let text = String::from_utf8_lossy(bytes);
            move_text::<Hokito>(&text);
            move_text::<Yoxii>(&text);
        },
    );
}
