//! The conversation: what every command does in every state.
//!
//! ```text
//!             go
//!   IDLE ------------------> SEARCHING ------ a limit -----.
//!    | |                      ^     |                      |
//!    | |            ponderhit |     | stop                 | bestmove
//!    | |   go ponder          |     v                      v
//!    | `--------------> PONDERING -> STOPPING ----------> IDLE
//!    |                       stop                          ^
//!    |     perft, bench                                    |
//!    `----------------> COUNTING ------- done, or stop ----'
//! ```
//!
//! There is one job at most ([`Job`]), and the listener's thread alone starts and ends it. The
//! searcher *moves* into the job and comes back when the job ends, so that nothing is shared but
//! the [`Control`] (three atomics) and the [`Output`] (a queue of what is to be written).
//!
//! - Every job writes its last line before it ends. A search's last line is its one `bestmove`; an
//!   infinite or pondering one holds it back until it may come.
//! - Commands that need the searcher (`go`, `perft`, `bench`, `uginewgame`, and `setoption` of
//!   `Game`, `Hash`, `Threads`, `Search`, `Clear Hash`) end a running job first, as `stop` would,
//!   and wait for its last line. In the state STOPPING this takes milliseconds; in IDLE nothing.
//! - All others are carried out at once. `position` and `moves` set the position of the *next*
//!   search: a running one has its own copy.
//! - `quit` and the end of input stop the job, wait for its last line and until all is written, and
//!   end the program; what a reader does not read is given up.

use std::io::BufRead;
use std::ops::ControlFlow;
use std::sync::Arc;
use std::time::Duration;

use super::command::{Command, Dialect, Go, Query, shorten};
use super::help::HELP;
use super::job::{Engine, Job, Search};
use super::listener::{LONGEST_LINE, Line, Lines};
use super::options::{self, Options, Setting};
use super::output::Output;
use super::reply::Reply;
use crate::game::{Playable, Player};
use crate::games::{ForGame, GameName};
use crate::search::level::Level;
use crate::search::limits::{Clock, Control, Limits};
use crate::tools::bench;
use crate::tools::perft::{Counter, Uncounted};

/// How long a `go` lasts that has no limit but words that could not be read or are no legal moves.
const FALLBACK_TIME: Duration = Duration::from_millis(100);

/// How long `quit` and the end of input let a perft go on, so that a script that asks for a small
/// one and hangs up gets it.
const PERFT_GRACE: Duration = Duration::from_millis(50);

/// How long they wait for the last line of a job that was stopped. It takes milliseconds, and more
/// than half a second was seen on a machine with far too much to do.
const LAST_LINE: Duration = Duration::from_secs(2);

/// No position of any game is longer than this many bytes.
const LONGEST_POSITION: usize = 200;

/// Answers the lines of a stream until `quit` or its end.
///
/// # Errors
/// When an answer could not be written, or nobody read it. That the reader has gone is no error.
pub fn converse<R: BufRead>(
    input: R,
    output: Arc<Output>,
    options: Options,
) -> std::io::Result<()> {
    let (lines, first_game) = (Lines::new(input), options.game);
    let mut dialogue = Dialogue { lines, output, options, first_game, debug: false };
    while let Ending::Switch(game) = dialogue.options.game.dispatch(&mut dialogue) {
        dialogue.options.game = game;
    }
    dialogue.output.finish()
}

/// What outlives a change of the game.
struct Dialogue<R> {
    lines: Lines<R>,
    output: Arc<Output>,
    options: Options,
    /// The game of the start, which is the option's default.
    first_game: GameName,
    debug: bool,
}

/// Why a session ends.
enum Ending {
    Quit,
    Switch(GameName),
}

impl<R: BufRead> ForGame for &mut Dialogue<R> {
    type Output = Ending;

    fn run<G: Playable>(self) -> Ending {
        match engine::<G>(&mut self.options, &self.output) {
            Some(engine) => {
                let engine = Some(engine);
                Session::<G, R> { dialogue: self, position: G::start(), engine, job: None }.run()
            }
            None => Ending::Quit,
        }
    }
}

/// A searcher as the options want it. Where the memory is not to be had, with as much as there is,
/// which the options then say; `None` if there is none at all.
fn engine<G: Playable>(options: &mut Options, output: &Output) -> Option<Engine<G>> {
    loop {
        match options.search.searcher(options.hash, options.threads_to_start()) {
            Ok(engine) => return Some(engine),
            Err(error) => {
                output.send(&Reply::Error(format!("Hash: {error}, trying half of it")));
                options.hash /= 2;
                if options.hash == 0 {
                    return None;
                }
            }
        }
    }
}

/// The conversation about one game.
struct Session<'a, G: Playable, R> {
    dialogue: &'a mut Dialogue<R>,
    position: G,
    /// Away while a search runs.
    engine: Option<Engine<G>>,
    job: Option<Job<G>>,
}

impl<G: Playable, R: BufRead> Session<'_, G, R> {
    fn run(mut self) -> Ending {
        loop {
            let line = match self.dialogue.lines.next_line() {
                Ok(Some(Line::Text(line))) => line,
                Ok(Some(Line::TooLong)) => {
                    self.refuse(format!("a line of more than {LONGEST_LINE} bytes"));
                    continue;
                }
                Ok(None) => return self.quit(),
                Err(error) => {
                    log::error!("stdin: {error}");
                    return self.quit();
                }
            };
            self.dialogue.output.received(&line);
            let command = match Command::parse(&line) {
                Ok(Some(command)) => command,
                Ok(None) => continue,
                Err(error) => {
                    self.refuse(error.to_string());
                    continue;
                }
            };
            if let ControlFlow::Break(ending) = self.obey(command) {
                return ending;
            }
            if self.dialogue.output.is_closed() {
                return self.quit();
            }
        }
    }

    fn obey(&mut self, command: Command) -> ControlFlow<Ending> {
        match command {
            Command::Identify(dialect) => self.say(&Reply::Identity {
                options: options::declarations(self.dialogue.first_game),
                last: match dialect {
                    Dialect::Ugi => "ugiok",
                    Dialect::Uci => "uciok",
                },
            }),
            Command::IsReady => self.say(&Reply::ReadyOk),
            Command::NewGame => {
                if let Some(engine) = self.rest() {
                    engine.new_game();
                }
                self.position = G::start();
            }
            Command::SetOption { name, value } => match Setting::parse(&name, &value) {
                Ok(setting) => return self.set(setting),
                Err(error) => self.refuse(error.to_string()),
            },
            Command::Position { fen, moves } => self.set_position(fen.as_deref(), &moves),
            Command::Moves(moves) => self.play("moves", self.position, &moves),
            Command::Go(go) => self.go(&go),
            Command::Perft(depth) => self.perft(depth),
            Command::Stop => {
                if let Some(job) = &self.job {
                    job.stop();
                }
            }
            Command::PonderHit => {
                if !self.job.as_ref().is_some_and(Job::ponder_hit) {
                    self.refuse("ponderhit: no search is pondering".to_string());
                }
            }
            Command::Query(query) => self.say(&Reply::Response(self.answer(query))),
            Command::Eval => {
                let [one, two] = self.position.points();
                let eval = self.position.evaluate();
                self.say(&Reply::Note(format!("eval cp {eval} points {one} {two}")));
            }
            Command::Draw => {
                let text = format!("{}\n  {}\n", self.position.draw(), self.position.notation());
                self.say(&Reply::Text(text));
            }
            Command::Bench => self.bench(),
            Command::Debug(on) => self.dialogue.debug = on,
            Command::Help => self.say(&Reply::Text(HELP.to_string())),
            Command::Quit => return ControlFlow::Break(self.quit()),
        }
        ControlFlow::Continue(())
    }

    fn say(&self, reply: &Reply) {
        self.dialogue.output.send(reply);
    }

    /// Says why a line was not obeyed.
    fn refuse(&self, reason: String) {
        self.say(&Reply::Error(format!("{reason}; nothing changed")));
    }

    fn debug(&self, text: impl FnOnce() -> String) {
        if self.dialogue.debug {
            self.say(&Reply::Note(text()));
        }
    }

    /// Ends the job, if one runs, and gives the searcher, which is at rest then. It is missing only
    /// when a search failed and there is no memory for another one.
    fn rest(&mut self) -> Option<&mut Engine<G>> {
        if let Some(job) = self.job.take() {
            job.stop();
            if let Some(engine) = job.join() {
                self.engine = Some(engine);
            }
        }
        if self.engine.is_none() {
            self.engine = engine(&mut self.dialogue.options, &self.dialogue.output);
        }
        self.engine.as_mut()
    }

    fn quit(&mut self) -> Ending {
        if let Some(job) = self.job.take() {
            // Only a count gives its searcher no work.
            let counts = self.engine.is_some() && !self.dialogue.output.is_stuck();
            if !counts || !job.wait(PERFT_GRACE) {
                job.stop();
                job.wait(LAST_LINE);
            }
        }
        Ending::Quit
    }

    fn set(&mut self, setting: Setting) -> ControlFlow<Ending> {
        if let Setting::Game(game) = setting
            && game != self.dialogue.options.game
        {
            self.rest();
            return ControlFlow::Break(Ending::Switch(game));
        }
        if let Err(reason) = self.apply(setting) {
            self.refuse(reason);
        }
        ControlFlow::Continue(())
    }

    /// Carries out a setting that keeps the game, or says why not.
    fn apply(&mut self, setting: Setting) -> Result<(), String> {
        let options = &mut self.dialogue.options;
        match setting {
            // Nothing to do, and nothing to stop for it.
            Setting::Game(_) | Setting::NoBook => {}
            Setting::Hash(hash) if hash == options.hash => {}
            Setting::Threads(threads) if threads == options.threads => {}
            Setting::Search(search) if search == options.search => {}

            Setting::MultiPv(lines) => options.multi_pv = lines,
            Setting::MultiPvFold(fold) => options.multi_pv_fold = fold,
            Setting::Ponder(ponder) => options.ponder = ponder,
            Setting::MoveOverhead(overhead) => options.move_overhead = overhead,
            Setting::ShowWdl(show) => options.show_wdl = show,
            Setting::LimitStrength(limit) => options.limit_strength = limit,
            Setting::Elo(elo) => options.elo = elo,
            Setting::LogFile(path) => {
                self.dialogue.output.set_log(path.as_deref()).map_err(|error| {
                    let path = path.unwrap_or_default();
                    format!("option Log File: '{}': {error}", shorten(&path.to_string_lossy()))
                })?;
            }

            Setting::Hash(hash) => {
                let engine = self.rest().ok_or("option Hash: there is no memory")?;
                let result = engine.set_hash(hash);
                let options = &mut self.dialogue.options;
                match result {
                    Ok(()) => options.hash = hash,
                    Err(error) => {
                        let kept = options.hash;
                        return Err(format!(
                            "option Hash: {error}, the table keeps its {kept} MiB"
                        ));
                    }
                }
            }
            Setting::Threads(threads) => {
                self.dialogue.options.threads = threads;
                let threads = self.dialogue.options.threads_to_start();
                if let Some(engine) = self.rest() {
                    engine.set_threads(threads);
                }
            }
            Setting::Search(search) => {
                self.rest();
                let options = &mut self.dialogue.options;
                let engine = search
                    .searcher(options.hash, options.threads_to_start())
                    .map_err(|error| format!("option Search: {error}"))?;
                options.search = search;
                self.engine = Some(engine);
            }
            Setting::ClearHash => {
                if let Some(engine) = self.rest() {
                    engine.new_game();
                }
            }
        }
        Ok(())
    }

    fn set_position(&mut self, fen: Option<&str>, moves: &[String]) {
        let position = match fen {
            None => G::start(),
            Some(fen) if fen.len() > LONGEST_POSITION => {
                self.refuse(format!(
                    "position: '{}' is no position of {}, which have at most {LONGEST_POSITION} characters",
                    shorten(fen),
                    G::TITLE
                ));
                return;
            }
            Some(fen) => match G::parse(fen) {
                Ok(position) => position,
                Err(error) => {
                    self.refuse(format!("position: '{}': {error}", shorten(fen)));
                    return;
                }
            },
        };
        self.play("position", position, moves);
    }

    /// Takes the position after these moves as the current one, if all of them are legal.
    fn play(&mut self, command: &str, from: G, moves: &[String]) {
        let mut position = from;
        for (i, text) in moves.iter().enumerate() {
            match position.parse_move(&shorten(text)) {
                Ok(mv) => position.make(mv),
                Err(error) => {
                    let number = i + 1;
                    self.refuse(format!("{command}: move {number} of {}: {error}", moves.len()));
                    return;
                }
            }
        }
        self.position = position;
        self.debug(|| format!("position {}", position.notation()));
    }

    fn answer(&self, query: Query) -> String {
        let position = &self.position;
        match query {
            Query::GameOver => position.is_over().to_string(),
            Query::P1Turn => (position.side_to_move() == Player::One).to_string(),
            Query::Result => match position.outcome().winner {
                _ if !position.is_over() => "none",
                Some(Player::One) => "p1win",
                Some(Player::Two) => "p2win",
                None => "draw",
            }
            .to_string(),
            Query::LegalMoves => {
                let moves: Vec<String> = position.moves().into_iter().map(G::move_text).collect();
                if moves.is_empty() { "none".to_string() } else { moves.join(" ") }
            }
            Query::Position => position.notation(),
            Query::Score => {
                let [one, two] = position.points();
                format!("{one} {two}")
            }
        }
    }

    fn go(&mut self, go: &Go) {
        self.rest();
        let (limits, complaints) = self.limits(go);
        if !complaints.is_empty() {
            let text = format!("go: {}; the search goes on without", complaints.join(", "));
            self.say(&Reply::Error(text));
        }
        self.debug(|| self.words(go, &limits));
        let Some(mut engine) = self.engine.take() else {
            self.give_move("there is no memory for a search");
            return;
        };
        let search = Search {
            position: self.position,
            limits,
            infinite: go.infinite,
            show_wdl: self.dialogue.options.show_wdl,
        };
        let mut limited = self.limited(go);
        let output = Arc::clone(&self.dialogue.output);
        let job = Job::start(Control::new(go.ponder), move |control| {
            search.run(&mut **limited.as_mut().unwrap_or(&mut engine), control, &output);
            Some(engine)
        });
        match job {
            Ok(job) => self.job = Some(job),
            Err(error) => self.give_move(&error.to_string()),
        }
    }

    /// A searcher for the level of strength that is set, if one is. Who asks for a proof gets no
    /// level.
    fn limited(&self, go: &Go) -> Option<Engine<G>> {
        let options = &self.dialogue.options;
        let limit = options.limit_strength && go.win.is_none();
        let level = limit.then(|| Level::new::<G>(options.elo)).flatten()?;
        level
            .searcher()
            .map_err(|error| {
                self.say(&Reply::Error(format!("go: {error}; the search is at full strength")));
            })
            .ok()
    }

    /// The `go` as it was understood, in its own words.
    fn words(&self, go: &Go, limits: &Limits<G::Move>) -> String {
        let player = match self.position.side_to_move() {
            Player::One => "p1",
            Player::Two => "p2",
        };
        let mut words = vec!["go".to_string()];
        if let Some(clock) = limits.clock {
            words.push(format!("{player}time {}", clock.remaining.as_millis()));
            words.push(format!("{player}inc {}", clock.increment.as_millis()));
            words.extend(clock.moves_to_go.map(|n| format!("movestogo {n}")));
        }
        words.extend(limits.move_time.map(|time| format!("movetime {}", time.as_millis())));
        words.extend(limits.depth.map(|n| format!("depth {n}")));
        words.extend(limits.nodes.map(|n| format!("nodes {n}")));
        words.extend(limits.win_within.map(|n| format!("win {n}")));
        words.extend(go.infinite.then(|| "infinite".to_string()));
        words.extend(go.ponder.then(|| "ponder".to_string()));
        if !limits.search_moves.is_empty() {
            words.push("searchmoves".to_string());
            words.extend(limits.search_moves.iter().map(|&mv| G::move_text(mv)));
        }
        words.join(" ")
    }

    /// A legal move where there is no way to search for a good one.
    fn give_move(&self, reason: &str) {
        self.say(&Reply::Error(format!("go: {reason}; any legal move must do")));
        let mv = self.position.moves().first().copied();
        self.say(&Reply::BestMove(mv.map(G::move_text)));
    }

    /// What ends the search, and what of the `go` could not be used.
    fn limits(&self, go: &Go) -> (Limits<G::Move>, Vec<String>) {
        let mut complaints: Vec<String> =
            go.unknown.iter().map(|words| format!("cannot read '{}'", shorten(words))).collect();
        let mut search_moves = Vec::new();
        for text in &go.search_moves {
            match self.position.parse_move(&shorten(text)) {
                Ok(mv) if search_moves.contains(&mv) => {}
                Ok(mv) => search_moves.push(mv),
                Err(error) => complaints.push(format!("searchmoves: {error}")),
            }
        }
        let ends = go.is_limited() || go.infinite || go.ponder || go.win.is_some();
        let move_time = match go.move_time {
            None if !ends && !complaints.is_empty() => Some(FALLBACK_TIME),
            time => time,
        };
        let limits = Limits {
            clock: go.clock(self.position.side_to_move()),
            move_time,
            move_overhead: self.dialogue.options.move_overhead,
            depth: go.depth,
            nodes: go.nodes,
            win_within: go.win,
            search_moves,
            multi_pv: self.dialogue.options.multi_pv,
            fold: self.dialogue.options.multi_pv_fold,
        };
        (limits, complaints)
    }

    fn perft(&mut self, depth: u32) {
        if depth as usize > G::MAX_PLIES {
            let (title, most) = (G::TITLE, G::MAX_PLIES);
            self.refuse(format!(
                "perft {depth}: no game of {title} lasts longer than {most} plies"
            ));
            return;
        }
        self.rest();
        let position = self.position;
        let output = Arc::clone(&self.dialogue.output);
        let threads = self.dialogue.options.threads_to_start();
        let job = Job::start(Control::new(false), move |control| {
            let reply = match Counter::new(threads, None) {
                Err(error) => Reply::Error(format!("perft: {error}")),
                Ok(counter) => match counter.divide(&position, depth, control) {
                    Ok(divided) => Reply::Text(divided.to_string()),
                    Err(Uncounted::Stopped) => Reply::Note("perft stopped".to_string()),
                    Err(error) => Reply::Error(format!("perft: {error}")),
                },
            };
            output.send(&reply);
            None
        });
        self.count(job);
    }

    fn bench(&mut self) {
        self.rest();
        let output = Arc::clone(&self.dialogue.output);
        let job = Job::start(Control::new(false), move |control| {
            let reply = match bench::run(control) {
                Ok(Some(report)) => Reply::Text(report.to_string()),
                Ok(None) => Reply::Note("bench stopped".to_string()),
                Err(error) => Reply::Error(format!("bench: {error}")),
            };
            output.send(&reply);
            None
        });
        self.count(job);
    }

    /// Remembers a job that takes no searcher along.
    fn count(&mut self, job: std::io::Result<Job<G>>) {
        match job {
            Ok(job) => self.job = Some(job),
            Err(error) => self.refuse(error.to_string()),
        }
    }
}

impl Go {
    /// The clock of this player, or the opponent's where only that one is given. An increment or a
    /// number of moves alone means that no time is left.
    fn clock(&self, side: Player) -> Option<Clock> {
        let [one, two] = self.time;
        let [increment_one, increment_two] = self.increment;
        let (time, other, increment) = match side {
            Player::One => (one, two, increment_one),
            Player::Two => (two, one, increment_two),
        };
        let given = self.time.iter().chain(&self.increment).any(Option::is_some);
        (given || self.moves_to_go.is_some()).then(|| Clock {
            remaining: time.or(other).unwrap_or_default(),
            increment: increment.unwrap_or_default(),
            moves_to_go: self.moves_to_go,
        })
    }
}
