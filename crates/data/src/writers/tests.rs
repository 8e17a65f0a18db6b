use std::io::{self, Write};
use std::sync::{Arc, Mutex};

use super::*;

/// Bytes that a test can look at.
#[derive(Clone, Default)]
struct Bytes(Arc<Mutex<Vec<u8>>>);

impl Write for Bytes {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().unwrap().write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Sink for Bytes {
    fn keep(self: Box<Self>) -> io::Result<()> {
        Ok(())
    }
}

fn heads() -> Vec<ColumnHead> {
    [
        ("row", ColumnKind::Counts),
        ("id", ColumnKind::Texts),
        ("label", ColumnKind::Texts),
        ("p_a \"b\"", ColumnKind::Numbers),
    ]
    .map(|(name, kind)| ColumnHead::new(name, kind))
    .into()
}

/// Two blocks of two rows.
fn written(format: TableFormat) -> Vec<u8> {
    let bytes = Bytes::default();
    let mut writer = table_writer(format, heads(), Box::new(bytes.clone())).unwrap();
    let names = ["yes".to_string(), "n,o".into()];
    let first = [
        ColumnBlock::CountsFrom(1),
        ColumnBlock::Texts(&["p\n1".into(), String::new()]),
        ColumnBlock::Names { names: &names, of_row: &[Some(1), None] },
        ColumnBlock::Numbers(&[0.25, f64::NAN]),
    ];
    writer.write(2, &first).unwrap();
    let second = [
        ColumnBlock::CountsFrom(3),
        ColumnBlock::Texts(&["p2".into(), " p3".into()]),
        ColumnBlock::Names { names: &names, of_row: &[Some(0), Some(0)] },
        ColumnBlock::Numbers(&[f64::INFINITY, 1e-300]),
    ];
    writer.write(2, &second).unwrap();
    writer.finish().unwrap();
    bytes.0.lock().unwrap().clone()
}

#[test]
fn csv_quotes_what_needs_it_and_leaves_missing_values_empty() {
    let wanted =
        "row,id,label,\"p_a \"\"b\"\"\"\n1,\"p\n1\",\"n,o\",0.25\n2,,,\n3,p2,yes,inf\n4,\" p3\",yes,1e-300\n";
    assert_eq!(String::from_utf8(written(TableFormat::Csv)).unwrap(), wanted);
}

#[test]
fn json_lines_are_json_with_null_for_missing_values() {
    let text = String::from_utf8(written(TableFormat::Jsonl)).unwrap();
    let lines: Vec<serde_json::Value> =
        text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(lines[0], serde_json::json!({"row": 1, "id": "p\n1", "label": "n,o", "p_a \"b\"": 0.25}));
    assert_eq!(lines[1], serde_json::json!({"row": 2, "id": null, "label": null, "p_a \"b\"": null}));
    assert_eq!(lines[2]["p_a \"b\""], "inf");
    assert_eq!(lines.len(), 4);
}

#[cfg(feature = "parquet")]
#[test]
fn parquet_reads_back_to_the_same_values() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.parquet");
    std::fs::write(&path, written(TableFormat::Parquet)).unwrap();
    let mut rows = crate::table::rows::open(&path, std::fs::File::open(&path).unwrap()).unwrap();
    assert_eq!(rows.columns(), ["row", "id", "label", "p_a \"b\""]);
    let mut seen = Vec::new();
    while rows.advance().unwrap() {
        let cell = |column| rows.cell(column).unwrap().text().into_owned();
        seen.push([0, 1, 2, 3].map(cell));
    }
    let wanted = [["1", "p\n1", "n,o", "0.25"], ["2", "", "", ""], ["3", "p2", "yes", "inf"]];
    assert_eq!(seen[..3], wanted.map(|row| row.map(String::from)));
    assert_eq!((seen.len(), seen[3][3].parse::<f64>().unwrap()), (4, 1e-300));
}

#[test]
fn the_ending_of_a_name_decides() {
    let of = |name: &str| TableFormat::of(Path::new(name));
    assert_eq!(of("a.CSV"), Some(TableFormat::Csv));
    assert_eq!((of("a.jsonl"), of("a.pq")), (Some(TableFormat::Jsonl), Some(TableFormat::Parquet)));
    assert_eq!((of("a.txt"), of("a")), (None, None));
}
