//! Experiments of the paper on one page: tables with the paper's numbers, its findings, its figures.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use corevar::study::layout;
use corevar_data::bounded;
use corevar_paper::{Figure, Line, Point, Reproduction, VariantRecord, findings, overview};
use maud::{Markup, html};

use crate::error::ReportError;
use crate::format::{Unit, count, exact, seconds};
use crate::page::{Part, document, facts};
use crate::plot::{Axis, Colour, Curve, CurvePoint, Curves, DOT, Spread};
use crate::sections::{figure, panels, scroll, swatches};
use crate::weights::Weights;

/// Writes `report.html` of all experiments into their folder, whole or not at all. Returns its path.
///
/// # Errors
/// When the file cannot be written.
pub fn write_reproductions(out: &Path, records: &[Reproduction]) -> Result<PathBuf, ReportError> {
    let within = |record: &Reproduction| {
        Reproduction::folder(Path::new(""), &record.experiment, record.size, record.source)
    };
    let parts = records.iter().map(|record| part(record, &Reports { page: out, within: within(record) }));
    let parts: Vec<Part> = glance(records).into_iter().chain(parts).collect();
    write(out, &page(records, &parts))
}

/// Writes `report.html` of one experiment into the folder of its variants, whole or not at all. Returns its path.
///
/// # Errors
/// When the file cannot be written.
pub fn write_reproduction(folder: &Path, record: &Reproduction) -> Result<PathBuf, ReportError> {
    let reports = Reports { page: folder, within: PathBuf::new() };
    write(folder, &page(std::slice::from_ref(record), &[part(record, &reports)]))
}

fn write(folder: &Path, page: &Markup) -> Result<PathBuf, ReportError> {
    crate::write_page(folder, &page.0)
}

/// Where the reports of an experiment's variants are.
struct Reports<'a> {
    /// The folder of the page that leads to them.
    page: &'a Path,
    /// The folder of the variants, seen from there.
    within: PathBuf,
}

impl Reports<'_> {
    /// The address of a variant's report; None where only its record is left, or the folder is of other settings.
    fn of(&self, variant: &VariantRecord) -> Option<String> {
        let within = self.within.join(&variant.name);
        let (folder, report) = (self.page.join(&within), within.join(crate::FILE));
        let settings = bounded::read_text(&folder.join(layout::CONFIG), bounded::LARGEST_SETTINGS).ok()?;
        let is_its_own = settings.ends_with(&variant.config) && folder.join(crate::FILE).is_file();
        is_its_own.then(|| address(&report.to_string_lossy()))
    }
}

/// A path as part of an address.
fn address(path: &str) -> String {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-_./".contains(&byte);
    let letter =
        |byte: u8| if is_plain(byte) { char::from(byte).to_string() } else { format!("%{byte:02X}") };
    path.bytes().map(letter).collect()
}

/// All experiments in one table, where there is more than one line to show.
fn glance(records: &[Reproduction]) -> Option<Part> {
    let lines = overview(records);
    let table = lined(&lines, 3, |name| html! { (name) });
    let body = html! {
        (scroll("Errors of all experiments", table))
        p.note { "Error in %, pooled → CoRe, mean ± standard error over the runs. –: not run, or the paper has no number." }
    };
    // The head, and more than one line.
    (lines.len() > 2).then(|| Part { id: "glance".into(), title: "At a glance".into(), body })
}

fn page(records: &[Reproduction], parts: &[Part]) -> Markup {
    let name = match records {
        [one] if one.is_of_paper() => format!("The paper's experiment {}", one.experiment),
        [one] => format!("Experiment {}", one.experiment),
        all if all.iter().all(Reproduction::is_of_paper) => "The paper's experiments".into(),
        _ => "Experiments".into(),
    };
    let judged = findings(records);
    let holding = judged.iter().filter(|judged| judged.holds).count();
    let names: BTreeSet<&str> = records.iter().map(|record| record.experiment.as_str()).collect();
    let of_record = |record| variant_names(record).map(|name| (record.experiment.as_str(), name));
    let variants: BTreeSet<(&str, &str)> = records.iter().flat_map(of_record).collect();
    let mut header = vec![("Experiments", count(names.len())), ("Variants", count(variants.len()))];
    if !judged.is_empty() {
        header.push(("Findings that hold", format!("{} of {}", count(holding), count(judged.len()))));
    }
    header.push((
        "Training time, all runs",
        seconds(records.iter().fold(0.0, |sum, record| sum + record.seconds())),
    ));
    document(&name, facts(&header), parts)
}

fn variant_names(record: &Reproduction) -> impl Iterator<Item = &str> {
    record.variants.iter().map(|variant| variant.name.as_str())
}

fn part(record: &Reproduction, reports: &Reports) -> Part {
    let title = format!("{}, {} – {}", record.experiment, record.size, record.source.name());
    let id = format!("{}-{}-{:?}", record.experiment, record.size, record.source).to_lowercase();
    Part { id, title, body: body(record, reports) }
}

fn body(record: &Reproduction, reports: &Reports) -> Markup {
    let figures: Vec<Markup> = record.figures.iter().filter_map(drawn).collect();
    html! {
        p { (record.introduction()) }
        (scroll(&format!("Errors of {}", record.experiment), table(record, reports)))
        p.note {
            "Error in %, mean ± standard error over the runs"
            @if record.has_paper() { "; in brackets the paper's number" }
            ". The name of a variant leads to its own report, if that is here."
        }
        @if !record.findings.is_empty() {
            h3 { (record.heading_of_findings()) }
            ul.findings { @for judged in &record.findings { li { (judged.finding.text) ": " strong { (judged.verdict()) } } } }
        }
        @if !figures.is_empty() { (panels(&figures)) }
        p.note { code { (record.command) } ", " (seconds(record.seconds())) " of training, summed over the runs." }
    }
}

fn table(record: &Reproduction, reports: &Reports) -> Markup {
    let address =
        |name: &str| record.variants.iter().find(|one| one.name == name).and_then(|one| reports.of(one));
    lined(&record.table(), 2, |name| linked(name, address(name)))
}

/// Head and lines, the first `words` columns in words and the others in numbers.
fn lined(lines: &[Vec<String>], words: usize, first: impl Fn(&str) -> Markup) -> Markup {
    let Some((head, lines)) = lines.split_first() else { return html! {} };
    html! {
        table {
            thead { tr { @for (column, name) in head.iter().enumerate() { th.number[column >= words] scope="col" { (name) } } } }
            tbody {
                @for line in lines {
                    tr {
                        @for (column, cell) in line.iter().enumerate() {
                            @match column {
                                0 => th scope="row" { (first(cell)) },
                                column => td.number[column >= words] { (cell) },
                            }
                        }
                    }
                }
            }
        }
    }
}

fn linked(name: &str, address: Option<String>) -> Markup {
    match address {
        Some(address) => html! { a href=(address) { (name) } },
        None => html! { (name) },
    }
}

fn drawn(shown: &Figure) -> Option<Markup> {
    let Figure { curve, lines } = shown;
    let unit = if curve.measured.is_share() { Unit::Percent } else { Unit::Plain };
    let rows = match &curve.class {
        Some(class) => format!("{class} of {}", curve.split),
        None => curve.split.clone(),
    };
    let places = Places::new(&curve.over, lines);
    let colours: Vec<Colour> = (0..lines.len()).map(Colour::Series).collect();
    let draw = |(line, colour): (&Line, &Colour)| {
        let points = line.points.iter().map(|point| places.point(point, unit, &line.name)).collect();
        Curve { colour: *colour, points, spread: Spread::Bars }
    };
    let curves: Vec<Curve> = lines.iter().zip(&colours).map(draw).collect();
    let highest = curves.iter().flat_map(|curve| &curve.points);
    let highest = highest.map(|point| point.range.map_or(point.y, |(_, high)| high));
    let up = (unit == Unit::Percent).then(|| Axis::from_zero(highest));
    let across_title = match curve.over.as_str() {
        "penalty-weight" => "penalty weight λ",
        over => curve.axis.as_deref().unwrap_or(over),
    };
    let plot = Curves {
        description: format!("{}, on {rows}.", curve.title),
        across: places.axis(),
        across_title: across_title.into(),
        up,
        curves,
        marks: Vec::new(),
    };
    let svg = plot.svg()?;
    let legend: Vec<(Colour, String)> =
        colours.into_iter().zip(lines.iter().map(|line| line.name.clone())).collect();
    let note = match unit {
        Unit::Percent => format!("In %, on {rows}."),
        Unit::Plain => format!("On {rows}."),
    };
    let with_legend = html! { @if legend.len() > 1 { (swatches(&legend)) } (svg) };
    Some(figure(&curve.title, html! { (note) }, with_legend))
}

/// Where points stand along the axis: numbers as they are, or by their logarithm where they span decades or are penalty weights.
enum Places {
    Plain(Axis),
    Weights(Weights),
}

/// From this ratio of the largest to the smallest value on, logarithms are shown.
const LOGARITHMIC_FROM: f64 = 10.0;

impl Places {
    fn new(over: &str, lines: &[Line]) -> Self {
        let values = || lines.iter().flat_map(|line| &line.points).map(|point| point.x);
        let (low, high) = (values().fold(f64::INFINITY, f64::min), values().fold(0.0, f64::max));
        match over == "penalty-weight" || (low > 0.0 && high >= LOGARITHMIC_FROM * low) {
            true => Self::Weights(Weights::new(values())),
            false => {
                let room = 0.04 * (high - low).max(1e-9);
                Self::Plain(Axis::linear(low - room, high + room, 5))
            }
        }
    }

    fn axis(&self) -> Axis {
        match self {
            Self::Plain(axis) => axis.clone(),
            Self::Weights(weights) => weights.axis(),
        }
    }

    fn point(&self, point: &Point, unit: Unit, line: &str) -> CurvePoint {
        let x = match self {
            Self::Plain(_) => point.x,
            Self::Weights(weights) => weights.place(point.x),
        };
        let (y, spread) = (unit.scale(point.y), point.spread.map(|spread| unit.scale(spread)));
        CurvePoint {
            x,
            y,
            range: spread.map(|spread| (y - spread, y + spread)),
            size: DOT,
            tip: format!("{line}, at {}: {}", exact(point.x), unit.show(Some(point.y), point.spread)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use corevar_paper::{Cell, Curve as Wanted, Judged, OriginalFiles, SettingRecord, Size, find};

    fn empty() -> VariantRecord {
        VariantRecord {
            name: String::new(),
            date: String::new(),
            config: String::new(),
            data: Default::default(),
            data_name: String::new(),
            train_rows: 0,
            groups: 0,
            rule: None,
            settings: Vec::new(),
        }
    }

    fn record() -> Reproduction {
        let line = |name: &str, high: f64| Line {
            name: name.into(),
            points: [0.0, 1.0, 10.0].map(|x| Point { x, y: high - 0.01 * x, spread: Some(0.01) }).to_vec(),
        };
        let curve: Wanted = find("small-n").unwrap().curves[0].clone();
        let figures = vec![Figure { curve, lines: vec![line("ridge 0.001", 0.3), line("<ridge> 1", 0.4)] }];
        let empty =
            Reproduction::new(&find("small-n").unwrap(), Size::Quick, &OriginalFiles::default(), Vec::new());
        Reproduction { figures, ..empty }
    }

    #[test]
    fn a_page_has_the_tables_and_figures_of_its_experiments() {
        let records = [record(), record()];
        let reports = Reports { page: Path::new(""), within: PathBuf::new() };
        let html = page(&records, &records.each_ref().map(|record| part(record, &reports))).into_string();
        assert_eq!(html.matches("<svg").count(), 2);
        assert!(html.contains("small-n, quick – stand-in"), "{html}");
        assert!(html.contains("&lt;ridge&gt; 1") && !html.contains("<ridge>"));
        assert!(html.contains("corevar reproduce small-n --quick"), "{html}");
    }

    #[test]
    fn several_experiments_begin_with_one_table() {
        let number = |error| Cell { error: Some(error), ..Default::default() };
        let setting = |key: &str, error| SettingRecord {
            key: key.into(),
            estimator: key.into(),
            penalty: "logit-variance".into(),
            penalty_weight: 1.0,
            ridge: 0.001,
            seeds: vec![0],
            seconds: 1.0,
            splits: [("test".to_string(), number(error))].into(),
            classes: Default::default(),
        };
        let ds1 = VariantRecord {
            name: "ds1".into(),
            settings: vec![setting("pooled", 0.2), setting("core", 0.1)],
            ..empty()
        };
        let small = Reproduction { variants: vec![ds1], ..record() };
        let other = Reproduction { experiment: "mine".into(), ..small.clone() };
        let body = glance(&[small.clone(), other]).unwrap().body.into_string();
        assert!(body.contains("small-n ds1") && body.contains("20.0 → 10.0"), "{body}");
        assert!(glance(&[small]).is_none() && glance(&[]).is_none());
    }

    #[test]
    fn a_finding_counts_once_and_by_the_first_record() {
        let finding = find("small-n").unwrap().findings[0].clone();
        let judged = |holds| Judged {
            finding: finding.clone(),
            ratio: Some(0.7),
            interval: None,
            paper_ratio: None,
            holds,
        };
        let with = |holds| Reproduction { findings: vec![judged(holds)], ..record() };
        let other = Reproduction { experiment: "gender".into(), ..with(true) };
        let html = page(&[with(true), with(false), other], &[]).into_string();
        assert!(html.contains("2 of 2"), "{html}");
        assert!(!page(&[record()], &[]).into_string().contains("Findings that hold"));
    }

    #[test]
    fn an_experiment_of_the_user_is_not_called_the_papers() {
        let mine = Reproduction { experiment: "mine".into(), ..record() };
        let headed = |records: &[Reproduction]| page(records, &[]).into_string();
        assert!(headed(&[record()]).contains("The paper's experiment small-n"));
        assert!(headed(std::slice::from_ref(&mine)).contains("Experiment mine"));
        assert!(!headed(&[mine, record()]).contains("The paper's"));
    }

    #[test]
    fn addresses_lead_to_reports_that_are_there() {
        let folder = tempfile::tempdir().unwrap();
        let reports = Reports { page: folder.path(), within: "mine #1/quick".into() };
        let variant = VariantRecord { name: "a".into(), config: "rows = 100\n".into(), ..empty() };
        assert_eq!(reports.of(&variant), None);
        let its_folder = folder.path().join("mine #1/quick/a");
        std::fs::create_dir_all(&its_folder).unwrap();
        std::fs::write(its_folder.join(crate::FILE), "").unwrap();
        std::fs::write(its_folder.join(layout::CONFIG), "# A run of corevar.\nrows = 100\n").unwrap();
        assert_eq!(reports.of(&variant).as_deref(), Some("mine%20%231/quick/a/report.html"));
        std::fs::write(its_folder.join(layout::CONFIG), "# A run of corevar.\nrows = 200\n").unwrap();
        assert_eq!(reports.of(&variant), None);
    }

    #[test]
    fn a_setting_that_spans_a_decade_is_shown_by_its_logarithm() {
        let line = |xs: [f64; 2]| {
            vec![Line { name: "a".into(), points: xs.map(|x| Point { x, y: 1.0, spread: None }).to_vec() }]
        };
        assert!(matches!(Places::new("groups", &line([20.0, 2000.0])), Places::Weights(_)));
        assert!(matches!(Places::new("mean", &line([30.0, 50.0])), Places::Plain(_)));
        assert!(matches!(Places::new("penalty-weight", &line([1.0, 2.0])), Places::Weights(_)));
    }
}
