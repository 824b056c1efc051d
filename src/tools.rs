//! Tools around the engine.

pub mod bench;
pub mod perft;
pub mod selfplay;
pub mod train;
