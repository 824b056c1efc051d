//! Whole matches, and what is said of them.

use std::collections::HashSet;
use std::fs;
use std::process::Command;
use std::time::{Duration, Instant};

use cairn::arena::openings::imbalance;
use cairn::arena::record::{GameRecord, Reason};
use cairn::arena::text;
use cairn::game::{Game, Notation};
use cairn::games::hokito::Hokito;
use cairn::search::Searcher;
use cairn::search::alphabeta::AlphaBeta;
use cairn::search::limits::{Control, Limits};

use crate::table::{Table, Test};

pub const TESTS: &[Test] = &[
    ("equal_engines", equal_engines),
    ("fewer_nodes_lose", fewer_nodes_lose),
    ("concurrency_changes_nothing", concurrency_changes_nothing),
    ("both_games_all_limits", both_games_all_limits),
    ("options_that_do_not_fit_are_named", options_that_do_not_fit_are_named),
    ("time_is_charged_exactly", time_is_charged_exactly),
    ("overhead", overhead),
    ("adjudication_by_score", adjudication_by_score),
    ("adjudication_by_proof", adjudication_by_proof),
    ("sprt_stops_a_match", sprt_stops_a_match),
    #[cfg(unix)]
    ("interrupt_and_resume", interrupt_and_resume),
    ("resume_after_a_torn_line", resume_after_a_torn_line),
    ("resume_after_a_game_that_is_there_twice", resume_after_a_game_that_is_there_twice),
    ("resume_refuses_another_match", resume_refuses_another_match),
    ("resume_leaves_other_files_alone", resume_leaves_other_files_alone),
    ("shards_add_up", shards_add_up),
    ("different_matches_do_not_add_up", different_matches_do_not_add_up),
    ("records_are_checked", records_are_checked),
    ("tournaments", tournaments),
    ("dialogues_are_kept", dialogues_are_kept),
    ("openings_from_a_file", openings_from_a_file),
    ("lopsided_openings_are_left_out", lopsided_openings_are_left_out),
    ("report_takes_nothing_that_it_ignores", report_takes_nothing_that_it_ignores),
    ("games_as_text", games_as_text),
    ("mistakes_are_named", mistakes_are_named),
];

/// `--engine` with the real engine.
fn cairn(name: &str, game: &str, more: &str) -> String {
    let program = env!("CARGO_BIN_EXE_cairn");
    format!("--engine=name={name},cmd=\"'{program}' ugi --game {game}\",option.Hash=1{more}")
}

/// The games without the times, which differ from run to run.
fn timeless(mut games: Vec<GameRecord>) -> Vec<GameRecord> {
    for mv in games.iter_mut().flat_map(|game| &mut game.moves) {
        mv.ms = 0.0;
    }
    games
}

/// The lines of a report that do not depend on time.
fn result_lines(report: &str) -> Vec<&str> {
    report.lines().take_while(|line| !line.starts_with("Engine")).collect()
}

fn equal_engines() {
    let table = Table::new();
    let (a, b) = (cairn("A", "hokito", ""), cairn("B", "hokito", ""));
    let outcome = table.play("games", &[&a, &b, "--nodes=200", "--games=300", "--concurrency=2"]);
    // With the same nodes and nothing remembered both play alike, so each pair is split.
    assert!(outcome.stdout.contains("Pairs        0 0 150 0 0 "), "{}", outcome.stdout);
    assert!(outcome.stdout.contains("Elo          0.0 +/- 0.0"), "{}", outcome.stdout);
    for pair in outcome.games.chunks(2) {
        assert_eq!(pair[0].moves.len(), pair[1].moves.len());
        assert_eq!(pair[0].opening, pair[1].opening);
        assert_eq!(pair[0].players[0], pair[1].players[1]);
    }
    let openings: HashSet<&str> = outcome.games.iter().map(|g| g.opening.as_str()).collect();
    assert_eq!(openings.len(), 150);
}

fn fewer_nodes_lose() {
    let table = Table::new();
    let (a, b) = (cairn("A", "hokito", ""), cairn("B", "hokito", ",nodes=1000"));
    let arguments = [&a, &b, "--nodes=2000", "--games=200", "--concurrency=2"];
    let outcome = table.play("games", &arguments);
    let superiority = outcome.stdout.lines().find_map(|line| line.strip_prefix("Superiority"));
    let percent: f64 = superiority.unwrap().trim().trim_end_matches('%').parse().unwrap();
    assert!(percent > 97.5, "{}", outcome.stdout);
}

fn concurrency_changes_nothing() {
    let table = Table::new();
    let (a, b) = (cairn("A", "yoxii", ""), cairn("B", "yoxii", ",nodes=100"));
    let arguments = |n| [&a, &b, "--game=yoxii", "--nodes=200", "--games=40", "--plies=3", n];
    let one = table.play("one", &arguments("--concurrency=1"));
    let three = table.play("three", &arguments("--concurrency=3"));
    assert_eq!(timeless(one.games), timeless(three.games));
    assert_eq!(result_lines(&one.stdout), result_lines(&three.stdout));
}

fn both_games_all_limits() {
    for game in ["hokito", "yoxii"] {
        for limits in ["--tc=0.2+0.01", "--movetime=15", "--nodes=100", "--depth=2"] {
            let table = Table::new();
            let (a, b) = (cairn("A", game, ""), cairn("B", game, ""));
            let game = format!("--game={game}");
            // The margin is for a busy machine: this is about playing, not about punctuality.
            let arguments = [&a, &b, &game, limits, "--games=2", "--plies=2", "--margin=500"];
            let outcome = table.play("games", &arguments);
            assert_eq!(outcome.games.len(), 2);
            for game in outcome.games {
                assert_eq!(game.reason, Reason::Rules, "{}", game.detail);
                assert_eq!(game.disagreements, [const { Vec::<String>::new() }; 2]);
                assert!(game.moves.iter().all(|mv| mv.depth.is_some() && mv.score.is_some()));
            }
        }
    }
}

fn options_that_do_not_fit_are_named() {
    let table = Table::new();
    let (a, b) = (cairn("A", "hokito", ",option.Elo=5"), cairn("B", "hokito", ",option.Book=x"));
    let outcome = table.play("games", &[&a, &b, "--nodes=50", "--games=2"]);
    let stderr = outcome.stderr;
    assert!(stderr.contains("A expects a number from 300 to "), "{stderr}");
    assert!(stderr.contains(" for the option 'Elo', not '5'"), "{stderr}");
    assert!(stderr.contains("B does not declare the option 'Book'"), "{stderr}");
}

fn time_is_charged_exactly() {
    let table = Table::new();
    let (a, b) = (table.fake("precise"), table.fake("good"));
    let outcome = table.play("games", &[&a, &b, "--nodes=1", "--games=10"]);
    let mut excess: Vec<f64> = outcome
        .games
        .iter()
        .flat_map(|game| &game.moves)
        .filter_map(|mv| Some(mv.ms - mv.nodes? as f64 / 1000.0))
        .collect();
    excess.sort_by(f64::total_cmp);
    assert!(excess.len() > 100);
    assert!(excess[0] >= 0.0, "charged less than it took");
    assert!(excess[excess.len() / 2] < 2.0, "median {} ms", excess[excess.len() / 2]);
}

fn overhead() {
    let table = Table::new();
    let (a, b) = (table.fake("good"), table.fake("no-such-quirk"));
    let start = Instant::now();
    table.play("games", &[&a, &b, "--nodes=1", "--games=100"]);
    // 500 games a minute.
    assert!(start.elapsed() < Duration::from_secs(12), "{:?} for 100 games", start.elapsed());
}

fn adjudication_by_score() {
    let table = Table::new();
    let (a, b) = (table.fake("sure"), table.fake("good"));
    let rule = "--adjudicate=points=9,moves=3";
    let outcome = table.play("games", &[&a, &b, "--nodes=1", "--games=2", rule]);
    assert!(outcome.games.iter().all(|game| game.reason == Reason::Rules), "only one is sure");

    let twin = table.fake("sure").replace("name=sure", "name=twin");
    let outcome = table.play("both", &[&a, &twin, "--nodes=1", "--games=2", rule]);
    for game in &outcome.games {
        assert_eq!((game.reason, game.result.as_str()), (Reason::Score, "p1win"));
        assert_eq!(game.moves.len(), 6);
    }
}

fn adjudication_by_proof() {
    let table = Table::new();
    let (a, b) = (cairn("A", "hokito", ""), cairn("B", "hokito", ",nodes=100"));
    let arguments = [&a, &b, "--nodes=5000", "--games=6", "--adjudicate-proven=20000"];
    let outcome = table.play("games", &arguments);
    assert!(outcome.games.iter().any(|game| game.reason == Reason::Solved));
    for game in outcome.games.iter().filter(|game| game.reason == Reason::Solved) {
        let mut position = Hokito::parse(&game.opening).unwrap();
        for mv in &game.moves {
            position.make(position.parse_move(&mv.text).unwrap());
        }
        assert!(!position.is_over());
        // A search of the whole rest of the game, with a table of its own, finds the same winner.
        let mut searcher = AlphaBeta::<Hokito>::new(64, 1).unwrap();
        let mut last = None;
        let limits = Limits { nodes: Some(3_000_000), ..Limits::default() };
        let control = Control::new(false);
        searcher.search(&position, &limits, &control, &mut |report| last = Some(report.clone()));
        let last = last.unwrap();
        assert!(last.proven);
        let half_points = match last.score {
            score if score.is_win() => 2,
            score if score.is_loss() => 0,
            _ => 1,
        };
        assert_eq!(game.result.half_points(position.side_to_move()), half_points);
    }
}

fn sprt_stops_a_match() {
    let table = Table::new();
    let (a, b) = (cairn("A", "hokito", ",nodes=2000"), cairn("B", "hokito", ""));
    let sprt = "--sprt=elo0=0,elo1=100";
    let arguments = |n| [&a, &b, "--nodes=20", "--games=400", sprt, n];
    let outcome = table.play("one", &arguments("--concurrency=1"));
    assert!(outcome.stdout.contains("H1 accepted"), "{}", outcome.stdout);
    assert!(outcome.games.len() < 200);
    // The verdict comes at the same pair, however many games are played at once.
    let verdict = |text: &str| text.lines().find(|l| l.starts_with("SPRT")).unwrap().to_string();
    let parallel = table.play("three", &arguments("--concurrency=3"));
    assert_eq!(verdict(&outcome.stdout), verdict(&parallel.stdout));
    // And the report of the file says the same.
    let report = table.report(&["three"], &[sprt]);
    assert_eq!(verdict(&outcome.stdout), verdict(&report));
}

#[cfg(unix)]
fn interrupt_and_resume() {
    use std::process::Stdio;
    let table = Table::new();
    let (a, b) = (table.fake("precise"), table.fake("good"));
    let arguments = [&a, &b, "--nodes=1", "--games=200", "--concurrency=2"];
    let match_ = table
        .command("games", &arguments)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let file = table.path("games");
    let start = Instant::now();
    while fs::read(&file).map_or(0, |text| text.len()) < 10_000 {
        assert!(start.elapsed() < Duration::from_secs(60), "no game was played");
        std::thread::sleep(Duration::from_millis(5));
    }
    let id = nix::unistd::Pid::from_raw(match_.id() as i32);
    nix::sys::signal::kill(id, nix::sys::signal::Signal::SIGINT).unwrap();
    let output = match_.wait_with_output().unwrap();
    let stdout = String::from_utf8(output.stdout).unwrap();
    let games = table.games("games").len();
    assert!((1..200).contains(&games));
    assert!(stdout.contains(&format!("precise against good: {games} games")), "{stdout}");
    let stderr = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(1));
    assert!(stderr.contains(&format!("stopped after {games} of 200 games")), "{stderr}");
    table.assert_gone("precise");
    table.assert_gone("good");

    let mut resumed = arguments.to_vec();
    resumed.push("--resume");
    let outcome = table.play("games", &resumed);
    let whole = table.play("whole", &arguments);
    assert_eq!(result_lines(&outcome.stdout), result_lines(&whole.stdout));
    let moves = |game: &GameRecord| game.moves.iter().map(|mv| mv.text.clone()).collect::<Vec<_>>();
    let both = outcome.games.iter().zip(&whole.games);
    assert_eq!(outcome.games.len(), 200);
    assert!(both.into_iter().all(|(a, b)| moves(a) == moves(b) && a.pair == b.pair));
}

fn resume_after_a_torn_line() {
    let table = Table::new();
    let (a, b) = (cairn("A", "hokito", ""), cairn("B", "hokito", ",nodes=50"));
    let arguments = [&a, &b, "--nodes=100", "--games=10", "--resume"];
    let whole = table.play("games", &arguments);
    let mut text = fs::read(table.path("games")).unwrap();
    text.truncate(text.len() / 2);
    assert_ne!(text.last(), Some(&b'\n'));
    fs::write(table.path("games"), text).unwrap();
    let resumed = table.play("games", &arguments);
    assert!(resumed.stderr.contains("the last line is torn"), "{}", resumed.stderr);
    assert_eq!(timeless(resumed.games), timeless(whole.games));
    assert_eq!(result_lines(&resumed.stdout), result_lines(&whole.stdout));
}

fn resume_after_a_game_that_is_there_twice() {
    let table = Table::new();
    let (a, b) = (table.fake("precise"), table.fake("good"));
    let arguments = [a.as_str(), &b, "--nodes=1", "--games=6", "--resume"];
    let whole = table.play("games", &arguments);
    let text = fs::read_to_string(table.path("games")).unwrap();
    let first = text.lines().next().unwrap();
    fs::write(table.path("games"), format!("{text}{first}\n")).unwrap();
    let output = table.command("games", &arguments).output().unwrap();
    let stderr = String::from_utf8(output.stderr).unwrap();
    assert!(output.status.success() && stderr.contains("is there twice"), "{stderr}");
    let stdout = String::from_utf8(output.stdout).unwrap();
    assert_eq!(result_lines(&stdout), result_lines(&whole.stdout));
}

fn resume_refuses_another_match() {
    let table = Table::new();
    let (a, b) = (table.fake("good"), table.fake("liar"));
    let arguments = [a.as_str(), &b, "--nodes=1", "--games=4"];
    table.play("games", &arguments);
    let before = fs::read(table.path("games")).unwrap();
    for change in [&["--openings=random:2"][..], &["--openings=random:1", "--setup=scattered"]] {
        let mut changed = arguments.to_vec();
        changed.extend(change);
        changed.push("--resume");
        let output = table.command("games", &changed).output().unwrap();
        assert!(!output.status.success());
        let stderr = String::from_utf8(output.stderr).unwrap();
        assert!(stderr.contains("game 1 does not belong to this match"), "{stderr}");
    }
    // Without --resume an old file is never touched.
    let output = table.command("games", &arguments).output().unwrap();
    assert!(String::from_utf8(output.stderr).unwrap().contains("--resume"));
    assert_eq!(fs::read(table.path("games")).unwrap(), before);
}

fn resume_leaves_other_files_alone() {
    let table = Table::new();
    let (a, b) = (table.fake("good"), table.fake("liar"));
    let refused = |nodes: &str, content: &[u8], expected: &str| {
        fs::write(table.path("games"), content).unwrap();
        let arguments = [a.as_str(), &b, nodes, "--games=2", "--resume"];
        let output = table.command("games", &arguments).output().unwrap();
        let stderr = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(1), "{stderr}");
        assert!(stderr.contains(expected), "{stderr}");
        assert_eq!(fs::read(table.path("games")).unwrap(), content);
    };
    refused("--nodes=1", b"buy milk", "line 1: not the record of a game");
    refused("--nodes=1", b"{}", "line 1: not the record of a game");
    table.play("old", &[&a, &b, "--nodes=1", "--games=2"]);
    let mut torn = fs::read(table.path("old")).unwrap();
    torn.truncate(torn.len() - 10);
    refused("--nodes=2", &torn, "does not belong to this match");
}

fn shards_add_up() {
    let table = Table::new();
    let (a, b) = (cairn("A", "hokito", ""), cairn("B", "hokito", ",nodes=50"));
    let arguments = [a.as_str(), &b, "--nodes=100", "--games=14"];
    let whole = table.play("whole", &arguments);
    let names = ["one", "two", "three"];
    let mut games = Vec::new();
    for (name, shard) in names.into_iter().zip(["1/3", "2/3", "3/3"]) {
        let mut arguments = arguments.to_vec();
        arguments.extend(["--shard", shard]);
        games.extend(table.play(name, &arguments).games);
    }
    games.sort_by_key(|game| (game.pair, game.leg));
    assert_eq!(timeless(games), timeless(whole.games));
    let report = table.report(&names, &[]);
    assert_eq!(result_lines(&report), result_lines(&whole.stdout));
    // A file given twice does not count twice.
    let report = table.report(&["one", "two", "three", "two"], &[]);
    assert_eq!(result_lines(&report), result_lines(&whole.stdout));
}

fn different_matches_do_not_add_up() {
    let table = Table::new();
    let (a, b, c) = (table.fake("good"), table.fake("liar"), table.fake("stutter"));
    table.play("one", &[&a, &b, "--nodes=1", "--games=2"]);
    let others: [(&str, &[&str], &str); 4] = [
        ("limits", &[&a, &b, "--nodes=2"], "'good' has another command"),
        ("options", &[&a, &b, "--nodes=1", "--each=option.Hash=2"], "'good' has another command"),
        ("openings", &[&a, &b, "--nodes=1", "--openings=random:2"], "pair 1 has another opening"),
        ("engines", &[&a, &c, "--nodes=1"], "pair 1 is played by other engines"),
    ];
    for (name, arguments, expected) in others {
        let mut arguments = arguments.to_vec();
        arguments.push("--games=2");
        table.play(name, &arguments);
        let stderr = table.refused_report(&["one", name], &[]);
        assert!(stderr.contains(expected), "{stderr}");
        assert!(stderr.contains(&format!("{name}: game 1 is of another match")), "{stderr}");
    }
}

fn records_are_checked() {
    let table = Table::new();
    let (a, b) = (table.fake("good"), table.fake("liar"));
    table.play("games", &[&a, &b, "--nodes=1", "--games=2"]);
    let text = fs::read_to_string(table.path("games")).unwrap();
    let (first, second) = text.split_once('\n').unwrap();
    let result = if second.contains("p1win") { "\"p1win\"" } else { "\"p2win\"" };
    let changes = [
        ("\"leg\":1", "\"leg\":7", "leg is 7, expected 0 or 1"),
        ("\"begins\":1", "\"begins\":0", "begins is 0, expected 1 or 2"),
        ("\"game\":\"hokito\"", "\"game\":\"chess\"", "game is \"chess\", expected"),
        ("\"pair\":0", "\"pair\":4294967296", "pair is 4294967296, expected"),
        ("\"name\":\"liar\"", "\"name\":\"good\"", "name is \"good\", expected two engines"),
        ("\"name\":\"liar\"", "\"name\":\"a\\u001bb\"", r#"name is "a\u{1b}b", expected"#),
        ("\"ms\":", "\"ms\":-", "ms is -"),
        ("\"rules\"", "\"time\"", "result is \"draw\", expected a winner"),
    ];
    for (old, new, expected) in changes {
        let mut changed = second.replace(old, new);
        assert_ne!(changed, second, "{old}");
        if new == "\"time\"" {
            changed = changed.replace(result, "\"draw\"");
        }
        fs::write(table.path("changed"), format!("{first}\n{changed}")).unwrap();
        let stderr = table.refused_report(&["changed"], &[]);
        assert!(stderr.contains(&format!("changed, line 2: {expected}")), "{stderr}");
    }
    fs::write(table.path("empty"), "").unwrap();
    assert!(table.report(&["games"], &[]).contains(": 2 games\n"));
    fs::write(table.path("single"), format!("{first}\n")).unwrap();
    assert!(table.report(&["single"], &[]).contains(": 1 game\n"));
    let stderr = table.refused_report(&["empty"], &[]);
    assert!(stderr.contains("empty: no games"), "{stderr}");
}

fn tournaments() {
    let table = Table::new();
    let engines: Vec<String> = [("A", 400), ("B", 100), ("C", 5)]
        .map(|(name, nodes)| cairn(name, "hokito", &format!(",nodes={nodes}")))
        .into();
    let mut arguments: Vec<&str> = engines.iter().map(String::as_str).collect();
    arguments.push("--games=10");
    let outcome = table.play("all", &arguments);
    assert_eq!(outcome.games.len(), 30);
    for line in ["A against B: 10 games", "A against C: 10 games", "B against C: 10 games"] {
        assert!(outcome.stdout.contains(line), "{}", outcome.stdout);
    }
    // The table of ratings begins the report, with A before B before C.
    let order: Vec<&str> =
        outcome.stdout.lines().take(4).map(|line| line.split(' ').next().unwrap()).collect();
    assert_eq!(order, ["Rating", "A", "B", "C"]);
    let report = table.report(&["all"], &[]);
    assert_eq!(report, outcome.stdout);

    arguments.push("--tournament=gauntlet");
    let outcome = table.play("gauntlet", &arguments);
    assert_eq!(outcome.games.len(), 20);
    assert!(!outcome.stdout.contains("B against C"));
}

fn dialogues_are_kept() {
    let table = Table::new();
    let (a, b) = (table.fake("crash"), table.fake("good"));
    let folder = table.path("logs");
    let log = format!("--log={}", folder.display());
    table.play("games", &[&a, &b, "--nodes=1", "--games=2", &log]);
    let text = fs::read_to_string(folder.join("crash-1.log")).unwrap();
    for line in ["> ugi", "< ugiok", "> go nodes 1", "< bestmove ", "! the roof is on fire"] {
        assert!(text.contains(line), "{line} is not in\n{text}");
    }
    assert!(folder.join("good-1.log").exists());
}

/// What `cairn openings` writes.
fn openings(arguments: &[&str]) -> String {
    let mut command = Command::new(env!("CARGO_BIN_EXE_cairn"));
    let output = command.arg("openings").args(arguments).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

fn openings_from_a_file() {
    let table = Table::new();
    let text = openings(&["--count=5", "--seed=9", "--setup=scattered", "--plies=3"]);
    assert_eq!(text, openings(&["--count=5", "--seed=9", "--setup=scattered", "--plies=3"]));
    let file = table.path("openings");
    fs::write(&file, &text).unwrap();
    let source = format!("--openings={}", file.display());
    let (a, b) = (table.fake("good"), table.fake("liar"));
    let outcome = table.play("games", &[&a, &b, "--nodes=1", "--games=12", &source]);
    // Two games of each, and the first one again because there are only five.
    let lines: Vec<&str> = text.lines().collect();
    for game in &outcome.games {
        assert_eq!(game.opening, lines[game.pair % 5]);
        assert_eq!(game.begins, 2, "three plies have been played");
    }
    assert!(outcome.stderr.contains("5 openings for 6 rounds"));
    // The draw is the one that a match makes for itself.
    let drawn =
        ["--openings=random:9", "--setup=scattered", "--plies=3", "--nodes=1", "--games=10"];
    let mut arguments = vec![a.as_str(), &b];
    arguments.extend(drawn);
    let outcome = table.play("drawn", &arguments);
    assert!(outcome.games.iter().all(|game| game.opening == lines[game.pair]));
}

fn lopsided_openings_are_left_out() {
    let drawn = ["--count=150", "--setup=scattered", "--plies=6"];
    let all = openings(&drawn);
    let kept =
        openings(&["--count=10", "--setup=scattered", "--plies=6", "--max-score=6", "--nodes=500"]);
    // What is kept is what is level among the same positions, in the same order.
    let mut searcher = AlphaBeta::<Hokito>::new(4, 1).unwrap();
    let mut level = all
        .lines()
        .filter(|text| imbalance(&mut searcher, &Hokito::parse(text).unwrap(), 500) <= 600);
    let kept: Vec<&str> = kept.lines().collect();
    assert_eq!(kept, level.by_ref().take(10).collect::<Vec<_>>());
    assert_ne!(kept, all.lines().take(10).collect::<Vec<_>>());
}

fn report_takes_nothing_that_it_ignores() {
    let table = Table::new();
    let (a, b) = (table.fake("good"), table.fake("liar"));
    table.play("games", &[&a, &b, "--nodes=1", "--games=2"]);
    let file = table.path("games");
    for argument in [&a, "--nodes=1", "--games=4", "--plies=1", "--game=yoxii", "--shard=1/2"] {
        let mut command = Command::new(env!("CARGO_BIN_EXE_cairn"));
        let output = command.args(["match", argument, "--report"]).arg(&file).output().unwrap();
        assert_eq!(output.status.code(), Some(2), "{argument}");
    }
}

fn games_as_text() {
    let table = Table::new();
    let (a, b) = (cairn("A", "hokito", ""), cairn("B", "hokito", ""));
    let outcome = table.play("games", &[&a, &b, "--nodes=50", "--games=4", "--plies=1"]);
    let file = table.path("text");
    table.report(&["games"], &["--text", file.to_str().unwrap()]);
    let games = text::parse::<Hokito>(&fs::read_to_string(&file).unwrap()).unwrap();
    assert_eq!(games.len(), 4);
    for (game, read) in outcome.games.iter().zip(&games) {
        assert_eq!(read.opening.notation(), game.opening);
        assert_eq!(read.tags["Player1"], game.players[0].name);
        let mut position = read.opening;
        for (mv, known) in read.moves.iter().zip(&game.moves) {
            assert_eq!(Hokito::move_text(*mv), known.text);
            position.make(*mv);
        }
        assert!(position.is_over());
        assert_eq!(position.points(), game.points);
    }
    // Neither the text nor the records are ever written over.
    for name in ["text", "games"] {
        let before = fs::read(table.path(name)).unwrap();
        let path = table.path(name);
        let stderr = table.refused_report(&["games"], &["--text", path.to_str().unwrap()]);
        assert!(stderr.contains("the file exists"), "{stderr}");
        assert_eq!(fs::read(path).unwrap(), before);
    }
}

fn mistakes_are_named() {
    let table = Table::new();
    let (a, b, late) = (table.fake("good"), table.fake("liar"), table.fake("late"));
    let cases: &[(&[&str], &str)] = &[
        (&[&a, "--nodes=1"], "two engines"),
        (&[&a, &b], "good has no limit"),
        (&[&a, &a, "--nodes=1"], "two engines are called 'good'"),
        (&[&a, &b, "--nodes=1", "--games=3"], "--games 3"),
        (&[&a, &b, "--nodes=1", "--each=nodes=3"], "both in --each"),
        (&[&a, &b, "--nodes=1", "--each=cmd=x"], "--each cannot set"),
        (&[&a, &b, "--nodes=1", "--setup=thirds"], "halves, scattered"),
        (&[&a, &b, "--nodes=1", "--game=yoxii"], "only 1 different openings"),
        (&[&a, &b, "--nodes=1", "--game=go"], "unknown game 'go'"),
        (&[&a, &b, "--nodes=1", "--openings=random:x"], "'x': expected a whole number"),
        (&[&a, &b, "--nodes=1", "--openings=/no/file"], "/no/file"),
        (&[&a, &b, "--nodes=1", "--openings=/no/file"], "No such file"),
        (&[&a, &b, "--nodes=1", "--shard=5/4"], "'5/4'"),
        (&[&a, &b, "--nodes=1", "--shard=1/4", "--sprt=elo0=0,elo1=5"], "--sprt needs all games"),
        (&[&a, &b, &late, "--nodes=1", "--sprt=elo0=0,elo1=5"], "not 3"),
        (&[&a, &b, "--nodes=0"], "--nodes"),
        (&[&a, &b, "--nodes=1", "--games=18446744073709551614"], "2..=1000000"),
        (&[&a, &b, "--nodes=1", "--games=1000000000000"], "2..=1000000"),
        (&[&a, &b, &late, "--nodes=1", "--games=1000000"], "3000000 games in all"),
        (&[&a, &b, "--nodes=1", "--concurrency=1000000"], "1..=1024"),
        (&[&a, &b, "--nodes=1", "--grace=18446744073709551615"], "1..=86400"),
        (&[&a, &b, "--nodes=1", "--margin=18446744073709551615"], "0..=86400000"),
        (&[&a, &b, "--tc=1e15+0"], "at most a day"),
        (&[&a, &b, "--tc=1+1e19"], "at most a day"),
    ];
    for (arguments, expected) in cases {
        let output = table.command("games", arguments).output().unwrap();
        let stderr = String::from_utf8(output.stderr).unwrap();
        assert!(!output.status.success() && stderr.contains(expected), "{expected}: {stderr}");
        // A cause is told once.
        assert!(stderr.matches("No such file").count() < 2, "{stderr}");
        assert!(!table.path("games").exists());
    }
    // Only where there is an old match can one go on with it.
    let output = table.command("no/folder", &[&a, &b, "--nodes=1"]).output().unwrap();
    let stderr = String::from_utf8(output.stderr).unwrap();
    assert_eq!(stderr.matches("No such file").count(), 1, "{stderr}");
    assert!(stderr.contains("no/folder: ") && !stderr.contains("--resume"), "{stderr}");
}
