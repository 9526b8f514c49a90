//! The rule sets that the sources give, by name.
//!
//! Where a source is silent or can be read in more than one way, the value here is this project's own choice. Such
//! fields are listed in [`Preset::ours`], and every listing of the rules marks them with `*`.

use std::fmt::Write as _;
use std::num::NonZeroU32;

use thiserror::Error;

use super::{Blocked, Chain, Directions, Field, FirstMover, Jumps, LoseAt, PerTurn, QuietResult, Rules, RulesError};
use crate::square::BoardSize;
use crate::text::shortened;

/// A rule set with a name.
#[derive(Clone, Copy, Debug)]
pub struct Preset {
    /// The name, as `--rules` takes it.
    pub name: &'static str,
    /// Where the rules come from.
    pub source: &'static str,
    /// The sizes of which the source speaks; any preset may be played on another.
    pub sizes: &'static [BoardSize],
    /// The rules, on the source's usual board.
    pub rules: Rules,
    /// The fields whose value no source gives, or whose reading is this project's, each with what is ours in it.
    pub ours: &'static [(Field, &'static str)],
}

const SUDAN_TEXT: &str = "a Russian description of the Sudanese game, with an annotated game";
const TWO_GAMES_TEXT: &str = "a Russian description of two games, Egypt's siga and Sudan's sija";

const ONLY_FIVE: &[BoardSize] = &[BoardSize::Five];
const ALL_SIZES: &[BoardSize] = &BoardSize::ALL;

const SILENT: &str = "the source is silent";
const OPEN: &str = "the source leaves it open";
const TURNS: &str = "the source counts moves; that they are turns of either side is our reading";
const DUTY: &str = "that the chain is a duty is our reading";

const SIJA: Rules = Rules {
    size: BoardSize::Five,
    per_turn: PerTurn::Two,
    cross: false,
    first_mover: FirstMover::Starter,
    move_dirs: Directions::All,
    jumps: Jumps::None,
    capture_dirs: Directions::All,
    center_safe: false,
    chain: Chain::AnyPiece,
    chain_optional: true,
    chain_limit: None,
    blocked: Blocked::Pass,
    lose_at: lose_at(2),
    quiet_limit: limit(50),
    quiet_result: QuietResult::Draw,
};

const SIJA_COMPULSORY: Rules = Rules { chain_optional: false, lose_at: lose_at(1), ..SIJA };

const SIGA: Rules = Rules {
    first_mover: FirstMover::LastPlacer,
    move_dirs: Directions::Orthogonal,
    capture_dirs: Directions::Orthogonal,
    center_safe: true,
    chain: Chain::SamePiece,
    blocked: Blocked::MustOpen,
    quiet_limit: limit(20),
    quiet_result: QuietResult::Count,
    ..SIJA_COMPULSORY
};

const KAWU: Rules = Rules {
    first_mover: FirstMover::Starter,
    chain: Chain::None,
    blocked: Blocked::Pass,
    lose_at: lose_at(0),
    quiet_limit: limit(50),
    ..SIGA
};

/// All presets, in the order in which they are listed.
pub static ALL: [Preset; 10] = [
    Preset {
        name: "sija",
        source: SUDAN_TEXT,
        sizes: ONLY_FIVE,
        rules: SIJA,
        ours: &[(Field::Blocked, SILENT), (Field::QuietLimit, SILENT), (Field::QuietResult, SILENT)],
    },
    Preset {
        name: "sija-compulsory",
        source: TWO_GAMES_TEXT,
        sizes: ALL_SIZES,
        rules: SIJA_COMPULSORY,
        ours: &[(Field::Blocked, SILENT), (Field::QuietLimit, SILENT), (Field::QuietResult, SILENT)],
    },
    Preset {
        name: "sija-single",
        source: "a Russian description of sija, with a sample game; one stone a turn",
        sizes: ONLY_FIVE,
        rules: Rules { per_turn: PerTurn::One, ..SIJA_COMPULSORY },
        ours: &[(Field::Blocked, SILENT), (Field::QuietLimit, SILENT), (Field::QuietResult, SILENT)],
    },
    Preset {
        name: "siga",
        source: TWO_GAMES_TEXT,
        sizes: ALL_SIZES,
        rules: SIGA,
        ours: &[(Field::ChainOptional, DUTY), (Field::LoseAt, SILENT), (Field::QuietLimit, TURNS)],
    },
    Preset {
        name: "siga-cross",
        source: "a Russian description of two games, Egypt's siga and Sudan's sija: siga with the cross opening",
        sizes: ALL_SIZES,
        rules: Rules { cross: true, ..SIGA },
        ours: &[
            (Field::PerTurn, SILENT),
            (Field::Cross, "that White places first after the cross is our reading"),
            (Field::ChainOptional, DUTY),
            (Field::LoseAt, SILENT),
            (Field::QuietLimit, TURNS),
        ],
    },
    Preset {
        name: "siga-two",
        source: "a Russian description of two games, Egypt's siga and Sudan's sija: its variants of siga, in which a turn captures twice at most and a blocked side loses",
        sizes: ALL_SIZES,
        rules: Rules { chain_limit: Some(limit(2)), blocked: Blocked::Loses, ..SIGA },
        ours: &[
            (Field::ChainOptional, DUTY),
            (Field::ChainLimit, "that it counts capturing steps, not stones, is our reading"),
            (Field::LoseAt, SILENT),
            (Field::QuietLimit, TURNS),
        ],
    },
    Preset {
        name: "kawu",
        source: "the rules page of a program that calls its game sija",
        sizes: ONLY_FIVE,
        rules: KAWU,
        ours: &[
            (Field::CaptureDirs, "the source says all directions, of a game that moves in four; four is our reading"),
            (Field::QuietLimit, TURNS),
        ],
    },
    Preset {
        name: "seega",
        source: "Davies 1925, as the Ludii program plays it",
        sizes: ALL_SIZES,
        rules: Rules { center_safe: false, quiet_limit: limit(100), quiet_result: QuietResult::Draw, ..KAWU },
        ours: &[(Field::QuietLimit, SILENT), (Field::QuietResult, SILENT)],
    },
    Preset {
        name: "maic",
        source: "the MAIC 2018 contest of game programs",
        sizes: ONLY_FIVE,
        rules: Rules { first_mover: FirstMover::LastPlacer, blocked: Blocked::MustOpen, lose_at: lose_at(1), ..KAWU },
        ours: &[(Field::QuietLimit, TURNS)],
    },
    Preset {
        name: "szidzsa",
        source: "a Hungarian description of the game on 7×7 (5×5 and 9×9 are named)",
        sizes: ALL_SIZES,
        rules: Rules {
            size: BoardSize::Seven,
            per_turn: PerTurn::One,
            capture_dirs: Directions::Orthogonal,
            center_safe: true,
            chain: Chain::AnyMove,
            ..SIJA_COMPULSORY
        },
        ours: &[
            (Field::PerTurn, SILENT),
            (Field::FirstMover, OPEN),
            (Field::Chain, "that it goes on with any stone is our reading"),
            (Field::ChainOptional, "that it must go on is our reading"),
            (Field::QuietLimit, SILENT),
            (Field::QuietResult, SILENT),
        ],
    },
];

const fn limit(number: u32) -> NonZeroU32 {
    match NonZeroU32::new(number) {
        Some(number) => number,
        None => panic!("a limit of the presets is 0"),
    }
}

const fn lose_at(stones: u8) -> LoseAt {
    match LoseAt::new(stones) {
        Some(stones) => stones,
        None => panic!("lose_at of the presets is over 3"),
    }
}

/// The preset of that name.
pub fn find(name: &str) -> Option<&'static Preset> {
    ALL.iter().find(|preset| preset.name == name)
}

/// The names of all presets, for messages.
pub(super) fn names() -> String {
    ALL.map(|preset| preset.name).join(", ")
}

/// A name that is no preset, or a size that is none.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum PresetError {
    /// No preset has that name.
    #[error("no preset is called {0:?}; the presets are {known}", known = names())]
    Unknown(String),
    /// What follows the `/` is no size.
    #[error("{0:?} is no board size; it must be 5, 7 or 9, as in sija/7")]
    Size(String),
    /// What follows the `:` does not replace fields.
    #[error("{0}")]
    Fields(RulesError),
}

/// Characters of a user's text that a message repeats.
const MOST_TOLD: usize = 60;

/// The rules of a preset, on another board if one is named, with some fields replaced: `NAME[/SIZE][:FIELD=VALUE,…]`, such
/// as `siga`, `siga/7` or `siga/7:chain=none,quiet_limit=30`.
///
/// # Errors
/// An unknown name or size, or fields that can't be replaced so.
pub fn parse(text: &str) -> Result<Rules, PresetError> {
    let (board, fields) = match text.split_once(':') {
        Some((board, fields)) => (board, Some(fields)),
        None => (text, None),
    };
    let (name, size) = match board.split_once('/') {
        Some((name, size)) => (name, Some(size)),
        None => (board, None),
    };
    let mut rules = find(name).ok_or_else(|| PresetError::Unknown(shortened(name, MOST_TOLD)))?.rules;
    if let Some(size) = size {
        let known = BoardSize::ALL.into_iter().find(|known| known.side().to_string() == size);
        rules = rules.with_size(known.ok_or_else(|| PresetError::Size(shortened(size, MOST_TOLD)))?);
    }
    let entries = fields.into_iter().flat_map(|fields| fields.split(','));
    let entries = entries.map(|entry| entry.split_once('=').unwrap_or((entry, "")));
    rules.with_overrides(entries).map_err(PresetError::Fields)
}

/// Rules as [`parse`] reads them: the nearest preset, with what is otherwise.
pub fn spell(rules: &Rules) -> String {
    let differences = |preset: &Preset| -> Vec<String> {
        let preset = preset.rules.with_size(rules.size);
        let differs = |field: &&Field| field.get(&preset) != field.get(rules);
        Field::ALL.iter().filter(differs).map(|field| format!("{}={}", field.name(), field.get(rules).word())).collect()
    };
    let mut nearest = (&ALL[0], differences(&ALL[0]));
    for preset in &ALL[1..] {
        let differences = differences(preset);
        if differences.len() < nearest.1.len() {
            nearest = (preset, differences);
        }
    }
    let (preset, differences) = nearest;
    let size = if rules.size == preset.rules.size { String::new() } else { format!("/{}", rules.size.side()) };
    let fields = if differences.is_empty() { String::new() } else { format!(":{}", differences.join(",")) };
    format!("{}{size}{fields}", preset.name)
}

impl Preset {
    /// What is ours in the field's value, if anything.
    pub fn ours_in(&self, field: Field) -> Option<&'static str> {
        self.ours.iter().find(|(ours, _)| *ours == field).map(|&(_, why)| why)
    }

    /// The preset as a rules file, with the meaning of each field and a mark `*` where the value is ours.
    pub fn to_toml(&self) -> String {
        let mut text = format!("# {}: {}.\n", self.name, self.source);
        if !self.ours.is_empty() {
            text.push_str("# * marks what no source settles: the value or its reading is this project's.\n");
        }
        for field in Field::ALL {
            let entry = format!("{} = {}", field.name(), field.get(&self.rules));
            let _ = write!(text, "{entry:<28} # ");
            if let Some(why) = self.ours_in(field) {
                let _ = write!(text, "* ({why}) ");
            }
            let _ = writeln!(text, "{}", field.meaning());
        }
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_follow_the_slash() {
        assert_eq!(parse("siga"), Ok(SIGA));
        assert_eq!(parse("siga/9"), Ok(SIGA.with_size(BoardSize::Nine)));
        assert_eq!(parse("siga/6"), Err(PresetError::Size("6".to_owned())));
        assert_eq!(parse("siga/+5"), Err(PresetError::Size("+5".to_owned())));
        assert_eq!(parse("siga/"), Err(PresetError::Size(String::new())));
        assert_eq!(parse("seegaa/7"), Err(PresetError::Unknown("seegaa".to_owned())));
    }

    #[test]
    fn fields_follow_the_colon() {
        let rules = parse("siga/7:chain=none,quiet_limit=30").expect("rules");
        let set = [("chain", "none"), ("quiet_limit", "30")];
        assert_eq!(Ok(rules), SIGA.with_size(BoardSize::Seven).with_overrides(set));
        assert_ne!(rules, SIGA.with_size(BoardSize::Seven));
        // The nearest preset may be another than the one that was named.
        assert_eq!(spell(&rules), "maic/7:quiet_limit=30");
        let far = parse("siga/7:quiet_limit=31,center_safe=false").expect("rules");
        assert_eq!(spell(&far), "siga/7:center_safe=false,quiet_limit=31");
        assert_eq!((spell(&SIGA), spell(&SIGA.with_size(BoardSize::Nine))), ("siga".to_owned(), "siga/9".to_owned()));
        for wrong in ["siga:", "siga:chain", "siga:chain=some", "siga:quiet_limit=30,", "siga:chains=none"] {
            assert!(matches!(parse(wrong), Err(PresetError::Fields(_))), "{wrong}");
        }
    }

    #[test]
    fn names_are_distinct_and_every_preset_names_its_usual_size() {
        for (index, preset) in ALL.iter().enumerate() {
            assert!(ALL[..index].iter().all(|earlier| earlier.name != preset.name));
            assert!(preset.sizes.contains(&preset.rules.size), "{}", preset.name);
        }
    }
}
