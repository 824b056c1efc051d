//! Matches between engines that speak UGI, and what they say about strength.
//!
//! A match is a [`schedule`](schedule::Schedule) of pairs of games. Workers of the
//! [`runner`](runner::Match) play them, each game led by [`game::play`] between two
//! [engine](engine::Engine) processes; every game becomes a [record](record::GameRecord), and the
//! [summary](summary::Summary) of the records feeds the [statistics](stats) and the
//! [sequential test](sprt).

mod declared;
pub mod engine;
pub mod game;
pub mod info;
pub mod openings;
pub mod ratings;
pub mod record;
pub mod replay;
pub mod report;
pub mod runner;
pub mod schedule;
pub mod spec;
pub mod sprt;
pub mod stats;
pub mod summary;
pub mod text;
