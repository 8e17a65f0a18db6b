//! What is saved is read back the same.

use crate::common::Folder;
use corevar_data::{
    Dataset, Features, ImageShape, Images, Inputs, Labels, Pixels, TableOptions, Task, Tip, read, save,
};

fn dataset(inputs: Inputs, labels: Labels) -> Dataset {
    Dataset::of(inputs)
        .name("test")
        .labels(labels)
        .id_indices(vec![Some(0), None, Some(0), Some(1)], vec!["a, \"b\"".into(), "42".into()])
        .splits(["train", "train", "test1", "test2"])
        .attribute("pose", &["left", "2", "2", "left"])
        .check()
        .unwrap()
}

fn classes() -> Labels {
    Labels::Classes { names: vec!["adult".into(), "größer".into()], of_row: vec![0, 1, 0, 1] }
}

fn images(channels: usize) -> Inputs {
    let shape = ImageShape { height: 3, width: 5, channels };
    let bytes = (0..4 * shape.len()).map(|i| (i * 31 % 256) as u8).collect();
    Inputs::Images(Images::new(shape, Pixels::Memory(bytes)))
}

fn assert_same(a: &Dataset, b: &Dataset) {
    assert_eq!(a.labels(), b.labels());
    assert_eq!((a.ids(), a.id_names()), (b.ids(), b.id_names()));
    assert_eq!((a.splits(), a.attributes()), (b.splits(), b.attributes()));
    assert_eq!(a.inputs().width(), b.inputs().width());
    let mut rows = (vec![0.0; a.inputs().width()], vec![0.0; a.inputs().width()]);
    for row in 0..a.len() {
        a.inputs().read_row(row, &mut rows.0).unwrap();
        b.inputs().read_row(row, &mut rows.1).unwrap();
        assert_eq!(rows.0, rows.1);
    }
}

#[test]
fn features_come_back_to_the_last_bit() {
    let values = vec![0.1, 1.0 / 3.0, f32::MIN_POSITIVE, f32::MAX, -0.0, 1e-45, 16777217.0, -1.5];
    let features = Features { names: vec!["x1".into(), "x2".into()], values: values.clone() };
    let folder = Folder::new();
    let data = dataset(Inputs::Features(features), classes());
    save(&data, &folder.0.join("out")).unwrap();
    let (again, _) = read(&folder.0.join("out"), &TableOptions::default()).unwrap();
    assert_same(&data, &again);
    let Inputs::Features(read) = again.inputs() else { panic!() };
    assert!(read.values.iter().zip(&values).all(|(a, b)| a.to_bits() == b.to_bits()));
}

#[test]
fn pictures_come_back() {
    for channels in [1, 3] {
        let folder = Folder::new();
        let data = dataset(images(channels), classes());
        save(&data, &folder.0.join("a/b")).unwrap();
        assert_same(&data, &read(&folder.0.join("a/b/metadata.csv"), &TableOptions::default()).unwrap().0);
        assert!(folder.0.join("a/b/images/3.png").exists());
    }
}

#[test]
fn numbers_come_back() {
    let folder = Folder::new();
    let data = dataset(images(1), Labels::Numbers(vec![0.1, -7.0, 1e-20, 3.0]));
    save(&data, &folder.0.join("out")).unwrap();
    let options = TableOptions { task: Task::Regression, ..Default::default() };
    assert_same(&data, &read(&folder.0.join("out"), &options).unwrap().0);
}

#[test]
fn an_occupied_folder_is_refused_and_an_empty_one_filled() {
    let folder = Folder::new();
    let data = dataset(images(1), classes());
    folder.write("out/precious.txt", "keep");
    let error = save(&data, &folder.0.join("out")).unwrap_err();
    assert!(error.to_string().ends_with("out: it exists and is not an empty folder"), "{error}");
    assert!(error.tip().is_some());
    let file = folder.write("file", "keep");
    assert!(save(&data, &file).is_err());
    std::fs::create_dir(folder.0.join("empty")).unwrap();
    save(&data, &folder.0.join("empty")).unwrap();
    let names: Vec<_> =
        std::fs::read_dir(&folder.0).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert_eq!(names.len(), 3, "nothing half-written stays: {names:?}");
}

#[test]
fn a_failure_leaves_nothing_behind() {
    let folder = Folder::new();
    // The last picture of four is missing.
    let shape = ImageShape { height: 3, width: 5, channels: 1 };
    let path = folder.write("short.pixels", vec![0; 3 * shape.len()]);
    let file = std::fs::File::open(&path).unwrap();
    let pixels = Pixels::File { file, path, offset: 0, rows: 4 };
    let data = dataset(Inputs::Images(Images::new(shape, pixels)), classes());
    let error = save(&data, &folder.0.join("out")).unwrap_err();
    assert!(error.to_string().contains("short.pixels: cannot read"), "{error}");
    assert_eq!(std::fs::read_dir(&folder.0).unwrap().count(), 1);
}

/// What a row is called in each of its roles, whatever the order of the names.
fn names(data: &Dataset, row: usize) -> (String, Option<&str>, &str, Vec<(&str, &str)>) {
    let (label, id) = (data.labels().text(row), data.id_name(row));
    let split = data.splits().iter().find(|split| split.rows.contains(&row)).unwrap();
    let attributes =
        data.attributes().iter().map(|a| (a.name.as_str(), a.levels[a.of_row[row] as usize].as_str()));
    (label, id, &split.name, attributes.collect())
}

#[test]
fn every_generator_comes_back() {
    for generator in corevar_data::synthetic::generators() {
        let sizes = corevar_data::synthetic::Sizes { rows: 40, groups: 5, test_rows: 10 };
        let data = generator.generate(&sizes, 3).unwrap();
        let folder = Folder::new();
        save(&data, &folder.0.join("out")).unwrap();
        let task = if data.labels().numbers().is_some() { Task::Regression } else { Task::Classification };
        let options = TableOptions { task, ..Default::default() };
        let (again, _) = read(&folder.0.join("out"), &options).unwrap();
        assert_eq!(data.len(), again.len());
        assert_eq!(data.splits(), again.splits(), "{}", generator.name());
        let mut rows = (vec![0.0; data.inputs().width()], vec![0.0; data.inputs().width()]);
        for row in 0..data.len() {
            assert_eq!(names(&data, row), names(&again, row), "{} row {row}", generator.name());
            data.inputs().read_row(row, &mut rows.0).unwrap();
            again.inputs().read_row(row, &mut rows.1).unwrap();
            assert_eq!(rows.0, rows.1);
        }
    }
}

#[test]
fn a_folder_that_a_killed_writer_left_is_removed() {
    let folder = Folder::new();
    folder.write(".out.partial-999999/images/0.png", "half");
    folder.write(".other.partial-999999/images/0.png", "half, of somebody else");
    save(&dataset(images(1), classes()), &folder.0.join("out")).unwrap();
    let mut left: Vec<_> =
        std::fs::read_dir(&folder.0).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    left.sort();
    assert_eq!(left, [".other.partial-999999", "out"]);
}
