use std::io::{self, Write};
use std::path::Path;
use std::sync::{Arc, Mutex};

use corevar_data::writers::{Sink, TableFormat, table_writer};
use corevar_data::{Dataset, StreamSource};

use super::*;
use crate::model::ModelSpec;
use crate::{Core, WholeFile};

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

#[derive(Default)]
struct Messages(Vec<String>);

impl Watch for Messages {
    fn unanswered(&mut self, why: &Unanswered) {
        self.0.push(why.to_string());
    }

    fn done(&mut self, _: u64) {}
}

/// Three classes, two features.
fn data() -> Dataset {
    let values: Vec<f32> = (0..120).map(|k| ((k * 37) % 23) as f32 / 7.0 - 1.5).collect();
    let classes: Vec<&str> = (0..60).map(|k| ["a", "b,c", "d"][(k / 2 * 5) % 3]).collect();
    let ids = (0..60).map(|k| Some(k / 2));
    Dataset::features(["p", "q"], values).classes(&classes).ids(ids).split_by_id(0.3, 1).check().unwrap()
}

fn model(spec: ModelSpec, seed: u64) -> Model {
    Core::new().model(spec).epochs(2).seed(seed).fit(&data()).unwrap()
}

/// Sixty rows, of which every seventh has no `q`.
fn rows() -> Vec<[Option<f32>; 2]> {
    let number = |k: usize| ((k * 53) % 101) as f32 / 13.0 - 4.0;
    (0..60).map(|row| [Some(number(2 * row)), (row % 7 != 3).then_some(number(2 * row + 1))]).collect()
}

fn csv() -> String {
    let cell = |value: &Option<f32>| value.map_or(String::new(), |value| value.to_string());
    let line = |(row, [p, q]): (usize, &[Option<f32>; 2])| format!("{},r{row},{}\n", cell(q), cell(p));
    "q,group_id,p\n".to_string() + &rows().iter().enumerate().map(line).collect::<String>()
}

fn answer(models: &Ensemble, source: StreamSource, chunk: usize, format: TableFormat) -> (Vec<u8>, Summary) {
    let options = StreamOptions { chunk_rows: Some(chunk), ..models.stream_options() };
    let mut stream = RowStream::open(source, &options).unwrap();
    let bytes = Bytes::default();
    let out = table_writer(format, heads(models, stream.keys()), Box::new(bytes.clone())).unwrap();
    let summary = predict(models, &mut stream, out, false, &mut Unwatched).unwrap();
    let bytes = bytes.0.lock().unwrap().clone();
    (bytes, summary)
}

fn pipe() -> StreamSource {
    StreamSource::Pipe(Box::new(io::Cursor::new(csv().into_bytes())))
}

/// `Model::predict` on the rows that can be read, as lines of CSV.
fn by_hand(model: &Model) -> Vec<String> {
    let rows = rows();
    let values = rows.iter().filter(|row| row[1].is_some()).flatten().flatten().copied().collect();
    let said = model.predict(&Dataset::features(["p", "q"], values).check().unwrap()).unwrap();
    let (labels, probabilities, radii) = (said.labels(), said.probabilities(), said.style_radii().unwrap());
    let mut next = 0;
    let line = |(row, cells): (usize, &[Option<f32>; 2])| {
        if cells[1].is_none() {
            return format!("{},r{row},,,,,", row + 1);
        }
        let label = if labels[next] == "b,c" { "\"b,c\"" } else { labels[next] };
        let numbers: String = probabilities[next].iter().map(|p| format!("{p:?},")).collect();
        next += 1;
        format!("{},r{row},{label},{numbers}{:?}", row + 1, radii[next - 1])
    };
    rows.iter().enumerate().map(line).collect()
}

#[test]
fn answers_are_those_of_the_model_for_every_chunk_size() {
    for spec in [ModelSpec::Linear, ModelSpec::Mlp { hidden: vec![5] }] {
        let model = model(spec, 0);
        let wanted = by_hand(&model);
        let models = Ensemble::new(vec![model]).unwrap();
        for chunk in [1, 7, 59, 1000] {
            let (bytes, summary) = answer(&models, pipe(), chunk, TableFormat::Csv);
            assert_eq!(summary, Summary { rows: 60, unanswered: 9 });
            let text = String::from_utf8(bytes).unwrap();
            let mut lines = text.lines();
            assert_eq!(lines.next(), Some("row,group_id,label,p_a,\"p_b,c\",p_d,style_radius"));
            for (line, wanted) in lines.zip(&wanted) {
                assert_eq!(fields(line), fields(wanted), "chunks of {chunk}");
            }
        }
    }
}

/// Numbers to twelve digits: sums over blocks of other sizes may be rounded in another way.
fn fields(line: &str) -> Vec<String> {
    let field = |field: &str| match field.parse::<f64>() {
        Ok(number) => format!("{number:.12e}"),
        Err(_) => field.to_string(),
    };
    line.split(',').map(field).collect()
}

#[test]
fn every_format_holds_the_same_answers() {
    let models = Ensemble::new(vec![model(ModelSpec::Linear, 0)]).unwrap();
    let (csv, _) = answer(&models, pipe(), 16, TableFormat::Csv);
    let (jsonl, _) = answer(&models, pipe(), 16, TableFormat::Jsonl);
    let (parquet, _) = answer(&models, pipe(), 16, TableFormat::Parquet);
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("a.parquet"), parquet).unwrap();
    std::fs::write(folder.path().join("a.csv"), &csv).unwrap();
    // Answers of both, where there are any, read as features.
    let read = |name: &str| {
        let names = ["p_a", "p_b,c", "p_d", "style_radius"].map(String::from).to_vec();
        let options = StreamOptions::new(WantedInputs::Features(names));
        let mut stream = RowStream::open(StreamSource::Path(folder.path().join(name)), &options).unwrap();
        let chunk = stream.next_chunk().unwrap().unwrap();
        assert_eq!((chunk.rows, chunk.unreadable.len()), (60, 9));
        chunk.inputs.as_features().unwrap().values.clone()
    };
    assert_eq!(read("a.parquet"), read("a.csv"));
    let values: Vec<f32> = String::from_utf8(jsonl)
        .unwrap()
        .lines()
        .map(|line| serde_json::from_str::<serde_json::Value>(line).unwrap())
        .filter(|row| !row["label"].is_null())
        .flat_map(|row| ["p_a", "p_b,c", "p_d", "style_radius"].map(|key| row[key].as_f64().unwrap() as f32))
        .collect();
    assert_eq!(values, read("a.csv"));
}

#[test]
fn keys_keep_their_names_unless_an_answer_has_them() {
    let models = Ensemble::new(vec![model(ModelSpec::Linear, 0)]).unwrap();
    let of = |file: Option<&str>, id: Option<&str>| {
        let keys = KeyColumns { file: file.map(Into::into), id: id.map(Into::into) };
        let heads = heads(&models, &keys);
        heads.into_iter().map(|head| head.name).take_while(|name| !name.starts_with("p_")).collect::<Vec<_>>()
    };
    assert_eq!(of(None, Some("patient")), ["row", "patient", "label"]);
    assert_eq!(of(Some("label"), Some("row")), ["filename", "group_id", "label"]);
}

#[test]
fn an_ensemble_averages_probabilities() {
    let each: Vec<Model> = (0..2).map(|seed| model(ModelSpec::Mlp { hidden: vec![4] }, seed)).collect();
    let rows = Dataset::features(["p", "q"], vec![0.5, -1.0]).check().unwrap();
    let of = |model: &Model| model.predict(&rows).unwrap().probabilities()[0][0];
    let mean = (of(&each[0]) + of(&each[1])) / 2.0;
    let models = Ensemble::new(each).unwrap();
    let source = StreamSource::Pipe(Box::new(io::Cursor::new(b"p,q\n0.5,-1\n".to_vec())));
    let (bytes, _) = answer(&models, source, 10, TableFormat::Jsonl);
    let row: serde_json::Value = serde_json::from_slice(&bytes).unwrap();
    assert!((row["p_a"].as_f64().unwrap() - mean).abs() < 1e-12);
    let other = Core::new()
        .fit(
            &Dataset::features(["p"], vec![0.0, 1.0, 2.0, 3.0])
                .classes(&["a", "a", "b", "b"])
                .ids([0, 0, 1, 1].map(Some))
                .check()
                .unwrap(),
        )
        .unwrap();
    assert!(matches!(Ensemble::new(vec![model(ModelSpec::Linear, 0), other]), Err(PredictError::NotAlike)));
    assert!(matches!(Ensemble::new(Vec::new()), Err(PredictError::NoModel)));
}

#[test]
fn numbers_too_large_for_the_model_have_no_answer() {
    let models = Ensemble::new(vec![model(ModelSpec::Mlp { hidden: vec![4] }, 0)]).unwrap();
    let text = "p,q\n1,2\n3e38,-3e38\n1,2\n";
    let source = StreamSource::Pipe(Box::new(io::Cursor::new(text.as_bytes().to_vec())));
    let mut stream = RowStream::open(source, &models.stream_options()).unwrap();
    let out = table_writer(TableFormat::Csv, heads(&models, stream.keys()), Box::<Bytes>::default()).unwrap();
    let mut messages = Messages::default();
    let summary = predict(&models, &mut stream, out, false, &mut messages).unwrap();
    // Either the scaled numbers still fit, or the row is named.
    assert_eq!(summary.rows, 3);
    assert!(messages.0.iter().all(|message| message.starts_with("row 2: ")), "{:?}", messages.0);
}

#[test]
fn strict_stops_at_the_first_row_without_an_answer_and_keeps_no_file() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("answers.csv");
    let models = Ensemble::new(vec![model(ModelSpec::Linear, 0)]).unwrap();
    let mut stream = RowStream::open(pipe(), &models.stream_options()).unwrap();
    let file = Box::new(WholeFile::create(&path).unwrap());
    let out = table_writer(TableFormat::Csv, heads(&models, stream.keys()), file).unwrap();
    let mut messages = Messages::default();
    let error = predict(&models, &mut stream, out, true, &mut messages).unwrap_err();
    assert!(matches!(error, PredictError::Unanswered));
    assert_eq!(messages.0[0], "stdin:5: the number is empty in column `q`");
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
}

#[test]
fn pictures_are_answered_as_a_data_set_of_them() {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &Path, number: u8| {
        let pixels: String = (0..64u8).map(|pixel| format!("{} ", number.wrapping_mul(31) ^ pixel)).collect();
        std::fs::write(folder.path().join(name), format!("P2\n8 8\n255\n{pixels}\n")).unwrap();
    };
    let table: String =
        (0..20).map(|k| format!("{k}.pgm,{},{}\n", ["a", "b"][k % 2], k / 4 * 2 + k % 2)).collect();
    (0..20).for_each(|k| write(Path::new(&format!("{k}.pgm")), k));
    let path = folder.path().join("metadata.csv");
    std::fs::write(&path, format!("filename,y,group_id\n{table}")).unwrap();
    let options = corevar_data::TableOptions { cache: corevar_data::Cache::Off, ..Default::default() };
    let (data, _) = corevar_data::read(&path, &options).unwrap();
    let model = Core::new().epochs(1).fit(&data).unwrap();
    let wanted: Vec<f64> = model.predict(&data).unwrap().probabilities().iter().map(|row| row[1]).collect();
    let models = Ensemble::new(vec![model]).unwrap();
    for chunk in [1, 3, 100] {
        let (bytes, _) = answer(&models, StreamSource::Path(folder.path().into()), chunk, TableFormat::Jsonl);
        let rows = String::from_utf8(bytes).unwrap();
        let rows = rows.lines().map(|line| serde_json::from_str::<serde_json::Value>(line).unwrap());
        for (place, (row, wanted)) in rows.zip(&wanted).enumerate() {
            assert_eq!(row["filename"], format!("{place}.pgm"));
            assert!((row["p_b"].as_f64().unwrap() - wanted).abs() < 1e-6);
        }
    }
}
