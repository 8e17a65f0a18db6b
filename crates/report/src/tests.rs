//! The page as a whole.

use std::fs;

use super::*;

const EVIL: &str = "<img src=x onerror=alert(1)>\"' onload='x'</style></svg><script>alert(2)</script>&";

/// Every name that can come from the data.
fn evil() -> Records {
    let mut records = samples::of(2, 2, 2, 2);
    records.name = EVIL.into();
    records.config = Some(vec![Setting { key: EVIL.into(), value: EVIL.into() }]);
    records.epochs.iter_mut().for_each(|line| line.estimator = EVIL.into());
    let data = &mut records.results.data;
    data.name = EVIL.into();
    data.classes[0] = EVIL.into();
    data.splits.insert(EVIL, 7);
    for (index, estimator) in records.results.estimators.iter_mut().enumerate() {
        (estimator.name, estimator.penalty, estimator.penalty_weight) =
            (EVIL.into(), EVIL.into(), index as f64);
        let numbers = estimator.mean["test1"];
        estimator.mean.insert(EVIL, numbers);
        for run in &mut estimator.runs {
            let mut split = run.splits["test1"].clone();
            let class = split.by_class["class 0"].clone();
            split.by_class.insert(EVIL.into(), class);
            run.splits.insert(EVIL, split);
        }
    }
    records.results.selection = samples::path().results.selection;
    records.results.selection.as_mut().unwrap().split = EVIL.into();
    records.results.selection.as_mut().unwrap().oracle.as_mut().unwrap().split = EVIL.into();
    records.evidence = Some(evil_evidence());
    records
}

/// Every text of a record is replaced, that of the form aside.
fn evil_evidence() -> corevar::evidence::Evidence {
    let mut evidence = samples::with_evidence().evidence.unwrap();
    evidence.plane = samples::path().evidence.unwrap().plane;
    let mut json = serde_json::to_value(&evidence).unwrap();
    replace_texts(&mut json);
    json["schema"] = corevar::evidence::SCHEMA.into();
    serde_json::from_value(json).unwrap()
}

fn replace_texts(json: &mut serde_json::Value) {
    match json {
        serde_json::Value::String(text) => *text = EVIL.into(),
        serde_json::Value::Array(values) => values.iter_mut().for_each(replace_texts),
        serde_json::Value::Object(fields) => {
            // A split has its name as a key.
            if let Some(split) = fields.get("test2").cloned() {
                fields.insert(EVIL.into(), split);
            }
            fields.values_mut().for_each(replace_texts);
        }
        _ => {}
    }
}

#[test]
fn names_from_the_data_stay_text() {
    let page = html(&evil());
    let page = page.replace(page::SCRIPT, "");
    assert!(!page.contains("<img"), "no picture of these records is one");
    assert_eq!(page.matches("<script").count(), 1);
    let ends = ["</style>", "</svg>", "</script>"].map(|end| page.matches(end).count());
    assert_eq!(ends, [1, page.matches("<svg").count(), 1]);
    assert!(page.matches("&lt;img src=x onerror=alert(1)&gt;").count() > 100);
    // No quote of the data ends an attribute.
    for tag in page.split('<').filter_map(|rest| rest.split_once('>')).map(|(tag, _)| tag) {
        let outside: String = tag.split('"').step_by(2).collect();
        assert!(!outside.contains("onerror") && !outside.contains("onload"), "{tag}");
    }
}

/// Of records that hold everything.
fn full() -> Records {
    let mut records = samples::with_evidence();
    records.evidence.as_mut().unwrap().plane = samples::path().evidence.unwrap().plane;
    records
}

#[test]
fn the_page_loads_nothing() {
    let page = html(&full()).replace(page::SCRIPT, "");
    let mut parts = page.split(" src=\"data:image/png;base64,");
    // Without the letters of the pictures.
    let mut text = parts.next().unwrap().to_string();
    text.extend(parts.map(|part| part.split_once('"').unwrap().1));
    for outside in ["http:", "https:", "//", "src=", "url(", "@import", "<link", "<iframe"] {
        assert!(!text.contains(outside), "{outside}");
    }
    assert!(page.contains("default-src 'none'; script-src 'sha256-"));
    assert!(!page::SCRIPT.contains("fetch") && !page::SCRIPT.contains("http"));
}

#[test]
fn the_page_can_be_read_by_everyone() {
    let page = html(&full());
    assert!(page.starts_with("<!DOCTYPE html><html lang=\"en\">"));
    assert!(page.contains("<title>stickmen – corevar report</title>"));
    assert!(page.contains("name=\"viewport\"") && page.contains("@media print"));
    assert!(page.contains("prefers-color-scheme: dark"));
    assert_eq!(page.matches("<svg").count(), page.matches("role=\"img\" aria-label=\"").count());
    assert_eq!(
        page.matches("<th").count(),
        page.matches("scope=\"").count() + page.matches("<thead").count()
    );
    assert_eq!(page.matches("<h1").count(), 1);
    assert_eq!(page.matches("<img").count(), page.matches(" alt=\"").count());
}

/// A paragraph ends where a block begins, whatever the source says.
#[test]
fn paragraphs_hold_no_blocks() {
    for records in [full(), samples::path(), samples::many_classes(40)] {
        let page = html(&records);
        let paragraphs = page.split("<p").skip(1).filter(|part| part.starts_with(['>', ' ']));
        for paragraph in paragraphs.filter_map(|part| part.split("</p>").next()) {
            let block =
                ["<ul", "<div", "<table", "<figure", "<h3"].iter().find(|tag| paragraph.contains(**tag));
            assert!(block.is_none(), "{paragraph}");
        }
    }
}

#[test]
fn large_records_stay_below_five_megabytes() {
    let mut records = samples::of(5, 24, 4, 40);
    // A thousand epochs each.
    let lines = records.epochs.clone();
    records.epochs = lines
        .iter()
        .flat_map(|line| (0..40).map(|part| EpochLine { epoch: line.epoch * 40 + part, ..line.clone() }))
        .collect();
    assert_eq!(records.epochs.len(), 24 * 5 * 1000);
    for records in
        [records, samples::of(1, 100, 10, 300), samples::many_classes(40), full(), largest_pictures()]
    {
        let size = html(&records).len();
        assert!(size < 5_000_000, "{size} bytes");
    }
}

/// As many and as large pictures as evidence ever holds: 80 x 80 in colour, which no compression made smaller.
fn largest_pictures() -> Records {
    let mut records = samples::with_evidence();
    let picture = format!("data:image/png;base64,{}", "A".repeat(80 * 80 * 3 * 4 / 3));
    let pictures = records.evidence.as_mut().unwrap().pictures.as_mut().unwrap();
    pictures.groups = vec![pictures.groups[0].clone(); 12];
    pictures.groups.iter_mut().for_each(|group| group.pictures = vec![picture.clone(); 4]);
    pictures.changes = vec![pictures.changes[0].clone(); 8];
    for change in &mut pictures.changes {
        change.pictures = vec![change.pictures[0].clone(); 4];
        change.pictures.iter_mut().for_each(|judged| judged.picture = picture.clone());
    }
    let rescued = pictures.rescued.as_mut().unwrap();
    rescued.examples = vec![rescued.examples[0].clone(); 12];
    rescued.examples.iter_mut().for_each(|example| example.picture = picture.clone());
    records
}

#[test]
fn records_without_anything_make_a_page() {
    let mut records = samples::small();
    records.config = None;
    records.epochs.clear();
    for estimator in &mut records.results.estimators {
        estimator.runs.clear();
        estimator.mean.clear();
        estimator.standard_error.clear();
    }
    assert!(html(&records).contains("The folder holds no config.toml."));
    records.results.estimators.clear();
    assert!(html(&records).contains("No estimator was trained."));
}

#[test]
fn odd_numbers_make_a_page() {
    for odd in [f64::NAN, f64::INFINITY, -1.0, 1e300, 1e-300, 0.0] {
        let mut records = samples::of(2, 2, 2, 2);
        records.epochs.iter_mut().step_by(3).for_each(|line| line.risk = Some(odd));
        let estimator = &mut records.results.estimators[0];
        estimator.runs[0].seconds = odd;
        for numbers in estimator.mean.values_mut().chain(estimator.standard_error.values_mut()) {
            (numbers.loss, numbers.penalty, numbers.variance_ratio) = (Some(odd), Some(odd), None);
        }
        let page = html(&records);
        assert!(!page.contains("NaN") && !page.contains("inf"), "{odd}");
    }
}

#[test]
fn the_report_is_written_beside_the_records_and_written_again() {
    let run = tempfile::tempdir().unwrap();
    let results = serde_json::to_string(&samples::small().results).unwrap();
    fs::write(run.path().join("results.json"), results).unwrap();
    let path = write(run.path()).unwrap();
    assert_eq!(path, run.path().join("report.html"));
    let first = fs::read_to_string(&path).unwrap();
    write(run.path()).unwrap();
    assert_eq!(fs::read_to_string(&path).unwrap(), first);
    assert_eq!(fs::read_dir(run.path()).unwrap().count(), 2, "a temporary file stayed");
}
