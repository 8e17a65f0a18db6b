//! The paper's figures that are curves: a number over a setting, a line for each value of other settings.

use serde::{Deserialize, Serialize};

use super::cell::SettingRecord;
use super::measured::{Mean, Measured};
use super::record::VariantRecord;

/// A figure.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct Curve {
    /// What it shows.
    pub title: String,
    /// The setting along the axis: of the data, or `penalty-weight`.
    pub over: String,
    /// What the axis says; the setting's name if there is no word.
    #[serde(default)]
    pub axis: Option<String>,
    /// What is drawn.
    pub measured: Measured,
    /// On which split.
    pub split: String,
    /// Of which class alone; of all rows if there is no word.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub class: Option<String>,
    /// What tells the lines apart: settings of the data, `ridge`, or `estimator`.
    pub lines: Vec<String>,
    /// Only these variants (`*` stands for any text); all if there is no word.
    #[serde(default)]
    pub variants: Option<String>,
}

/// One line.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Line {
    /// What tells it from the others.
    pub name: String,
    /// Along the axis.
    pub points: Vec<Point>,
}

/// One point.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[allow(missing_docs, reason = "its names say it")]
pub struct Point {
    pub x: f64,
    pub y: f64,
    pub spread: Option<f64>,
}

impl Curve {
    /// The lines of two points or more.
    pub(super) fn lines(&self, variants: &[VariantRecord]) -> Vec<Line> {
        let mut lines: Vec<Line> = Vec::new();
        let wanted = |variant: &&VariantRecord| {
            let pattern = self.variants.as_deref().unwrap_or("*");
            corevar_data::table::matches(pattern, &variant.name)
        };
        for variant in variants.iter().filter(wanted) {
            for setting in &variant.settings {
                let Some(point) = self.point(variant, setting) else { continue };
                let name = self.name(variant, setting);
                match lines.iter_mut().find(|line| line.name == name) {
                    Some(line) => line.points.push(point),
                    None => lines.push(Line { name, points: vec![point] }),
                }
            }
        }
        lines.iter_mut().for_each(|line| line.points.sort_by(|a, b| a.x.total_cmp(&b.x)));
        lines.retain(|line| line.points.len() > 1);
        lines
    }

    fn point(&self, variant: &VariantRecord, setting: &SettingRecord) -> Option<Point> {
        let Mean { mean: y, spread } =
            self.measured.of(variant, setting, &self.split, self.class.as_deref())?;
        let x = match self.over.as_str() {
            "penalty-weight" => setting.penalty_weight,
            key => number(variant.data.get(key)?)?,
        };
        // JSON has no infinity.
        x.is_finite().then_some(Point { x, y, spread })
    }

    fn name(&self, variant: &VariantRecord, setting: &SettingRecord) -> String {
        let part = |key: &String| match key.as_str() {
            "estimator" => setting.estimator.clone(),
            "ridge" => format!("ridge {}", setting.ridge),
            key => match variant.data.get(key) {
                Some(value) => format!("{key} {value}"),
                None => key.to_string(),
            },
        };
        self.lines.iter().map(part).collect::<Vec<_>>().join(", ")
    }
}

fn number(value: &toml::Value) -> Option<f64> {
    value.as_float().or_else(|| value.as_integer().map(|whole| whole as f64))
}
