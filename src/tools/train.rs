//! Training of [networks](crate::game::network) on samples of [self-play](super::selfplay).
//!
//! The network learns to tell the result of the game, mixed with what the search thought, by stochastic gradient descent
//! with momentum and a rate of its own for every weight (Kingma and Ba, *Adam: a Method for Stochastic
//! Optimization*, 2015). The inputs of a [group](Features::group) share a row of weights that is added to the
//! row of each; afterwards the two rows become one.

use rayon::prelude::*;

use super::selfplay::Sample;
use crate::game::network::{HIDDEN, HIDDEN_ONE, OUTPUT_ONE};
use crate::game::random::Random;
use crate::game::{Features, Inputs, Playable};

/// Samples between two changes of the weights.
const BATCH: usize = 8192;
/// Parts of a batch that are worked on at the same time, always so many: what comes out does not depend on the number of
/// processors.
const PARTS: usize = 4;
/// The greatest change of a weight in a step, at first; it falls to a hundredth of that along a cosine.
const RATE: f32 = 0.002;
const LAST_RATE: f32 = 0.01;
/// How slowly Adam forgets the mean and the variance of gradients.
const MEMORY: [f32; 2] = [0.9, 0.999];
/// How fast an input's own weights decay, in parts of the rate (Loshchilov and Hutter, *Decoupled Weight Decay Regularization*,
/// 2019), so that it differs from its group only where many samples say so.
const DECAY: f32 = 1.0;
/// How much the search's opinion counts beside the result.
const OPINION: f32 = 0.3;

/// What a network learns from.
#[derive(Clone, Debug, Default)]
pub struct Lessons {
    inputs: Vec<u16>,
    /// Where the inputs of each sample end.
    ends: Vec<usize>,
    phases: Vec<u8>,
    /// How much the side to move scores, 0 to 1.
    targets: Vec<f32>,
}

/// One of the [`Lessons`].
struct Lesson<'a> {
    inputs: &'a [u16],
    phase: usize,
    target: f32,
}

impl Lessons {
    /// Adds a sample, seen through one of the symmetries of its game.
    pub fn push<G: Playable>(&mut self, sample: &Sample<G>, symmetry: usize) {
        let position = sample.position.image(symmetry);
        let mut inputs = Inputs::new();
        position.inputs(&mut inputs);
        self.inputs.extend_from_slice(&inputs);
        self.ends.push(self.inputs.len());
        self.phases.push(position.phase() as u8);
        let [win, draw, _] = G::CHANCES.of(f64::from(sample.score), position.plies_left());
        let (opinion, result) = ((win + draw / 2.0) as f32, f32::from(sample.result) / 2.0);
        self.targets.push(OPINION * opinion + (1.0 - OPINION) * result);
    }

    /// How many there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.targets.len()
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.targets.is_empty()
    }

    fn get(&self, i: usize) -> Lesson<'_> {
        let start = if i == 0 { 0 } else { self.ends[i - 1] };
        Lesson {
            inputs: &self.inputs[start..self.ends[i]],
            phase: self.phases[i].into(),
            target: self.targets[i],
        }
    }
}

/// The weights of a network in training.
#[derive(Clone, Debug)]
pub struct Weights {
    /// Rows of [`HIDDEN`] weights: one for each input, the biases, output weights for each phase, one for each group.
    rows: Vec<[f32; HIDDEN]>,
    output_biases: Vec<f32>,
    /// For each input the row of its group.
    groups: Vec<usize>,
}

impl Weights {
    /// Small random weights for a game.
    fn random<G: Features>(random: &mut Random) -> Self {
        let own = G::INPUTS + 1 + G::PHASES;
        let mut row = |middle: f32, width: f32| {
            std::array::from_fn(|_| {
                let uniform = (random.next() >> 40) as f32 / (1 << 24) as f32;
                middle + width * (2.0 * uniform - 1.0)
            })
        };
        let mut rows = vec![[0.0; HIDDEN]; own + G::GROUPS];
        rows[G::INPUTS] = row(0.3, 0.3);
        rows[G::INPUTS + 1..own].fill_with(|| row(0.0, 0.3));
        rows[own..].fill_with(|| row(0.0, 0.15));
        Self {
            rows,
            output_biases: vec![0.0; G::PHASES],
            groups: (0..G::INPUTS).map(|input| own + G::group(input)).collect(),
        }
    }

    /// Zeros in the same places.
    fn zeros(&self) -> Self {
        Self {
            rows: vec![[0.0; HIDDEN]; self.rows.len()],
            output_biases: vec![0.0; self.output_biases.len()],
            groups: self.groups.clone(),
        }
    }

    fn clear(&mut self) {
        self.rows.fill([0.0; HIDDEN]);
        self.output_biases.fill(0.0);
    }

    /// All numbers in a row.
    fn numbers(&self) -> impl Iterator<Item = &f32> {
        self.rows.as_flattened().iter().chain(&self.output_biases)
    }

    fn numbers_mut(&mut self) -> impl Iterator<Item = &mut f32> {
        self.rows.as_flattened_mut().iter_mut().chain(&mut self.output_biases)
    }

    const fn biases(&self) -> usize {
        self.groups.len()
    }

    /// The row of output weights of a phase.
    const fn outputs(&self, phase: usize) -> usize {
        self.groups.len() + 1 + phase
    }

    /// The sums of the hidden neurons.
    fn sums(&self, inputs: &[u16]) -> [f32; HIDDEN] {
        let mut sums = self.rows[self.biases()];
        for &input in inputs {
            let input = usize::from(input);
            let (own, shared) = (&self.rows[input], &self.rows[self.groups[input]]);
            for ((sum, own), shared) in sums.iter_mut().zip(own).zip(shared) {
                *sum += own + shared;
            }
        }
        sums
    }

    /// How much the side to move is expected to score.
    fn expect(&self, sums: &[f32; HIDDEN], phase: usize) -> f32 {
        let outputs = sums.iter().zip(&self.rows[self.outputs(phase)]);
        let odds = outputs.map(|(sum, weight)| sum.clamp(0.0, 1.0).powi(2) * weight).sum::<f32>();
        1.0 / (1.0 + libm::expf(-odds - self.output_biases[phase]))
    }

    /// The loss over some lessons. Adds its gradient.
    fn learn(&self, lessons: &Lessons, some: &[usize], gradient: &mut Self) -> f64 {
        let mut loss = 0.0;
        for &i in some {
            let Lesson { inputs, phase, target } = lessons.get(i);
            let sums = self.sums(inputs);
            let expected = self.expect(&sums, phase);
            loss += cross_entropy(expected, target);
            let error = expected - target;
            let outputs = self.outputs(phase);
            let mut errors = [0.0; HIDDEN];
            for (j, &sum) in sums.iter().enumerate() {
                let value = sum.clamp(0.0, 1.0);
                let slope = if value == sum { 2.0 * value } else { 0.0 };
                errors[j] = error * self.rows[outputs][j] * slope;
                gradient.rows[outputs][j] += error * value * value;
            }
            gradient.output_biases[phase] += error;
            let mut add = |row: usize| {
                for (sum, error) in gradient.rows[row].iter_mut().zip(errors) {
                    *sum += error;
                }
            };
            add(self.biases());
            for &input in inputs {
                add(input.into());
                add(self.groups[usize::from(input)]);
            }
        }
        loss
    }

    /// The mean loss over lessons, in nats: 0.693 for who always expects one half.
    #[must_use]
    pub fn loss(&self, lessons: &Lessons) -> f64 {
        let losses = (0..lessons.len()).into_par_iter().map(|i| {
            let Lesson { inputs, phase, target } = lessons.get(i);
            cross_entropy(self.expect(&self.sums(inputs), phase), target)
        });
        losses.collect::<Vec<_>>().iter().sum::<f64>() / lessons.len() as f64
    }

    /// The network in the form that [`Network::read`](crate::game::network::Network::read) reads.
    #[must_use]
    pub fn to_bytes(&self) -> Vec<u8> {
        let fixed = |weight: f32, one: f32, most: i16| {
            (weight * one).round().clamp(-f32::from(most), most.into()) as i16
        };
        let [hidden_one, output_one] = [HIDDEN_ONE, OUTPUT_ONE].map(f32::from);
        let biases = self.biases();
        let mut numbers: Vec<i16> = Vec::new();
        for (input, &group) in self.groups.iter().enumerate() {
            let both = self.rows[input].iter().zip(&self.rows[group]);
            numbers.extend(both.map(|(own, shared)| fixed(own + shared, hidden_one, 1000)));
        }
        numbers.extend(self.rows[biases].map(|weight| fixed(weight, hidden_one, 1000)));
        for row in &self.rows[biases + 1..=biases + self.output_biases.len()] {
            numbers.extend(row.map(|weight| fixed(weight, output_one, 2 * OUTPUT_ONE - 1)));
        }
        let bias = |&weight: &f32| fixed(weight, hidden_one * output_one, i16::MAX);
        numbers.extend(self.output_biases.iter().map(bias));
        numbers.into_iter().flat_map(i16::to_le_bytes).collect()
    }
}

/// The loss of expecting one score where another was the target.
fn cross_entropy(expected: f32, target: f32) -> f64 {
    let expected = expected.clamp(1e-6, 1.0 - 1e-6);
    -f64::from(target * libm::logf(expected) + (1.0 - target) * libm::logf(1.0 - expected))
}

/// Trains a network for a game. After each time through the lessons `report` is told how often that was, the mean loss on
/// the way, and the weights so far.
#[must_use]
pub fn train<G: Playable>(
    lessons: &Lessons,
    epochs: usize,
    seed: u64,
    mut report: impl FnMut(usize, f64, &Weights),
) -> Weights {
    let mut random = Random::new(seed);
    let mut weights = Weights::random::<G>(&mut random);
    let mut gradients = vec![weights.zeros(); PARTS];
    let (mut means, mut squares) = (weights.zeros(), weights.zeros());
    let mut order: Vec<usize> = (0..lessons.len()).collect();
    let steps = (epochs * lessons.len().div_ceil(BATCH)) as f32;
    let mut step = 0.0;
    for epoch in 1..=epochs {
        random.shuffle(&mut order);
        let mut loss = 0.0;
        for batch in order.chunks(BATCH) {
            let parts = batch.par_chunks(batch.len().div_ceil(PARTS));
            gradients.par_iter_mut().for_each(Weights::clear);
            let losses: Vec<f64> = gradients
                .par_iter_mut()
                .zip(parts)
                .map(|(gradient, part)| weights.learn(lessons, part, gradient))
                .collect();
            loss += losses.iter().sum::<f64>();
            step += 1.0;
            let cosine = libm::cosf(std::f32::consts::PI * step / steps);
            let rate = RATE * (LAST_RATE + (1.0 - LAST_RATE) * (1.0 + cosine) / 2.0);
            let warm = MEMORY.map(|memory| 1.0 - libm::powf(memory, step));
            let (first, others) = gradients.split_at_mut(1);
            for other in others.iter() {
                let sums = first[0].numbers_mut().zip(other.numbers());
                sums.for_each(|(sum, number)| *sum += number);
            }
            for weight in weights.rows[..G::INPUTS].as_flattened_mut() {
                *weight *= 1.0 - rate * DECAY;
            }
            let moments = means.numbers_mut().zip(squares.numbers_mut());
            let all = weights.numbers_mut().zip(first[0].numbers()).zip(moments);
            for ((weight, gradient), (mean, square)) in all {
                let gradient = gradient / batch.len() as f32;
                *mean += (1.0 - MEMORY[0]) * (gradient - *mean);
                *square += (1.0 - MEMORY[1]) * (gradient * gradient - *square);
                *weight -= rate * (*mean / warm[0]) / ((*square / warm[1]).sqrt() + 1e-8);
            }
        }
        report(epoch, loss / lessons.len() as f64, &weights);
    }
    weights
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::network::Network;
    use crate::games::yoxii::Yoxii;
    use crate::tools::selfplay::{Plan, play};

    fn lessons() -> Lessons {
        let plan = Plan { nodes: 100, random_plies: 4 };
        let games = play::<Yoxii>(plan, (1..200).collect()).expect("2 MiB are to be had");
        let mut lessons = Lessons::default();
        games.iter().flatten().for_each(|sample| lessons.push(sample, 0));
        lessons
    }

    #[test]
    fn a_network_learns_and_always_the_same() {
        let lessons = lessons();
        let mut losses = Vec::new();
        let train =
            |losses: &mut Vec<f64>| train::<Yoxii>(&lessons, 20, 1, |_, loss, _| losses.push(loss));
        let weights = train(&mut losses);
        assert!(losses.windows(2).all(|pair| pair[1] < pair[0]), "{losses:?}");
        assert!(weights.loss(&lessons) < 0.6, "{}", weights.loss(&lessons));
        let bytes = weights.to_bytes();
        assert_eq!(bytes.len(), Network::<{ Yoxii::INPUTS }, { Yoxii::PHASES }>::SIZE);
        assert!(bytes == train(&mut losses).to_bytes());
    }

    /// The gradient against differences of the loss.
    #[test]
    fn the_gradient_points_uphill() {
        let lessons = lessons();
        let some: Vec<usize> = (0..100).collect();
        let mut weights = Weights::random::<Yoxii>(&mut Random::new(1));
        let mut gradient = weights.zeros();
        let loss = |weights: &Weights| weights.learn(&lessons, &some, &mut weights.zeros());
        weights.learn(&lessons, &some, &mut gradient);
        let input = usize::from(lessons.inputs[0]);
        let phase = usize::from(lessons.phases[0]);
        let rows = [input, weights.groups[input], weights.biases(), weights.outputs(phase)];
        for row in rows {
            for j in 0..HIDDEN {
                let (old, step) = (weights.rows[row][j], 1e-3);
                weights.rows[row][j] = old + step;
                let above = loss(&weights);
                weights.rows[row][j] = old - step;
                let below = loss(&weights);
                weights.rows[row][j] = old;
                let slope = (above - below) / f64::from(2.0 * step);
                let error = (slope - f64::from(gradient.rows[row][j])).abs();
                assert!(error < 0.05, "row {row}, neuron {j}: {slope} {}", gradient.rows[row][j]);
            }
        }
    }
}
