//! Tools around the engine.

pub mod bench;
pub mod perft;
