//! Ratings of the engines of a tournament.
//!
//! The ratings are those under which the results are most likely when the expected score follows
//! the logistic curve (Zermelo 1929, Bradley and Terry 1952), a draw counting half. Their errors
//! allow for what pairs of games have in common and for draws: the covariance is that of the
//! "sandwich" estimator with the pair as the unit (Huber 1967).

use std::collections::BTreeMap;
use std::f64::consts::LN_10;

use super::stats::{Estimate, Z95};
use super::summary::Meeting;

/// Elo of one unit of the logistic scale.
const ELO: f64 = 400.0 / LN_10;

/// The rating of each of `engines` engines in Elo, with 95% errors; the mean of all finite ones is
/// 0. Only complete pairs count. An engine that won or lost everything against those that can be
/// rated has an infinite one, and one that met none of them has NaN.
#[must_use]
pub fn ratings(engines: usize, meetings: &BTreeMap<[usize; 2], Meeting>) -> Vec<Estimate> {
    let mut ratings = vec![Estimate { value: f64::NAN, error: f64::NAN }; engines];
    let mut rated: Vec<usize> = (0..engines).collect();
    // Setting aside one engine can leave another one with only wins or losses.
    loop {
        let before = rated.len();
        let group = rated.clone();
        rated.retain(|&engine| {
            let (points, games) = total(engine, &group, meetings);
            if games > 0.0 && points == games {
                ratings[engine].value = f64::INFINITY;
            } else if games > 0.0 && points == 0.0 {
                ratings[engine].value = f64::NEG_INFINITY;
            }
            0.0 < points && points < games
        });
        if rated.len() == before {
            break;
        }
    }
    let place = |engine| rated.iter().position(|&other| other == engine);
    let met: Vec<(usize, usize, &Meeting)> = meetings
        .iter()
        .filter_map(|(&[a, b], meeting)| Some((place(a)?, place(b)?, meeting)))
        .filter(|(_, _, meeting)| meeting.pairs.pairs() > 0)
        .collect();
    for (&engine, estimate) in rated.iter().zip(fit(rated.len(), &met).unwrap_or_default()) {
        ratings[engine] = estimate;
    }
    ratings
}

/// Points and games of an engine against the others of a group.
fn total(engine: usize, group: &[usize], meetings: &BTreeMap<[usize; 2], Meeting>) -> (f64, f64) {
    let mut sum = (0.0, 0.0);
    for (&[a, b], meeting) in meetings {
        let games = 2.0 * meeting.pairs.pairs() as f64;
        if games > 0.0 && group.contains(&a) && group.contains(&b) {
            let points = games * meeting.pairs.mean_and_variance().0;
            if a == engine {
                sum = (sum.0 + points, sum.1 + games);
            } else if b == engine {
                sum = (sum.0 + games - points, sum.1 + games);
            }
        }
    }
    sum
}

/// Newton's method. `None` when it does not settle, which is so when the engines fall into two
/// groups of which one won everything against the other.
fn fit(n: usize, met: &[(usize, usize, &Meeting)]) -> Option<Vec<Estimate>> {
    const ITERATIONS: usize = 100;
    const LONGEST_STEP: f64 = 1.0;
    const SETTLED: f64 = 1e-9;
    let mut ratings = vec![0.0; n];
    for _ in 0..ITERATIONS {
        // The matrix of ones fixes the mean, which the results leave open.
        let mut hessian = vec![vec![1.0; n]; n];
        let mut gradient = vec![0.0; n];
        for &(a, b, meeting) in met {
            let games = 2.0 * meeting.pairs.pairs() as f64;
            let expected = expected(ratings[a] - ratings[b]);
            let surplus = games * (meeting.pairs.mean_and_variance().0 - expected);
            gradient[a] += surplus;
            gradient[b] -= surplus;
            add_contrast(&mut hessian, a, b, games * expected * (1.0 - expected));
        }
        let inverse = invert(hessian)?;
        let step: Vec<f64> = inverse.iter().map(|row| dot(row, &gradient)).collect();
        let longest = step.iter().fold(0.0, |longest: f64, x| longest.max(x.abs()));
        let scale = if longest > LONGEST_STEP { LONGEST_STEP / longest } else { 1.0 };
        for (rating, x) in ratings.iter_mut().zip(&step) {
            *rating += scale * x;
        }
        if longest < SETTLED {
            return Some(with_errors(&ratings, &inverse, met));
        }
    }
    None
}

fn with_errors(
    ratings: &[f64],
    inverse: &[Vec<f64>],
    met: &[(usize, usize, &Meeting)],
) -> Vec<Estimate> {
    let n = ratings.len();
    let mut spread = vec![vec![0.0; n]; n];
    for &(a, b, meeting) in met {
        let expected = 2.0 * expected(ratings[a] - ratings[b]);
        let squares: f64 = meeting
            .pairs
            .0
            .iter()
            .zip(0..)
            .map(|(&pairs, half_points)| {
                pairs as f64 * (f64::from(half_points) / 2.0 - expected).powi(2)
            })
            .sum();
        add_contrast(&mut spread, a, b, squares);
    }
    (0..n)
        .map(|i| {
            let through: Vec<f64> = spread.iter().map(|row| dot(row, &inverse[i])).collect();
            let variance = dot(&inverse[i], &through);
            Estimate { value: ELO * ratings[i], error: Z95 * ELO * variance.max(0.0).sqrt() }
        })
        .collect()
}

fn expected(difference: f64) -> f64 {
    1.0 / (1.0 + (-difference).exp())
}

/// Adds `weight` times the outer square of the difference of two unit vectors.
fn add_contrast(matrix: &mut [Vec<f64>], a: usize, b: usize, weight: f64) {
    matrix[a][a] += weight;
    matrix[b][b] += weight;
    matrix[a][b] -= weight;
    matrix[b][a] -= weight;
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(x, y)| x * y).sum()
}

/// The inverse of a positive definite matrix (Gauss-Jordan); `None` when it is not one.
fn invert(mut matrix: Vec<Vec<f64>>) -> Option<Vec<Vec<f64>>> {
    let n = matrix.len();
    for (i, row) in matrix.iter_mut().enumerate() {
        row.extend((0..n).map(|j| f64::from(u8::from(i == j))));
    }
    for i in 0..n {
        let pivot = matrix[i][i];
        if pivot.is_nan() || pivot <= 1e-12 {
            return None;
        }
        for x in &mut matrix[i] {
            *x /= pivot;
        }
        let row = matrix[i].clone();
        for (_, other) in matrix.iter_mut().enumerate().filter(|&(j, _)| j != i) {
            let factor = other[i];
            for (x, y) in other.iter_mut().zip(&row) {
                *x -= factor * y;
            }
        }
    }
    Some(matrix.into_iter().map(|row| row[n..].to_vec()).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::arena::stats::{Pentanomial, Wdl};

    fn meeting(pairs: [u64; 5]) -> Meeting {
        Meeting { games: Wdl::default(), pairs: Pentanomial(pairs) }
    }

    #[test]
    fn two_engines_differ_by_their_elo() {
        let met = meeting([34, 54, 63, 64, 75]);
        let found = ratings(2, &BTreeMap::from([([0, 1], met)]));
        let elo = met.pairs.elo();
        assert!((found[0].value - found[1].value - elo.value).abs() < 1e-6);
        assert!((found[0].value + found[1].value).abs() < 1e-6);
        // The two errors go together, half of the whole each; the interval is symmetric here.
        assert!((found[0].error + found[1].error - elo.error).abs() < 0.1);
    }

    #[test]
    fn ratings_explain_consistent_results() {
        // 3:1 twice is 9:1, on a scale on which 3:1 is 190.85 Elo.
        let meetings = BTreeMap::from([
            ([0, 1], meeting([0, 0, 50, 0, 50])),
            ([1, 2], meeting([0, 0, 50, 0, 50])),
            ([0, 2], meeting([0, 0, 20, 0, 80])),
        ]);
        let found = ratings(3, &meetings);
        for (estimate, expected) in found.iter().zip([190.85, 0.0, -190.85]) {
            assert!((estimate.value - expected).abs() < 0.01, "{found:?}");
            assert!(estimate.error > 5.0 && estimate.error < 60.0, "{found:?}");
        }
    }

    #[test]
    fn who_wins_everything_is_out_of_reach() {
        let meetings = BTreeMap::from([
            ([0, 1], meeting([0, 0, 0, 0, 5])),
            ([0, 2], meeting([0, 0, 0, 0, 5])),
            ([1, 2], meeting([0, 0, 5, 0, 5])),
        ]);
        let found = ratings(4, &meetings);
        assert_eq!(found[0].value, f64::INFINITY);
        assert!((found[1].value - found[2].value - 190.85).abs() < 0.01);
        assert!(found[3].value.is_nan(), "it has not played");
    }

    #[test]
    fn two_separate_groups_have_no_common_scale() {
        let even = meeting([0, 0, 5, 0, 0]);
        let lost = meeting([0, 0, 0, 0, 5]);
        let meetings = BTreeMap::from([([0, 1], even), ([2, 3], even), ([0, 2], lost)]);
        assert!(ratings(4, &meetings).iter().all(|estimate| estimate.value.is_nan()));
    }
}
