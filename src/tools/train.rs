//! Training of [networks](crate::game::network) on samples of [self-play](super::selfplay).
//!
//! The network learns to tell the result of the game, mixed with what the search thought, by
//! stochastic gradient descent with momentum and a rate of its own for every weight (Kingma and Ba,
//! *Adam: a Method for Stochastic Optimization*, 2015). The inputs of a [group](Features::group)
//! share a row of weights that is added to the row of each; afterwards the two rows become one.

use std::marker::PhantomData;

use rand::seq::SliceRandom;
use rand::{Rng, RngExt, SeedableRng};
use rayon::prelude::*;

use super::selfplay::Sample;
use crate::game::network::{HIDDEN_ONE, OUTPUT_ONE};
use crate::game::random::Random;
use crate::game::{Features, Playable};
use crate::search::limits::Control;

/// Samples between two changes of the weights.
const BATCH: usize = 4096;
/// Parts of a batch that are worked on at the same time, always so many: what comes out does not
/// depend on the number of processors.
const PARTS: usize = 4;
/// The greatest change of a weight in a step, at first; it falls to a hundredth of that along a
/// cosine.
const LEARNING_RATE: f32 = 0.002;
const FINAL_RATE: f32 = 0.01;
/// How slowly Adam forgets the mean and the variance of gradients.
const BETAS: [f32; 2] = [0.9, 0.999];
/// How far from nothing the weights of groups may begin; the laboratory book of the
/// [search](crate::search) tells what larger ones cost.
const INIT_INPUTS: f32 = 0.05;
/// The same for output weights.
const INIT_OUTPUTS: f32 = 1.2;
/// How fast an input's own weights decay, in parts of the rate (Loshchilov and Hutter, *Decoupled
/// Weight Decay Regularization*, 2019), so that it differs from its group only where many samples
/// say so.
const WEIGHT_DECAY: f32 = 0.5;
/// The weight of the search score in the target; the rest is that of the result (lambda in NNUE
/// trainers).
const SCORE_WEIGHT: f32 = 0.3;

/// What a network learns from.
#[derive(Clone, Debug, Default)]
pub struct TrainingSet {
    inputs: Vec<u16>,
    /// Where the inputs of each sample end.
    ends: Vec<usize>,
    phases: Vec<u8>,
    /// How much the side to move scores, 0 to 1.
    targets: Vec<f32>,
}

/// One of the [`TrainingSet`].
struct Example<'a> {
    inputs: &'a [u16],
    phase: usize,
    target: f32,
}

impl TrainingSet {
    /// Adds a sample, seen through one of the symmetries of its game.
    pub fn push<G: Playable + Features>(&mut self, sample: &Sample<G>, symmetry: usize) {
        let position = sample.position.image(symmetry);
        self.inputs.extend(position.inputs());
        self.ends.push(self.inputs.len());
        self.phases.push(position.phase() as u8);
        let [win, draw, _] = G::CHANCES.of(f64::from(sample.score), position.plies_left());
        let (search_score, result) = ((win + draw / 2.0) as f32, f32::from(sample.result) / 2.0);
        self.targets.push(SCORE_WEIGHT * search_score + (1.0 - SCORE_WEIGHT) * result);
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

    fn get(&self, i: usize) -> Example<'_> {
        let start = if i == 0 { 0 } else { self.ends[i - 1] };
        Example {
            inputs: &self.inputs[start..self.ends[i]],
            phase: self.phases[i].into(),
            target: self.targets[i],
        }
    }
}

/// The weights of a network.
#[derive(Clone, Debug, PartialEq)]
pub struct Weights<G> {
    /// Rows of as many weights as there are hidden neurons, one for each input, the biases, output
    /// weights for each phase; then the output biases.
    numbers: Vec<f32>,
    game: PhantomData<G>,
}

impl<G: Features> Weights<G> {
    /// The row of biases.
    const BIASES: usize = G::INPUTS;

    fn zeros() -> Self {
        let numbers = vec![0.0; (Self::BIASES + 1 + G::PHASES) * G::HIDDEN + G::PHASES];
        Self { numbers, game: PhantomData }
    }

    fn row(&self, index: usize) -> &[f32] {
        &self.numbers[index * G::HIDDEN..][..G::HIDDEN]
    }

    fn row_mut(&mut self, index: usize) -> &mut [f32] {
        &mut self.numbers[index * G::HIDDEN..][..G::HIDDEN]
    }

    /// The row of output weights of a phase.
    const fn outputs(phase: usize) -> usize {
        Self::BIASES + 1 + phase
    }

    fn output_bias(&self, phase: usize) -> f32 {
        self.numbers[Self::outputs(G::PHASES) * G::HIDDEN + phase]
    }

    /// The sums of the hidden neurons.
    fn sums(&self, inputs: &[u16]) -> Vec<f32> {
        let mut sums = self.row(Self::BIASES).to_vec();
        for &input in inputs {
            add(&mut sums, self.row(input.into()));
        }
        sums
    }

    /// How much the side to move is expected to score.
    fn predict(&self, sums: &[f32], phase: usize) -> f32 {
        let outputs = sums.iter().zip(self.row(Self::outputs(phase)));
        let odds = outputs.map(|(sum, weight)| sum.clamp(0.0, 1.0).powi(2) * weight).sum::<f32>();
        1.0 / (1.0 + libm::expf(-odds - self.output_bias(phase)))
    }

    /// The loss over some examples. Adds its gradient.
    fn backpropagate(&self, examples: &TrainingSet, some: &[usize], gradient: &mut Self) -> f64 {
        let mut loss = 0.0;
        let mut errors = vec![0.0; G::HIDDEN];
        for &i in some {
            let Example { inputs, phase, target } = examples.get(i);
            let sums = self.sums(inputs);
            let expected = self.predict(&sums, phase);
            loss += cross_entropy(expected, target);
            let error = expected - target;
            let outputs = Self::outputs(phase);
            let weights = self.row(outputs).iter().zip(gradient.row_mut(outputs));
            for ((&sum, errors), (weight, slope)) in sums.iter().zip(&mut errors).zip(weights) {
                let value = sum.clamp(0.0, 1.0);
                *errors = if value == sum { error * weight * 2.0 * value } else { 0.0 };
                *slope += error * value * value;
            }
            gradient.numbers[Self::outputs(G::PHASES) * G::HIDDEN + phase] += error;
            add(gradient.row_mut(Self::BIASES), &errors);
            for &input in inputs {
                add(gradient.row_mut(input.into()), &errors);
            }
        }
        loss
    }

    /// The mean loss over examples, in nats: 0.693 for who always expects one half. `None` when the
    /// control stopped it.
    #[must_use]
    pub fn loss(&self, examples: &TrainingSet, control: &Control) -> Option<f64> {
        let losses = (0..examples.len()).into_par_iter().map(|i| {
            let Example { inputs, phase, target } = examples.get(i);
            let loss = || cross_entropy(self.predict(&self.sums(inputs), phase), target);
            (!control.is_stopped()).then(loss)
        });
        let losses: Option<Vec<_>> = losses.collect();
        Some(losses?.iter().sum::<f64>() / examples.len() as f64)
    }

    /// The network in the form that [`Network::read`](crate::game::network::Network::read) reads.
    #[must_use]
    pub fn to_bytes(&self) -> Vec<u8> {
        let [hidden_one, output_one] = [HIDDEN_ONE, OUTPUT_ONE].map(f32::from);
        let (inputs, rest) = self.numbers.split_at(Self::outputs(0) * G::HIDDEN);
        let (outputs, output_biases) = rest.split_at(G::PHASES * G::HIDDEN);
        let parts = [
            (inputs, hidden_one, 1000),
            (outputs, output_one, 2 * OUTPUT_ONE - 1),
            (output_biases, hidden_one * output_one, i16::MAX),
        ];
        let numbers = parts.into_iter().flat_map(|(weights, one, most)| {
            let fixed = move |&weight: &f32| {
                (weight * one).round().clamp(-f32::from(most), most.into()) as i16
            };
            weights.iter().map(fixed)
        });
        numbers.flat_map(i16::to_le_bytes).collect()
    }
}

/// Adds a row to another.
fn add(row: &mut [f32], other: &[f32]) {
    row.iter_mut().zip(other).for_each(|(number, other)| *number += other);
}

/// A network in training, its inputs factorised: each is the sum of a row of its own and one that
/// its group shares (virtual features in NNUE trainers).
struct Factorized<G> {
    /// The weights, but of inputs only what is their own.
    own: Weights<G>,
    /// A row for each group.
    shared: Vec<f32>,
    /// For each input its group.
    groups: Vec<usize>,
}

impl<G: Features> Factorized<G> {
    /// Small random weights.
    fn new(random: &mut impl Rng) -> Self {
        let mut uniform = |width: f32| width * (2.0 * random.random::<f32>() - 1.0);
        let mut own = Weights::zeros();
        own.row_mut(Weights::<G>::BIASES).fill_with(|| 0.3 + uniform(0.3));
        // A neuron means the same in all phases at first.
        let outputs: Vec<f32> = (0..G::HIDDEN).map(|_| uniform(INIT_OUTPUTS)).collect();
        for phase in 0..G::PHASES {
            own.row_mut(Weights::<G>::outputs(phase)).copy_from_slice(&outputs);
        }
        let shared = (0..G::GROUPS * G::HIDDEN).map(|_| uniform(INIT_INPUTS)).collect();
        Self { own, shared, groups: (0..G::INPUTS).map(G::group).collect() }
    }

    /// The whole network.
    fn weights(&self) -> Weights<G> {
        let mut weights = self.own.clone();
        for (input, &group) in self.groups.iter().enumerate() {
            add(weights.row_mut(input), &self.shared[group * G::HIDDEN..][..G::HIDDEN]);
        }
        weights
    }

    /// The gradient of what groups share.
    fn shared_gradient(&self, gradient: &Weights<G>) -> Vec<f32> {
        let mut shared = vec![0.0; self.shared.len()];
        for (input, &group) in self.groups.iter().enumerate() {
            add(&mut shared[group * G::HIDDEN..][..G::HIDDEN], gradient.row(input));
        }
        shared
    }
}

/// Adam: the moments of gradients, and how to go on.
struct Adam {
    means: Vec<f32>,
    squares: Vec<f32>,
}

impl Adam {
    fn new(numbers: usize) -> Self {
        Self { means: vec![0.0; numbers], squares: vec![0.0; numbers] }
    }

    /// Changes numbers by at most about `rate`. `correction` is the bias correction of both
    /// moments.
    fn step(&mut self, numbers: &mut [f32], gradient: &[f32], rate: f32, correction: [f32; 2]) {
        let moments = self.means.par_iter_mut().zip(&mut self.squares);
        let all = numbers.par_iter_mut().zip(gradient).zip(moments);
        all.with_min_len(1 << 15).for_each(|((number, gradient), (mean, square))| {
            *mean += (1.0 - BETAS[0]) * (gradient - *mean);
            *square += (1.0 - BETAS[1]) * (gradient * gradient - *square);
            *number -= rate * (*mean / correction[0]) / ((*square / correction[1]).sqrt() + 1e-8);
        });
    }
}

/// The loss of expecting one score where another was the target.
fn cross_entropy(expected: f32, target: f32) -> f64 {
    let expected = expected.clamp(1e-6, 1.0 - 1e-6);
    -f64::from(target * libm::logf(expected) + (1.0 - target) * libm::logf(1.0 - expected))
}

/// Trains a network for a game. After each time through the examples `report` is told how often
/// that was, the mean loss on the way, and the weights so far. When the control stops it, the
/// weights are those so far.
#[must_use]
pub fn train<G: Features>(
    examples: &TrainingSet,
    epochs: usize,
    seed: u64,
    control: &Control,
    mut report: impl FnMut(usize, f64, &Weights<G>),
) -> Weights<G> {
    let mut random = Random::seed_from_u64(seed);
    let mut network = Factorized::<G>::new(&mut random);
    let mut weights = network.weights();
    let mut gradients = vec![Weights::zeros(); PARTS];
    let mut own_adam = Adam::new(weights.numbers.len());
    let mut shared_adam = Adam::new(network.shared.len());
    let mut order: Vec<usize> = (0..examples.len()).collect();
    let steps = (epochs * examples.len().div_ceil(BATCH)) as f32;
    let mut step = 0.0;
    for epoch in 1..=epochs {
        order.shuffle(&mut random);
        let mut loss = 0.0;
        for batch in order.chunks(BATCH) {
            if control.is_stopped() {
                return weights;
            }
            let parts = batch.par_chunks(batch.len().div_ceil(PARTS));
            gradients.par_iter_mut().for_each(|gradient| gradient.numbers.fill(0.0));
            let losses: Vec<f64> = gradients
                .par_iter_mut()
                .zip(parts)
                .map(|(gradient, part)| weights.backpropagate(examples, part, gradient))
                .collect();
            loss += losses.iter().sum::<f64>();
            step += 1.0;
            let cosine = libm::cosf(std::f32::consts::PI * step / steps);
            let rate = LEARNING_RATE * (FINAL_RATE + (1.0 - FINAL_RATE) * (1.0 + cosine) / 2.0);
            let correction = BETAS.map(|beta| 1.0 - libm::powf(beta, step));
            let (gradient, others) = gradients.split_at_mut(1);
            let gradient = &mut gradient[0];
            others.iter().for_each(|other| add(&mut gradient.numbers, &other.numbers));
            gradient.numbers.iter_mut().for_each(|number| *number /= batch.len() as f32);
            for weight in &mut network.own.numbers[..G::INPUTS * G::HIDDEN] {
                *weight *= 1.0 - rate * WEIGHT_DECAY;
            }
            let shared = network.shared_gradient(gradient);
            shared_adam.step(&mut network.shared, &shared, rate, correction);
            own_adam.step(&mut network.own.numbers, &gradient.numbers, rate, correction);
            weights = network.weights();
        }
        report(epoch, loss / examples.len() as f64, &weights);
    }
    weights
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::games::yoxii::Yoxii;
    use crate::search::OutOfMemory;
    use crate::tools::selfplay::{Plan, play};

    fn examples() -> TrainingSet {
        let plan = Plan { nodes: 100, random_plies: 4 };
        let mut examples = TrainingSet::default();
        play::<Yoxii, OutOfMemory>(plan, 1..200, 1, &Arc::default(), |_, samples| {
            samples.iter().for_each(|sample| examples.push(sample, 0));
            Ok(())
        })
        .expect("2 MiB are to be had");
        examples
    }

    #[test]
    fn a_network_learns_and_always_the_same() {
        let examples = examples();
        let mut losses = Vec::new();
        let control = Control::new(false);
        let train = |losses: &mut Vec<f64>| {
            train::<Yoxii>(&examples, 20, 1, &control, |_, loss, _| losses.push(loss))
        };
        let weights = train(&mut losses);
        assert!(losses[0] > losses[9] && losses[9] > losses[19], "{losses:?}");
        let loss = weights.loss(&examples, &control);
        assert!(loss.is_some_and(|loss| loss < 0.6), "{loss:?}");
        assert_eq!(weights.to_bytes().len(), include_bytes!("../games/yoxii/yoxii.net").len());
        assert!(weights == train(&mut losses));
        control.stop();
        assert!(weights != train(&mut losses));
        assert_eq!((losses.len(), weights.loss(&examples, &control)), (40, None));
    }

    /// The gradient against differences of the loss.
    #[test]
    fn the_gradient_points_uphill() {
        let examples = examples();
        let some: Vec<usize> = (0..100).collect();
        let mut network = Factorized::<Yoxii>::new(&mut Random::seed_from_u64(1));
        let mut gradient = Weights::zeros();
        let loss = |network: &Factorized<Yoxii>| {
            network.weights().backpropagate(&examples, &some, &mut Weights::zeros())
        };
        network.weights().backpropagate(&examples, &some, &mut gradient);
        let shared = network.shared_gradient(&gradient);
        let check =
            |at: &dyn Fn(&mut Factorized<Yoxii>) -> &mut f32, slope: f32, network: &mut _| {
                let (old, step) = (*at(network), 1e-3);
                *at(network) = old + step;
                let above = loss(network);
                *at(network) = old - step;
                let below = loss(network);
                *at(network) = old;
                let found = (above - below) / f64::from(2.0 * step);
                // A neuron that the step takes out of its range bends the loss.
                let slope = f64::from(slope);
                assert!((found - slope).abs() < 0.05 * slope.abs().max(1.0), "{found} {slope}");
            };
        let input = usize::from(examples.inputs[0]);
        let outputs = Weights::<Yoxii>::outputs(examples.phases[0].into());
        for j in 0..Yoxii::HIDDEN {
            for row in [input, Weights::<Yoxii>::BIASES, outputs] {
                let i = row * Yoxii::HIDDEN + j;
                check(
                    &move |network| &mut network.own.numbers[i],
                    gradient.numbers[i],
                    &mut network,
                );
            }
            let i = Yoxii::group(input) * Yoxii::HIDDEN + j;
            check(&move |network| &mut network.shared[i], shared[i], &mut network);
        }
    }
}
