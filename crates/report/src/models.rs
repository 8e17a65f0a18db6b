//! The models that evidence was gathered of, with the names and colours that they have on the whole page.

use corevar::evidence::ModelEvidence;
use corevar::results::{self, Setting};
use corevar_data::SplitName;

use crate::Records;
use crate::format::exact;
use crate::names::{colour, display, estimators, splits};
use crate::plot::Colour;

/// A model that was looked at.
pub struct Model<'a> {
    /// As its estimator is called in the tables.
    pub label: String,
    pub colour: Colour,
    /// Place in the evidence.
    pub index: usize,
    pub evidence: &'a ModelEvidence,
}

/// More in one plot cannot be told apart.
const MOST: usize = 6;

/// All of them, in the order of the records.
pub fn models<'a>(records: &'a Records) -> Vec<Model<'a>> {
    let named = estimators(&records.results);
    let label = |setting: &Setting| {
        let of_results = named.iter().find(|named| setting.is_of(named.result));
        match of_results {
            Some(named) => named.label.clone(),
            None => format!("{} λ={}", display(&setting.name), exact(setting.penalty_weight)),
        }
    };
    let model = |(index, evidence): (usize, &'a ModelEvidence)| Model {
        label: label(&evidence.setting),
        colour: colour(&evidence.setting.name, &records.results),
        index,
        evidence,
    };
    records.evidence.iter().flat_map(|evidence| &evidence.models).enumerate().map(model).collect()
}

/// One of each name: the chosen setting, or the first.
pub fn main_models(records: &Records) -> Vec<Model<'_>> {
    let mut all = models(records);
    let setting = |model: &Model<'_>| model.evidence.setting.clone();
    let is_main = |model: &Model<'_>| {
        let name = setting(model).name;
        let main = results::main(&all, |other| (setting(other).name == name, setting(other).chosen));
        main.is_some_and(|main| main.index == model.index)
    };
    let places: Vec<bool> = all.iter().map(is_main).collect();
    let mut places = places.into_iter();
    all.retain(|_| places.next().unwrap_or(false));
    all.truncate(MOST);
    all
}

/// Splits other than training and validation that the models were asked about.
pub fn held_out(records: &Records) -> Vec<&str> {
    let has_evidence =
        |split: &&str| models(records).iter().any(|model| model.evidence.splits.contains_key(split));
    let is_test = |split: &&str| SplitName::from(*split).is_test();
    splits(&records.results).into_iter().filter(is_test).filter(has_evidence).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::samples;

    #[test]
    fn of_a_path_the_chosen_model_is_shown() {
        let mut records = samples::path();
        let labels =
            |records: &Records| main_models(records).into_iter().map(|m| m.label).collect::<Vec<_>>();
        assert_eq!(labels(&records), ["pooled λ=0", "CoRe λ=1"]);
        records.evidence.as_mut().unwrap().models.iter_mut().for_each(|model| model.setting.chosen = false);
        assert_eq!(labels(&records), ["pooled λ=0", "CoRe λ=0.01"]);
        assert_eq!(models(&records).len(), 5);
    }

    #[test]
    fn without_evidence_there_are_no_models() {
        assert!(models(&samples::small()).is_empty() && held_out(&samples::small()).is_empty());
    }
}
