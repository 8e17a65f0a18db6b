//! Tables and folders that must be read, and what is made of them.

use crate::common::Folder;
use corevar_data::table::{InputColumns, Purpose};
use corevar_data::{Inputs, Labels, Missing, MissingRule, Pixels, TableOptions, Task, read};

fn classes(labels: &Labels) -> (Vec<&str>, &[u32]) {
    (labels.class_names().iter().map(String::as_str).collect(), labels.classes().expect("classes"))
}

fn values(inputs: &Inputs) -> &[f32] {
    match inputs {
        Inputs::Features(features) => &features.values,
        _ => panic!("images"),
    }
}

fn pixels(inputs: &Inputs) -> &[u8] {
    match inputs {
        Inputs::Images(images) => match &*images.pixels {
            Pixels::Memory(bytes) => bytes,
            _ => panic!("not in memory"),
        },
        _ => panic!("features"),
    }
}

#[test]
fn a_table_of_features_is_read() {
    let folder = Folder::new();
    let text = "x1,y,group_id,split,place,x2\n\
                1,cat,7,train,field,0.1\n\
                -2e3,dog,,train,field,2\n\
                3.5,cat,7,train,\"a, b\",3\n\
                4,dog,p 8,test1,,4\n";
    let (data, report) = folder.table(text, &TableOptions::default()).unwrap();
    assert_eq!(values(data.inputs()), [1.0, 0.1, -2000.0, 2.0, 3.5, 3.0, 4.0, 4.0]);
    assert_eq!(classes(data.labels()), (vec!["cat", "dog"], &[0, 1, 0, 1][..]));
    assert_eq!(data.ids(), [Some(0), None, Some(0), Some(1)]);
    assert_eq!(data.id_names(), ["7", "p 8"]);
    assert_eq!(data.split("train"), Some(&[0, 1, 2][..]));
    assert_eq!(data.split("test1"), Some(&[3][..]));
    assert_eq!(data.attributes()[0].levels, ["", "a, b", "field"]);
    assert_eq!(data.attributes()[0].of_row, [2, 2, 1, 0]);
    assert_eq!(report.lines, [2, 3, 4, 5]);
    assert_eq!(report.split_seed, None);
    assert_eq!(report.columns.inputs, InputColumns::Features(vec!["x1".into(), "x2".into()]));
}

#[test]
fn bom_crlf_quotes_blanks_tabs_and_semicolons_are_read() {
    let folder = Folder::new();
    for text in [
        "\u{feff}y,x1,split\r\na,1,train\r\n\"b\",\"2\",train\r\n",
        "y, x1 ,split\n a , 1,train \n\nb,2,train",
        "y\tx1\tsplit\na\t1\ttrain\nb\t2\ttrain\n",
        "y;x1;split\na;1;train\nb;2;train\n",
        "split,\"x1\",\"y\"\ntrain,\"1\",a\ntrain,2,b\n",
    ] {
        let (data, _) = folder.table(text, &TableOptions::default()).unwrap();
        assert_eq!(classes(data.labels()).0, ["a", "b"], "{text}");
        assert_eq!(values(data.inputs()), [1.0, 2.0], "{text}");
        assert_eq!(data.split("train"), Some(&[0, 1][..]));
    }
}

#[test]
fn classes_and_splits_stand_in_natural_order() {
    let folder = Folder::new();
    let text = "y,x1,split\n10,1,test10\n9,1,2\n9,1,train\nten,1,0\n10,1,test2\n10,1,1\n10,1,0.0\n";
    let (data, _) = folder.table(text, &TableOptions::default()).unwrap();
    assert_eq!(classes(data.labels()).0, ["9", "10", "ten"]);
    let names: Vec<&str> = data.splits().iter().map(|split| split.name.as_str()).collect();
    assert_eq!(names, ["train", "val", "test", "test2", "test10"]);
}

#[test]
fn other_column_names_are_taken_when_named() {
    let folder = Folder::new();
    let text = "size_a,size_b,kind,person,part,y\n1,2,a,p,train,5\n3,4,b,p,train,6\n";
    let options = TableOptions {
        label_column: Some("kind".into()),
        group_column: Some("person".into()),
        split_column: Some("part".into()),
        features: Some("size*".into()),
        ..Default::default()
    };
    let (data, report) = folder.table(text, &options).unwrap();
    assert_eq!(values(data.inputs()), [1.0, 2.0, 3.0, 4.0]);
    assert_eq!(classes(data.labels()).0, ["a", "b"]);
    assert_eq!(report.ids_with_two_labels, ["p"]);
    assert_eq!(report.columns.attributes, ["y"]);
}

#[test]
fn several_patterns_choose_in_the_order_of_the_table() {
    let folder = Folder::new();
    let text = "a,b1,b2,c,y,split\n1,2,3,4,5,0\n1,2,3,4,6,0\n";
    let options = TableOptions { features: Some("c, b?".into()), ..Default::default() };
    let (data, report) = folder.table(text, &options).unwrap();
    assert_eq!(values(data.inputs()), [2.0, 3.0, 4.0, 2.0, 3.0, 4.0]);
    assert_eq!(report.columns.attributes, ["a"]);
}

#[test]
fn regression_reads_numbers() {
    let folder = Folder::new();
    let options = TableOptions { task: Task::Regression, ..Default::default() };
    let (data, _) = folder.table("y,x1,split\n0.1,1,train\n-3,2,train\n", &options).unwrap();
    assert_eq!(data.labels(), &Labels::Numbers(vec![0.1, -3.0]));
}

#[test]
fn without_a_split_column_ids_stay_together() {
    let folder = Folder::new();
    let rows: String = (0..200).map(|i| format!("{},{i},{}\n", i % 2, i / 4)).collect();
    let text = format!("y,x1,group_id\n{rows}");
    let (data, report) = folder.table(&text, &TableOptions { seed: 5, ..Default::default() }).unwrap();
    assert_eq!(report.split_seed, Some(5));
    let sizes: Vec<usize> = data.splits().iter().map(|split| split.rows.len()).collect();
    assert_eq!(sizes, [120, 40, 40]);
    assert!(report.ids_across_splits.is_empty());
    let (again, _) = folder.table(&text, &TableOptions { seed: 5, ..Default::default() }).unwrap();
    let (other, _) = folder.table(&text, &TableOptions { seed: 6, ..Default::default() }).unwrap();
    assert_eq!(data.splits(), again.splits());
    assert_ne!(data.splits(), other.splits());
}

#[test]
fn ids_across_splits_are_reported() {
    let folder = Folder::new();
    let text = "y,x1,split,group_id\na,1,train,p\nb,1,train,q\na,1,test,p\nb,1,test,r\nb,1,val,r\n";
    let (_, report) = folder.table(text, &TableOptions::default()).unwrap();
    assert_eq!(report.ids_across_splits, ["p"]);
    assert!(report.lines_of_text().iter().any(|line| line.contains("`p`")), "{:?}", report.lines_of_text());
}

#[test]
fn a_column_of_too_many_values_is_no_attribute_and_is_named() {
    let folder = Folder::new();
    let options = TableOptions { max_levels: 2, ..Default::default() };
    let text = "y,x1,split,note,kind\na,1,train,1,k\nb,1,train,2,k\na,1,train,3,l\n";
    let (data, report) = folder.table(text, &options).unwrap();
    assert_eq!(data.attributes().len(), 1);
    assert_eq!(data.attributes()[0].of_row, [0, 0, 1]);
    assert_eq!(report.columns.unused, ["note"]);
}

#[test]
fn evaluation_keeps_the_order_of_the_models_classes() {
    let folder = Folder::new();
    let purpose = Purpose::Evaluate { classes: vec!["b".into(), "c".into(), "a".into()] };
    let options = TableOptions { purpose, ..Default::default() };
    let (data, _) = folder.table("y,x1,split\na,1,test\nb,1,test\n", &options).unwrap();
    assert_eq!(classes(data.labels()), (vec!["b", "c", "a"], &[2, 0][..]));
}

#[test]
fn prediction_needs_no_label() {
    let folder = Folder::new();
    let options = TableOptions { purpose: Purpose::Predict, ..Default::default() };
    let (data, _) = folder.table("x1\n1\n2\n", &options).unwrap();
    assert_eq!(data.labels(), &Labels::Unknown { rows: 2 });
}

#[test]
fn pictures_are_read_from_a_table_with_non_ascii_paths() {
    let folder = Folder::new();
    let first = folder.picture("bilder/größe, 1.png", 4, 3, 1);
    let second = folder.picture("写真.pgm", 4, 3, 1);
    let text = "img_filename,y,split\n\"bilder/größe, 1.png\",a,train\n写真.pgm,b,train\n";
    let (data, report) = folder.table(text, &TableOptions::default()).unwrap();
    assert_eq!(pixels(data.inputs()), [first, second].concat());
    assert_eq!(report.files.len(), 2);
}

#[test]
fn one_colour_picture_makes_all_three_channels() {
    let folder = Folder::new();
    let grey = folder.picture("a.png", 2, 2, 1);
    let colour = folder.picture("b.png", 2, 2, 3);
    let text = "filename,y,split\na.png,a,train\nb.png,b,train\n";
    let (data, _) = folder.table(text, &TableOptions::default()).unwrap();
    let spread: Vec<u8> = grey.iter().flat_map(|byte| [*byte; 3]).collect();
    assert_eq!(pixels(data.inputs()), [spread, colour].concat());
    let options = TableOptions { channels: Some(1), ..Default::default() };
    let (data, _) = folder.table(text, &options).unwrap();
    assert_eq!(pixels(data.inputs())[..4], grey[..]);
}

#[test]
fn a_wrong_suffix_is_read_by_its_contents() {
    let folder = Folder::new();
    let bytes = folder.picture("a.png", 2, 2, 1);
    std::fs::rename(folder.0.join("a.png"), folder.0.join("a.jpg")).unwrap();
    let text = "filename,y,split\na.jpg,a,train\na.jpg,b,train\n";
    let (data, _) = folder.table(text, &TableOptions::default()).unwrap();
    assert_eq!(pixels(data.inputs())[..4], bytes[..]);
}

#[test]
fn folders_of_split_and_class_are_read() {
    let folder = Folder::new();
    for name in
        ["train/cat/1.png", "train/cat/10.png", "train/cat/2.png", "train/dog/1.png", "test/dog/1.png"]
    {
        folder.picture(name, 2, 2, 1);
    }
    folder.write("train/cat/.DS_Store", "x");
    folder.write("train/notes.txt", "x");
    let (data, report) = read(&folder.0, &TableOptions::default()).unwrap();
    assert_eq!(classes(data.labels()).0, ["cat", "dog"]);
    assert_eq!(data.split("train").map(<[usize]>::len), Some(4));
    assert_eq!(data.split("test").map(<[usize]>::len), Some(1));
    assert!(report.files[2].ends_with("train/cat/2.png"), "{:?}", report.files);
    assert!(report.notes.iter().any(|note| note.contains("1 files")), "{:?}", report.notes);
}

#[test]
fn folders_of_class_get_a_split() {
    let folder = Folder::new();
    for name in ["cat/1.png", "cat/2.png", "cat/3.png", "dog/1.png", "dog/2.png"] {
        folder.picture(name, 2, 2, 1);
    }
    let (data, report) = read(&folder.0, &TableOptions::default()).unwrap();
    assert_eq!(report.split_seed, Some(0));
    assert_eq!(data.split("train").map(<[usize]>::len), Some(3));
}

#[test]
fn unreadable_pictures_are_left_out_and_counted_on_request() {
    let folder = Folder::new();
    let bytes = folder.picture("b.png", 2, 2, 1);
    folder.write("a.png", "nonsense");
    let text =
        "filename,y,split,group_id\na.png,a,train,p\nb.png,a,train,q\nb.png,b,train,q\nc.png,c,test,q\n";
    // The label `c` is never seen in training; without its row that does not matter, but the table is wrong.
    let options = TableOptions { skip_unreadable: true, ..Default::default() };
    assert!(folder.table(text, &options).is_err());
    let (data, report) = folder.table(text.replace(",c,test", ",b,test"), &options).unwrap();
    assert_eq!(pixels(data.inputs()), [bytes.clone(), bytes].concat());
    assert_eq!(data.id_names(), ["q"]);
    assert_eq!(data.splits().len(), 1);
    assert_eq!(report.lines, [3, 4]);
    assert_eq!(report.left_out.iter().map(|row| row.line).collect::<Vec<_>>(), [Some(2), Some(5)]);
    assert_eq!(report.left_out[1].reason, "no such file");
}

#[test]
fn missing_numbers_are_filled_before_rows_are_transformed_and_both_are_kept() {
    let folder = Folder::new();
    folder.write(
        "metadata.csv",
        "x1,x2,x3,y,split\n1,2,3,a,train\n3,,5,b,train\n5,NA,9,b,train\n,8,1,a,test\n",
    );
    let options = TableOptions {
        missing: Missing::Median,
        transform: Some("snv".parse().unwrap()),
        ..Default::default()
    };
    let (data, report) = read(&folder.0, &options).unwrap();
    let note =
        "filled 3 missing numbers in 3 of 4 rows with medians of the training rows: `x2` (2), `x1` (1)";
    assert!(report.lines_of_text().contains(&note.to_string()), "{:?}", report.lines_of_text());
    let preparation = data.preparation();
    assert_eq!(preparation.missing, Some(MissingRule::Medians(vec![3.0, 2.0, 5.0])));
    assert_eq!(preparation.transform.as_ref().unwrap().to_string(), "snv");
    let values = &data.inputs().as_features().unwrap().values;
    assert_eq!(values[..3], [-1.0, 0.0, 1.0]);
    // The last row is 3, 8, 1: the median of x1 is that of the training rows.
    let (mean, sd) = (4.0f32, 13.0f32.sqrt());
    for (found, filled) in values[9..].iter().zip([3.0, 8.0, 1.0]) {
        assert!((found - (filled - mean) / sd).abs() < 1e-6, "{found}");
    }
}

#[test]
fn rows_with_missing_numbers_are_left_out_with_their_lines() {
    let folder = Folder::new();
    folder.write("metadata.csv", "x1,y,group_id,split\n1,a,p,train\n,b,q,train\n3,b,,train\n");
    let options = TableOptions { missing: Missing::Drop, ..Default::default() };
    let (data, report) = read(&folder.0, &options).unwrap();
    assert_eq!((data.len(), report.lines), (2, vec![2, 4]));
    assert_eq!(data.id_names(), ["p"]);
    // A median is nothing that rows to be judged can give.
    let purpose = Purpose::Evaluate { classes: vec!["a".into(), "b".into()] };
    let options = TableOptions { missing: Missing::Median, purpose, ..Default::default() };
    let message = read(&folder.0, &options).unwrap_err().to_string();
    assert!(message.contains("the field `missing` has no effect: medians are those of the training rows"));
}
