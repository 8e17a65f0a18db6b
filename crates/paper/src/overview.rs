//! All experiments at a glance: one table of the paper's errors and ours, and the findings.

use corevar::penalty::weight;

use super::cell::{Cell, SettingRecord};
use super::finding::Judged;
use super::record::{Reproduction, VariantRecord};
use super::spec::{Headline, Size};
use super::table::paper_percent;

/// An experiment on one kind of data, in the sizes in which it was run: the larger one first.
struct ExperimentRecords<'a>(Vec<&'a Reproduction>);

/// The head and the lines: one line per experiment, data, headline and test. Only the head where no experiment has a headline.
pub fn overview(records: &[Reproduction]) -> Vec<Vec<String>> {
    let head =
        ["experiment", "data", "test", "paper", "full, λ fixed", "quick, λ fixed", "quick, λ by the rule"];
    let mut lines = vec![head.map(String::from).to_vec()];
    for sizes in by_data(records) {
        for headline in sizes.0.first().into_iter().flat_map(|record| &record.headlines) {
            lines.extend(headline.splits.iter().filter_map(|split| sizes.line(headline, split)));
        }
    }
    lines
}

/// Every finding once: of the records of an experiment, of which the larger and the real come first, by the first that has it.
pub fn findings(records: &[Reproduction]) -> Vec<&Judged> {
    let mut first: Vec<(&str, &Judged)> = Vec::new();
    for record in records {
        for judged in &record.findings {
            let is_same = |(name, other): &(&str, &Judged)| {
                *name == record.experiment && other.finding == judged.finding
            };
            if !first.iter().any(is_same) {
                first.push((&record.experiment, judged));
            }
        }
    }
    first.into_iter().map(|(_, judged)| judged).collect()
}

fn by_data(records: &[Reproduction]) -> Vec<ExperimentRecords<'_>> {
    let mut all: Vec<ExperimentRecords> = Vec::new();
    for record in records {
        let is_same =
            |other: &&Reproduction| other.experiment == record.experiment && other.source == record.source;
        match all.iter_mut().find(|sizes| sizes.0.iter().any(is_same)) {
            Some(sizes) => sizes.0.push(record),
            None => all.push(ExperimentRecords(vec![record])),
        }
    }
    all
}

impl ExperimentRecords<'_> {
    /// None while nothing of the headline was run.
    fn line(&self, headline: &Headline, split: &str) -> Option<Vec<String>> {
        let first = self.0.first()?;
        let fixed = [Size::Full, Size::Quick].map(|size| self.find(size, &headline.variant));
        let [full, quick] = fixed.map(|variant| errors(variant?, split, ours));
        let chosen = headline.by_rule.as_ref().and_then(|name| {
            let variant = self.find(Size::Quick, name)?;
            let weight = weight::shown(core(variant)?.penalty_weight);
            Some(format!("{} (λ = {weight})", errors(variant, split, ours)?))
        });
        let paper = fixed.into_iter().flatten().next().and_then(|variant| errors(variant, split, papers));
        let is_run = full.is_some() || quick.is_some() || chosen.is_some();
        let experiment = format!("{} {}", first.experiment, headline.variant);
        let numbers = [paper, full, quick, chosen].map(|cell| cell.unwrap_or_else(|| "–".into()));
        let named = [experiment, first.source.name().into(), split.into()];
        is_run.then(|| named.into_iter().chain(numbers).collect())
    }

    fn find(&self, size: Size, name: &str) -> Option<&VariantRecord> {
        let record = self.0.iter().find(|record| record.size == size)?;
        record.variants.iter().find(|variant| variant.name == name)
    }
}

fn core(variant: &VariantRecord) -> Option<&SettingRecord> {
    variant.settings.iter().find(|setting| setting.key == "core")
}

/// `29.3 ± 0.2 → 7.9 ± 0.6`: pooled and CoRe.
fn errors(variant: &VariantRecord, split: &str, show: fn(&Cell) -> Option<String>) -> Option<String> {
    let pooled = variant.settings.iter().find(|setting| setting.key == "pooled")?;
    let of = |setting: &SettingRecord| show(setting.splits.get(split)?);
    Some(format!("{} → {}", of(pooled)?, of(core(variant)?)?))
}

fn ours(cell: &Cell) -> Option<String> {
    let percent = |value: f64| format!("{:.1}", 100.0 * value);
    let spread = cell.error_spread.map(|spread| format!(" ± {}", percent(spread))).unwrap_or_default();
    Some(format!("{}{spread}", percent(cell.error?)))
}

fn papers(cell: &Cell) -> Option<String> {
    cell.paper_error.map(paper_percent)
}
