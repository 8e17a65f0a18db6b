use serde::{Deserialize, Serialize};

use crate::model::Outputs;

/// Bins of the confidence, each as wide as the others.
pub const BINS: usize = 15;

/// Rows whose confidence, the probability of the predicted class, lies in one bin.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
pub struct ReliabilityBin {
    /// Mean confidence of these rows.
    pub confidence: f64,
    /// Share of right answers among them.
    pub accuracy: f64,
    /// How many.
    pub rows: usize,
}

/// The reliability diagram: [`BINS`] bins of confidence from 0 to 1, without those that hold no row.
/// Rows whose outputs are not finite are in none.
pub fn reliability(outputs: &Outputs, labels: &[u32]) -> Vec<ReliabilityBin> {
    let mut sums = [ReliabilityBin::default(); BINS];
    for ((probabilities, class), label) in outputs.probabilities().iter().zip(outputs.predicted()).zip(labels)
    {
        let top = probabilities[class as usize];
        if !top.is_finite() {
            continue;
        }
        let bin = &mut sums[((top * BINS as f64) as usize).min(BINS - 1)];
        bin.confidence += top;
        bin.accuracy += f64::from(u8::from(class == *label));
        bin.rows += 1;
    }
    let mean = |sum: &ReliabilityBin| {
        let rows = sum.rows as f64;
        ReliabilityBin { confidence: sum.confidence / rows, accuracy: sum.accuracy / rows, rows: sum.rows }
    };
    sums.iter().filter(|sum| sum.rows > 0).map(mean).collect()
}

/// Expected calibration error: how far the confidence of the predicted class is from the share of right
/// answers, averaged over the rows by bins of confidence.
pub fn calibration_error(outputs: &Outputs, labels: &[u32]) -> f64 {
    let gap = |bin: &ReliabilityBin| (bin.confidence - bin.accuracy).abs() * bin.rows as f64;
    reliability(outputs, labels).iter().map(gap).sum::<f64>() / labels.len().max(1) as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_model_that_is_right_as_often_as_it_says_is_calibrated() {
        // Confidence 3/4 each time, right three times of four.
        let logit = 3f64.ln();
        let outputs = Outputs { values: [logit, 0.0].repeat(4), columns: 2 };
        assert!(calibration_error(&outputs, &[0, 0, 0, 1]) < 1e-12);
        assert!((calibration_error(&outputs, &[0, 0, 1, 1]) - 0.25).abs() < 1e-12);
    }

    #[test]
    fn a_bin_has_its_confidence_its_accuracy_and_its_rows() {
        // Confidence 3/4 (bin 11) three times, 1/2 (bin 7) once.
        let logit = 3f64.ln();
        let outputs = Outputs { values: vec![logit, 0.0, 0.0, logit, logit, 0.0, 0.0, 0.0], columns: 2 };
        let bins = reliability(&outputs, &[0, 0, 0, 1]);
        assert_eq!(bins.iter().map(|bin| bin.rows).collect::<Vec<_>>(), [1, 3]);
        assert!((bins[1].confidence - 0.75).abs() < 1e-12 && (bins[1].accuracy - 2.0 / 3.0).abs() < 1e-12);
        assert_eq!((bins[0].confidence, bins[0].accuracy), (0.5, 0.0));
    }

    #[test]
    fn outputs_that_are_not_finite_are_in_no_bin() {
        let outputs = Outputs { values: vec![f64::NAN, 0.0, 1.0, 1.0], columns: 2 };
        assert_eq!(reliability(&outputs, &[0, 0]).iter().map(|bin| bin.rows).sum::<usize>(), 1);
    }
}
