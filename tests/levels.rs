//! Levels of strength: games between them, all of them decided by the positions alone.

mod reports;

use cairn::game::random::{Draw, Random};
use cairn::game::{Playable, Player};
use cairn::games::hokito::Hokito;
use cairn::games::yoxii::Yoxii;
use cairn::search::Searcher;
use cairn::search::alphabeta::AlphaBeta;
use cairn::search::level::{ELO, Level};
use cairn::search::limits::Limits;
use rand::SeedableRng;
use reports::reports;

/// The weakest level and two stronger ones, below full strength in both games.
const SOME: [usize; 3] = [*ELO.start(), 600, 900];

fn level<G: Playable>(elo: usize) -> Box<dyn Searcher<G>> {
    let level = Level::new::<G>(elo).expect("less than full strength");
    level.searcher().expect("a small table")
}

fn choose<G: Playable>(searcher: &mut dyn Searcher<G>, position: &G) -> G::Move {
    let reports = reports(searcher, position, &Limits::default());
    let best = reports.iter().rfind(|report| report.line == 1).expect("a report");
    best.pv[0]
}

/// Openings of a few random moves.
fn opening<G: Playable>(random: &mut Random) -> G {
    let mut position = G::random_start(0, random);
    for _ in 0..4 {
        let moves = position.moves();
        position.make(moves[random.below(moves.len())]);
    }
    position
}

/// The points of the first player in so many pairs of games.
fn points<G: Playable>(
    pairs: usize,
    mut first: impl FnMut(&G) -> G::Move,
    mut second: impl FnMut(&G) -> G::Move,
) -> f64 {
    let mut random = Random::seed_from_u64(5);
    let mut points = 0.0;
    for _ in 0..pairs {
        let start: G = opening(&mut random);
        for side in [Player::One, Player::Two] {
            let mut position = start;
            while !position.is_over() {
                let first_moves = position.side_to_move() == side;
                let mv = if first_moves { first(&position) } else { second(&position) };
                assert!(position.is_legal(mv), "{mv:?} in {}", position.notation());
                position.make(mv);
            }
            points += match position.outcome().winner {
                None => 0.5,
                Some(winner) => f64::from(u8::from(winner == side)),
            };
        }
    }
    points
}

fn each_level_beats_the_one_below<G: Playable>() {
    let pairs = 12;
    let mut random = Random::seed_from_u64(9);
    let at_random = |position: &G| {
        let moves = position.moves();
        moves[random.below(moves.len())]
    };
    let mut weakest = level::<G>(SOME[0]);
    let score = points(2 * pairs, |position| choose(&mut *weakest, position), at_random);
    assert!(score > 1.2 * 2.0 * pairs as f64, "the weakest has {score} against random moves");
    for elo in SOME.windows(2) {
        let (mut low, mut high) = (level::<G>(elo[0]), level::<G>(elo[1]));
        let score =
            points(pairs, |position| choose(&mut *high, position), |p| choose(&mut *low, p));
        assert!(score > 1.2 * pairs as f64, "{} has {score} against {}", elo[1], elo[0]);
    }
}

#[test]
fn each_level_of_hokito_beats_the_one_below() {
    each_level_beats_the_one_below::<Hokito>();
}

#[test]
fn each_level_of_yoxii_beats_the_one_below() {
    each_level_beats_the_one_below::<Yoxii>();
}

/// In won positions near the end, how many of a hundred moves of a level give the win away.
fn wins_given_away<G: Playable>(elo: usize) -> usize {
    let mut random = Random::seed_from_u64(30);
    let mut solver = AlphaBeta::<G>::new(1, 1).expect("1 MiB");
    let mut is_won = |position: &G, by: Player| {
        let winner = if position.is_over() {
            position.outcome().winner
        } else {
            let reports = reports(&mut solver, position, &Limits::default());
            let score = reports.last().expect("a report").score;
            let side = position.side_to_move();
            match (score.is_win(), score.is_loss()) {
                (true, _) => Some(side),
                (_, true) => Some(side.other()),
                _ => None,
            }
        };
        winner == Some(by)
    };
    let mut player = level::<G>(elo);
    let (mut tried, mut given_away) = (0, 0);
    while tried < 100 {
        let mut position = G::random_start(0, &mut random);
        while position.plies_left() > 12 && !position.is_over() {
            let moves = position.moves();
            position.make(moves[random.below(moves.len())]);
        }
        let side = position.side_to_move();
        if position.count_moves() < 5 || !is_won(&position, side) {
            continue;
        }
        tried += 1;
        position.make(choose(&mut *player, &position));
        given_away += usize::from(!is_won(&position, side));
    }
    given_away
}

fn strong_levels_keep_a_win<G: Playable>() {
    let (_, full) = G::STRENGTH;
    let [weak, middle, strong] = [*ELO.start(), 900, full - 100].map(wins_given_away::<G>);
    assert!(strong <= 5 && weak >= middle + 5, "{weak}, {middle} and {strong} wins given away");
}

#[test]
fn strong_levels_keep_a_win_of_hokito() {
    strong_levels_keep_a_win::<Hokito>();
}

#[test]
fn strong_levels_keep_a_win_of_yoxii() {
    strong_levels_keep_a_win::<Yoxii>();
}

/// Neither what was searched before, nor the table, nor the threads make a difference.
fn the_position_decides<G: Playable>() {
    let position: G = opening(&mut Random::seed_from_u64(3));
    for elo in SOME {
        let fresh = choose(&mut *level(elo), &position);
        let mut searcher = level(elo);
        searcher.set_hash(7).expect("7 MiB");
        searcher.set_threads(2);
        choose(&mut *searcher, &G::start());
        assert_eq!(choose(&mut *searcher, &position), fresh, "Elo {elo}");
    }
}

#[test]
fn the_same_position_gives_the_same_move() {
    the_position_decides::<Hokito>();
    the_position_decides::<Yoxii>();
}

/// Levels claim no proof, keep within stricter limits, and tell legal lines.
fn reports_are_true<G: Playable>() {
    let mut random = Random::seed_from_u64(8);
    let start: G = opening(&mut random);
    for elo in SOME {
        let mut searcher = level(elo);
        let own = reports(&mut *searcher, &start, &Limits::default());
        let most = own.last().expect("a report").nodes;
        let limits = Limits { nodes: Some(50), ..Limits::default() };
        let few = reports(&mut *searcher, &start, &limits);
        assert!(few.last().is_some_and(|report| report.nodes <= 50 && report.nodes < most));
        let only = start.moves()[..2].to_vec();
        let limits = Limits { search_moves: only.clone(), multi_pv: 3, ..Limits::default() };
        let two = reports(&mut *searcher, &start, &limits);
        assert_eq!(two.last().map(|report| report.line), Some(2), "Elo {elo}");
        assert!(two.iter().all(|report| only.contains(&report.pv[0])));
        for report in own.iter().chain(&few).chain(&two) {
            assert!(!report.proven && !report.score.is_win() && !report.score.is_loss());
            let mut position = start;
            for &mv in &report.pv {
                assert!(position.is_legal(mv));
                position.make(mv);
            }
        }
    }
}

#[test]
fn what_a_level_reports_is_true() {
    reports_are_true::<Hokito>();
    reports_are_true::<Yoxii>();
}

#[test]
fn the_top_is_full_strength() {
    let top = *ELO.end();
    assert!(Level::new::<Hokito>(top).is_none() && Level::new::<Yoxii>(top).is_none());
    assert!(Level::new::<Hokito>(*ELO.start()).is_some());
    assert!(Level::new::<Yoxii>(*ELO.start()).is_some());
}
