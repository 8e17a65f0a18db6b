//! An experiment as a table: one line per setting, one column per split, the paper's number in brackets.

use corevar_data::SplitName;

use super::cell::{Cell, SettingRecord};
use super::record::{Reproduction, VariantRecord};

impl Reproduction {
    /// The head and the lines.
    pub fn table(&self) -> Vec<Vec<String>> {
        // Errors on the training rows only where the paper has them too.
        let has_paper = |split: &str| self.cells(split).any(|cell| cell.paper_error.is_some());
        let is_shown = |split: &String| split != SplitName::TRAIN || has_paper(split);
        let splits: Vec<String> = self.splits().into_iter().filter(is_shown).collect();
        let penalties = self.penalty_splits();
        let mut head = vec!["variant".to_string(), "estimator".to_string()];
        head.extend(splits.iter().cloned());
        head.extend(penalties.iter().map(|split| format!("{} on {split}", self.penalty_kind())));
        let mut lines = vec![head];
        for variant in &self.variants {
            for setting in &variant.settings {
                let mut line = vec![variant.name.clone(), setting.label(variant.rule.is_some())];
                line.extend(splits.iter().map(|split| setting.splits.get(split).map_or_else(missing, error)));
                line.extend(
                    penalties.iter().map(|split| setting.splits.get(*split).map_or_else(missing, penalty)),
                );
                lines.push(line);
            }
        }
        lines
    }

    /// Which penalty is measured, if it is the same in all variants: that of CoRe.
    fn penalty_kind(&self) -> String {
        let mut kinds = self.variants.iter().map(VariantRecord::measured_penalty);
        match kinds.next() {
            Some(first) if kinds.all(|other| other == first) => first,
            _ => "penalty".into(),
        }
    }

    /// Whether a number of the paper stands in it.
    pub fn has_paper(&self) -> bool {
        let has = |cell: &Cell| cell.paper_error.is_some() || cell.paper_penalty.is_some();
        self.splits().iter().any(|split| self.cells(split).any(has))
    }

    fn cells(&self, split: &str) -> impl Iterator<Item = &Cell> {
        let settings = self.variants.iter().flat_map(|variant| &variant.settings);
        settings.filter_map(move |setting| setting.splits.get(split))
    }

    /// Where the penalty is shown: on the shifted test if its rows are grouped, else on the training rows, and there too
    /// where the paper has it.
    fn penalty_splits(&self) -> Vec<&str> {
        let has = |split: &str| self.cells(split).any(|cell| cell.penalty.is_some());
        let has_paper = |split: &str| self.cells(split).any(|cell| cell.paper_penalty.is_some());
        let shifted = self.shifted.as_str();
        let on_train = has(SplitName::TRAIN) && (has_paper(SplitName::TRAIN) || !has(shifted));
        let on_shifted = has(shifted).then_some(shifted);
        on_train.then_some(SplitName::TRAIN).into_iter().chain(on_shifted).collect()
    }
}

impl SettingRecord {
    /// Name, penalty and weight, and whether a rule chose it.
    fn label(&self, by_rule: bool) -> String {
        let ridge =
            if self.key.contains("ridge") { format!(", ridge {}", self.ridge) } else { String::new() };
        let chosen = if by_rule { ", by the rule" } else { "" };
        match self.estimator.as_str() {
            "pooled" => format!("pooled{ridge}"),
            "core" => format!("core ({} λ={}{ridge}{chosen})", self.penalty, self.penalty_weight),
            baseline => format!("{baseline} λ={}{ridge}", self.penalty_weight),
        }
    }
}

fn missing() -> String {
    "–".into()
}

/// In percent: `30.15 ± 0.36 [41]`.
fn error(cell: &Cell) -> String {
    let percent = |value: f64| format!("{:.2}", 100.0 * value);
    shown(cell.error, cell.error_spread, cell.paper_error.map(paper_percent), percent)
}

/// As the paper has it: whole percents or hundredths.
pub(super) fn paper_percent(error: f64) -> String {
    ((10_000.0 * error).round() / 100.0).to_string()
}

fn penalty(cell: &Cell) -> String {
    shown(cell.penalty, cell.penalty_spread, cell.paper_penalty.map(|penalty| penalty.to_string()), |value| {
        format!("{value:.2}")
    })
}

fn shown(
    mean: Option<f64>,
    spread: Option<f64>,
    paper: Option<String>,
    show: impl Fn(f64) -> String,
) -> String {
    let mean = mean.map_or_else(missing, &show);
    let spread = spread.map(|spread| format!(" ± {}", show(spread))).unwrap_or_default();
    let paper = paper.map(|paper| format!(" [{paper}]")).unwrap_or_default();
    format!("{mean}{spread}{paper}")
}
