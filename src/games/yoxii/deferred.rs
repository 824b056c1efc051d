//! Yoxii in which a player need not say what their pieces are worth.
//!
//! Values decide nothing before the end, so that a game is easy to think of in which a player puts
//! pieces on the board whose values they choose only when it is over: the best of what was in hand
//! go next to the totem. That is never worse for the player. Whoever holds them to a margin there
//! without knowing the values does so in the real game by playing the same moves, because there the
//! pieces next to the totem are worth no more than the best of the hand. And it has up to four
//! times fewer moves for every turn of that player.

use super::Yoxii;
use super::position::{DEFERRED, DEFERRED_KEYS};
use crate::game::Player;
use crate::game::bits::bit;

/// The only kind in the hand of a player who chooses values in the end.
const KIND: u8 = bit(DEFERRED - 1) as u8;

impl Yoxii {
    /// The player who chooses values in the end.
    #[inline]
    pub(super) fn who_defers(&self) -> Option<Player> {
        [Player::One, Player::Two].into_iter().find(|player| self.kinds[player.index()] == KIND)
    }

    /// The position from which on a player chooses values in the end, unless one of the two does so
    /// already.
    #[inline]
    pub(super) fn deferred_by(&self, player: Player) -> Option<Self> {
        if self.who_defers().is_some() {
            return None;
        }
        let mut deferred = *self;
        deferred.kinds[player.index()] = KIND;
        deferred.key ^= DEFERRED_KEYS[player.index()];
        Some(deferred)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::{Endgame, Game};
    use crate::games::yoxii::Move;

    #[test]
    fn the_best_pieces_in_hand_go_next_to_the_totem() {
        let mut position = Yoxii::start();
        position.make(Move::new(28, 29, 4));
        let mut deferred = position.deferring(Player::One).expect("nobody does so yet");
        assert_eq!(deferred.deferring(Player::Two), None);
        for (pieces, points) in [(0, 0), (1, 4), (2, 8), (3, 11), (7, 23), (8, 25)] {
            assert_eq!(deferred.best_in_hand(Player::One, pieces), points);
        }
        deferred.make(Move::new(27, 19, 2));
        assert!(deferred.moves().iter().all(|mv| mv.value() == DEFERRED));
        deferred.make(Move::new(28, 20, DEFERRED));
        assert_eq!(deferred.points(), [8, 2]);
    }
}
