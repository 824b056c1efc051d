//! A model of the states: random commands at random times, thousands of sessions if asked.
//!
//! `CAIRN_SESSIONS=5000 cargo test --release --test protocol model` runs the long form. With
//! `CAIRN_STRICT=1` the times that protocol.md promises for an idle machine are demanded.

use std::collections::VecDeque;
use std::env;
use std::thread;
use std::time::{Duration, Instant};

use cairn::game::Notation;
use cairn::game::random::Random;
use cairn::games::hokito::Hokito;
use cairn::games::yoxii::Yoxii;
use rand::{RngExt, SeedableRng};

use crate::engine::Engine;

fn sessions() -> u64 {
    env::var("CAIRN_SESSIONS").ok().and_then(|text| text.parse().ok()).unwrap_or(40)
}

fn most_time_to_end() -> Duration {
    let strict = env::var("CAIRN_STRICT").is_ok();
    if strict { Duration::from_millis(100) } else { Duration::from_secs(5) }
}

/// What is known of a session.
struct Model<G> {
    position: G,
    /// The positions of the searches whose `bestmove` is still to come, oldest first.
    searches: VecDeque<G>,
    /// The last search must not end before `stop` or `ponderhit`.
    held: bool,
    random: Random,
    /// What was sent, to be read when the test fails.
    sent: Vec<String>,
}

impl<G: Notation> Model<G> {
    fn below(&mut self, bound: usize) -> usize {
        self.random.random_range(..bound)
    }

    /// Sends a random command and follows its effect.
    fn step(&mut self, engine: &mut Engine) {
        let line = match self.below(20) {
            0..=5 => self.go(),
            6..=8 => {
                self.held = false;
                "stop".to_string()
            }
            9 => {
                // A held search that is not infinite may end after this.
                self.held = self.held && self.sent_infinite();
                "ponderhit".to_string()
            }
            10 | 11 => self.set_position(),
            12 => self.play_on(),
            13 => {
                self.position = G::start();
                self.held = false;
                "uginewgame".to_string()
            }
            14 => {
                self.held = false;
                format!("setoption name Threads value {}", 1 + self.below(3))
            }
            15 => {
                self.held = false;
                format!("setoption name Hash value {}", 1 + self.below(8))
            }
            16 => [
                "setoption name MultiPV value 1",
                "setoption name MultiPV value 2",
                "setoption name MultiPV value 3",
                "setoption name LimitStrength value true",
                "setoption name LimitStrength value false",
                "setoption name Elo value 400",
            ][self.below(6)]
            .to_string(),
            17 => {
                self.held = false;
                "perft 2".to_string()
            }
            18 => ["nonsense", "position fen x", "moves zz", "setoption name x", "d", "eval"]
                [self.below(6)]
            .to_string(),
            _ => "query p1turn".to_string(),
        };
        engine.send(&line);
        self.sent.push(line);
    }

    fn sent_infinite(&self) -> bool {
        self.sent
            .iter()
            .rev()
            .find(|line| line.starts_with("go"))
            .is_some_and(|l| l.contains("infinite"))
    }

    fn go(&mut self) -> String {
        self.searches.push_back(self.position);
        let line = [
            "go infinite",
            "go ponder",
            "go ponder movetime 5",
            "go infinite ponder depth 2",
            "go movetime 10",
            "go movetime 0",
            "go depth 2",
            "go nodes 500",
            "go p1time 100 p2time 100 p1inc 1 p2inc 1",
            "go wtime 0 btime 0",
            "go win 2",
            "go nonsense",
        ][self.below(12)];
        self.held = line.contains("infinite") || line.contains("ponder");
        line.to_string()
    }

    fn random_moves(&mut self, from: G, plies: usize) -> (G, String) {
        let (mut position, mut text) = (from, String::new());
        for _ in 0..plies {
            let moves = position.moves();
            if moves.is_empty() {
                break;
            }
            let mv = moves[self.below(moves.len())];
            position.make(mv);
            text += &format!(" {}", G::move_text(mv));
        }
        (position, text)
    }

    fn set_position(&mut self) -> String {
        let plies = self.below(G::MAX_PLIES + 1);
        let (position, moves) = self.random_moves(G::start(), plies);
        self.position = position;
        match self.below(2) {
            0 => format!("position fen {}", position.notation()),
            _ => format!("position startpos moves{moves}"),
        }
    }

    fn play_on(&mut self) -> String {
        let (position, moves) = self.random_moves(self.position, 1);
        self.position = position;
        format!("moves{moves}")
    }

    /// Checks that what came is what could come.
    fn check(&mut self, lines: &[String]) {
        for line in lines {
            let Some(mv) = line.strip_prefix("bestmove ") else {
                let word = line.split(' ').next().unwrap_or_default();
                assert!(word != "bestmove" && word != "readyok", "{line}: {:?}", self.sent);
                continue;
            };
            let position = self
                .searches
                .pop_front()
                .unwrap_or_else(|| panic!("a bestmove too many: {:?}", self.sent));
            let legal = match mv {
                "0000" => position.is_over(),
                _ => position.parse_move(mv).is_ok(),
            };
            assert!(legal, "{mv} in {}: {:?}", position.notation(), self.sent);
        }
    }

    /// All that was sent is done; a held search is still held.
    fn sync(&mut self, engine: &mut Engine) {
        let lines = engine.sync();
        self.check(&lines);
        let running = self.searches.len();
        assert!(running <= 1, "{running} searches at once: {:?}", self.sent);
        assert!(!self.held || running == 1, "a bestmove too early: {:?}", self.sent);
    }
}

fn session<G: Notation>(seed: u64) {
    let mut engine = Engine::with(&["--game", G::NAME]);
    let mut model = Model {
        position: G::start(),
        searches: VecDeque::new(),
        held: false,
        random: Random::seed_from_u64(seed),
        sent: vec![format!("seed {seed}")],
    };
    for _ in 0..10 + model.below(20) {
        model.step(&mut engine);
        match model.below(6) {
            0 => thread::sleep(Duration::from_micros(model.below(20_000) as u64)),
            1 => model.sync(&mut engine),
            _ => {}
        }
    }
    let start = Instant::now();
    if model.below(2) == 0 {
        engine.send("quit");
    } else {
        engine.hang_up();
    }
    let (status, _, lines) = engine.end();
    let time = start.elapsed();
    model.check(&lines.into_iter().filter(|line| line != "readyok").collect::<Vec<_>>());
    assert!(model.searches.is_empty(), "a bestmove is missing: {:?}", model.sent);
    assert!(status.success(), "{status}: {:?}", model.sent);
    assert!(time < most_time_to_end(), "the end took {time:?}: {:?}", model.sent);
}

#[test]
fn random_sessions_follow_the_model() {
    for seed in 0..sessions() {
        if seed % 2 == 0 {
            session::<Hokito>(seed);
        } else {
            session::<Yoxii>(seed);
        }
    }
}
