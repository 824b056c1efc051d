//! In which order the moves of a node are tried.

use arrayvec::ArrayVec;

use super::history::History;
use super::params::{ORDER_GAIN, ORDER_KILLER};
use crate::game::{MAX_MOVES, MoveList, Playable};

/// Hands out the moves of a node, the most promising first: the table move before anything is
/// generated, then by immediate gain, killers and history.
pub struct Picker<'a, G: Playable> {
    position: &'a G,
    table_move: Option<G::Move>,
    stage: Stage,
    /// The moves still to come, with their order.
    moves: ArrayVec<(i32, G::Move), MAX_MOVES>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Stage {
    TableMove,
    Generate,
    GenerateLoud,
    Pick,
}

impl<'a, G: Playable> Picker<'a, G> {
    /// For all legal moves of a position; `table_move` is one of them.
    #[inline]
    pub fn new(position: &'a G, table_move: Option<G::Move>) -> Self {
        let stage = if table_move.is_some() { Stage::TableMove } else { Stage::Generate };
        Self { position, table_move, stage, moves: ArrayVec::new() }
    }

    /// For the loud moves of a position, by their gain alone.
    #[inline]
    pub fn loud(position: &'a G) -> Self {
        Self { position, table_move: None, stage: Stage::GenerateLoud, moves: ArrayVec::new() }
    }

    /// The next move and its order, in units of history.
    #[inline]
    pub fn next(&mut self, history: &History<G::Move>, ply: usize) -> Option<(G::Move, i32)> {
        if self.stage == Stage::TableMove {
            self.stage = Stage::Generate;
            return self.table_move.map(|mv| (mv, i32::MAX));
        }
        if self.stage == Stage::Generate {
            self.generate(history, ply);
        } else if self.stage == Stage::GenerateLoud {
            self.generate_loud();
        }
        self.stage = Stage::Pick;
        let best =
            (0..self.moves.len()).max_by_key(|&i| (self.moves[i].0, std::cmp::Reverse(i)))?;
        let (order, mv) = self.moves.swap_remove(best);
        Some((mv, order))
    }

    fn generate(&mut self, history: &History<G::Move>, ply: usize) {
        let mut list = MoveList::new();
        self.position.generate(&mut list);
        for mv in list {
            if Some(mv) == self.table_move {
                continue;
            }
            let mut order = promise(self.position, mv, history);
            if history.is_killer(ply, mv) {
                order += ORDER_KILLER;
            }
            self.moves.push((order, mv));
        }
    }

    fn generate_loud(&mut self) {
        let Some(least) = G::LOUD_GAIN else { return };
        let mut list = MoveList::new();
        self.position.generate(&mut list);
        self.moves.extend(
            list.into_iter()
                .map(|mv| (self.position.gain(mv), mv))
                .filter(|&(gain, _)| gain >= least),
        );
    }
}

/// How promising a move is by history and immediate gain, in units of history.
#[inline]
pub fn promise<G: Playable>(position: &G, mv: G::Move, history: &History<G::Move>) -> i32 {
    history.value(position.side_to_move(), position.history_index(mv))
        + ORDER_GAIN * position.gain(mv)
}
