//! Random numbers, set-ups and openings: promised to be the same for ever, and fair.

use cairn::arena::openings::RandomOpenings;
use cairn::game::random::{Draw, Random};
use cairn::game::{Game, Notation, Playable, Setup, zobrist};
use cairn::games::hokito::{Hokito, SQUARES};
use cairn::games::yoxii::Yoxii;
use rand::{Rng, SeedableRng};

/// The first outputs of the reference implementation of SplitMix64 for the seed 1234567.
const SPLITMIX64: [u64; 5] = [
    6_457_827_717_110_365_317,
    3_203_168_211_198_807_973,
    9_817_491_932_198_370_423,
    4_593_380_528_125_082_431,
    16_408_922_859_458_223_821,
];

#[test]
fn the_generator_is_splitmix64() {
    let mut random = Random::seed_from_u64(1_234_567);
    assert_eq!(SPLITMIX64.map(|_| random.next_u64()), SPLITMIX64);
}

#[test]
fn so_are_the_zobrist_constants() {
    assert_eq!(zobrist::table(1_234_567), SPLITMIX64);
    assert_eq!(zobrist::mix(1_234_567), SPLITMIX64[0]);
}

#[test]
fn draws_are_the_same_for_ever() {
    let mut random = Random::seed_from_u64(1_234_567);
    assert_eq!([0; 5].map(|_| random.below(1000)), [350, 173, 532, 249, 889]);
    let mut letters = *b"abcdefgh";
    random.permute(&mut letters);
    assert_eq!(&letters, b"gafhcbed");
}

fn first_openings<G: Playable>(setup: usize, plies: usize) -> Vec<String> {
    RandomOpenings::<G>::new(7, setup, plies).take(2).map(|position| position.notation()).collect()
}

/// A match that is resumed, and its shards, draw their openings anew.
#[test]
fn seeds_give_the_same_openings_for_ever() {
    assert_eq!(
        first_openings::<Hokito>(0, 3),
        [
            "AACCBA/BAACBC/BBCB.A/abbc2Cb/ccbac./ca2c.a2a w",
            "BCABAB/AB2bCB2C/AAB.CC/ac.aac/abc2aba/bcb.bc w"
        ]
    );
    assert_eq!(
        first_openings::<Hokito>(1, 0),
        [
            "bCACac/AababC/bcBCAA/aaabcB/BCBCAc/AbcBBc b",
            "AabCaA/cbBabB/BbCcAC/AcAaba/BcBbcc/aACBCC b"
        ]
    );
    assert_eq!(
        first_openings::<Yoxii>(0, 4),
        [
            ".../...../..*..../..Ca.../.D...../d..../... w",
            ".../...../......./.b.D.../.a*..../.C.../... w"
        ]
    );
}

/// Files of games and openings name set-ups by seed. A change here breaks them all.
#[test]
fn seeds_give_the_same_hokito_positions_for_ever() {
    for (setup, seed, expected) in [
        ("halves", 0, "CBCCAC/AABACC/ABBABB/aacabc/aabbba/bcccbc b"),
        ("halves", 1, "BAACBC/BAACAC/BCCBAB/bcbccb/aabaac/cbaabc b"),
        ("halves", 2, "ABAACB/CBCCBC/ABCABA/cabbcb/acbacb/cbaaac b"),
        ("halves", u64::MAX, "CBABAA/CCBCBC/ABABCA/bbbacc/ababab/acccac b"),
        ("scattered", 0, "baCacC/ACBbAa/cbBCAc/aABcAC/bBaBBA/bccCab b"),
        ("scattered", 1, "ACcCBA/BbAbcC/BAabcB/CbcaAA/bCcaaC/aBBcab b"),
        ("scattered", 2, "bbBABA/CbAbBC/bBaCCc/CaBaaA/acCAAB/cccacb b"),
        ("scattered", u64::MAX, "BAcbCC/ABaACB/abCaAC/cbbaBa/ABBCcc/cAbabc b"),
    ] {
        let index = Hokito::SETUPS.iter().position(|name| *name == setup).unwrap();
        let position = Hokito::random_start(index, &mut Random::seed_from_u64(seed));
        assert_eq!(position.notation(), expected, "{setup} {seed}");
        assert_eq!(Hokito::parse(expected), Ok(position));
    }
}

#[test]
fn one_generator_gives_different_positions_in_turn() {
    let mut random = Random::seed_from_u64(7);
    let first = Hokito::random_start(0, &mut random);
    assert_ne!(Hokito::random_start(0, &mut random), first);
    assert_eq!(Hokito::random_start(0, &mut Random::seed_from_u64(7)), first);
}

/// Every kind of piece stands on every square where it may as often as on any other: within five
/// standard deviations of the binomial distribution.
#[test]
fn hokito_set_ups_are_fair() {
    const SEEDS: u64 = 20_000;
    for (setup, kinds) in [(0, 3.0), (1, 6.0)] {
        let mut counts = [[0.0; 6]; SQUARES];
        for seed in 0..SEEDS {
            let position = Hokito::random_start(setup, &mut Random::seed_from_u64(seed));
            for (square, count) in counts.iter_mut().enumerate() {
                let pile = position.pile(square);
                assert_eq!(pile.height, 1);
                count[3 * pile.owner as usize + pile.value as usize - 1] += 1.0;
            }
        }
        let seeds = SEEDS as f64;
        let deviation = (seeds / kinds * (1.0 - 1.0 / kinds)).sqrt();
        for (square, count) in counts.iter().enumerate() {
            for (kind, &count) in count.iter().enumerate() {
                let possible = setup == 1 || (kind < 3) == (square < SQUARES / 2);
                let expected = if possible { seeds / kinds } else { 0.0 };
                let slack = if possible { 5.0 * deviation } else { 0.0 };
                assert!(
                    f64::abs(count - expected) <= slack,
                    "setup {setup}: piece {kind} on square {square} {count} times, not {expected}"
                );
            }
        }
    }
}

#[test]
fn yoxii_has_one_set_up() {
    assert_eq!(Yoxii::SETUPS, ["standard"]);
    assert_eq!(Yoxii::random_start(0, &mut Random::seed_from_u64(1)), Yoxii::start());
    assert_eq!(Yoxii::start().notation(), ".../...../......./...*.../......./...../... w");
}
