//! Files of records: what is read from them, and what does not count.

use std::fs;

use cairn::arena::record;

use crate::table::{Table, Test};

pub const TESTS: &[Test] = &[
    ("records_are_checked", records_are_checked),
    ("the_longest_names_are_shown", the_longest_names_are_shown),
    ("games_against_the_rules_do_not_count", games_against_the_rules_do_not_count),
    ("games_against_the_rules_are_played_again", games_against_the_rules_are_played_again),
    ("a_byte_order_mark_is_skipped", a_byte_order_mark_is_skipped),
];

fn records_are_checked() {
    let table = Table::new();
    let (a, b) = (table.fake("good"), table.fake("liar"));
    table.play("games", &[&a, &b, "--nodes=1", "--games=2"]);
    let text = fs::read_to_string(table.path("games")).unwrap();
    let (first, second) = text.split_once('\n').unwrap();
    let result = if second.contains("p1win") { "\"p1win\"" } else { "\"p2win\"" };
    let long = format!("\"name\":\"{}\"", "x".repeat(1 << 16));
    let changes = [
        ("\"leg\":1", "\"leg\":7", "leg is 7, expected 0 or 1"),
        ("\"begins\":1", "\"begins\":0", "begins is 0, expected 1 or 2"),
        ("\"game\":\"hokito\"", "\"game\":\"chess\"", "game is \"chess\", expected"),
        ("\"pair\":0", "\"pair\":4294967296", "pair is 4294967296, expected"),
        ("\"name\":\"liar\"", "\"name\":\"good\"", "name is \"good\", expected two engines"),
        ("\"name\":\"liar\"", "\"name\":\"a\\u001bb\"", r#"name is "a\u{1b}b", expected"#),
        ("\"name\":\"liar\"", "\"name\":\"\u{202e}\"", r#"name is "\u{202e}", expected"#),
        (
            "\"name\":\"liar\"",
            long.as_str(),
            "... (65536 characters)\", expected a name of 1 to 60",
        ),
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
        assert!(stderr.contains("changed, line 2: ") && stderr.contains(expected), "{stderr}");
    }
    fs::write(table.path("empty"), "").unwrap();
    assert!(table.report(&["games"], &[]).contains(": 2 games\n"));
    fs::write(table.path("single"), format!("{first}\n")).unwrap();
    assert!(table.report(&["single"], &[]).contains(": 1 game\n"));
    let stderr = table.refused_report(&["empty"], &[]);
    assert!(stderr.contains("empty: no games"), "{stderr}");
}

/// Names as long as they may be, of characters that are wide or combined.
fn the_longest_names_are_shown() {
    let table = Table::new();
    let names = ["\u{56f2}".repeat(60), "e\u{301}".repeat(30)];
    let engine = |name: &str| table.fake("good").replace("name=good", &format!("name={name}"));
    let engines = names.each_ref().map(|name| engine(name));
    let log = format!("--log={}", table.path("logs").display());
    let arguments = [&engines[0], &engines[1], "--nodes=1", "--games=2", log.as_str()];
    let outcome = table.play("games", &arguments);
    let report = table.report(&["games"], &[]);
    assert_eq!(report, outcome.stdout);
    for name in &names {
        assert!(report.contains(&format!("\n{name}  ")), "{report}");
    }
    let long = engine(&"x".repeat(61));
    let output = table.command("more", &[&engines[0], &long, "--nodes=1"]).output().unwrap();
    let stderr = String::from_utf8(output.stderr).unwrap();
    assert!(stderr.contains("... (61 characters)': expected a name of 1 to 60"), "{stderr}");
}

/// A match of six games, and its file with the second, third and last game changed: a move that is
/// not legal, a move too few, and another winner.
fn spoilt(table: &Table) -> (String, Vec<String>) {
    let (a, b) = (table.fake("good"), table.fake("stutter"));
    table.play("games", &[&a, &b, "--nodes=1", "--games=6"]);
    let text = fs::read_to_string(table.path("games")).unwrap();
    let mut lines: Vec<String> = text.lines().map(str::to_string).collect();
    let (start, _) = lines[1].match_indices("{\"move\":\"").nth(3).unwrap();
    lines[1].replace_range(start + 9..start + 13, "a1f6");
    let end = lines[2].rfind(",{\"move\"").unwrap();
    let close = end + lines[2][end..].find(']').unwrap();
    lines[2].replace_range(end..close, "");
    let other = if lines[5].contains("p1win") { ("p1win", "p2win") } else { ("p2win", "p1win") };
    lines[5] = lines[5].replace(other.0, other.1);
    fs::write(table.path("games"), lines.join("\n") + "\n").unwrap();
    (text, lines)
}

/// Sees that the three games that [`spoilt`] has changed are named, each with its line and move.
fn assert_named(stderr: &str) {
    let faults: Vec<&str> =
        stderr.lines().filter(|line| line.contains(": this game does not count: ")).collect();
    assert_eq!(faults.len(), 3, "{stderr}");
    assert!(faults[0].contains("games, line 2: ") && faults[0].contains("move 4: "), "{stderr}");
    assert!(faults[1].contains("games, line 3: ") && faults[1].contains("after move "), "{stderr}");
    assert!(faults[1].ends_with("the game is not over, but the reason is 'end by the rules'"));
    assert!(faults[2].contains("games, line 6: ") && faults[2].contains("the result is p"));
}

fn games_against_the_rules_do_not_count() {
    let table = Table::new();
    let (text, lines) = spoilt(&table);
    let output = table.try_report(&["games"], &[]);
    assert!(output.status.success());
    assert_named(&String::from_utf8(output.stderr).unwrap());
    let report = String::from_utf8(output.stdout).unwrap();
    assert!(report.contains("good against stutter: 3 games\n"), "{report}");
    let left_out = "Left out     3 games that cannot have been played as recorded\n";
    assert!(report.contains(left_out), "{report}");

    // Without them nothing is left out.
    let good: Vec<&str> = [0, 3, 4].map(|i| lines[i].as_str()).into();
    fs::write(table.path("good-ones"), good.join("\n") + "\n").unwrap();
    assert_eq!(table.report(&["good-ones"], &[]), report.replace(left_out, ""));

    let texts = table.path("texts");
    table.try_report(&["games"], &["--text", texts.to_str().unwrap()]);
    assert_eq!(fs::read_to_string(texts).unwrap().matches("[Game ").count(), 3);

    fs::write(table.path("bad-one"), format!("{}\n", lines[5])).unwrap();
    let stderr = table.refused_report(&["bad-one"], &[]);
    assert!(stderr.contains("bad-one: no games that count"), "{stderr}");
    assert_ne!(text, lines.join("\n"));
}

fn games_against_the_rules_are_played_again() {
    let table = Table::new();
    let (_, lines) = spoilt(&table);
    let (a, b) = (table.fake("good"), table.fake("stutter"));
    let arguments = [&a, &b, "--nodes=1", "--games=6", "--resume"];
    for _ in 0..2 {
        let output = table.command("games", &arguments).output().unwrap();
        assert!(output.status.success());
        assert_named(&String::from_utf8(output.stderr).unwrap());
        let report = String::from_utf8(output.stdout).unwrap();
        assert!(report.contains("good against stutter: 6 games\n"), "{report}");
        assert!(report.contains("Left out     3 games"), "{report}");
        // The file says the same: the lines stay, and the new games are behind them, once.
        let again = table.try_report(&["games"], &[]);
        assert_eq!(String::from_utf8(again.stdout).unwrap(), report);
        let text = fs::read_to_string(table.path("games")).unwrap();
        assert!(text.starts_with(&(lines.join("\n") + "\n")));
        assert_eq!(text.lines().count(), 9);
    }
}

fn a_byte_order_mark_is_skipped() {
    let table = Table::new();
    let (a, b) = (table.fake("good"), table.fake("stutter"));
    let arguments = [&a, &b, "--nodes=1", "--games=4", "--resume"];
    let whole = table.play("games", &arguments);
    let mut bytes = b"\xef\xbb\xbf".to_vec();
    bytes.extend(fs::read(table.path("games")).unwrap());
    fs::write(table.path("games"), &bytes).unwrap();
    assert_eq!(table.report(&["games"], &[]), whole.stdout);
    // Also where the last line is cut off.
    bytes.truncate(bytes.len() - 10);
    fs::write(table.path("games"), &bytes).unwrap();
    let resumed = table.play("games", &arguments);
    assert_eq!(resumed.games.len(), 4);
    assert!(resumed.stderr.contains("the last line is torn"), "{}", resumed.stderr);
    // Nothing but a mark is an empty file, and one in the middle is none.
    fs::write(table.path("empty"), &bytes[..3]).unwrap();
    let records = record::read(&table.path("empty")).unwrap();
    assert!(records.games.is_empty() && !records.torn && records.whole == 3);
    let (first, second) = (&bytes[3..], &bytes);
    fs::write(table.path("two"), [first, b"\n", second].concat()).unwrap();
    assert!(table.refused_report(&["two"], &[]).contains("not the record of a game"));

    fs::write(table.path("wide"), b"\xff\xfe{\0").unwrap();
    let stderr = table.refused_report(&["wide"], &[]);
    assert!(stderr.contains("wide: the text is in UTF-16 (little-endian)"), "{stderr}");
    let openings = format!("--openings={}", table.path("wide").display());
    let output = table.command("none", &[&a, &b, "--nodes=1", &openings]).output().unwrap();
    let stderr = String::from_utf8(output.stderr).unwrap();
    assert!(stderr.contains("wide: the text is in UTF-16 (little-endian)"), "{stderr}");
}
