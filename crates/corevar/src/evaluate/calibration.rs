use super::metrics::Outputs;

/// Bins of the confidence, each as wide as the others.
const BINS: usize = 15;

/// Expected calibration error: how far the confidence of the predicted class is from the share of right
/// answers, averaged over the rows by bins of confidence.
pub fn calibration_error(outputs: &Outputs, labels: &[u32]) -> f64 {
    let mut confidence = [0.0; BINS];
    let mut right = [0.0; BINS];
    for ((probabilities, class), label) in outputs.probabilities().iter().zip(outputs.predicted()).zip(labels)
    {
        let top = probabilities[class as usize];
        let bin = ((top * BINS as f64) as usize).min(BINS - 1);
        confidence[bin] += top;
        right[bin] += f64::from(u8::from(class == *label));
    }
    let gaps: f64 = confidence.iter().zip(right).map(|(confidence, right)| (confidence - right).abs()).sum();
    gaps / labels.len().max(1) as f64
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
}
