//! Probes and p-values against scikit-learn's (`scripts/golden/probe.py` made the file).

use serde::Deserialize;

use super::chance::{Chance, Tested};
use super::folds::{Folds, STEADINESS};
use super::units::Units;
use crate::Groups;

#[derive(Deserialize)]
struct Golden {
    x: Vec<Vec<f64>>,
    y: Vec<u32>,
    ids: Vec<u32>,
    plain: Probe,
    steady: Probe,
    logistic: f64,
    chance: Vec<ColumnChance>,
}

#[derive(Deserialize)]
struct Probe {
    fold: Vec<usize>,
    logits: Vec<f64>,
    area: f64,
    answers: Option<Vec<f64>>,
}

#[derive(Deserialize)]
struct ColumnChance {
    area: f64,
    p: f64,
}

fn golden() -> (Golden, Units) {
    let golden: Golden = serde_json::from_str(include_str!("../../tests/golden/probe.json")).unwrap();
    let ids: Vec<Option<u32>> = golden.ids.iter().map(|id| Some(*id)).collect();
    let units = Units::new(&golden.y, &ids);
    (golden, units)
}

fn largest_difference(a: &[f64], b: &[f64]) -> f64 {
    assert_eq!(a.len(), b.len());
    a.iter().zip(b).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max)
}

#[test]
fn probes_are_those_of_scikit_learn() {
    let (golden, units) = golden();
    let groups: Vec<Vec<usize>> = Groups::by_key(golden.ids.iter()).larger().map(<[usize]>::to_vec).collect();
    let tested = Tested::new(&units, (0..golden.y.len()).collect());
    for (wanted, steadiness) in [(&golden.plain, 0.0), (&golden.steady, STEADINESS)] {
        let folds = Folds::new(golden.x.concat(), golden.x[0].len(), wanted.fold.clone(), &groups);
        let answers = folds.answers(&folds.fits(steadiness).unwrap(), &folds.class_sums(&golden.y, 1));
        assert!(largest_difference(&answers.logits, &wanted.logits) < 1e-9);
        if let Some(wanted) = &wanted.answers {
            assert!(largest_difference(&answers.answers, wanted) < 1e-9);
        }
        let told = tested.told(&tested.rank_sums(&answers.logits), &tested.seen());
        assert!((told[1].area - wanted.area).abs() < 1e-12, "{told:?}");
    }
    assert!((golden.plain.area - golden.logistic).abs() < 0.02, "least squares come close to a logistic fit");
}

#[test]
fn shares_of_shuffles_are_the_p_values_of_scikit_learn() {
    let (golden, units) = golden();
    let tested = Tested::new(&units, (0..golden.y.len()).collect());
    let shuffles = tested.some_shuffles(0, 4999);
    for (column, wanted) in golden.chance.iter().enumerate() {
        let values: Vec<f64> = golden.x.iter().map(|row| row[column]).collect();
        let told = tested.told(&tested.rank_sums(&values), &tested.seen())[1];
        assert!((told.area - wanted.area).abs() < 1e-12, "{told:?}");
        let p = Chance::of(&tested, &values, &shuffles).share(told.z.abs());
        // Both are shares of random shuffles: four standard errors of their difference, and a step of each.
        let error = (wanted.p * (1.0 - wanted.p) * (1.0 / 4999.0 + 1.0 / 9999.0)).sqrt();
        assert!((p - wanted.p).abs() < 4.0 * error + 3e-4, "column {column}: {p} and {}", wanted.p);
    }
}
