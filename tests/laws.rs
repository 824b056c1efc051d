//! The laws that every game obeys, at every position of many random games.

mod reference;

use std::collections::BTreeSet;

use cairn::game::random::{Draw, Random};
use cairn::game::{Game, MAX_EVAL, MAX_MOVES, Player};
use cairn::games::hokito::Hokito;
use cairn::games::yoxii::Yoxii;
use cairn::maps::HashMap;
use cairn::tools::perft::perft;
use rand::SeedableRng;
use reference::Reference;

/// Plays random games to their end, from every kind of set-up in turn, and calls `visit` with the
/// positions of each from first to last.
fn each_game<G: Reference>(games: u64, mut visit: impl FnMut(&[G])) {
    for seed in 0..games {
        let mut random = Random::seed_from_u64(seed);
        let setup = seed as usize % (G::SETUPS.len() + 1);
        let mut position = match setup.checked_sub(1) {
            None => G::start(),
            Some(setup) => G::random_start(setup, &mut random),
        };
        let mut game = vec![position];
        loop {
            let moves = position.moves();
            if moves.is_empty() {
                break;
            }
            position.make(moves[random.below(moves.len())]);
            game.push(position);
        }
        visit(&game);
    }
}

fn each_position<G: Reference>(games: u64, mut visit: impl FnMut(&G)) {
    each_game(games, |game| game.iter().for_each(&mut visit));
}

fn children<G: Game>(position: &G) -> Vec<G> {
    position
        .moves()
        .into_iter()
        .map(|mv| {
            let mut next = *position;
            next.make(mv);
            next
        })
        .collect()
}

/// What is generated, counted, called over and made is what the reference say.
fn moves_are_those_of_the_rules<G: Reference>() {
    each_position(150, |position: &G| {
        let text = position.notation();
        let reference = G::reference_moves(&text);
        let moves = position.moves();
        assert_eq!(moves.len(), reference.len(), "{text}");
        assert_eq!(position.count_moves(), reference.len(), "{text}");
        assert_eq!(position.is_over(), reference.is_empty(), "{text}");
        for mv in moves {
            let mv_text = G::move_text(mv);
            let after =
                reference.get(&mv_text).unwrap_or_else(|| panic!("{text} has no {mv_text}"));
            let mut next = *position;
            next.make(mv);
            assert_eq!(&next.notation(), after, "{text} {mv_text}");
            assert_eq!(next.side_to_move(), position.side_to_move().other(), "{text} {mv_text}");
        }
    });
}

fn results_are_those_of_the_rules<G: Reference>() {
    let mut winners = BTreeSet::new();
    each_position(1000, |position: &G| {
        let text = position.notation();
        assert_eq!((position.points(), position.outcome()), G::reference_result(&text), "{text}");
        let [one, two] = position.points();
        assert_eq!(position.outcome().margin, one - two, "{text}");
        if position.is_over() {
            winners.insert(position.outcome().winner.map(Player::index));
        }
    });
    assert_eq!(winners.len(), 3, "wins of both players and draws happen");
}

/// Equality compares every field, also those that are kept incrementally. A position read from text
/// has them computed afresh.
fn incremental_state_is_that_of_a_fresh_position<G: Reference>() {
    each_position(150, |position: &G| {
        for position in children(position).iter().chain([position]) {
            let text = position.notation();
            let fresh = G::parse(&text).unwrap_or_else(|error| panic!("{text}: {error}"));
            assert_eq!(*position, fresh, "{text}");
            assert_eq!(position.key(), fresh.key(), "{text}");
        }
    });
}

fn exactly_the_generated_moves_are_legal<G: Reference>() {
    each_position(100, |position: &G| {
        let listed: Vec<u16> = position.moves().into_iter().map(Into::into).collect();
        let mut generated = listed.clone();
        generated.sort_unstable();
        generated.dedup();
        assert_eq!(generated.len(), listed.len(), "{} lists a move twice", position.notation());
        let legal: Vec<u16> =
            (0..=u16::MAX).filter(|&mv| position.is_legal(G::Move::from(mv))).collect();
        assert_eq!(legal, generated, "{}", position.notation());
        assert!(!legal.contains(&0));
    });
}

/// Move text reads back as the same move, no two moves of a position share it, and the words for a
/// player name the squares.
fn move_text_is_exact<G: Reference>() {
    each_position(150, |position: &G| {
        let moves = position.moves();
        let texts: BTreeSet<String> = moves.iter().map(|&mv| G::move_text(mv)).collect();
        assert_eq!(texts.len(), moves.len());
        for mv in moves {
            let text = G::move_text(mv);
            assert_eq!(position.parse_move(&text), Ok(mv), "{} {text}", position.notation());
            let words = position.describe_move(mv);
            assert!(words.starts_with(G::PLAYERS[position.side_to_move().index()]), "{words}");
            assert!(words.contains(&text[..2]) && words.contains(&text[2..4]), "{text}: {words}");
        }
    });
}

/// Seen through a symmetry, a position has the seen moves, the same result and the same leaves.
fn symmetries_keep_the_rules<G: Reference>() {
    let mut largest = 0;
    each_position(30, |position: &G| {
        let text = position.notation();
        let leaves = perft(position, 2);
        let mut images = BTreeSet::new();
        for index in 0..G::SYMMETRIES {
            let image = position.image(index);
            images.insert(image.notation());
            let context = format!("{text} seen as {}", image.notation());
            assert_eq!(perft(&image, 2), leaves, "{context}");
            assert_eq!(image.outcome(), position.outcome(), "{context}");
            assert_eq!(image.points(), position.points(), "{context}");
            assert_eq!(image.side_to_move(), position.side_to_move(), "{context}");
            assert_eq!(image.plies_left(), position.plies_left(), "{context}");
            assert_eq!(G::parse(&image.notation()), Ok(image), "{context}");
            let seen: BTreeSet<String> =
                children(position).iter().map(|next| next.image(index).notation()).collect();
            let own: BTreeSet<String> = children(&image).iter().map(G::notation).collect();
            assert_eq!(own, seen, "{context}");
        }
        assert_eq!(position.image(0), *position);
        largest = largest.max(images.len());
    });
    assert_eq!(largest, G::SYMMETRIES, "the symmetries differ from each other");
}

fn swapped_players_swap_the_results<G: Reference>() {
    each_position(100, |position: &G| {
        let text = position.notation();
        let swapped = position.swapped();
        assert_eq!(swapped.map(|swapped| swapped.notation()), G::reference_swap(&text), "{text}");
        let Some(swapped) = swapped else { return };
        let [one, two] = position.points();
        let outcome = position.outcome();
        assert_eq!(swapped.points(), [two, one], "{text}");
        assert_eq!(swapped.outcome().margin, -outcome.margin, "{text}");
        assert_eq!(swapped.outcome().winner, outcome.winner.map(Player::other), "{text}");
        assert_eq!(swapped.swapped(), Some(*position), "{text}");
        assert_eq!(G::parse(&swapped.notation()), Ok(swapped), "{text}");
        let seen: BTreeSet<String> =
            children(position).iter().filter_map(G::swapped).map(|next| next.notation()).collect();
        let own: BTreeSet<String> = children(&swapped).iter().map(G::notation).collect();
        assert_eq!(own, seen, "{text}");
    });
}

/// A key stands for one position: among all that were met, and their children, and their images.
fn keys_tell_positions_apart<G: Reference>() {
    let mut met: HashMap<u64, G> = HashMap::default();
    let mut again = 0;
    each_position(100, |position: &G| {
        let images = (1..G::SYMMETRIES).map(|index| position.image(index));
        for position in children(position).into_iter().chain(images).chain([*position]) {
            let known = met.len();
            let other = *met.entry(position.key()).or_insert(position);
            again += u64::from(met.len() == known);
            assert_eq!(
                other,
                position,
                "one key for {} and {}",
                other.notation(),
                position.notation()
            );
        }
    });
    assert!(met.len() > 50_000, "{} positions", met.len());
    assert!(again > 1000, "positions are met again");
}

fn games_end_in_time<G: Reference>() {
    let mut longest = 0;
    each_game(1000, |game: &[G]| {
        assert!(game.len() - 1 <= G::MAX_PLIES, "{}", game[0].notation());
        longest = longest.max(game.len() - 1);
        for (left, position) in game.iter().rev().enumerate() {
            let bound = position.plies_left();
            assert!(bound >= left, "{}: {bound} plies, not {left}", position.notation());
            assert!(bound <= G::MAX_PLIES, "{}", position.notation());
        }
    });
    assert!(longest + 3 >= G::MAX_PLIES, "{longest} plies are far from the bound");
}

fn move_lists_hold_what_is_proven<G: Reference>() {
    assert!(G::MOST_MOVES <= MAX_MOVES);
    each_position(1000, |position: &G| {
        assert!(position.count_moves() <= G::MOST_MOVES, "{}", position.notation());
    });
}

fn evaluations_keep_to_their_range<G: Reference>() {
    each_position(300, |position: &G| {
        let text = position.notation();
        assert!(position.evaluate().abs() <= MAX_EVAL, "{text}");
        for mv in position.moves() {
            assert!(position.history_index(mv) < G::HISTORY_SIZE, "{text} {}", G::move_text(mv));
        }
    });
}

macro_rules! laws {
    ($module:ident, $game:ty, [$($law:ident),+ $(,)?]) => {
        mod $module {
            use super::*;
            $(
                #[test]
                fn $law() {
                    super::$law::<$game>();
                }
            )+
        }
    };
    ($($module:ident = $game:ty),+) => {
        $(laws!($module, $game, [
            moves_are_those_of_the_rules,
            results_are_those_of_the_rules,
            incremental_state_is_that_of_a_fresh_position,
            exactly_the_generated_moves_are_legal,
            move_text_is_exact,
            symmetries_keep_the_rules,
            swapped_players_swap_the_results,
            keys_tell_positions_apart,
            games_end_in_time,
            move_lists_hold_what_is_proven,
            evaluations_keep_to_their_range,
        ]);)+
    };
}

laws!(hokito = Hokito, yoxii = Yoxii);
