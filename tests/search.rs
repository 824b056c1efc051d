//! The searcher against minimax, on positions that are small enough for these.

mod exact;
mod reports;

use cairn::game::{Game, Playable};
use cairn::games::hokito::Hokito;
use cairn::games::yoxii::Yoxii;
use cairn::search::alphabeta::AlphaBeta;
use cairn::search::limits::Limits;
use cairn::search::solve::Solver;
use exact::{late_positions, value, value_of_move};
use reports::reports;

/// Whether the side to move can finish and win the game within so many plies, from the rules alone.
fn wins_within<G: Game>(position: &G, plies: usize) -> bool {
    plies > 0
        && position.moves().into_iter().any(|mv| {
            let mut next = *position;
            next.make(mv);
            if next.is_over() {
                return next.outcome().winner == Some(position.side_to_move());
            }
            plies >= 2
                && next.moves().into_iter().all(|answer| {
                    let mut after = next;
                    after.make(answer);
                    if after.is_over() {
                        after.outcome().winner == Some(position.side_to_move())
                    } else {
                        wins_within(&after, plies - 2)
                    }
                })
        })
}

/// `go win N` answers as minimax does, whatever the searcher learnt before.
fn win_within_agrees<G: Playable>(count: usize, plies_left: usize, most: usize) {
    let mut searcher = AlphaBeta::new(1, 1).expect("1 MiB");
    let mut answers = [0; 2];
    for position in late_positions::<G>(20, count, plies_left) {
        reports(&mut searcher, &position, &Limits { nodes: Some(2000), ..Limits::default() });
        for plies in 1..=most {
            let limits = Limits { win_within: Some(plies as u32), ..Limits::default() };
            let reports = reports(&mut searcher, &position, &limits);
            let won = reports.last().is_some_and(|report| report.score.is_win());
            let expected = wins_within(&position, plies);
            assert_eq!(won, expected, "{} within {plies}", position.notation());
            answers[usize::from(won)] += 1;
        }
    }
    assert!(answers.iter().all(|&n| n > count / 4), "both answers are tried: {answers:?}");
}

#[test]
fn hokito_wins_within_so_many_plies() {
    win_within_agrees::<Hokito>(60, 11, 6);
}

#[test]
fn yoxii_wins_within_so_many_plies() {
    win_within_agrees::<Yoxii>(60, 12, 6);
}

/// However a search ends, its last lines are ranked, of one iteration and without repeats.
fn lines_belong_together<G: Playable>() {
    for nodes in [1, 100, 1000, 5000, 20_000, 70_000] {
        let mut searcher = AlphaBeta::<G>::new(1, 1).expect("1 MiB");
        let limits = Limits { nodes: Some(nodes), multi_pv: 3, ..Limits::default() };
        let reports = reports(&mut searcher, &G::start(), &limits);
        let first = reports.iter().rposition(|report| report.line == 1).expect("a first line");
        let last = &reports[first..];
        assert!(last.windows(2).all(|pair| {
            let (better, worse) = (&pair[0], &pair[1]);
            worse.line == better.line + 1
                && worse.depth == better.depth
                && worse.score <= better.score
                && worse.pv.first() != better.pv.first()
        }));
        assert!(nodes < 5000 || last.len() == 3, "{nodes} nodes give {} lines", last.len());
    }
}

#[test]
fn several_lines_belong_together() {
    lines_belong_together::<Hokito>();
    lines_belong_together::<Yoxii>();
}

/// One thread and a number of nodes decide everything, also with what earlier searches left behind.
fn is_reproducible<G: Playable>() {
    let run = || {
        let mut searcher = AlphaBeta::<G>::new(1, 1).expect("1 MiB");
        let limits = Limits { nodes: Some(30_000), ..Limits::default() };
        let mut position = G::start();
        let mut found = Vec::new();
        for _ in 0..4 {
            let reports = reports(&mut searcher, &position, &limits);
            let best = reports.last().expect("a report");
            found.push((best.score, best.depth, best.nodes, best.pv.clone()));
            position.make(best.pv[0]);
        }
        found
    };
    assert_eq!(run(), run());
}

#[test]
fn searches_are_reproducible() {
    is_reproducible::<Hokito>();
    is_reproducible::<Yoxii>();
}

/// Near the end a search without a limit ends by itself, with the exact score and a move that keeps
/// it.
fn ends_are_solved<G: Playable>(count: usize, plies_left: usize) {
    let solver = Solver::new(1, 1).expect("1 MiB");
    let mut searcher = AlphaBeta::new(1, 1).expect("1 MiB");
    for position in late_positions::<G>(20, count, plies_left) {
        let reports = reports(&mut searcher, &position, &Limits::default());
        let best = reports.last().expect("a report");
        let exact = value(&solver, &position);
        let text = position.notation();
        assert_eq!((best.score, best.proven), (exact, true), "{text}");
        assert_eq!(best.depth as usize, position.plies_left(), "{text}");
        assert_eq!(value_of_move(&solver, &position, best.pv[0]), exact, "{text}");
    }
}

#[test]
fn ends_of_games_are_solved() {
    ends_are_solved::<Hokito>(40, 13);
    ends_are_solved::<Yoxii>(40, 14);
}

/// What is told as proven is true, and the number of positions is kept, however few they are.
fn proofs_hold<G: Playable>(count: usize, plies_left: usize) -> usize {
    let solver = Solver::new(1, 1).expect("1 MiB");
    let mut early = 0;
    for position in late_positions::<G>(20, count, plies_left) {
        let exact = value(&solver, &position);
        for nodes in [1, 60, 300, 1500, 6000, 30_000] {
            let mut searcher = AlphaBeta::new(1, 1).expect("1 MiB");
            let limits = Limits { nodes: Some(nodes), ..Limits::default() };
            let reports = reports(&mut searcher, &position, &limits);
            let best = reports.last().expect("a report");
            assert!(best.nodes <= nodes, "{} of {nodes} positions", best.nodes);
            for told in reports.iter().filter(|told| told.proven) {
                let text = position.notation();
                assert_eq!(told.score.0.signum(), exact.0.signum(), "{text}");
                // The winner has at least the margin that is told.
                assert!(told.score.0.abs() <= exact.0.abs(), "{text}: {told:?}");
                if !told.score.is_loss() {
                    let kept = value_of_move(&solver, &position, told.pv[0]);
                    assert!(kept >= told.score, "{text}: {told:?}");
                }
                early += usize::from((told.depth as usize) < position.plies_left());
            }
        }
    }
    early
}

#[test]
fn proven_results_hold() {
    assert!(proofs_hold::<Hokito>(30, 15) > 20, "some are proven before the last iteration");
    assert!(proofs_hold::<Yoxii>(30, 15) > 20, "some are proven before the last iteration");
}
