//! Findings on data made for them.

use super::*;
use crate::{Features, ImageShape, Images, Pixels};

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
    let class = |name: &str, rows, groups, grouped_rows, grouped_observations| ClassCount {
        name: name.into(),
        rows,
        groups,
        grouped_rows,
        grouped_observations,
    };
    assert_eq!(
        found.splits[1],
        SplitCount { name: "test".into(), rows: 2, groups: 1, grouped_rows: 2, grouped_observations: 1 }
    );
    assert_eq!(found.classes[0], class("cat", 3, 1, 3, 2));
    assert_eq!(found.classes[1], class("dog", 1, 0, 0, 0));
    assert_eq!((found.groups.grouped_rows, found.groups.grouped_share), (3, 0.75));
    assert_eq!(found.groups.grouped_observations, 2, "4 rows, the two groups (cat, p0) and (dog, none)");
    assert_eq!(found.groups.sizes, [SizeCount { from: 3, to: Some(3), groups: 1 }]);
    assert_eq!(found.verdict, Verdict::NothingPredicts);
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
fn all_that_predicts_may_be_style_or_noise_and_then_nothing_is_promised() {
    // The one feature tells the class, and differs between the rows of a pair.
    let found = look(&dataset(&pairs(|class, person, view| class as f32 + noise(3 * person + view))));
    assert_eq!(found.verdict, Verdict::EverythingVaries);
    let property = &found.properties.list[0];
    assert!(property.is_style_or_noise() && property.score > 0.9, "{property:?}");
    let text = found.lines_of_text().join("\n");
    assert!(
        text.contains("<- style or noise") && !text.contains("can help if") && !text.contains("removes"),
        "{text}"
    );
}

#[test]
fn a_core_that_predicts_is_not() {
    // The feature tells the class and is the same for both rows but for a trifle.
    let found = look(&dataset(&pairs(|class, person, view| {
        class as f32 + noise(person) + 0.02 * noise(1000 + 2 * person + view)
    })));
    assert_eq!(found.verdict, Verdict::NothingToRemove);
    assert!(found.properties.list[0].is_steady() && !found.properties.list[0].is_style_or_noise());
}

/// A core in the first column and a style in the second, which tell the class; thirty pairs of each class.
fn core_and_style() -> Dataset {
    let rows = pairs(|_, _, _| 0.0);
    let views = rows.iter().enumerate().map(|(row, (class, id, ..))| (*class, id.unwrap_or(0), row as u32));
    let values = views.flat_map(|(class, person, row)| {
        [class as f32 + 1.5 * noise(person), class as f32 + 1.5 * noise(500 + row)]
    });
    let inputs =
        Inputs::Features(Features { names: vec!["core".into(), "style".into()], values: values.collect() });
    dataset(&rows).edit().inputs(inputs).check().unwrap()
}

#[test]
fn a_style_beside_a_core_is_where_core_can_help() {
    let found = look(&core_and_style());
    let property = |name: &str| found.properties.list.iter().find(|property| property.name == name).unwrap();
    assert!(property("core").is_steady() && property("style").is_style_or_noise(), "{found:#?}");
    assert_eq!(found.verdict, Verdict::CanHelp);
    let probe = found.properties.probe.as_ref().unwrap();
    let (plain, steady) = (&probe.plain, probe.steady.as_ref().unwrap());
    assert!(plain.predicts && steady.predicts && plain.score > steady.score, "{probe:?}");
    assert!(plain.inside_groups > Some(0.3) && steady.inside_groups < Some(0.05), "{probe:?}");
    assert!(plain.inside_of_all < plain.inside_groups, "{probe:?}");
}

#[test]
fn groups_of_one_class_are_no_weakness() {
    let (both, one) = (core_and_style(), core_and_style());
    let ids =
        one.labels().classes().unwrap().iter().zip(one.ids()).map(|(class, id)| id.filter(|_| *class == 0));
    let (ids, names) = (ids.collect(), one.id_names().to_vec());
    let one = look(&one.edit().id_indices(ids, names).check().unwrap());
    assert_eq!((look(&both).verdict, one.verdict), (Verdict::CanHelp, Verdict::CanHelp));
    let text = one.lines_of_text().join("\n");
    assert!(text.contains("c by class: cat 30, dog 0") && !text.contains("stronger"), "{text}");
}

#[test]
fn groups_that_are_copies_teach_nothing() {
    let found = look(&dataset(&pairs(|class, person, _| class as f32 + noise(person))));
    assert_eq!(found.verdict, Verdict::GroupsDoNotVary);
    assert_eq!(found.properties.inputs_inside_groups, Some(0.0));
}

#[test]
fn a_group_larger_than_the_sample_is_not_called_constant() {
    // Two groups of 300 rows, of which 100 rows may be looked at.
    let rows: Vec<Row<'_>> =
        (0..600).map(|row| (row % 2, Some(row % 2), "train", (row % 2) as f32 + noise(row))).collect();
    let found =
        inspect(&dataset(&rows), None, &InspectOptions { max_rows: 100, ..Default::default() }).unwrap();
    assert!(found.properties.inputs_inside_groups > Some(0.9), "{:?}", found.properties.inputs_inside_groups);
    assert_ne!(found.verdict, Verdict::GroupsDoNotVary);
}

#[test]
fn a_few_pairs_are_said_to_be_few() {
    let rows: Vec<Row<'_>> = core_rows(12)
        .chain((0..200).map(|row| (row % 2, None, "train", row as f32 % 2.0 + noise(row))))
        .collect();
    let found = look(&dataset(&rows));
    assert_eq!((found.groups.grouped_observations, found.verdict), (12, Verdict::FewGroups));
    assert!(found.sentence.contains("c = 12 grouped observations are few"), "{}", found.sentence);
}

/// Pairs whose rows differ.
fn core_rows(pairs: u32) -> impl Iterator<Item = Row<'static>> {
    (0..2 * pairs).map(|row| (row / 2 % 2, Some(row / 2), "train", (row / 2 % 2) as f32 + noise(row)))
}

#[test]
fn splits_and_labels_that_look_alike_are_pointed_out() {
    let data = Dataset::features(["x1"], vec![1.0, 2.0, 3.0])
        .classes(&["Cat", "cat", "cat "])
        .ids([Some("A"), Some("a"), None])
        .splits(["Train", "test", "test"])
        .check()
        .unwrap();
    let text = look(&data).lines_of_text().join("\n");
    for wanted in [
        "labels that look alike but are not the same: `Cat` and `cat` and `cat ` (differ by case, spaces or Unicode form)",
        "splits that look alike but are not the same: `train` and `Train` (differ by case)",
        "ids that look alike but are not the same: `A` and `a` (differ by case)",
    ] {
        assert!(text.contains(wanted), "{text}");
    }
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
    assert_eq!(property.by_chance, 0.005, "a hundred ids agree");
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
    assert!(brightness.is_style_or_noise() && brightness.class == "dog", "{brightness:?}");
    assert_eq!(found.verdict, Verdict::EverythingVaries);
}

#[test]
fn large_data_are_sampled_and_it_is_said() {
    let data = dataset(&pairs(|class, person, view| class as f32 + noise(3 * person + view)));
    let options = InspectOptions { max_rows: 50, ..Default::default() };
    let found = inspect(&data, None, &options).unwrap();
    assert_eq!((found.properties.measured_rows, found.properties.rows), (50, 120));
    assert!(found.lines_of_text().iter().any(|line| line.contains("on a sample of 50 of 120 rows")));
    assert_eq!(found, inspect(&data, None, &options).unwrap());
}

#[test]
fn no_rows_and_one_class_are_no_reason_to_fail() {
    assert_eq!(look(&dataset(&[])).verdict, Verdict::NoIds);
    let one_class = look(&dataset(&[(0, Some(1), "test", 1.0), (0, Some(1), "test", 2.0)]));
    assert_eq!((one_class.groups.groups, one_class.properties.list.len()), (1, 0));
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

#[test]
fn the_whole_text_is_as_it_should_be() {
    let text = look(&core_and_style()).lines_of_text().join("\n");
    assert_eq!(text, include_str!("../../tests/golden/inspect.txt").trim_end());
}
