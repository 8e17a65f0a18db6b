//! Preconditioned L-BFGS with a weak Wolfe line search. With a metric that is renewed in every iteration and equals
//! the Hessian it is Newton's method.

use std::collections::VecDeque;

use super::LinearError;
use super::kernels::{add, dot};

/// Pairs of steps and gradient differences that are kept.
const MEMORY: usize = 12;
/// Trials of a line search.
const TRIALS: usize = 40;
/// Armijo and curvature constants.
const DECREASE: f64 = 1e-4;
const CURVATURE: f64 = 0.9;
/// Differences of the objective below this share of it are rounding.
const ROUNDING: f64 = 1e-14;

/// A smooth function with a metric.
pub(super) trait Smooth {
    /// Value at a point; `gradient` becomes the gradient.
    fn evaluate(&mut self, at: &[f64], gradient: &mut [f64]) -> Result<f64, LinearError>;

    /// Called before each direction, at the last point evaluated, with the iterations since the metric changed
    /// and whether it must change now. True when it did.
    fn renew(&mut self, age: usize, must: bool) -> Result<bool, LinearError>;

    /// `v` becomes `M⁻¹ v`.
    fn precondition(&self, v: &mut [f64]);

    /// Called at each accepted point; an error ends the search.
    fn accept(&self) -> Result<(), LinearError>;
}

/// When to stop.
#[derive(Debug, Clone, Copy)]
pub(super) struct Limits {
    /// On the largest absolute entry of the gradient.
    pub gradient: f64,
    pub iterations: usize,
}

/// How near to a stationary point a fit came.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Optimality {
    /// `max |gradient|` in the solver's coordinates: centred features, unit variance when standardised.
    pub gradient: f64,
    /// What it had to fall below.
    pub target: f64,
    /// Steps taken.
    pub iterations: usize,
    /// Evaluations of the objective, which are readings of the matrix.
    pub evaluations: usize,
    /// True when the gradient met the target.
    pub converged: bool,
}

/// Minimises from `theta`, which becomes the last point.
pub(super) fn minimise(
    function: &mut impl Smooth,
    theta: &mut Vec<f64>,
    limits: Limits,
) -> Result<Optimality, LinearError> {
    let mut search = Search::begin(function, theta)?;
    let (mut age, mut must) = (0, false);
    while search.gradient_norm() > limits.gradient && search.iterations < limits.iterations {
        let renewed = function.renew(age, must)?;
        if renewed {
            search.pairs.clear();
            age = 0;
        }
        if search.step(function)? {
            (age, must) = (age + 1, false);
        } else if renewed || must {
            break; // A fresh metric does not help either: rounding has the last word.
        } else {
            must = true;
        }
    }
    let gradient = search.gradient_norm();
    *theta = search.point.at;
    Ok(Optimality {
        gradient,
        target: limits.gradient,
        iterations: search.iterations,
        evaluations: search.evaluations,
        converged: gradient <= limits.gradient,
    })
}

/// A point with the function's value and gradient there.
struct Point {
    at: Vec<f64>,
    value: f64,
    gradient: Vec<f64>,
}

struct Search {
    point: Point,
    /// Steps, gradient differences and their products.
    pairs: VecDeque<(Vec<f64>, Vec<f64>, f64)>,
    iterations: usize,
    evaluations: usize,
}

impl Search {
    fn begin(function: &mut impl Smooth, theta: &[f64]) -> Result<Self, LinearError> {
        let mut point = Point { at: theta.to_vec(), value: 0.0, gradient: vec![0.0; theta.len()] };
        point.value = function.evaluate(theta, &mut point.gradient)?;
        Ok(Self { point, pairs: VecDeque::new(), iterations: 0, evaluations: 1 })
    }

    fn gradient_norm(&self) -> f64 {
        max_abs(&self.point.gradient)
    }

    /// One step. False when no lower point was found; the function is then evaluated once more where it was.
    fn step(&mut self, function: &mut impl Smooth) -> Result<bool, LinearError> {
        let mut direction = self.direction(function);
        if dot(&direction, &self.point.gradient) >= 0.0 {
            self.pairs.clear();
            direction = self.direction(function);
        }
        let Some(next) = self.line_search(function, &direction)? else {
            let Point { at, value, gradient } = &mut self.point;
            *value = function.evaluate(at, gradient)?;
            return Ok(false);
        };
        self.remember(&next);
        self.point = next;
        self.iterations += 1;
        function.accept()?;
        Ok(true)
    }

    /// `-H g` by the two loops over the pairs.
    fn direction(&self, function: &impl Smooth) -> Vec<f64> {
        let mut direction: Vec<f64> = self.point.gradient.iter().map(|g| -g).collect();
        let mut along = Vec::with_capacity(self.pairs.len());
        for (s, y, sy) in self.pairs.iter().rev() {
            let share = dot(s, &direction) / sy;
            add(&mut direction, -share, y);
            along.push(share);
        }
        function.precondition(&mut direction);
        for ((s, y, sy), share) in self.pairs.iter().zip(along.into_iter().rev()) {
            let scale = share - dot(y, &direction) / sy;
            add(&mut direction, scale, s);
        }
        direction
    }

    /// Weak Wolfe conditions by bisection (Lewis, Overton), starting at the full step.
    fn line_search(
        &mut self,
        function: &mut impl Smooth,
        direction: &[f64],
    ) -> Result<Option<Point>, LinearError> {
        let (value, slope) = (self.point.value, dot(direction, &self.point.gradient));
        let (mut low, mut high, mut length) = (0.0, f64::INFINITY, 1.0);
        let mut next = Point { at: Vec::new(), value: 0.0, gradient: vec![0.0; direction.len()] };
        for _ in 0..TRIALS {
            next.at.clone_from(&self.point.at);
            add(&mut next.at, length, direction);
            next.value = function.evaluate(&next.at, &mut next.gradient)?;
            self.evaluations += 1;
            let limit = value + DECREASE * length * slope + ROUNDING * value.abs();
            if next.value.is_nan() || next.value > limit {
                high = length;
            } else if dot(direction, &next.gradient) < CURVATURE * slope {
                low = length;
            } else {
                return Ok(Some(next));
            }
            length = if high.is_finite() { 0.5 * (low + high) } else { 2.0 * low };
        }
        Ok(None)
    }

    fn remember(&mut self, next: &Point) {
        let difference = |new: &[f64], old: &[f64]| new.iter().zip(old).map(|(new, old)| new - old).collect();
        let s: Vec<f64> = difference(&next.at, &self.point.at);
        let y: Vec<f64> = difference(&next.gradient, &self.point.gradient);
        let sy = dot(&s, &y);
        // A pair without positive curvature would make the metric indefinite.
        if sy > 1e-14 * (dot(&s, &s) * dot(&y, &y)).sqrt() {
            if self.pairs.len() == MEMORY {
                self.pairs.pop_front();
            }
            self.pairs.push_back((s, y, sy));
        }
    }
}

pub(super) fn max_abs(values: &[f64]) -> f64 {
    values.iter().fold(0.0, |largest, value| largest.max(value.abs()))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Rosenbrock's valley, whose minimum is at (1, 1).
    struct Valley;

    impl Smooth for Valley {
        fn evaluate(&mut self, at: &[f64], gradient: &mut [f64]) -> Result<f64, LinearError> {
            let (a, b) = (1.0 - at[0], at[1] - at[0] * at[0]);
            gradient.copy_from_slice(&[-2.0 * a - 400.0 * at[0] * b, 200.0 * b]);
            Ok(a * a + 100.0 * b * b)
        }

        fn renew(&mut self, _: usize, _: bool) -> Result<bool, LinearError> {
            Ok(false)
        }

        fn precondition(&self, _: &mut [f64]) {}

        fn accept(&self) -> Result<(), LinearError> {
            Ok(())
        }
    }

    #[test]
    fn finds_the_bottom_of_a_curved_valley() {
        let mut theta = vec![-1.2, 1.0];
        let limits = Limits { gradient: 1e-10, iterations: 200 };
        let optimality = minimise(&mut Valley, &mut theta, limits).unwrap();
        assert!(optimality.converged && optimality.iterations < 60);
        assert!((theta[0] - 1.0).abs() < 1e-9 && (theta[1] - 1.0).abs() < 1e-9);
    }

    #[test]
    fn says_so_when_iterations_run_out() {
        let limits = Limits { gradient: 1e-10, iterations: 3 };
        let optimality = minimise(&mut Valley, &mut vec![-1.2, 1.0], limits).unwrap();
        assert!(!optimality.converged && optimality.iterations == 3);
    }
}
