//! Legal moves of Yoxii.
//!
//! The totem's ray in a direction, without the player's own pieces, begins with the square where it
//! would land; it may if that square is empty. Each landing square brings the empty squares around
//! it, or, where there are none, every other empty square; and each of those takes every value in
//! hand. So the number of moves is a sum of bit counts times the number of values in hand.
//!
//! **Capacity.** At most 8 landing squares, 36 squares for the piece and 4 values: 8 * 36 * 4 =
//! 1152, which is [`MAX_MOVES`](crate::game::MAX_MOVES).

use super::Yoxii;
use super::position::{Move, NEIGHBOURS, RAYS};
use crate::game::bits::{Bits, bit};
use crate::game::{Game, MoveList, Player};

impl Yoxii {
    /// The squares to which a player could move the totem if it were their turn.
    #[inline]
    #[must_use]
    pub fn landings(&self, player: Player) -> u64 {
        let blocked = !self.pieces[player.index()];
        let rays = RAYS[self.totem as usize].map(|ray| ray & blocked);
        let (up, down) = rays.split_at(4);
        let first = up.iter().fold(0, |set, &ray| set | lowest(ray));
        let first = down.iter().fold(first, |set, &ray| set | highest(ray));
        first & self.empty_squares()
    }

    /// The squares for the piece when the totem lands on a square.
    #[inline]
    fn places(&self, landing: usize) -> u64 {
        let empty = self.empty_squares();
        let near = NEIGHBOURS[landing] & empty;
        if near != 0 { near } else { empty & !bit(landing) }
    }

    #[inline]
    pub(super) fn list_moves(&self, moves: &mut MoveList<Move>) {
        for landing in Bits(self.landings(self.side)) {
            for square in Bits(self.places(landing)) {
                for kind in Bits(u64::from(self.kinds[self.side.index()])) {
                    moves.push(Move::new(landing, square, kind + 1));
                }
            }
        }
    }

    /// The number of moves, those that differ in the value only counted once.
    #[inline]
    fn number_of_places(&self, landings: u64) -> u32 {
        Bits(landings).map(|landing| self.places(landing).count_ones()).sum()
    }

    #[inline]
    pub(super) fn number_of_moves(&self) -> usize {
        let kinds = self.kinds[self.side.index()].count_ones();
        (self.number_of_places(self.landings(self.side)) * kinds) as usize
    }

    /// Whether the totem can go to one square only, or the moves that differ in more than the value
    /// are few.
    #[inline]
    pub(super) fn has_one_landing_or_at_most(&self, places: u32) -> bool {
        let landings = self.landings(self.side);
        landings.count_ones() <= 1 || self.number_of_places(landings) <= places
    }

    /// A move that ends the game at once and wins it by the most: the totem goes to where at most
    /// the piece's square is empty around it.
    #[inline]
    pub(super) fn best_winning_end(&self) -> Option<Move> {
        let empty = self.empty_squares();
        let narrow = |&landing: &usize| (NEIGHBOURS[landing] & empty).count_ones() <= 1;
        let landings = Bits(self.landings(self.side)).filter(narrow);
        landings.filter_map(|landing| self.winning_end_at(landing)).max().map(|(_, mv)| mv)
    }

    /// The same for one landing square, with the margin.
    #[cold]
    fn winning_end_at(&self, landing: usize) -> Option<(i32, Move)> {
        // Where the piece counts, the highest counts most.
        let value = u32::from(self.kinds[self.side.index()]).ilog2() as usize + 1;
        let moves = Bits(self.places(landing)).filter_map(|square| {
            let mv = Move::new(landing, square, value);
            let mut end = *self;
            end.play(mv);
            let outcome = end.is_over().then(|| end.outcome())?;
            (outcome.winner == Some(self.side)).then_some((outcome.margin * self.side.sign(), mv))
        });
        moves.max()
    }

    #[inline]
    pub(super) fn allows(&self, mv: Move) -> bool {
        self.landings(self.side) & bit(mv.totem()) != 0
            && self.places(mv.totem()) & bit(mv.square()) != 0
            && u64::from(self.kinds[self.side.index()]) & bit(mv.value() - 1) != 0
    }
}

/// The lowest square of a set, as a set.
#[inline]
const fn lowest(set: u64) -> u64 {
    set & set.wrapping_neg()
}

/// The highest square of a set, as a set. For the empty set it is square 0, which is not on the
/// board.
#[inline]
const fn highest(set: u64) -> u64 {
    1 << (set | 1).ilog2()
}

#[cfg(test)]
mod tests {
    use rand::SeedableRng;

    use super::*;
    use crate::game::random::Random;
    use crate::game::random_game;
    use crate::maps::HashSet;

    #[test]
    fn winning_ends_are_those_among_all_moves() {
        let mut random = Random::seed_from_u64(4);
        let mut found = 0;
        for _ in 0..1000 {
            for position in random_game::<Yoxii>(0, &mut random) {
                let moves = position.moves();
                let margin = |&mv: &Move| {
                    let mut end = position;
                    end.make(mv);
                    let outcome = end.is_over().then(|| end.outcome())?;
                    let won = outcome.winner == Some(position.side);
                    won.then_some(outcome.margin * position.side.sign())
                };
                let most = moves.iter().filter_map(margin).max();
                assert_eq!(
                    position.best_winning_end().as_ref().and_then(margin),
                    most,
                    "{position:?}"
                );
                found += u32::from(most.is_some());
            }
        }
        assert!(found > 100, "{found}");
    }

    #[test]
    fn forced_positions_are_those_with_few_moves() {
        let mut random = Random::seed_from_u64(4);
        let mut found = [0; 2];
        for _ in 0..200 {
            for position in random_game::<Yoxii>(0, &mut random) {
                let moves = position.moves();
                let landings: HashSet<_> = moves.iter().map(|mv| mv.totem()).collect();
                let places: HashSet<_> = moves.iter().map(|mv| (mv.totem(), mv.square())).collect();
                let forced = landings.len() == 1 || places.len() <= 4;
                assert_eq!(position.has_one_landing_or_at_most(4), forced, "{position:?}");
                found[usize::from(forced)] += 1;
            }
        }
        assert!(found.iter().all(|&found| found > 100), "{found:?}");
    }
}
