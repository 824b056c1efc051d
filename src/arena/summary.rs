//! Counting the games of a match.

use std::collections::BTreeMap;

use super::record::{GameRecord, GameResult, Reason};
use super::sprt::{Decision, Sprt};
use super::stats::{Pentanomial, Wdl};
use crate::game::Player;
use crate::maps::HashMap;

/// The games between two engines, seen by the one with the lower number.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Meeting {
    /// All games.
    pub games: Wdl,
    /// The complete pairs.
    pub pairs: Pentanomial,
}

/// What one engine has done in a match. Sums over all moves of which the engine told the figure.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Effort {
    /// Moves made.
    pub moves: u64,
    /// Time charged for them, in milliseconds.
    pub ms: f64,
    /// Depth in plies, and the number of moves with a depth.
    pub depth: (u64, u64),
    /// Nodes, and the number of moves with nodes.
    pub nodes: (u64, u64),
    /// Games lost by failures.
    pub failures: BTreeMap<Reason, u64>,
    /// Answers that contradict the rules.
    pub disagreements: u64,
}

/// The half points that the first engine of a meeting has from the games of a pair.
#[derive(Clone, Copy, Debug)]
struct PairScore {
    meeting: [usize; 2],
    half_points: [Option<u8>; 2],
}

/// The state of a match, from the records of its games in any order.
#[derive(Clone, Debug, Default)]
pub struct Summary {
    names: Vec<String>,
    efforts: Vec<Effort>,
    pairs: HashMap<usize, PairScore>,
    meetings: BTreeMap<[usize; 2], Meeting>,
    sides: Wdl,
    reasons: BTreeMap<Reason, u64>,
    moves: u64,
    left_out: u64,
}

impl Summary {
    /// A match between engines of these names, before any game.
    #[must_use]
    pub fn new(names: &[String]) -> Self {
        let mut summary = Self::default();
        for name in names {
            summary.engine(name);
        }
        summary
    }

    /// The number of an engine, which is a new one if its name is.
    fn engine(&mut self, name: &str) -> usize {
        if let Some(engine) = self.names.iter().position(|known| known == name) {
            return engine;
        }
        self.names.push(name.to_string());
        self.efforts.push(Effort::default());
        self.names.len() - 1
    }

    /// Counts a game. Says no, and counts nothing, when that game of that pair was counted before.
    pub fn add(&mut self, game: &GameRecord) -> bool {
        let leg = game.leg.min(1);
        let players = game.players.each_ref().map(|player| self.engine(&player.name));
        // The engine with the lower number is seen as the first of the meeting.
        let low = if players[0] <= players[1] { Player::One } else { Player::Two };
        let meeting = [players[low.index()], players[low.other().index()]];
        let half_points = game.result.half_points(low);

        let pair =
            self.pairs.entry(game.pair).or_insert(PairScore { meeting, half_points: [None; 2] });
        if pair.half_points[leg].is_some() || pair.meeting != meeting {
            return false;
        }
        pair.half_points[leg] = Some(half_points);
        let tally = self.meetings.entry(meeting).or_default();
        tally.games.add(half_points);
        if let [Some(a), Some(b)] = pair.half_points {
            tally.pairs.add(a + b);
        }
        self.sides.add(game.result.half_points(Player::One));
        *self.reasons.entry(game.reason).or_default() += 1;
        self.moves += game.moves.len() as u64;
        self.add_efforts(game, players);
        true
    }

    /// Takes note of so many games that do not count, because their records contradict the rules.
    pub const fn leave_out(&mut self, games: u64) {
        self.left_out += games;
    }

    fn add_efforts(&mut self, game: &GameRecord, players: [usize; 2]) {
        let first = usize::from(game.begins == 2);
        for (ply, mv) in game.moves.iter().enumerate() {
            let effort = &mut self.efforts[players[(first + ply) % 2]];
            effort.moves += 1;
            effort.ms += mv.ms;
            if let Some(depth) = mv.depth {
                effort.depth.0 += u64::from(depth);
                effort.depth.1 += 1;
            }
            if let Some(nodes) = mv.nodes {
                // Engines, and files, may claim any number.
                effort.nodes.0 = effort.nodes.0.saturating_add(nodes);
                effort.nodes.1 += 1;
            }
        }
        for (player, answers) in players.into_iter().zip(&game.disagreements) {
            self.efforts[player].disagreements += answers.len() as u64;
        }
        if game.reason.is_failure() {
            let loser = players[usize::from(game.result == GameResult::OneWins)];
            *self.efforts[loser].failures.entry(game.reason).or_default() += 1;
        }
    }

    /// The names of the engines, by their numbers.
    #[must_use]
    pub fn names(&self) -> &[String] {
        &self.names
    }

    /// What every engine has done, by their numbers.
    #[must_use]
    pub fn efforts(&self) -> &[Effort] {
        &self.efforts
    }

    /// The engines that have met, the lower number first, and how it went.
    #[must_use]
    pub const fn meetings(&self) -> &BTreeMap<[usize; 2], Meeting> {
        &self.meetings
    }

    /// All games, seen by player one.
    #[must_use]
    pub const fn sides(&self) -> Wdl {
        self.sides
    }

    /// How many games ended in each way.
    #[must_use]
    pub const fn reasons(&self) -> &BTreeMap<Reason, u64> {
        &self.reasons
    }

    /// Moves of all games.
    #[must_use]
    pub const fn moves(&self) -> u64 {
        self.moves
    }

    /// How many games were [left out](Self::leave_out).
    #[must_use]
    pub const fn left_out(&self) -> u64 {
        self.left_out
    }

    /// Whether that game of that pair has been counted.
    #[must_use]
    pub fn has(&self, pair: usize, leg: usize) -> bool {
        self.pairs.get(&pair).is_some_and(|pair| pair.half_points[leg.min(1)].is_some())
    }

    /// The half points of the lower-numbered engine from a pair, 0 to 4, when both games are
    /// played.
    fn pair_score(&self, pair: usize) -> Option<u8> {
        let [a, b] = self.pairs.get(&pair)?.half_points;
        Some(a? + b?)
    }
}

/// A sequential test on the way through a match of two engines.
///
/// The pairs are weighed in their order and not as they end, up to the first that is not played
/// yet. So the verdict does not depend on how many games are played at the same time, and short
/// games do not come first.
#[derive(Clone, Debug)]
pub struct Trial {
    /// The test.
    pub test: Sprt,
    /// The pairs that were weighed.
    pub pairs: Pentanomial,
    /// The log-likelihood ratio after them.
    pub llr: f64,
    /// What was decided, if it was. Nothing is weighed after that.
    pub decision: Option<Decision>,
}

impl Trial {
    /// A test that has weighed nothing yet.
    #[must_use]
    pub fn new(test: Sprt) -> Self {
        Self { test, pairs: Pentanomial::default(), llr: 0.0, decision: None }
    }

    /// Weighs the pairs that have become complete.
    pub fn advance(&mut self, summary: &Summary) {
        while self.decision.is_none()
            && let Some(half_points) = summary.pair_score(self.pairs.pairs() as usize)
        {
            self.pairs.add(half_points);
            self.llr = self.test.llr(&self.pairs);
            self.decision = self.test.decision(&self.pairs);
        }
    }
}
