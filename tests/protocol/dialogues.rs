//! Every dialogue in protocol.md and README.md is spoken to the binary.
//!
//! In the blocks marked `ugi`, a line behind `>` is sent, a line behind `<` is the next line that
//! must come, and `#` begins a comment. A `…` stands for anything; `< …` alone for any lines at
//! all.

use crate::engine::{Engine, PATIENCE, SILENCE};

const REFERENCE: &str = include_str!("../../protocol.md");
const README: &str = include_str!("../../README.md");

struct Dialogue {
    file: &'static str,
    /// Where the block begins, for the reader of a failure.
    line: usize,
    arguments: Vec<&'static str>,
    lines: Vec<&'static str>,
}

fn dialogues(file: &'static str, text: &'static str) -> Vec<Dialogue> {
    let mut dialogues: Vec<Dialogue> = Vec::new();
    let mut open = false;
    for (i, text) in text.lines().enumerate() {
        if let Some(arguments) = text.strip_prefix("```ugi") {
            let arguments = arguments.split_whitespace().collect();
            dialogues.push(Dialogue { file, line: i + 1, arguments, lines: Vec::new() });
            open = true;
        } else if text.starts_with("```") {
            open = false;
        } else if let (true, Some(dialogue)) = (open, dialogues.last_mut()) {
            dialogue.lines.push(text);
        }
    }
    dialogues
}

/// Whether a text fits a pattern in which `…` stands for anything.
fn fits(pattern: &str, text: &str) -> bool {
    match pattern.split_once('…') {
        None => pattern == text,
        Some((start, rest)) => text.strip_prefix(start).is_some_and(|text| {
            (0..=text.len()).any(|i| text.is_char_boundary(i) && fits(rest, &text[i..]))
        }),
    }
}

fn speak(dialogue: &Dialogue) {
    let mut engine = Engine::with(&dialogue.arguments);
    let mut skip = false;
    for (i, line) in dialogue.lines.iter().enumerate() {
        let place = format!("{}:{}", dialogue.file, dialogue.line + 1 + i);
        if let Some(text) = line.strip_prefix("> ") {
            assert!(!skip, "{place}: lines come before an answer");
            engine.send(text);
        } else if *line == "< …" {
            skip = true;
        } else if let Some(pattern) = line.strip_prefix("< ") {
            loop {
                let found = engine
                    .line_within(PATIENCE)
                    .unwrap_or_else(|| panic!("{place}: '{pattern}' does not come"));
                if fits(pattern, &found) {
                    break;
                }
                assert!(skip, "{place}: expected '{pattern}', found '{found}'");
            }
            skip = false;
        } else {
            assert!(line.is_empty() || line.starts_with('#'), "{place}: '{line}'");
        }
    }
    if skip {
        return;
    }
    let rest = engine.line_within(SILENCE);
    assert_eq!(rest, None, "behind the dialogue at {}:{}", dialogue.file, dialogue.line);
}

#[test]
fn every_dialogue_that_is_written_down_is_true() {
    for (file, text, least) in [("protocol.md", REFERENCE, 3), ("README.md", README, 1)] {
        let dialogues = dialogues(file, text);
        assert!(dialogues.len() >= least, "{file}: {} dialogues", dialogues.len());
        dialogues.iter().for_each(speak);
    }
}

#[test]
fn the_reference_names_every_option() {
    let mut engine = Engine::start();
    engine.send("ugi");
    for line in engine.until("ugiok").0 {
        if line.starts_with("option ") {
            assert!(REFERENCE.contains(&line), "protocol.md does not have '{line}'");
        }
    }
}

#[test]
fn a_pattern_fits_what_it_should() {
    assert!(fits("info … pv …", "info depth 1 pv a1b1"));
    assert!(fits("…", ""));
    assert!(!fits("info …", "bestmove a1b1"));
    assert!(!fits("ugiok", "ugiok "));
}
