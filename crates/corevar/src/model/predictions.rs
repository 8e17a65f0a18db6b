//! What a model says of some rows.

use crate::outputs::Outputs;
use crate::rows::Task;
use crate::style::{self, StyleSpread};

/// The answers of a model, one per row.
#[derive(Debug, Clone, PartialEq)]
pub struct Predictions {
    outputs: Outputs,
    task: Task,
    style: Option<StyleSpread>,
}

impl Predictions {
    pub(crate) fn new(outputs: Outputs, task: Task, style: Option<StyleSpread>) -> Self {
        Self { outputs, task, style }
    }

    /// The same answers, with a style radius by another spread of the outputs inside groups.
    pub fn with_style(self, style: Option<StyleSpread>) -> Self {
        Self { style, ..self }
    }

    /// Logits, or the numbers of a regression.
    pub fn outputs(&self) -> &Outputs {
        &self.outputs
    }

    /// Whether the outputs of a row are numbers at all.
    pub(crate) fn is_finite(&self, row: usize) -> bool {
        let columns = self.outputs.columns;
        self.outputs.values[row * columns..(row + 1) * columns].iter().all(|value| value.is_finite())
    }

    /// The class of each row; empty for a regression.
    pub fn labels(&self) -> Vec<&str> {
        let Task::Classes(names) = &self.task else { return Vec::new() };
        self.outputs.predicted().into_iter().map(|class| names[class as usize].as_str()).collect()
    }

    /// The probability of every class of each row, in the order of the model's classes; empty for a regression.
    pub fn probabilities(&self) -> Vec<Vec<f64>> {
        match &self.task {
            Task::Classes(_) => self.outputs.probabilities(),
            Task::Regression => Vec::new(),
        }
    }

    /// The style radius of each answer: the smallest style shift, in SDs inside groups, that could turn it. None where the model
    /// does not know how much style varies, and for a regression.
    pub fn style_radii(&self) -> Option<Vec<f64>> {
        self.style_radii_of(&self.outputs.predicted())
    }

    /// As [`Predictions::style_radii`], of these answers instead of the model's own, one class per row. Negative where the model
    /// would answer otherwise.
    pub(crate) fn style_radii_of(&self, answers: &[u32]) -> Option<Vec<f64>> {
        let (Task::Classes(_), Some(style)) = (&self.task, &self.style) else { return None };
        let sds = style.sds();
        let answers = self.outputs.rows().zip(answers);
        Some(answers.map(|(row, class)| style::radius(row, *class as usize, &sds)).collect())
    }

    /// The number of each row; empty for classes.
    pub fn numbers(&self) -> &[f64] {
        match &self.task {
            Task::Classes(_) => &[],
            Task::Regression => &self.outputs.values,
        }
    }
}
