//! A study: a base recipe, and questions about it.

use std::collections::BTreeMap;

use seega_models::checkpoint::NamedRules;
use seega_rules::preset;
use seega_train::{Recipe, SettingsError};
use serde::Deserialize;

/// A study, as its file has it.
#[derive(Clone, Debug, PartialEq)]
pub struct Study {
    /// Seeds of each arm: 1, 2 and so on.
    pub seeds: u64,
    /// CPU time of each training, over all threads, in minutes.
    pub cpu_minutes: f64,
    /// Simulations of the networks when they play each other.
    pub simulations: u32,
    /// Pairs of games between two networks, from each kind of opening.
    pub pairs: u32,
    /// The questions, in order.
    pub questions: Vec<Question>,
}

/// A question: which of two arms makes the stronger network?
#[derive(Clone, Debug, PartialEq)]
pub struct Question {
    /// A short name.
    pub name: String,
    /// The question in words.
    pub text: String,
    /// The rules by which the networks play each other.
    pub rules: NamedRules,
    /// The arms, in the order in which they are asked about.
    pub arms: [Arm; 2],
}

impl Question {
    /// A question of a file, or what is wrong with it.
    fn new(base: &toml::Table, QuestionFile { name, text, play, a, b }: QuestionFile) -> Result<Question, Vec<String>> {
        let told = |problem: String| vec![format!("question {name:?}: {problem}")];
        let arms = [a, b].map(|settings| Arm::new(base, settings));
        let (a, b) = match arms.each_ref().map(|arm| arm.recipe(1).map_err(|error| (&arm.name, error))) {
            [Ok(a), Ok(b)] => (a, b),
            [a, b] => {
                let wrong = [a.err(), b.err()].into_iter().flatten();
                let each = |(arm, SettingsError(wrong)): (&String, SettingsError)| -> Vec<String> {
                    wrong.iter().flat_map(|wrong| told(format!("{arm}: {wrong}"))).collect()
                };
                return Err(wrong.flat_map(each).collect());
            }
        };
        if a.fingerprint() == b.fingerprint() {
            return Err(told("both arms are the same recipe".to_owned()));
        }
        let rules = match play {
            Some(play) => {
                let rules = preset::parse(&play).map_err(|error| told(format!("play: {error}")))?;
                NamedRules { name: play, rules }
            }
            None if a.rules != b.rules => {
                let why = "its arms learn different rules; say with play by which of them the networks play each other";
                return Err(told(why.to_owned()));
            }
            None => a.rules[0].named.clone(),
        };
        if [&a, &b].iter().any(|arm| arm.rules.iter().all(|learnt| learnt.named.rules != rules.rules)) {
            return Err(told("the networks of an arm don't learn the rules by which they are to play".to_owned()));
        }
        Ok(Question { name, text, rules, arms })
    }
}

/// Settings that a study itself has.
const OF_THE_STUDY: [&str; 3] = ["seed", "generations", "ladder_every"];

/// A way of training: the base recipe with some settings otherwise.
#[derive(Clone, Debug, PartialEq)]
pub struct Arm {
    /// The settings that differ from the base: `base`, or such as `reuse=2+batch=128`. Arms of this name are the same in
    /// all questions of a study.
    pub name: String,
    base: toml::Table,
    settings: BTreeMap<String, toml::Value>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct StudyFile {
    seeds: u64,
    cpu_minutes: f64,
    simulations: u32,
    pairs: u32,
    base: toml::Table,
    question: Vec<QuestionFile>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct QuestionFile {
    name: String,
    text: String,
    /// The rules of the games, where the arms learn different ones.
    play: Option<String>,
    a: BTreeMap<String, toml::Value>,
    b: BTreeMap<String, toml::Value>,
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
        check((0.001..=1e6).contains(&file.cpu_minutes), "cpu_minutes are from 0.001 to 1000000");
        check((1..=100_000).contains(&file.simulations), "simulations are from 1 to 100000");
        check((1..=100_000).contains(&file.pairs), "pairs are from 1 to 100000");
        check(!file.question.is_empty(), "a study has a question");
        let mut questions: Vec<Question> = Vec::new();
        for question in file.question {
            let is_other = |known: &Question| known.name != question.name;
            check(questions.iter().all(is_other), &format!("question {:?} is there twice", question.name));
            match Question::new(&file.base, question) {
                Ok(question) => questions.push(question),
                Err(wrong) => wrong.iter().for_each(|wrong| check(false, wrong)),
            }
        }
        let StudyFile { seeds, cpu_minutes, simulations, pairs, .. } = file;
        let study = Study { seeds, cpu_minutes, simulations, pairs, questions };
        if problems.is_empty() { Ok(study) } else { Err(SettingsError(problems)) }
    }

    /// All arms, each once, in the order in which questions name them.
    pub fn arms(&self) -> Vec<&Arm> {
        let mut arms: Vec<&Arm> = Vec::new();
        for arm in self.questions.iter().flat_map(|question| &question.arms) {
            if arms.iter().all(|known| known.name != arm.name) {
                arms.push(arm);
            }
        }
        arms
    }
}

impl Arm {
    /// Settings that say what the base says anyway are no difference.
    fn new(base: &toml::Table, mut settings: BTreeMap<String, toml::Value>) -> Arm {
        settings.retain(|key, value| base.get(key) != Some(value));
        let told: Vec<String> = settings
            .iter()
            .map(|(key, value)| match value {
                toml::Value::String(text) => format!("{key}={text}"),
                value => format!("{key}={value}"),
            })
            .collect();
        let name = if told.is_empty() { "base".to_owned() } else { told.join("+") };
        Arm { name, base: base.clone(), settings }
    }

    /// The recipe of the arm's training with a seed. It ends by its CPU time, so it has generations without end, and no
    /// ladder on the way.
    ///
    /// # Errors
    /// Everything that is wrong with its settings.
    pub fn recipe(&self, seed: u64) -> Result<Recipe, SettingsError> {
        let mut table = self.base.clone();
        table.extend(self.settings.clone());
        let told = |key: &str| format!("{key} is no arm's: the study sees to it");
        let of_the_study: Vec<String> =
            OF_THE_STUDY.into_iter().filter(|&key| table.contains_key(key)).map(told).collect();
        if !of_the_study.is_empty() {
            return Err(SettingsError(of_the_study));
        }
        let mut recipe = Recipe::read(&table.to_string(), &[])?;
        recipe.numbers.seed = seed;
        recipe.numbers.generations = 100_000;
        recipe.numbers.ladder_every = 0;
        Ok(recipe)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const STUDY: &str = r#"
seeds = 3
cpu_minutes = 8
simulations = 64
pairs = 25
[base]
rules = ["sija"]
simulations = 32
[[question]]
name = "search"
text = "Gumbel or PUCT?"
a = { search = "gumbel" }
b = { search = "puct" }
[[question]]
name = "reuse"
text = "How often is a sample used?"
a = {}
b = { reuse = 2, simulations = 32 }
"#;

    #[test]
    fn arms_are_the_base_with_differences() {
        let study = Study::read(STUDY).unwrap();
        let names: Vec<&str> = study.arms().into_iter().map(|arm| &*arm.name).collect();
        assert_eq!(names, ["search=gumbel", "search=puct", "base", "reuse=2"]);
        let recipe = study.arms()[3].recipe(2).unwrap();
        assert_eq!((recipe.numbers.reuse, recipe.numbers.simulations, recipe.numbers.seed), (2.0, 32, 2));
    }

    #[test]
    fn networks_of_different_rules_play_by_those_that_both_learn() {
        let mixture = "rules = [\"siga\", \"sija\", \"kawu\"],";
        let text = STUDY.replace("reuse = 2,", mixture).replace("a = {}", "play = \"sija\"\na = {}");
        let study = Study::read(&text).unwrap();
        assert_eq!(study.questions[1].rules.rules, preset::parse("sija").unwrap());
        assert_eq!(study.questions[0].rules, study.questions[1].rules);
    }

    #[test]
    fn every_problem_is_told() {
        let problems = |changes: &[(&str, &str)]| {
            let text = changes.iter().fold(STUDY.to_owned(), |text, (from, to)| text.replace(from, to));
            Study::read(&text).unwrap_err().0
        };
        let several = problems(&[("seeds = 3", "seeds = 1"), ("reuse = 2", "rause = 2"), ("puct", "gumbel")]);
        assert_eq!(several.len(), 3, "{several:?}");
        assert!(several.iter().any(|problem| problem.contains("rause")), "{several:?}");
        assert!(several.iter().any(|problem| problem.contains("same recipe")), "{several:?}");
        // A default that is spelled out is the default, and a seed is nothing to compare.
        assert!(problems(&[("reuse = 2,", "reuse = 4.0,")])[0].contains("same recipe"));
        assert!(problems(&[("reuse = 2,", "seed = 2,")])[0].contains("seed is no arm's"));
        let other_rules = ("reuse = 2,", "rules = [\"siga\"],");
        assert!(problems(&[other_rules])[0].contains("different rules"));
        assert!(problems(&[("reuse = 2,", "rules = [\"siga\", \"sija\"],")])[0].contains("different rules"));
        let play = |rules: &str| format!("play = {rules:?}\na = {{}}");
        assert!(problems(&[other_rules, ("a = {}", &play("sija"))])[0].contains("don't learn the rules"));
        assert!(problems(&[("a = {}", &play("sijja"))])[0].contains("no preset"));
        assert!(Study::read("seeds = 3").is_err() && Study::read("question = ").is_err());
    }
}
