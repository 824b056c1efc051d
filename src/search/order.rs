//! In which order the moves of a node are tried.

use arrayvec::ArrayVec;

use super::history::History;
use crate::game::{MAX_MOVES, MoveList, Playable};

/// Hands out the moves of a node, the most promising first: the table move before anything is
/// generated, then by immediate gain, killers and history.
pub struct Picker<'a, G: Playable> {
    position: &'a G,
    table_move: Option<G::Move>,
    stage: Stage,
    /// The generated moves, in any order.
    moves: ArrayVec<Ranked, MAX_MOVES>,
    /// The last one that was handed out: those above it were, too.
    last: Ranked,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Stage {
    TableMove,
    Generate,
    GenerateNoisy,
    Pick,
}

/// A move behind its order, as one number, so that the best of many is found without branches. No
/// two are equal. 0 is below them all.
#[derive(Clone, Copy)]
struct Ranked(u64);

impl Ranked {
    const ABOVE_ALL: Self = Self(u64::MAX);

    #[inline]
    fn new<M: Into<u16>>(order: i32, mv: M) -> Self {
        Self(u64::from(order as u32 ^ 1 << 31) << 16 | u64::from(mv.into()))
    }

    #[inline]
    fn order(self) -> i32 {
        ((self.0 >> 16) as u32 ^ 1 << 31) as i32
    }

    #[inline]
    fn mv<M: From<u16>>(self) -> M {
        M::from(self.0 as u16)
    }
}

impl<'a, G: Playable> Picker<'a, G> {
    /// For all legal moves of a position; `table_move` is one of them.
    #[inline]
    pub fn new(position: &'a G, table_move: Option<G::Move>) -> Self {
        let stage = if table_move.is_some() { Stage::TableMove } else { Stage::Generate };
        Self { position, table_move, stage, moves: ArrayVec::new(), last: Ranked::ABOVE_ALL }
    }

    /// For the noisy moves of a position, by their gain alone.
    #[inline]
    pub fn noisy(position: &'a G) -> Self {
        Self { stage: Stage::GenerateNoisy, ..Self::new(position, None) }
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
        } else if self.stage == Stage::GenerateNoisy {
            self.generate_noisy();
        }
        self.stage = Stage::Pick;
        self.last = self.best_below(self.last);
        (self.last.0 != 0).then(|| (self.last.mv(), self.last.order()))
    }

    /// The best move below one. In a form that the compiler turns into vector instructions.
    #[inline]
    fn best_below(&self, last: Ranked) -> Ranked {
        let mut best = [0; 8];
        let (chunks, rest) = self.moves.as_chunks::<8>();
        for chunk in chunks {
            for (best, ranked) in best.iter_mut().zip(chunk) {
                let below = if ranked.0 < last.0 { ranked.0 } else { 0 };
                *best = below.max(*best);
            }
        }
        let below = rest.iter().map(|ranked| ranked.0).filter(|&ranked| ranked < last.0);
        Ranked(below.chain(best).max().unwrap_or_default())
    }

    fn generate(&mut self, history: &History<G::Move>, ply: usize) {
        let mut list = MoveList::new();
        self.position.generate(&mut list);
        for &mv in &list {
            if Some(mv) == self.table_move {
                continue;
            }
            let mut order = move_score(self.position, mv, history);
            if history.is_killer(ply, mv) {
                order += G::TUNING.order_killer;
            }
            self.moves.push(Ranked::new(order, mv));
        }
    }

    fn generate_noisy(&mut self) {
        let Some(least) = G::NOISY_GAIN else { return };
        let mut list = MoveList::new();
        self.position.generate(&mut list);
        self.moves.extend(
            list.iter()
                .map(|&mv| (self.position.gain(mv), mv))
                .filter(|&(gain, _)| gain >= least)
                .map(|(gain, mv)| Ranked::new(gain, mv)),
        );
    }
}

/// The score of a move by which moves are ordered: by history and immediate gain, in units of
/// history.
#[inline]
pub fn move_score<G: Playable>(position: &G, mv: G::Move, history: &History<G::Move>) -> i32 {
    history.value(position.side_to_move(), position.history_index(mv))
        + G::TUNING.order_gain * position.gain(mv)
}
