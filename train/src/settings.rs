//! What a settings type is made of: fields with a meaning, a default and bounds, each told once.
//!
//! From that one list come reading (TOML and `key=value`), writing, and the documentation; unknown keys and values out of
//! bounds are errors, all told at once.

use std::fmt;
use std::ops::RangeInclusive;

use thiserror::Error;

/// Everything that is wrong with settings, one problem a line.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{}", .0.join("\n"))]
pub struct SettingsError(pub Vec<String>);

/// A type that a setting may have.
pub trait Setting: Sized + Clone + PartialEq {
    /// Reads a TOML value.
    fn from_toml(value: &toml::Value) -> Option<Self>;
    /// The value in TOML.
    fn to_toml(&self) -> String;
}

/// A type with bounds.
pub(crate) trait Bounded: Setting {
    fn within(&self, bounds: &RangeInclusive<Self>) -> bool;
}

macro_rules! whole_numbers {
    ($($type:ty),+) => { $(
        impl Setting for $type {
            fn from_toml(value: &toml::Value) -> Option<$type> {
                <$type>::try_from(value.as_integer()?).ok()
            }

            fn to_toml(&self) -> String {
                self.to_string()
            }
        }

        impl Bounded for $type {
            fn within(&self, bounds: &RangeInclusive<$type>) -> bool {
                bounds.contains(self)
            }
        }
    )+ };
}

whole_numbers!(u32, u64, usize);

impl Setting for f64 {
    fn from_toml(value: &toml::Value) -> Option<f64> {
        value.as_float().or_else(|| value.as_integer().map(|whole| whole as f64))
    }

    fn to_toml(&self) -> String {
        let text = self.to_string();
        // A whole number must keep its point to stay a float.
        if text.contains(['.', 'e']) { text } else { text + ".0" }
    }
}

impl Bounded for f64 {
    fn within(&self, bounds: &RangeInclusive<f64>) -> bool {
        bounds.contains(self)
    }
}

/// Declares a settings struct: each field with its documentation, type, default and bounds.
macro_rules! settings {
    (
        $(#[$struct_doc:meta])*
        pub struct $name:ident {
            $( #[doc = $doc:literal] $field:ident: $type:ty = $default:expr, $bounds:expr; )+
        }
    ) => {
        $(#[$struct_doc])*
        #[derive(Clone, Debug, PartialEq)]
        pub struct $name {
            $( #[doc = $doc] pub $field: $type, )+
        }

        impl Default for $name {
            fn default() -> $name {
                $name { $( $field: $default, )+ }
            }
        }

        impl $name {
            /// The names of the settings, in order, each with what it is.
            pub const FIELDS: &[(&str, &str)] = &[ $( (stringify!($field), $doc), )+ ];

            /// Sets one by its name.
            ///
            /// # Errors
            /// In words, what is wrong with the name or the value.
            pub(crate) fn set(&mut self, key: &str, value: &toml::Value) -> Result<(), String> {
                match key {
                    $( stringify!($field) => {
                        let bounds = $bounds;
                        let read = <$type as $crate::settings::Setting>::from_toml(value);
                        match read.filter(|read| $crate::settings::Bounded::within(read, &bounds)) {
                            Some(read) => self.$field = read,
                            None => return Err(format!(
                                "{key} is {value}; it must be from {} to {}",
                                $crate::settings::Setting::to_toml(bounds.start()),
                                $crate::settings::Setting::to_toml(bounds.end()),
                            )),
                        }
                    } )+
                    _ => return Err($crate::settings::unknown(key)),
                }
                Ok(())
            }

            /// The value of each, in order, as TOML.
            pub(crate) fn values(&self) -> Vec<(&'static str, String)> {
                vec![ $( (stringify!($field), $crate::settings::Setting::to_toml(&self.$field)), )+ ]
            }
        }
    };
}

pub(crate) use settings;

/// What is said of an unknown key.
pub(crate) fn unknown(key: &str) -> String {
    format!("unknown setting {:?}", key.chars().take(60).collect::<String>())
}

/// Reads the value of `key=value` as TOML would; a word without quotes is a text.
pub(crate) fn value_of_text(text: &str) -> toml::Value {
    let document = format!("value = {text}");
    let read = document.parse::<toml::Table>().ok().and_then(|mut table| table.remove("value"));
    read.unwrap_or_else(|| toml::Value::String(text.to_owned()))
}

/// A line of a settings file: name, value, meaning.
pub(crate) struct Line<'a>(pub(crate) &'a str, pub(crate) &'a str, pub(crate) &'a str);

impl fmt::Display for Line<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Line(name, value, meaning) = self;
        let entry = format!("{name} = {value}");
        write!(f, "{entry:<32} # {}", meaning.trim())
    }
}
