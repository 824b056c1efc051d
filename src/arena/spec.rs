//! Engines and their limits as they are written on the command line.

use std::fmt;
use std::str::FromStr;
use std::time::Duration;

use thiserror::Error;

use super::record::{LONGEST_NAME, NAME, PlayerRecord, is_name};
use crate::outside::excerpt;

/// The longest time that can be given for anything, in seconds: a day.
pub const MAX_SECONDS: u64 = 86_400;

/// An engine that takes part in a match.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EngineSpec {
    /// The name that it has in the match.
    pub name: String,
    /// Program and arguments.
    pub command: Vec<String>,
    /// Options to set, in this order.
    pub options: Vec<(String, String)>,
    /// What it gets for each move.
    pub limits: MoveLimits,
}

impl EngineSpec {
    /// What a record of a game keeps of it.
    #[must_use]
    pub fn record(&self) -> PlayerRecord {
        PlayerRecord {
            name: self.name.clone(),
            command: self.command.clone(),
            options: self.options.clone(),
            limits: self.limits.to_string(),
        }
    }
}

/// A clock for the whole game, with time added after every move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TimeControl {
    /// Time at the start.
    pub base: Duration,
    /// Time added after every move.
    pub increment: Duration,
}

/// What an engine gets for each move. All that are given hold together.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct MoveLimits {
    /// A clock for the whole game.
    pub clock: Option<TimeControl>,
    /// Time for each move.
    pub move_time: Option<Duration>,
    /// Positions that it may visit for each move.
    pub nodes: Option<u64>,
    /// Plies that it may look ahead.
    pub depth: Option<u32>,
}

impl MoveLimits {
    /// Whether there is no limit at all.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}

impl fmt::Display for TimeControl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}+{}", self.base.as_secs_f64(), self.increment.as_secs_f64())
    }
}

impl fmt::Display for MoveLimits {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let limits = [
            self.clock.map(|clock| format!("tc={clock}")),
            self.move_time.map(|time| format!("movetime={}", time.as_secs_f64() * 1000.0)),
            self.nodes.map(|nodes| format!("nodes={nodes}")),
            self.depth.map(|depth| format!("depth={depth}")),
        ];
        f.write_str(&limits.into_iter().flatten().collect::<Vec<_>>().join(","))
    }
}

/// Why the text of an engine is not understood.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum SpecError {
    /// A part that is not `key=value`.
    #[error("'{0}': expected key=value")]
    NoValue(String),
    /// A key that means nothing here.
    #[error("unknown key '{0}': expected {1}")]
    UnknownKey(String, &'static str),
    /// The same key twice.
    #[error("'{0}' is given twice")]
    Twice(String),
    /// A value that does not fit its key.
    #[error("{key}='{value}': expected {expected}")]
    Value {
        /// The key.
        key: &'static str,
        /// The value found.
        value: String,
        /// What may stand there.
        expected: &'static str,
    },
    /// A quotation mark that is opened only.
    #[error("'{0}': a quotation mark is not closed")]
    Quote(String),
    /// An engine without a program.
    #[error("cmd= with the engine's program is missing")]
    NoCommand,
}

impl FromStr for TimeControl {
    type Err = SpecError;

    /// Reads seconds, `8`, or seconds and increment, `8+0.08`.
    fn from_str(text: &str) -> Result<Self, SpecError> {
        let (base, increment) = text.split_once('+').unwrap_or((text, "0"));
        match (seconds(base), seconds(increment)) {
            (Some(base), Some(increment)) if !base.is_zero() => Ok(Self { base, increment }),
            _ => Err(SpecError::Value {
                key: "tc",
                value: text.to_string(),
                expected: "seconds or seconds+increment, such as 8+0.08, each at most a day",
            }),
        }
    }
}

fn seconds(text: &str) -> Option<Duration> {
    let seconds = Duration::try_from_secs_f64(text.trim().parse().ok()?).ok()?;
    (seconds <= Duration::from_secs(MAX_SECONDS)).then_some(seconds)
}

/// What stands behind `--engine` and `--each`, with everything optional.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PartialSpec {
    /// `name=`
    pub name: Option<String>,
    /// `cmd=`, split as a shell would.
    pub command: Option<Vec<String>>,
    /// `option.NAME=`
    pub options: Vec<(String, String)>,
    /// `tc=`, `movetime=`, `nodes=`, `depth=`
    pub limits: MoveLimits,
}

const KEYS: &str = "name, cmd, option.NAME, tc, movetime, nodes or depth";

impl FromStr for PartialSpec {
    type Err = SpecError;

    /// Reads `key=value` parts separated by commas. A comma inside double quotes separates nothing.
    fn from_str(text: &str) -> Result<Self, SpecError> {
        let mut spec = Self::default();
        let mut seen: Vec<String> = Vec::new();
        for part in split_at_commas(text)? {
            let (key, value) =
                part.split_once('=').ok_or_else(|| SpecError::NoValue(part.clone()))?;
            let key = key.trim();
            if seen.iter().any(|other| other == key) {
                return Err(SpecError::Twice(key.to_string()));
            }
            seen.push(key.to_string());
            spec.set(key, value)?;
        }
        Ok(spec)
    }
}

impl PartialSpec {
    fn set(&mut self, key: &str, value: &str) -> Result<(), SpecError> {
        let wrong = |key, expected| SpecError::Value { key, value: value.to_string(), expected };
        let limits = &mut self.limits;
        match key {
            "name" if value.trim().is_empty() => return Err(wrong("name", "a name")),
            "name" => self.name = Some(value.trim().to_string()),
            "cmd" => match shlex::split(value) {
                Some(command) if !command.is_empty() => self.command = Some(command),
                _ => return Err(wrong("cmd", "a program and its arguments")),
            },
            "tc" => limits.clock = Some(value.parse()?),
            "movetime" => match value.parse() {
                Ok(ms @ 1..) if ms <= 1000 * MAX_SECONDS => {
                    limits.move_time = Some(Duration::from_millis(ms));
                }
                _ => return Err(wrong("movetime", "milliseconds, from 1 to a day")),
            },
            "nodes" => match value.parse() {
                Ok(nodes @ 1..) => limits.nodes = Some(nodes),
                _ => return Err(wrong("nodes", "a number, at least 1")),
            },
            "depth" => match value.parse() {
                Ok(depth @ 1..) => limits.depth = Some(depth),
                _ => return Err(wrong("depth", "plies, at least 1")),
            },
            _ => match key.strip_prefix("option.") {
                Some(name) if !name.is_empty() => {
                    self.options.push((name.to_string(), value.to_string()));
                }
                _ => return Err(SpecError::UnknownKey(key.to_string(), KEYS)),
            },
        }
        Ok(())
    }

    /// The engine, with what is common to all put in where it says nothing itself: options one by
    /// one, limits as a whole.
    ///
    /// # Errors
    /// When it has no command, or its name is [none](is_name): the one that is given, or else that
    /// of the program.
    pub fn complete(self, common: &Self) -> Result<EngineSpec, SpecError> {
        let command = self.command.ok_or(SpecError::NoCommand)?;
        let own = |name: &str| self.options.iter().any(|(n, _)| n.eq_ignore_ascii_case(name));
        let inherited = common.options.iter().filter(|(name, _)| !own(name));
        let name = self.name.unwrap_or_else(|| {
            let program = command.first().map_or("", String::as_str);
            std::path::Path::new(program)
                .file_stem()
                .map_or_else(|| program.to_string(), |stem| stem.to_string_lossy().into_owned())
        });
        if !is_name(&name) {
            return Err(SpecError::Value {
                key: "name",
                value: excerpt(&name, LONGEST_NAME),
                expected: NAME,
            });
        }
        Ok(EngineSpec {
            name,
            options: inherited.chain(&self.options).cloned().collect(),
            limits: if self.limits.is_empty() { common.limits } else { self.limits },
            command,
        })
    }
}

/// The parts between commas, without the double quotes around text in which commas count as text.
fn split_at_commas(text: &str) -> Result<Vec<String>, SpecError> {
    let mut parts = vec![String::new()];
    let mut quoted = false;
    for c in text.chars() {
        match (c, parts.last_mut()) {
            ('"', _) => quoted = !quoted,
            (',', _) if !quoted => parts.push(String::new()),
            (_, Some(part)) => part.push(c),
            (_, None) => {}
        }
    }
    if quoted { Err(SpecError::Quote(text.to_string())) } else { Ok(parts) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(text: &str) -> PartialSpec {
        text.parse().unwrap()
    }

    fn message(text: &str) -> String {
        text.parse::<PartialSpec>().unwrap_err().to_string()
    }

    #[test]
    fn an_engine_is_read_with_and_without_quotes() {
        let quoted = parse("name=NEW,cmd=\"./cairn ugi --game hokito\",option.Hash=32,nodes=5000");
        let unquoted = parse("name=NEW,cmd=./cairn ugi --game hokito,option.Hash=32,nodes=5000");
        assert_eq!(quoted, unquoted);
        let engine = quoted.complete(&parse("option.hash=16,option.Threads=1,tc=8+0.08")).unwrap();
        assert_eq!(engine.name, "NEW");
        assert_eq!(engine.command, ["./cairn", "ugi", "--game", "hokito"]);
        assert_eq!(
            engine.options,
            [("Threads".to_string(), "1".to_string()), ("Hash".to_string(), "32".to_string())]
        );
        assert_eq!(engine.limits.to_string(), "nodes=5000");
        assert_eq!(parse("cmd=\"a 'b,c' d\"").command.unwrap(), ["a", "b,c", "d"]);
    }

    #[test]
    fn the_program_names_an_engine_without_a_name() {
        let engine = parse("cmd=/usr/games/stone.exe -q").complete(&parse("depth=3")).unwrap();
        assert_eq!((engine.name.as_str(), engine.limits.depth), ("stone", Some(3)));
    }

    #[test]
    fn limits_are_shown_as_they_are_written() {
        for text in ["tc=8+0.08", "tc=0.5+0", "movetime=50", "nodes=7", "depth=3", "tc=1+0,depth=9"]
        {
            assert_eq!(parse(text).limits.to_string(), text);
        }
    }

    #[test]
    fn mistakes_are_named() {
        assert!(message("name").contains("'name'"));
        assert!(message("colour=red").contains("'colour'"));
        assert!(message("nodes=1,nodes=2").contains("'nodes' is given twice"));
        assert!(message("nodes=0").contains("nodes='0'"));
        assert!(message("tc=-1").contains("tc='-1'"));
        assert!(message("tc=nan+inf").contains("seconds+increment"));
        for text in ["tc=1e15+0", "tc=1e19", "tc=1+1e19", "tc=86401", "movetime=86400001"] {
            assert!(message(text).contains("a day"), "{text}");
        }
        assert_eq!(
            parse("tc=86400,movetime=86400000").limits.to_string(),
            "tc=86400+0,movetime=86400000"
        );
        assert!(message("movetime=1.5").contains("milliseconds"));
        assert!(message("cmd=\"x").contains("not closed"));
        assert!(message("option.=3").contains("option."));
        assert_eq!(parse("name=x").complete(&parse("nodes=1")), Err(SpecError::NoCommand));
        let error = parse("name=a\u{1b}b,cmd=x").complete(&parse("nodes=1")).unwrap_err();
        assert!(error.to_string().starts_with(r"name='a\u{1b}b': expected a name"), "{error}");
    }

    #[test]
    fn a_name_has_its_length_and_can_be_seen() {
        let complete =
            |name: &str| parse(&format!("name={name},cmd=x")).complete(&parse("nodes=1"));
        for name in ["é".repeat(LONGEST_NAME).as_str(), "a b", "หมากรุก"] {
            assert_eq!(complete(name).unwrap().name, name);
        }
        for name in ["é".repeat(LONGEST_NAME + 1).as_str(), "a\u{202e}b", "\u{200b}", "\u{3164}"] {
            let message = complete(name).unwrap_err().to_string();
            assert!(message.contains(&format!("expected {NAME}")), "{message}");
        }
        let long = complete(&"x".repeat(1 << 16)).unwrap_err().to_string();
        assert!(long.contains("x... (65536 characters)") && long.len() < 200, "{long}");
        let program = parse(&format!("cmd=./{}", "x".repeat(61))).complete(&parse("nodes=1"));
        assert!(program.unwrap_err().to_string().starts_with("name='xxx"));
    }
}
