//! The Universal Game Interface: text in, text out.
//!
//! stdin line → [`Command`](command::Command) → [`Session`](session) → limits and position →
//! searcher → report → [`Reply`](reply::Reply) → stdout line.
//!
//! The reference of the language for people who write to the engine is `protocol.md` at the top of
//! the project.
//!
//! Three threads are enough. The [`listener`] reads lines and carries each out at once, also during
//! a search; a [`job`] searches and ends with its `bestmove`; and what both have to say is written
//! by the thread of the [`output`]. The states that this gives are drawn in [`session`].
//!
//! Nothing here may panic on what comes from outside, and the lints below see to it.

#![deny(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::unreachable,
    clippy::todo
)]
#![cfg_attr(
    test,
    allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing, clippy::panic)
)]

pub mod command;
pub mod help;
pub mod job;
pub mod listener;
pub mod options;
pub mod output;
pub mod reply;
pub mod session;
pub mod wdl;
