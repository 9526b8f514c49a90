//! What a lead in stones is worth: a curve through results (after Tomašev et al., 2020, who so valued chess pieces).

/// Positions by the lead of one side, with how their games ended for it. Weights let each game count alike, however long it
/// is.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ByLead {
    /// By lead: weight, weighted sum of results from −1 (lost) to 1 (won).
    sums: std::collections::BTreeMap<i32, (f64, f64)>,
}

impl ByLead {
    /// Adds a position: the lead, how its game ended for that side (−1, 0 or 1), and its weight.
    pub fn add(&mut self, lead: i32, result: f64, weight: f64) {
        let (all, sum) = self.sums.entry(lead).or_default();
        *all += weight;
        *sum += weight * result;
    }

    /// Adds all of another's.
    pub fn merge(&mut self, other: &ByLead) {
        for (&lead, &(weight, sum)) in &other.sums {
            let (all, sums) = self.sums.entry(lead).or_default();
            *all += weight;
            *sums += sum;
        }
    }

    /// The least-squares fit of `result = tanh(a + b · lead)`: `(a, b)`. `None` where leads don't differ or nothing
    /// converges.
    pub fn fit(&self) -> Option<(f64, f64)> {
        const STEPS: usize = 100;
        /// Beyond it the curve is a step, whose slope no data bound.
        const STEEPEST: f64 = 20.0;
        if self.sums.len() < 2 {
            return None;
        }
        let (mut a, mut b) = (0.0f64, 0.1f64);
        for _ in 0..STEPS {
            // Gauss and Newton's step, by the normal equations of two unknowns.
            let (mut aa, mut ab, mut bb, mut ra, mut rb) = (0.0, 0.0, 0.0, 0.0, 0.0);
            for (&lead, &(weight, sum)) in &self.sums {
                let lead = f64::from(lead);
                let curve = (a + b * lead).tanh();
                let slope = 1.0 - curve * curve;
                let rest = sum - weight * curve;
                aa += weight * slope * slope;
                ab += weight * slope * slope * lead;
                bb += weight * slope * slope * lead * lead;
                ra += slope * rest;
                rb += slope * rest * lead;
            }
            let determinant = aa * bb - ab * ab;
            if determinant <= 1e-12 * aa * bb {
                return None;
            }
            let (da, db) = ((ra * bb - rb * ab) / determinant, (aa * rb - ab * ra) / determinant);
            // Steps are held in, for the curve is flat far out.
            let scale = (0.5 / da.abs().max(db.abs())).min(1.0);
            a += scale * da;
            b += scale * db;
            if !(a.abs() < STEEPEST && b.abs() < STEEPEST) {
                return None;
            }
            if da.abs().max(db.abs()) < 1e-10 {
                return Some((a, b));
            }
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_curve_is_found_again() {
        let mut by_lead = ByLead::default();
        for lead in -6..=6 {
            by_lead.add(lead, (0.2 + 0.35 * f64::from(lead)).tanh(), 1.0 + f64::from(lead * lead));
        }
        let (a, b) = by_lead.fit().unwrap();
        assert!((a - 0.2).abs() < 1e-6 && (b - 0.35).abs() < 1e-6, "{a} {b}");
    }

    #[test]
    fn what_tells_nothing_gives_nothing() {
        let mut by_lead = ByLead::default();
        assert_eq!(by_lead.fit(), None);
        by_lead.add(0, 1.0, 3.0);
        assert_eq!(by_lead.fit(), None);
        // Whoever leads wins: no slope is steep enough.
        by_lead.add(1, 1.0, 1.0);
        by_lead.add(-1, -1.0, 1.0);
        let steep = by_lead.fit();
        assert!(steep.is_none_or(|(_, b)| b > 1.0), "{steep:?}");
    }

    /// By scipy 1.17: `curve_fit(lambda x, a, b: tanh(a + b x), x, y, sigma=1/sqrt(w))` on these.
    #[test]
    fn noisy_data_are_fitted_as_by_scipy() {
        let mut by_lead = ByLead::default();
        for (lead, result, weight) in [
            (-3, -0.7, 4.0),
            (-2, -0.6, 8.0),
            (-1, -0.2, 20.0),
            (0, 0.1, 40.0),
            (1, 0.35, 22.0),
            (2, 0.7, 9.0),
            (3, 0.75, 3.0),
        ] {
            by_lead.add(lead, result, weight);
        }
        let (a, b) = by_lead.fit().unwrap();
        assert!((a - REFERENCE.0).abs() < 1e-5 && (b - REFERENCE.1).abs() < 1e-5, "{a} {b}");
    }

    const REFERENCE: (f64, f64) = (0.090_420_32, 0.328_894_19);
}
