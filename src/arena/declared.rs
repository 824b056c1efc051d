//! What an engine declares of its options, and whether a value fits.

/// An option as an engine declares it in its answer to `ugi`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Declared {
    /// Its name.
    pub name: String,
    values: Values,
}

/// The values that an option takes.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Values {
    /// Whole numbers.
    Spin { min: i64, max: i64 },
    /// `true` and `false`.
    Check,
    /// One of these.
    Combo(Vec<String>),
    /// Anything, as far as the declaration tells.
    Any,
}

impl Declared {
    /// Reads a line that the engine printed. `None` when it declares no option.
    #[must_use]
    pub fn parse(line: &str) -> Option<Self> {
        let (name, rest) = line.strip_prefix("option name ")?.split_once(" type ")?;
        let (kind, rest) = rest.trim().split_once(' ').unwrap_or((rest.trim(), ""));
        let bound = |which: &str| {
            let mut words = rest.split_ascii_whitespace().skip_while(|&word| word != which);
            words.nth(1)?.parse().ok()
        };
        let values = match kind {
            "spin" => Values::Spin {
                min: bound("min").unwrap_or(i64::MIN),
                max: bound("max").unwrap_or(i64::MAX),
            },
            "check" => Values::Check,
            "combo" => {
                let words: Vec<&str> = rest.split_ascii_whitespace().collect();
                let choices = words.split(|&word| word == "var").skip(1);
                Values::Combo(choices.map(|words| words.join(" ")).collect())
            }
            _ => Values::Any,
        };
        Some(Self { name: name.trim().to_string(), values })
    }

    /// What is wrong with a value, for a person: `None` when nothing is.
    #[must_use]
    pub fn objection(&self, value: &str) -> Option<String> {
        let (fits, expected) = match &self.values {
            Values::Spin { min, max } => (
                value.parse().is_ok_and(|number| (*min..=*max).contains(&number)),
                format!("a number from {min} to {max}"),
            ),
            Values::Check => (
                ["true", "false"].iter().any(|word| word.eq_ignore_ascii_case(value)),
                "true or false".to_string(),
            ),
            Values::Combo(choices) => (
                choices.iter().any(|choice| choice.eq_ignore_ascii_case(value)),
                format!("one of {}", choices.join(", ")),
            ),
            Values::Any => return None,
        };
        let name = &self.name;
        (!fits).then(|| format!("expects {expected} for the option '{name}', not '{value}'"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn objection(line: &str, value: &str) -> Option<String> {
        Declared::parse(line).expect("an option").objection(value)
    }

    #[test]
    fn values_are_held_against_the_declaration() {
        let elo = "option name Elo type spin default 1500 min 300 max 1600";
        assert_eq!(objection(elo, "300"), None);
        assert_eq!(
            objection(elo, "276").as_deref(),
            Some("expects a number from 300 to 1600 for the option 'Elo', not '276'")
        );
        assert!(objection(elo, "strong").is_some());
        assert_eq!(objection("option name Depth type spin default 4", "-7"), None);

        let check = "option name Own Book type check default false";
        assert_eq!(objection(check, "True"), None);
        let message = objection(check, "yes").expect("neither true nor false");
        assert!(message.contains("true or false for the option 'Own Book'"), "{message}");

        let combo = "option name Style type combo default wild var wild var very calm";
        assert_eq!(objection(combo, "Very calm"), None);
        let message = objection(combo, "calm").expect("not a choice");
        assert!(message.contains("one of wild, very calm"), "{message}");

        assert_eq!(objection("option name Log type string default <empty>", "a b"), None);
    }

    #[test]
    fn other_lines_declare_nothing() {
        for line in ["", "ugiok", "option", "option name Hash", "id name option name x type spin"] {
            assert_eq!(Declared::parse(line), None, "{line}");
        }
    }
}
