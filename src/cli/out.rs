//! The file of `--out`, which may go on with one that was begun before.

use std::fs::{File, OpenOptions};
use std::io::ErrorKind;
use std::path::Path;

use anyhow::anyhow;

/// Opens the file for writing at its end. Only with `resume` there may be one.
///
/// # Errors
/// When there is one without `resume`, or the system does not open it.
pub fn open(path: &Path, resume: bool) -> anyhow::Result<File> {
    let mut options = OpenOptions::new();
    options.append(true);
    if resume {
        options.create(true);
    } else {
        options.create_new(true);
    }
    options.open(path).map_err(|error| match error.kind() {
        ErrorKind::AlreadyExists => anyhow!(
            "--out {}: the file exists and is left as it is; --resume goes on with it",
            path.display()
        ),
        _ => anyhow!(error).context(format!("--out {}", path.display())),
    })
}
