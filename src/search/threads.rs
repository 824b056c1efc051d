//! How many threads are worth having.

use std::thread;

/// As many threads as are wanted, but no more than there are processors for this program.
///
/// Threads beyond that find nothing sooner. They make each other wait, and whoever tells them to
/// stop: with 32 of them on a processor, for a tenth of a second and more.
#[must_use]
pub fn useful(wanted: usize) -> usize {
    thread::available_parallelism().map_or(wanted, |processors| wanted.min(processors.into()))
}
