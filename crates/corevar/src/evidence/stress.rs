//! Errors under growing interventions: the record of `stress`.

use serde::{Deserialize, Serialize};

use super::Setting;

/// One model under one intervention.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct StressCurve {
    /// Which model.
    #[serde(flatten)]
    pub model: Setting,
    /// As in `--interventions`: `rotate`, `quality`, `brightness`.
    pub intervention: String,
    /// The split whose rows were changed.
    pub split: String,
    /// From weak to strong.
    pub points: Vec<StressPoint>,
}

/// One strength of an intervention.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct StressPoint {
    /// In the unit of the intervention.
    pub strength: f64,
    /// Share of wrong answers, or root mean squared error.
    pub error: Option<f64>,
    /// Share of rows whose answer differs from that without the intervention.
    pub flip_rate: Option<f64>,
    /// Share of ids (rows without one count alone) with such a row.
    #[serde(default)]
    pub id_flip_rate: Option<f64>,
    /// How far the outputs move: root mean squared distance to those without the intervention.
    pub logit_spread: Option<f64>,
}
