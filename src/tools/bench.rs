//! bench: searching fixed positions to a fixed depth.
//!
//! One thread and a fresh table for each game make the number of nodes a signature of the engine:
//! it is the same on every machine, and a change of it means a change of play.

use std::fmt;
use std::time::Duration;

use crate::game::Playable;
use crate::games::{ForGame, GameName};
use crate::search::limits::{Control, Limits};
use crate::search::method::Method;
use crate::search::report::nodes_per_second;
use crate::search::{OutOfMemory, Searcher};

/// What is searched for one game.
struct Suite {
    game: GameName,
    /// Plies of every search.
    depth: u32,
    /// From the opening to the end, none of them decided soon.
    positions: [&'static str; 9],
}

const SUITES: [Suite; 2] = [
    Suite {
        game: GameName::Hokito,
        depth: 11,
        positions: [
            "BABBCC/AACCAB/BACCBA/abacbb/baacba/cccabc b",
            "2ABBBAA/.ACBCC/ACCBBA/cbbcbb/b2cacca/..2aaca w",
            "CABC.B/ABAB.A/CB2cCBA/c.c.a2C/4C..2abc/abbbaa b",
            "2c.A.CB/AA8CACB/.A.BAB/bb.b.a/ba..bc/.aaba2c w",
            ".ACACA/BB.B.A/A6cB.AB/..4Caab/ca..b./.b.4C.2a b",
            "C.A.BA/...AAB/A.A.BC/...14c2aa/.bb2B.a/b.a..a w",
            "B..CBA/...2A../.B..AA/..2A.10B./b..a.2b/6ca2c.cb b",
            "AAB2A.B/....../B..20b../.a...a/.b...b/bb2A.a. w",
            ".B.AA./..2BA../8BA..../.a4b..a/.a..../....14a. b",
        ],
    },
    Suite {
        game: GameName::Yoxii,
        depth: 7,
        positions: [
            ".../...../......./....*../...D.../...../... r",
            ".../...../......./.D...../..d..../*..../... w",
            ".../...../.bC..../......./.C*a.../...../... w",
            ".../...../......./......./....c*./DAdc./.B. w",
            ".B./...../D*a..../..bcA../cB...../...../... w",
            "b.d/.DB../..A..B./.D...../..c..c./..*../.dC r",
            ".../...../C.c..../.c*d.C./bcB..../.cDAC/B.b w",
            ".C./.cb.a/B.BCbD./.*a.ca./..D.B.B/...C./..c r",
            ".../cAbC./.*cA.d./.C.bBc./.c.dBC./.dD.a/B.B w",
        ],
    },
];

/// MiB of the table, enough for these depths.
const HASH: usize = 16;

/// What a bench found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BenchReport {
    /// Positions visited, for each game.
    pub nodes: Vec<(GameName, u64)>,
    /// Time that all searches took together.
    pub time: Duration,
}

impl BenchReport {
    /// Positions visited in all games.
    #[must_use]
    pub fn total(&self) -> u64 {
        self.nodes.iter().map(|(_, nodes)| nodes).sum()
    }
}

impl fmt::Display for BenchReport {
    /// A line for each game, and at the end `N nodes M nps`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (game, nodes) in &self.nodes {
            writeln!(f, "{game} {nodes}")?;
        }
        let total = self.total();
        writeln!(f, "{total} nodes {} nps", nodes_per_second(total, self.time))
    }
}

/// Runs the bench of all games; `None` when it was stopped.
///
/// # Errors
/// When there is no memory for the table.
pub fn run(control: &Control) -> Result<Option<BenchReport>, OutOfMemory> {
    let mut report = BenchReport { nodes: Vec::new(), time: Duration::ZERO };
    for suite in &SUITES {
        let (nodes, time) = suite.game.dispatch(Run { suite, control })?;
        report.nodes.push((suite.game, nodes));
        report.time += time;
    }
    Ok((!control.is_stopped()).then_some(report))
}

struct Run<'a> {
    suite: &'a Suite,
    control: &'a Control,
}

impl ForGame for Run<'_> {
    type Output = Result<(u64, Duration), OutOfMemory>;

    fn run<G: Playable>(self) -> Self::Output {
        let mut searcher: Box<dyn Searcher<G>> = Method::Auto.searcher(HASH, 1)?;
        let limits = Limits { depth: Some(self.suite.depth), ..Limits::default() };
        let before = self.control.elapsed();
        let mut nodes = 0;
        for text in self.suite.positions {
            let position = G::parse(text).expect("the suite has positions of its game");
            if self.control.is_stopped() {
                break;
            }
            let mut visited = 0;
            searcher.search(&position, &limits, self.control, &mut |report| visited = report.nodes);
            nodes += visited;
        }
        Ok((nodes, self.control.elapsed() - before))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    struct AreValid(&'static Suite);

    impl ForGame for AreValid {
        type Output = ();

        fn run<G: Playable>(self) {
            for text in self.0.positions {
                assert_eq!(G::parse(text).map(|position| position.is_over()), Ok(false), "{text}");
            }
        }
    }

    #[test]
    fn every_game_has_valid_positions() {
        assert_eq!(SUITES.each_ref().map(|suite| suite.game), *GameName::ALL);
        SUITES.iter().for_each(|suite| suite.game.dispatch(AreValid(suite)));
    }
}
