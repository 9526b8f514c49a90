//! A study: which rules, how networks are trained for them, what they play, and by what it is judged. All of it is fixed
//! before the start.

use seega_models::checkpoint::NamedRules;
use seega_rules::preset;
use seega_train::{Recipe, SettingsError};
use serde::{Deserialize, Serialize};

use crate::design::{Design, DesignFile};

/// Which networks a study trains with each seed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Networks {
    /// One that learns the rules of all variants.
    One,
    /// One for each variant.
    Each,
}

/// A rule set of a study.
#[derive(Clone, Debug, PartialEq)]
pub struct Variant {
    /// Its name.
    pub name: String,
    /// Its rules, by their text.
    pub rules: NamedRules,
    /// Whether it is also played with a pie: White places its first turn, and Black chooses a side.
    pub pie: bool,
    /// Its share of the plies of a training, relative to the others' weights.
    pub weight: f64,
}

/// What a study claims: a family of tests, over all variants or factors.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Family {
    /// That variants are not even.
    Uneven,
    /// That variants are even within the margin.
    Even,
    /// That variants are another than the reference.
    Difference,
    /// That factors change the first placer's score.
    Effects,
}

/// A study, as its file has it.
#[derive(Clone, Debug, PartialEq)]
pub struct Study {
    /// What is asked.
    pub title: String,
    /// Seeds: 1, 2 and so on.
    pub seeds: u64,
    /// Which networks are trained.
    pub networks: Networks,
    /// Simulations of the searches, rising: the last are the ones by which the study is judged.
    pub simulations: Vec<u32>,
    /// Games of each variant with each seed and number of simulations.
    pub games: u32,
    /// Plies from the start that are drawn from the searches' policies, so that games differ.
    pub drawn_plies: u32,
    /// The temperature of that.
    pub temperature: f64,
    /// Games of uniform random play of each variant.
    pub random_games: u32,
    /// A variant is even where its score is shown to lie so near to ½.
    pub margin: f64,
    /// What is claimed; everything else is told without a claim.
    pub families: Vec<Family>,
    /// The chance of a false claim in each family of tests.
    pub alpha: f64,
    /// For planning: the standard deviation of the scores of networks of different seeds.
    pub between_seeds: f64,
    /// For planning: the share of drawn games.
    pub draws: f64,
    /// Stones up to which there are endgame tables to count; 0 does without.
    pub table_stones: u8,
    /// The variant with which the others are compared.
    pub reference: String,
    /// The variants.
    pub variants: Vec<Variant>,
    /// For a study of factors: how its variants are made.
    pub design: Option<Design>,
    recipe: toml::Table,
}

/// The longest name of a variant.
const MOST_LETTERS: usize = 60;

/// Settings of a recipe that a study itself has.
const OF_THE_STUDY: [&str; 3] = ["rules", "seed", "ladder_every"];

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct StudyFile {
    title: String,
    seeds: u64,
    networks: Networks,
    simulations: Vec<u32>,
    games: u32,
    drawn_plies: u32,
    temperature: f64,
    random_games: u32,
    margin: f64,
    families: Vec<Family>,
    alpha: f64,
    between_seeds: f64,
    draws: f64,
    #[serde(default)]
    table_stones: u8,
    #[serde(default)]
    reference: Option<String>,
    recipe: toml::Table,
    #[serde(default)]
    variant: Vec<VariantFile>,
    #[serde(default)]
    design: Option<DesignFile>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct VariantFile {
    rules: String,
    #[serde(default)]
    name: Option<String>,
    #[serde(default)]
    pie: bool,
    #[serde(default = "one")]
    weight: f64,
}

fn one() -> f64 {
    1.0
}

impl Study {
    /// Reads a study.
    ///
    /// # Errors
    /// Everything that is wrong, at once.
    pub fn read(text: &str) -> Result<Study, SettingsError> {
        let file: StudyFile = toml::from_str(text).map_err(|error| SettingsError(vec![error.to_string()]))?;
        let mut problems = Vec::new();
        let mut check = |fits: bool, problem: &str| {
            if !fits {
                problems.push(problem.to_owned());
            }
        };
        check((2..=100).contains(&file.seeds), "seeds are from 2 to 100: one says nothing of what another would give");
        let rising = file.simulations.is_sorted_by(|a, b| a < b);
        let bounded = file.simulations.iter().all(|simulations| (2..=100_000).contains(simulations));
        check(
            file.simulations.len() >= 2 && rising && bounded,
            "simulations are two numbers or more from 2 to 100000, rising: whether a result holds with more is part of it",
        );
        check((2..=1_000_000).contains(&file.games), "games are from 2 to 1000000");
        check(file.drawn_plies <= 10_000, "drawn_plies are 10000 at most");
        check(file.table_stones <= 80, "table_stones are 80 at most");
        check(file.random_games <= 10_000_000, "random_games are 10000000 at most");
        check((0.001..=10.0).contains(&file.temperature), "temperature is from 0.001 to 10");
        check((0.001..0.5).contains(&file.margin), "margin is from 0.001 to 0.5");
        check((1e-6..=0.5).contains(&file.alpha), "alpha is from 0.000001 to 0.5");
        check((0.0..=0.5).contains(&file.between_seeds), "between_seeds is from 0 to 0.5");
        check((0.0..1.0).contains(&file.draws), "draws are from 0 to 1");
        check(
            file.design.is_none() || file.variant.is_empty(),
            "a study has variants, or a design that makes them, and not both",
        );
        for key in OF_THE_STUDY.into_iter().filter(|&key| file.recipe.contains_key(key)) {
            check(false, &format!("recipe: {key} is no setting here: the study sees to it"));
        }
        let mut variants: Vec<Variant> = Vec::new();
        let mut all_read = true;
        for VariantFile { rules, name, pie, weight } in file.variant {
            let name = name.unwrap_or_else(|| rules.clone());
            let is_name = !name.is_empty() && name.chars().count() <= MOST_LETTERS;
            check(
                is_name && !name.chars().any(|letter| letter.is_control() || letter == '`'),
                &format!("variant: a name has from 1 to {MOST_LETTERS} letters, and no backquotes: {name:?}"),
            );
            check(weight.is_finite() && weight > 0.0, &format!("variant {name:?}: its weight is a number above 0"));
            match preset::parse(&rules) {
                Ok(parsed) => {
                    variants.push(Variant { name, rules: NamedRules { name: rules, rules: parsed }, pie, weight });
                }
                Err(error) => {
                    all_read = false;
                    check(false, &format!("variant: {error}"));
                }
            }
        }
        let mut design = None;
        if let Some(of_file) = file.design {
            match Design::new(of_file) {
                Ok(made) => {
                    variants = made.variants();
                    design = Some(made);
                }
                Err(wrong) => {
                    all_read = false;
                    wrong.iter().for_each(|wrong| check(false, wrong));
                }
            }
        }
        check(!all_read || variants.len() >= 2, "a study compares two variants or more");
        let asks_for = |family| file.families.contains(&family);
        check(
            design.is_some() || !all_read || !asks_for(Family::Effects),
            "families: effects are those of a design's factors",
        );
        for (index, variant) in variants.iter().enumerate() {
            let earlier = &variants[..index];
            let twice = |problem: &str| format!("variant {:?}: {problem}", variant.name);
            // Files are named by it.
            let is_other = |known: &Variant| file_name(&known.name) != file_name(&variant.name);
            check(earlier.iter().all(is_other), &twice("its name is there twice, but for signs"));
            check(
                earlier.iter().all(|known| known.rules.rules != variant.rules.rules),
                &twice("its rules are there twice"),
            );
        }
        let reference = file.reference.or_else(|| variants.first().map(|variant| variant.name.clone()));
        let reference = reference.unwrap_or_default();
        check(
            !all_read || variants.is_empty() || variants.iter().any(|variant| variant.name == reference),
            &format!("reference: no variant is called {reference:?}"),
        );
        let study = Study {
            title: file.title,
            seeds: file.seeds,
            networks: file.networks,
            simulations: file.simulations,
            games: file.games,
            drawn_plies: file.drawn_plies,
            temperature: file.temperature,
            random_games: file.random_games,
            margin: file.margin,
            families: file.families,
            alpha: file.alpha,
            between_seeds: file.between_seeds,
            draws: file.draws,
            table_stones: file.table_stones,
            reference,
            variants,
            design,
            recipe: file.recipe,
        };
        if !study.variants.is_empty()
            && let Some(Err(SettingsError(wrong))) = study.trainings().first().map(|training| training.recipe(&study))
        {
            problems.extend(wrong.iter().map(|wrong| format!("recipe: {wrong}")));
        }
        if problems.is_empty() { Ok(study) } else { Err(SettingsError(problems)) }
    }

    /// The trainings, seed by seed: so a study that is stopped has whole seeds, and what the machine does besides falls on all
    /// variants alike.
    pub fn trainings(&self) -> Vec<Training> {
        let of_seed = |seed| match self.networks {
            Networks::One => vec![Training { variant: None, seed }],
            Networks::Each => {
                self.variants.iter().map(|variant| Training { variant: Some(variant.name.clone()), seed }).collect()
            }
        };
        (1..=self.seeds).flat_map(of_seed).collect()
    }

    /// The training whose network plays a variant with a seed.
    pub fn training_of(&self, variant: &Variant, seed: u64) -> Training {
        let variant = (self.networks == Networks::Each).then(|| variant.name.clone());
        Training { variant, seed }
    }

    /// The simulations by which the study is judged.
    pub fn judged_by(&self) -> u32 {
        self.simulations.last().copied().unwrap_or_default()
    }
}

/// One training of a study.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Training {
    /// The variant whose rules it learns; `None` for those of all.
    pub variant: Option<String>,
    /// The seed.
    pub seed: u64,
}

impl Training {
    /// The name of its run folder.
    pub fn folder(&self) -> String {
        let variant = self.variant.as_ref().map(|variant| file_name(variant) + "-").unwrap_or_default();
        format!("{variant}seed-{}", self.seed)
    }

    /// Its recipe.
    ///
    /// # Errors
    /// Everything that is wrong with its settings.
    pub fn recipe(&self, study: &Study) -> Result<Recipe, SettingsError> {
        let mut table = study.recipe.clone();
        let learnt = |variant: &&Variant| self.variant.as_ref().is_none_or(|name| *name == variant.name);
        let weighted = |variant: &Variant| match variant.weight {
            1.0 => variant.rules.name.clone(),
            weight => format!("{}={weight}", variant.rules.name),
        };
        let rules = study.variants.iter().filter(learnt).map(|variant| weighted(variant).into()).collect();
        table.insert("rules".to_owned(), toml::Value::Array(rules));
        let mut recipe = Recipe::read(&table.to_string(), &[])?;
        recipe.numbers.seed = self.seed;
        recipe.numbers.ladder_every = 0;
        Ok(recipe)
    }
}

/// A name without what files' names must not have.
pub(crate) fn file_name(name: &str) -> String {
    let fine = |letter: char| letter.is_ascii_alphanumeric() || "+-_.".contains(letter);
    name.chars().map(|letter| if fine(letter) { letter } else { '-' }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    pub(crate) const STUDY: &str = r#"
title = "Is either fair?"
seeds = 3
networks = "one"
simulations = [4, 8]
games = 20
drawn_plies = 20
temperature = 1.0
random_games = 100
margin = 0.05
families = ["uneven", "even", "difference"]
alpha = 0.05
between_seeds = 0.03
draws = 0.2
[recipe]
generations = 2
[[variant]]
rules = "sija"
pie = true
[[variant]]
name = "late"
rules = "sija:first_mover=last_placer"
"#;

    #[test]
    fn a_study_is_read_and_tells_its_trainings() {
        let study = Study::read(STUDY).unwrap();
        assert_eq!((study.judged_by(), &*study.reference), (8, "sija"));
        let trainings = study.trainings();
        assert_eq!(trainings.iter().map(Training::folder).collect::<Vec<_>>(), ["seed-1", "seed-2", "seed-3"]);
        let recipe = trainings[1].recipe(&study).unwrap();
        assert_eq!((recipe.numbers.seed, recipe.numbers.generations, recipe.rules.len()), (2, 2, 2));

        let each = Study::read(&STUDY.replace("\"one\"", "\"each\"")).unwrap();
        let trainings = each.trainings();
        assert_eq!(trainings.len(), 6);
        assert_eq!((trainings[1].folder(), trainings[1].recipe(&each).unwrap().rules.len()), ("late-seed-1".into(), 1));
        assert_eq!(each.training_of(&each.variants[1], 1), trainings[1]);
    }

    #[test]
    fn every_problem_is_told() {
        let changes = [
            ("seeds = 3", "seeds = 1"),
            ("[4, 8]", "[8]"),
            ("generations = 2", "seed = 2"),
            ("rules = \"sija:first_mover=last_placer\"", "rules = \"sija:first_mover=nobody\""),
        ];
        let text = changes.iter().fold(STUDY.to_owned(), |text, (from, to)| text.replace(from, to));
        let SettingsError(problems) = Study::read(&text).unwrap_err();
        assert_eq!(problems.len(), 4, "{problems:?}");
        // The recipe's are told with the others.
        let text = STUDY.replace("generations = 2", "generation = 2").replace("margin = 0.05", "margin = 0.6");
        assert_eq!(Study::read(&text).unwrap_err().0.len(), 2);
        let wrong = |from: &str, to: &str| Study::read(&STUDY.replace(from, to)).unwrap_err().0.join("\n");
        assert!(wrong("generations = 2", "generation = 2").contains("recipe: unknown setting"));
        assert!(wrong("name = \"late\"", "name = \"`\"").contains("no backquotes"));
        assert!(wrong("drawn_plies = 20", "drawn_plies = 4294967295").contains("drawn_plies"));
        assert!(wrong("\"uneven\"", "\"effects\"").contains("effects are those"));
        assert!(wrong("margin = 0.05", "margin = 0.05\nreference = \"kawu\"").contains("no variant is called"));
        assert!(wrong("sija:first_mover=last_placer", "sija:first_mover=starter").contains("rules are there twice"));
    }
}
