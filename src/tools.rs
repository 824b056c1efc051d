//! Tools.
pub mod perft;
