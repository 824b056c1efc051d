//! Ctrl-C and its like.

use std::process;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use anyhow::Context;

/// A flag that Ctrl-C, or the end of the terminal or of the session, sets. A second one does `last`
/// and ends the program at once.
pub(super) fn watch(last: impl Fn() + Send + 'static) -> anyhow::Result<Arc<AtomicBool>> {
    let interrupted = Arc::new(AtomicBool::new(false));
    let flag = Arc::clone(&interrupted);
    ctrlc::set_handler(move || {
        if flag.swap(true, Ordering::AcqRel) {
            last();
            process::exit(130);
        }
    })
    .context("cannot watch for Ctrl-C")?;
    Ok(interrupted)
}
