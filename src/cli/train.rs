//! `cairn train`.

use std::fs::{self, File};
use std::io::BufRead;
use std::path::PathBuf;

use anyhow::{Context, ensure};
use clap::Args;
use rand::{RngExt, SeedableRng};

use super::{GameArg, interrupt, note};
use crate::game::random::Random;
use crate::game::{Features, Playable};
use crate::games::ForGame;
use crate::outside::TextFile;
use crate::search::limits::Control;
use crate::tools::selfplay::{END_OF_GAME, Sample};
use crate::tools::train::{TrainingSet, train};

/// Train a network on samples of self-play
///
/// The losses on the way go to standard error: on the samples, and on one block of a thousand lines
/// in fifty that is kept apart. To use the network, put it in the place of the one in the source of
/// the game, and build.
///
/// Ctrl-C ends the work. What was learnt till then is written if the first epoch is finished;
/// before that the file stays as it was.
#[derive(Debug, Args)]
#[command(after_help = "\
Example:
  cairn selfplay --game yoxii --games 100000 > samples.txt
  cairn train --game yoxii --out src/games/yoxii/yoxii.net samples.txt")]
pub struct TrainArgs {
    #[command(flatten)]
    game: GameArg,
    /// How often to go through the samples
    #[arg(long, value_name = "N", default_value_t = 10, value_parser = clap::value_parser!(u32).range(1..=1000))]
    epochs: u32,
    /// The seed of the first weights and of the order of the samples
    #[arg(long, value_name = "SEED", default_value_t = 1)]
    seed: u64,
    /// Where to write the network
    #[arg(long, value_name = "FILE")]
    out: PathBuf,
    /// Files of `cairn selfplay`
    #[arg(required = true, value_name = "SAMPLES")]
    samples: Vec<PathBuf>,
}

/// One of so many blocks of lines is kept apart.
const VALIDATION_SPLIT: usize = 50;
/// Lines of a block: those of one game stand together.
const BLOCK: usize = 1000;

impl TrainArgs {
    pub(super) fn run(self) -> anyhow::Result<()> {
        self.game.game.dispatch(self)
    }
}

impl ForGame for TrainArgs {
    type Output = anyhow::Result<()>;

    fn run<G: Playable + Features>(self) -> anyhow::Result<()> {
        let (mut examples, mut apart) = (TrainingSet::default(), TrainingSet::default());
        let mut random = Random::seed_from_u64(self.seed);
        let control = Control::interruptible(&interrupt::watch(|| {})?);
        let mut samples = 0;
        for path in &self.samples {
            let name = || path.display().to_string();
            let file = TextFile::open(path).with_context(name)?;
            for (number, line) in (1..).zip(file.lines()) {
                ensure!(!control.is_stopped(), "stopped after reading {samples} samples");
                let place = || format!("{}, line {number}", name());
                let line = line.with_context(place)?;
                if line.starts_with(END_OF_GAME) {
                    continue;
                }
                let sample: Sample<G> = line.parse().with_context(place)?;
                let block = samples / BLOCK;
                let to =
                    if block.is_multiple_of(VALIDATION_SPLIT) { &mut apart } else { &mut examples };
                samples += 1;
                to.push(&sample, random.random_range(..G::SYMMETRIES));
            }
        }
        ensure!(
            !examples.is_empty(),
            "only {} samples: more are needed to learn from",
            apart.len()
        );
        let name = || self.out.display().to_string();
        // Before the work, so that it is not in vain.
        File::options()
            .write(true)
            .create(true)
            .truncate(false)
            .open(&self.out)
            .with_context(name)?;
        note(&format!("{} samples, {} kept apart", examples.len(), apart.len()));
        let (epochs, mut finished) = (self.epochs as usize, 0);
        let weights = train::<G>(&examples, epochs, self.seed, &control, |epoch, loss, weights| {
            finished = epoch;
            if let Some(apart) = weights.loss(&apart, &control) {
                note(&format!("epoch {epoch}: loss {loss:.5}, apart {apart:.5}"));
            }
        });
        ensure!(finished > 0, "stopped in epoch 1 of {epochs}; no network was written");
        fs::write(&self.out, weights.to_bytes()).with_context(name)?;
        ensure!(
            finished == epochs,
            "stopped after {finished} of {epochs} epochs; {} has what was learnt so far",
            name()
        );
        Ok(())
    }
}
