//! Whether a recorded game can have been played: its moves by the rules, and its end by what is
//! recorded.

use thiserror::Error;

use super::record::{GameRecord, GameResult, MoveRecord, Proven, Reason};
use crate::error::{MoveError, PositionError};
use crate::game::{Features, Playable, Player};
use crate::games::{ForGame, GameName};

/// What in a record the rules contradict.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum Contradiction {
    /// The game has a name that no game has.
    #[error("no game is called '{0}'")]
    Game(String),
    /// The opening is not a position.
    #[error("the opening is not a position")]
    Opening(#[from] PositionError),
    /// It is the other player's turn in the opening.
    #[error("player {expected} is to move in the opening, but begins is {found}")]
    Begins {
        /// The player who is recorded to begin, 1 or 2.
        found: u8,
        /// The player to move by the rules.
        expected: u8,
    },
    /// A move is none, or not legal.
    #[error("move {number}")]
    Move {
        /// Its number, counting those of both players, from 1.
        number: usize,
        /// What is wrong with it.
        source: MoveError,
    },
    /// The game cannot have ended after these moves for that reason.
    #[error("{}: {why}, but the reason is '{}'", after(*moves), reason.words())]
    Reason {
        /// The number of moves.
        moves: usize,
        /// Why not, as a sentence.
        why: &'static str,
        /// The reason.
        reason: Reason,
    },
    /// The wrong player is recorded to have won.
    #[error(
        "{}: the result is {}, but '{}' means {}",
        after(*moves), found.as_str(), reason.words(), expected.as_str()
    )]
    Result {
        /// The number of moves.
        moves: usize,
        /// The reason for the end.
        reason: Reason,
        /// The result in the record.
        found: GameResult,
        /// The result by the rules.
        expected: GameResult,
    },
    /// The points are not those of the last position.
    #[error(
        "{}: the points are {} {}, not {} {}",
        after(*moves), expected[0], expected[1], found[0], found[1]
    )]
    Points {
        /// The number of moves.
        moves: usize,
        /// The points in the record.
        found: [i32; 2],
        /// The points by the rules.
        expected: [i32; 2],
    },
}

/// Where a game stands.
fn after(moves: usize) -> String {
    match moves {
        0 => "before move 1".to_string(),
        _ => format!("after move {moves}"),
    }
}

/// Plays a game as it is recorded.
///
/// A game that ended by the rules must be over, with that result. One that ended in any other way
/// must not be over. By score, both players must have seen the winner ahead with their last moves;
/// by a failure, the player to move has lost, or before the first move either, since both engines
/// are asked about the opening. What a search has proved is taken on trust.
///
/// # Errors
/// The first thing that does not fit.
pub fn replay(game: &GameRecord) -> Result<(), Contradiction> {
    let name: GameName = game.game.parse().map_err(|_| Contradiction::Game(game.game.clone()))?;
    name.dispatch(Replay(game))
}

struct Replay<'a>(&'a GameRecord);

impl ForGame for Replay<'_> {
    type Output = Result<(), Contradiction>;

    fn run<G: Playable + Features>(self) -> Self::Output {
        let game = self.0;
        let mut position = G::parse(&game.opening)?;
        let expected = position.side_to_move().index() as u8 + 1;
        if game.begins != expected {
            return Err(Contradiction::Begins { found: game.begins, expected });
        }
        for (number, mv) in (1..).zip(&game.moves) {
            let mv = position
                .parse_move(&mv.text)
                .map_err(|source| Contradiction::Move { number, source })?;
            position.make(mv);
        }
        let (moves, reason, found) = (game.moves.len(), game.reason, game.result);
        if let Some(why) = unfit(game, position.is_over()) {
            return Err(Contradiction::Reason { moves, why, reason });
        }
        let to_move = position.side_to_move();
        let expected = match reason {
            Reason::Rules => GameResult::won_by(position.outcome().winner),
            Reason::Score => GameResult::won_by(agreed_winner(&game.moves, to_move)),
            // What a search has proved takes a search to see.
            Reason::Solved => found,
            Reason::Crash | Reason::Hang | Reason::Start if moves == 0 => found,
            _ => GameResult::won_by(Some(to_move.other())),
        };
        if found != expected {
            return Err(Contradiction::Result { moves, reason, found, expected });
        }
        let points = position.points();
        if points != game.points {
            return Err(Contradiction::Points { moves, found: game.points, expected: points });
        }
        Ok(())
    }
}

/// Why a game cannot have ended for its reason, whoever won it.
fn unfit(game: &GameRecord, is_over: bool) -> Option<&'static str> {
    let moves = game.moves.len();
    match game.reason {
        Reason::Rules => (!is_over).then_some("the game is not over"),
        _ if is_over => Some("the game is over"),
        Reason::Score if moves < 2 => Some("not both players have moved"),
        Reason::Solved
        | Reason::Time
        | Reason::Illegal
        | Reason::Garbage
        | Reason::Crash
        | Reason::Hang
        | Reason::Score => None,
        Reason::Start => (moves > 0).then_some("the game has begun"),
    }
}

/// The player whom both players saw ahead with their last moves, when it is the turn of `to_move`.
fn agreed_winner(moves: &[MoveRecord], to_move: Player) -> Option<Player> {
    let last = moves.len().checked_sub(2).map(|start| &moves[start..])?;
    let movers = [to_move, to_move.other()];
    let [one, two] = [0, 1].map(|i| leader(&last[i], movers[i]));
    one.filter(|_| one == two)
}

/// The player whom an engine saw ahead with its move.
fn leader(mv: &MoveRecord, mover: Player) -> Option<Player> {
    match (mv.proven, mv.score) {
        (Some(Proven::Win), _) => Some(mover),
        (Some(Proven::Loss), _) => Some(mover.other()),
        (Some(Proven::Draw), _) => None,
        (None, Some(1..)) => Some(mover),
        (None, Some(..0)) => Some(mover.other()),
        (None, Some(0) | None) => None,
    }
}

#[cfg(test)]
mod tests {
    use rand::SeedableRng;

    use super::*;
    use crate::arena::record::PlayerRecord;
    use crate::game::random::Random;
    use crate::game::{Game, Notation, random_game};
    use crate::games::hokito::Hokito;
    use crate::games::yoxii::Yoxii;

    /// A random game, recorded until `left` moves before its end.
    fn record<G: Playable>(seed: u64, left: usize) -> GameRecord {
        let positions = random_game::<G>(0, &mut Random::seed_from_u64(seed));
        let mut position = positions[0];
        let mut moves = Vec::new();
        for next in positions[1..].iter().map(Some).chain([None]).take(positions.len() - left) {
            let fits = |mv: &G::Move| {
                let mut child = position;
                child.make(*mv);
                next.map_or(child.is_over(), |next| child == *next)
            };
            let mv = position.moves().into_iter().find(fits).expect("one of the moves was played");
            position.make(mv);
            let text = G::move_text(mv);
            moves.push(MoveRecord {
                text,
                ms: 1.0,
                score: None,
                proven: None,
                depth: None,
                nodes: None,
            });
        }
        let player = |name: &str| PlayerRecord {
            name: name.to_string(),
            command: vec![],
            options: vec![],
            limits: "nodes=1".to_string(),
        };
        GameRecord {
            game: G::NAME.to_string(),
            pair: 0,
            leg: 0,
            players: [player("A"), player("B")],
            opening: positions[0].notation(),
            begins: positions[0].side_to_move().index() as u8 + 1,
            moves,
            result: GameResult::won_by(position.outcome().winner),
            reason: Reason::Rules,
            detail: String::new(),
            points: position.points(),
            disagreements: [vec![], vec![]],
        }
    }

    fn message(game: &GameRecord) -> String {
        replay(game).err().map_or("none".to_string(), |it| format!("{:#}", anyhow::Error::from(it)))
    }

    fn check<G: Playable>() {
        for seed in 0..50 {
            let game = record::<G>(seed, 0);
            assert_eq!(replay(&game), Ok(()));
            let moves = game.moves.len();

            let mut changed = game.clone();
            changed.points[1] += 1;
            assert!(message(&changed).starts_with(&format!("after move {moves}: the points are ")));

            let mut changed = game.clone();
            changed.begins = 3 - game.begins;
            assert!(message(&changed).contains("begins is"));

            let mut changed = game.clone();
            changed.opening.push('x');
            assert!(message(&changed).starts_with("the opening is not a position: "));

            let mut changed = game.clone();
            changed.moves[4].text = "0000".to_string();
            assert!(message(&changed).starts_with("move 5: "));
            changed.moves.swap_remove(4);
            assert!(message(&changed).starts_with("move "), "{}", message(&changed));

            // Nobody else has won by the rules, and the game cannot have ended in another way.
            for result in [GameResult::OneWins, GameResult::TwoWins, GameResult::Draw] {
                let changed = GameRecord { result, ..game.clone() };
                assert_eq!(replay(&changed).is_ok(), result == game.result);
            }
            for reason in [Reason::Score, Reason::Solved, Reason::Time, Reason::Crash] {
                let changed = GameRecord { reason, ..game.clone() };
                assert!(message(&changed).contains("the game is over, but the reason is"));
            }

            // One that is not over.
            let open = record::<G>(seed, 3);
            assert!(message(&open).contains("the game is not over, but the reason is"));
        }
    }

    #[test]
    fn games_that_were_played_are_told_from_others() {
        check::<Hokito>();
        check::<Yoxii>();
    }

    /// Which player can have lost by a failure after so many moves.
    fn losers(reason: Reason, moves: usize) -> [bool; 2] {
        let mut game = record::<Hokito>(1, 0);
        game.moves.truncate(moves);
        let mut position = Hokito::parse(&game.opening).unwrap();
        for mv in &game.moves {
            position.make(position.parse_move(&mv.text).unwrap());
        }
        game.points = position.points();
        [GameResult::TwoWins, GameResult::OneWins]
            .map(|result| replay(&GameRecord { result, reason, ..game.clone() }).is_ok())
    }

    #[test]
    fn who_fails_is_the_player_to_move_or_either_before_the_first_move() {
        for reason in [Reason::Time, Reason::Illegal, Reason::Garbage, Reason::Crash, Reason::Hang]
        {
            assert_eq!(losers(reason, 4), [true, false]);
            assert_eq!(losers(reason, 5), [false, true]);
        }
        assert_eq!(losers(Reason::Time, 0), [true, false]);
        assert_eq!(losers(Reason::Crash, 0), [true, true]);
        assert_eq!(losers(Reason::Hang, 0), [true, true]);
        assert_eq!(losers(Reason::Start, 0), [true, true]);
        assert_eq!(losers(Reason::Start, 4), [false, false]);
    }

    #[test]
    fn an_adjudicated_winner_was_seen_ahead_by_both() {
        let mut game = record::<Hokito>(1, 20);
        game.reason = Reason::Score;
        let last = game.moves.len() - 1;
        let mover = usize::from(game.begins == 2) ^ (last % 2);
        game.result = [GameResult::OneWins, GameResult::TwoWins][mover];
        let mut says = |of_loser, of_winner| {
            (game.moves[last - 1].score, game.moves[last].score) = (of_loser, of_winner);
            message(&game)
        };
        assert_eq!(says(Some(-100), Some(100)), "none");
        for (of_loser, of_winner) in [
            (Some(100), Some(100)),
            (Some(-100), None),
            (Some(0), Some(100)),
            (Some(100), Some(-100)),
        ] {
            let message = says(of_loser, of_winner);
            assert!(message.contains("'adjudicated by score' means "), "{message}");
        }
        (game.moves[last - 1].proven, game.moves[last].proven) =
            (Some(Proven::Loss), Some(Proven::Win));
        assert_eq!(message(&game), "none");
        game.moves.truncate(1);
        assert!(message(&game).contains("not both players have moved"));
    }
}
