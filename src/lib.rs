//! Cairn.

pub mod error;
pub mod game;
pub mod games;
pub mod tools;
