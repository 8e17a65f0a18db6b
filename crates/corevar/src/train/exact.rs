//! Linear models are not trained by epochs but solved: see [`crate::linear`].

use super::{EpochRecord, Log, TrainConfig, TrainError};
use crate::linear::{self, LinearConfig, LinearFit, Note, RowsMatrix};
use crate::model::Predictor;
use crate::task::Rows;

/// The linear model at the minimum, and what its user should know.
pub(super) fn fit(
    config: &TrainConfig,
    rows: &Rows,
    log: &mut dyn Log,
) -> Result<(Predictor, Vec<String>), TrainError> {
    let matrix = RowsMatrix::new(rows);
    let fit = linear::fit(&linear_config(config).check()?, &matrix.data())?;
    let (epoch, notes) = exact_record(config, &fit);
    log.step(1, 1);
    log.epoch(epoch);
    Ok((Predictor::Linear(fit.model), notes))
}

/// The objective at the minimum, as one epoch, and what the user should know.
pub(crate) fn exact_record(config: &TrainConfig, fit: &LinearFit) -> (EpochRecord, Vec<String>) {
    let epoch = EpochRecord {
        epoch: 1,
        risk: fit.objective.risk,
        penalty: fit.objective.penalty,
        ridge: config.ridge * fit.objective.half_squared_norm,
    };
    (epoch, notes(fit))
}

/// The part of the settings that the solver takes.
pub(crate) fn linear_config(config: &TrainConfig) -> LinearConfig {
    LinearConfig {
        penalty: config.penalty,
        normalise: config.normalise,
        penalty_weight: config.penalty_weight,
        ridge: config.ridge,
        standardise: config.standardise,
        ..Default::default()
    }
}

fn notes(fit: &LinearFit) -> Vec<String> {
    // Whether there are groups is said, or refused, before anything is trained.
    let of_fit = fit.notes.iter().filter(|note| **note != Note::NoGroupOfTwo).map(Note::to_string);
    let of_limit = fit.null_space.map(|space| {
        format!(
            "at penalty weight inf the groups vary in {} direction{} (singular values above {:.1e}), which leaves {} of \
             {}; the logits inside a group differ by at most {:.1e}",
            space.rank,
            if space.rank == 1 { "" } else { "s" },
            space.tolerance,
            space.free,
            space.free + space.rank,
            space.largest_spread
        )
    });
    of_fit.chain(of_limit).collect()
}

#[cfg(test)]
mod tests {
    use corevar_data::synthetic::{Sizes, find};

    use super::super::{Quiet, TrainConfig, train};
    use crate::evaluate::predict;
    use crate::model::ModelSpec;
    use crate::task::Rows;

    #[test]
    fn at_infinity_no_logit_varies_inside_a_group() {
        let sizes = Sizes { rows: 400, groups: 40, test_rows: 50 };
        let dataset = find("linear").unwrap().generate(&sizes, 1).unwrap();
        let config =
            TrainConfig { model: ModelSpec::Linear, penalty_weight: f64::INFINITY, ..Default::default() };
        let model = train(&config.check().unwrap(), &dataset, &mut Quiet::default()).unwrap();
        assert!(model.notes[0].contains("the groups vary in 1 direction "), "{:?}", model.notes);
        let rows = Rows::new(&dataset, dataset.split("train").unwrap(), 1);
        let outputs = predict(&model, &rows).unwrap();
        for group in rows.groups.larger() {
            let logits = group.iter().map(|&row| outputs.values[2 * row]);
            let (low, high) = logits.fold((f64::MAX, f64::MIN), |(l, h), x| (l.min(x), h.max(x)));
            assert!(high - low < 1e-8, "{}", high - low);
        }
    }
}
