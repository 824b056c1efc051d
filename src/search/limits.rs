//! What ends a search.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// The clock of the side to move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Clock {
    /// Time left for all moves to come.
    pub remaining: Duration,
    /// Time added after every move.
    pub increment: Duration,
    /// Moves until the next time control; `None` when the time is for the whole game.
    pub moves_to_go: Option<u32>,
}

/// Conditions that end a search. The first that is reached ends it; none at all lets it run until
/// the position is solved or the search is stopped.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Limits<M> {
    /// The clock to play by.
    pub clock: Option<Clock>,
    /// Exactly this long, if nothing else ends the search.
    pub move_time: Option<Duration>,
    /// Kept back from every time limit for the way to the runner.
    pub overhead: Duration,
    /// Plies of iterative deepening, at least 1.
    pub depth: Option<u32>,
    /// Positions visited by all threads together.
    pub nodes: Option<u64>,
    /// Look for a proven win within this many plies: with every move of either side, no deeper, and no
    /// longer than until one is found. What was learnt before is forgotten.
    pub win_within: Option<u32>,
    /// Consider only these moves at the root; all when empty. They are legal and without repeats.
    pub only: Vec<M>,
    /// How many best moves to report, at least 1.
    pub lines: usize,
    /// With several lines: of moves that are images of each other under a symmetry of the position
    /// consider only the first, in the order of `only` where it is not empty.
    pub fold: bool,
}

impl<M> Default for Limits<M> {
    fn default() -> Self {
        Self {
            clock: None,
            move_time: None,
            overhead: Duration::ZERO,
            depth: None,
            nodes: None,
            win_within: None,
            only: Vec::new(),
            lines: 1,
            fold: false,
        }
    }
}

impl<M> Limits<M> {
    /// Whether they ask for best play to the end of the game when at most `plies_left` plies can
    /// still be played, and for nothing else.
    #[must_use]
    pub(super) fn are_for_the_end(&self, plies_left: usize) -> bool {
        self.win_within.is_none() && self.depth.is_none_or(|depth| depth as usize >= plies_left)
    }
}

/// The reins of a running search, shared with whoever may stop it.
#[derive(Debug)]
pub struct Control {
    stopped: AtomicBool,
    pondering: AtomicBool,
    started: Instant,
    /// Nanoseconds from the start, or [`NEVER`].
    deadline: AtomicU64,
}

const NEVER: u64 = u64::MAX;

impl Control {
    /// For a search that begins now. While `pondering`, time does not end it.
    #[must_use]
    pub fn new(pondering: bool) -> Self {
        Self {
            stopped: AtomicBool::new(false),
            pondering: AtomicBool::new(pondering),
            started: Instant::now(),
            deadline: AtomicU64::new(NEVER),
        }
    }

    /// Ends the search as soon as it looks.
    pub fn stop(&self) {
        self.stopped.store(true, Ordering::Release);
    }

    /// Whether the search is to end.
    #[inline]
    #[must_use]
    pub fn is_stopped(&self) -> bool {
        self.stopped.load(Ordering::Acquire)
    }

    /// From now on the search ends when so much time has passed since it began; `None` for never.
    pub fn end_after(&self, time: Option<Duration>) {
        let nanos = time.map_or(NEVER, |time| u64::try_from(time.as_nanos()).unwrap_or(NEVER));
        self.deadline.store(nanos, Ordering::Relaxed);
    }

    /// Whether the search was stopped or is out of time. Asks for the time: not for every position.
    #[must_use]
    pub fn is_over(&self) -> bool {
        let out_of_time = || {
            let deadline = self.deadline.load(Ordering::Relaxed);
            deadline != NEVER
                && !self.is_pondering()
                && self.started.elapsed() >= Duration::from_nanos(deadline)
        };
        self.is_stopped() || out_of_time()
    }

    /// The awaited move was played: time counts now, from the start of the search.
    pub fn ponder_hit(&self) {
        self.pondering.store(false, Ordering::Release);
    }

    /// Whether the search runs on the opponent's time.
    #[inline]
    #[must_use]
    pub fn is_pondering(&self) -> bool {
        self.pondering.load(Ordering::Acquire)
    }

    /// Time since the search began.
    #[must_use]
    pub fn elapsed(&self) -> Duration {
        self.started.elapsed()
    }
}
