//! The protocol, spoken to the real binary.

mod commands;
mod dialogues;
mod engine;
mod games;
mod large;
mod levels;
mod model;
mod stopping;
mod symptoms;
mod unread;
