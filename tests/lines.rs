//! Several lines at once: what the solver proves of them, and moves that are images of each other.

mod exact;
mod reports;

use std::cmp::Reverse;

use cairn::game::random::Random;
use cairn::game::{Game, Playable, Symmetry};
use cairn::games::hokito::Hokito;
use cairn::games::yoxii::Yoxii;
use cairn::search::Searcher;
use cairn::search::limits::{Control, Limits};
use cairn::search::method::Method;
use cairn::search::report::Report;
use cairn::search::score::Score;
use cairn::search::solve::Solver;
use exact::{late_positions, value_of_move};
use reports::reports;

const METHODS: [Method; 2] = [Method::AlphaBeta, Method::Mcts];

fn searcher<G: Playable>(method: Method, threads: usize) -> Box<dyn Searcher<G>> {
    method.searcher(4, threads).expect("4 MiB")
}

/// The sets of lines that belong together.
fn sets<M>(reports: &[Report<M>]) -> Vec<&[Report<M>]> {
    reports.chunk_by(|_, next| next.line != 1).collect()
}

/// Ranked from 1, the best first, each with a move of its own and a line that can be played.
fn belong_together<G: Playable>(position: &G, set: &[Report<G::Move>]) {
    let text = position.notation();
    for (i, report) in set.iter().enumerate() {
        assert_eq!(report.line, i + 1, "{text}");
        assert_eq!(report.depth, set[0].depth, "{text}");
        assert!(i == 0 || report.score <= set[i - 1].score, "{text}: {set:?}");
        let mut end = *position;
        for &mv in &report.pv {
            assert!(end.is_legal(mv), "{text}: {report:?}");
            end.make(mv);
        }
    }
    let mut moves: Vec<_> = set.iter().map(|report| report.pv[0]).collect();
    moves.sort_unstable();
    moves.dedup();
    assert_eq!(moves.len(), set.len(), "{text}: a move comes twice");
}

/// What all moves are worth, the best first.
fn values<G: Playable>(
    solver: &Solver<G>,
    position: &G,
    moves: &[G::Move],
) -> Vec<(G::Move, Score)> {
    let value = |&mv: &G::Move| (mv, value_of_move(solver, position, mv));
    let mut values: Vec<_> = moves.iter().map(value).collect();
    values.sort_by_key(|&(_, value)| Reverse(value));
    values
}

/// What is told as proven is true.
fn proofs_hold<G: Playable>(
    position: &G,
    set: &[Report<G::Move>],
    values: &[(G::Move, Score)],
) -> usize {
    for report in set.iter().filter(|report| report.proven) {
        let known = values.iter().find(|(mv, _)| *mv == report.pv[0]);
        let &(_, value) = known.expect("a move that is considered");
        let told = report.score;
        let text = position.notation();
        assert_eq!(told.0.signum(), value.0.signum(), "{text}: {report:?}, {value:?}");
        assert!(told.0.abs() <= value.0.abs(), "{text}: {report:?}, {value:?}");
    }
    set.iter().filter(|report| report.proven).count()
}

/// The last set has the best moves with their exact values and lines that end with them.
fn is_exact<G: Playable>(
    position: &G,
    set: &[Report<G::Move>],
    values: &[(G::Move, Score)],
    lines: usize,
) {
    let text = position.notation();
    assert_eq!(set.len(), lines.min(values.len()), "{text}");
    for (report, (_, value)) in set.iter().zip(values) {
        assert!(report.proven && report.depth as usize == position.plies_left(), "{text}");
        assert_eq!(report.score, *value, "{text}: {report:?}");
        let mut end = *position;
        report.pv.iter().for_each(|&mv| end.make(mv));
        assert!(end.is_over(), "{text}: {report:?}");
        let sign = if report.pv.len() % 2 == 0 { 1 } else { -1 };
        assert_eq!(Score(Score::of_end(&end).0 * sign), *value, "{text}: {report:?}");
    }
    proofs_hold(position, set, values);
}

fn all_lines_are_solved<G: Playable>(count: usize, plies_left: usize) {
    let solver = Solver::<G>::new(4, 1).expect("4 MiB");
    for (i, position) in late_positions::<G>(31, count, plies_left).iter().enumerate() {
        let moves = position.moves();
        let values = values(&solver, position, &moves);
        for method in METHODS {
            for lines in [2, 5, 256] {
                let limits = Limits { lines, ..Limits::default() };
                let told = reports(&mut *searcher(method, 1 + i % 2), position, &limits);
                let sets = sets(&told);
                for set in &sets {
                    belong_together(position, set);
                    proofs_hold(position, set, &values);
                }
                is_exact(position, sets.last().expect("a set"), &values, lines);
            }
        }
    }
}

#[test]
fn all_lines_are_solved_in_hokito() {
    all_lines_are_solved::<Hokito>(20, 13);
}

#[test]
fn all_lines_are_solved_in_yoxii() {
    all_lines_are_solved::<Yoxii>(20, 13);
}

/// The same where the search may consider some of the moves only.
fn searchmoves_are_solved<G: Playable>(count: usize, plies_left: usize) {
    let solver = Solver::<G>::new(4, 1).expect("4 MiB");
    for position in late_positions::<G>(32, count, plies_left) {
        let only: Vec<G::Move> = position.moves().into_iter().skip(1).step_by(3).collect();
        if only.is_empty() {
            continue;
        }
        let values = values(&solver, &position, &only);
        for (method, lines) in [(Method::AlphaBeta, 1), (Method::AlphaBeta, 3), (Method::Mcts, 3)] {
            let limits = Limits { lines, only: only.clone(), ..Limits::default() };
            let told = reports(&mut *searcher(method, 1), &position, &limits);
            let sets = sets(&told);
            for set in &sets {
                belong_together(&position, set);
                proofs_hold(&position, set, &values);
            }
            is_exact(&position, sets.last().expect("a set"), &values, lines);
        }
    }
}

#[test]
fn searchmoves_are_solved_in_both_games() {
    searchmoves_are_solved::<Hokito>(20, 13);
    searchmoves_are_solved::<Yoxii>(20, 13);
}

/// However few positions may be visited, no more are, and what is told is true. Gives the proven
/// lines in sets that are not exact yet.
fn limits_hold<G: Playable>(count: usize, plies_left: usize, method: Method) -> usize {
    let solver = Solver::<G>::new(4, 1).expect("4 MiB");
    let mut early = 0;
    for position in late_positions::<G>(33, count, plies_left) {
        let moves = position.moves();
        let values = values(&solver, &position, &moves);
        for nodes in [1, 20, 100, 800, 4000, 15_000, 50_000] {
            let limits = Limits { lines: 4, nodes: Some(nodes), ..Limits::default() };
            let told = reports(&mut *searcher(method, 1), &position, &limits);
            assert!(told.iter().all(|report| report.nodes <= nodes), "{}", position.notation());
            for set in sets(&told) {
                belong_together(&position, set);
                let proven = proofs_hold(&position, set, &values);
                let exact = set[0].depth as usize == position.plies_left();
                early += if exact { 0 } else { proven };
            }
        }
    }
    early
}

#[test]
fn a_limit_of_nodes_holds_with_several_lines() {
    for method in METHODS {
        assert!(limits_hold::<Hokito>(12, 15, method) > 20);
        assert!(limits_hold::<Yoxii>(12, 14, method) > 20);
    }
}

/// A search that is stopped at any report ends with a whole set of lines soon.
fn stops_at_any_time<G: Playable>(plies_left: usize) {
    for position in late_positions::<G>(34, 4, plies_left) {
        let lines = 6.min(position.count_moves());
        let limits = Limits { lines, ..Limits::default() };
        for method in METHODS {
            let all = reports(&mut *searcher(method, 1), &position, &limits);
            for stop in 0..all.len().min(40) {
                let control = Control::new(false);
                let mut told = Vec::new();
                searcher(method, 1).search(&position, &limits, &control, &mut |report| {
                    told.push(report.clone());
                    if told.len() > stop {
                        control.stop();
                    }
                });
                let sets = sets(&told);
                sets.iter().for_each(|set| belong_together(&position, set));
                let last = sets.last().expect("a set");
                assert_eq!(last.len(), lines, "{}", position.notation());
            }
        }
    }
}

#[test]
fn a_stop_leaves_a_whole_set() {
    stops_at_any_time::<Hokito>(13);
    stops_at_any_time::<Yoxii>(13);
}

/// Late positions of Hokito that are their own mirror images.
fn mirrored_hokito(count: usize) -> Vec<Hokito> {
    let mut random = Random::new(41);
    mirrored(count, || {
        let mut heights = [1; 5];
        (5..18).for_each(|_| heights[random.below(5)] += 1);
        let mut piles: Vec<String> = vec![".".to_string(); 18];
        for (pile, height) in piles.iter_mut().zip(heights) {
            let top = ["a", "b", "c", "A", "B", "C"][random.below(6)];
            *pile = if height > 1 { format!("{height}{top}") } else { top.to_string() };
        }
        random.shuffle(&mut piles);
        let rank = |half: &[String]| {
            half.iter().chain(half.iter().rev()).map(String::as_str).collect::<String>()
        };
        let ranks: Vec<String> = piles.chunks(3).map(rank).collect();
        format!("{} {}", ranks.join("/"), ["b", "w"][random.below(2)])
    })
}

/// The same of Yoxii, with the totem in the middle file.
fn mirrored_yoxii(count: usize) -> Vec<Yoxii> {
    let mut random = Random::new(42);
    mirrored(count, || {
        let totem = 1 + random.below(5);
        let ranks = [1, 2, 3, 3, 3, 2, 1].iter().enumerate().map(|(rank, &half)| {
            let mut square = || {
                let letters = ["a", "b", "c", "d", "A", "B", "C", "D"];
                if random.below(10) < 3 { "." } else { letters[random.below(8)] }
            };
            let half: Vec<&str> = (0..half).map(|_| square()).collect();
            let middle = if rank == totem { "*" } else { square() };
            half.iter().copied().chain([middle]).chain(half.iter().rev().copied()).collect()
        });
        let ranks: Vec<String> = ranks.collect();
        format!("{} {}", ranks.join("/"), ["w", "r"][random.below(2)])
    })
}

/// The texts that are positions in which there is something to choose.
fn mirrored<G: Playable>(count: usize, mut text: impl FnMut() -> String) -> Vec<G> {
    let mut positions = Vec::new();
    while positions.len() < count {
        if let Ok(position) = G::parse(&text())
            && position.count_moves() > 5
            && position.plies_left() < 14
        {
            assert!((1..G::SYMMETRIES).any(|i| position.image(i) == position));
            positions.push(position);
        }
    }
    positions
}

/// Whether two moves lead to images of one position under a symmetry of this one.
fn alike<G: Symmetry>(position: &G, a: G::Move, b: G::Move) -> bool {
    let after = |mv| {
        let mut child = *position;
        child.make(mv);
        child
    };
    let (a, b) = (after(a), after(b));
    (0..G::SYMMETRIES).any(|i| position.image(i) == *position && a.image(i) == b)
}

/// Of images one is left, worth what all of them are.
fn images_are_shown_once<G: Playable>(positions: &[G]) {
    let solver = Solver::<G>::new(4, 1).expect("4 MiB");
    let mut folded = 0;
    for position in positions {
        let text = position.notation();
        let moves = position.moves();
        let values = values(&solver, position, &moves);
        for method in METHODS {
            for lines in [3, 256] {
                let limits = Limits { lines, fold: true, ..Limits::default() };
                let told = reports(&mut *searcher(method, 1), position, &limits);
                let sets = sets(&told);
                sets.iter().for_each(|set| belong_together(position, set));
                let last = sets.last().expect("a set");
                // The first of each class, from the exact values of all moves.
                let mut classes: Vec<(G::Move, Score)> = Vec::new();
                for &(mv, value) in &values {
                    if classes.iter().all(|&(known, _)| !alike(position, known, mv)) {
                        classes.push((mv, value));
                    }
                }
                folded += moves.len() - classes.len();
                assert_eq!(last.len(), lines.min(classes.len()), "{text}");
                for (report, (_, value)) in last.iter().zip(&classes) {
                    assert_eq!((report.score, report.proven), (*value, true), "{text}");
                    let of: Vec<_> =
                        classes.iter().filter(|c| alike(position, c.0, report.pv[0])).collect();
                    assert_eq!((of.len(), of[0].1), (1, *value), "{text}");
                }
                for (a, b) in last.iter().flat_map(|a| last.iter().map(move |b| (a, b))) {
                    assert!(a.line == b.line || !alike(position, a.pv[0], b.pv[0]), "{text}");
                }
            }
        }
    }
    assert!(folded > positions.len(), "some moves are images of others");
}

#[test]
fn images_are_shown_once_in_hokito() {
    images_are_shown_once(&mirrored_hokito(15));
}

#[test]
fn images_are_shown_once_in_yoxii() {
    images_are_shown_once(&mirrored_yoxii(15));
}

#[test]
fn the_first_of_images_that_are_named_stands_for_them() {
    let start = Yoxii::start();
    let mv = |text| cairn::game::Notation::parse_move(&start, text).expect("legal");
    // Twice the same but for a rotation, then a move of another kind, then once more the first
    // kind.
    let only = vec![mv("e4f4a"), mv("c4b4a"), mv("e5f6b"), mv("d5d6a")];
    for method in METHODS {
        let limits = Limits {
            lines: 9,
            fold: true,
            only: only.clone(),
            depth: Some(2),
            ..Limits::default()
        };
        let told = reports(&mut *searcher(method, 1), &start, &limits);
        let sets = sets(&told);
        let mut shown: Vec<_> = sets.last().expect("a set").iter().map(|r| r.pv[0]).collect();
        shown.sort_by_key(|mv| only.iter().position(|one| one == mv));
        assert_eq!(shown, [only[0], only[2]]);
        // One line alone is what it always was.
        let limits = Limits { lines: 1, nodes: Some(500), ..limits };
        let folded = reports(&mut *searcher(method, 1), &start, &limits);
        let limits = Limits { fold: false, ..limits };
        let plain = reports(&mut *searcher(method, 1), &start, &limits);
        let all = |told: &[Report<_>]| {
            told.iter().map(|r| (r.score, r.depth, r.nodes, r.pv.clone())).collect::<Vec<_>>()
        };
        assert_eq!(all(&folded), all(&plain));
    }
}
