//! Who meets whom, in which order, and which part of it is played here.

use std::ops::Range;
use std::str::FromStr;

use clap::ValueEnum;
use thiserror::Error;

/// Who meets whom when there are more than two engines.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum Tournament {
    /// Everyone meets everyone.
    #[default]
    RoundRobin,
    /// The first engine meets each of the others.
    Gauntlet,
}

/// One of several machines that share a match, or other work.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shard {
    /// Its number, from 0.
    index: usize,
    /// How many there are.
    count: usize,
}

/// A shard that is not written as `I/N`.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("expected I/N with I from 1 to N")]
pub struct ShardError;

impl Default for Shard {
    /// The whole match.
    fn default() -> Self {
        Self { index: 0, count: 1 }
    }
}

impl Shard {
    /// The part of `total` things, numbered from 0, that this machine does: neighbours, so that all
    /// parts in their order are the whole.
    #[must_use]
    pub fn part(self, total: u64) -> Range<u64> {
        let until = |parts: usize| {
            let end = u128::from(total) * parts as u128 / self.count as u128;
            u64::try_from(end).unwrap_or(total)
        };
        until(self.index)..until(self.index + 1)
    }
}

impl FromStr for Shard {
    type Err = ShardError;

    /// Reads `3/64`: the third of 64.
    fn from_str(text: &str) -> Result<Self, ShardError> {
        let parts =
            text.split_once('/').and_then(|(i, n)| Some((i.parse().ok()?, n.parse().ok()?)));
        match parts {
            Some((i @ 1.., count)) if i <= count => Ok(Self { index: i - 1, count }),
            _ => Err(ShardError),
        }
    }
}

/// Two games from the same opening, with sides changed in the second.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pair {
    /// Its number in the whole match, from 0.
    pub index: usize,
    /// The engine that is player one in the first game.
    pub first: usize,
    /// The engine that is player one in the second game.
    pub second: usize,
    /// The opening, which all meetings of the same round share.
    pub round: usize,
}

impl Pair {
    /// The engines of player one and player two in game 0 or 1 of the pair; `None` for any other.
    #[must_use]
    pub const fn players(&self, leg: usize) -> Option<[usize; 2]> {
        match leg {
            0 => Some([self.first, self.second]),
            1 => Some([self.second, self.first]),
            _ => None,
        }
    }
}

/// All pairs of games of a match, or of a shard of it.
///
/// Everyone has met before anyone meets again, so a match that is cut short is still fair.
#[derive(Clone, Debug)]
pub struct Schedule {
    meetings: Vec<[usize; 2]>,
    rounds: usize,
    shard: Shard,
}

impl Schedule {
    /// The match of `engines` engines, at least 2, in `rounds` rounds.
    #[must_use]
    pub fn new(engines: usize, tournament: Tournament, rounds: usize, shard: Shard) -> Self {
        let first = match tournament {
            Tournament::RoundRobin => 0..engines,
            Tournament::Gauntlet => 0..1,
        };
        let meetings = first.flat_map(|i| (i + 1..engines).map(move |j| [i, j])).collect();
        Self { meetings, rounds, shard }
    }

    /// The pairs that are played here, in the order in which they are begun.
    pub fn pairs(&self) -> impl ExactSizeIterator<Item = Pair> + '_ {
        let all = self.meetings.len() * self.rounds;
        (self.shard.index..all).step_by(self.shard.count).map(|index| {
            let [first, second] = self.meetings[index % self.meetings.len()];
            Pair { index, first, second, round: index / self.meetings.len() }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn everyone_meets_everyone_before_anyone_meets_again() {
        let schedule = Schedule::new(4, Tournament::RoundRobin, 3, Shard::default());
        let pairs: Vec<Pair> = schedule.pairs().collect();
        assert_eq!(pairs.len(), 18);
        for (round, pairs) in pairs.chunks(6).enumerate() {
            let mut met: Vec<_> = pairs.iter().map(|pair| (pair.first, pair.second)).collect();
            met.sort_unstable();
            assert_eq!(met, [(0, 1), (0, 2), (0, 3), (1, 2), (1, 3), (2, 3)]);
            assert!(pairs.iter().all(|pair| pair.round == round));
        }
    }

    #[test]
    fn a_gauntlet_is_run_by_the_first() {
        let schedule = Schedule::new(3, Tournament::Gauntlet, 2, Shard::default());
        let met: Vec<_> = schedule.pairs().map(|pair| (pair.first, pair.second)).collect();
        assert_eq!(met, [(0, 1), (0, 2), (0, 1), (0, 2)]);
    }

    #[test]
    fn shards_cut_a_match_without_gap_and_overlap() {
        let whole: Vec<Pair> =
            Schedule::new(3, Tournament::RoundRobin, 7, Shard::default()).pairs().collect();
        let mut parts: Vec<Pair> = (1..=4)
            .flat_map(|i| {
                let shard = format!("{i}/4").parse().unwrap();
                Schedule::new(3, Tournament::RoundRobin, 7, shard).pairs().collect::<Vec<_>>()
            })
            .collect();
        parts.sort_by_key(|pair| pair.index);
        assert_eq!(parts, whole);
    }

    #[test]
    fn parts_follow_each_other_and_are_alike() {
        for (total, count) in [(0, 3), (2, 3), (10, 1), (10, 4), (u64::MAX, 7)] {
            let mut end = 0;
            for i in 1..=count {
                let part = format!("{i}/{count}").parse::<Shard>().unwrap().part(total);
                assert_eq!(part.start, end);
                assert!((total / count..=total / count + 1).contains(&(part.end - part.start)));
                end = part.end;
            }
            assert_eq!(end, total);
        }
    }

    #[test]
    fn shards_are_counted_from_one() {
        assert_eq!("3/64".parse(), Ok(Shard { index: 2, count: 64 }));
        for text in ["0/4", "5/4", "1", "a/b", "1/0", "-1/4"] {
            assert_eq!(text.parse::<Shard>(), Err(ShardError));
        }
    }
}
