//! Fits along a path: each starts where the one before ended.

use super::coupled::Coupled;
use super::curvature::Curvature;
use super::data::LinearData;
use super::kernels::add;
use super::lbfgs::{Limits, Optimality, Smooth, max_abs, minimise};
use super::loss::Loss;
use super::metric::Metric;
use super::model::{LinearFit, LinearModel, Note};
use super::null_space::{NullSpace, StyleSpan};
use super::pass::RowState;
use super::plan::Plan;
use super::problem::{Objective, Problem, Setting};
use super::{CheckedLinearConfig, CheckedPathConfig, LinearError, Penalty};
use crate::penalty::{ConditionalVariance, Varying};

/// Fits one linear model. Deterministic, and independent of the number of threads.
pub fn fit(config: &CheckedLinearConfig, data: &LinearData) -> Result<LinearFit, LinearError> {
    let problem = Problem::new(config, data)?;
    Solver::new(&problem)?.fit(config.penalty_weight, config.ridge)
}

/// Fits a model for every ridge and every penalty weight, in that order.
pub fn path(config: &CheckedPathConfig, data: &LinearData) -> Result<Vec<LinearFit>, LinearError> {
    let problem = Problem::new(&config.fit, data)?;
    let mut solver = Solver::new(&problem)?;
    let each =
        config.ridges.iter().flat_map(|&ridge| config.penalty_weights.iter().map(move |&w| (w, ridge)));
    each.map(|(penalty_weight, ridge)| solver.fit(penalty_weight, ridge)).collect()
}

/// Whether λ = ∞ leaves a direction to fit; [`LinearError::NoDirectionLeft`] where it does not.
pub(crate) fn check_limit(config: &CheckedLinearConfig, data: &LinearData) -> Result<(), LinearError> {
    let problem = Problem::new(config, data)?;
    // Few contrasts cannot fill the space, whatever they are.
    let usable = problem.columns() - problem.coordinates.constant.len();
    if problem.groups.contrasts() < usable { Ok(()) } else { StyleSpan::new(&problem).map(drop) }
}

/// The state that fits of a path hand on.
struct Solver<'a> {
    problem: &'a Problem<'a>,
    theta: Vec<f64>,
    state: RowState,
    metric: Option<Metric>,
    /// Metrics made so far.
    metrics: usize,
    /// Computed when λ = ∞ is first asked for.
    style: Option<StyleSpan>,
    /// Gradient to reach.
    target: f64,
    fits: usize,
    /// True when style is forbidden, at λ = ∞.
    restricted: bool,
    /// Iterations and evaluations of this fit.
    spent: (usize, usize),
}

impl<'a> Solver<'a> {
    fn new(problem: &'a Problem<'a>) -> Result<Self, LinearError> {
        let theta = problem.start();
        let mut state = RowState::new(problem.shares.len(), problem.outputs());
        let mut gradient = vec![0.0; theta.len()];
        problem.evaluate(&theta, problem.setting(0.0, 0.0), None, &mut state, &mut gradient)?;
        let target = problem.config.tolerance * max_abs(&gradient).max(1.0);
        Ok(Self {
            problem,
            theta,
            state,
            metric: None,
            metrics: 0,
            style: None,
            target,
            fits: 0,
            restricted: false,
            spent: (0, 0),
        })
    }

    fn fit(&mut self, penalty_weight: f64, ridge: f64) -> Result<LinearFit, LinearError> {
        self.spent = (0, 0);
        let restricted = penalty_weight.is_infinite();
        if restricted != self.restricted {
            self.metric = None;
        }
        self.restricted = restricted;
        let null_space = if restricted { Some(self.forbid_style()?) } else { None };
        self.check_unique(ridge, null_space)?;
        let setting = self.problem.setting(penalty_weight, ridge);
        let (objective, optimality) = match setting.coupled {
            None => self.minimise(setting, self.target)?,
            Some(coupled) => self.minimise_coupled(setting, coupled)?,
        };
        if optimality.converged {
            self.check_bounded(setting, objective)?;
        }
        self.fits += 1;
        let (iterations, evaluations) = self.spent;
        let optimality = Optimality { iterations, evaluations, ..optimality };
        Ok(self.result(penalty_weight, ridge, objective, optimality, null_space))
    }

    /// Penalties that are no quadratic form. The first fit starts at the pooled one. A penalty of the loss, which
    /// need not be convex, is also minimised from the fit with the same penalty of the logits, which is; the
    /// lower of the two points is taken.
    fn minimise_coupled(
        &mut self,
        setting: Setting,
        coupled: Coupled,
    ) -> Result<(Objective, Optimality), LinearError> {
        let rough = self.target.max(1e-4);
        if self.fits == 0 {
            self.minimise(Setting { coupled: None, ..setting }, rough)?;
        }
        let start = self.theta.clone();
        let first = self.approach(setting, coupled)?;
        if coupled.is_of_logits() {
            return Ok(first);
        }
        let found = std::mem::replace(&mut self.theta, start);
        let of_logits = ConditionalVariance { varying: Varying::Logits, ..coupled.penalty };
        let convex = Coupled { penalty: of_logits, ..coupled };
        self.approach(Setting { coupled: Some(convex), ..setting }, convex)?;
        let second = self.minimise(setting, self.target)?;
        if second.0.total < first.0.total {
            return Ok(second);
        }
        self.theta = found;
        Ok(first)
    }

    /// Minimises, coming from smoother roots to the one asked for.
    fn approach(
        &mut self,
        setting: Setting,
        coupled: Coupled,
    ) -> Result<(Objective, Optimality), LinearError> {
        let mut smoothing = if coupled.is_root() { 0.1 } else { 0.0 };
        while smoothing > 3.0 * coupled.smoothing {
            let smoother = Setting { coupled: Some(Coupled { smoothing, ..coupled }), ..setting };
            self.minimise(smoother, self.target.max(1e-4))?;
            smoothing *= 0.1;
        }
        self.minimise(setting, self.target)
    }

    fn minimise(&mut self, setting: Setting, target: f64) -> Result<(Objective, Optimality), LinearError> {
        let problem = self.problem;
        let mut fitting = Fitting {
            problem,
            plan: plan(problem),
            setting,
            style: self.style.as_ref().filter(|_| self.restricted),
            state: &mut self.state,
            metric: &mut self.metric,
            metrics: &mut self.metrics,
            objective: Objective::default(),
        };
        let limits = Limits { gradient: target, iterations: problem.config.max_iterations };
        let optimality = minimise(&mut fitting, &mut self.theta, limits)?;
        self.spent.0 += optimality.iterations;
        self.spent.1 += optimality.evaluations;
        Ok((fitting.objective, optimality))
    }

    /// Moves the start into the null space of the within-group differences, or beside it where labels ask for a slope along them.
    fn forbid_style(&mut self) -> Result<NullSpace, LinearError> {
        let style = match self.style.take() {
            Some(style) => style,
            None => StyleSpan::new(self.problem)?,
        };
        self.problem.project(&mut self.theta, style.basis.as_ref());
        if let Some(along) = &style.along {
            add(&mut self.theta[..along.len()], 1.0, along);
        }
        let report = style.report;
        self.style = Some(style);
        Ok(report)
    }

    fn check_unique(&self, ridge: f64, null_space: Option<NullSpace>) -> Result<(), LinearError> {
        let rows = self.problem.shares.iter().filter(|&&share| share > 0.0).count();
        let varying = self.problem.columns() - self.problem.coordinates.constant.len();
        let columns = null_space.map_or(varying, |null_space| null_space.free);
        if ridge == 0.0 && columns >= rows { Err(LinearError::NotUnique { rows, columns }) } else { Ok(()) }
    }

    /// Without ridge: has the fit a finite minimum, or did it stop on the way to infinity? There a Newton step
    /// still moves the outputs when the gradient has long become small.
    fn check_bounded(&mut self, setting: Setting, objective: Objective) -> Result<(), LinearError> {
        if setting.ridge > 0.0 || matches!(self.problem.loss, Loss::Squared(_)) {
            return Ok(());
        }
        let mut gradient = vec![0.0; self.theta.len()];
        let style = self.style.as_ref().filter(|_| self.restricted);
        let basis = style.map(|style| style.basis.as_ref());
        self.problem.evaluate(&self.theta, setting, basis, &mut self.state, &mut gradient)?;
        let plan = plan(self.problem);
        let curvature = Curvature::new(self.problem, &plan, plan.later, &self.state, setting, basis)?;
        Metric::new(curvature, self.problem, setting)?.solve(&mut gradient);
        let moved = self.problem.outputs_of(&gradient)?;
        let separated = self.problem.is_separated(&self.state) && objective.penalty == 0.0;
        if separated || max_abs(&moved) > 0.01 { Err(LinearError::Separable) } else { Ok(()) }
    }

    fn result(
        &self,
        penalty_weight: f64,
        ridge: f64,
        objective: Objective,
        optimality: Optimality,
        null_space: Option<NullSpace>,
    ) -> LinearFit {
        let f = self.problem.affine(&self.theta);
        let objective = match penalty_weight {
            // Nothing needed C until now.
            0.0 | f64::INFINITY => Objective { penalty: self.problem.penalty(&self.state), ..objective },
            _ => objective,
        };
        let logits = if matches!(self.problem.loss, Loss::Logistic(_)) { 2 } else { f.offsets.len() };
        let largest_spread = self.problem.largest_spread(&self.state);
        LinearFit {
            model: LinearModel { logits, weights: f.weights, intercepts: f.offsets },
            penalty_weight,
            ridge,
            objective,
            optimality,
            coordinates: self.problem.coordinates.column_scales(),
            null_space: null_space.map(|report| NullSpace { largest_spread, ..report }),
            notes: self.notes(penalty_weight, optimality),
        }
    }

    fn notes(&self, penalty_weight: f64, optimality: Optimality) -> Vec<Note> {
        let constant = &self.problem.coordinates.constant;
        let penalised = penalty_weight > 0.0 && self.problem.config.penalty != Penalty::NONE;
        let alone = (penalised && self.problem.groups.is_empty()).then_some(Note::NoGroupOfTwo);
        let constant = (!constant.is_empty()).then(|| Note::ConstantColumns(constant.clone()));
        let stopped = (!optimality.converged).then_some(Note::NotConverged(optimality));
        [alone, constant, stopped].into_iter().flatten().collect()
    }
}

fn plan(problem: &Problem) -> Plan {
    let contrasts = if problem.coupled.is_some() { problem.groups.contrasts() } else { 0 };
    let exact = problem.coupled.is_none() && problem.outputs() == 1;
    Plan::new(problem.shares.len(), contrasts, problem.columns(), exact)
}

/// The objective at fixed weights, as the solver sees it.
struct Fitting<'s, 'a> {
    problem: &'a Problem<'a>,
    plan: Plan,
    setting: Setting,
    style: Option<&'s StyleSpan>,
    state: &'s mut RowState,
    metric: &'s mut Option<Metric>,
    metrics: &'s mut usize,
    objective: Objective,
}

impl Fitting<'_, '_> {
    fn new_metric(&mut self) -> Result<Metric, LinearError> {
        let sample = if *self.metrics == 0 { self.plan.first } else { self.plan.later };
        let basis = self.style.map(|style| style.basis.as_ref());
        let curvature = Curvature::new(self.problem, &self.plan, sample, self.state, self.setting, basis)?;
        *self.metrics += 1;
        Metric::new(curvature, self.problem, self.setting)
    }
}

impl Smooth for Fitting<'_, '_> {
    fn evaluate(&mut self, at: &[f64], gradient: &mut [f64]) -> Result<f64, LinearError> {
        let basis = self.style.map(|style| style.basis.as_ref());
        self.objective = self.problem.evaluate(at, self.setting, basis, self.state, gradient)?;
        Ok(self.objective.total)
    }

    fn renew(&mut self, age: usize, must: bool) -> Result<bool, LinearError> {
        let serving = if *self.metrics == 1 { self.plan.first } else { self.plan.later };
        let due = must || age >= serving.patience;
        let coupled = self.setting.coupled.is_some();
        match self.metric.take().filter(|_| !due) {
            Some(metric) if metric.setting == self.setting => {
                *self.metric = Some(metric);
                return Ok(false);
            }
            Some(metric) if !coupled => *self.metric = Some(metric.reweigh(self.problem, self.setting)?),
            _ => *self.metric = Some(self.new_metric()?),
        }
        Ok(true)
    }

    fn precondition(&self, v: &mut [f64]) {
        if let Some(metric) = &self.metric {
            metric.solve(v);
        }
        // What rounding adds along the style would otherwise grow where ridge and curvature are small.
        if let Some(style) = self.style {
            self.problem.project(v, style.basis.as_ref());
        }
    }

    /// Without ridge or penalty, rows that are all on the right side prove that there is no minimum.
    fn accept(&self) -> Result<(), LinearError> {
        let free = self.setting.ridge == 0.0 && self.objective.penalty == 0.0;
        if free && self.problem.is_separated(self.state) { Err(LinearError::Separable) } else { Ok(()) }
    }
}
