use corevar_data::synthetic::Sizes;
use corevar_data::{Dataset, TableOptions, Task, read, save};

use super::*;

#[test]
fn all_generators_are_found_by_their_names() {
    let names: Vec<&str> = generators().map(|generator| generator.name()).collect();
    assert_eq!(
        names,
        ["linear", "nonlinear", "stickmen", "instruments", "instruments-regression", "faces", "animals"]
    );
    assert!(names.iter().all(|name| find(name).is_some_and(|generator| generator.name() == *name)));
    assert!(find("circles").is_none());
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
fn what_a_generator_drew_is_saved_and_read_back_the_same() {
    for generator in generators() {
        let data = generator.generate(&Sizes { rows: 40, groups: 5, test_rows: 10 }, 3).unwrap();
        let folder = tempfile::tempdir().unwrap();
        save(&data, &folder.path().join("out")).unwrap();
        let task = if data.labels().numbers().is_some() { Task::Regression } else { Task::Classification };
        let options = TableOptions { task, ..Default::default() };
        let (again, _) = read(&folder.path().join("out"), &options).unwrap();
        assert_eq!((data.len(), data.splits()), (again.len(), again.splits()), "{}", generator.name());
        let mut rows = (vec![0.0; data.inputs().width()], vec![0.0; data.inputs().width()]);
        for row in 0..data.len() {
            assert_eq!(names(&data, row), names(&again, row), "{} row {row}", generator.name());
            data.inputs().read_row(row, &mut rows.0).unwrap();
            again.inputs().read_row(row, &mut rows.1).unwrap();
            assert_eq!(rows.0, rows.1);
        }
    }
}
