//! Findings on data made for them, and verdicts on the built-in data.

use super::*;
use crate::synthetic::{Sizes, find};
use crate::{ImageShape, Images, Pixels};

/// `(class, id, split, feature)` of each row.
type Row<'a> = (u32, Option<u32>, &'a str, f32);

fn dataset(rows: &[Row<'_>]) -> Dataset {
    let labels = Labels::Classes {
        names: vec!["cat".into(), "dog".into()],
        of_row: rows.iter().map(|row| row.0).collect(),
    };
    Dataset::features(["x1"], rows.iter().map(|row| row.3).collect())
        .name("made")
        .labels(labels)
        .id_indices(rows.iter().map(|row| row.1).collect(), (0..100).map(|id| format!("p{id}")).collect())
        .splits(rows.iter().map(|row| row.2))
        .check()
        .unwrap()
}

fn look(dataset: &Dataset) -> Inspection {
    inspect(dataset, None, &InspectOptions::default()).unwrap()
}

/// Thirty pairs a class of which the second row has its own feature.
fn pairs(feature: impl Fn(u32, u32, u32) -> f32) -> Vec<Row<'static>> {
    let each = |class: u32, person: u32, view: u32| {
        (class, Some(2 * person + class), "train", feature(class, person, view))
    };
    let persons = (0..30).flat_map(|person| [(0, person), (1, person)]);
    persons.flat_map(|(class, person)| [each(class, person, 0), each(class, person, 1)]).collect()
}

/// A number without pattern between 0 and 1.
fn noise(number: u32) -> f32 {
    (number.wrapping_mul(2_654_435_761) >> 16 & 1023) as f32 / 1023.0
}

#[test]
fn rows_splits_classes_and_groups_are_counted() {
    let found = look(&dataset(&[
        (0, Some(0), "train", 1.0),
        (0, Some(0), "train", 2.0),
        (0, Some(0), "train", 2.5),
        (1, None, "train", 3.0),
        (1, Some(1), "test", 3.0),
        (1, Some(1), "test", 3.0),
    ]));
    assert_eq!((found.rows, found.inputs.as_str()), (6, "1 features"));
    assert_eq!(found.splits[1], SplitCount { name: "test".into(), rows: 2, groups: 1, grouped_rows: 2 });
    assert_eq!(found.classes[0], ClassCount { name: "cat".into(), rows: 3, groups: 1, grouped_rows: 3 });
    assert_eq!(found.classes[1], ClassCount { name: "dog".into(), rows: 1, groups: 0, grouped_rows: 0 });
    assert_eq!((found.groups.grouped_rows, found.groups.grouped_share), (3, 0.75));
    assert_eq!(found.groups.sizes, [SizeCount { from: 3, to: Some(3), groups: 1 }]);
    assert_eq!(found.verdict, Verdict::FewGroups);
}

#[test]
fn ids_that_leak_and_ids_with_two_labels_are_named() {
    let found = look(&dataset(&[
        (0, Some(4), "train", 1.0),
        (0, Some(4), "test", 2.0),
        (0, Some(5), "train", 1.0),
        (1, Some(5), "train", 1.0),
        (1, Some(6), "test", 1.0),
        (1, Some(6), "test2", 1.0),
    ]));
    assert_eq!(found.ids_across_splits, Leak { count: 1, first: vec!["p4".into()] });
    assert_eq!(found.groups.ids_with_two_labels, Leak { count: 1, first: vec!["p5".into()] });
    let text = found.lines_of_text().join("\n");
    assert!(text.contains("leak: 1 id (`p4`) in train and in another split"), "{text}");
}

#[test]
fn without_ids_it_says_what_to_do() {
    let found = look(&dataset(&[(0, None, "train", 1.0), (1, None, "train", 2.0)]));
    assert_eq!(found.verdict, Verdict::NoIds);
    assert!(found.sentence.contains("`group_id`"), "{}", found.sentence);
    let single = look(&dataset(&[(0, Some(1), "train", 1.0), (1, Some(1), "train", 2.0)]));
    assert_eq!(single.verdict, Verdict::NoGroups);
}

#[test]
fn a_style_that_predicts_is_what_core_removes() {
    // The feature tells the class, and differs between the rows of a pair.
    let found = look(&dataset(&pairs(|class, person, view| class as f32 + noise(3 * person + view))));
    assert_eq!(found.verdict, Verdict::CanHelp);
    let property = &found.properties.list[0];
    assert!(property.is_removable() && property.score > 0.9, "{property:?}");
    assert!(found.lines_of_text().iter().any(|line| line.ends_with("<- CoRe removes it")));
}

#[test]
fn a_core_that_predicts_is_not() {
    // The feature tells the class and is the same for both rows but for a trifle.
    let found = look(&dataset(&pairs(|class, person, view| {
        class as f32 + noise(person) + 0.02 * noise(1000 + 2 * person + view)
    })));
    assert_eq!(found.verdict, Verdict::NothingToRemove);
    assert!(found.properties.list[0].predicts && !found.properties.list[0].is_removable());
}

#[test]
fn groups_that_are_copies_teach_nothing() {
    let found = look(&dataset(&pairs(|class, person, _| class as f32 + noise(person))));
    assert_eq!(found.verdict, Verdict::GroupsDoNotVary);
    assert_eq!(found.properties.inputs_inside_groups, Some(0.0));
}

#[test]
fn groups_of_one_class_are_half_of_what_is_needed() {
    let mut rows = pairs(|class, person, view| class as f32 + noise(3 * person + view));
    rows.iter_mut().filter(|row| row.0 == 1).for_each(|row| row.1 = None);
    let found = look(&dataset(&rows));
    assert_eq!(found.verdict, Verdict::OneSided);
    assert!(found.sentence.contains("of the class `cat`"), "{}", found.sentence);
}

#[test]
fn within_ids_the_same_person_is_compared() {
    // Each person is seen with both labels, and the feature tells them apart only by person.
    let rows: Vec<Row<'_>> = (0..200)
        .map(|row| (row % 2, Some(row / 2), "train", (row / 2) as f32 + if row % 2 == 1 { 0.5 } else { 0.0 }))
        .collect();
    let found = look(&dataset(&rows));
    let property = &found.properties.list[0];
    assert!(property.score < 0.52 && property.within_ids == Some(1.0), "{property:?}");
}

#[test]
fn numbers_are_grouped_by_bins_and_predicted_by_halves() {
    let rows: Vec<Row<'_>> = (0..100).map(|row| (0, Some(row / 2), "train", row as f32)).collect();
    let labels = Labels::Numbers((0..100).map(|row| (row / 2) as f32).collect());
    let found = look(&dataset(&rows).edit().labels(labels).check().unwrap());
    assert_eq!((found.classes.len(), found.groups.groups), (10, 50));
    assert_eq!((found.properties.list[0].score, found.properties.list[0].class.as_str()), (1.0, "from 25"));
}

fn pictures(pixels: &[[u8; 4]], rows: &[Row<'_>]) -> Dataset {
    let shape = ImageShape { height: 2, width: 2, channels: 1 };
    let inputs = Inputs::Images(Images::new(shape, Pixels::Memory(pixels.concat())));
    dataset(rows).edit().inputs(inputs).check().unwrap()
}

#[test]
fn duplicate_images_are_found_inside_and_across_splits() {
    let (a, b, c) = ([1, 2, 3, 4], [5, 6, 7, 8], [9, 9, 9, 9]);
    let found = look(&pictures(
        &[a, b, a, a, c, c],
        &[
            (0, None, "train", 0.0),
            (0, None, "train", 0.0),
            (0, None, "train", 0.0),
            (1, None, "test", 0.0),
            (1, None, "test", 0.0),
            (1, None, "test", 0.0),
        ],
    ));
    let duplicates = found.duplicates.clone();
    assert_eq!((duplicates.inside_splits, duplicates.across_splits), (2, 1));
    assert_eq!(duplicates.with_another_label, 3);
    assert_eq!(duplicates.first[0], ["row 1", "row 4"]);
    let text = found.lines_of_text().join("\n");
    assert!(text.contains("duplicate images: 2 inside a split, 1 outside train"), "{text}");
}

#[test]
fn the_light_that_tells_the_label_is_found() {
    // Dogs are photographed in bright light, but not always.
    let rows = pairs(|class, person, view| 60.0 + 80.0 * class as f32 + 60.0 * noise(7 * person + view));
    let pixels: Vec<[u8; 4]> = rows.iter().map(|row| [row.3 as u8, row.3 as u8 + 9, 8, 0]).collect();
    let found = look(&pictures(&pixels, &rows));
    let brightness = found.properties.list.iter().find(|property| property.name == "brightness").unwrap();
    assert!(brightness.is_removable() && brightness.class == "dog", "{brightness:?}");
    assert_eq!(found.verdict, Verdict::CanHelp);
}

#[test]
fn large_data_are_sampled_and_it_is_said() {
    let data = dataset(&pairs(|class, person, view| class as f32 + noise(3 * person + view)));
    let options = InspectOptions { max_rows: 50, ..Default::default() };
    let found = inspect(&data, None, &options).unwrap();
    assert_eq!((found.properties.measured_rows, found.properties.rows), (50, 120));
    assert!(found.lines_of_text().iter().any(|line| line.contains("a sample of 50 of 120 rows")));
    assert_eq!(found, inspect(&data, None, &options).unwrap());
}

#[test]
fn no_rows_and_one_class_are_no_reason_to_fail() {
    assert_eq!(look(&dataset(&[])).verdict, Verdict::NoIds);
    let one_class = look(&dataset(&[(0, Some(1), "test", 1.0), (0, Some(1), "test", 2.0)]));
    assert_eq!((one_class.groups.groups, one_class.properties.list.len()), (1, 0));
}

#[test]
fn the_built_in_data_can_be_helped() {
    for (name, groups) in [("linear", 500), ("nonlinear", 500), ("stickmen", 50)] {
        let sizes = Sizes { rows: 3000, groups, test_rows: 200 };
        let data = find(name).unwrap().generate(&sizes, 1).unwrap();
        let found = look(&data);
        eprintln!("{name}\n{}\n", found.lines_of_text().join("\n"));
        assert_eq!(found.verdict, Verdict::CanHelp, "{name}: {}", found.lines_of_text().join("\n"));
    }
}

#[test]
fn a_test_that_holds_training_rows_is_told() {
    let values: Vec<f32> =
        (0..40).flat_map(|row| [(row % 20) as f32, ((row % 20) * 7 % 13) as f32]).collect();
    let labels: Vec<&str> = (0..40).map(|row| if row % 2 == 0 { "a" } else { "b" }).collect();
    let splits = (0..40).map(|row| if row < 20 { "train" } else { "test" });
    let data = Dataset::features(["x1", "x2"], values).classes(&labels).splits(splits).check().unwrap();
    let found = inspect(&data, None, &InspectOptions::default()).unwrap();
    assert_eq!(found.duplicates.across_splits, 20);
    let text = found.lines_of_text().join("\n");
    assert!(text.contains("duplicate rows of features: 0 inside a split, 20 outside train"), "{text}");
}
