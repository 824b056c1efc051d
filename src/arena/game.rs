//! One game between two engines.
//!
//! The rules are the library's own: it checks every move and knows the end and the result. What the
//! engines think of that is asked and compared.

use std::str::FromStr;
use std::time::Duration;

use thiserror::Error;

use super::engine::{Answer, Engine, Failure, Stop};
use super::info::Info;
use super::record::{GameResult, MoveRecord, Proven, Reason};
use super::spec::{EngineSpec, MoveLimits};
use crate::error::MoveError;
use crate::game::{Notation, Player};
use crate::outside::excerpt;

/// How long an engine may think that plays without any limit of time.
const UNTIMED_PATIENCE: Duration = Duration::from_secs(600);

/// Characters of an engine's answer that are kept of it when it is wrong.
const LONGEST_WORD: usize = 40;

/// How games are led.
#[derive(Clone, Copy, Debug)]
pub struct Conduct {
    /// How much later than its time allows an engine may answer without losing.
    pub margin: Duration,
    /// How much later than that it is given up and killed.
    pub grace: Duration,
    /// Whether the engines' scores may end a game.
    pub adjudication: Option<Adjudication>,
}

/// A game is won for the side that both engines see ahead clearly and for long enough.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Adjudication {
    /// Both see at least this many points of difference, or claim a proof.
    pub points: u32,
    /// In each of this many moves of theirs.
    pub moves: u32,
}

/// An adjudication that is not written as `points=X,moves=N`.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("'{0}': expected points=X,moves=N with whole numbers from 1")]
pub struct AdjudicationError(String);

impl FromStr for Adjudication {
    type Err = AdjudicationError;

    fn from_str(text: &str) -> Result<Self, AdjudicationError> {
        let (mut points, mut moves) = (None, None);
        for part in text.split(',') {
            let number = part.split_once('=').and_then(|(key, value)| {
                Some((key.trim(), value.trim().parse().ok().filter(|&n| n > 0)?))
            });
            match number {
                Some(("points", n)) => points = Some(n),
                Some(("moves", n)) => moves = Some(n),
                _ => return Err(AdjudicationError(text.to_string())),
            }
        }
        match (points, moves) {
            (Some(points), Some(moves)) => Ok(Self { points, moves }),
            _ => Err(AdjudicationError(text.to_string())),
        }
    }
}

/// An engine at the board.
pub struct Seat<'a> {
    /// What is known of it.
    pub spec: &'a EngineSpec,
    /// The process, ready for a new game.
    pub engine: &'a mut Engine,
}

/// A game that came to an end.
#[derive(Clone, Debug)]
pub struct Played {
    /// The moves that were made.
    pub moves: Vec<MoveRecord>,
    /// Who won.
    pub result: GameResult,
    /// How it ended.
    pub reason: Reason,
    /// What happened, if the reason does not say everything.
    pub detail: String,
    /// The points of both players at the end.
    pub points: [i32; 2],
    /// Wrong answers of each player's engine about the position.
    pub disagreements: [Vec<String>; 2],
    /// The player whose engine failed and is not to be trusted any more.
    pub failed: Option<Player>,
}

impl Played {
    /// A game that never began, because an engine could not be made ready.
    #[must_use]
    pub fn forfeit<G: Notation>(opening: &G, loser: Player, failure: Failure) -> Self {
        Table::new(opening).lost(loser, failure)
    }
}

/// The match was stopped during the game.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Interrupted;

/// Plays a game from an opening that is not over. `judge` is asked after every move whether it
/// knows the result under best play, which ends the game.
///
/// # Errors
/// When the match is stopped; the game does not count then.
pub fn play<G: Notation>(
    mut seats: [Seat<'_>; 2],
    opening: &G,
    conduct: &Conduct,
    mut judge: impl FnMut(&G) -> Option<GameResult>,
) -> Result<Played, Interrupted> {
    let mut table = Table::new(opening);
    for player in [Player::One, Player::Two] {
        match table.ask(player, &mut seats[player.index()], &["p1turn", "gameover"]) {
            Ok(()) => {}
            Err(Stop::Failed(failure)) => return Ok(table.lost(player, failure)),
            Err(Stop::Interrupted) => return Err(Interrupted),
        }
    }
    let mut clocks = seats.each_ref().map(|seat| Clock::new(&seat.spec.limits));
    let mut agreement = Agreement::default();
    while !table.position.is_over() {
        let player = table.position.side_to_move();
        let seat = &mut seats[player.index()];
        match table.turn(seat, &mut clocks, conduct) {
            Ok(info) => {
                if table.position.is_over() {
                    break;
                }
                if let Some(adjudication) = &conduct.adjudication
                    && let Some(winner) = agreement.after(adjudication, player, &info)
                {
                    return Ok(table.finish(GameResult::won_by(Some(winner)), Reason::Score));
                }
                if let Some(result) = judge(&table.position) {
                    return Ok(table.finish(result, Reason::Solved));
                }
            }
            Err(Stop::Failed(failure)) => return Ok(table.lost(player, failure)),
            Err(Stop::Interrupted) => return Err(Interrupted),
        }
    }
    for player in [Player::One, Player::Two] {
        // The game is over: an engine that fails now is found out before its next game.
        let questions = ["p1turn", "gameover", "result"];
        if table.ask(player, &mut seats[player.index()], &questions) == Err(Stop::Interrupted) {
            return Err(Interrupted);
        }
    }
    let winner = table.position.outcome().winner;
    Ok(table.finish(GameResult::won_by(winner), Reason::Rules))
}

/// The time left to an engine, before margins.
struct Clock {
    limits: MoveLimits,
    remaining: Duration,
}

impl Clock {
    fn new(limits: &MoveLimits) -> Self {
        let remaining = limits.clock.map_or(Duration::ZERO, |clock| clock.base);
        Self { limits: *limits, remaining }
    }

    /// The time within which the next move must come, if any.
    fn allowance(&self) -> Option<Duration> {
        let clock = self.limits.clock.map(|_| self.remaining);
        match (clock, self.limits.move_time) {
            (Some(clock), Some(move_time)) => Some(clock.min(move_time)),
            (clock, move_time) => clock.or(move_time),
        }
    }

    fn charge(&mut self, time: Duration) {
        if let Some(clock) = self.limits.clock {
            self.remaining = self.remaining.saturating_sub(time) + clock.increment;
        }
    }
}

/// The `go` command for the player with clock number `player`. An opponent without a clock is shown
/// to have the same time.
fn go_command(clocks: &[Clock; 2], player: Player) -> String {
    let (own, other) = (&clocks[player.index()], &clocks[player.other().index()]);
    let mut command = "go".to_string();
    if let Some(control) = own.limits.clock {
        let mine = (own.remaining, control.increment);
        let theirs = other.limits.clock.map_or(mine, |c| (other.remaining, c.increment));
        let (one, two) = if player == Player::One { (mine, theirs) } else { (theirs, mine) };
        command += &format!(
            " p1time {} p2time {} p1inc {} p2inc {}",
            one.0.as_millis(),
            two.0.as_millis(),
            one.1.as_millis(),
            two.1.as_millis()
        );
    }
    if let Some(time) = own.limits.move_time {
        command += &format!(" movetime {}", time.as_millis());
    }
    if let Some(nodes) = own.limits.nodes {
        command += &format!(" nodes {nodes}");
    }
    if let Some(depth) = own.limits.depth {
        command += &format!(" depth {depth}");
    }
    command
}

/// The game as it stands.
struct Table<G> {
    position: G,
    /// The `position` command that leads here.
    command: String,
    moves: Vec<MoveRecord>,
    disagreements: [Vec<String>; 2],
}

impl<G: Notation> Table<G> {
    fn new(opening: &G) -> Self {
        Self {
            position: *opening,
            command: format!("position fen {}", opening.notation()),
            moves: Vec::new(),
            disagreements: [Vec::new(), Vec::new()],
        }
    }

    /// Lets the engine to move find its move and makes it.
    fn turn(
        &mut self,
        seat: &mut Seat<'_>,
        clocks: &mut [Clock; 2],
        conduct: &Conduct,
    ) -> Result<Info, Stop> {
        let player = self.position.side_to_move();
        let command = go_command(clocks, player);
        let clock = &mut clocks[player.index()];
        let allowance = clock.allowance().map(|time| time + conduct.margin);
        let patience = allowance.unwrap_or(UNTIMED_PATIENCE) + conduct.grace;
        seat.engine.position(&self.command)?;
        let Answer { mv, time, info } = seat.engine.go(&command, patience)?;
        if let Some(allowance) = allowance
            && time > allowance
        {
            return Err(failure(
                Reason::Time,
                format!("{:.1} ms for '{command}'", time.as_secs_f64() * 1000.0),
            ));
        }
        clock.charge(time);
        if mv.is_empty() {
            return Err(failure(Reason::Garbage, "bestmove without a move".to_string()));
        }
        // What is cut off or escaped was no move before either.
        let mv = excerpt(&mv, LONGEST_WORD);
        let played = self.position.parse_move(&mv).map_err(|error| match error {
            MoveError::Syntax { .. } => failure(Reason::Garbage, error.to_string()),
            MoveError::Illegal { .. } => failure(Reason::Illegal, error.to_string()),
        })?;
        self.command += if self.moves.is_empty() { " moves " } else { " " };
        self.command += &G::move_text(played);
        self.position.make(played);
        self.moves.push(MoveRecord {
            text: G::move_text(played),
            ms: (time.as_secs_f64() * 1e6).round() / 1e3,
            score: info.score,
            proven: info.proven,
            depth: info.depth,
            nodes: info.nodes,
        });
        Ok(info)
    }

    /// Compares what an engine thinks of the position with what the rules say.
    fn ask(&mut self, player: Player, seat: &mut Seat<'_>, questions: &[&str]) -> Result<(), Stop> {
        seat.engine.position(&self.command)?;
        for &question in questions {
            let expected = match question {
                "p1turn" => (self.position.side_to_move() == Player::One).to_string(),
                "gameover" => self.position.is_over().to_string(),
                _ => GameResult::won_by(self.position.outcome().winner).as_str().to_string(),
            };
            match seat.engine.query(question)? {
                Some(answer) if answer != expected => {
                    let answer = excerpt(&answer, LONGEST_WORD);
                    self.disagreements[player.index()].push(format!(
                        "'{answer}' to 'query {question}' after {} moves, the rules say '{expected}'",
                        self.moves.len()
                    ));
                }
                _ => {}
            }
        }
        Ok(())
    }

    fn lost(self, loser: Player, failure: Failure) -> Played {
        let result = GameResult::won_by(Some(loser.other()));
        Played {
            detail: failure.detail,
            failed: Some(loser),
            ..self.finish(result, failure.reason)
        }
    }

    fn finish(self, result: GameResult, reason: Reason) -> Played {
        Played {
            points: self.position.points(),
            moves: self.moves,
            result,
            reason,
            detail: String::new(),
            disagreements: self.disagreements,
            failed: None,
        }
    }
}

fn failure(reason: Reason, detail: String) -> Stop {
    Stop::Failed(Failure { reason, detail })
}

/// How many plies in a row both engines have seen the same player ahead.
#[derive(Default)]
struct Agreement {
    leader: Option<Player>,
    plies: u32,
}

impl Agreement {
    /// Takes note of what an engine said with its move; the winner if that settles it.
    fn after(&mut self, rule: &Adjudication, mover: Player, info: &Info) -> Option<Player> {
        let bound = i64::from(rule.points) * 100;
        let leader = match (info.proven, info.score.map(i64::from)) {
            (Some(Proven::Win), _) => Some(mover),
            (Some(Proven::Loss), _) => Some(mover.other()),
            (Some(Proven::Draw), _) | (None, None) => None,
            (None, Some(score)) if score >= bound => Some(mover),
            (None, Some(score)) if score <= -bound => Some(mover.other()),
            (None, Some(_)) => None,
        };
        self.plies = if leader == self.leader { self.plies + 1 } else { 1 };
        self.leader = leader;
        leader.filter(|_| self.plies >= rule.moves.saturating_mul(2))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn clock(text: &str) -> Clock {
        Clock::new(&text.parse::<super::super::spec::PartialSpec>().unwrap().limits)
    }

    #[test]
    fn a_clock_runs_down_and_gains_its_increment() {
        let mut clock = clock("tc=1+0.1");
        clock.charge(Duration::from_millis(400));
        assert_eq!(clock.allowance(), Some(Duration::from_millis(700)));
        clock.charge(Duration::from_millis(900));
        assert_eq!(clock.allowance(), Some(Duration::from_millis(100)));
    }

    #[test]
    fn go_names_the_clocks_by_player() {
        let clocks = [clock("tc=1+0.1"), clock("tc=2+0.2")];
        let expected = "go p1time 1000 p2time 2000 p1inc 100 p2inc 200";
        assert_eq!(go_command(&clocks, Player::One), expected);
        assert_eq!(go_command(&clocks, Player::Two), expected);
        let clocks = [clock("nodes=5,depth=3,movetime=9"), clock("tc=2+0.2")];
        assert_eq!(go_command(&clocks, Player::One), "go movetime 9 nodes 5 depth 3");
        assert_eq!(
            go_command(&clocks, Player::Two),
            "go p1time 2000 p2time 2000 p1inc 200 p2inc 200"
        );
    }

    #[test]
    fn agreement_needs_both_engines_and_the_whole_stretch() {
        let rule: Adjudication = "points=8,moves=2".parse().unwrap();
        let said = |score| Info { score: Some(score), ..Info::default() };
        let mut agreement = Agreement::default();
        let mut after = |mover, score| agreement.after(&rule, mover, &said(score));
        assert_eq!(after(Player::One, 900), None);
        assert_eq!(after(Player::Two, -800), None);
        assert_eq!(after(Player::One, 799), None, "not clear enough");
        assert_eq!(after(Player::Two, -900), None);
        assert_eq!(after(Player::One, 900), None);
        assert_eq!(after(Player::Two, -900), None);
        assert_eq!(after(Player::One, 900), Some(Player::One));
        let proof = Info { proven: Some(Proven::Loss), score: Some(-100), ..Info::default() };
        let mut agreement = Agreement::default();
        for ply in 0..4 {
            let mover = if ply % 2 == 0 { Player::One } else { Player::Two };
            let info = if ply % 2 == 0 { proof } else { said(800) };
            let winner = agreement.after(&rule, mover, &info);
            assert_eq!(winner, (ply == 3).then_some(Player::Two));
        }
    }

    #[test]
    fn an_adjudication_is_read_and_mistakes_are_named() {
        assert_eq!("moves=3,points=8".parse(), Ok(Adjudication { points: 8, moves: 3 }));
        for text in ["", "points=8", "points=8,moves=0", "points=x,moves=3", "score=8,moves=3"] {
            let error = text.parse::<Adjudication>().unwrap_err();
            assert!(error.to_string().contains(&format!("'{text}'")));
        }
    }
}
