//! Cairn: an engine for the abstract board games Hokito and Yoxii.
//!
//! The program is four floors, and each knows only those below it:
//!
//! 1. [`game`] and [`games`]: rules, notation, set-ups, symmetries and the terms of evaluation.
//!    They know nothing of search or of text protocols.
//! 2. [`search`]: alpha-beta, Monte-Carlo tree search, the exact solver, levels of strength, and
//!    time. It knows games only as the traits of [`game`], by static dispatch, and names none.
//! 3. [`protocol`]: the Universal Game Interface, text in and text out.
//! 4. [`tools`], [`arena`] and [`cli`]: perft, bench, training of networks, matches between
//!    engines, and the command line.
//!
//! [`outside`], which reads files of text and shows words that came from outside, and [`maps`], maps
//! and sets that are the same in every run, belong to none of them; nor does `cpu`, which looks
//! whether this processor has what the program was compiled for.
//!
//! A move takes one way, with no way back: a line of input becomes a command, the session turns it
//! into a position and limits, a searcher reports, and the reports become lines of output.
//!
//! ```
//! use cairn::game::{Game, Notation};
//! use cairn::games::hokito::Hokito;
//!
//! let mut position = Hokito::start();
//! let mv = position.parse_move("a1a2")?;
//! position.make(mv);
//! assert_eq!(position.notation(), "CBACBA/ACBACB/BACBAC/cabcab/2acabca/.bcabc w");
//! assert_eq!(position.count_moves(), position.moves().len());
//! # Ok::<(), cairn::error::MoveError>(())
//! ```
//!
//! # Adding a game
//!
//! A game is one folder under `src/games` and one line in [`games`]:
//!
//! - Write a position as plain `Copy` data and implement [`game::Game`] for it (rules), then
//!   [`game::Notation`] (text), [`game::Setup`] (start positions), [`game::Symmetry`],
//!   [`game::Evaluate`] and [`game::Endgame`], whose defaults will do. Moves are 16-bit numbers.
//! - Implement [`game::Features`], what a network sees of a position. Begin with an evaluation by
//!   hand; `cairn selfplay` and `cairn train` make a network from it, and better ones from games
//!   with that.
//! - Add `Name = name::Type` to the list in `src/games.rs`. The command line, the protocol, matches
//!   and perft know the game from then on.
//! - Add its perft counts to `tests/data/perft.tsv`, its bad positions and moves to the corpora
//!   beside it, a slow generator of moves to `tests/reference`, and its positions for
//!   [`tools::bench`].

pub mod arena;
pub mod cli;
#[cfg(target_arch = "x86_64")]
pub mod cpu;
pub mod error;
pub mod game;
pub mod games;
pub mod maps;
pub mod outside;
pub mod protocol;
pub mod search;
pub mod tools;
