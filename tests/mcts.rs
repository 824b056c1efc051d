//! Monte-Carlo tree search: its limits, its proofs and its memory.

mod reports;

use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

use cairn::game::random::{Draw, Random};
use cairn::game::{Game, Notation, Playable};
use cairn::games::hokito::Hokito;
use cairn::games::yoxii::Yoxii;
use cairn::games::{ForGame, GameName};
use cairn::search::Searcher;
use cairn::search::alphabeta::AlphaBeta;
use cairn::search::limits::{Clock, Control, Limits};
use cairn::search::mcts::Mcts;
use cairn::search::report::Report;
use cairn::search::solve::{Goal, Solver};
use rand::SeedableRng;
use reports::reports;

/// A position after so many random moves, or before the game is over.
fn random_position<G: Playable>(random: &mut Random, plies: usize) -> G {
    loop {
        let mut position = G::random_start(0, random);
        for _ in 0..plies {
            let moves = position.moves();
            if moves.is_empty() {
                break;
            }
            position.make(moves[random.below(moves.len())]);
        }
        if !position.is_over() {
            return position;
        }
    }
}

fn search<G: Playable>(
    searcher: &mut Mcts<G>,
    position: &G,
    limits: &Limits<G::Move>,
) -> Vec<Report<G::Move>> {
    let reports = reports(searcher, position, limits);
    reports.iter().for_each(|report| holds(position, report));
    reports
}

/// What every report must be.
fn holds<G: Playable>(position: &G, report: &Report<G::Move>) {
    let mut end = *position;
    assert!(!report.pv.is_empty(), "there is a move to play");
    for &mv in &report.pv {
        assert!(end.is_legal(mv), "{}: {:?}", position.notation(), report);
        end.make(mv);
    }
    assert!(report.depth as usize <= position.plies_left());
    assert!(report.depth <= report.selective_depth || report.proven);
    assert!(report.selective_depth as usize <= position.plies_left());
    assert!(report.hash_full <= 1000);
    assert_eq!(report.chances.map_or(1000, |chances| chances.iter().sum()), 1000);
    assert_eq!(report.proven, report.chances.is_none());
    assert_eq!(
        report.proven && report.score.0 != 0,
        report.score.is_win() || report.score.is_loss()
    );
}

fn nodes<M>(nodes: u64) -> Limits<M> {
    Limits { nodes: Some(nodes), ..Limits::default() }
}

/// One thread and a number of visits decide everything, also with the tree of the last move.
fn is_reproducible<G: Playable>() {
    let run = |searcher: &mut Mcts<G>| {
        let mut position = G::start();
        let mut found = Vec::new();
        for _ in 0..3 {
            let reports = search(searcher, &position, &nodes(300));
            found.extend(reports.iter().map(|report| {
                (report.score, report.depth, report.nodes, report.hash_full, report.pv.clone())
            }));
            position.make(reports.last().expect("a report").pv[0]);
        }
        found
    };
    let mut searcher = Mcts::new(4, 1).expect("4 MiB");
    let first = run(&mut searcher);
    searcher.new_game();
    assert_eq!(first, run(&mut searcher), "a new game begins with nothing");
    assert_eq!(first, run(&mut Mcts::new(4, 1).expect("4 MiB")));
}

#[test]
fn searches_are_reproducible() {
    is_reproducible::<Hokito>();
    is_reproducible::<Yoxii>();
}

/// The results of late positions are those of the table that another program made, and the move
/// played keeps them.
#[test]
fn proofs_agree_with_the_solved_positions() {
    struct Solved<'a>(&'a str, i32, i32);
    impl ForGame for Solved<'_> {
        type Output = ();
        fn run<G: Playable>(self) {
            let Self(text, outcome, margin) = self;
            let position = G::parse(text).expect("a position");
            let mut searcher = Mcts::<G>::new(8, 1).expect("8 MiB");
            let reports = search(&mut searcher, &position, &nodes(100_000));
            let report = reports.last().expect("a report");
            assert!(report.proven, "{text}: {report:?}");
            assert_eq!(report.score.0.signum(), outcome, "{text}");
            let points = report.score.centipoints() / 100;
            assert!(points * outcome <= margin * outcome, "{text}: {points} of {margin}");
            let exact = report.depth as usize == position.plies_left();
            assert!(!exact || points == margin, "{text}: {points} is not {margin}");
            let mut after = position;
            after.make(report.pv[0]);
            let solver = Solver::<G>::new(8, 1).expect("8 MiB");
            let solution =
                solver.solve(&after, Goal::Outcome, None, &Control::new(false), &mut |_| {});
            assert_eq!(solution.result(), Some(-outcome), "{text}: {:?}", report.pv[0]);
        }
    }
    let table = include_str!("data/solved.tsv");
    let rows = table.lines().filter(|line| !line.starts_with('#'));
    for row in rows {
        let fields: Vec<&str> = row.split('\t').collect();
        let game: GameName = fields[0].parse().expect("a game");
        let number = |i: usize| fields[i].parse().expect("a number");
        game.dispatch(Solved(fields[1], number(2), number(3)));
    }
}

/// Memory that is far too small: the search goes on, and what it proves is true, with one thread
/// and with several that take each other's blocks.
fn small_memory_is_enough<G: Playable>(plies: usize, visits: u64) {
    let mut random = Random::seed_from_u64(6);
    let solver = Solver::<G>::new(8, 1).expect("8 MiB");
    let mut proven = 0;
    for threads in [1, 4] {
        let mut searcher = Mcts::<G>::new(1, threads).expect("1 MiB");
        for _ in 0..6 {
            let position: G = random_position(&mut random, plies);
            let reports = search(&mut searcher, &position, &nodes(visits));
            let report = reports.last().expect("a report");
            if report.proven {
                proven += 1;
                let control = Control::new(false);
                let truth = solver.solve(&position, Goal::Outcome, None, &control, &mut |_| {});
                assert_eq!(truth.result(), Some(report.score.0.signum()), "{report:?}");
            } else {
                assert_eq!(report.nodes, visits);
            }
        }
    }
    assert!(proven > 2, "{proven} proofs");
}

#[test]
fn small_memory_is_enough_in_hokito() {
    small_memory_is_enough::<Hokito>(19, 2500);
}

#[test]
fn small_memory_is_enough_in_yoxii() {
    small_memory_is_enough::<Yoxii>(17, 2500);
}

#[test]
fn a_full_memory_does_not_end_the_search() {
    let mut searcher = Mcts::<Yoxii>::new(1, 2).expect("1 MiB");
    let reports = search(
        &mut searcher,
        &Yoxii::parse(".../...../......./...*.../......./...../... w").expect("a position"),
        &nodes(5000),
    );
    let report = reports.last().expect("a report");
    assert_eq!((report.nodes, report.hash_full), (5000, 1000));
    assert!(report.depth > 2);
}

/// The visits below the move that was played, and its answer, are kept.
fn the_tree_is_kept<G: Playable>() {
    let mut searcher = Mcts::<G>::new(16, 1).expect("16 MiB");
    let mut position = G::start();
    let first = search(&mut searcher, &position, &nodes(1000));
    let pv = &first.last().expect("a report").pv;
    assert!(pv.len() > 4);
    for &mv in &pv[..2] {
        position.make(mv);
    }
    let kept = search(&mut searcher, &position, &nodes(1));
    let fresh = search(&mut Mcts::<G>::new(16, 1).expect("16 MiB"), &position, &nodes(1));
    assert!(kept[0].pv.len() > fresh[0].pv.len() + 1, "{:?} {:?}", kept[0], fresh[0]);
    // The same position again, and one that the tree does not have.
    assert!(search(&mut searcher, &position, &nodes(1))[0].pv.len() > fresh[0].pv.len() + 1);
    assert_eq!(search(&mut searcher, &G::start(), &nodes(1))[0].pv.len(), 1);
}

#[test]
fn the_tree_is_kept_from_move_to_move() {
    the_tree_is_kept::<Hokito>();
    the_tree_is_kept::<Yoxii>();
}

/// Games to the end with one tree: what is proven once stays proven, and is played.
fn proofs_are_played<G: Playable>(plies: usize) {
    let mut random = Random::seed_from_u64(14);
    let solver = Solver::<G>::new(8, 1).expect("8 MiB");
    let mut wins = 0;
    for _ in 0..20 {
        let mut position: G = random_position(&mut random, plies);
        let mut searcher = Mcts::<G>::new(4, 1).expect("4 MiB");
        let mut results = [None; 2];
        while !position.is_over() {
            let reports = search(&mut searcher, &position, &nodes(200));
            let report = reports.last().expect("a report");
            let result = &mut results[position.side_to_move().index()];
            let now = report.proven.then_some(report.score.0.signum());
            assert!(result.is_none() || now.is_some(), "{}: {report:?}", position.notation());
            assert!(*result != Some(1) || now == Some(1), "{}: {report:?}", position.notation());
            *result = now;
            position.make(report.pv[0]);
            if let Some(result) = now {
                let control = Control::new(false);
                let truth = solver.solve(&position, Goal::Outcome, None, &control, &mut |_| {});
                assert_eq!(truth.result(), Some(-result), "{}: {report:?}", position.notation());
                wins += usize::from(result == 1);
            }
        }
    }
    assert!(wins > 20, "{wins} won positions");
}

#[test]
fn what_is_proven_is_played() {
    proofs_are_played::<Hokito>(17);
    proofs_are_played::<Yoxii>(17);
}

/// The last lines, ranked.
fn last_lines<M: Clone>(reports: &[Report<M>]) -> &[Report<M>] {
    let first = reports.iter().rposition(|report| report.line == 1).expect("a first line");
    &reports[first..]
}

fn limits_are_kept<G: Playable>() {
    let start = G::start();
    for threads in [1, 3] {
        let mut searcher = Mcts::<G>::new(2, threads).expect("2 MiB");
        for visits in [1, 2, 7, 500] {
            let reports = search(&mut searcher, &start, &nodes(visits));
            assert_eq!(reports.last().map(|report| report.nodes), Some(visits));
        }
        for depth in [1, 3, 5] {
            let limits = Limits { depth: Some(depth), ..Limits::default() };
            let reports = search(&mut searcher, &start, &limits);
            assert!(reports.last().is_some_and(|report| report.depth >= depth));
        }
        let only = start.moves()[3..6].to_vec();
        let limits = Limits { search_moves: only.clone(), multi_pv: 5, ..nodes(300) };
        let reports = search(&mut searcher, &start, &limits);
        assert!(reports.iter().all(|report| only.contains(&report.pv[0])));
        assert_eq!(last_lines(&reports).len(), 3);
        let limits = Limits { multi_pv: 40, ..nodes(2000) };
        let reports = search(&mut searcher, &start, &limits);
        let lines = last_lines(&reports);
        assert_eq!(lines.len(), 40, "all moves are there again");
        assert!(lines.windows(2).all(|pair| {
            let (better, worse) = (&pair[0], &pair[1]);
            worse.line == better.line + 1
                && worse.depth == better.depth
                && worse.score <= better.score
        }));
        let mut moves: Vec<G::Move> = lines.iter().map(|line| line.pv[0]).collect();
        moves.sort_unstable();
        moves.dedup();
        assert_eq!(moves.len(), 40);
    }
}

#[test]
fn limits_other_than_time_are_kept() {
    limits_are_kept::<Hokito>();
    limits_are_kept::<Yoxii>();
}

/// Times are patient here, since the machine may be busy.
fn times_are_kept<G: Playable>() {
    let start = G::start();
    let mut searcher = Mcts::<G>::new(2, 2).expect("2 MiB");
    let millis = Duration::from_millis;
    let clock = |time| {
        Some(Clock { remaining: millis(time), increment: Duration::ZERO, moves_to_go: None })
    };
    for (limits, least, most) in [
        (Limits { move_time: Some(millis(0)), ..Limits::default() }, 0, 300),
        (Limits { move_time: Some(millis(100)), ..Limits::default() }, 90, 400),
        (Limits { clock: clock(0), ..Limits::default() }, 0, 300),
        (Limits { clock: clock(2000), ..Limits::default() }, 50, 1000),
    ] {
        let began = Instant::now();
        search(&mut searcher, &start, &limits);
        let time = began.elapsed().as_millis();
        assert!((least..most).contains(&time), "{limits:?}: {time} ms");
    }
}

#[test]
fn times_are_kept_in_both_games() {
    times_are_kept::<Hokito>();
    times_are_kept::<Yoxii>();
}

#[test]
fn pondering_lasts_until_the_awaited_move_and_a_stop_ends_everything() {
    for pondering in [true, false] {
        let began = Instant::now();
        let control = Arc::new(Control::new(pondering));
        let handle = Arc::clone(&control);
        let helper = thread::spawn(move || {
            thread::sleep(Duration::from_millis(150));
            if pondering { handle.ponder_hit() } else { handle.stop() }
        });
        let mut searcher = Mcts::<Hokito>::new(2, 1).expect("2 MiB");
        let time = pondering.then_some(Duration::from_millis(10));
        let limits = Limits { move_time: time, ..Limits::default() };
        let mut last = 0;
        searcher.search(&Hokito::start(), &limits, &control, &mut |report| last = report.nodes);
        let time = began.elapsed();
        // Nothing else ends it, and the machine may be busy.
        assert!((150..20_000).contains(&time.as_millis()), "{time:?}");
        assert!(last > 0);
        helper.join().expect("it only sleeps");
    }
}

/// `win N` is answered as alpha-beta answers it, and leaves nothing behind.
#[test]
fn wins_within_so_many_plies_are_those_of_alpha_beta() {
    let mut random = Random::seed_from_u64(9);
    let mut searcher = Mcts::<Hokito>::new(2, 1).expect("2 MiB");
    let mut answers = [0; 2];
    for _ in 0..20 {
        let position: Hokito = random_position(&mut random, 25);
        let limits = Limits { win_within: Some(3), ..Limits::default() };
        let told = reports(&mut searcher, &position, &limits);
        let mut other = AlphaBeta::new(1, 1).expect("1 MiB");
        let expected = reports(&mut other, &position, &limits);
        let won = |reports: &[Report<_>]| reports.last().is_some_and(|r| r.score.is_win());
        assert_eq!(won(&told), won(&expected), "{}", position.notation());
        answers[usize::from(won(&told))] += 1;
    }
    assert!(answers.iter().all(|&n| n > 2), "both answers are tried: {answers:?}");
}
