//! The exact solver: against the table in tests/data/solved.tsv, against Minimax with alpha-beta on
//! random late positions, with few and many resources, stopped in the middle, and as a program.

mod corpus;
mod exact;

use std::collections::BTreeSet;
use std::sync::Arc;
use std::thread;
use std::time::Duration;

use assert_cmd::Command;
use cairn::game::random::{Draw, Random};
use cairn::game::{Endgame, Game, Notation, Playable, Player};
use cairn::games::hokito::Hokito;
use cairn::games::yoxii::Yoxii;
use cairn::search::limits::Control;
use cairn::search::score::Score;
use cairn::search::solve::{Goal, Solver};
use exact::{late_positions, value, value_of_move};
use rand::SeedableRng;

const TABLE: &str = include_str!("data/solved.tsv");

/// A row of the table: position, sign of the outcome, margin in points, moves that keep both.
fn table<G: Playable>() -> Vec<(G, i32, i32, BTreeSet<String>)> {
    let rows: Vec<_> = corpus::rows(TABLE, G::NAME)
        .map(|row| {
            let moves = row[3].split(' ').map(str::to_string).collect();
            (
                G::parse(row[0]).expect(row[0]),
                row[1].parse().unwrap(),
                row[2].parse().unwrap(),
                moves,
            )
        })
        .collect();
    assert!(rows.len() >= 16, "the table has {} positions of {}", rows.len(), G::NAME);
    rows
}

fn free() -> Control {
    Control::new(false)
}

/// Reference alpha-beta with a full window, without anything that could be wrong with it.
fn minimax<G: Playable>(position: &G, alpha: Score, beta: Score) -> Score {
    let moves = position.moves();
    if moves.is_empty() {
        return Score::of_end(position);
    }
    let mut best = Score::MIN;
    for mv in moves {
        let mut child = *position;
        child.make(mv);
        best = best.max(-minimax(&child, -beta, -alpha.max(best)));
        if best >= beta {
            break;
        }
    }
    best
}

/// Outcome, margin and exactly the right moves for every row; the PV ends with that result.
fn solves_the_table<G: Playable>(threads: usize, mebibytes: usize) {
    let solver = Solver::new(mebibytes, threads).unwrap();
    for (position, sign, margin, moves) in table::<G>() {
        let text = position.notation();
        let solution = solver.solve(&position, Goal::Margin, None, &free(), &mut |_| {});
        let score = solution.score().expect(&text);
        assert_eq!(solution.result(), Some(sign), "{text}");
        assert_eq!(score.0.signum(), sign, "{text}");
        assert_eq!(score.centipoints(), 100 * margin, "{text}");
        let keep: BTreeSet<String> = position
            .moves()
            .into_iter()
            .filter(|&mv| {
                let mut child = position;
                child.make(mv);
                -value(&solver, &child) == score
            })
            .map(G::move_text)
            .collect();
        assert_eq!(keep, moves, "{text}");

        let mut end = position;
        for &mv in &solution.pv {
            assert!(end.is_legal(mv), "{text} pv");
            end.make(mv);
        }
        assert!(end.is_over(), "{text} pv");
        assert!(keep.contains(&G::move_text(solution.pv[0])), "{text} pv");
        let sign = if end.side_to_move() == position.side_to_move() { 1 } else { -1 };
        assert_eq!(Score::of_end(&end).0 * sign, score.0, "{text} pv");
    }
}

#[test]
fn hokito_table() {
    solves_the_table::<Hokito>(1, 64);
}

#[test]
fn yoxii_table() {
    solves_the_table::<Yoxii>(1, 64);
}

#[test]
fn threads_and_a_small_table_change_nothing() {
    for (threads, mebibytes) in [(1, 1), (3, 1)] {
        solves_the_table::<Hokito>(threads, mebibytes);
        solves_the_table::<Yoxii>(threads, mebibytes);
    }
}

fn agrees_with_minimax<G: Playable>(left: usize, count: usize) {
    let solver = Solver::new(1, 1).unwrap();
    for position in late_positions::<G>(11, count, left) {
        let expected = minimax(&position, Score::MIN, Score::MAX);
        assert_eq!(value(&solver, &position), expected, "{}", position.notation());
    }
}

#[test]
fn hokito_agrees_with_minimax() {
    for left in [5, 9, 12] {
        agrees_with_minimax::<Hokito>(left, 60);
    }
}

#[test]
fn yoxii_agrees_with_minimax() {
    for (left, count) in [(5, 60), (8, 60), (11, 60), (12, 12)] {
        agrees_with_minimax::<Yoxii>(left, count);
    }
}

#[test]
fn putting_off_choices_is_never_worse() {
    let (mut same, mut better) = (0, 0);
    for position in late_positions::<Yoxii>(15, 300, 10) {
        let known = minimax(&position, Score::MIN, Score::MAX);
        for player in [Player::One, Player::Two] {
            let deferring = position.deferring(player).expect("nobody does so yet");
            assert_eq!(deferring.deferring(player.other()), None);
            assert_ne!(deferring.key(), position.key());
            let gain = minimax(&deferring, Score::MIN, Score::MAX).0 - known.0;
            let gain = if player == position.side_to_move() { gain } else { -gain };
            assert!(gain >= 0, "{} {player:?} {gain}", position.notation());
            *if gain == 0 { &mut same } else { &mut better } += 1;
        }
    }
    assert!(same > 0 && better > 0, "{same} {better}");
}

/// Positions of one structure with other values: two pieces of one player change their values, or
/// one changes it with a piece in hand.
fn of_one_shape(position: &Yoxii, random: &mut Random) -> Option<Yoxii> {
    let mut text = position.notation().into_bytes();
    let places: Vec<usize> = (0..text.len() - 2)
        .filter(|&i| text[i].is_ascii_alphabetic() && text[i].to_ascii_lowercase() <= b'd')
        .collect();
    for _ in 0..1 + random.below(4) {
        let [one, two] = [0; 2].map(|_| places[random.below(places.len())]);
        if text[one].is_ascii_uppercase() == text[two].is_ascii_uppercase() {
            text.swap(one, two);
        } else {
            let first = if text[one].is_ascii_uppercase() { b'A' } else { b'a' };
            text[one] = first + random.below(4) as u8;
        }
    }
    Yoxii::parse(std::str::from_utf8(&text).unwrap()).ok()
}

/// The bound on how much positions of one structure differ, against their values by minimax.
#[test]
fn positions_of_one_shape_are_worth_nearly_the_same() {
    let mut random = Random::seed_from_u64(77);
    let (mut compared, mut reached, mut unequal) = (0, 0, 0);
    for position in late_positions::<Yoxii>(19, 400, 9) {
        let Some(other) = of_one_shape(&position, &mut random) else { continue };
        let (structure, others) = (position.structure().unwrap(), other.structure().unwrap());
        assert_eq!(structure.key, others.key, "{}", position.notation());
        assert_eq!(structure.values == others.values, position == other);
        let [value, others_value] =
            [&position, &other].map(|position| minimax(position, Score::MIN, Score::MAX));
        let (more, less) = position.differs(others.values);
        let text = format!("{} and {}", position.notation(), other.notation());
        assert!(value <= others_value.raised(more), "{text}: at most {more} more");
        assert!(-value <= (-others_value).raised(less), "{text}: at most {less} less");
        let difference = (value.centipoints() - others_value.centipoints()) / 100;
        compared += 1;
        unequal += usize::from(difference != 0);
        reached += usize::from(difference != 0 && (difference == more || -difference == less));
    }
    assert!(compared > 200 && unequal > 20, "{compared} pairs, {unequal} unequal");
    assert!(reached > 5, "the bound is reached {reached} times");
}

#[test]
fn structures_differ_when_the_course_of_the_game_can() {
    let positions = late_positions::<Yoxii>(29, 300, 25);
    for (i, position) in positions.iter().enumerate() {
        for mv in position.moves() {
            let mut child = *position;
            child.make(mv);
            let same = position.moves().into_iter().filter(|&other| {
                let mut sibling = *position;
                sibling.make(other);
                sibling.structure().unwrap().key == child.structure().unwrap().key
            });
            let (totem, square) = (mv.totem(), mv.square());
            assert!(
                same.clone().all(|other| (other.totem(), other.square()) == (totem, square)),
                "{}",
                position.notation()
            );
        }
        for other in &positions[..i] {
            let squares = |p: &Yoxii| [Player::One, Player::Two].map(|player| p.pieces(player));
            assert!(
                position.structure().unwrap().key != other.structure().unwrap().key
                    || squares(position) == squares(other)
            );
        }
    }
}

/// What Hokito tells at a glance of the next move, against making every move.
#[test]
fn threats_are_told_as_they_are() {
    let mut threatened = 0;
    for position in late_positions::<Hokito>(31, 300, 20) {
        let (count, swing) = position.threats();
        let moves = position.moves();
        assert_eq!(count, moves.len());
        let sign = position.side_to_move().sign();
        let margin = |p: &Hokito| (p.points()[0] - p.points()[1]) * sign;
        let highest = (0..36).map(|square| position.pile(square).height).max().unwrap();
        let most = |squares: &dyn Fn(usize) -> bool| {
            let captures = moves.iter().filter(|mv| squares(mv.to_square()));
            let gains = captures.map(|&mv| {
                let mut child = position;
                child.make(mv);
                margin(&child) - margin(&position)
            });
            gains.max().unwrap_or(0).max(0)
        };
        // Where several piles are the highest, any of them may be meant.
        let highest: Vec<usize> =
            (0..36).filter(|&square| position.pile(square).height == highest).collect();
        let swing = swing.expect("Hokito tells");
        assert!(
            highest.iter().any(|&square| most(&|to| to == square) == swing),
            "{}",
            position.notation()
        );
        threatened += usize::from(swing > 0);
    }
    assert!((50..250).contains(&threatened), "{threatened} of 300");
}

/// Positions deep enough for every tier: threads and table sizes agree with each other.
fn resources_agree<G: Playable>(left: usize) {
    for position in late_positions::<G>(5, 6, left) {
        let [expected, small, shared] = [(64, 1), (1, 1), (16, 4)].map(|(mebibytes, threads)| {
            value(&Solver::new(mebibytes, threads).unwrap(), &position)
        });
        assert_eq!(small, expected, "1 MiB: {}", position.notation());
        assert_eq!(shared, expected, "4 threads: {}", position.notation());
    }
}

#[test]
fn resources_change_no_answer() {
    resources_agree::<Hokito>(17);
    resources_agree::<Yoxii>(15);
}

/// However early it is stopped, the bounds hold, and going on from there ends at the same value.
fn stopped_bounds_hold<G: Playable>(left: usize) {
    let judge = Solver::new(16, 1).unwrap();
    let mut shown = 0;
    for position in late_positions::<G>(23, 4, left) {
        let text = position.notation();
        let expected = value(&Solver::new(16, 1).unwrap(), &position);
        for threads in [1, 3] {
            let solver = Solver::new(16, threads).unwrap();
            let mut complete = false;
            for max_nodes in (4..22).map(|i| 1 << i) {
                let solution =
                    solver.solve(&position, Goal::Margin, Some(max_nodes), &free(), &mut |_| {});
                assert!(solution.lower <= expected && expected <= solution.upper, "{text}");
                complete = solution.score().is_some();
                if threads == 1 {
                    assert!(solution.nodes <= max_nodes, "{text}: {} nodes", solution.nodes);
                }
                if solution.lower > Score::MIN {
                    let kept = value_of_move(&judge, &position, solution.pv[0]);
                    assert!(kept >= solution.lower, "{text}: {:?}", solution.pv[0]);
                    shown += 1;
                }
                let solved = solver.solve_within(&position, max_nodes, &free());
                if let Some(solved) = solved {
                    assert_eq!(solved.score, expected, "{text}");
                    assert_eq!(solved.best, solved.pv.first().copied());
                    complete = true;
                }
            }
            assert!(complete, "{text}: the largest limit is enough");
        }
    }
    assert!(shown > 20, "a move is seen to reach a lower bound: {shown}");
}

#[test]
fn hokito_stopped_bounds_hold() {
    stopped_bounds_hold::<Hokito>(15);
}

#[test]
fn yoxii_stopped_bounds_hold() {
    stopped_bounds_hold::<Yoxii>(14);
}

#[test]
fn stop_ends_the_work_of_all_threads() {
    for threads in [1, 3] {
        let solver = Solver::new(16, threads).unwrap();
        let control = Arc::new(free());
        let handle = Arc::clone(&control);
        let stopper = thread::spawn(move || {
            thread::sleep(Duration::from_millis(100));
            handle.stop();
        });
        let mut told = 0;
        let position = Hokito::parse("CBACBA/ACBACB/BACBAC/cabcab/bcabca/abcabc b").unwrap();
        let solution = solver
            .solve(&position, Goal::Margin, None, &control, &mut |progress| told = progress.nodes);
        stopper.join().unwrap();
        assert!(told > 0 && solution.nodes >= told);
        assert_eq!((solution.score(), solution.result()), (None, None));
    }
}

#[test]
fn a_finished_game_is_solved() {
    // White to move owns no pile.
    let position = Hokito::parse("36a...../....../....../....../....../...... w").unwrap();
    let solved = Solver::new(1, 1).unwrap().solve_within(&position, 1, &free()).unwrap();
    assert_eq!((solved.best, solved.pv.len()), (None, 0));
    assert_eq!(solved.score.centipoints(), -3600);
    let outcome = solved.outcome(Player::Two);
    assert_eq!((outcome.winner, outcome.margin), (Some(Player::One), 36));
}

/// A proven value turns into the outcome that the game has when the line is played.
#[test]
fn a_solved_position_tells_the_outcome() {
    let solver = Solver::new(1, 1).unwrap();
    for position in late_positions::<Yoxii>(3, 40, 8) {
        let solved = solver.solve_within(&position, u64::MAX, &free()).unwrap();
        let mut end = position;
        solved.pv.iter().for_each(|&mv| end.make(mv));
        assert_eq!(
            solved.outcome(position.side_to_move()),
            end.outcome(),
            "{}",
            position.notation()
        );
    }
}

fn cairn(arguments: &[&str]) -> (bool, String, String) {
    let output = Command::cargo_bin("cairn").unwrap().args(arguments).output().unwrap();
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
    (output.status.success(), text(output.stdout), text(output.stderr))
}

fn program_solves_the_table<G: Playable>() {
    for (position, sign, margin, moves) in table::<G>().into_iter().take(6) {
        let fen = position.notation();
        let (ok, out, err) =
            cairn(&["solve", "--game", G::NAME, "--fen", &fen, "--hash", "1", "--all"]);
        assert!(ok, "{err}");
        let lines: Vec<&str> = out.lines().collect();
        let result = ["loss", "draw", "win"][(sign + 1) as usize];
        assert_eq!(lines[0], format!("result {result}"), "{fen}");
        assert_eq!(lines[1], format!("margin {margin}"), "{fen}");
        let best = lines[2].strip_prefix("best ").unwrap();
        assert!(moves.contains(best), "{fen}");
        assert!(lines[3].starts_with(&format!("pv {best}")), "{fen}");
        assert_eq!(lines.len(), 4 + position.moves().len(), "{fen}");
        let keeping = format!(" result {result} margin {margin}");
        let first: BTreeSet<String> = lines[4..]
            .iter()
            .map_while(|line| line.strip_suffix(&keeping).map(str::to_string))
            .collect();
        assert_eq!(first, moves, "{fen}");
        let others = &lines[4 + first.len()..];
        assert!(others.iter().all(|line| !line.ends_with(&keeping)), "{fen}");
        assert!(err.contains(" nodes, "), "{err}");
    }
}

#[test]
fn the_program_solves() {
    program_solves_the_table::<Hokito>();
    program_solves_the_table::<Yoxii>();
}

#[test]
fn the_program_answers_for_a_finished_game() {
    let (ok, out, _) =
        cairn(&["solve", "--fen", "36a...../....../....../....../....../...... w", "--all"]);
    assert!(ok);
    assert_eq!(out, "result loss\nmargin -36\nbest none\npv\n");
}

#[test]
fn the_program_names_what_is_wrong() {
    let (ok, out, err) = cairn(&["solve", "--fen", "36a...../.... w"]);
    assert!(!ok && out.is_empty());
    assert!(err.contains("'36a...../.... w' is not a position of Hokito"), "{err}");
    let (ok, _, err) = cairn(&["solve", "--fen", "x", "--threads", "0"]);
    assert!(!ok && err.contains("--threads"), "{err}");
    let (ok, _, err) = cairn(&["solve"]);
    assert!(!ok && err.contains("--fen"), "{err}");
}
