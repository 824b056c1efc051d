//! Positions and moves as text: what is refused and with which words, and what is read.

mod corpus;

use cairn::game::{Game, Notation, Playable};
use cairn::games::hokito::Hokito;
use cairn::games::yoxii::Yoxii;
use cairn::games::{GameName, UnknownGame};
use proptest::prelude::*;
use proptest::test_runner::RngSeed;

fn bad_positions<G: Notation>() {
    let mut rows = 0;
    for row in corpus::rows(include_str!("data/bad_positions.tsv"), G::NAME) {
        let [text, expected] = row[..] else { panic!("{row:?}") };
        match G::parse(text) {
            Ok(_) => panic!("'{text}' was read, expected: {expected}"),
            Err(error) => assert_eq!(error.to_string(), expected, "'{text}'"),
        }
        rows += 1;
    }
    assert!(rows > 30, "{rows} bad positions of {}", G::NAME);
}

#[test]
fn bad_positions_are_refused() {
    bad_positions::<Hokito>();
    bad_positions::<Yoxii>();
}

fn bad_moves<G: Notation>() {
    let mut rows = 0;
    for row in corpus::rows(include_str!("data/bad_moves.tsv"), G::NAME) {
        let [position, text, expected] = row[..] else { panic!("{row:?}") };
        let position = G::parse(position).expect(position);
        match position.parse_move(text) {
            Ok(_) => panic!("'{text}' was read, expected: {expected}"),
            Err(error) => assert_eq!(error.to_string(), expected, "'{text}'"),
        }
        rows += 1;
    }
    assert!(rows > 30, "{rows} bad moves of {}", G::NAME);
}

#[test]
fn bad_moves_are_refused() {
    bad_moves::<Hokito>();
    bad_moves::<Yoxii>();
}

fn good_positions<G: Notation>() {
    for row in corpus::rows(include_str!("data/perft.tsv"), G::NAME) {
        let text = row[0];
        let position = G::parse(text).expect(text);
        assert_eq!(position.notation(), text);
        // White space around and between the fields does not matter.
        let (board, side) = text.split_once(' ').unwrap();
        assert_eq!(G::parse(&format!("\t {board}  \t{side}\r\n")), Ok(position));
    }
    assert_eq!(G::parse(&G::start().notation()), Ok(G::start()));
}

#[test]
fn good_positions_come_back_unchanged() {
    good_positions::<Hokito>();
    good_positions::<Yoxii>();
}

#[test]
fn the_start_positions_are_the_published_ones() {
    assert_eq!(Hokito::start().notation(), "CBACBA/ACBACB/BACBAC/cabcab/bcabca/abcabc b");
    assert_eq!(Yoxii::start().notation(), ".../...../......./...*.../......./...../... w");
}

#[test]
fn one_pile_may_hold_all_pieces() {
    let text = "....../....../....../..36A.../....../...... w";
    let position = Hokito::parse(text).unwrap();
    assert_eq!(position.notation(), text);
    assert!(position.is_over());
    assert_eq!(position.points(), [0, 36]);
    assert_eq!(position.plies_left(), 0);
}

#[test]
fn a_full_board_is_a_position() {
    let text = "AAA/AABBB/BBCCCCC/DDD*ddd/cccccbb/bbbaa/aaa w";
    let position = Yoxii::parse(text).unwrap();
    assert_eq!(position.notation(), text);
    assert!(position.is_over());
    assert_eq!(position.plies_left(), 0);
}

#[test]
fn a_piece_goes_anywhere_when_the_totem_is_hemmed_in() {
    // Over d3 and d2 the totem comes to d1, whose neighbours are all taken.
    let text = ".../...../......./...*.../...A.../.CBb./c.c w";
    let position = Yoxii::parse(text).unwrap();
    let to_d1: Vec<String> = position
        .moves()
        .into_iter()
        .map(Yoxii::move_text)
        .filter(|mv| mv.starts_with("d1"))
        .collect();
    let empty = 37 - 6 - 1;
    assert_eq!(to_d1.len(), empty * 4);
    for mv in ["d1d4a", "d1g5d", "d1c7b"] {
        assert!(to_d1.contains(&mv.to_string()), "{mv}");
    }
}

#[test]
fn a_drawing_of_hokito_shows_everything() {
    let position = Hokito::parse("4CA.2C../A...../.....C/..6b.../8C...10c2c/....b. b").unwrap();
    let drawing = "
    +-----+-----+-----+-----+-----+-----+
  6 |  4C |   A |     |  2C |     |     |
    +-----+-----+-----+-----+-----+-----+
  5 |   A |     |     |     |     |     |
    +-----+-----+-----+-----+-----+-----+
  4 |     |     |     |     |     |   C |
    +-----+-----+-----+-----+-----+-----+
  3 |     |     |  6b |     |     |     |
    +-----+-----+-----+-----+-----+-----+
  2 |  8C |     |     |     | 10c |  2c |
    +-----+-----+-----+-----+-----+-----+
  1 |     |     |     |     |   b |     |
    +-----+-----+-----+-----+-----+-----+
       a     b     c     d     e     f

  Black (a b c = 1 2 3)   50 points,  4 piles
  White (A B C = 1 2 3)   47 points,  6 piles
  Black to move, 1 legal move
";
    assert_eq!(format!("\n{}", position.draw()), drawing);
}

#[test]
fn a_drawing_of_yoxii_shows_everything() {
    let position = Yoxii::parse(".B./.*.b./AcA..../Cc.A.aC/d..b.../.D.../... r").unwrap();
    let drawing = "
            +---+---+---+
  7         |   | B |   |
        +---+---+---+---+---+
  6     |   | * |   | b |   |
    +---+---+---+---+---+---+---+
  5 | A | c | A |   |   |   |   |
    +---+---+---+---+---+---+---+
  4 | C | c |   | A |   | a | C |
    +---+---+---+---+---+---+---+
  3 | d |   |   | b |   |   |   |
    +---+---+---+---+---+---+---+
  2     |   | D |   |   |   |
        +---+---+---+---+---+
  1         |   |   |   |
            +---+---+---+
      a   b   c   d   e   f   g

  White (A B C D = 1 2 3 4)   3 points from 2 next to the totem, in hand 2 x 1, 4 x 2, 3 x 3, 2 x 4
  Red   (a b c d = 1 2 3 4)   3 points from 1 next to the totem, in hand 4 x 1, 3 x 2, 3 x 3, 2 x 4
  Red to move the totem * from c6, 60 legal moves
";
    assert_eq!(format!("\n{}", position.draw()), drawing);
}

fn never_panics<G: Playable>(position: &str, mv: &str) -> Result<(), TestCaseError> {
    if let Ok(position) = G::parse(position) {
        prop_assert_eq!(G::parse(&position.notation()), Ok(position));
        prop_assert!(!position.draw().is_empty());
    }
    if let Ok(mv) = G::start().parse_move(mv) {
        prop_assert!(G::start().is_legal(mv));
    }
    Ok(())
}

/// A position with a few characters put in, left out or changed.
fn damaged(text: &'static str) -> impl Strategy<Value = String> {
    let known: Vec<char> = ".*aAbBcCdD0123679/ wr".chars().collect();
    let symbol = prop_oneof![4 => prop::sample::select(known), 1 => prop::char::any()];
    let edit = (0..=text.len(), 0..3_usize, symbol);
    prop::collection::vec(edit, 0..4).prop_map(|edits| {
        let mut symbols: Vec<char> = text.chars().collect();
        for (place, kind, symbol) in edits {
            let place = place.min(symbols.len());
            if kind == 0 || place == symbols.len() {
                symbols.insert(place, symbol);
            } else if kind == 1 {
                symbols.remove(place);
            } else {
                symbols[place] = symbol;
            }
        }
        symbols.into_iter().collect()
    })
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: 5000,
        rng_seed: RngSeed::Fixed(1),
        failure_persistence: None,
        ..ProptestConfig::default()
    })]

    #[test]
    fn any_text_is_read_or_refused(position in "\\PC{0,60}", mv in "\\PC{0,6}") {
        never_panics::<Hokito>(&position, &mv)?;
        never_panics::<Yoxii>(&position, &mv)?;
    }

    #[test]
    fn a_damaged_hokito_position_is_read_or_refused(
        position in damaged("4C.4B..A/..4c.2A./....B2a/.4Ab.../....2ba/4b..c4ca w"),
        mv in "[a-g][0-7][a-g][0-7]",
    ) {
        never_panics::<Hokito>(&position, &mv)?;
    }

    #[test]
    fn a_damaged_yoxii_position_is_read_or_refused(
        position in damaged(".B./.*.b./AcA..../Cc.A.aC/d..b.../.D.../... r"),
        mv in "[a-h][0-8][a-h][0-8][a-e]",
    ) {
        never_panics::<Yoxii>(&position, &mv)?;
    }
}

#[test]
fn names_of_games_are_read_in_any_case() {
    assert_eq!("YOXII".parse(), Ok(GameName::Yoxii));
    assert_eq!("Hokito".parse(), Ok(GameName::Hokito));
    assert_eq!(GameName::default(), GameName::Hokito);
    let error: UnknownGame = "go".parse::<GameName>().unwrap_err();
    assert_eq!(error.to_string(), "unknown game 'go', expected hokito or yoxii");
}
