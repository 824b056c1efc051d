//! Playing a match: workers that take pairs of games from the schedule.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc::{Sender, channel};
use std::thread;

use thiserror::Error;

use super::engine::{Engine, Failure, NoStart, Stop};
use super::game::{Conduct, Played, Seat, play};
use super::record::{GameRecord, GameResult, PlayerRecord};
use super::schedule::Pair;
use super::spec::EngineSpec;
use crate::game::{Playable, Player};
use crate::search::limits::{Control, Limits};
use crate::search::method::Method;
use crate::search::{OutOfMemory, Searcher};

/// Everything that a match needs.
pub struct Match<G> {
    /// The engines.
    pub engines: Vec<EngineSpec>,
    /// One opening for each round, taken again from the start when there are more rounds.
    pub openings: Vec<G>,
    /// How games are led.
    pub conduct: Conduct,
    /// Games at the same time, at least 1.
    pub concurrency: usize,
    /// Nodes with which the runner tries to prove the result after every move; `None` to let the
    /// games be played to their end.
    pub proof_nodes: Option<u64>,
    /// Where the dialogues with the engines go.
    pub log: Option<PathBuf>,
    /// Ends the match when it becomes true; games that are being played do not count then.
    pub stop: Arc<AtomicBool>,
}

impl<G: Playable> Match<G> {
    /// Starts every engine once, to find out before the first game which of them do not work, and
    /// which options or values do not fit what they declare (the name of the engine and a sentence
    /// about it).
    ///
    /// # Errors
    /// The name of the engine and what is wrong with it.
    pub fn try_engines(&self) -> Result<Vec<(&str, String)>, (&str, NoStart)> {
        let mut objections = Vec::new();
        for spec in &self.engines {
            let engine =
                Engine::start(spec, G::NAME, self.conduct.grace, None, Arc::clone(&self.stop))
                    .map_err(|no_start| (spec.name.as_str(), no_start))?;
            let name = spec.name.as_str();
            objections.extend(engine.objections(&spec.options).into_iter().map(|it| (name, it)));
        }
        Ok(objections)
    }

    /// Who plays from which position in game 0 or 1 of a pair, as it is recorded. `None` when there
    /// is no such game.
    #[must_use]
    pub fn plan(&self, pair: Pair, leg: usize) -> Option<([PlayerRecord; 2], String)> {
        let players = pair.players(leg)?.map(|player| self.engines[player].record());
        Some((players, self.opening(pair).notation()))
    }

    fn opening(&self, pair: Pair) -> &G {
        &self.openings[pair.round % self.openings.len()]
    }

    /// Plays the games of these pairs, those with `true` in the second part, each pair by one
    /// worker. `ended` is called with each game as it ends, on the calling thread; it may set
    /// [`stop`](Match::stop).
    ///
    /// # Errors
    /// When there is no memory for the proofs of results, and no game was played; or when an engine
    /// that ran before has no process any more, and games that were being played do not count.
    pub fn run(
        &self,
        pairs: &[(Pair, [bool; 2])],
        mut ended: impl FnMut(GameRecord),
    ) -> Result<(), MatchError> {
        let workers = (0..self.concurrency)
            .map(|number| Worker::new(self, number))
            .collect::<Result<Vec<_>, _>>()?;
        let next = AtomicUsize::new(0);
        let (sender, games) = channel();
        thread::scope(|scope| {
            for mut worker in workers {
                let (sender, next) = (sender.clone(), &next);
                scope.spawn(move || {
                    while let Some((pair, legs)) = pairs.get(next.fetch_add(1, Ordering::Relaxed))
                        && worker.play_pair(*pair, *legs, &sender).is_some()
                    {}
                });
            }
            drop(sender);
            let mut result = Ok(());
            for game in games {
                match game {
                    Ok(game) => ended(game),
                    Err(error) => {
                        self.stop.store(true, Ordering::Relaxed);
                        result = result.and(Err(error));
                    }
                }
            }
            result
        })
    }
}

/// Why a match ended before its time.
#[derive(Debug, Error)]
pub enum MatchError {
    /// There is no memory to prove results.
    #[error(transparent)]
    Memory(#[from] OutOfMemory),
    /// An engine could not be started, by no fault of its own.
    #[error("no game can be played with {engine}: {why}")]
    NoStart {
        /// Its name.
        engine: String,
        /// What the system says.
        why: String,
    },
}

/// One of the threads that play, with engines of its own.
struct Worker<'a, G: Playable> {
    parent: &'a Match<G>,
    number: usize,
    /// The engines that are running, by their numbers in the match.
    running: Vec<Option<Engine>>,
    prover: Option<Box<dyn Searcher<G>>>,
}

/// MiB of table for a proof.
const PROOF_HASH: usize = 16;

impl<'a, G: Playable> Worker<'a, G> {
    fn new(parent: &'a Match<G>, number: usize) -> Result<Self, OutOfMemory> {
        let prover = match parent.proof_nodes {
            Some(_) => Some(Method::Auto.searcher(PROOF_HASH, 1)?),
            None => None,
        };
        let running = parent.engines.iter().map(|_| None).collect();
        Ok(Self { parent, number, running, prover })
    }

    /// Plays the wanted games of a pair. `None` when the match was stopped.
    fn play_pair(
        &mut self,
        pair: Pair,
        legs: [bool; 2],
        sender: &Sender<Result<GameRecord, MatchError>>,
    ) -> Option<()> {
        let opening = self.parent.opening(pair);
        for leg in (0..2).filter(|&leg| legs[leg]) {
            let players = pair.players(leg)?;
            let played = match self.play_game(players, opening)? {
                Ok(played) => played,
                Err(error) => {
                    sender.send(Err(error)).ok()?;
                    return None;
                }
            };
            let record = GameRecord {
                game: G::NAME.to_string(),
                pair: pair.index,
                leg,
                players: players.map(|player| self.parent.engines[player].record()),
                opening: opening.notation(),
                begins: opening.side_to_move().index() as u8 + 1,
                moves: played.moves,
                result: played.result,
                reason: played.reason,
                detail: played.detail,
                points: played.points,
                disagreements: played.disagreements,
            };
            sender.send(Ok(record)).ok()?;
        }
        Some(())
    }

    /// A game. `None` when the match was stopped.
    fn play_game(
        &mut self,
        players: [usize; 2],
        opening: &G,
    ) -> Option<Result<Played, MatchError>> {
        let mut engines = Vec::with_capacity(2);
        for (player, number) in [Player::One, Player::Two].into_iter().zip(players) {
            match self.ready(number) {
                Ok(engine) => engines.push(engine),
                Err(NoStart::Stop(Stop::Failed(failure))) => {
                    return Some(Ok(Played::forfeit(opening, player, failure)));
                }
                Err(NoStart::Stop(Stop::Interrupted)) => return None,
                Err(NoStart::Unable(why)) => {
                    let engine = self.parent.engines[number].name.clone();
                    return Some(Err(MatchError::NoStart { engine, why }));
                }
            }
        }
        let mut engines = engines.into_iter();
        let (mut one, mut two) = (engines.next()?, engines.next()?);
        let specs = players.map(|player| &self.parent.engines[player]);
        let seats =
            [Seat { spec: specs[0], engine: &mut one }, Seat { spec: specs[1], engine: &mut two }];
        let nodes = self.parent.proof_nodes;
        let prover = &mut self.prover;
        let stop = &self.parent.stop;
        let judge = |position: &G| prove(prover.as_deref_mut()?, position, nodes?, stop);
        let played = play(seats, opening, &self.parent.conduct, judge).ok()?;
        // An engine that failed is ended here and started again for its next game.
        let failed = played.failed;
        for (player, engine) in [(Player::One, one), (Player::Two, two)] {
            self.running[players[player.index()]] = (failed != Some(player)).then_some(engine);
        }
        Some(Ok(played))
    }

    /// An engine that is ready for a new game: the running one, or a new process when there is none
    /// or it has failed since its last game.
    fn ready(&mut self, number: usize) -> Result<Engine, NoStart> {
        if let Some(mut engine) = self.running[number].take() {
            match engine.new_game() {
                Ok(()) => return Ok(engine),
                Err(Stop::Interrupted) => return Err(NoStart::Stop(Stop::Interrupted)),
                Err(Stop::Failed(Failure { detail, .. })) => {
                    log::warn!(
                        "{} is started again: it failed between two games: {detail}",
                        self.parent.engines[number].name
                    );
                }
            }
        }
        let spec = &self.parent.engines[number];
        let log = self.parent.log.as_ref().map(|folder| {
            folder.join(format!("{}-{}.log", file_name(&spec.name), self.number + 1))
        });
        let stop = Arc::clone(&self.parent.stop);
        let mut engine =
            Engine::start(spec, G::NAME, self.parent.conduct.grace, log.as_deref(), stop)?;
        engine.new_game().map_err(NoStart::Stop)?;
        Ok(engine)
    }
}

/// The result of a position under best play, if a search of this many nodes proves it.
fn prove<G: Playable>(
    searcher: &mut dyn Searcher<G>,
    position: &G,
    nodes: u64,
    stop: &Arc<AtomicBool>,
) -> Option<GameResult> {
    let limits = Limits { nodes: Some(nodes), ..Limits::default() };
    let (control, side) = (Control::interruptible(stop), position.side_to_move());
    let mut result = None;
    searcher.new_game();
    searcher.search(position, &limits, &control, &mut |report| {
        if report.proven {
            result = Some(GameResult::won_by(match report.score {
                score if score.is_win() => Some(side),
                score if score.is_loss() => Some(side.other()),
                _ => None,
            }));
        }
        if report.proven {
            control.stop();
        }
    });
    result
}

/// The name of an engine as part of a file's name.
fn file_name(name: &str) -> String {
    name.chars().map(|c| if c.is_alphanumeric() || "-_.".contains(c) { c } else { '_' }).collect()
}
