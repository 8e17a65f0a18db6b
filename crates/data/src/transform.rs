//! What is done to the features of each row by itself before a model sees them, by the names that spectroscopists use.

use std::fmt;
use std::str::FromStr;

use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use crate::{DataError, Features};

/// More steps in one row are a slip.
const MOST_STEPS: usize = 8;

/// Steps that are applied to the features of a row one after the other, such as `snv,derivative=11`.
///
/// The order of the features counts: neighbours are neighbours along a spectrum.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Transform(Vec<Step>);

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Step {
    /// `sign(x) log(1 + |x|)` of each number: defined for all, and `log x` for large ones.
    Log,
    /// Standard normal variate: `(x - mean) / SD` over the numbers of the row, with n - 1. A constant row becomes 0.
    Snv,
    /// First derivative by Savitzky and Golay: the slope of the parabola that fits best to `window` neighbours, per step from
    /// one feature to the next. At both ends the outermost parabola goes on.
    Derivative { window: usize },
}

impl Transform {
    /// Every name, as it is typed.
    pub const NAMES: &str = "log, snv, derivative=W";

    /// Changes each row of the features.
    pub fn apply(&self, features: &mut Features) -> Result<(), DataError> {
        let width = features.names.len();
        self.check(width)?;
        features.values.par_chunks_exact_mut(width.max(1)).for_each(|row| self.apply_to_row(row));
        Ok(())
    }

    /// Fails where a row of so many features is too short.
    pub fn check(&self, features: usize) -> Result<(), DataError> {
        let too_wide = |step: &Step| matches!(step, Step::Derivative { window } if *window > features);
        let few = self.0.contains(&Step::Snv) && features < 2;
        match self.0.iter().find(|step| too_wide(step)) {
            Some(step) => Err(DataError::Transform {
                problem: format!("`{step}` needs as many features, there are {features}"),
                tip: "choose a smaller odd number".into(),
            }),
            None if few => Err(DataError::Transform {
                problem: "`snv` needs two features or more, there is 1".into(),
                tip: "leave it out".into(),
            }),
            None => Ok(()),
        }
    }

    fn apply_to_row(&self, row: &mut [f32]) {
        for step in &self.0 {
            match step {
                Step::Log => row.iter_mut().for_each(|x| *x = log(*x)),
                Step::Snv => snv(row),
                Step::Derivative { window } => derivative(row, *window),
            }
        }
    }
}

fn log(x: f32) -> f32 {
    f64::from(x.abs()).ln_1p().copysign(f64::from(x)) as f32
}

fn snv(row: &mut [f32]) {
    let count = row.len() as f64;
    let mean = row.iter().map(|x| f64::from(*x)).sum::<f64>() / count;
    let squares: f64 = row.iter().map(|x| (f64::from(*x) - mean).powi(2)).sum();
    let sd = (squares / (count - 1.0)).sqrt();
    // A spread that is only rounding of the mean is none.
    let sd = if sd > 1e-7 * mean.abs() { sd } else { f64::INFINITY };
    row.iter_mut().for_each(|x| *x = ((f64::from(*x) - mean) / sd) as f32);
}

/// With `k` from `-h` to `h` around the middle of a window: slope `Σ k x / Σ k²` there, and curvature
/// `c = Σ (k² - m) x / Σ (k² - m)²`, `m` the mean of `k²`; the parabola has the slope `slope + 2 c t` at a distance `t`.
fn derivative(row: &mut [f32], window: usize) {
    let half = (window / 2) as i64;
    let places = || (-half..=half).map(|k| k as f64);
    let squares: f64 = places().map(|k| k * k).sum();
    let mean_square = squares / window as f64;
    let quartic: f64 = places().map(|k| (k * k - mean_square).powi(2)).sum();
    let weighted = |part: &[f32], weight: &dyn Fn(f64) -> f64| -> f64 {
        part.iter().zip(places()).map(|(x, k)| weight(k) * f64::from(*x)).sum()
    };
    let slope = |part: &[f32]| weighted(part, &|k| k) / squares;
    let curvature = |part: &[f32]| weighted(part, &|k| k * k - mean_square) / quartic;
    let last = row.len() - window;
    let (first, half) = (&row[..window], half as usize);
    let (end, ends) = (&row[last..], [0, last].map(|start| &row[start..start + window]));
    let [start_slope, end_slope] = ends.map(slope);
    let (start_curve, end_curve) = (curvature(first), curvature(end));
    let distance = |t: usize| t as f64 - half as f64;
    let mut slopes: Vec<f64> = (0..half).map(|t| start_slope + 2.0 * start_curve * distance(t)).collect();
    slopes.extend(row.windows(window).map(slope));
    slopes.extend((half + 1..window).map(|t| end_slope + 2.0 * end_curve * distance(t)));
    row.iter_mut().zip(slopes).for_each(|(x, slope)| *x = slope as f32);
}

impl fmt::Display for Step {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self {
            Self::Log => f.write_str("log"),
            Self::Snv => f.write_str("snv"),
            Self::Derivative { window } => write!(f, "derivative={window}"),
        }
    }
}

impl fmt::Display for Transform {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let steps: Vec<String> = self.0.iter().map(Step::to_string).collect();
        f.write_str(&steps.join(","))
    }
}

impl FromStr for Transform {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let steps: Vec<Step> = text.split(',').map(|step| step.trim().parse()).collect::<Result<_, _>>()?;
        match steps.len() {
            0..=MOST_STEPS => Ok(Self(steps)),
            many => Err(format!("{many} steps, but at most {MOST_STEPS} are possible")),
        }
    }
}

impl FromStr for Step {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text.split_once('=') {
            None if text == "log" => Ok(Self::Log),
            None if text == "snv" => Ok(Self::Snv),
            Some(("derivative", window)) => match window.parse() {
                Ok(window) if window >= 3 && window % 2 == 1 => Ok(Self::Derivative { window }),
                _ => Err(format!("the window of `{text}` must be an odd number from 3")),
            },
            None if text == "derivative" => {
                Err("`derivative` needs its window, an odd number, such as derivative=11".into())
            }
            _ => Err(format!("`{text}` is none of {}", Transform::NAMES)),
        }
    }
}

impl TryFrom<String> for Transform {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        text.parse()
    }
}

impl From<Transform> for String {
    fn from(transform: Transform) -> Self {
        transform.to_string()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn transformed(transform: &str, row: &[f32]) -> Vec<f32> {
        let transform: Transform = transform.parse().unwrap();
        let names = (0..row.len()).map(|place| place.to_string()).collect();
        let mut features = Features { names, values: row.to_vec() };
        transform.apply(&mut features).unwrap();
        features.values
    }

    fn close(found: &[f32], wanted: &[f32]) {
        assert!(found.iter().zip(wanted).all(|(a, b)| (a - b).abs() < 1e-5), "{found:?} {wanted:?}");
    }

    #[test]
    fn log_keeps_signs_and_zero() {
        let e = std::f32::consts::E;
        close(&transformed("log", &[0.0, e - 1.0, 1.0 - e, -0.0]), &[0.0, 1.0, -1.0, 0.0]);
    }

    #[test]
    fn snv_leaves_neither_gain_nor_offset() {
        close(&transformed("snv", &[1.0, 2.0, 3.0]), &[-1.0, 0.0, 1.0]);
        close(&transformed("snv", &[17.0, 27.0, 37.0]), &[-1.0, 0.0, 1.0]);
        close(&transformed("snv", &[0.1, 0.1, 0.1]), &[0.0; 3]);
    }

    #[test]
    fn the_derivative_of_a_parabola_is_exact_up_to_both_ends() {
        let parabola: Vec<f32> = (0..7).map(|k| (k * k) as f32).collect();
        for window in [3, 5, 7] {
            let slopes = transformed(&format!("derivative={window}"), &parabola);
            close(&slopes, &[0.0, 2.0, 4.0, 6.0, 8.0, 10.0, 12.0]);
        }
    }

    /// `scipy.signal.savgol_filter([1., 4, 2, 8, 5, 7, 1], 5, 2, deriv=1)`
    #[test]
    fn the_derivative_agrees_with_scipy() {
        let slopes = transformed("derivative=5", &[1.0, 4.0, 2.0, 8.0, 5.0, 7.0, 1.0]);
        close(&slopes, &[2.342857, 1.771429, 1.2, 0.9, -0.3, -3.014286, -5.728571]);
    }

    #[test]
    fn steps_follow_each_other() {
        // Slopes of a line are constant, and a constant row becomes 0.
        close(&transformed("derivative=3,snv", &[1.0, 2.0, 3.0, 4.0]), &[0.0; 4]);
        close(&transformed("snv, derivative=3", &[1.0, 2.0, 3.0]), &[1.0; 3]);
    }

    #[test]
    fn text_is_read_back_and_mistakes_say_what_is_wanted() {
        let transform: Transform = "snv, derivative=11".parse().unwrap();
        assert_eq!(transform.to_string(), "snv,derivative=11");
        for (text, words) in [
            ("", "none of log, snv"),
            ("logs", "`logs` is none of log, snv, derivative=W"),
            ("derivative", "such as derivative=11"),
            ("derivative=4", "odd number from 3"),
            ("derivative=1", "odd number from 3"),
            ("derivative=-3", "odd number from 3"),
            ("snv=2", "`snv=2` is none of"),
            ("log,log,log,log,log,log,log,log,log", "9 steps"),
        ] {
            let message = text.parse::<Transform>().unwrap_err();
            assert!(message.contains(words), "{text}: {message}");
        }
    }

    #[test]
    fn rows_that_are_too_short_are_refused() {
        let check = |text: &str, features| text.parse::<Transform>().unwrap().check(features);
        assert!(check("derivative=5", 5).is_ok() && check("log", 1).is_ok());
        let message = check("derivative=5", 4).unwrap_err().to_string();
        assert_eq!(message, "transform: `derivative=5` needs as many features, there are 4");
        assert!(check("snv", 1).is_err());
    }
}
