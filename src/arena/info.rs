//! `info` lines of an engine.

use super::record::Proven;

/// What an engine said last about its best move.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Info {
    /// The expected final margin in centipoints, seen by the side to move.
    pub score: Option<i32>,
    /// A result that it claims to have proved.
    pub proven: Option<Proven>,
    /// Plies.
    pub depth: Option<u32>,
    /// Positions visited.
    pub nodes: Option<u64>,
}

impl Info {
    /// Takes over what the words behind `info` say. Lines about other moves than the best count
    /// for nothing, and a score that is only a bound does not replace an exact one.
    pub fn update<'a>(&mut self, mut words: impl Iterator<Item = &'a str>) {
        let mut next = *self;
        let (mut score, mut proven, mut exact) = (None, None, true);
        while let Some(word) = words.next() {
            match word {
                "depth" => next.depth = number(words.next()).or(next.depth),
                "nodes" => next.nodes = number(words.next()).or(next.nodes),
                "cp" => score = number(words.next()),
                "result" => {
                    proven = match words.next() {
                        Some("win") => Some(Proven::Win),
                        Some("draw") => Some(Proven::Draw),
                        Some("loss") => Some(Proven::Loss),
                        _ => None,
                    };
                }
                "lowerbound" | "upperbound" => exact = false,
                "multipv" if words.next() != Some("1") => return,
                "pv" | "string" => break,
                _ => {}
            }
        }
        if score.is_some() && exact {
            (next.score, next.proven) = (score, proven);
        }
        *self = next;
    }
}

fn number<T: std::str::FromStr>(word: Option<&str>) -> Option<T> {
    word.and_then(|word| word.parse().ok())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn info(lines: &[&str]) -> Info {
        let mut info = Info::default();
        for line in lines {
            info.update(line.split_ascii_whitespace().skip(1));
        }
        info
    }

    #[test]
    fn the_last_exact_score_of_the_best_move_counts() {
        let first = "info depth 9 seldepth 14 score cp 125 nodes 12345 nps 1000000 time 45 pv a1b2";
        let expected = Info { score: Some(125), proven: None, depth: Some(9), nodes: Some(12345) };
        assert_eq!(info(&[first]), expected);
        assert_eq!(
            info(&[first, "info depth 10 score cp 300 lowerbound nodes 20000"]),
            Info { depth: Some(10), nodes: Some(20000), ..expected }
        );
        assert_eq!(info(&[first, "info depth 9 multipv 2 score cp -700 nodes 1"]), expected);
        assert_eq!(info(&[first, "info string score cp 5 depth 1"]), expected);
        assert_eq!(info(&[first, "info nodes x score cp"]), expected);
    }

    #[test]
    fn a_proof_belongs_to_its_score() {
        let proof = "info depth 20 score cp 700 result win nodes 5";
        assert_eq!(info(&[proof]).proven, Some(Proven::Win));
        assert_eq!(info(&[proof, "info depth 21 score cp 600"]).proven, None);
    }
}
