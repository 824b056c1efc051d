//! How the threads of a search count the positions that they visit, and look at their limits on the
//! way.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// Positions between two looks at the limits, at most.
const CHECK: u64 = 1024;

/// The search was told to end; what was under way is void.
#[derive(Clone, Copy, Debug)]
pub struct Halted;

/// The positions visited by the threads of one search.
pub struct NodeTotal {
    published: AtomicU64,
    max: Option<u64>,
    threads: u64,
}

impl NodeTotal {
    /// None so far, by this many threads, at least 1; they end after `max` positions.
    pub fn new(max: Option<u64>, threads: usize) -> Self {
        Self { published: AtomicU64::new(0), max, threads: threads.max(1) as u64 }
    }

    /// Positions visited so far, by all threads that published theirs.
    pub fn total(&self) -> u64 {
        self.published.load(Relaxed)
    }

    /// Adds positions that nobody else counts.
    pub fn add(&self, nodes: u64) {
        self.published.fetch_add(nodes, Relaxed);
    }

    /// Takes back positions that were added and not visited.
    pub fn give_back(&self, nodes: u64) {
        self.published.fetch_sub(nodes, Relaxed);
    }

    /// Positions that may still be visited.
    fn left(&self) -> Option<u64> {
        self.max.map(|max| max.saturating_sub(self.total()))
    }
}

/// One thread's count. What it has not published it publishes when it is dropped.
pub struct NodeCounter<'a> {
    all: &'a NodeTotal,
    nodes: u64,
    published: u64,
    check_at: u64,
}

impl<'a> NodeCounter<'a> {
    /// A thread that has not begun.
    pub fn new(all: &'a NodeTotal) -> Self {
        let mut counter = Self { all, nodes: 0, published: 0, check_at: 0 };
        counter.plan_check();
        counter
    }

    /// Positions visited by this thread.
    #[inline]
    pub fn nodes(&self) -> u64 {
        self.nodes
    }

    /// Counts a position. Now and then it asks whether the search `is_over`, given the positions
    /// that all threads visited.
    ///
    /// # Errors
    /// When the search is over or no position more may be visited.
    #[inline]
    pub fn count(&mut self, is_over: impl FnOnce(u64) -> bool) -> Result<(), Halted> {
        if self.nodes >= self.check_at {
            self.check(is_over)?;
        }
        self.nodes += 1;
        Ok(())
    }

    #[cold]
    fn check(&mut self, is_over: impl FnOnce(u64) -> bool) -> Result<(), Halted> {
        self.publish();
        if is_over(self.all.total()) || self.all.left() == Some(0) {
            return Err(Halted);
        }
        self.plan_check();
        Ok(())
    }

    /// Adds to the total all positions visited.
    pub fn publish(&mut self) {
        self.all.add(self.nodes - self.published);
        self.published = self.nodes;
    }

    /// Plans the next look at the limits. With one thread a limit of positions is kept exactly,
    /// with more nearly so.
    pub fn plan_check(&mut self) {
        let step = self.all.left().map_or(CHECK, |left| (left / self.all.threads).min(CHECK));
        self.check_at = self.nodes + step;
    }
}

impl Drop for NodeCounter<'_> {
    fn drop(&mut self) {
        self.publish();
    }
}
