//! Tools around the engine.

pub mod perft;
