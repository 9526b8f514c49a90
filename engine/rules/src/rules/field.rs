//! The fields of [`Rules`] as a list: their names, values and meaning, each in one place.
//!
//! Rules files, records, `--set` and the listings all go through here.

use std::fmt;
use std::num::NonZeroU32;

use super::{Blocked, Chain, Directions, FirstMover, Jumps, LoseAt, PerTurn, QuietResult, Rules};
use crate::square::BoardSize;

/// A field of [`Rules`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[expect(missing_docs, reason = "each stands for the field of Rules of that name")]
pub enum Field {
    Size,
    PerTurn,
    Cross,
    FirstMover,
    MoveDirs,
    Jumps,
    CaptureDirs,
    CenterSafe,
    Chain,
    ChainOptional,
    ChainLimit,
    Blocked,
    LoseAt,
    QuietLimit,
    QuietResult,
}

/// The value of a field as text formats know it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FieldValue {
    /// `true` or `false`.
    Bool(bool),
    /// A whole number.
    Integer(i64),
    /// A name.
    Text(String),
    /// Nothing: JSON's `null`. Only `chain_limit` may be so.
    Null,
}

impl FieldValue {
    /// Reads the value of an override such as `blocked=loses`: a number and a truth value are told by their looks.
    pub fn from_text(text: &str) -> FieldValue {
        if let Ok(truth) = text.parse() {
            FieldValue::Bool(truth)
        } else if let Some(number) = text.parse::<i64>().ok().filter(|number| number.to_string() == text) {
            FieldValue::Integer(number)
        } else {
            FieldValue::Text(text.to_owned())
        }
    }

    /// The value as an override has it, which [`from_text`](Self::from_text) reads.
    pub(crate) fn word(&self) -> String {
        match self {
            FieldValue::Text(text) => text.clone(),
            FieldValue::Null => FieldValue::NO_LIMIT.to_owned(),
            value => value.to_string(),
        }
    }

    /// The value of a rules file's `chain_limit`, for which TOML has no null.
    const NO_LIMIT: &str = "none";
}

impl fmt::Display for FieldValue {
    /// As a value in TOML.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            FieldValue::Bool(truth) => write!(f, "{truth}"),
            FieldValue::Integer(number) => write!(f, "{number}"),
            FieldValue::Text(text) => write!(f, "{text:?}"),
            FieldValue::Null => write!(f, "{:?}", FieldValue::NO_LIMIT),
        }
    }
}

impl Field {
    /// All fields, in the order in which they are listed and written.
    pub const ALL: [Field; 15] = [
        Field::Size,
        Field::PerTurn,
        Field::Cross,
        Field::FirstMover,
        Field::MoveDirs,
        Field::Jumps,
        Field::CaptureDirs,
        Field::CenterSafe,
        Field::Chain,
        Field::ChainOptional,
        Field::ChainLimit,
        Field::Blocked,
        Field::LoseAt,
        Field::QuietLimit,
        Field::QuietResult,
    ];

    /// The name of the field.
    pub const fn name(self) -> &'static str {
        match self {
            Field::Size => "size",
            Field::PerTurn => "per_turn",
            Field::Cross => "cross",
            Field::FirstMover => "first_mover",
            Field::MoveDirs => "move_dirs",
            Field::Jumps => "jumps",
            Field::CaptureDirs => "capture_dirs",
            Field::CenterSafe => "center_safe",
            Field::Chain => "chain",
            Field::ChainOptional => "chain_optional",
            Field::ChainLimit => "chain_limit",
            Field::Blocked => "blocked",
            Field::LoseAt => "lose_at",
            Field::QuietLimit => "quiet_limit",
            Field::QuietResult => "quiet_result",
        }
    }

    /// The field of a name.
    pub fn from_name(name: &str) -> Option<Field> {
        Field::ALL.into_iter().find(|field| field.name() == name)
    }

    /// The values that the field takes, in words.
    pub fn expected(self) -> String {
        match self {
            Field::Size => "5, 7 or 9".to_owned(),
            Field::PerTurn => "1 or 2".to_owned(),
            Field::Cross | Field::CenterSafe | Field::ChainOptional => "true or false".to_owned(),
            Field::FirstMover => names(FirstMover::ALL, FirstMover::name),
            Field::MoveDirs | Field::CaptureDirs => names(Directions::ALL, Directions::name),
            Field::Jumps => names(Jumps::ALL, Jumps::name),
            Field::Chain => names(Chain::ALL, Chain::name),
            Field::ChainLimit => format!("\"none\" or a whole number from 1 to {}", u32::MAX),
            Field::Blocked => names(Blocked::ALL, Blocked::name),
            Field::LoseAt => format!("a whole number from 0 to {}", LoseAt::MAX),
            Field::QuietLimit => format!("a whole number from 1 to {}", u32::MAX),
            Field::QuietResult => names(QuietResult::ALL, QuietResult::name),
        }
    }

    /// What the field settles, in a line.
    pub const fn meaning(self) -> &'static str {
        match self {
            Field::Size => "side of the board",
            Field::PerTurn => "stones placed a turn",
            Field::Cross => {
                "the first four stones stand already: White on the ends of the central rank, Black of the central file"
            }
            Field::FirstMover => "who makes the first step: White, who placed first, or Black, who placed last",
            Field::MoveDirs => "directions of steps",
            Field::Jumps => "what a stone may jump over, besides stepping",
            Field::CaptureDirs => "directions of the lines on which stones are clamped",
            Field::CenterSafe => "a stone on the centre can't be captured",
            Field::Chain => "what may follow a capturing step in the same turn",
            Field::ChainOptional => "the side may stop within a chain",
            Field::ChainLimit => "capturing steps a turn at most",
            Field::Blocked => "a side to begin its turn without any step is skipped, has lost, or must be opened",
            Field::LoseAt => "stones left at which a side has lost",
            Field::QuietLimit => "turns in a row, of either side and without a capture, that end the game",
            Field::QuietResult => "the result then: a draw, or more stones win",
        }
    }

    /// The field's value in these rules.
    pub fn get(self, rules: &Rules) -> FieldValue {
        let text = |name: &str| FieldValue::Text(name.to_owned());
        match self {
            Field::Size => FieldValue::Integer(rules.size.side().into()),
            Field::PerTurn => FieldValue::Integer(rules.per_turn.stones().into()),
            Field::Cross => FieldValue::Bool(rules.cross),
            Field::FirstMover => text(rules.first_mover.name()),
            Field::MoveDirs => text(rules.move_dirs.name()),
            Field::Jumps => text(rules.jumps.name()),
            Field::CaptureDirs => text(rules.capture_dirs.name()),
            Field::CenterSafe => FieldValue::Bool(rules.center_safe),
            Field::Chain => text(rules.chain.name()),
            Field::ChainOptional => FieldValue::Bool(rules.chain_optional),
            Field::ChainLimit => match rules.chain_limit {
                Some(limit) => FieldValue::Integer(limit.get().into()),
                None => FieldValue::Null,
            },
            Field::Blocked => text(rules.blocked.name()),
            Field::LoseAt => FieldValue::Integer(rules.lose_at.stones().into()),
            Field::QuietLimit => FieldValue::Integer(rules.quiet_limit.get().into()),
            Field::QuietResult => text(rules.quiet_result.name()),
        }
    }

    /// Sets the field. `None`, and the rules as they were, where the field takes no such value.
    #[must_use]
    pub(super) fn set(self, rules: &mut Rules, value: &FieldValue) -> Option<()> {
        match self {
            Field::Size => rules.size = BoardSize::from_side(small(value)?)?,
            Field::PerTurn => {
                rules.per_turn = match small(value)? {
                    1 => PerTurn::One,
                    2 => PerTurn::Two,
                    _ => return None,
                }
            }
            Field::Cross => rules.cross = truth(value)?,
            Field::FirstMover => rules.first_mover = FirstMover::from_name(name(value)?)?,
            Field::MoveDirs => rules.move_dirs = Directions::from_name(name(value)?)?,
            Field::Jumps => rules.jumps = Jumps::from_name(name(value)?)?,
            Field::CaptureDirs => rules.capture_dirs = Directions::from_name(name(value)?)?,
            Field::CenterSafe => rules.center_safe = truth(value)?,
            Field::Chain => rules.chain = Chain::from_name(name(value)?)?,
            Field::ChainOptional => rules.chain_optional = truth(value)?,
            Field::ChainLimit => {
                rules.chain_limit = match value {
                    FieldValue::Null => None,
                    FieldValue::Text(text) if text == FieldValue::NO_LIMIT => None,
                    _ => Some(positive(value)?),
                }
            }
            Field::Blocked => rules.blocked = Blocked::from_name(name(value)?)?,
            Field::LoseAt => rules.lose_at = LoseAt::new(small(value)?)?,
            Field::QuietLimit => rules.quiet_limit = positive(value)?,
            Field::QuietResult => rules.quiet_result = QuietResult::from_name(name(value)?)?,
        }
        Some(())
    }
}

fn truth(value: &FieldValue) -> Option<bool> {
    match value {
        FieldValue::Bool(truth) => Some(*truth),
        _ => None,
    }
}

fn name(value: &FieldValue) -> Option<&str> {
    match value {
        FieldValue::Text(text) => Some(text),
        _ => None,
    }
}

fn small(value: &FieldValue) -> Option<u8> {
    match value {
        FieldValue::Integer(number) => u8::try_from(*number).ok(),
        _ => None,
    }
}

fn positive(value: &FieldValue) -> Option<NonZeroU32> {
    match value {
        FieldValue::Integer(number) => NonZeroU32::new(u32::try_from(*number).ok()?),
        _ => None,
    }
}

/// `"a", "b" or "c"`.
fn names<T: Copy>(values: &[T], name: fn(T) -> &'static str) -> String {
    let quoted: Vec<String> = values.iter().map(|&value| format!("\"{}\"", name(value))).collect();
    match quoted.split_last() {
        Some((last, rest)) if !rest.is_empty() => format!("{} or {last}", rest.join(", ")),
        _ => quoted.concat(),
    }
}
