//! The state of a match in words and figures.

use std::fmt::Write;

use super::ratings::ratings;
use super::record::Reason;
use super::sprt::Decision;
use super::stats::{Estimate, Wdl};
use super::summary::{Effort, Meeting, Summary, Trial};

/// `1 game`, `2 games`
#[must_use]
pub fn counted(number: u64, what: &str) -> String {
    format!("{number} {what}{}", if number == 1 { "" } else { "s" })
}

/// One line for a progress bar or a log: the score so far.
#[must_use]
pub fn line(summary: &Summary, trial: Option<&Trial>) -> String {
    let games: u64 = summary.meetings().values().map(|meeting| meeting.games.games()).sum();
    let mut text = counted(games, "game");
    if let [(_, meeting)] = summary.meetings().iter().collect::<Vec<_>>()[..] {
        let Wdl { wins, draws, losses } = meeting.games;
        let _ = write!(text, "  +{wins} ={draws} -{losses}");
        if meeting.pairs.pairs() > 0 {
            let _ = write!(text, "  Elo {}", estimate(meeting.pairs.elo()));
        }
    }
    if let Some(trial) = trial {
        let [lower, upper] = trial.test.bounds();
        let _ = write!(text, "  LLR {:.2} [{lower:.2}, {upper:.2}]", trial.llr);
    }
    let failures = failures(summary);
    if failures > 0 {
        let _ = write!(text, "  {}", counted(failures, "failure"));
    }
    text
}

fn failures(summary: &Summary) -> u64 {
    summary.efforts().iter().flat_map(|effort| effort.failures.values()).sum()
}

/// All that is known of a match, in several lines.
#[must_use]
pub fn full(summary: &Summary, trial: Option<&Trial>) -> String {
    let mut text = String::new();
    if summary.names().len() > 2 {
        text += &rating_table(summary);
        text.push('\n');
    }
    for (&[first, second], meeting) in summary.meetings() {
        let (first, second) = (&summary.names()[first], &summary.names()[second]);
        text += &if summary.names().len() > 2 {
            meeting_line(first, second, meeting)
        } else {
            meeting_text(first, second, meeting)
        };
    }
    if let Some(trial) = trial {
        text += &trial_text(trial, summary);
    }
    let sides = summary.sides();
    let games = sides.games();
    if games > 0 {
        let _ = writeln!(
            text,
            "By side      player one won {}, drawn {}, player two won {}; {:.1} moves a game",
            sides.wins,
            sides.draws,
            sides.losses,
            summary.moves() as f64 / games as f64
        );
        let ends: Vec<String> =
            summary.reasons().iter().map(|(reason, n)| format!("{n} {}", reason.words())).collect();
        let _ = writeln!(text, "Ends         {}", ends.join(", "));
    }
    if summary.left_out() > 0 {
        let games = counted(summary.left_out(), "game");
        let _ = writeln!(text, "Left out     {games} that cannot have been played as recorded");
    }
    text.push('\n');
    text += &engine_table(summary);
    text
}

/// The engines from the strongest to the weakest.
fn rating_table(summary: &Summary) -> String {
    let names = summary.names();
    let mut scores = vec![Wdl::default(); names.len()];
    for (&[first, second], meeting) in summary.meetings() {
        scores[first] += meeting.games;
        scores[second] += meeting.games.reversed();
    }
    let mut rows: Vec<(&String, Estimate, Wdl)> = names
        .iter()
        .zip(ratings(names.len(), summary.meetings()))
        .zip(scores)
        .map(|((name, rating), score)| (name, rating, score))
        .collect();
    // Engines without a rating come last.
    rows.sort_by(|a, b| {
        let key = |x: f64| if x.is_nan() { f64::NEG_INFINITY } else { x };
        key(b.1.value).total_cmp(&key(a.1.value))
    });
    let width = name_width(summary);
    let mut text = format!(
        "{}  {:>16}  {:>6}  {:>8}  {:>6}\n",
        padded("Rating", width),
        "Elo",
        "games",
        "points",
        "%"
    );
    for (name, rating, score) in rows {
        let games = score.games();
        let percent = if games > 0 { 100.0 * score.points() / games as f64 } else { 0.0 };
        let _ = writeln!(
            text,
            "{}  {:>16}  {games:>6}  {:>8.1}  {percent:>6.1}",
            padded(name, width),
            estimate(rating),
            score.points(),
        );
    }
    text
}

fn name_width(summary: &Summary) -> usize {
    summary.names().iter().map(|name| name.chars().count()).max().unwrap_or(0).max(6)
}

/// The text with spaces behind it up to a width. That of the formatter has a limit, and names come
/// from outside.
fn padded(text: &str, width: usize) -> String {
    text.to_string() + &" ".repeat(width.saturating_sub(text.chars().count()))
}

fn meeting_line(first: &str, second: &str, meeting: &Meeting) -> String {
    let Wdl { wins, draws, losses } = meeting.games;
    format!(
        "{first} against {second}: {}, won {wins}, drawn {draws}, lost {losses}, Elo {}\n",
        counted(meeting.games.games(), "game"),
        estimate(meeting.pairs.elo())
    )
}

fn meeting_text(first: &str, second: &str, meeting: &Meeting) -> String {
    let Meeting { games, pairs } = meeting;
    let [ll, ld, even, wd, ww] = pairs.0;
    let mut text = format!(
        "{first} against {second}: {}\n\
         Score        won {}, drawn {}, lost {}: {} {}, {:.1}%\n\
         Pairs        {ll} {ld} {even} {wd} {ww} with 0, 1/2, 1, 1 1/2, 2 points\n",
        counted(games.games(), "game"),
        games.wins,
        games.draws,
        games.losses,
        games.points(),
        if games.points() == 1.0 { "point" } else { "points" },
        100.0 * games.points() / games.games() as f64,
    );
    if pairs.pairs() > 0 {
        let _ = writeln!(
            text,
            "Elo          {} (95%)\nnElo         {} (95%)\nSuperiority  {:.1}%",
            estimate(pairs.elo()),
            estimate(pairs.normalised_elo()),
            100.0 * pairs.superiority()
        );
    }
    text
}

fn trial_text(trial: &Trial, summary: &Summary) -> String {
    let ([lower, upper], [elo0, elo1]) = (trial.test.bounds(), trial.test.hypotheses());
    let verdict = match trial.decision {
        Some(Decision::H0) => format!("H0 accepted: not better by {elo1} nElo"),
        Some(Decision::H1) => format!("H1 accepted: better by more than {elo0} nElo"),
        None => "undecided".to_string(),
    };
    let weighed = trial.pairs.pairs();
    let all: u64 = summary.meetings().values().map(|meeting| meeting.pairs.pairs()).sum();
    // Pairs count in their order, so that nothing depends on which games were quick.
    let gap = match all.saturating_sub(weighed) {
        waiting @ 1.. if trial.decision.is_none() => {
            format!("; {waiting} more behind pair {}, which is missing", weighed + 1)
        }
        _ => String::new(),
    };
    format!(
        "SPRT         nElo {elo0} against {elo1}: LLR {:.2} [{lower:.2}, {upper:.2}] after {}, {verdict}{gap}\n",
        trial.llr,
        counted(weighed, "pair")
    )
}

/// `21.7 +/- 33.9`
fn estimate(estimate: Estimate) -> String {
    if estimate.value.is_finite() && estimate.error.is_finite() {
        format!("{:.1} +/- {:.1}", estimate.value, estimate.error)
    } else if estimate.value.is_nan() {
        "unknown".to_string()
    } else {
        format!("{:.1} +/- ?", estimate.value)
    }
}

fn engine_table(summary: &Summary) -> String {
    let width = name_width(summary);
    let mut text = format!(
        "{}  {:>8}  {:>9}  {:>6}  {:>11}  {:>11}  failures\n",
        padded("Engine", width),
        "moves",
        "ms/move",
        "depth",
        "nodes/move",
        "nodes/s"
    );
    for (name, effort) in summary.names().iter().zip(summary.efforts()) {
        let Effort { moves, ms, depth, nodes, .. } = effort;
        let mean = |(sum, n): (u64, u64), digits: usize| match n {
            0 => "-".to_string(),
            _ => format!("{:.digits$}", sum as f64 / n as f64),
        };
        // Only when all moves have a number of nodes do nodes and time belong together.
        let speed = match nodes {
            (sum, n) if *n == *moves && *n > 0 && *ms > 0.0 => {
                format!("{:.0}", *sum as f64 / ms * 1000.0)
            }
            _ => "-".to_string(),
        };
        let _ = writeln!(
            text,
            "{}  {moves:>8}  {:>9}  {:>6}  {:>11}  {speed:>11}  {}",
            padded(name, width),
            if *moves > 0 { format!("{:.2}", ms / *moves as f64) } else { "-".to_string() },
            mean(*depth, 1),
            mean(*nodes, 0),
            failure_text(effort),
        );
    }
    text
}

fn failure_text(effort: &Effort) -> String {
    let mut parts: Vec<String> = effort
        .failures
        .iter()
        .map(|(reason, n): (&Reason, &u64)| format!("{n} {}", reason.words()))
        .collect();
    if effort.disagreements > 0 {
        parts.push(counted(effort.disagreements, "answer") + " against the rules");
    }
    if parts.is_empty() { "none".to_string() } else { parts.join(", ") }
}
