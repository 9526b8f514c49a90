//! Options that several subcommands share: the rules, a position, numbers of games, networks.

use std::fs;
use std::io::{self, BufRead, Read};
use std::path::Path;

use anyhow::{Context, anyhow, bail};
use seega_models::checkpoint::Checkpoint;
use seega_models::evaluator::check_rules;
use seega_rules::preset::{self, PresetError};
use seega_rules::{Position, Preset, Rules, RulesError};

/// The largest rules file that is read, in bytes.
const MAX_RULES_BYTES: u64 = 1 << 16;

/// Problems of a text of rules that are told.
const MOST_PROBLEMS: usize = 20;

/// The rules of a game.
#[derive(Debug, clap::Args)]
pub struct RulesOptions {
    /// A preset (`siga`), on another board (`siga/7`), with fields replaced (`siga:chain=none,blocked=loses`), or a rules
    /// file (`my.toml`).
    #[arg(long, value_name = "RULES")]
    rules: String,

    /// Replaces one field of the rules, such as `blocked=loses`; may be given several times.
    #[arg(long = "set", value_name = "FIELD=VALUE", value_parser = parse_override)]
    overrides: Vec<(String, String)>,
}

/// Reads `FIELD=VALUE`.
pub fn parse_override(text: &str) -> Result<(String, String), String> {
    match text.split_once('=') {
        Some((key, value)) => Ok((key.to_owned(), value.to_owned())),
        None => Err("a field is set as FIELD=VALUE, such as blocked=loses".to_owned()),
    }
}

/// Reads `SETTING=VALUE`, a setting of a recipe.
#[cfg(feature = "torch")]
pub fn parse_setting(text: &str) -> Result<(String, String), String> {
    parse_override(text).map_err(|_| "a setting is given as SETTING=VALUE, such as generations=20".to_owned())
}

/// The most games of a match.
pub const MOST_GAMES: u32 = 1_000_000;

/// Reads a number of games.
pub fn parse_games(text: &str) -> Result<u32, String> {
    match text.parse() {
        Ok(games) if (2..=MOST_GAMES).contains(&games) && games % 2 == 0 => Ok(games),
        _ => Err(format!("games come in pairs: an even number from 2 to {MOST_GAMES}")),
    }
}

impl RulesOptions {
    /// Rules by their name alone.
    pub fn of(rules: String) -> RulesOptions {
        RulesOptions { rules, overrides: Vec::new() }
    }

    /// The rules that the options name.
    pub fn rules(&self) -> anyhow::Result<Rules> {
        let overrides = self.overrides.iter().map(|(key, value)| (&**key, &**value));
        named_rules(&self.rules)?.0.with_overrides(overrides).map_err(|error| all_problems("--set", &error))
    }

    /// The rules as they were named, with what was replaced: a preset so that it can be named again.
    pub fn name(&self) -> String {
        let fields: Vec<String> = self.overrides.iter().map(|(key, value)| format!("{key}={value}")).collect();
        let sign = if self.rules.contains(':') { "," } else { ":" };
        if fields.is_empty() { self.rules.clone() } else { format!("{}{sign}{}", self.rules, fields.join(",")) }
    }
}

/// Every problem of a text of rules on a line of its own, each naming where the text is from.
fn all_problems(origin: &str, error: &RulesError) -> anyhow::Error {
    let problems = error.problems();
    let told = problems.iter().take(MOST_PROBLEMS).map(|problem| format!("{origin}: {problem}"));
    let mut lines: Vec<String> = told.collect();
    if problems.len() > MOST_PROBLEMS {
        lines.push(format!("{origin}: and {} problems more", problems.len() - MOST_PROBLEMS));
    }
    anyhow!(lines.join("\n"))
}

/// Every problem of settings on a line of its own, each naming the file that they are from.
#[cfg(feature = "torch")]
pub fn settings_problems(
    file: &Path,
    seega_train::SettingsError(problems): &seega_train::SettingsError,
) -> anyhow::Error {
    let lines: Vec<String> = problems.iter().map(|problem| format!("{}: {problem}", file.display())).collect();
    anyhow!(lines.join("\n"))
}

/// Reads a line; `None` at the end. What is no UTF-8 is replaced; what is beyond the longest line is left out.
pub fn read_line(input: &mut impl BufRead, longest: usize) -> io::Result<Option<String>> {
    let mut line = Vec::new();
    loop {
        let buffer = input.fill_buf()?;
        if buffer.is_empty() {
            return Ok((!line.is_empty()).then(|| String::from_utf8_lossy(&line).into_owned()));
        }
        let end = buffer.iter().position(|&byte| byte == b'\n');
        let taken = end.map_or(buffer.len(), |end| end + 1);
        let room = longest.saturating_sub(line.len());
        line.extend_from_slice(&buffer[..taken.min(room)]);
        input.consume(taken);
        if end.is_some() {
            return Ok(Some(String::from_utf8_lossy(&line).trim_end().to_owned()));
        }
    }
}

/// The rules of a preset or rules file, and the preset whose rules they are, on any board.
pub fn named_rules(name: &str) -> anyhow::Result<(Rules, Option<&'static Preset>)> {
    let path = Path::new(name);
    match preset::parse(name) {
        Ok(rules) if name.contains(':') => Ok((rules, None)),
        Ok(rules) => Ok((rules, name.split('/').next().and_then(preset::find))),
        Err(_) if path.exists() || path.extension().is_some_and(|extension| extension == "toml") => {
            Ok((read_rules(path)?, None))
        }
        Err(error @ PresetError::Unknown(_)) => bail!("{error}; a rules file ends in .toml"),
        Err(PresetError::Fields(error)) => Err(all_problems(name, &error)),
        Err(error @ PresetError::Size(_)) => Err(error.into()),
    }
}

fn read_rules(path: &Path) -> anyhow::Result<Rules> {
    let name = path.display();
    let mut text = String::new();
    fs::File::open(path)
        .and_then(|file| file.take(MAX_RULES_BYTES + 1).read_to_string(&mut text))
        .with_context(|| format!("{name}: can't be read"))?;
    if text.len() as u64 > MAX_RULES_BYTES {
        bail!("{name}: too large for a rules file (over {MAX_RULES_BYTES} bytes)");
    }
    Rules::from_toml(&text).map_err(|error| all_problems(&name.to_string(), &error))
}

/// The position at which to begin.
#[derive(Debug, clap::Args)]
pub struct PositionOption {
    /// The position's text, such as "bwwbw/bwbwb/bw1bb/wbwww/wwbbb w m - 0"; without it, the start of a game.
    #[arg(long, value_name = "POSITION")]
    position: Option<String>,
}

impl PositionOption {
    /// The position that the option names.
    pub fn position(&self, rules: &Rules) -> anyhow::Result<Position> {
        match &self.position {
            Some(text) => Ok(Position::from_text(text, rules)?),
            None => Ok(Position::start(rules)),
        }
    }
}

/// Reads a network, and refuses it for rules on which it was not trained, unless `force` is given.
pub fn network(path: &Path, rules: &Rules, force: bool) -> anyhow::Result<Checkpoint> {
    let name = path.display();
    let checkpoint = Checkpoint::read(path).with_context(|| name.to_string())?;
    if !force {
        check_rules(&checkpoint, rules).with_context(|| format!("{name} (--force takes it all the same)"))?;
    }
    Ok(checkpoint)
}
