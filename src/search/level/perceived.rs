//! A game as a weaker player sees it.

use rand::Rng;

use crate::error::{MoveError, PositionError};
use crate::game::zobrist::mix;
use crate::game::{
    Chances, Endgame, Evaluate, Game, MAX_EVAL, MoveList, Notation, Outcome, Player, Setup,
    Symmetry, Tuning,
};

/// How a player sees the game.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Perception {
    /// How obscure a move may be that is still seen; the obscurity of moves is uniform.
    pub obscurity_limit: u32,
    /// The standard error of an evaluation, in centipoints.
    pub eval_noise: i32,
    /// Makes the mistakes of different players differ.
    pub salt: u64,
}

impl Perception {
    /// See everything as it is.
    const CLEAR: Self = Self { obscurity_limit: u32::MAX, eval_noise: 0, salt: 0 };
}

/// A position through somebody's eyes: some moves are overlooked and its worth is misjudged; all
/// else is as in the game, so that any search can play it. What is overlooked and how a position is
/// misjudged follow from the position and the perception alone. A view that was made without
/// perception (a position read from text, say) sees everything.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Perceived<G> {
    game: G,
    perception: Perception,
}

impl<G: Evaluate> Perceived<G> {
    /// The position as it is perceived.
    pub const fn new(game: G, perception: Perception) -> Self {
        Self { game, perception }
    }

    const fn clear(game: G) -> Self {
        Self::new(game, Perception::CLEAR)
    }

    /// How little the move catches the eye. What wins a lot at once is half as obscure.
    fn obscurity(&self, mv: G::Move) -> u32 {
        let seed = self.game.key() ^ self.perception.salt ^ u64::from(mv.into()) << 40;
        let noise = (mix(seed) >> 32) as u32;
        match G::NOISY_GAIN {
            Some(noisy) if self.game.gain(mv) >= noisy => noise / 2,
            _ => noise,
        }
    }

    /// An evaluation with an error that is nearly normal: the sum of four even ones.
    fn misjudged(&self, evaluation: i32) -> i32 {
        let bits = mix(self.game.key() ^ self.perception.salt);
        let parts = (0..4).map(|i| f64::from((bits >> (16 * i)) as u16) / 32_768.0 - 1.0);
        // Its variance is 4/3.
        let normal = parts.sum::<f64>() * 0.75f64.sqrt();
        let error = normal * f64::from(self.perception.eval_noise);
        (evaluation + error as i32).clamp(-MAX_EVAL, MAX_EVAL)
    }
}

impl<G: Evaluate> Game for Perceived<G> {
    type Move = G::Move;

    const MAX_PLIES: usize = G::MAX_PLIES;

    fn start() -> Self {
        Self::clear(G::start())
    }

    fn side_to_move(&self) -> Player {
        self.game.side_to_move()
    }

    fn key(&self) -> u64 {
        self.game.key()
    }

    /// The moves that are seen: at least one, if there is one.
    fn generate(&self, moves: &mut MoveList<G::Move>) {
        self.game.generate(moves);
        let mut clearest = None;
        moves.retain(|mv| {
            let obscurity = self.obscurity(*mv);
            if clearest.is_none_or(|(least, _)| obscurity < least) {
                clearest = Some((obscurity, *mv));
            }
            obscurity <= self.perception.obscurity_limit
        });
        if moves.is_empty() {
            moves.extend(clearest.map(|(_, mv)| mv));
        }
    }

    fn count_moves(&self) -> usize {
        self.game.count_moves()
    }

    fn is_over(&self) -> bool {
        self.game.is_over()
    }

    fn is_legal(&self, mv: G::Move) -> bool {
        self.game.is_legal(mv)
    }

    fn make(&mut self, mv: G::Move) {
        self.game.make(mv);
    }

    fn points(&self) -> [i32; 2] {
        self.game.points()
    }

    fn outcome(&self) -> Outcome {
        self.game.outcome()
    }

    fn plies_left(&self) -> usize {
        self.game.plies_left()
    }
}

/// But for forced moves, of which a weaker player makes nothing: the scales were fitted without.
impl<G: Evaluate> Evaluate for Perceived<G> {
    const CHANCES: Chances = G::CHANCES;
    const HISTORY_SIZE: usize = G::HISTORY_SIZE;
    const NOISY_GAIN: Option<i32> = G::NOISY_GAIN;
    const SWING: i32 = G::SWING;
    const TUNING: Tuning = G::TUNING;
    const STRENGTH: (usize, usize) = G::STRENGTH;

    type EvalCache = G::EvalCache;

    fn evaluate(&self) -> i32 {
        self.misjudged(self.game.evaluate())
    }

    fn evaluate_with(&self, cache: &mut G::EvalCache) -> i32 {
        self.misjudged(self.game.evaluate_with(cache))
    }

    fn gain(&self, mv: G::Move) -> i32 {
        self.game.gain(mv)
    }

    fn history_index(&self, mv: G::Move) -> usize {
        self.game.history_index(mv)
    }
}

/// Nothing can be told at a glance by who overlooks moves.
impl<G: Evaluate> Endgame for Perceived<G> {}

impl<G: Evaluate + Notation> Notation for Perceived<G> {
    const NAME: &'static str = G::NAME;
    const TITLE: &'static str = G::TITLE;
    const PLAYERS: [&'static str; 2] = G::PLAYERS;

    fn parse(text: &str) -> Result<Self, PositionError> {
        G::parse(text).map(Self::clear)
    }

    fn notation(&self) -> String {
        self.game.notation()
    }

    fn parse_move(&self, text: &str) -> Result<G::Move, MoveError> {
        self.game.parse_move(text)
    }

    fn move_text(mv: G::Move) -> String {
        G::move_text(mv)
    }

    fn describe_move(&self, mv: G::Move) -> String {
        self.game.describe_move(mv)
    }

    fn draw(&self) -> String {
        self.game.draw()
    }
}

impl<G: Evaluate + Setup> Setup for Perceived<G> {
    const SETUPS: &'static [&'static str] = G::SETUPS;

    fn random_start(setup: usize, random: &mut impl Rng) -> Self {
        Self::clear(G::random_start(setup, random))
    }
}

impl<G: Evaluate + Symmetry> Symmetry for Perceived<G> {
    const SYMMETRIES: usize = G::SYMMETRIES;

    fn image(&self, index: usize) -> Self {
        Self { game: self.game.image(index), ..*self }
    }

    fn swapped(&self) -> Option<Self> {
        self.game.swapped().map(|game| Self { game, ..*self })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::random::Random;
    use crate::game::random_game;
    use crate::games::hokito::Hokito;
    use crate::games::yoxii::Yoxii;
    use rand::SeedableRng;

    /// Positions of random games.
    fn positions<G: Setup>(count: usize) -> Vec<G> {
        let mut random = Random::seed_from_u64(1);
        let mut positions = Vec::new();
        while positions.len() < count {
            positions.extend(random_game::<G>(0, &mut random));
        }
        positions
    }

    fn overlooks_its_part<G: Evaluate + Setup>() {
        let perception = Perception { obscurity_limit: u32::MAX / 4, salt: 7, ..Perception::CLEAR };
        let (mut seen, mut all) = (0, 0);
        for game in positions::<G>(500) {
            let (moves, view) = (game.moves(), Perceived::new(game, perception));
            assert_eq!(Perceived::new(game, Perception::CLEAR).moves(), moves);
            let some = view.moves();
            assert!(!some.is_empty() && some.iter().all(|mv| moves.contains(mv)));
            assert_eq!(some, view.moves(), "the same ones again");
            if let Some(noisy) = G::NOISY_GAIN {
                let quiet = |moves: &MoveList<G::Move>| {
                    moves.iter().filter(|&&mv| game.gain(mv) < noisy).count()
                };
                (seen, all) = (seen + quiet(&some), all + quiet(&moves));
            } else {
                (seen, all) = (seen + some.len(), all + moves.len());
            }
        }
        let part = seen as f64 / all as f64;
        assert!((0.24..0.27).contains(&part), "{part} of the moves are seen");
    }

    #[test]
    fn as_many_moves_are_overlooked_as_the_eyes_say() {
        overlooks_its_part::<Hokito>();
        overlooks_its_part::<Yoxii>();
    }

    #[test]
    fn positions_are_misjudged_as_much_as_the_eyes_say() {
        let perception = Perception { eval_noise: 300, salt: 7, ..Perception::CLEAR };
        let positions = positions::<Yoxii>(2000);
        let errors: Vec<f64> = positions
            .iter()
            .map(|game| f64::from(Perceived::new(*game, perception).evaluate() - game.evaluate()))
            .collect();
        let count = errors.len() as f64;
        let mean = errors.iter().sum::<f64>() / count;
        let deviation = (errors.iter().map(|e| e * e).sum::<f64>() / count).sqrt();
        assert!(mean.abs() < 25.0, "{mean}");
        assert!((280.0..320.0).contains(&deviation), "{deviation}");
        let clear =
            |game: &Yoxii| Perceived::new(*game, Perception::CLEAR).evaluate() == game.evaluate();
        assert!(positions.iter().all(clear));
    }
}
