//! Rules as text: rules files (TOML), the `rules` object of game records (serde), and overrides.
//!
//! All three hand their entries to one place, [`assemble`], which tells every mistake at once.

use std::borrow::Cow;
use std::fmt::{self, Write as _};

use serde::de::{Deserializer, MapAccess, Visitor};
use serde::ser::{SerializeMap, Serializer};
use serde::{Deserialize, Serialize};
use thiserror::Error;
use toml::de::{DeTable, DeValue};

use super::{Field, FieldValue, Rules, preset};
use crate::text::shortened;

/// The key of a rules file that names the preset from which the rest is taken.
const BASE: &str = "base";

/// Everything that is wrong with a text of rules.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RulesError {
    problems: Vec<RulesProblem>,
}

impl RulesError {
    /// The problems, at least one, in the order of the text.
    pub fn problems(&self) -> &[RulesProblem] {
        &self.problems
    }
}

impl fmt::Display for RulesError {
    /// One problem a line.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, problem) in self.problems.iter().enumerate() {
            if index > 0 {
                f.write_char('\n')?;
            }
            problem.fmt(f)?;
        }
        Ok(())
    }
}

impl std::error::Error for RulesError {}

/// One thing that is wrong with a text of rules.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{}{mistake}", line.map(|line| format!("line {line}: ")).unwrap_or_default())]
pub struct RulesProblem {
    /// The line of the text, counted from 1; `None` where no line is at fault.
    pub line: Option<usize>,
    mistake: Mistake,
}

#[derive(Clone, Debug, PartialEq, Eq, Error)]
enum Mistake {
    #[error("not TOML: {0}")]
    Syntax(String),
    #[error("unknown field {0:?}; the fields are {fields}", fields = Field::ALL.map(Field::name).join(", "))]
    UnknownKey(String),
    #[error("{key} is given twice")]
    Twice { key: &'static str },
    #[error("{key} is {found}; it must be {expected}", key = field.name(), expected = field.expected())]
    Value { field: Field, found: String },
    #[error("base is {found}; it must be a preset: {}", preset::names())]
    Base { found: String },
    #[error("{} {} missing (only a rules file with a base may leave fields out)",
        fields.iter().map(|field| field.name()).collect::<Vec<_>>().join(", "),
        if fields.len() == 1 { "is" } else { "are" })]
    Missing { fields: Vec<Field> },
}

/// An entry of a text of rules: key, value, line. A value of a type that no field has comes as its text.
struct Entry<'a> {
    key: Cow<'a, str>,
    value: Result<FieldValue, String>,
    line: Option<usize>,
}

/// Puts the entries over `base`. Without one, every field must be there (`chain_limit` excepted: absent, it is none).
fn assemble<'a>(
    base: Option<Rules>,
    entries: impl IntoIterator<Item = Entry<'a>>,
    mut problems: Vec<RulesProblem>,
) -> Result<Rules, RulesError> {
    // Without a base, each of the scratch value's fields is replaced or reported missing.
    let mut rules = base.unwrap_or(Rules { chain_limit: None, ..preset::ALL[0].rules });
    // After bad syntax nobody knows which fields are there.
    let all_needed = base.is_none() && problems.is_empty();
    let mut given = Vec::new();
    for Entry { key, value, line } in entries {
        let mistake = match Field::from_name(&key) {
            None => Some(Mistake::UnknownKey(shortened(&key, MOST_TOLD))),
            Some(field) if given.contains(&field) => Some(Mistake::Twice { key: field.name() }),
            Some(field) => {
                given.push(field);
                match value {
                    Ok(value) => field.set(&mut rules, &value).is_none().then(|| value.to_string()),
                    Err(found) => Some(found),
                }
                .map(|found| Mistake::Value { field, found: shortened(&found, MOST_TOLD) })
            }
        };
        problems.extend(mistake.map(|mistake| RulesProblem { line, mistake }));
    }
    if all_needed {
        let absent = |field: &Field| !given.contains(field) && *field != Field::ChainLimit;
        let fields: Vec<Field> = Field::ALL.into_iter().filter(absent).collect();
        if !fields.is_empty() {
            problems.push(RulesProblem { line: None, mistake: Mistake::Missing { fields } });
        }
    }
    if problems.is_empty() {
        return Ok(rules);
    }
    // What has no line is missing from the whole, and comes last.
    problems.sort_by_key(|problem| problem.line.unwrap_or(usize::MAX));
    Err(RulesError { problems })
}

/// Characters of a user's text that a message repeats.
const MOST_TOLD: usize = 60;

/// Tells the lines of places in a text.
struct Lines(Vec<usize>);

impl Lines {
    fn of(text: &str) -> Lines {
        Lines(text.bytes().enumerate().filter(|&(_, byte)| byte == b'\n').map(|(at, _)| at).collect())
    }

    /// The line of the byte at that place, counted from 1.
    fn at(&self, place: usize) -> usize {
        self.0.partition_point(|&end| end < place) + 1
    }
}

impl Rules {
    /// Reads a rules file: TOML with the fields of [`Rules`] by name. With `base = "sija"` what is not given comes
    /// from that preset; without `base` every field must be there, `chain_limit` excepted (absent: none).
    /// `chain_limit = "none"` takes an inherited limit away.
    ///
    /// # Errors
    /// Everything that is wrong, at once and by line: bad TOML, unknown keys, bad values, missing fields.
    pub fn from_toml(text: &str) -> Result<Rules, RulesError> {
        let lines = Lines::of(text);
        let (table, errors) = DeTable::parse_recoverable(text);
        let mut problems: Vec<RulesProblem> = errors
            .into_iter()
            .map(|error| RulesProblem {
                line: error.span().map(|span| lines.at(span.start)),
                mistake: Mistake::Syntax(error.message().replace('\n', " ")),
            })
            .collect();
        problems.dedup_by_key(|problem| problem.line);
        // What was recovered from a broken line is no entry of the user's.
        let broken: Vec<Option<usize>> = problems.iter().map(|problem| problem.line).collect();
        let mut base = None;
        let mut entries = Vec::new();
        for (key, value) in table.into_inner() {
            let line = Some(lines.at(key.span().start));
            if broken.contains(&line) {
                continue;
            }
            let value = toml_value(value.into_inner());
            let key = key.into_inner();
            if key != BASE {
                entries.push(Entry { key, value, line });
                continue;
            }
            let found = match &value {
                Ok(FieldValue::Text(name)) => preset::find(name),
                _ => None,
            };
            // A wrong base must not make every field count as missing too.
            base = Some(found.unwrap_or(&preset::ALL[0]).rules);
            if found.is_none() {
                let found = shortened(&value.map_or_else(|found| found, |value| value.to_string()), MOST_TOLD);
                problems.push(RulesProblem { line, mistake: Mistake::Base { found } });
            }
        }
        assemble(base, entries, problems)
    }

    /// The rules as a rules file that [`from_toml`](Self::from_toml) reads back: every field, one a line.
    pub fn to_toml(&self) -> String {
        Field::ALL.iter().fold(String::new(), |mut text, field| {
            let _ = writeln!(text, "{} = {}", field.name(), field.get(self));
            text
        })
    }

    /// These rules with some fields replaced, given as `(name, value)` such as `("blocked", "loses")`.
    ///
    /// # Errors
    /// Every unknown name and every value that its field does not take.
    pub fn with_overrides<'a>(
        self,
        overrides: impl IntoIterator<Item = (&'a str, &'a str)>,
    ) -> Result<Rules, RulesError> {
        let entries = overrides.into_iter().map(|(key, value)| Entry {
            key: Cow::Borrowed(key),
            value: Ok(FieldValue::from_text(value)),
            line: None,
        });
        assemble(Some(self), entries, Vec::new())
    }
}

fn toml_value(value: DeValue<'_>) -> Result<FieldValue, String> {
    match value {
        DeValue::String(text) => Ok(FieldValue::Text(text.into_owned())),
        DeValue::Boolean(truth) => Ok(FieldValue::Bool(truth)),
        DeValue::Integer(number) => i64::from_str_radix(number.as_str(), number.radix())
            .map(FieldValue::Integer)
            .map_err(|_| number.as_str().to_owned()),
        DeValue::Float(number) => Err(number.as_str().to_owned()),
        DeValue::Datetime(date) => Err(date.to_string()),
        DeValue::Array(_) => Err("an array".to_owned()),
        DeValue::Table(_) => Err("a table".to_owned()),
    }
}

impl Serialize for Rules {
    /// As the `rules` object of game records: every field by name.
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(Field::ALL.len()))?;
        for field in Field::ALL {
            match field.get(self) {
                FieldValue::Bool(truth) => map.serialize_entry(field.name(), &truth)?,
                FieldValue::Integer(number) => map.serialize_entry(field.name(), &number)?,
                FieldValue::Text(text) => map.serialize_entry(field.name(), &text)?,
                FieldValue::Null => map.serialize_entry(field.name(), &())?,
            }
        }
        map.end()
    }
}

impl<'de> Deserialize<'de> for Rules {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Rules, D::Error> {
        struct RulesVisitor;

        impl<'de> Visitor<'de> for RulesVisitor {
            type Value = Rules;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object with the fields of the rules")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Rules, A::Error> {
                let mut entries = Vec::new();
                while let Some(key) = map.next_key::<Cow<'de, str>>()? {
                    if entries.len() > Field::ALL.len() {
                        return Err(serde::de::Error::custom("the rules have too many fields"));
                    }
                    let value = match map.next_value::<serde_json::Value>()? {
                        serde_json::Value::Bool(truth) => Ok(FieldValue::Bool(truth)),
                        serde_json::Value::String(text) => Ok(FieldValue::Text(text)),
                        serde_json::Value::Null => Ok(FieldValue::Null),
                        serde_json::Value::Number(number) => {
                            number.as_i64().map(FieldValue::Integer).ok_or_else(|| number.to_string())
                        }
                        serde_json::Value::Array(_) => Err("an array".to_owned()),
                        serde_json::Value::Object(_) => Err("an object".to_owned()),
                    };
                    entries.push(Entry { key, value, line: None });
                }
                assemble(None, entries, Vec::new())
                    .map_err(|error| serde::de::Error::custom(error.to_string().replace('\n', "; ")))
            }
        }

        deserializer.deserialize_map(RulesVisitor)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_preset_round_trips_through_toml_and_json() {
        for preset in &preset::ALL {
            assert_eq!(Rules::from_toml(&preset.rules.to_toml()).as_ref(), Ok(&preset.rules), "{}", preset.name);
            assert_eq!(Rules::from_toml(&preset.to_toml()).as_ref(), Ok(&preset.rules), "{}", preset.name);
            let json = serde_json::to_string(&preset.rules).unwrap();
            assert_eq!(serde_json::from_str::<Rules>(&json).unwrap(), preset.rules, "{}", preset.name);
        }
    }

    #[test]
    fn all_errors_are_told_at_once_by_line() {
        let error = Rules::from_toml("base = \"sija\"\nsize = 6\n\nchain_limt = 2\nlose_at = \"two\"\n").unwrap_err();
        let told: Vec<String> = error.problems().iter().map(RulesProblem::to_string).collect();
        assert_eq!(told[0], "line 2: size is 6; it must be 5, 7 or 9");
        assert!(told[1].starts_with("line 4: unknown field \"chain_limt\"; the fields are size, per_turn, "));
        assert_eq!(told[2], "line 5: lose_at is \"two\"; it must be a whole number from 0 to 3");
        assert_eq!(told.len(), 3);
    }

    #[test]
    fn without_a_base_every_field_but_the_limit_must_be_there() {
        let rules = preset::ALL[0].rules;
        let without = |name: &str| -> String {
            rules.to_toml().lines().filter(|line| !line.starts_with(name)).map(|line| format!("{line}\n")).collect()
        };
        assert_eq!(Rules::from_toml(&without("chain_limit")), Ok(rules));
        let error = Rules::from_toml(&without("blocked")).unwrap_err();
        assert!(error.to_string().starts_with("blocked is missing"), "{error}");
    }

    #[test]
    fn a_rules_file_takes_an_inherited_limit_away() {
        let rules = Rules::from_toml("base = \"siga-two\"\nchain_limit = \"none\"").unwrap();
        assert_eq!(rules.chain_limit, None);
        assert!(Rules::from_toml("base = \"siga-two\"").unwrap().chain_limit.is_some());
    }

    #[test]
    fn a_wrong_base_is_the_only_problem_then() {
        let error = Rules::from_toml("base = \"sijja\"").unwrap_err();
        assert_eq!(error.problems().len(), 1);
        assert!(error.to_string().starts_with("line 1: base is \"sijja\"; it must be a preset: sija, "), "{error}");
    }

    #[test]
    fn broken_toml_is_told_by_line_and_once() {
        let error = Rules::from_toml("base = \"sija\"\nsize = \nlose_at = 9\n").unwrap_err();
        let told: Vec<String> = error.problems().iter().map(RulesProblem::to_string).collect();
        assert!(told[0].starts_with("line 2: not TOML"), "{error}");
        assert!(told[1].starts_with("line 3: lose_at is 9"), "{error}");
        assert_eq!(told.len(), 2, "{error}");
        let error = Rules::from_toml("=").unwrap_err();
        assert_eq!(error.problems().len(), 1, "{error}");
    }

    #[test]
    fn a_large_file_of_mistakes_is_read_in_no_time() {
        let keys: String = (0..50_000).map(|number| format!("k{number} = 1\n")).collect();
        let start = std::time::Instant::now();
        assert_eq!(Rules::from_toml(&keys).unwrap_err().problems().len(), 50_001);
        assert!(Rules::from_toml(&"=\n".repeat(50_000)).is_err());
        assert!(start.elapsed().as_secs() < 10, "{:?}", start.elapsed());
    }

    #[test]
    fn a_field_given_twice_in_json_is_refused() {
        let json = serde_json::to_string(&preset::ALL[0].rules).unwrap();
        let twice = json.replacen('{', "{\"size\":5,", 1);
        assert!(serde_json::from_str::<Rules>(&twice).unwrap_err().to_string().contains("size is given twice"));
    }
}
