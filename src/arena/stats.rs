//! What a number of results says about the strength of two players.
//!
//! Games are played in pairs, the same opening with sides changed, and the pair is the unit of all
//! estimates: the two games of a pair are not independent, and taking them together removes what
//! the opening gives to one side. The score of a pair is one of five, hence *pentanomial*.
//!
//! The formulas are those of fastchess (`elo_pentanomial.cpp`) and fishtest; normalised Elo is from
//! Michel Van den Bergh, *Normalized Elo*, <https://www.cantate.be/Fishtest/normalized_elo.pdf>.

use std::ops::AddAssign;

/// The 97.5% quantile of the normal distribution: estimates are given with 95% confidence.
pub(super) const Z95: f64 = 1.959_963_984_540_054;

/// Elo a unit of *t*, the mean advantage per game in standard deviations: 800 / ln 10.
pub const NORMALISED_ELO: f64 = 347.435_585_522_601_46;

/// Won, lost and drawn games of one player.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Wdl {
    /// Games won.
    pub wins: u64,
    /// Games drawn.
    pub draws: u64,
    /// Games lost.
    pub losses: u64,
}

impl Wdl {
    /// All games.
    #[must_use]
    pub const fn games(self) -> u64 {
        self.wins + self.draws + self.losses
    }

    /// Points: 1 for a win, 1/2 for a draw.
    #[must_use]
    pub fn points(self) -> f64 {
        self.wins as f64 + self.draws as f64 / 2.0
    }

    /// Counts a game by its half points: 2 for a win, 1 for a draw, 0 for a loss.
    pub const fn add(&mut self, half_points: u8) {
        match half_points {
            0 => self.losses += 1,
            1 => self.draws += 1,
            _ => self.wins += 1,
        }
    }

    /// The same games seen by the opponent.
    #[must_use]
    pub const fn reversed(self) -> Self {
        Self { wins: self.losses, draws: self.draws, losses: self.wins }
    }
}

impl AddAssign for Wdl {
    fn add_assign(&mut self, other: Self) {
        self.wins += other.wins;
        self.draws += other.draws;
        self.losses += other.losses;
    }
}

/// How many pairs of games brought a player 0, 1/2, 1, 1 1/2 and 2 points.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Pentanomial(pub [u64; 5]);

/// An estimate and the half width of its 95% confidence interval.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Estimate {
    /// The most likely value.
    pub value: f64,
    /// The true value is within this distance with 95% confidence.
    pub error: f64,
}

impl Pentanomial {
    /// Counts a pair by its half points, 0 to 4.
    pub fn add(&mut self, half_points: u8) {
        self.0[usize::from(half_points.min(4))] += 1;
    }

    /// All pairs.
    #[must_use]
    pub fn pairs(&self) -> u64 {
        self.0.iter().sum()
    }

    /// The mean score of a game, 0 to 1, and the variance of the mean score of a pair. Both are
    /// NaN without pairs.
    #[must_use]
    pub fn mean_and_variance(&self) -> (f64, f64) {
        let pairs = self.pairs() as f64;
        let mean = weighted(&self.0, |score| score) / pairs;
        (mean, weighted(&self.0, |score| (score - mean) * (score - mean)) / pairs)
    }

    /// The difference in Elo, from the logistic curve; infinite when one side won everything. The
    /// error is NaN for a single pair, which tells nothing of how pairs differ.
    #[must_use]
    pub fn elo(&self) -> Estimate {
        let (mean, variance) = self.mean_and_variance();
        let reach = Z95 * (variance / self.pairs() as f64).sqrt();
        Estimate {
            value: elo_of_score(mean),
            error: match self.pairs() {
                1 => f64::NAN,
                _ => (elo_of_score(mean + reach) - elo_of_score(mean - reach)) / 2.0,
            },
        }
    }

    /// The difference in normalised Elo: the advantage per game measured by the standard deviation
    /// of a game, which tells how many games it takes to see it.
    #[must_use]
    pub fn normalised_elo(&self) -> Estimate {
        let (mean, variance) = self.mean_and_variance();
        Estimate {
            value: (mean - 0.5) / (2.0 * variance).sqrt() * NORMALISED_ELO,
            error: Z95 / (2.0 * self.pairs() as f64).sqrt() * NORMALISED_ELO,
        }
    }

    /// The likelihood of superiority: how sure it is that the player is the stronger one, 0 to 1.
    #[must_use]
    pub fn superiority(&self) -> f64 {
        let (mean, variance) = self.mean_and_variance();
        if variance == 0.0 {
            return match mean.total_cmp(&0.5) {
                std::cmp::Ordering::Less => 0.0,
                std::cmp::Ordering::Equal => 0.5,
                std::cmp::Ordering::Greater => 1.0,
            };
        }
        libm::erfc((0.5 - mean) / (2.0 * variance / self.pairs() as f64).sqrt()) / 2.0
    }
}

/// The sum of `f(score)` over all pairs, the score of a pair taken as that of one game.
fn weighted(counts: &[u64; 5], f: impl Fn(f64) -> f64) -> f64 {
    counts.iter().zip(0..).map(|(&n, i)| n as f64 * f(f64::from(i) / 4.0)).sum()
}

/// The Elo difference at which the expected score is `score`; infinite at and beyond 0 and 1.
#[must_use]
pub fn elo_of_score(score: f64) -> f64 {
    if score <= 0.0 {
        f64::NEG_INFINITY
    } else if score >= 1.0 {
        f64::INFINITY
    } else {
        400.0 * (score / (1.0 - score)).log10()
    }
}

/// The expected score of a player who is this much stronger, by the logistic curve.
#[must_use]
pub fn score_of_elo(elo: f64) -> f64 {
    1.0 / (1.0 + 10f64.powf(-elo / 400.0))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn close(found: f64, expected: f64) {
        assert!((found - expected).abs() < 0.005 * expected.abs().max(1.0), "{found} {expected}");
    }

    /// The examples of fastchess (`elo_test.cpp`); its counts are in the order LL, LD, LW, DD, WD,
    /// WW, of which LW and DD are one count here.
    #[test]
    fn estimates_are_those_of_fastchess() {
        let examples = [
            ([34, 54, 31 + 32, 64, 75], [57.94, 28.28, 55.58, 27.65, 1.0, 0.579]),
            ([332, 433, 457 + 41, 333, 334], [-9.17, 10.96, -8.64, 10.33, 0.0505, 0.488]),
            ([7895, 8757, 5485 + 200, 568, 9999], [-19.01, 2.65, -21.04, 2.95, 0.0, 0.470]),
        ];
        for (counts, [nelo, nelo_error, elo, elo_error, los, score]) in examples {
            let pentanomial = Pentanomial(counts);
            close(pentanomial.normalised_elo().value, nelo);
            close(pentanomial.normalised_elo().error, nelo_error);
            close(pentanomial.elo().value, elo);
            close(pentanomial.elo().error, elo_error);
            assert!((pentanomial.superiority() - los).abs() < 0.0001);
            assert!((pentanomial.mean_and_variance().0 - score).abs() < 0.0005);
        }
    }

    /// By hand: two pairs of 3/2 points and two of 1 point. Mean 5/8, variance of a pair 1/64,
    /// standard error 1/16.
    #[test]
    fn estimates_agree_with_a_count_by_hand() {
        let pentanomial = Pentanomial([0, 0, 2, 2, 0]);
        assert_eq!(pentanomial.mean_and_variance(), (0.625, 1.0 / 64.0));
        // 400 log10(5/3)
        close(pentanomial.elo().value, 88.739_5);
        // 0.125 / sqrt(1/32) * 347.4356
        close(pentanomial.normalised_elo().value, 245.674);
        // Two standard errors.
        assert!((pentanomial.superiority() - 0.977_25).abs() < 1e-5);
    }

    #[test]
    fn one_sided_results_are_infinite_and_sure() {
        let pentanomial = Pentanomial([0, 0, 0, 0, 9]);
        assert_eq!(pentanomial.elo().value, f64::INFINITY);
        assert_eq!(pentanomial.superiority(), 1.0);
        assert_eq!(Pentanomial([0, 0, 5, 0, 0]).superiority(), 0.5);
    }

    #[test]
    fn elo_and_score_are_inverse() {
        for elo in [-700.0, -20.0, 0.0, 3.5, 400.0] {
            assert!((elo_of_score(score_of_elo(elo)) - elo).abs() < 1e-9);
        }
    }
}
