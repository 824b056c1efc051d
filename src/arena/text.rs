//! Games as text that people read: tags in square brackets, the moves, and the result.
//!
//! ```text
//! [Game "hokito"]
//! [Round "1.2"]
//! [Player1 "OLD"]
//! [Player2 "NEW"]
//! [Limits1 "nodes=5000"]
//! [Limits2 "nodes=5000"]
//! [Opening "CBACBA/ACBACB/BACBAC/cabcab/bcabca/abcabc b"]
//! [Points "41 67"]
//! [Result "p2win"]
//! [Reason "end by the rules"]
//!
//! 1. a1c3 {+1.25/9 45ms} f6d4 {-0.50/8 51ms}
//! 2. ...
//! p2win
//! ```
//!
//! The remark in braces is the score in points as the mover sees it, the depth, and the time. The
//! text is a close relative of chess's PGN.

use std::fmt::Write;

use thiserror::Error;

use super::record::{GameRecord, MoveRecord, Proven};
use crate::error::{MoveError, PositionError};
use crate::game::Notation;
use crate::maps::HashMap;
use crate::outside::visible;

/// A game as text, ended by a line feed.
#[must_use]
pub fn write(game: &GameRecord) -> String {
    let [one, two] = &game.players;
    let tags = [
        ("Game", game.game.clone()),
        ("Round", format!("{}.{}", game.pair + 1, game.leg + 1)),
        ("Player1", one.name.clone()),
        ("Player2", two.name.clone()),
        ("Limits1", one.limits.clone()),
        ("Limits2", two.limits.clone()),
        ("Opening", game.opening.clone()),
        ("Points", format!("{} {}", game.points[0], game.points[1])),
        ("Result", game.result.as_str().to_string()),
        ("Reason", game.reason.words().to_string()),
    ];
    let mut text = String::new();
    for (name, value) in &tags {
        push_tag(&mut text, name, value);
    }
    if !game.detail.is_empty() {
        push_tag(&mut text, "Detail", &game.detail);
    }
    text.push('\n');
    // Player one's moves come first in a line; a game that player two begins has dots instead.
    let skipped = usize::from(game.begins == 2);
    for (ply, mv) in (skipped..).zip(&game.moves) {
        let number = ply / 2 + 1;
        if ply % 2 == 0 {
            let _ = write!(text, "{number}. ");
        } else if ply == skipped {
            let _ = write!(text, "{number}... ");
        }
        text += &mv.text;
        text += &remark(mv);
        text.push(if ply % 2 == 0 && ply + 1 < skipped + game.moves.len() { ' ' } else { '\n' });
    }
    text + game.result.as_str() + "\n"
}

fn push_tag(text: &mut String, name: &str, value: &str) {
    let value = visible(value).replace('\\', "\\\\").replace('"', "\\\"");
    let _ = writeln!(text, "[{name} \"{value}\"]");
}

/// ` {+1.25/9 45ms}`
fn remark(mv: &MoveRecord) -> String {
    let mut text = " {".to_string();
    if let Some(score) = mv.score {
        let _ = write!(text, "{:+.2}", f64::from(score) / 100.0);
        if let Some(depth) = mv.depth {
            let _ = write!(text, "/{depth}");
        }
        text += match mv.proven {
            Some(Proven::Win) => " win ",
            Some(Proven::Draw) => " draw ",
            Some(Proven::Loss) => " loss ",
            None => " ",
        };
    }
    let _ = write!(text, "{:.0}ms}}", mv.ms);
    text
}

/// A game read from text.
#[derive(Clone, Debug, PartialEq)]
pub struct GameText<G: Notation> {
    /// The tags by name.
    pub tags: HashMap<String, String>,
    /// The position in which the moves begin: that of the tag `Opening`, or the start position.
    pub opening: G,
    /// The moves, each of them legal.
    pub moves: Vec<G::Move>,
    /// The remark behind each move, without its braces; empty where there is none.
    pub remarks: Vec<String>,
}

/// Why a text is not a record of games.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum TextError {
    /// A line in brackets that is not `[Name "value"]`.
    #[error("line {line}: '{text}' is not a tag, expected [Name \"value\"]")]
    Tag {
        /// The line, from 1.
        line: usize,
        /// The text.
        text: String,
    },
    /// The game of the tag `Game` is another one.
    #[error("line {line}: a game of {found}, expected {expected}")]
    Game {
        /// The line of the tag, from 1.
        line: usize,
        /// The name in the text.
        found: String,
        /// The name of the game that was to be read.
        expected: &'static str,
    },
    /// The tag `Opening` is not a position.
    #[error("line {line}: not a position")]
    Opening {
        /// The line, from 1.
        line: usize,
        /// What is wrong with it.
        source: PositionError,
    },
    /// A word among the moves is not a legal move.
    #[error("line {line}, move {number}")]
    Move {
        /// The line, from 1.
        line: usize,
        /// The number of the move in the game, counting those of both players, from 1.
        number: usize,
        /// What is wrong with it.
        source: MoveError,
    },
    /// A brace that is opened only, or closed only.
    #[error("line {line}: a remark has only one of its braces")]
    Brace {
        /// The line, from 1.
        line: usize,
    },
}

/// Reads the games of a text as [`write`](write()) makes it, or as people write it: tags, remarks
/// and move numbers may all be left out. A result ends a game, and so does a tag behind its moves.
///
/// # Errors
/// The first mistake, with its line.
pub fn parse<G: Notation>(text: &str) -> Result<Vec<GameText<G>>, TextError> {
    let mut reader = Reader { games: Vec::new(), current: None, remark: None };
    for (line, text) in (1..).zip(text.lines()) {
        if reader.remark.is_none() && text.trim_start().starts_with('[') {
            reader.tag(line, text.trim())?;
        } else {
            reader.moves(line, text)?;
        }
    }
    if let Some((line, _)) = reader.remark {
        return Err(TextError::Brace { line });
    }
    reader.end();
    Ok(reader.games)
}

/// A game that is being read, with the position after its moves.
struct Draft<G: Notation> {
    game: GameText<G>,
    position: G,
}

struct Reader<G: Notation> {
    games: Vec<GameText<G>>,
    current: Option<Draft<G>>,
    /// An open remark, and the line where it was opened.
    remark: Option<(usize, String)>,
}

impl<G: Notation> Reader<G> {
    fn end(&mut self) {
        self.games.extend(self.current.take().map(|draft| draft.game));
    }

    fn draft(&mut self) -> &mut Draft<G> {
        self.current.get_or_insert_with(|| Draft {
            game: GameText {
                tags: HashMap::default(),
                opening: G::start(),
                moves: Vec::new(),
                remarks: Vec::new(),
            },
            position: G::start(),
        })
    }

    fn tag(&mut self, line: usize, text: &str) -> Result<(), TextError> {
        let parts = text
            .strip_prefix('[')
            .and_then(|text| text.strip_suffix("\"]"))
            .and_then(|text| text.split_once(" \""));
        let Some((name, value)) = parts else {
            return Err(TextError::Tag { line, text: text.to_string() });
        };
        let value = unescape(value);
        if self.current.as_ref().is_some_and(|draft| !draft.game.moves.is_empty()) {
            self.end();
        }
        let draft = self.draft();
        match name {
            "Game" if !value.eq_ignore_ascii_case(G::NAME) => {
                return Err(TextError::Game { line, found: value, expected: G::NAME });
            }
            "Opening" => {
                let opening =
                    G::parse(&value).map_err(|source| TextError::Opening { line, source })?;
                draft.game.opening = opening;
                draft.position = opening;
            }
            _ => {}
        }
        draft.game.tags.insert(name.to_string(), value);
        Ok(())
    }

    fn moves(&mut self, line: usize, mut rest: &str) -> Result<(), TextError> {
        loop {
            if let Some((_, remark)) = &mut self.remark {
                let Some((inside, behind)) = rest.split_once('}') else {
                    remark.push_str(rest);
                    remark.push(' ');
                    return Ok(());
                };
                remark.push_str(inside);
                let remark = std::mem::take(remark);
                self.remark = None;
                // A remark before the first move belongs to no move.
                if let Some(last) = self.draft().game.remarks.last_mut() {
                    *last = remark;
                }
                rest = behind;
            }
            let (words, behind) = match rest.split_once('{') {
                Some((words, behind)) => (words, Some(behind)),
                None => (rest, None),
            };
            for word in words.split_whitespace() {
                self.word(line, word)?;
            }
            match behind {
                Some(behind) => {
                    self.remark = Some((line, String::new()));
                    rest = behind;
                }
                None => return Ok(()),
            }
        }
    }

    fn word(&mut self, line: usize, word: &str) -> Result<(), TextError> {
        if word.contains('}') {
            return Err(TextError::Brace { line });
        }
        if ["p1win", "p2win", "draw", "none", "*"].contains(&word) {
            self.end();
            return Ok(());
        }
        // A move may stand right behind its number.
        let word = match word.rsplit_once('.') {
            Some((number, word)) if number.trim_end_matches('.').parse::<u32>().is_ok() => word,
            _ => word,
        };
        if word.is_empty() {
            return Ok(());
        }
        let draft = self.draft();
        let number = draft.game.moves.len() + 1;
        let mv = draft.position.parse_move(word).map_err(|source| TextError::Move {
            line,
            number,
            source,
        })?;
        draft.position.make(mv);
        draft.game.moves.push(mv);
        draft.game.remarks.push(String::new());
        Ok(())
    }
}

/// Takes back what [`push_tag`] did to quotation marks and backslashes.
fn unescape(value: &str) -> String {
    let mut text = String::with_capacity(value.len());
    let mut characters = value.chars();
    while let Some(c) = characters.next() {
        text.push(if c == '\\' { characters.next().unwrap_or(c) } else { c });
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::arena::record::{GameResult, PlayerRecord, Reason};
    use crate::game::Game;
    use crate::games::hokito::Hokito;
    use crate::games::yoxii::Yoxii;

    fn player(name: &str) -> PlayerRecord {
        PlayerRecord {
            name: name.to_string(),
            command: vec![],
            options: vec![],
            limits: "nodes=1".to_string(),
        }
    }

    /// The game in which the first legal move is played `plies` times from a position.
    fn record<G: Notation>(opening: &G, plies: usize) -> GameRecord {
        let mut position = *opening;
        let mut moves = Vec::new();
        for ply in 0..plies {
            let mv = position.moves()[0];
            moves.push(MoveRecord {
                text: G::move_text(mv),
                ms: 45.3,
                score: (ply != 1).then_some(-125),
                proven: (ply == 2).then_some(Proven::Loss),
                depth: Some(9),
                nodes: Some(5),
            });
            position.make(mv);
        }
        GameRecord {
            game: G::NAME.to_string(),
            pair: 4,
            leg: 1,
            players: [player("a \"b\" \\c"), player("B")],
            opening: opening.notation(),
            begins: opening.side_to_move().index() as u8 + 1,
            moves,
            result: GameResult::Draw,
            reason: Reason::Rules,
            detail: String::new(),
            points: position.points(),
            disagreements: [vec![], vec![]],
        }
    }

    fn check<G: Notation>(opening: &G) {
        for plies in 0..6 {
            let game = record(opening, plies);
            let text = write(&game);
            let read = parse::<G>(&text).unwrap();
            assert_eq!(read.len(), 1);
            assert_eq!(&read[0].opening, opening);
            let moves: Vec<String> = read[0].moves.iter().map(|&mv| G::move_text(mv)).collect();
            let expected: Vec<String> = game.moves.iter().map(|mv| mv.text.clone()).collect();
            assert_eq!(moves, expected);
            assert_eq!(read[0].tags["Player1"], game.players[0].name);
            assert_eq!(read[0].tags["Result"], "draw");
            if plies > 2 {
                assert_eq!(read[0].remarks[..3], ["-1.25/9 45ms", "45ms", "-1.25/9 loss 45ms"]);
            }
            let twice = parse::<G>(&format!("{text}\n{text}")).unwrap();
            assert_eq!(twice, [read[0].clone(), read[0].clone()]);
        }
    }

    #[test]
    fn what_is_written_is_read() {
        check(&Hokito::start());
        check(&Yoxii::start());
        let mut later = Hokito::start();
        later.make(later.moves()[3]);
        check(&later);
    }

    #[test]
    fn text_of_people_is_read() {
        let mut position = Hokito::start();
        let mut words = Vec::new();
        for _ in 0..3 {
            let mv = position.moves()[0];
            words.push(Hokito::move_text(mv));
            position.make(mv);
        }
        let [a, b, c] = &words[..] else { unreachable!() };
        for text in [
            format!("{a} {b} {c}"),
            format!("{{hello\nworld}} 1.{a} {b}\n\n2. {c} {{over\ntwo lines}} *"),
            format!("1. {a}\n1... {b} 2.{c} none\n"),
        ] {
            let games = parse::<Hokito>(&text).unwrap();
            assert_eq!((games.len(), games[0].moves.len()), (1, 3), "{text}");
        }
        assert_eq!(parse::<Hokito>("\n \n"), Ok(vec![]));
    }

    #[test]
    fn mistakes_are_named_with_their_line() {
        let message =
            |text: &str| format!("{:#}", anyhow::Error::from(parse::<Hokito>(text).unwrap_err()));
        assert!(message("[Game hokito]").starts_with("line 1: '[Game hokito]' is not a tag"));
        assert!(message("\n[Game \"yoxii\"]").starts_with("line 2: a game of yoxii"));
        assert!(
            message("[Opening \"x\"]").starts_with("line 1: not a position: expected two fields")
        );
        assert!(message("1. a1a1").starts_with("line 1, move 1: "));
        assert!(message("1. zz {x}").starts_with("line 1, move 1: 'zz' is not a move"));
        assert_eq!(message("{a\nb"), "line 1: a remark has only one of its braces");
        assert_eq!(message("\nb}"), "line 2: a remark has only one of its braces");
    }
}
