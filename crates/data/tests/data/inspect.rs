//! What `inspect` sees of files.

use crate::common::Folder;
use corevar_data::inspect::{InspectOptions, Kind, Verdict, inspect};
use corevar_data::table::Purpose;
use corevar_data::{TableOptions, read};

#[test]
fn size_and_compression_of_the_files_are_looked_at() {
    let folder = Folder::new();
    for i in 0..40 {
        // Those of class b are larger; all are seen by the model in one size.
        let (class, side) = if i % 2 == 0 { ("a", 8) } else { ("b", 16) };
        folder.picture(&format!("train/{class}/{i}.png"), side, side + i, 3);
    }
    let options = TableOptions { image_size: Some((4, 4)), purpose: Purpose::Inspect, ..Default::default() };
    let (data, report) = read(&folder.0, &options).unwrap();
    let found = inspect(&data, Some(&report), &InspectOptions::default()).unwrap();
    let property = |name: &str| found.properties.list.iter().find(|property| property.name == name);
    let size = property("original size").unwrap();
    assert!(size.kind == Kind::File && size.class == "b" && size.score > 0.8, "{size:?}");
    assert!(property("bytes per pixel").is_some());
    assert_eq!(found.verdict, Verdict::NoIds);
    let blind = inspect(&data, None, &InspectOptions::default()).unwrap();
    assert!(blind.properties.list.iter().all(|property| property.kind != Kind::File));
}

#[test]
fn the_files_of_duplicates_are_named() {
    let folder = Folder::new();
    for name in ["a.png", "b.png"] {
        folder.picture(name, 4, 4, 1);
    }
    let text = "filename,y,split\na.png,a,train\nb.png,b,test\n";
    let options = TableOptions { purpose: Purpose::Inspect, ..Default::default() };
    let (data, report) = folder.table(text, &options).unwrap();
    let duplicates = inspect(&data, Some(&report), &InspectOptions::default()).unwrap().duplicates;
    assert_eq!(
        (duplicates.inside_splits, duplicates.across_splits, duplicates.with_another_label),
        (0, 1, 2)
    );
    assert!(duplicates.first[0][0].ends_with("a.png") && duplicates.first[0][1].ends_with("b.png"));
}
