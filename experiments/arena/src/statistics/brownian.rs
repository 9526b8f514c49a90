//! Brownian motion between two barriers: what the log-likelihood ratio of a sequential test does.

use std::f64::consts::PI;

use super::normal_below;

/// A Brownian motion that starts at 0 and ends at the barrier that it meets first.
#[derive(Clone, Copy, Debug)]
pub(super) struct Brownian {
    /// The lower barrier, below 0.
    pub(super) low: f64,
    /// The upper barrier, above 0.
    pub(super) high: f64,
    /// Drift in a unit of time.
    pub(super) drift: f64,
    /// Variance in a unit of time.
    pub(super) variance: f64,
}

/// Below this time, as a share of what the distance of the barriers takes, the series of eigenfunctions converges too
/// slowly, and reflections at the barriers are few.
const EARLY: f64 = 0.05;

impl Brownian {
    /// The chance that at `time` the motion has ended at the lower barrier, or goes on below `place`, which lies
    /// between the barriers, both included.
    pub(super) fn chance_below(&self, time: f64, place: f64) -> f64 {
        let width = self.high - self.low;
        let chance = if self.variance * time < EARLY * width * width {
            self.by_reflection(time, place)
        } else {
            self.by_eigenfunctions(time, place)
        };
        chance.clamp(0.0, 1.0)
    }

    /// Siegmund, Sequential Analysis (1985), equation 3.17: one reflection at each barrier.
    fn by_reflection(&self, time: f64, place: f64) -> f64 {
        let Brownian { low, high, drift, variance } = *self;
        let deviation = (variance * time).sqrt();
        let moved = drift * time;
        let gamma = drift / variance;
        let reflected = |barrier: f64, z: f64| tilted_normal(2.0 * gamma * barrier, z);
        normal_below((place - moved) / deviation) + reflected(low, (2.0 * low - place + moved) / deviation)
            - reflected(high, (place - moved - 2.0 * high) / deviation)
    }

    /// The exact series: the chance that the lower barrier is met at all, and what is still between the barriers.
    fn by_eigenfunctions(&self, time: f64, place: f64) -> f64 {
        const NEAR: f64 = 1e-12;
        const MOST_TERMS: u32 = 1000;
        let width = self.high - self.low;
        let (start, place) = (-self.low, place - self.low);
        let gamma = self.drift / self.variance;
        let rate = |n: f64| 0.5 * ((n * PI / width).powi(2) * self.variance + self.drift * self.drift / self.variance);
        let front = (-rate(1.0) * time + gamma * (place - start)).exp();
        let mut sum = 0.0;
        for n in 1..=MOST_TERMS {
            let n = f64::from(n);
            let decay = (-(rate(n) - rate(1.0)) * time).exp();
            let angle = n * PI / width;
            // The primitive of exp(gamma x) sin(n pi x / width), without exp(gamma x), times 2 / width.
            let primitive = 2.0 / width * (gamma * (angle * place).sin() - angle * (angle * place).cos())
                / (gamma * gamma + angle * angle);
            sum += decay * primitive * (angle * start).sin();
            if (front * decay * primitive).abs() < NEAR {
                break;
            }
        }
        // The chance to meet the lower barrier at all.
        let exponent = gamma * width;
        let lower = if exponent.abs() < 1e-8 {
            (width - start) / width
        } else if exponent > 30.0 {
            (-2.0 * gamma * start).exp()
        } else {
            (1.0 - (2.0 * gamma * (width - start)).exp()) / (1.0 - (2.0 * exponent).exp())
        };
        lower + front * sum
    }
}

/// exp(a) times the chance that a standard normal number is below z, also where the one is huge and the other tiny.
fn tilted_normal(a: f64, z: f64) -> f64 {
    if z < -8.0 {
        // Mill's ratio.
        (a - 0.5 * z * z).exp() / (2.0 * PI).sqrt() * (-1.0 / z + 1.0 / z.powi(3))
    } else {
        a.exp() * normal_below(z)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Both formulas hold at times in between, and agree there.
    #[test]
    fn the_two_formulas_agree_where_both_hold() {
        for drift in [-1.5, -0.2, 0.0, 0.3, 2.0] {
            let motion = Brownian { low: -2.9, high: 2.9, drift, variance: 1.0 };
            for time in [1.7, 2.5] {
                for place in [-2.9, -1.0, 0.0, 2.0, 2.9] {
                    let (a, b) = (motion.by_reflection(time, place), motion.by_eigenfunctions(time, place));
                    assert!((a - b).abs() < 1e-4, "{drift} {time} {place}: {a} {b}");
                }
            }
        }
    }

    /// Without drift, from the middle, both barriers are equally likely; with drift as the formula for ruin says.
    #[test]
    fn late_outcomes_are_those_of_ruin() {
        let motion = Brownian { low: -1.0, high: 2.0, drift: 0.0, variance: 1.0 };
        assert!((motion.chance_below(50.0, 2.0) - 2.0 / 3.0).abs() < 1e-9);
        let motion = Brownian { low: -1.0, high: 1.0, drift: 0.5, variance: 1.0 };
        // (1 - e^(-2 gamma high)) … = 1 / (1 + e).
        assert!((motion.chance_below(50.0, 1.0) - 1.0 / (1.0 + 1f64.exp())).abs() < 1e-9);
    }
}
