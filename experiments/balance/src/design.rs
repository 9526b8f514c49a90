//! Studies of factors: which element of the rules moves the balance, and by how much.
//!
//! Each factor has two values. Not all combinations are played but a regular fraction of them: the first factors take all of
//! theirs, each further one is set by the product of some of these (Box, Hunter and Hunter, 2005, chapter 6). What then can't
//! be told apart is told together: [`Design::columns`] names all effects that a difference may be due to.

use seega_models::checkpoint::NamedRules;
use seega_rules::preset;
use serde::{Deserialize, Serialize};

use crate::study::Variant;

/// A design, as a study's file has it.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct DesignFile {
    /// The rules whose fields the factors replace.
    base: String,
    factor: Vec<Factor>,
}

/// An element of the rules with two values.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Factor {
    /// Its name, for people.
    pub name: String,
    /// The fields at its low level, such as `chain=none`; several after commas.
    pub low: String,
    /// The fields at its high level.
    pub high: String,
    /// The factors whose product sets its level; none for one that takes both levels with all others.
    #[serde(default)]
    pub product: Vec<String>,
}

/// A fraction of all combinations of factors.
#[derive(Clone, Debug, PartialEq)]
pub struct Design {
    base: String,
    factors: Vec<Factor>,
    /// Of each factor the basic factors whose product its level is, a bit for each.
    words: Vec<u32>,
    /// How many factors take both levels with all others.
    basic: u32,
}

/// What a contrast of a design is due to: effects that it can't tell apart.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Column {
    /// The factors whose main effect it holds; one at most in a sound design.
    pub main: Vec<usize>,
    /// The pairs of factors whose interaction it holds.
    pub pairs: Vec<[usize; 2]>,
    word: u32,
}

/// Rules with fields replaced, by their text.
fn with(base: &str, fields: &str) -> String {
    format!("{base}{}{fields}", if base.contains(':') { ',' } else { ':' })
}

impl Design {
    /// The design of a file.
    pub(crate) fn new(file: DesignFile) -> Result<Design, Vec<String>> {
        let mut problems = Vec::new();
        let DesignFile { base, factor: factors } = file;
        if let Err(error) = preset::parse(&base) {
            problems.push(format!("design: base: {error}"));
        }
        let basic: Vec<usize> = (0..factors.len()).filter(|&index| factors[index].product.is_empty()).collect();
        if !(2..=6).contains(&basic.len()) || factors.len() > 20 {
            problems.push("design: 2 to 6 factors have no product, and there are 20 factors at most".to_owned());
        }
        let mut words = Vec::new();
        for (index, factor) in factors.iter().enumerate() {
            let told = |problem: String| format!("factor {:?}: {problem}", factor.name);
            if factors[..index].iter().any(|known| known.name == factor.name) {
                problems.push(told("its name is there twice".to_owned()));
            }
            let mut word = 0u32;
            if factor.product.is_empty() {
                word = 1 << basic.iter().position(|&known| known == index).unwrap_or_default();
            }
            for (place, name) in factor.product.iter().enumerate() {
                if factor.product[..place].contains(name) {
                    problems.push(told(format!("its product names {name:?} twice")));
                }
                match basic.iter().position(|&known| factors[known].name == *name) {
                    Some(place) => word ^= 1 << place,
                    None => problems.push(told(format!("its product names {name:?}, which is no factor without one"))),
                }
            }
            if words.contains(&word) {
                problems.push(told("it has the levels of another one in all variants".to_owned()));
            }
            words.push(word);
            for level in [&factor.low, &factor.high] {
                if let Err(error) = preset::parse(&with(&base, level)) {
                    problems.push(told(error.to_string()));
                }
            }
        }
        let design = Design { base, factors, words, basic: basic.len() as u32 };
        if problems.is_empty() {
            // Each level was read alone; together they may hinder each other.
            let wrong = (0..design.runs()).find_map(|run| preset::parse(&design.rules_of(run)).err());
            problems.extend(wrong.map(|error| format!("design: levels of two factors don't go together: {error}")));
        }
        if problems.is_empty() { Ok(design) } else { Err(problems) }
    }

    /// The factors.
    pub fn factors(&self) -> &[Factor] {
        &self.factors
    }

    /// How many variants there are: two to the power of the factors without product.
    pub fn runs(&self) -> usize {
        1 << self.basic
    }

    /// Whether the product of some basic factors is at its high level in a run.
    fn is_high(run: usize, word: u32) -> bool {
        // A basic factor is high where its bit is set; an even number of low ones leaves the product high.
        let low = (!(run as u32) & word).count_ones();
        low.is_multiple_of(2)
    }

    /// Whether a factor is at its high level in a run.
    pub fn is_high_in(&self, run: usize, factor: usize) -> bool {
        Design::is_high(run, self.words[factor])
    }

    /// The variants, named by their levels, such as `+--+`.
    pub(crate) fn variants(&self) -> Vec<Variant> {
        let variant = |run| {
            let levels = |run| (0..self.factors.len()).map(move |factor| self.is_high_in(run, factor));
            let name = levels(run).map(|high| if high { '+' } else { '-' }).collect();
            let text = self.rules_of(run);
            let rules = preset::parse(&text).expect("all were read when the design was");
            Variant { name, rules: NamedRules { name: text, rules }, pie: false, weight: 1.0 }
        };
        (0..self.runs()).map(variant).collect()
    }

    /// The rules of a run, by their text.
    fn rules_of(&self, run: usize) -> String {
        let factors = self.factors.iter().enumerate();
        let levels: Vec<&str> = factors
            .map(|(index, factor)| if self.is_high_in(run, index) { &*factor.high } else { &*factor.low })
            .collect();
        with(&self.base, &levels.join(","))
    }

    /// The contrasts between variants that hold a main effect or an interaction of two factors, main effects first.
    pub fn columns(&self) -> Vec<Column> {
        let factors = 0..self.factors.len();
        let mut columns: Vec<Column> = (1..1u32 << self.basic)
            .map(|word| Column {
                main: factors.clone().filter(|&factor| self.words[factor] == word).collect(),
                pairs: factors
                    .clone()
                    .flat_map(|a| (a + 1..self.factors.len()).map(move |b| [a, b]))
                    .filter(|&[a, b]| self.words[a] ^ self.words[b] == word)
                    .collect(),
                word,
            })
            .filter(|column| !column.main.is_empty() || !column.pairs.is_empty())
            .collect();
        columns.sort_by_key(|column| (column.main.is_empty(), column.main.first().copied(), column.word));
        columns
    }

    /// The effect in a column: the mean of the variants at its high level less that at its low. `values` are in the order of
    /// the variants.
    ///
    /// # Panics
    /// If there is not a value for each variant.
    pub fn effect(&self, column: &Column, values: &[f64]) -> f64 {
        assert_eq!(values.len(), self.runs(), "a value for each variant");
        let half = values.len() as f64 / 2.0;
        let signed = values.iter().enumerate().map(
            |(run, value)| {
                if Design::is_high(run, column.word) { *value } else { -value }
            },
        );
        signed.sum::<f64>() / half
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn design() -> Design {
        let file: DesignFile = toml::from_str(
            r#"
base = "siga"
[[factor]]
name = "first"
low = "first_mover=starter"
high = "first_mover=last_placer"
[[factor]]
name = "centre"
low = "center_safe=false"
high = "center_safe=true"
[[factor]]
name = "chains"
low = "chain=none"
high = "chain=same_piece"
[[factor]]
name = "blocked"
low = "blocked=pass"
high = "blocked=loses"
product = ["first", "centre", "chains"]
"#,
        )
        .unwrap();
        Design::new(file).unwrap()
    }

    #[test]
    fn half_of_all_combinations_tells_main_effects_and_pairs_of_pairs() {
        let design = design();
        let variants = design.variants();
        assert_eq!((variants.len(), design.runs()), (8, 8));
        assert_eq!((&*variants[0].name, &*variants[7].name), ("----", "++++"));
        for factor in 0..4 {
            assert_eq!((0..8).filter(|&run| design.is_high_in(run, factor)).count(), 4, "half of all at each level");
        }
        assert!(variants.iter().all(|variant| variant.rules.rules.size.side() == 5));
        let columns = design.columns();
        let told: Vec<_> = columns.iter().map(|column| (column.main.clone(), column.pairs.len())).collect();
        assert_eq!(told[..4], [(vec![0], 0), (vec![1], 0), (vec![2], 0), (vec![3], 0)]);
        assert_eq!(told[4..], [(vec![], 2), (vec![], 2), (vec![], 2)], "each pair shares its column with one other");
    }

    #[test]
    fn effects_are_found_again() {
        let design = design();
        let sign = |run, factor| if design.is_high_in(run, factor) { 1.0 } else { -1.0 };
        let values: Vec<f64> = (0..design.runs())
            .map(|run| 0.5 + 0.05 * sign(run, 0) - 0.1 * sign(run, 3) + 0.02 * sign(run, 0) * sign(run, 1))
            .collect();
        for column in design.columns() {
            let expected = match (&column.main[..], &column.pairs[..]) {
                ([0], _) => 0.1,
                ([3], _) => -0.2,
                ([], pairs) if pairs.contains(&[0, 1]) => 0.04,
                _ => 0.0,
            };
            assert!((design.effect(&column, &values) - expected).abs() < 1e-12, "{column:?}");
        }
    }

    #[test]
    fn levels_that_go_together_are_refused() {
        let mut file = DesignFile { base: "siga".to_owned(), factor: design().factors };
        file.factor[3].product.pop();
        file.factor[3].product.pop();
        file.factor[2].high = "chain=some".to_owned();
        let problems = Design::new(file).unwrap_err();
        assert_eq!(problems.len(), 2, "{problems:?}");
        let wrong = |change: &dyn Fn(&mut Vec<Factor>)| {
            let mut factors = design().factors;
            change(&mut factors);
            Design::new(DesignFile { base: "siga".to_owned(), factor: factors }).unwrap_err().join("\n")
        };
        assert!(wrong(&|factors| factors[3].product = vec!["first".to_owned(); 2]).contains("twice"));
        let both = |factors: &mut Vec<Factor>| factors[0].high = "chain=any_piece".to_owned();
        assert!(wrong(&both).contains("don't go together"));
        assert!(problems.iter().any(|problem| problem.contains("levels of another one")), "{problems:?}");
    }
}
