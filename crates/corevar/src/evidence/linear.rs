//! What a linear model is made of: its weights, and how much of them is style.

use corevar_data::{Dataset, Inputs};
use serde::{Deserialize, Serialize};

use super::{Setting, Subject};
use crate::linear::{
    LinearError, LinearModel, RowsMatrix, StyleConfig, StyleDimension, StyleReport, style_dimension, style_report,
};
use crate::model::ModelError;
use crate::model::Scaling;

/// Features whose weights are kept: those with the largest, per standard deviation, over all models.
const FEATURES: usize = 12;
/// Directions and carriers of style that are kept.
const STYLE: usize = 10;

/// One linear model.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct LinearEvidence {
    /// How it was trained.
    #[serde(flatten)]
    pub setting: Setting,
    /// Weights of the features that matter most; the same features in every model of the run.
    pub coefficients: Vec<Coefficient>,
    /// Style in the weights, on the training groups. None without a group of two rows.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub style: Option<StyleReport>,
}

/// One feature.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Coefficient {
    /// Its name.
    pub feature: String,
    /// One per logit, in the units of the feature.
    pub weights: Vec<f64>,
}

/// Of the subjects that are linear models of named features.
pub(super) fn linear(
    dataset: &Dataset,
    subjects: &[Subject],
) -> Result<Vec<LinearEvidence>, ModelError> {
    let Inputs::Features(features) = dataset.inputs() else { return Ok(Vec::new()) };
    let models: Vec<(&Subject, &LinearModel)> =
        subjects.iter().filter_map(|subject| Some((subject, subject.model.linear()?))).collect();
    let Some((first, _)) = models.first() else { return Ok(Vec::new()) };
    let rows = first.model.rows(dataset, dataset.train());
    if rows.is_empty() {
        return Ok(Vec::new());
    }
    let spread = Scaling::of(&rows)?.scales;
    let shown = largest(&models, &spread);
    let matrix = RowsMatrix::new(&rows);
    let style = |model: &LinearModel| -> Result<Option<StyleReport>, ModelError> {
        if rows.groups.is_trivial() {
            return Ok(None);
        }
        let config = StyleConfig::default().check().map_err(LinearError::from)?;
        let mut report = style_report(&config, model, &matrix, matrix.group_of_row(), &features.names)?;
        report.directions.truncate(STYLE);
        report.carriers.truncate(STYLE);
        Ok(Some(report))
    };
    let one = |(subject, model): &(&Subject, &LinearModel)| {
        let logits = model.logit_weights();
        let coefficient = |&feature: &usize| Coefficient {
            feature: features.names[feature].clone(),
            weights: logits.iter().map(|weights| weights[feature]).collect(),
        };
        Ok(LinearEvidence {
            setting: subject.setting.clone(),
            coefficients: shown.iter().map(coefficient).collect(),
            style: style(model)?,
        })
    };
    models.iter().map(one).collect()
}

/// How many directions style has in the training groups, where a linear model of named features is looked at.
pub(super) fn dimension(
    dataset: &Dataset,
    subjects: &[Subject],
) -> Result<Option<StyleDimension>, ModelError> {
    let linear = subjects.iter().find(|subject| subject.model.linear().is_some());
    let (Some(subject), Inputs::Features(_)) = (linear, dataset.inputs()) else { return Ok(None) };
    let rows = subject.model.rows(dataset, dataset.train());
    let matrix = RowsMatrix::new(&rows);
    Ok(style_dimension(&matrix, matrix.group_of_row())?)
}

/// The features with the largest weights, per standard deviation, in any of the models; in the order of the data.
fn largest(models: &[(&Subject, &LinearModel)], spread: &[f64]) -> Vec<usize> {
    let mut size = vec![0.0f64; spread.len()];
    for (_, model) in models {
        for weights in model.logit_weights() {
            for ((size, weight), spread) in size.iter_mut().zip(weights).zip(spread) {
                *size = size.max((weight * spread).abs());
            }
        }
    }
    let mut order: Vec<usize> = (0..spread.len()).collect();
    order.sort_by(|&a, &b| size[b].total_cmp(&size[a]));
    order.truncate(FEATURES);
    order.sort_unstable();
    order
}

#[cfg(test)]
mod tests {
    use burn::tensor::Device;
    use corevar_data::synthetic::{Sizes, find};

    use super::*;
    use crate::model::ModelSpec;
    use crate::train::{Quiet, TrainConfig, train};

    #[test]
    fn the_pooled_model_owes_more_to_style_than_core() {
        let dataset =
            find("linear").unwrap().generate(&Sizes { rows: 400, groups: 50, test_rows: 50 }, 1).unwrap();
        let share = |penalty_weight| {
            let config = TrainConfig { model: ModelSpec::Linear, penalty_weight, ..Default::default() };
            let checked = config.clone().check().unwrap();
            let model = train(&checked, &dataset, &Device::flex(), &mut Quiet::default()).unwrap();
            let setting = Setting::new("core", &config);
            let subject = Subject { setting, model: &model, outputs: &Default::default() };
            let evidence = linear(&dataset, &[subject]).unwrap().remove(0);
            assert_eq!(evidence.coefficients.len(), 2);
            evidence.style.unwrap().weight_shares[0]
        };
        assert!(share(0.0) > 0.02 && share(100.0) < 1e-4, "{} {}", share(0.0), share(100.0));
    }
}
