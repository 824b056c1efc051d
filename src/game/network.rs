//! Small neural networks as evaluations, in whole numbers.
//!
//! Inputs are on or off. Each that is on adds its row of weights to the sums of the hidden neurons. What a
//! neuron puts out is its sum, clipped to 0 to 1, squared; the weighted sum of that is the logarithm of the odds
//! that the side to move wins. Networks of this kind are known from chess and shogi (Nasu, *Efficiently Updatable
//! Neural-Network-based Evaluation Function for Computer Shogi*, 2018); on these small boards they are small
//! enough to be worked out anew for every position. All numbers are fixed-point, so that the evaluation is the same on
//! every machine.

use wide::{i16x16, i32x8};

use super::Features;

/// Vectors of sixteen hidden neurons.
const LANES: usize = 2;
/// Hidden neurons.
pub const HIDDEN: usize = 16 * LANES;
/// 1 in the sums of the hidden neurons.
pub const HIDDEN_ONE: i16 = 255;
/// 1 in output weights. They are less than 2 either way, so that a product of a weight and a clipped sum fits.
pub const OUTPUT_ONE: i16 = 64;

/// A weight for every hidden neuron.
type Row = [i16x16; LANES];

const NO_ROW: Row = [i16x16::new([0; 16]); LANES];

/// A network with so many inputs, and output weights for so many phases of a game.
#[derive(Debug)]
pub struct Network<const INPUTS: usize, const PHASES: usize> {
    inputs: [Row; INPUTS],
    biases: Row,
    outputs: [Row; PHASES],
    output_biases: [i16; PHASES],
}

impl<const INPUTS: usize, const PHASES: usize> Network<INPUTS, PHASES> {
    /// The bytes of a network.
    pub const SIZE: usize = 2 * ((INPUTS + 1 + PHASES) * HIDDEN + PHASES);

    /// Reads a network: 16-bit numbers, little-endian, a row of input weights for each input, then the biases, a row of
    /// output weights for each phase, and the output biases.
    ///
    /// # Panics
    /// When there are not [`SIZE`](Network::SIZE) bytes: at compile time, for a network that is part of the program.
    #[must_use]
    pub const fn read(bytes: &[u8]) -> Self {
        assert!(bytes.len() == Self::SIZE, "the network has other inputs or phases");
        let mut network = Self {
            inputs: [NO_ROW; INPUTS],
            biases: row(bytes, INPUTS),
            outputs: [NO_ROW; PHASES],
            output_biases: [0; PHASES],
        };
        let mut i = 0;
        while i < INPUTS {
            network.inputs[i] = row(bytes, i);
            i += 1;
        }
        let mut i = 0;
        while i < PHASES {
            network.outputs[i] = row(bytes, INPUTS + 1 + i);
            network.output_biases[i] = number(bytes, (INPUTS + 1 + PHASES) * HIDDEN + i);
            i += 1;
        }
        network
    }

    /// The logarithm of the odds that the side to move wins, times `scale`.
    #[inline]
    #[must_use]
    pub fn evaluate<G: Features>(&self, position: &G, scale: i32) -> i32 {
        let mut inputs = super::Inputs::new();
        position.inputs(&mut inputs);
        self.output(&inputs, position.phase(), scale)
    }

    #[inline]
    fn output(&self, inputs: &[u16], phase: usize, scale: i32) -> i32 {
        let mut sums = self.biases;
        for &input in inputs {
            for (sum, &weights) in sums.iter_mut().zip(&self.inputs[usize::from(input)]) {
                *sum += weights;
            }
        }
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

/// The number with that index.
const fn number(bytes: &[u8], index: usize) -> i16 {
    i16::from_le_bytes([bytes[2 * index], bytes[2 * index + 1]])
}

/// The row with that index.
const fn row(bytes: &[u8], index: usize) -> Row {
    let mut row = NO_ROW;
    let mut lane = 0;
    while lane < LANES {
        let mut weights = [0; 16];
        let mut i = 0;
        while i < 16 {
            weights[i] = number(bytes, index * HIDDEN + lane * 16 + i);
            i += 1;
        }
        row[lane] = i16x16::new(weights);
        lane += 1;
    }
    row
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::random::Random;

    const INPUTS: usize = 20;
    const PHASES: usize = 3;

    /// The same in plain numbers, one by one.
    fn plain(numbers: &[i16], inputs: &[u16], phase: usize) -> f64 {
        let row = |index: usize, j: usize| f64::from(numbers[index * HIDDEN + j]);
        let sum = (0..HIDDEN).map(|j| {
            let inputs = inputs.iter().map(|&input| row(usize::from(input), j));
            let sum = (row(INPUTS, j) + inputs.sum::<f64>()) / f64::from(HIDDEN_ONE);
            let weight = row(INPUTS + 1 + phase, j) / f64::from(OUTPUT_ONE);
            sum.clamp(0.0, 1.0).powi(2) * weight
        });
        let bias = f64::from(numbers[(INPUTS + 1 + PHASES) * HIDDEN + phase]);
        sum.sum::<f64>() + bias / f64::from(HIDDEN_ONE) / f64::from(OUTPUT_ONE)
    }

    #[test]
    fn vectors_agree_with_plain_numbers() {
        let mut random = Random::new(3);
        for _ in 0..200 {
            let mut numbers = Vec::new();
            for i in 0..Network::<INPUTS, PHASES>::SIZE / 2 {
                let most = if i / HIDDEN <= INPUTS { 200 } else { 127 };
                numbers.push(random.below(2 * most + 1) as i16 - most as i16);
            }
            let bytes: Vec<u8> = numbers.iter().flat_map(|number| number.to_le_bytes()).collect();
            let network = Network::<INPUTS, PHASES>::read(&bytes);
            let inputs: Vec<u16> = (0..INPUTS as u16).filter(|_| random.below(3) == 0).collect();
            for phase in 0..PHASES {
                let (fast, plain) =
                    (network.output(&inputs, phase, 1000), plain(&numbers, &inputs, phase));
                assert!((f64::from(fast) - 1000.0 * plain).abs() < 2.0, "{fast} {plain}");
            }
        }
    }
}
