//! Parquet tables and `.npy` matrices (`tests/golden/make_tables.py` made them).

use std::fs;
use std::path::{Path, PathBuf};

use crate::common::Folder;
use corevar_data::{Inputs, TableOptions, Tip, read};

fn golden(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden/tables").join(name)
}

fn error_of(path: &Path) -> String {
    read(path, &TableOptions::default()).unwrap_err().to_string()
}

#[test]
fn parquet_gives_what_the_same_table_as_text_gives() {
    let (text, _) = read(&golden("plain.csv"), &TableOptions::default()).unwrap();
    for name in ["snappy", "zstd", "gzip", "lz4", "none", "groups"] {
        let (data, report) = read(&golden(&format!("{name}.parquet")), &TableOptions::default()).unwrap();
        assert_eq!(data.labels(), text.labels(), "{name}");
        assert_eq!((data.ids(), data.id_names()), (text.ids(), text.id_names()), "{name}");
        assert_eq!((data.splits(), data.attributes()), (text.splits(), text.attributes()), "{name}");
        let (Inputs::Features(a), Inputs::Features(b)) = (data.inputs(), text.inputs()) else { panic!() };
        assert_eq!(a, b, "{name}");
        assert_eq!(report.lines, [1, 2, 3, 4, 5, 6]);
    }
}

#[test]
fn decimals_keep_their_point() {
    let options = TableOptions { features: Some("x4".into()), ..Default::default() };
    let (data, _) = read(&golden("decimal.parquet"), &options).unwrap();
    let Inputs::Features(features) = data.inputs() else { panic!() };
    assert_eq!(features.values, [1.25, -2.5, 0.0, 1.0, 2.0, 3.0]);
}

#[test]
fn parquet_that_cannot_be_used_says_why() {
    assert!(error_of(&golden("nested.parquet")).contains("column `list.list.element` is nested"));
    assert!(
        error_of(&golden("brotli.parquet")).contains("cannot be read as a table"),
        "{}",
        error_of(&golden("brotli.parquet"))
    );
    let options = TableOptions { features: Some("x9".into()), ..Default::default() };
    let error = read(&golden("snappy.parquet"), &options).unwrap_err();
    assert!(error.tip().is_some());
}

#[test]
fn damaged_parquet_never_panics() {
    let folder = Folder::new();
    let whole = fs::read(golden("snappy.parquet")).unwrap();
    for len in [0, 3, 4, 12, whole.len() / 2, whole.len() - 1] {
        let path = folder.write("cut.parquet", &whole[..len]);
        assert!(read(&path, &TableOptions::default()).is_err(), "{len}");
    }
    for at in (0..whole.len()).step_by(3) {
        let mut bytes = whole.clone();
        bytes[at] ^= 0x41;
        let _ = read(&folder.write("bad.parquet", &bytes), &TableOptions::default());
    }
}

#[test]
fn a_header_of_a_billion_rows_asks_for_no_memory() {
    let mut bytes = fs::read(golden("none.parquet")).unwrap();
    // In the footer: field of type i64 (0x16), 6 rows as a zigzag varint. A billion takes four bytes more.
    let billion = [0x16, 0x80, 0xA8, 0xD6, 0xB9, 0x07];
    let (mut at, mut changed) = (bytes.len() / 2, 0);
    while let Some(found) = bytes[at..].windows(2).position(|pair| pair == [0x16, 0x0C]) {
        bytes.splice(at + found..at + found + 2, billion);
        (at, changed) = (at + found + billion.len(), changed + 1);
    }
    assert!(changed > 0);
    let end = bytes.len() - 8;
    let footer = u32::from_le_bytes(bytes[end..end + 4].try_into().unwrap()) + 4 * changed;
    bytes[end..end + 4].copy_from_slice(&footer.to_le_bytes());
    let folder = Folder::new();
    let start = std::time::Instant::now();
    match read(&folder.write("billion.parquet", &bytes), &TableOptions::default()) {
        Ok((data, _)) => assert_eq!(data.len(), 6, "the rows that are there"),
        Err(error) => assert!(error.to_string().contains("cannot be read as a table"), "{error}"),
    }
    assert!(start.elapsed().as_secs() < 10);
}

const TWO_ROWS: &str = "y,split\na,train\nb,train\n";

fn matrix(bytes: &[u8]) -> Result<Vec<f32>, String> {
    let folder = Folder::new();
    let features_file = Some(folder.write("x.npy", bytes));
    let options = TableOptions { features_file, ..Default::default() };
    match folder.table(TWO_ROWS, &options) {
        Ok((data, _)) => match data.into_inputs() {
            Inputs::Features(features) => Ok(features.values),
            _ => panic!(),
        },
        Err(error) => Err(crate::common::shown(&folder.0, &error)),
    }
}

#[test]
fn matrices_of_many_types_are_read() {
    for name in ["le_f4", "le_f8", "be_f4", "be_f8", "i1", "le_i2", "be_i4", "le_i8", "fortran"] {
        let bytes = fs::read(golden(&format!("matrix_{name}.npy"))).unwrap();
        assert_eq!(matrix(&bytes), Ok(vec![1.0, 2.0, 3.0, -4.0, 5.0, -6.0]), "{name}");
    }
}

/// The header that numpy would write for this description, and the numbers.
fn npy(description: &str, numbers: &[f32]) -> Vec<u8> {
    let mut bytes = b"\x93NUMPY\x01\x00".to_vec();
    bytes.extend((description.len() as u16).to_le_bytes());
    bytes.extend(description.as_bytes());
    bytes.extend(numbers.iter().flat_map(|number| number.to_le_bytes()));
    bytes
}

#[test]
fn matrices_that_cannot_be_used_say_why() {
    let good = "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 1), }";
    assert_eq!(matrix(&npy(good, &[1.0, 2.0])), Ok(vec![1.0, 2.0]));
    assert_eq!(matrix(&npy(&good.replace("(2, 1)", "(2,)"), &[1.0, 2.0])), Ok(vec![1.0, 2.0]));
    let fails = |bytes: &[u8], part: &str| {
        let message = matrix(bytes).unwrap_err();
        assert!(
            message.starts_with("x.npy") && message.contains(part) && message.contains("\ntip: "),
            "{message}"
        );
    };
    fails(b"", "it ends within its header");
    fails(b"PK\x03\x04 and so on", "it does not begin like one");
    fails(&npy(good, &[1.0]), "it claims 2x1 numbers, but its 73 bytes hold another number");
    fails(&npy(&good.replace("(2, 1)", "(3, 1)"), &[1.0; 3]), "the matrix has 3 rows, the table has 2");
    fails(&npy(&good.replace("(2, 1)", "(1000000000000, 9)"), &[]), "the matrix has 1000000000000 rows");
    fails(
        &npy(&good.replace("(2, 1)", "(2, 999999999999999999)"), &[]),
        "it claims 2x999999999999999999 numbers",
    );
    fails(&npy(&good.replace("(2, 1)", "(2, 1, 1)"), &[1.0; 2]), "its shape is (2, 1, 1)");
    fails(&npy(&good.replace("<f4", "<c8"), &[1.0; 4]), "its numbers have the type `<c8`");
    fails(&npy(&good.replace("<f4", "|O"), &[1.0; 4]), "its numbers have the type `|O`");
    fails(&npy(good, &[1.0, f32::NAN]), "x.npy:2: `NaN` in column `x1` is not a finite number");
}

#[test]
fn a_matrix_of_holes_is_refused_before_memory_is_asked_for() {
    let folder = Folder::new();
    let description = "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 1200000000), }";
    let path = folder.write("x.npy", npy(description, &[]));
    let length = fs::metadata(&path).unwrap().len() + 2 * 1_200_000_000 * 4;
    fs::File::options().append(true).open(&path).unwrap().set_len(length).unwrap();
    let options = TableOptions { features_file: Some(path), ..Default::default() };
    let message = crate::common::shown(&folder.0, &folder.table(TWO_ROWS, &options).unwrap_err());
    let words = "its 2x1200000000 numbers take 67200 MB, but most of them are not on the disk\ntip: ";
    assert!(message.contains(words), "{message}");
}

#[test]
fn whole_numbers_that_lose_digits_are_said_once_for_all_columns() {
    let folder = Folder::new();
    let said = |text: &str, options: &TableOptions| {
        let (_, report) = folder.table(text, options).unwrap();
        let is_said = |note: &&String| note.contains("lose digits");
        report.notes.iter().filter(is_said).cloned().collect::<Vec<String>>()
    };
    // 2^24 + 1 and a time in nanoseconds do not fit; 2^24 + 2 does, and 0.1 is a measurement.
    let text = "x1,x2,x3,y,split\n16777217,16777218,0.1,a,train\n16777219,2,3,b,train\n1,1,1700000000123456789,a,train\n";
    let note = "whole numbers above 16777216 lose digits, as all numbers are kept in 32 bits, in";
    assert_eq!(said(text, &TableOptions::default()), [format!("{note} `x1`, `x3`")]);
    let exact = "x1,y,split\n16777216,a,train\n-33554432,b,train\n";
    assert!(said(exact, &TableOptions::default()).is_empty());
    let regression = TableOptions { task: corevar_data::Task::Regression, ..Default::default() };
    assert_eq!(said("x1,y,split\n1,123456789,train\n2,2,train\n", &regression), [format!("{note} `y`")]);
    // Column 2 of a matrix: 2^24 + 1 as a number of 8 bytes.
    let mut bytes = npy("{'descr': '<i8', 'fortran_order': False, 'shape': (2, 2), }", &[]);
    bytes.extend([5i64, 16_777_217, 6, 7].into_iter().flat_map(i64::to_le_bytes));
    let features_file = Some(folder.write("x.npy", bytes));
    let options = TableOptions { features_file, ..Default::default() };
    assert_eq!(said(TWO_ROWS, &options), [format!("{note} `x2`")]);
}

#[test]
fn nan_ids_are_not_observed() {
    let folder = Folder::new();
    let text = "y,x1,split,group_id\na,1,train,nan\nb,1,train,NaN\na,1,train,None\n";
    let (data, report) = folder.table(text, &TableOptions::default()).unwrap();
    assert_eq!(data.ids(), [None, None, Some(0)]);
    assert!(report.notes.iter().any(|note| note.starts_with("2 ids are NaN")), "{:?}", report.notes);
    assert!(
        report.notes.iter().any(|note| note.starts_with("`None` is taken as an id")),
        "{:?}",
        report.notes
    );
}
