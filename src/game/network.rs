//! Small neural networks as evaluations, in whole numbers.
//!
//! Inputs are on or off. Each that is on adds its row of weights to the sums of the hidden neurons.
//! What a neuron puts out is its sum, clipped to 0 to 1, squared; the weighted sum of that is the
//! logarithm of the odds that the side to move wins. Networks of this kind are known from chess and
//! shogi (Nasu, *Efficiently Updatable Neural-Network-based Evaluation Function for Computer
//! Shogi*, 2018); on these small boards they are small enough to be worked out anew for every
//! position. All numbers are fixed-point, so that the evaluation is the same on every machine.

use wide::{i16x16, i32x8};

use super::bits::Bits;
use super::{Features, InputBuckets};

/// Hidden neurons that are worked on at once.
pub const LANES: usize = 16;
/// 1 in the sums of the hidden neurons.
pub const HIDDEN_ONE: i16 = 255;
/// 1 in output weights. They are less than 2 either way, so that a product of a weight and a
/// clipped sum fits.
pub const OUTPUT_ONE: i16 = 64;

/// A weight for every hidden neuron.
type Row<const VECTORS: usize> = [i16x16; VECTORS];

/// A network with so many vectors of [`LANES`] hidden neurons.
#[derive(Debug)]
pub struct Network<const VECTORS: usize> {
    inputs: Box<[Row<VECTORS>]>,
    biases: Row<VECTORS>,
    /// For each phase of a game.
    outputs: Box<[Row<VECTORS>]>,
    output_biases: Box<[i16]>,
}

/// The sums of the hidden neurons where the last position of each input bucket was evaluated.
///
/// Most positions that a search meets are nearly the same as another one before, so that only few
/// rows are to be added and taken away. (In chess programs such a cache is known as a Finny table.)
#[derive(Clone, Debug)]
pub struct AccumulatorCache<P, const VECTORS: usize> {
    accumulators: Vec<(P, Row<VECTORS>)>,
}

impl<P, const VECTORS: usize> Default for AccumulatorCache<P, VECTORS> {
    fn default() -> Self {
        Self { accumulators: Vec::new() }
    }
}

impl<const VECTORS: usize> Network<VECTORS> {
    /// Reads a network for a game: 16-bit numbers, little-endian, a row of input weights for each
    /// input, then the biases, a row of output weights for each phase, and the output biases.
    ///
    /// # Panics
    /// When there are more or fewer bytes: what is part of the program is a network of another
    /// form.
    #[must_use]
    pub fn read<G: Features>(bytes: &[u8]) -> Self {
        let (numbers, rest) = bytes.as_chunks();
        let numbers: Vec<i16> = numbers.iter().map(|&number| i16::from_le_bytes(number)).collect();
        let (rows, rest_of_numbers) = numbers.split_at(numbers.len() - G::PHASES);
        let (vectors, rest_of_rows) = rows.as_chunks::<LANES>();
        let vectors: Vec<i16x16> = vectors.iter().map(|&lanes| lanes.into()).collect();
        let (rows, rest_of_vectors) = vectors.as_chunks::<VECTORS>();
        let fits = rest.is_empty() && rest_of_rows.is_empty() && rest_of_vectors.is_empty();
        assert!(
            fits && rows.len() == G::INPUTS + 1 + G::PHASES,
            "the network has other inputs, neurons or phases"
        );
        Self {
            inputs: rows[..G::INPUTS].into(),
            biases: rows[G::INPUTS],
            outputs: rows[G::INPUTS + 1..].into(),
            output_biases: rest_of_numbers.into(),
        }
    }

    /// The logarithm of the odds that the side to move wins, times `scale`.
    #[inline]
    #[must_use]
    pub fn evaluate<G: Features>(&self, position: &G, scale: i32) -> i32 {
        let mut sums = self.biases;
        position.for_each_input(|input| {
            sums.iter_mut().zip(&self.inputs[input]).for_each(|(sum, &weights)| *sum += weights);
        });
        self.output(&sums, position.phase(), scale)
    }

    /// The same, faster where rows are long.
    #[inline]
    #[must_use]
    pub fn evaluate_with<G: InputBuckets>(
        &self,
        position: &G,
        cache: &mut AccumulatorCache<G::Planes, VECTORS>,
        scale: i32,
    ) -> i32 {
        if cache.accumulators.is_empty() {
            cache.accumulators.resize(G::INPUT_BUCKETS, (G::Planes::default(), self.biases));
        }
        let bucket = position.input_bucket();
        let (seen, sums) = &mut cache.accumulators[bucket];
        let planes = position.planes();
        for (plane, (&now, &before)) in planes.as_ref().iter().zip(seen.as_ref()).enumerate() {
            let row = |square| &self.inputs[G::input(bucket, plane, square)];
            for square in Bits(now & !before) {
                sums.iter_mut().zip(row(square)).for_each(|(sum, &weights)| *sum += weights);
            }
            for square in Bits(before & !now) {
                sums.iter_mut().zip(row(square)).for_each(|(sum, &weights)| *sum -= weights);
            }
        }
        *seen = planes;
        self.output(sums, position.phase(), scale)
    }

    #[inline]
    fn output(&self, sums: &Row<VECTORS>, phase: usize, scale: i32) -> i32 {
        let mut output = i32x8::splat(0);
        for (&sum, &weights) in sums.iter().zip(&self.outputs[phase]) {
            let value = sum.max(i16x16::splat(0)).min(i16x16::splat(HIDDEN_ONE));
            output += (value * weights).dot(value);
        }
        let [hidden_one, output_one] = [HIDDEN_ONE, OUTPUT_ONE].map(i32::from);
        let odds = output.reduce_add() / hidden_one + i32::from(self.output_biases[phase]);
        odds * scale / (hidden_one * output_one)
    }
}

#[cfg(test)]
mod tests {
    use rand::{RngExt, SeedableRng};

    use super::*;
    use crate::game::random::Random;
    use crate::game::{Setup, random_game};
    use crate::games::hokito::Hokito;
    use crate::games::yoxii::Yoxii;

    /// The same in floating-point numbers, one by one.
    fn reference<G: Features>(numbers: &[i16], position: &G) -> f64 {
        let row = |index: usize, j: usize| f64::from(numbers[index * G::HIDDEN + j]);
        let phase = position.phase();
        let sum = (0..G::HIDDEN).map(|j| {
            let inputs = position.inputs().into_iter().map(|input| row(usize::from(input), j));
            let sum = (row(G::INPUTS, j) + inputs.sum::<f64>()) / f64::from(HIDDEN_ONE);
            let weight = row(G::INPUTS + 1 + phase, j) / f64::from(OUTPUT_ONE);
            sum.clamp(0.0, 1.0).powi(2) * weight
        });
        let bias = f64::from(numbers[(G::INPUTS + 1 + G::PHASES) * G::HIDDEN + phase]);
        sum.sum::<f64>() + bias / f64::from(HIDDEN_ONE) / f64::from(OUTPUT_ONE)
    }

    /// A network of random numbers, and these numbers.
    fn network<G: Features, const VECTORS: usize>() -> (Network<VECTORS>, Vec<i16>) {
        let mut random = Random::seed_from_u64(3);
        let mut numbers: Vec<i16> = Vec::new();
        let rows = G::INPUTS + 1 + G::PHASES;
        for i in 0..rows * G::HIDDEN + G::PHASES {
            let most = if i / G::HIDDEN <= G::INPUTS { 200 } else { 127 };
            numbers.push(random.random_range(-most..=most));
        }
        let bytes: Vec<u8> = numbers.iter().flat_map(|number| number.to_le_bytes()).collect();
        (Network::read::<G>(&bytes), numbers)
    }

    /// Positions of random games, one after the other.
    fn positions<G: Setup>() -> impl Iterator<Item = G> {
        let mut random = Random::seed_from_u64(3);
        (0..20).flat_map(move |_| random_game(0, &mut random))
    }

    #[test]
    fn vectors_agree_with_floating_point() {
        let (network, numbers) = network::<Hokito, { Hokito::HIDDEN / LANES }>();
        for position in positions::<Hokito>() {
            let fast = network.evaluate(&position, 1000);
            let reference = reference(&numbers, &position);
            assert!((f64::from(fast) - 1000.0 * reference).abs() < 2.0, "{fast} {reference}");
        }
    }

    #[test]
    fn a_cache_changes_nothing() {
        let (network, _) = network::<Yoxii, { Yoxii::HIDDEN / LANES }>();
        let mut cache = AccumulatorCache::default();
        for position in positions::<Yoxii>() {
            let fast = network.evaluate_with(&position, &mut cache, 1000);
            assert_eq!(fast, network.evaluate(&position, 1000), "{position:?}");
        }
    }
}
