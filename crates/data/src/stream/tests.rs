use std::fs;
use std::io::Cursor;
use std::path::Path;

use super::*;

fn features(names: &[&str]) -> StreamOptions {
    StreamOptions::new(WantedInputs::Features(names.iter().map(|name| name.to_string()).collect()))
}

fn with_rows(options: &StreamOptions, rows: usize) -> StreamOptions {
    StreamOptions { chunk_rows: Some(rows), ..options.clone() }
}

/// All that a stream gives: values, files, ids, and the messages of rows that cannot be read.
#[derive(Debug, Default, PartialEq)]
struct Seen {
    rows: u64,
    values: Vec<f32>,
    pixels: Vec<u8>,
    files: Vec<String>,
    ids: Vec<String>,
    messages: Vec<String>,
}

fn see(mut stream: RowStream) -> Result<Seen, DataError> {
    let mut seen = Seen::default();
    while let Some(chunk) = stream.next_chunk()? {
        assert_eq!(chunk.first, seen.rows + 1);
        assert!(chunk.rows <= stream.chunk_rows);
        let message = |(row, error): (usize, DataError)| format!("{}: {error}", chunk.first + row as u64);
        seen.messages.extend(chunk.unreadable.into_iter().map(message));
        seen.rows += chunk.rows as u64;
        seen.files.extend(chunk.files.unwrap_or_default());
        seen.ids.extend(chunk.ids.unwrap_or_default());
        match chunk.inputs {
            Inputs::Features(features) => seen.values.extend(features.values),
            Inputs::Images(images) => match &*images.pixels {
                Pixels::Memory(pixels) => seen.pixels.extend(pixels),
                _ => panic!("not in memory"),
            },
        }
    }
    Ok(seen)
}

fn of_text(text: &str, options: &StreamOptions) -> Result<Seen, DataError> {
    let pipe = Box::new(Cursor::new(text.as_bytes().to_vec()));
    see(RowStream::open(StreamSource::Pipe(pipe), options)?)
}

fn of_path(path: &Path, options: &StreamOptions) -> Result<Seen, DataError> {
    see(RowStream::open(StreamSource::Path(path.into()), options)?)
}

#[test]
fn text_is_read_alike_in_every_form_and_chunk_size() {
    let plain = "id,b,a\n1,2,3\n2,4,5\n3,6,7\n4,8,9\n5,10,11\n";
    let forms = [
        plain.to_string(),
        plain.replace('\n', "\r\n"),
        plain.replace(',', ";"),
        plain.replace(',', "\t"),
        format!("\u{feff}{plain}"),
        plain.replace("\n3,", "\n\n3,"),
        plain.trim_end().to_string(),
        plain.replace("3,6", "3,\"6\""),
        plain.replace("3,6", "3,\"6\"").replace('\n', "\r\n"),
        plain.replace("id,b", "id,\"b\""),
        plain.replace("1,2", " 1 , 2 "),
        plain.replace('\n', "\r"),
    ];
    for form in &forms {
        for rows in [1, 2, 3, 100] {
            let seen = of_text(form, &with_rows(&features(&["a", "b"]), rows)).unwrap();
            assert_eq!(seen.values, [3.0, 2.0, 5.0, 4.0, 7.0, 6.0, 9.0, 8.0, 11.0, 10.0], "{form:?}");
            assert_eq!((seen.rows, seen.messages.len()), (5, 0), "{form:?}");
        }
    }
}

#[test]
fn rows_that_cannot_be_read_are_named_by_their_line_before_and_after_a_quote() {
    let text = "a,b,group_id\n1,2,x\n1,,y\n1,two,z\n1,2\n1,nan,v\n1,1e60,w\n5,6,last\n";
    for text in [text.to_string(), text.replace("1,2,x", "1,\"2\",x")] {
        for rows in [1, 3, 100] {
            let seen = of_text(&text, &with_rows(&features(&["a", "b"]), rows)).unwrap();
            assert_eq!(seen.values, [1.0, 2.0, 5.0, 6.0]);
            assert_eq!(seen.ids, ["x", "y", "z", "", "v", "w", "last"]);
            assert_eq!(
                seen.messages,
                [
                    "2: stdin:3: the number is empty in column `b`",
                    "3: stdin:4: `two` in column `b` is not a number",
                    "4: stdin:5: the row has 2 fields, the header has 3",
                    "5: stdin:6: `nan` in column `b` is not a finite number",
                    "6: stdin:7: `1e60` in column `b` is not a finite number",
                ]
            );
        }
    }
}

#[test]
fn a_quoted_field_may_hold_what_else_would_end_it() {
    let text = "name,a,group_id\np,1,x\n\"q,\n\"\"q\"\"\",2,\"y,z\"\nr,3,\n";
    let options = StreamOptions { filename_column: Some("name".into()), ..features(&["a"]) };
    let seen = of_text(text, &with_rows(&options, 2)).unwrap();
    assert_eq!(seen.files, ["p", "q,\n\"q\"", "r"]);
    assert_eq!((seen.ids, seen.values), (vec!["x".into(), "y,z".into(), String::new()], vec![1.0, 2.0, 3.0]));
    let error = of_text("a,b\n1,2\n3,\"4\n5,6\n", &features(&["a", "b"])).unwrap_err().to_string();
    assert_eq!(error, "stdin:3: cannot be read as a table: a quote is opened here and never closed");
}

#[test]
fn columns_that_nobody_needs_are_named_and_missing_ones_are_an_error() {
    let open = |text: &str, options: &StreamOptions| {
        RowStream::open(StreamSource::Pipe(Box::new(Cursor::new(text.as_bytes().to_vec()))), options)
    };
    let stream = open("a,y,split,site,group_id,b,age\n", &features(&["a", "b"])).unwrap();
    assert_eq!(stream.notes(), ["ignored 2 columns that the model does not take: `site`, `age`"]);
    assert_eq!(stream.keys(), &KeyColumns { file: None, id: Some("group_id".into()) });
    let error = open("a,c\n1,2\n", &features(&["a", "b", "d"])).err().unwrap().to_string();
    assert_eq!(error, "stdin:1: the model takes features that are not there: `b`, `d`; there are `a`, `c`");
    // A feature may have the name of another role.
    let seen = of_text("group_id,y\n1,2\n", &features(&["y", "group_id"])).unwrap();
    assert_eq!((seen.values, seen.ids.len()), (vec![2.0, 1.0], 0));
    assert!(open("a,a\n1,2\n", &features(&["a"])).is_err());
    assert!(open("", &features(&["a"])).is_err());
    assert_eq!(of_text("a\n", &features(&["a"])).unwrap().rows, 0);
}

/// Gives one line at a time, slowly.
struct Slow(Vec<&'static str>);

impl Read for Slow {
    fn read(&mut self, out: &mut [u8]) -> std::io::Result<usize> {
        if self.0.is_empty() {
            return Ok(0);
        }
        std::thread::sleep(std::time::Duration::from_millis(150));
        let line = self.0.remove(0).as_bytes();
        out[..line.len()].copy_from_slice(line);
        Ok(line.len())
    }
}

#[test]
fn rows_of_a_slow_pipe_do_not_wait_for_its_end() {
    let pipe = Box::new(Slow(vec!["a\n", "1\n", "2\n"]));
    let mut stream = RowStream::open(StreamSource::Pipe(pipe), &features(&["a"])).unwrap();
    for wanted in [1.0, 2.0] {
        let chunk = stream.next_chunk().unwrap().unwrap();
        assert_eq!(chunk.inputs.as_features().unwrap().values, [wanted]);
    }
    assert!(stream.next_chunk().unwrap().is_none());
}

fn npy(header: &str, values: &[f32]) -> Vec<u8> {
    let header = format!("{header:<117}\n");
    let mut bytes = [b"\x93NUMPY\x01\0".as_slice(), &118u16.to_le_bytes(), header.as_bytes()].concat();
    bytes.extend(values.iter().flat_map(|value| value.to_le_bytes()));
    bytes
}

#[test]
fn a_matrix_is_read_by_rows_whatever_its_order_in_the_file() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    let by_row = npy(
        "{'descr': '<f4', 'fortran_order': False, 'shape': (3, 2), }",
        &[1.0, 2.0, 3.0, f32::NAN, 5.0, 6.0],
    );
    let by_column = npy(
        "{'descr': '<f4', 'fortran_order': True, 'shape': (3, 2), }",
        &[1.0, 3.0, 5.0, 2.0, f32::NAN, 6.0],
    );
    fs::write(at("r.npy"), by_row).unwrap();
    fs::write(at("c.npy"), by_column).unwrap();
    for name in ["r.npy", "c.npy"] {
        for rows in [1, 2, 100] {
            let seen = of_path(&at(name), &with_rows(&features(&["x1", "x2"]), rows)).unwrap();
            assert_eq!((seen.rows, seen.values), (3, vec![1.0, 2.0, 5.0, 6.0]));
            let message = format!("2: {}:2: `NaN` in column `x2` is not a finite number", at(name).display());
            assert_eq!(seen.messages, [message]);
        }
    }
    let beside = |table: &str| {
        let options = StreamOptions { features_file: Some(at("r.npy")), ..features(&["p", "q"]) };
        of_text(table, &with_rows(&options, 2))
    };
    assert_eq!(beside("group_id\na\nb\nc\n").unwrap().ids, ["a", "b", "c"]);
    assert!(beside("group_id\na\nb\n").unwrap_err().to_string().ends_with("has 3 rows, the table has 2"));
    let error = beside("group_id\na\nb\nc\nd\n").unwrap_err().to_string();
    assert!(error.ends_with("the matrix has 3 rows, the table has more"), "{error}");
    let error = of_path(&at("r.npy"), &features(&["x1"])).unwrap_err().to_string();
    assert!(error.ends_with("the matrix has 2 columns, the model takes 1 features"), "{error}");
}

/// Grey pictures of two pixels.
fn images() -> StreamOptions {
    let shape = ImageShape { height: 1, width: 2, channels: 1 };
    StreamOptions::new(WantedInputs::Images { shape, crop: Crop::default() })
}

#[test]
fn pictures_come_in_their_order_and_broken_ones_have_no_pixels() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    for (name, text) in [("10.pgm", "P2 2 1 255 7 9"), ("9.pgm", "P2 2 1 255 5 6"), ("b.pgm", "P2 2 1 255 5")]
    {
        fs::write(at(name), text).unwrap();
    }
    fs::write(at("notes.txt"), "mine").unwrap();
    for rows in [1, 2, 100] {
        let seen = of_path(folder.path(), &with_rows(&images(), rows)).unwrap();
        assert_eq!(seen.files, ["9.pgm", "10.pgm", "b.pgm"]);
        assert_eq!(seen.pixels, [5, 6, 7, 9]);
        assert!(seen.messages[0].contains("image `b.pgm` cannot be decoded"), "{:?}", seen.messages);
        fs::write(at("t.csv"), "img_filename,y\n10.pgm,1\nnone.pgm,2\n,3\n9.pgm,4\n").unwrap();
        let seen = of_path(&at("t.csv"), &with_rows(&images(), rows)).unwrap();
        assert_eq!(seen.pixels, [7, 9, 5, 6]);
        assert!(seen.messages[0].contains("t.csv:3: image `none.pgm` cannot be decoded: no such file"));
        assert!(seen.messages[1].contains("t.csv:4: the image is empty in column `img_filename`"));
        fs::remove_file(at("t.csv")).unwrap();
    }
    let seen =
        see(RowStream::open(StreamSource::Pictures(vec![at("10.pgm"), at("9.pgm")]), &images()).unwrap())
            .unwrap();
    assert_eq!(seen.pixels, [7, 9, 5, 6]);
    fs::write(at("out.csv"), "filename\n../10.pgm\n").unwrap();
    let error = of_path(&at("out.csv"), &images()).unwrap_err().to_string();
    assert!(error.ends_with("out.csv:2: image `../10.pgm` lies outside the folder of the table"), "{error}");
    let error = of_path(folder.path(), &features(&["a"])).unwrap_err().to_string();
    assert!(error.ends_with("these are images, but the model takes features"), "{error}");
}

#[test]
fn pictures_too_deep_down_are_not_passed_over() {
    let folder = tempfile::tempdir().unwrap();
    fs::create_dir_all(folder.path().join("a/b/c")).unwrap();
    let error = of_path(folder.path(), &images()).unwrap_err().to_string();
    assert!(error.ends_with("the folder holds no metadata.csv and no images"), "{error}");
    fs::write(folder.path().join("a/b/1.pgm"), "P2 2 1 255 7 9").unwrap();
    assert_eq!(of_path(folder.path(), &images()).unwrap().files, ["a/b/1.pgm"]);
    fs::write(folder.path().join("a/b/c/1.pgm"), "P2 2 1 255 7 9").unwrap();
    let error = of_path(folder.path(), &images()).unwrap_err().to_string();
    assert!(error.ends_with("`a/b/c/1.pgm` lies more than two folders deep"), "{error}");
}

#[test]
fn medians_take_the_place_of_missing_numbers() {
    let medians = Some(vec![10.0, 20.0]);
    let options = StreamOptions { medians: medians.clone(), ..features(&["a", "b"]) };
    for text in ["b,a\n1,2\n,NA\nnan,3\ninf,1\n", "b,a\n\"1\",2\n,NA\nnan,3\ninf,1\n"] {
        let seen = of_text(text, &options).unwrap();
        assert_eq!(seen.values, [2.0, 1.0, 10.0, 20.0, 3.0, 20.0]);
        assert_eq!(seen.messages, ["4: stdin:5: `inf` in column `b` is not a finite number"]);
    }
}
