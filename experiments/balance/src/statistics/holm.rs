//! Several claims at once (Holm, 1979).

/// The p of each claim of a family, raised so that with all of them the chance of one false claim stays below α.
pub fn adjusted(p_values: &[f64]) -> Vec<f64> {
    let mut order: Vec<usize> = (0..p_values.len()).collect();
    order.sort_by(|&a, &b| p_values[a].total_cmp(&p_values[b]));
    let mut adjusted = vec![0.0; p_values.len()];
    let mut highest = 0.0f64;
    for (rank, &index) in order.iter().enumerate() {
        let left = (p_values.len() - rank) as f64;
        highest = highest.max((left * p_values[index]).min(1.0));
        adjusted[index] = highest;
    }
    adjusted
}

#[cfg(test)]
mod tests {
    use super::*;

    /// By statsmodels 0.15: `multipletests([.01, .04, .03, .005, .2, .6], method="holm")`.
    #[test]
    fn it_is_holms_adjustment() {
        let found = adjusted(&[0.01, 0.04, 0.03, 0.005, 0.2, 0.6]);
        assert_eq!(found.len(), REFERENCE.len());
        assert!(found.iter().zip(REFERENCE).all(|(found, known)| (found - known).abs() < 1e-12), "{found:?}");
        assert_eq!(adjusted(&[]), Vec::<f64>::new());
    }

    const REFERENCE: [f64; 6] = [0.05, 0.12, 0.12, 0.03, 0.4, 0.6];
}
