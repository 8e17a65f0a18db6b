//! Tables that cannot be used: each a message with what, where and what to do; no panic.

use crate::common::{Folder, shown};
use corevar_data::table::Purpose;
use corevar_data::{TableOptions, Task, Tip, read};

/// The message for a table, read with the default options.
fn message(text: impl AsRef<[u8]>) -> String {
    message_with(text, &TableOptions::default())
}

fn message_with(text: impl AsRef<[u8]>, options: &TableOptions) -> String {
    let folder = Folder::new();
    let error = folder.table(text, options).unwrap_err();
    shown(&folder.0, &error)
}

#[test]
fn a_name_that_is_nothing() {
    let error = read(std::path::Path::new("no/such.csv"), &TableOptions::default()).unwrap_err();
    assert_eq!(
        shown(std::path::Path::new("-"), &error),
        "no/such.csv: no such file or folder\n\
         tip: pass a metadata.csv, a folder that contains one, or a folder split/class/image"
    );
}

#[test]
fn nothing_in_the_file() {
    for text in ["", "\n\n", "\u{feff}"] {
        assert!(
            message(text).starts_with("metadata.csv: the table has no rows: the file is empty"),
            "{text:?}"
        );
    }
    for text in ["y,x1,split\n", "y,x1,split", "y,x1,split\r\n\r\n", "y,z\n"] {
        assert!(
            message(text).starts_with("metadata.csv: the table has no rows below its header"),
            "{text:?}"
        );
    }
}

#[test]
fn a_missing_column_lists_those_that_are_there() {
    assert_eq!(
        message("x1,lable,split\n1,a,train\n"),
        "metadata.csv:1: there is no column `y`; the columns are `x1`, `lable`, `split`\n\
         tip: name the column in the field `label_column`"
    );
    let options = TableOptions { label_column: Some("label_nmae".into()), ..Default::default() };
    assert_eq!(
        message_with("x1,label_name\n1,a\n", &options),
        "metadata.csv:1: there is no column `label_nmae`; the columns are `x1`, `label_name`\n\
         tip: did you mean `label_name`? set the field `label_column` to label_name"
    );
}

#[test]
fn no_inputs_lists_the_columns_of_numbers() {
    assert_eq!(
        message("size1,size2,y,kind,split\n1,2,a,k,train\n"),
        "metadata.csv:1: there is no image column and no feature column; the columns that hold numbers are \
         `size1`, `size2`\ntip: set the field `features` to 'size*'"
    );
    assert!(
        message("y,kind\na,k\n")
            .ends_with("tip: name the image column in the field `filename_column`, or a .npy matrix in the field `features_file`")
    );
}

#[test]
fn a_pattern_that_fits_nothing() {
    let options = TableOptions { features: Some("x*,z*".into()), ..Default::default() };
    assert!(message_with("x1,y\n1,a\n", &options).starts_with(
        "metadata.csv:1: no column fits the pattern `z*` of the field `features`; the columns are `x1`\n"
    ));
    let options = TableOptions { features: Some("y".into()), ..Default::default() };
    assert!(
        message_with("x1,y\n1,a\n", &options)
            .contains("`y` is taken as the label and cannot be the feature too")
    );
    let options = TableOptions { features: Some(" ,".into()), ..Default::default() };
    assert!(message_with("x1,y\n1,a\n", &options).contains("no column fits"));
}

#[test]
fn one_column_in_two_roles() {
    let options = TableOptions { group_column: Some("y".into()), ..Default::default() };
    assert!(
        message_with("x1,y\n1,a\n", &options)
            .starts_with("metadata.csv:1: column `y` is taken as the label and cannot be the id too")
    );
}

#[test]
fn an_option_without_effect() {
    let options = TableOptions { image_size: Some((4, 4)), ..Default::default() };
    assert!(message_with("x1,y\n1,a\n1,b\n", &options).starts_with(
        "metadata.csv: the field `image_size` has no effect: the inputs are features, not images"
    ));
}

#[test]
fn cells_that_are_wrong() {
    assert_eq!(
        message("x1,y,split\n1,a,train\n2,,train\n"),
        "metadata.csv:3: the label is empty in column `y`\ntip: fill it in, or remove the row"
    );
    assert!(
        message("x1,y,split\n1,a,train\n2,b, \n")
            .starts_with("metadata.csv:3: the split is empty in column `split`")
    );
    assert!(
        message("x1,y,split\n1,a,train\n2,b,3\n").starts_with(
            "metadata.csv:3: `3` in column `split` is not a split: 0, 1, 2 mean train, val, test"
        )
    );
    assert!(
        message("x1,y,split\n1,a,train\ntwo,b,train\n")
            .starts_with("metadata.csv:3: `two` in column `x1` is not a number")
    );
    assert!(
        message("x1,y,split\n1,a,train\n,b,train\n")
            .starts_with("metadata.csv:3: a number is missing in 1 of 2 rows: `x1` (1)")
    );
    for text in ["nan", "NaN", "NA", "null", "?"] {
        let message = message(format!("x1,y,split\n1,a,train\n{text},b,train\n"));
        assert!(
            message.starts_with("metadata.csv:3: a number is missing in 1 of 2 rows: `x1` (1)"),
            "{message}"
        );
    }
    for text in ["inf", "-inf", "1e39", "infinity"] {
        assert!(
            message(format!("x1,y,split\n1,a,train\n{text},b,train\n"))
                .starts_with(&format!("metadata.csv:3: `{text}` in column `x1` is not a finite number")),
            "{text}"
        );
    }
    let options = TableOptions { task: Task::Regression, ..Default::default() };
    assert!(
        message_with("x1,y,split\n1,a,train\n", &options)
            .starts_with("metadata.csv:2: `a` in column `y` is not a number")
    );
    assert!(
        message("filename,y,split\n,a,train\n")
            .starts_with("metadata.csv:2: the image is empty in column `filename`")
    );
}

#[test]
fn rows_and_headers_that_are_wrong() {
    assert_eq!(
        message("x1,y,split\n1,a,train\n1,2,b,train\n"),
        "metadata.csv:3: the row has 4 fields, the header has 3\n\
         tip: put quotes around fields that contain commas"
    );
    assert!(
        message("x1,y,split\n1,a\n").starts_with("metadata.csv:2: the row has 2 fields, the header has 3")
    );
    assert!(message("x1,y,y\n1,a,b\n").starts_with("metadata.csv:1: there are two columns named `y`"));
    assert!(message("x1,,y\n1,a,b\n").starts_with("metadata.csv:1: column 2 has no name"));
    assert!(
        message(b"x1,y\n1,a\n2,\xff\n")
            .starts_with("metadata.csv:3: the text is not valid UTF-8 in column `y`")
    );
    assert!(message(b"x1,\xff\n1,a\n").starts_with("metadata.csv:1: the text is not valid UTF-8"));
    assert!(message(b"\xff\xfex\x001\x00").starts_with("metadata.csv: this is text in UTF-16"));
}

#[test]
fn a_quote_that_is_never_closed_loses_no_rows_unseen() {
    assert!(
        message("x1,y,note\n1,a,fine\n2,b,\"open\n3,a,x\n4,b,y\n").starts_with(
            "metadata.csv:3: cannot be read as a table: a quote is opened here and never closed"
        )
    );
    let folder = Folder::new();
    let text = "x1,y,split,note\n1,a,train,\"two\nlines\"\n2,b,train,5\" pipe\n";
    assert_eq!(folder.table(text, &TableOptions::default()).unwrap().0.len(), 2);
}

#[test]
fn stray_quotes_lose_no_rows_unseen() {
    // A quote at the start of a note, and another one fifty rows further on.
    let row = |k: usize| match k {
        20 | 70 => format!("{k},{},train,\" pipe\n", ["a", "b"][k % 2]),
        _ => format!("{k},{},train,fine\n", ["a", "b"][k % 2]),
    };
    let text = "x1,y,split,note\n".to_string() + &(0..100).map(row).collect::<String>();
    let words =
        "metadata.csv:22: cannot be read as a table: a quote is opened here and closed 50 rows further on";
    assert!(message(&text).starts_with(words), "{}", message(&text));
    // Inside a field a quote is a letter: all rows are read, however many quotes there are.
    for quotes in [1, 2, 3] {
        let row = |k: usize| {
            format!("{k},{},train,5{} pipe\n", ["a", "b"][k % 2], if k < quotes { "\"" } else { "" })
        };
        let text = "x1,y,split,note\n".to_string() + &(0..40).map(row).collect::<String>();
        let (data, report) = Folder::new().table(&text, &TableOptions::default()).unwrap();
        assert_eq!(data.len(), 40, "{quotes}");
        assert!(report.notes.iter().all(|note| !note.contains("quoted")), "{:?}", report.notes);
    }
}

#[test]
fn a_quoted_field_of_many_lines_is_read_and_reported() {
    let note = "a line\n".repeat(12);
    let text = format!("x1,y,split,note\n1,a,train,\"{note}\"\n2,b,train,x\n");
    let (data, report) = Folder::new().table(&text, &TableOptions::default()).unwrap();
    assert_eq!(data.len(), 2);
    assert_eq!(report.notes[0], "line 2: a quoted field runs over 13 lines");
}

#[test]
fn labels_and_splits_that_cannot_be_learned_from() {
    assert_eq!(
        message("x1,y,split\n1,a,training\n2,b,test\n"),
        "metadata.csv: no row is in the split `train`; the splits are `test`, `training`\n\
         tip: call the split `training` `train`"
    );
    assert!(
        message("x1,y,split\n1,a,train\n2,b,test\n")
            .starts_with("metadata.csv: every row of the split `train` has the label `a`")
    );
    assert_eq!(
        message("x1,y,split\n1,cat,train\n2,dog,train\n3,cat,test\n4,doog,test\n"),
        "metadata.csv:5: label `doog` of split `test` was never seen in training; known are `cat`, `dog`\n\
         tip: did you mean `dog`? mend the label, or move such rows to train"
    );
    let options =
        TableOptions { purpose: Purpose::Evaluate { classes: vec!["a".into()] }, ..Default::default() };
    assert!(message_with("x1,y,split\n1,b,test\n", &options).starts_with("metadata.csv:2: label `b`"));
}

#[test]
fn paths_that_leave_the_folder() {
    for path in ["../a.png", "/etc/passwd", "a/../../b.png"] {
        assert_eq!(
            message(format!("filename,y,split\n{path},a,train\n")),
            format!(
                "metadata.csv:2: image `{path}` lies outside the folder of the table\n\
                 tip: move it into the folder, or set the field `allow_outside`"
            )
        );
    }
}

#[cfg(unix)]
#[test]
fn links_that_lead_out_of_the_folder() {
    let (folder, elsewhere) = (Folder::new(), Folder::new());
    elsewhere.picture("a.png", 2, 2, 1);
    std::os::unix::fs::symlink(&elsewhere.0, folder.0.join("img")).unwrap();
    let text = "filename,y,split\nimg/a.png,a,train\nimg/a.png,b,train\n";
    let message = shown(&folder.0, &folder.table(text, &TableOptions::default()).unwrap_err());
    assert_eq!(
        message,
        "metadata.csv:2: image `img/a.png` lies outside the folder of the table\n\
         tip: move it into the folder, or set the field `allow_outside`"
    );
    let options = TableOptions { allow_outside: true, ..Default::default() };
    assert_eq!(folder.table(text, &options).unwrap().0.len(), 2);
}

#[cfg(unix)]
#[test]
fn links_in_folders_that_lead_out() {
    use std::os::unix::fs::symlink;
    let (folder, elsewhere) = (Folder::new(), Folder::new());
    for name in ["train/a/1.png", "train/b/1.png"] {
        folder.picture(name, 2, 2, 1);
    }
    elsewhere.picture("c/1.png", 2, 2, 1);
    symlink("1.png", folder.0.join("train/a/2.png")).unwrap();
    let with = |allow_outside: bool| {
        read(&folder.0, &TableOptions { allow_outside, purpose: Purpose::Inspect, ..Default::default() })
    };
    assert_eq!(with(false).unwrap().0.len(), 3, "a link inside is a picture");
    for (link, target) in [("train/a/3.png", "c/1.png"), ("train/c", "c"), ("test", ".")] {
        let link_path = folder.0.join(link);
        symlink(elsewhere.0.join(target), &link_path).unwrap();
        let error = with(false).unwrap_err();
        let place = folder.0.display();
        assert_eq!(error.to_string(), format!("{place}: `{link}` is a link that leads out of the folder"));
        assert_eq!(
            error.tip().unwrap(),
            "put the file itself into the folder, or set the field `allow_outside`"
        );
        assert_eq!(with(true).unwrap().0.len(), 4, "{link}");
        std::fs::remove_file(link_path).unwrap();
    }
}

#[cfg(unix)]
#[test]
fn a_table_that_is_a_link_out_of_its_folder() {
    let (folder, elsewhere) = (Folder::new(), Folder::new());
    let table = elsewhere.write("private.csv", "x1,y,split\n1,a,train\n2,b,train\n");
    let link = folder.0.join("metadata.csv");
    std::os::unix::fs::symlink(table, &link).unwrap();
    let error = read(&folder.0, &TableOptions::default()).unwrap_err();
    assert!(
        error.to_string().ends_with(": `metadata.csv` is a link that leads out of the folder"),
        "{error}"
    );
    // Whoever names the link itself means it.
    assert_eq!(read(&link, &TableOptions::default()).unwrap().0.len(), 2);
    let options = TableOptions { allow_outside: true, ..Default::default() };
    assert_eq!(read(&folder.0, &options).unwrap().0.len(), 2);
}

#[test]
fn a_row_that_never_ends_is_not_read_to_its_end() {
    let text = format!("x1,y,note\n1,a,fine\n2,b,\"{}", "open\n".repeat(5 << 20));
    assert!(message(text).contains("a row is longer than 16777216 bytes: perhaps a quote is never closed"));
}

#[test]
fn a_folder_without_anything() {
    let folder = Folder::new();
    let error = read(&folder.0, &TableOptions::default()).unwrap_err();
    assert!(
        error.to_string().ends_with("holds no metadata.csv and no pictures in folders split/class/image")
    );
    folder.picture("a.png", 2, 2, 1);
    let error = read(&folder.0, &TableOptions::default()).unwrap_err();
    assert!(error.to_string().ends_with("`a.png` does not lie in a folder split/class or class"), "{error}");
    std::fs::remove_file(folder.0.join("a.png")).unwrap();
    folder.picture("train/cat/deep/a.png", 2, 2, 1);
    let error = read(&folder.0, &TableOptions::default()).unwrap_err();
    assert!(
        error.to_string().ends_with("`train/cat/deep/a.png` does not lie in a folder split/class or class"),
        "{error}"
    );
}

#[test]
fn a_table_under_a_wrong_suffix() {
    let folder = Folder::new();
    let as_parquet = folder.write("table.parquet", "x1,y,split\n1,a,train\n2,b,train\n");
    let message = shown(&folder.0, &read(&as_parquet, &TableOptions::default()).unwrap_err());
    assert!(message.starts_with("table.parquet: cannot be read as a table: "), "{message}");
    assert!(
        message.ends_with("save the table again as comma-separated text (.csv) or as Parquet"),
        "{message}"
    );
    folder.picture("picture.png", 9, 9, 3);
    let message =
        shown(&folder.0, &read(&folder.0.join("picture.png"), &TableOptions::default()).unwrap_err());
    assert!(message.starts_with("picture.png") && message.contains("\ntip: "), "{message}");
}

#[test]
fn a_folder_where_a_file_should_be() {
    let folder = Folder::new();
    std::fs::create_dir(folder.0.join("x.npy")).unwrap();
    let features_file = Some(folder.0.join("x.npy"));
    let options = TableOptions { features_file, ..Default::default() };
    let error = folder.table("y,split\na,train\nb,train\n", &options).unwrap_err();
    let message = shown(&folder.0, &error);
    assert!(
        message.starts_with("x.npy: cannot be read as a matrix of features: it is a folder\ntip: "),
        "{message}"
    );
    let inside = Folder::new();
    std::fs::create_dir(inside.0.join("metadata.csv")).unwrap();
    let error = read(&inside.0, &TableOptions::default()).unwrap_err();
    assert!(error.to_string().contains("the folder holds no metadata.csv"), "{error}");
}

#[cfg(unix)]
#[test]
fn a_device_where_a_file_should_be() {
    let error = read(std::path::Path::new("/dev/zero"), &TableOptions::default()).unwrap_err();
    assert_eq!(error.to_string(), "/dev/zero: cannot be read as a table: it is not an ordinary file");
}

#[test]
fn flags_of_columns_mean_nothing_for_folders() {
    let folder = Folder::new();
    folder.picture("train/cat/a.png", 2, 2, 1);
    let options = TableOptions { features: Some("x*".into()), ..Default::default() };
    let error = read(&folder.0, &options).unwrap_err();
    assert!(
        error.to_string().contains("the field `features` has no effect: the folder has no metadata.csv"),
        "{error}"
    );
}

#[test]
fn random_bytes_never_panic() {
    let folder = Folder::new();
    let mut state = 1u64;
    for _ in 0..300 {
        let bytes: Vec<u8> = (0..200)
            .map(|_| {
                state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
                let alphabet = b"xy1,2\n\"\r;\t .-e\xff\xc3\xa9splitrainval";
                alphabet[(state >> 33) as usize % alphabet.len()]
            })
            .collect();
        let mut text = b"x1,y,split\n".to_vec();
        text.extend(&bytes);
        let _ = folder.table(&bytes, &TableOptions::default());
        let _ = folder.table(&text, &TableOptions::default());
    }
}
