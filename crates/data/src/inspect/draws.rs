//! How often `inspect` is right: on noise, and on drawn data with a core and a style.
//!
//! `COREVAR_INSPECT_DRAWS` sets the number of draws; 200 take a few minutes.

use rand::RngExt;
use rand_distr::StandardNormal;

use super::*;
use crate::random;
use crate::synthetic::{Sizes, find};

fn draws(usual: u64) -> u64 {
    std::env::var("COREVAR_INSPECT_DRAWS").ok().and_then(|draws| draws.parse().ok()).unwrap_or(usual)
}

/// Ids of two classes in turn, with `rows` rows each for either class; of the variance of every feature half lies between ids. The
/// classes are `effect` deviations apart in the first feature.
fn table(ids: usize, rows: [usize; 2], columns: usize, effect: f64, draw: u64) -> Dataset {
    let mut rng = random::stream([draw, ids as u64, (rows[0] + 1000 * rows[1]) as u64, columns as u64]);
    let mut normal = || rng.sample::<f64, _>(StandardNormal) / 2f64.sqrt();
    let (mut values, mut labels, mut names) = (Vec::new(), Vec::new(), Vec::new());
    for id in 0..ids {
        let of_id: Vec<f64> = (0..columns).map(|_| normal()).collect();
        for _ in 0..rows[id % 2] {
            let shift = |column: usize| if column == 0 { effect * (id % 2) as f64 } else { 0.0 };
            values.extend((0..columns).map(|column| (of_id[column] + normal() + shift(column)) as f32));
            labels.push(if id % 2 == 0 { "a" } else { "b" });
            names.push(Some(format!("p{id}")));
        }
    }
    let columns = (0..columns).map(|column| format!("x{column}"));
    Dataset::features(columns, values).classes(&labels).ids(names).check().unwrap()
}

/// Ids that are seen with both labels, and noise of ids, of rows with the same id and label, and of rows.
fn both_labels(ids: usize, rows: usize, columns: usize, draw: u64) -> Dataset {
    let mut rng = random::stream([draw, ids as u64, rows as u64, columns as u64]);
    let mut normals = || (0..columns).map(|_| rng.sample::<f64, _>(StandardNormal)).collect::<Vec<f64>>();
    let (mut values, mut labels, mut names) = (Vec::new(), Vec::new(), Vec::new());
    for id in 0..ids {
        let of_id = normals();
        for label in ["a", "b"] {
            let of_group = normals();
            for _ in 0..rows {
                let of_row = normals();
                values.extend((0..columns).map(|k| (of_id[k] + of_group[k] + of_row[k]) as f32));
                labels.push(label);
                names.push(Some(format!("p{id}")));
            }
        }
    }
    let columns = (0..columns).map(|column| format!("x{column}"));
    Dataset::features(columns, values).classes(&labels).ids(names).check().unwrap()
}

fn look(data: &Dataset) -> Inspection {
    inspect(data, None, &InspectOptions::default()).unwrap()
}

fn names_a_predictor(found: &Inspection) -> bool {
    let probe = found.properties.probe.as_ref();
    found.properties.list.iter().any(|property| property.predicts)
        || probe.is_some_and(|probe| {
            probe.plain.predicts || probe.steady.as_ref().is_some_and(|steady| steady.predicts)
        })
}

#[test]
fn noise_predicts_in_few_draws() {
    for (ids, rows, columns) in [
        (10, [15; 2], 10),
        (20, [15; 2], 10),
        (500, [2; 2], 10),
        (10, [15; 2], 2),
        (20, [15; 2], 40),
        (20, [60, 2], 10),
    ] {
        let count = draws(if ids == 500 { 10 } else { 25 });
        let named = |draw: &u64| {
            let found = look(&table(ids, rows, columns, 0.0, *draw));
            let named = names_a_predictor(&found);
            assert_eq!(found.verdict == Verdict::NothingPredicts, !named);
            named
        };
        let named = (0..count).filter(named).count();
        eprintln!(
            "{ids} ids x {rows:?} rows, {columns} columns of noise: {named} of {count} draws name a predictor"
        );
        assert!(named as f64 <= 0.08 * count as f64, "{ids} ids x {rows:?} rows: {named} of {count} draws");
    }
}

#[test]
fn noise_of_ids_with_both_labels_predicts_in_few_draws() {
    let count = draws(25);
    let named = (0..count).filter(|draw| names_a_predictor(&look(&both_labels(12, 10, 10, *draw)))).count();
    eprintln!("12 ids x 2 labels x 10 rows of noise: {named} of {count} draws name a predictor");
    assert!(named as f64 <= 0.08 * count as f64, "{named} of {count} draws");
}

#[test]
fn a_column_that_predicts_is_found_among_noise() {
    for (ids, effect, least) in [(10, 2.0, 0.3), (20, 1.5, 0.6), (500, 0.6, 1.0)] {
        let count = draws(10);
        let is_found = |draw: &u64| {
            let found = look(&table(ids, [15; 2], 10, effect, *draw));
            found.properties.list.iter().any(|property| property.name == "x0" && property.predicts)
        };
        let found = (0..count).filter(is_found).count();
        eprintln!("{ids} ids, {effect} deviations apart: found in {found} of {count} draws");
        assert!(found as f64 >= least * count as f64, "{ids} ids: {found} of {count} draws");
    }
}

#[test]
fn style_and_core_of_the_built_in_data_are_found() {
    let sizes = |groups| Sizes { rows: 2000, groups, test_rows: 10 };
    for seed in 0..draws(3) {
        for (name, groups, wanted) in [
            ("linear", 50, Verdict::CanHelp),
            ("linear", 500, Verdict::CanHelp),
            ("nonlinear", 500, Verdict::EverythingVaries),
            ("stickmen", 50, Verdict::CanHelp),
            ("stickmen", 500, Verdict::CanHelp),
        ] {
            let found = look(&find(name).unwrap().generate(&sizes(groups), seed).unwrap());
            let text = found.lines_of_text().join("\n");
            assert_eq!(found.verdict, wanted, "{name} {groups} {seed}: {text}");
        }
    }
}
