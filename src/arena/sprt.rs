//! The sequential probability ratio test that ends a match as soon as it is decided.
//!
//! Two hypotheses about the difference in normalised Elo are weighed by the generalised
//! log-likelihood ratio (LLR) of the pentanomial counts, as fishtest (`LLRcalc.py`) and fastchess
//! (`sprt.cpp`) do. The method is from Michel Van den Bergh, *Comments on normalized Elo*, section
//! 4.1, <https://www.cantate.be/Fishtest/normalized_elo_practical.pdf>.

use std::str::FromStr;

use thiserror::Error;

use super::stats::{NORMALISED_ELO, Pentanomial};

/// A test of `elo0` against `elo1`, both in normalised Elo.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sprt {
    elo0: f64,
    elo1: f64,
    alpha: f64,
    beta: f64,
}

/// Which hypothesis a test accepts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Decision {
    /// The difference is `elo0` or less.
    H0,
    /// The difference is `elo1` or more.
    H1,
}

/// Why a test cannot be set up.
#[derive(Clone, Debug, PartialEq, Error)]
pub enum SprtError {
    /// A part of the text that is not `key=value` with a known key.
    #[error("'{0}': expected elo0=, elo1=, alpha= or beta= with a number, separated by commas")]
    Syntax(String),
    /// One of the two hypotheses is missing.
    #[error("{0} is missing: a test needs elo0 and elo1")]
    Missing(&'static str),
    /// The hypotheses are the same or in the wrong order.
    #[error("elo0={elo0} must be below elo1={elo1}")]
    Order {
        /// The null hypothesis.
        elo0: f64,
        /// The alternative.
        elo1: f64,
    },
    /// The error rates make no test.
    #[error("alpha={alpha} and beta={beta} must be above 0 and add up to less than 1")]
    Rates {
        /// Rate of accepting H1 when H0 is true.
        alpha: f64,
        /// Rate of accepting H0 when H1 is true.
        beta: f64,
    },
}

impl Sprt {
    /// A test that accepts H1 with probability `alpha` when the difference is `elo0`, and H0 with
    /// probability `beta` when it is `elo1`.
    ///
    /// # Errors
    /// When the hypotheses are out of order or the rates are not probabilities of a test.
    pub fn new(elo0: f64, elo1: f64, alpha: f64, beta: f64) -> Result<Self, SprtError> {
        if !(elo0.is_finite() && elo1.is_finite() && elo0 < elo1) {
            return Err(SprtError::Order { elo0, elo1 });
        }
        if !(alpha > 0.0 && beta > 0.0 && alpha + beta < 1.0) {
            return Err(SprtError::Rates { alpha, beta });
        }
        Ok(Self { elo0, elo1, alpha, beta })
    }

    /// The hypotheses, `elo0` and `elo1`.
    #[must_use]
    pub const fn hypotheses(&self) -> [f64; 2] {
        [self.elo0, self.elo1]
    }

    /// The LLR at or below which H0 is accepted, and at or above which H1 is (Wald 1945).
    #[must_use]
    pub fn bounds(&self) -> [f64; 2] {
        [(self.beta / (1.0 - self.alpha)).ln(), ((1.0 - self.beta) / self.alpha).ln()]
    }

    /// The log-likelihood ratio of `elo1` against `elo0`; 0 without pairs.
    #[must_use]
    pub fn llr(&self, pentanomial: &Pentanomial) -> f64 {
        if pentanomial.pairs() == 0 {
            return 0.0;
        }
        // A count of 0 would be a probability of 0 for ever.
        let counts = pentanomial.0.map(|n| if n == 0 { 1e-3 } else { n as f64 });
        let total: f64 = counts.iter().sum();
        let observed = counts.map(|n| n / total);
        // For a pair, t is sqrt 2 times that of a game.
        let [p0, p1] = self
            .hypotheses()
            .map(|elo| most_likely(&observed, std::f64::consts::SQRT_2 * elo / NORMALISED_ELO));
        total * (0..5).map(|i| observed[i] * (p1[i] / p0[i]).ln()).sum::<f64>()
    }

    /// What the test says after these pairs; `None` while it goes on.
    #[must_use]
    pub fn decision(&self, pentanomial: &Pentanomial) -> Option<Decision> {
        let llr = self.llr(pentanomial);
        let [lower, upper] = self.bounds();
        if llr <= lower {
            Some(Decision::H0)
        } else if llr >= upper {
            Some(Decision::H1)
        } else {
            None
        }
    }
}

/// The scores of a pair, as those of one game.
const SCORES: [f64; 5] = [0.0, 0.25, 0.5, 0.75, 1.0];

/// The distribution over the five scores with (mean - 1/2) / deviation = `t` under which the
/// observed one is most likely. It is found by iteration from the uniform distribution.
fn most_likely(observed: &[f64; 5], t: f64) -> [f64; 5] {
    const MAX_ITERATIONS: usize = 10;
    const CLOSE_ENOUGH: f64 = 1e-9;
    let mut p = [0.2; 5];
    for _ in 0..MAX_ITERATIONS {
        let mean: f64 = (0..5).map(|i| p[i] * SCORES[i]).sum();
        let deviation = (0..5).map(|i| p[i] * (SCORES[i] - mean).powi(2)).sum::<f64>().sqrt();
        let phi = SCORES.map(|score| {
            let z = (score - mean) / deviation;
            score - 0.5 - t * deviation * (1.0 + z * z) / 2.0
        });
        let theta = solve_secular(observed, &phi);
        let mut change: f64 = 0.0;
        for i in 0..5 {
            let next = observed[i] / (1.0 + theta * phi[i]);
            change = change.max((next - p[i]).abs());
            p[i] = next;
        }
        if change < CLOSE_ENOUGH {
            break;
        }
    }
    p
}

/// The root of sum p a / (1 + x a) between the poles that enclose 0. The function falls all the
/// way, so bisection finds it.
fn solve_secular(p: &[f64; 5], a: &[f64; 5]) -> f64 {
    let highest = a.iter().copied().fold(f64::MIN, f64::max);
    let lowest = a.iter().copied().fold(f64::MAX, f64::min);
    let (mut low, mut high) = (-1.0 / highest, -1.0 / lowest);
    for _ in 0..100 {
        let x = f64::midpoint(low, high);
        if (0..5).map(|i| p[i] * a[i] / (1.0 + x * a[i])).sum::<f64>() > 0.0 {
            low = x;
        } else {
            high = x;
        }
    }
    f64::midpoint(low, high)
}

impl FromStr for Sprt {
    type Err = SprtError;

    /// Reads `elo0=0,elo1=5,alpha=0.05,beta=0.05`; the rates may be left out and are 0.05 then.
    fn from_str(text: &str) -> Result<Self, SprtError> {
        let (mut elo0, mut elo1, mut alpha, mut beta) = (None, None, None, None);
        for part in text.split(',') {
            let syntax = || SprtError::Syntax(part.to_string());
            let (key, value) = part.split_once('=').ok_or_else(syntax)?;
            let number = match key.trim() {
                "elo0" => &mut elo0,
                "elo1" => &mut elo1,
                "alpha" => &mut alpha,
                "beta" => &mut beta,
                _ => return Err(syntax()),
            };
            *number = Some(value.trim().parse().map_err(|_| syntax())?);
        }
        Self::new(
            elo0.ok_or(SprtError::Missing("elo0"))?,
            elo1.ok_or(SprtError::Missing("elo1"))?,
            alpha.unwrap_or(0.05),
            beta.unwrap_or(0.05),
        )
    }
}

#[cfg(test)]
mod tests {
    use rand::{Rng, RngExt, SeedableRng};

    use super::*;
    use crate::game::random::Random;

    /// The examples of fastchess (`sprt_test.cpp`), in its order LL, LD, LW, DD, WD, WW.
    #[test]
    fn llr_is_that_of_fastchess() {
        let examples = [
            ([365, 16618, 36029 + 200, 16974, 390], 0.0, 2.0, 2.25),
            ([127, 4883, 10311 + 401, 5150, 104], -1.75, 0.25, 3.01),
            ([0, 0, 0, 0, 5550], 0.0, 5.0, 111.82),
        ];
        for (counts, elo0, elo1, expected) in examples {
            let llr = Sprt::new(elo0, elo1, 0.05, 0.05).unwrap().llr(&Pentanomial(counts));
            assert!((llr - expected).abs() < 0.01 * expected.max(1.0), "{llr} {expected}");
        }
    }

    #[test]
    fn bounds_are_those_of_wald() {
        let [lower, upper] = Sprt::new(0.0, 5.0, 0.05, 0.05).unwrap().bounds();
        assert!((lower + 2.944).abs() < 0.001 && (upper - 2.944).abs() < 0.001);
        let [lower, upper] = Sprt::new(0.0, 5.0, 0.01, 0.2).unwrap().bounds();
        assert!((lower + 1.599).abs() < 0.001 && (upper - 4.382).abs() < 0.001);
    }

    #[test]
    fn text_is_read_and_bad_text_is_named() {
        assert_eq!("elo0=0,elo1=5".parse(), Sprt::new(0.0, 5.0, 0.05, 0.05));
        assert_eq!("elo1=5, alpha=0.1,beta=0.2,elo0=-5".parse(), Sprt::new(-5.0, 5.0, 0.1, 0.2));
        let message = |text: &str| text.parse::<Sprt>().unwrap_err().to_string();
        assert!(message("elo0=0,elo2=5").contains("'elo2=5'"));
        assert!(message("elo0=0,elo1=five").contains("'elo1=five'"));
        assert!(message("elo0=0").contains("elo1"));
        assert!(message("elo0=5,elo1=0").contains("below"));
        assert!(message("elo0=0,elo1=5,alpha=0.6,beta=0.5").contains("alpha=0.6"));
    }

    /// Of many simulated matches between players whose difference is exactly one of the hypotheses,
    /// the share with the wrong answer is the promised one, within what chance allows: with 2000
    /// matches and a rate of 0.05 the standard deviation is 0.005. Wald's bounds overshoot, so the
    /// rates are a little lower.
    #[test]
    fn error_rates_are_the_promised_ones() {
        const MATCHES: u32 = 2000;
        let (elo0, elo1) = (0.0, 60.0);
        let sprt = Sprt::new(elo0, elo1, 0.05, 0.05).unwrap();
        let mut random = Random::seed_from_u64(2026);
        for (elo, wrong_answer) in [(elo0, Decision::H1), (elo1, Decision::H0)] {
            // Pairs as they come in a game with few draws and an advantage for one side.
            let distribution = most_likely(
                &[0.15, 0.05, 0.6, 0.05, 0.15],
                std::f64::consts::SQRT_2 * elo / NORMALISED_ELO,
            );
            let wrong = (0..MATCHES)
                .filter(|_| simulate(&sprt, &distribution, &mut random) == wrong_answer)
                .count();
            let rate = wrong as f64 / f64::from(MATCHES);
            assert!((0.03..0.065).contains(&rate), "{wrong_answer:?} at {elo}: {rate}");
        }
    }

    fn simulate(sprt: &Sprt, distribution: &[f64; 5], random: &mut impl Rng) -> Decision {
        let mut pentanomial = Pentanomial::default();
        loop {
            let mut x = random.random::<f64>();
            let score = distribution.iter().position(|&p| {
                x -= p;
                x < 0.0
            });
            pentanomial.add(score.unwrap_or(4) as u8);
            if let Some(decision) = sprt.decision(&pentanomial) {
                return decision;
            }
        }
    }
}
