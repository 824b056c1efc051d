//! Cairn: an engine for the abstract board games Hokito and Yoxii.

pub mod arena;
pub mod cli;
pub mod error;
pub mod game;
pub mod games;
pub mod protocol;
pub mod search;
pub mod tools;
