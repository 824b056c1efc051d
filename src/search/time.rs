//! How long to think about a move.

use std::time::Duration;

use super::limits::{Clock, Limits};
use super::params::{MARGIN_TIME, SOLVED_PLIES, TIME_BY_FALL, TIME_BY_SHARE, TIME_BY_STABILITY};
use super::score::Score;

/// The time that one move may take, measured from the start of the search.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Budget {
    /// No new iteration begins after this; on a clock, after what the [`Stability`] of the search
    /// makes of it.
    pub soft: Duration,
    /// The search is cut off here.
    pub hard: Duration,
}

impl Budget {
    /// The budget for one of `moves` moves when at most `plies_left` plies can still be played;
    /// `None` when time does not matter. On a clock a forced move is not worth more than a first
    /// look.
    #[must_use]
    pub fn new<M>(limits: &Limits<M>, plies_left: usize, moves: usize) -> Option<Self> {
        let exact = limits.move_time.map(|time| {
            let time = time.saturating_sub(limits.move_overhead);
            Self { soft: time, hard: time }
        });
        let clock = limits.clock.map(|clock| {
            let budget = Self::of_clock(clock, limits.move_overhead, plies_left);
            if moves > 1 { budget } else { Self { soft: Duration::ZERO, ..budget } }
        });
        match (exact, clock) {
            (Some(a), Some(b)) => Some(Self { soft: a.soft.min(b.soft), hard: a.hard.min(b.hard) }),
            (budget, None) | (None, budget) => budget,
        }
    }

    /// When the search ends once the outcome is proven: on a clock little time is left for margins.
    #[must_use]
    pub fn for_margins<M>(self, limits: &Limits<M>) -> Duration {
        if limits.clock.is_some() { self.soft.mul_f64(MARGIN_TIME) } else { self.hard }
    }

    /// The time is for the moves before the end is in the solver's reach, with [`SOLVED_PLIES`] to
    /// go.
    fn of_clock(clock: Clock, overhead: Duration, plies_left: usize) -> Self {
        let moves = (plies_left.saturating_sub(SOLVED_PLIES) as f64 / 2.0).max(2.0);
        let moves = clock.moves_to_go.map_or(moves, |n| moves.min(f64::from(n.max(1))));
        let available = clock.remaining.saturating_sub(overhead);
        // With the last move before a time control the whole clock may be used, else half of it.
        let most = if moves < 2.0 { available.mul_f64(0.9) } else { available.mul_f64(0.5) };
        let share = available.div_f64(moves) + clock.increment.mul_f64(0.8);
        Self { soft: share.mul_f64(0.6).min(most), hard: share.mul_f64(2.0).min(most) }
    }
}

/// How sure a search is of its move, from one iteration to the next.
#[derive(Clone, Copy, Debug)]
pub struct Stability<M> {
    best: Option<(M, i32)>,
    /// Iterations that did not change the best move.
    stable: usize,
    /// The fall of the score in the last iteration, in swings; negative when it rose.
    fall: f64,
    /// The part of the last iteration that went into the best move.
    share: f64,
}

impl<M: Copy + PartialEq> Stability<M> {
    /// Before the first iteration.
    pub const fn new() -> Self {
        Self { best: None, stable: 0, fall: 0.0, share: 0.0 }
    }

    /// After an iteration: its move, its score, the part of the positions visited under the move,
    /// and the centipoints of a [swing](crate::game::Evaluate::SWING).
    pub fn update(&mut self, mv: M, score: Score, share: f64, swing: i32) {
        self.fall = 0.0;
        if let Some((old, before)) = self.best {
            self.stable = if old == mv { self.stable + 1 } else { 0 };
            self.fall = f64::from(before - score.0) / f64::from(swing);
        }
        self.best = Some((mv, score.0));
        self.share = share;
    }

    /// By how much to stretch the time for the move.
    #[must_use]
    pub fn factor(&self) -> f64 {
        let stability = TIME_BY_STABILITY[self.stable.min(TIME_BY_STABILITY.len() - 1)];
        let fall = 1.0 + TIME_BY_FALL * self.fall.clamp(-1.0, 1.0);
        stability * fall * (TIME_BY_SHARE - self.share)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn budget(remaining: u64, increment: u64, moves_to_go: Option<u32>) -> Budget {
        budget_at(35, remaining, increment, moves_to_go)
    }

    fn budget_at(
        plies_left: usize,
        remaining: u64,
        increment: u64,
        moves_to_go: Option<u32>,
    ) -> Budget {
        let clock = Clock {
            remaining: Duration::from_millis(remaining),
            increment: Duration::from_millis(increment),
            moves_to_go,
        };
        let move_overhead = Duration::from_millis(10);
        let limits = Limits::<u16> { clock: Some(clock), move_overhead, ..Limits::default() };
        Budget::new(&limits, plies_left, 20).expect("a clock is a limit")
    }

    #[test]
    fn a_forced_move_takes_no_time_on_a_clock_and_all_of_a_time_for_the_move() {
        let second = Duration::from_secs(1);
        let clock = Some(Clock { remaining: second, increment: second, moves_to_go: None });
        let on_clock = Limits::<u16> { clock, ..Limits::default() };
        let soft = |limits: &Limits<u16>| Budget::new(limits, 35, 1).map(|budget| budget.soft);
        assert_eq!(soft(&on_clock), Some(Duration::ZERO));
        assert!(Budget::new(&on_clock, 35, 2).is_some_and(|budget| budget.soft > Duration::ZERO));
        let for_the_move = Limits { move_time: Some(second), ..Limits::default() };
        assert_eq!(soft(&for_the_move), Some(second));
    }

    #[test]
    fn a_clock_is_never_overdrawn() {
        for remaining in [0, 1, 10, 11, 200, 60_000, u64::MAX] {
            for increment in [0, 10, 100_000, u64::MAX] {
                for moves_to_go in [None, Some(0), Some(1), Some(40)] {
                    let Budget { soft, hard } = budget(remaining, increment, moves_to_go);
                    assert!(soft <= hard, "{soft:?} {hard:?}");
                    assert!(hard <= Duration::from_millis(remaining.saturating_sub(10)));
                }
            }
        }
    }

    #[test]
    fn most_of_the_clock_is_used_before_the_end_is_solved() {
        let mut remaining = 60_000;
        for plies_left in (SOLVED_PLIES..=35).rev().step_by(2) {
            remaining -= budget_at(plies_left, remaining, 0, None).soft.as_millis() as u64;
        }
        assert!((6_000..20_000).contains(&remaining), "{remaining}");
    }

    #[test]
    fn without_a_time_there_is_no_budget() {
        assert_eq!(Budget::new(&Limits::<u16>::default(), 35, 20), None);
    }

    #[test]
    fn the_shorter_of_two_times_counts() {
        let move_time = Some(Duration::from_millis(30));
        let limits = Limits::<u16> { move_time, ..Limits::default() };
        assert_eq!(Budget::new(&limits, 35, 20).map(|b| b.hard), move_time);
    }
}
