//! How likely a result is for a difference in strength, and how that changes with it.

/// How draws enter the likelihood. `z` is the strength of the first player above the second's, its advantage included.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum DrawModel {
    /// Davidson: first, draw and second are as likely as `e^(z/2)`, `e^ν` and `e^(−z/2)` stand to each other.
    #[default]
    Davidson,
    /// Rao and Kupper, as BayesElo: the first wins with `1 / (1 + e^(ν − z))`, the second with `1 / (1 + e^(ν + z))`.
    RaoKupper,
    /// A draw is half a win and half a loss, as Ordo has it. The chance of a draw is not told.
    Halves,
}

impl std::str::FromStr for DrawModel {
    type Err = String;

    fn from_str(text: &str) -> Result<DrawModel, String> {
        match text {
            "davidson" => Ok(DrawModel::Davidson),
            "rao-kupper" => Ok(DrawModel::RaoKupper),
            "halves" => Ok(DrawModel::Halves),
            _ => Err("models of draws are davidson, rao-kupper and halves".to_owned()),
        }
    }
}

impl std::fmt::Display for DrawModel {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            DrawModel::Davidson => "davidson",
            DrawModel::RaoKupper => "rao-kupper",
            DrawModel::Halves => "halves",
        })
    }
}

pub(super) fn logistic(x: f64) -> f64 {
    1.0 / (1.0 + (-x).exp())
}

/// The chances of first, draw and second.
pub(super) fn davidson(z: f64, term: f64) -> [f64; 3] {
    let logits = [0.5 * z, term, -0.5 * z];
    let highest = logits.into_iter().fold(f64::MIN, f64::max);
    let weights = logits.map(|logit| (logit - highest).exp());
    let sum: f64 = weights.iter().sum();
    weights.map(|weight| weight / sum)
}

/// A log-likelihood with its derivatives by `z` and by the term of draws.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Derivatives {
    pub(super) value: f64,
    pub(super) by_z: f64,
    pub(super) by_term: f64,
    pub(super) by_z_z: f64,
    pub(super) by_z_term: f64,
    pub(super) by_term_term: f64,
}

impl Derivatives {
    fn add(&mut self, weight: f64, other: Derivatives) {
        self.value += weight * other.value;
        self.by_z += weight * other.by_z;
        self.by_term += weight * other.by_term;
        self.by_z_z += weight * other.by_z_z;
        self.by_z_term += weight * other.by_z_term;
        self.by_term_term += weight * other.by_term_term;
    }
}

/// The log-likelihood of so many games won, drawn and lost by the first player.
pub(super) fn log_likelihood(model: DrawModel, z: f64, term: f64, [won, drawn, lost]: [f64; 3]) -> Derivatives {
    // ln logistic(sign · z + slope · term), from which two of the models are built.
    let log_logistic = |sign: f64, slope: f64| {
        let p = logistic(sign * z + slope * term);
        let curvature = -p * (1.0 - p);
        Derivatives {
            value: p.ln(),
            by_z: sign * (1.0 - p),
            by_term: slope * (1.0 - p),
            by_z_z: curvature,
            by_z_term: sign * slope * curvature,
            by_term_term: slope * slope * curvature,
        }
    };
    let mut sum = Derivatives::default();
    match model {
        DrawModel::Davidson => {
            let games = won + drawn + lost;
            let [p_won, p_drawn, p_lost] = davidson(z, term);
            let lead = p_won - p_lost;
            sum.value = won * p_won.ln() + drawn * p_drawn.ln() + lost * p_lost.ln();
            sum.by_z = 0.5 * (won - lost - games * lead);
            sum.by_term = drawn - games * p_drawn;
            sum.by_z_z = -0.25 * games * (p_won + p_lost - lead * lead);
            sum.by_z_term = 0.5 * games * lead * p_drawn;
            sum.by_term_term = -games * p_drawn * (1.0 - p_drawn);
        }
        DrawModel::RaoKupper => {
            // A draw is as likely as both wins together, times e^(2 term) − 1.
            sum.add(won + drawn, log_logistic(1.0, -1.0));
            sum.add(lost + drawn, log_logistic(-1.0, -1.0));
            let grown = (2.0 * term).exp_m1();
            sum.value += drawn * grown.ln();
            sum.by_term += drawn * 2.0 * (1.0 + grown) / grown;
            sum.by_term_term -= drawn * 4.0 * (1.0 + grown) / (grown * grown);
        }
        DrawModel::Halves => {
            sum.add(won + 0.5 * drawn, log_logistic(1.0, 0.0));
            sum.add(lost + 0.5 * drawn, log_logistic(-1.0, 0.0));
        }
    }
    sum
}
