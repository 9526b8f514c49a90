//! The recipe of a training: every setting, with its meaning, default and bounds.

use std::fmt::Write as _;
use std::path::PathBuf;

use seega_files::sha256;
use seega_models::architecture::Architecture;
use seega_models::checkpoint::NamedRules;
use seega_models::evaluator::Backend;
use seega_rules::preset;
use seega_search::{GumbelSettings, PuctSettings, SearchRule};
use seega_selfplay::{Opening, Settings, TableUse, Temperature};

use crate::settings::{Line, SettingsError, settings, value_of_text};

settings! {
    /// The numbers of a recipe. The defaults are those of the quickstart: a strong player on 5x5 within ten minutes on
    /// two cores. What AlphaZero (Silver et al., 2018), KataGo (Wu, 2019) or Gumbel AlphaZero
    /// (Danihelka et al., 2022) take is named where it compares.
    pub struct Numbers {
        /// Seed of everything random.
        seed: u64 = 1, 0..=i64::MAX as u64;
        /// Generations: self-play, training, perhaps the ladder. More may be asked for later.
        generations: u32 = 48, 1..=100_000;
        /// Workers of self-play, each with its thread; 0 takes the machine's cores at the first start.
        workers: usize = 0, 0..=1024;
        /// Threads of the trainer; 0 takes the machine's cores at the first start.
        train_threads: usize = 0, 0..=1024;
        /// Channels of the network's trunk (KataGo's smallest: 96).
        channels: usize = 32, 4..=256;
        /// Residual blocks of the network (KataGo's smallest: 6).
        blocks: usize = 4, 1..=40;

        /// Games that a worker plays at once: its batch; 0 takes what a short timing finds best at the first start.
        games: usize = 0, 0..=4096;
        /// Searched plies of a generation, over all workers.
        plies: u64 = 8_000, 1..=100_000_000;
        /// Simulations of a full search (Gumbel AlphaZero: 16 to 800).
        simulations: u32 = 32, 2..=100_000;
        /// Simulations of a quick search, whose policy is not learnt.
        quick_simulations: u32 = 8, 1..=100_000;
        /// Share of full searches (KataGo: 0.25; 1 switches quick ones off).
        full_share: f64 = 1.0, 0.0..=1.0;
        /// Root actions that Gumbel's rule samples (paper: 16).
        considered: usize = 16, 1..=641;
        /// Weight of Q in Gumbel's improved policy: small keeps it near the prior (paper: 1 for Q from 0 to 1).
        q_scale: f64 = 1.0, 0.001..=100.0;
        /// Weight of the lead in stones in the search's values, at the start.
        margin_weight: f64 = 0.0, 0.0..=0.9;
        /// Generations after which that weight is half.
        margin_half_life: f64 = 10.0, 0.1..=100_000.0;
        /// Plies from the start whose action is drawn from the policy (AlphaZero in chess: 30).
        drawn_plies: u32 = 30, 0..=1_000_000;
        /// Temperature of that drawing at the start of a game (AlphaZero: 1, KataGo: 0.75).
        temperature: f64 = 1.0, 0.001..=10.0;
        /// Plies after which that temperature is half.
        temperature_half_life: f64 = 1_000_000.0, 0.1..=1e9;
        /// Share of games that begin with random plies.
        random_share: f64 = 0.25, 0.0..=1.0;
        /// The most random plies then.
        random_plies: u32 = 8, 0..=1_000;
        /// Share of games whose placement is random as a whole.
        placed_share: f64 = 0.35, 0.0..=1.0;
        /// Evaluations that a worker's cache holds.
        cache: usize = 200_000, 0..=100_000_000;
        /// Stones from which on endgame tables play self-play's games to their end; 0 does without tables.
        table_stones: u32 = 0, 0..=80;
        /// Stones up to which endgame tables score each generation's network; 0 takes those of table_stones.
        score_stones: u32 = 0, 0..=80;
        /// Share of the positions played so that are learnt from, too.
        table_share: f64 = 0.25, 0.0..=1.0;

        /// Positions of a batch (AlphaZero: 4096, KataGo: 256).
        batch: usize = 256, 2..=65_536;
        /// How often a position is used in training (KataGo: about 4).
        reuse: f64 = 4.0, 0.01..=100.0;
        /// Positions of the window at the start (KataGo: 250000).
        window: f64 = 40_000.0, 1.0..=1e9;
        /// Exponent by which the window grows with all positions (KataGo: 0.75).
        window_exponent: f64 = 0.75, 0.1..=1.0;
        /// Slope of that growth at the start (KataGo: 0.4).
        window_slope: f64 = 0.4, 0.0..=1.0;
        /// Learning rate after the warm-up (AdamW).
        learning_rate: f64 = 0.002, 1e-7..=1.0;
        /// Positions over which the learning rate rises from nothing.
        warmup: f64 = 20_000.0, 0.0..=1e12;
        /// Positions trained on after which the learning rate is half.
        rate_half_life: f64 = 400_000.0, 1.0..=1e15;
        /// Weight decay, apart from the gradient (AdamW).
        weight_decay: f64 = 0.0001, 0.0..=1.0;
        /// Largest norm of the gradient.
        gradient_clip: f64 = 4.0, 1e-6..=1e9;
        /// What remains of the averaged weights after a step.
        average_decay: f64 = 0.98, 0.0..=0.999999;
        /// Weight of the search's value (squared error) in the value's loss; the rest is the result's (cross entropy).
        value_mix: f64 = 0.5, 0.0..=1.0;
        /// Weight of the lead in stones at the end in the loss.
        margin_loss: f64 = 0.25, 0.0..=100.0;
        /// Weight of the final owner of each square in the loss.
        owner_loss: f64 = 0.15, 0.0..=100.0;
        /// Weight of the plies left in the loss.
        plies_loss: f64 = 0.05, 0.0..=100.0;

        /// Generations between two measurements on the ladder; 0 measures at the end alone.
        ladder_every: u32 = 0, 0..=100_000;
        /// Games of a measurement against each opponent, from each kind of start; an even number.
        ladder_games: u32 = 20, 2..=100_000;
        /// The same for the measurement at the end.
        final_games: u32 = 20, 2..=100_000;
        /// Simulations of the network on the ladder.
        ladder_simulations: u32 = 64, 1..=100_000;
    }
}

/// The rule of the searches, by name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SearchName {
    /// Gumbel AlphaZero.
    Gumbel,
    /// PUCT.
    Puct,
}

/// A rule set of a recipe.
#[derive(Clone, Debug, PartialEq)]
pub struct WeightedRules {
    /// The rules, with the name by which the recipe takes them.
    pub named: NamedRules,
    /// The share of plies that are played by them, relative to the others' weights.
    pub weight: f64,
}

/// A recipe: what is trained, and how.
#[derive(Clone, Debug, PartialEq)]
pub struct Recipe {
    /// The rules, at least one.
    pub rules: Vec<WeightedRules>,
    /// The rule of the searches.
    pub search: SearchName,
    /// What evaluates in self-play; `None` takes what a short timing finds fastest at the first start.
    pub evaluator: Option<Backend>,
    /// The folder that holds endgame tables, a folder for each rule set.
    pub tables: PathBuf,
    /// Everything that is a number.
    pub numbers: Numbers,
}

/// Numbers that may change between two starts of a run: they change nothing that is learnt. Nor does the folder of the
/// tables, whose values are what they are.
const FREE: [&str; 5] = ["generations", "ladder_every", "ladder_games", "final_games", "score_stones"];

impl Recipe {
    /// The recipe for these rules that has the default of every other setting.
    fn of(rules: Vec<WeightedRules>) -> Recipe {
        Recipe {
            rules,
            search: SearchName::Gumbel,
            evaluator: None,
            tables: PathBuf::from("tables"),
            numbers: Numbers::default(),
        }
    }

    /// Reads a recipe, with `key=value` overrides on top.
    ///
    /// # Errors
    /// Everything that is wrong, at once.
    pub fn read(text: &str, overrides: &[(String, String)]) -> Result<Recipe, SettingsError> {
        let mut table: toml::Table = text.parse().map_err(|error: toml::de::Error| {
            let line = error.span().map_or(1, |span| text[..span.start.min(text.len())].matches('\n').count() + 1);
            SettingsError(vec![format!("line {line}: not TOML: {}", error.message().replace('\n', " "))])
        })?;
        for (key, value) in overrides {
            table.insert(key.clone(), value_of_text(value));
        }
        let mut problems = Vec::new();
        let mut recipe = Recipe::of(Vec::new());
        for (key, value) in &table {
            let set = match &**key {
                "rules" => read_rules(value).map(|rules| recipe.rules = rules),
                "search" => read_search(value).map(|search| recipe.search = search),
                "evaluator" => read_evaluator(value).map(|evaluator| recipe.evaluator = evaluator),
                "tables" => read_folder(value).map(|folder| recipe.tables = folder),
                _ => recipe.numbers.set(key, value),
            };
            problems.extend(set.err());
        }
        if !table.contains_key("rules") {
            problems.push("rules are missing, such as rules = [\"sija\"]".to_owned());
        }
        let numbers = &recipe.numbers;
        if numbers.random_share + numbers.placed_share > 1.0 {
            problems.push("random_share and placed_share are more than 1 together".to_owned());
        }
        for (name, games) in [("ladder_games", numbers.ladder_games), ("final_games", numbers.final_games)] {
            if games % 2 != 0 {
                problems
                    .push(format!("{name} is {games}; it must be even, for each opening is played with both colours"));
            }
        }
        if problems.is_empty() { Ok(recipe) } else { Err(SettingsError(problems)) }
    }

    /// The recipe as a file that [`read`](Self::read) reads back, with the meaning of each setting.
    pub fn to_toml(&self) -> String {
        let names: Vec<String> = self
            .rules
            .iter()
            .map(|rules| match rules.weight {
                1.0 => format!("{:?}", rules.named.name),
                weight => format!("\"{}={weight}\"", rules.named.name),
            })
            .collect();
        let mut text = String::new();
        let rules = format!("[{}]", names.join(", "));
        let _ = writeln!(text, "{}", Line("rules", &rules, "rule sets, each with its weight, such as siga/7=0.5"));
        let search = match self.search {
            SearchName::Gumbel => "\"gumbel\"",
            SearchName::Puct => "\"puct\"",
        };
        let _ = writeln!(text, "{}", Line("search", search, "rule of the searches: gumbel or puct"));
        let evaluator = format!("\"{}\"", self.evaluator.map_or(AUTO, Backend::name));
        let meaning = format!("evaluator of self-play: auto, {}", Backend::ALL.map(Backend::name).join(", "));
        let _ = writeln!(text, "{}", Line("evaluator", &evaluator, &meaning));
        let tables = toml::Value::String(self.tables.display().to_string()).to_string();
        let _ = writeln!(text, "{}", Line("tables", &tables, "folder of endgame tables, one for each rule set in it"));
        for ((name, value), (_, meaning)) in self.numbers.values().iter().zip(Numbers::FIELDS) {
            let _ = writeln!(text, "{}", Line(name, value, meaning));
        }
        text
    }

    /// Every setting with its default and meaning, one a line.
    pub fn defaults() -> Vec<String> {
        let rules = NamedRules { name: "sija".to_owned(), rules: preset::ALL[0].rules };
        let recipe = Recipe::of(vec![WeightedRules { named: rules, weight: 1.0 }]);
        recipe.to_toml().lines().map(str::to_owned).collect()
    }

    /// What differs from another recipe in settings that alter what a run makes, one a line.
    pub fn differences(&self, other: &Recipe) -> Vec<String> {
        let mut differences = Vec::new();
        if (&self.rules, self.search) != (&other.rules, other.search) {
            differences.push("rules or search".to_owned());
        }
        if self.evaluator != other.evaluator {
            let [mine, others] = [self, other].map(|recipe| recipe.evaluator.map_or(AUTO, Backend::name));
            differences.push(format!("evaluator was {mine}, now {others}"));
        }
        for ((name, mine), (_, others)) in self.numbers.values().into_iter().zip(other.numbers.values()) {
            if mine != others && !FREE.contains(&name) {
                differences.push(format!("{name} was {mine}, now {others}"));
            }
        }
        differences
    }

    /// The SHA-256 of all settings that alter what a run makes.
    pub fn fingerprint(&self) -> String {
        let mut text = format!("{:?} {:?}", self.search, self.evaluator);
        for rules in &self.rules {
            let _ = write!(text, "\n{} {}\n{}", rules.named.name, rules.weight, rules.named.rules.to_toml());
        }
        for (name, value) in self.numbers.values().into_iter().filter(|(name, _)| !FREE.contains(name)) {
            let _ = write!(text, "\n{name} = {value}");
        }
        sha256(text.as_bytes())
    }

    /// The network's size.
    pub fn architecture(&self) -> Architecture {
        Architecture { channels: self.numbers.channels, blocks: self.numbers.blocks }
    }

    /// How games are played in a generation.
    pub fn selfplay(&self, generation: u32) -> Settings {
        let numbers = &self.numbers;
        let rule = match self.search {
            SearchName::Gumbel => SearchRule::Gumbel(GumbelSettings {
                considered: numbers.considered,
                scale: numbers.q_scale as f32,
                ..GumbelSettings::default()
            }),
            SearchName::Puct => SearchRule::Puct(PuctSettings::default()),
        };
        let margin = numbers.margin_weight * 0.5f64.powf(f64::from(generation) / numbers.margin_half_life);
        Settings {
            games: if numbers.games == 0 { Settings::default().games } else { numbers.games },
            simulations: numbers.simulations,
            quick_simulations: numbers.quick_simulations,
            full_share: numbers.full_share,
            rule,
            margin_weight: margin as f32,
            drawn_plies: numbers.drawn_plies,
            temperature: Temperature { start: numbers.temperature, half_life: numbers.temperature_half_life },
            opening: Opening {
                random_share: numbers.random_share,
                random_plies: numbers.random_plies,
                placed_share: numbers.placed_share,
            },
            cache: numbers.cache,
            tables: TableUse { stones: numbers.table_stones as u8, learnt_share: numbers.table_share },
        }
    }

    /// The learning rate after that many positions were trained on.
    pub fn learning_rate(&self, positions: f64) -> f64 {
        let numbers = &self.numbers;
        let warm = if numbers.warmup > 0.0 { (positions / numbers.warmup).min(1.0) } else { 1.0 };
        numbers.learning_rate * warm * 0.5f64.powf(positions / numbers.rate_half_life)
    }

    /// Positions of the window when that many were played in all (Wu, 2019, section 3): constant at first, then growing
    /// by a power law.
    pub fn window(&self, played: f64) -> usize {
        let (start, exponent) = (self.numbers.window, self.numbers.window_exponent);
        let grown = ((played / start).max(1.0).powf(exponent) - 1.0) / exponent;
        (start * (1.0 + self.numbers.window_slope * grown)) as usize
    }
}

fn read_rules(value: &toml::Value) -> Result<Vec<WeightedRules>, String> {
    let wrong = || "rules are a list of rule sets, such as [\"sija\", \"siga/7=0.5\"]".to_owned();
    let list = match value {
        toml::Value::Array(list) if !list.is_empty() => list.as_slice(),
        toml::Value::String(_) => std::slice::from_ref(value),
        _ => return Err(wrong()),
    };
    let mut rules: Vec<WeightedRules> = Vec::new();
    for entry in list {
        let text = entry.as_str().ok_or_else(wrong)?;
        // Rules may have fields replaced by = too: a weight is what follows rules that are whole without it.
        let (name, weight) = match text.rsplit_once('=') {
            Some((name, weight)) if preset::parse(text).is_err() => (name, weight.parse().ok()),
            _ => (text, Some(1.0)),
        };
        let weight = weight.filter(|weight: &f64| weight.is_finite() && *weight > 0.0);
        let weight = weight.ok_or_else(|| format!("rules: the weight of {text:?} is no number above 0"))?;
        let found = preset::parse(name).map_err(|error| format!("rules: {error}"))?;
        if rules.iter().any(|known| known.named.rules == found) {
            return Err(format!("rules: {name} is there twice"));
        }
        rules.push(WeightedRules { named: NamedRules { name: name.to_owned(), rules: found }, weight });
    }
    Ok(rules)
}

/// What stands for an evaluator that is still to be chosen.
const AUTO: &str = "auto";

fn read_evaluator(value: &toml::Value) -> Result<Option<Backend>, String> {
    match value.as_str() {
        Some(AUTO) => Ok(None),
        Some(name) => name.parse().map(Some).map_err(|error| format!("evaluator: {error}, or {AUTO}")),
        None => Err(format!("evaluator is {value}; it must be a name, such as \"native\"")),
    }
}

fn read_folder(value: &toml::Value) -> Result<PathBuf, String> {
    let folder = value.as_str().filter(|folder| !folder.is_empty()).map(PathBuf::from);
    folder.ok_or_else(|| format!("tables is {value}; it must be a folder, such as \"tables\""))
}

fn read_search(value: &toml::Value) -> Result<SearchName, String> {
    match value.as_str() {
        Some("gumbel") => Ok(SearchName::Gumbel),
        Some("puct") => Ok(SearchName::Puct),
        _ => Err(format!("search is {value}; it must be \"gumbel\" or \"puct\"")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_recipe_round_trips() {
        let text = "rules = [\"sija\", \"siga/7=0.5\", \"siga:chain=none\", \"siga:chain=none,quiet_limit=30=2\"]\nlearning_rate = 0.01\nsearch = \"puct\"\n\
                    evaluator = \"torch-bf16\"\ntables = \"some \\\"place\\\"\"\n";
        let recipe = Recipe::read(text, &[("plies".to_owned(), "77".to_owned())]).unwrap();
        assert_eq!(recipe.numbers.plies, 77);
        let rules: Vec<_> = recipe.rules.iter().map(|rules| (&*rules.named.name, rules.weight)).collect();
        assert_eq!(rules[1..], [("siga/7", 0.5), ("siga:chain=none", 1.0), ("siga:chain=none,quiet_limit=30", 2.0)]);
        assert_eq!(recipe.tables, PathBuf::from("some \"place\""));
        assert_eq!(Recipe::read(&recipe.to_toml(), &[]).unwrap(), recipe);
        assert_eq!(recipe.differences(&recipe), Vec::<String>::new());
        let mut other = recipe.clone();
        other.numbers.generations = 3;
        other.tables = PathBuf::from("elsewhere");
        other.numbers.batch = 64;
        assert_eq!(recipe.differences(&other), ["batch was 256, now 64"]);
    }

    #[test]
    fn every_problem_is_told() {
        let text = "rules = [\"sijja\"]\nsearch = 3\nevaluator = \"tpu\"\nbatch = 1\nlearning_rat = 1\nrandom_share = 0.9\n\
                    placed_share = 0.9\n";
        let SettingsError(problems) = Recipe::read(text, &[]).unwrap_err();
        assert_eq!(problems.len(), 6, "{problems:?}");
        assert!(problems.iter().any(|problem| problem == "batch is 1; it must be from 2 to 65536"), "{problems:?}");
        assert!(problems.iter().any(|problem| problem.contains("unknown setting \"learning_rat\"")), "{problems:?}");
    }

    #[test]
    fn the_window_grows_by_its_power() {
        let mut recipe = Recipe::read("rules = [\"sija\"]", &[]).unwrap();
        recipe.numbers.window = 1000.0;
        assert_eq!(recipe.window(10.0), 1000);
        // 1000 · (1 + 0.4 · (16^0.75 − 1) / 0.75) = 1000 · (1 + 0.4 · 7 / 0.75)
        assert_eq!(recipe.window(16_000.0), 4733);
    }
}
