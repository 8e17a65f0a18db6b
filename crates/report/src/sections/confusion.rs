//! Confusion matrices: as tables for few classes, as a square of shades for many, as pairs for very many.

use corevar::evidence::{ConfusedPair, Confusion};
use maud::{Markup, html};

use super::{Section, figure, scroll, word};
use crate::Records;
use crate::format::{MISSING, count};
use crate::models::{Model, held_out, main_models};
use crate::plot::{Colour, Heat};

pub const SECTION: Section = Section { id: "confusion", title: "Which classes are confused", body };

/// Up to here a table of numbers can be read.
const MOST_IN_A_TABLE: usize = 10;
/// Cells of all matrices together: keeps the page small.
const MOST_CELLS: usize = 8_000;
/// Pairs that are listed of very many classes.
const MOST_PAIRS: usize = 12;

fn body(records: &Records) -> Option<Markup> {
    let models = main_models(records);
    let splits = by_error(&models, held_out(records));
    let cells = records.results.data.classes.len().pow(2) * models.len();
    let shown = (MOST_CELLS / cells.max(1)).clamp(1, splits.len().max(1));
    let figures: Vec<Markup> = splits
        .iter()
        .take(shown)
        .flat_map(|split| models.iter().filter_map(|model| matrix(records, model, split)))
        .collect();
    (!figures.is_empty()).then(|| {
        html! {
            p.note { "Rows: the true class. Columns: what the model says. The test with the largest error first." }
            @if shown < splits.len() {
                (word(&format!("{shown} of {} tests, to keep the page small.", splits.len())))
            }
            div.panels { @for figure in &figures { (figure) } }
        }
    })
}

/// The largest error of any model first.
fn by_error<'a>(models: &[Model<'_>], mut splits: Vec<&'a str>) -> Vec<&'a str> {
    let error = |split: &str| {
        let of_model = |model: &Model<'_>| Some(model.evidence.splits.get(split)?.error?.value);
        models.iter().filter_map(of_model).fold(0.0, f64::max)
    };
    splits.sort_by(|a, b| error(b).total_cmp(&error(a)));
    splits
}

fn matrix(records: &Records, model: &Model<'_>, split: &str) -> Option<Markup> {
    let classes = &records.results.data.classes;
    let (title, content) = match model.evidence.splits.get(split)?.confusion.as_ref()? {
        Confusion::Pairs(pairs) => ("most confused pairs", pair_table(pairs, split)),
        Confusion::Counts(counts) if counts.len() <= MOST_IN_A_TABLE => (
            "rows",
            scroll(&format!("Confusion of {} on {split}", model.label), count_table(classes, counts)),
        ),
        Confusion::Counts(counts) => ("share of the true class", heat(classes, counts, model, split)),
        _ => return None,
    };
    let note = html! { span.swatch style=(model.colour.swatch()) {} (model.label) ", " (title) "." };
    Some(figure(split, note, content))
}

fn count_table(classes: &[String], counts: &[Vec<usize>]) -> Markup {
    let share = |row: &[usize], cell: usize| cell as f64 / row.iter().sum::<usize>().max(1) as f64;
    let name = |index: usize| classes.get(index).map_or(MISSING, String::as_str);
    html! {
        table.heat.confusion {
            thead {
                tr { th scope="col" { "True class" } @for index in 0..counts.len() { th.number scope="col" { (name(index)) } } }
            }
            tbody {
                @for (truth, row) in counts.iter().enumerate() {
                    tr {
                        th scope="row" { (name(truth)) }
                        @for (predicted, cell) in row.iter().enumerate() {
                            td.number.right[truth == predicted] style=(format!("--e:{:.2}", share(row, *cell))) {
                                (count(*cell))
                            }
                        }
                    }
                }
            }
        }
    }
}

fn heat(classes: &[String], counts: &[Vec<usize>], model: &Model<'_>, split: &str) -> Markup {
    let name = |index: usize| classes.get(index).map_or(MISSING, String::as_str);
    let cell = |truth: usize, predicted: usize| {
        let (rows, of) = (counts[truth][predicted], counts[truth].iter().sum::<usize>());
        let tip = || format!("{} as {}: {} of {}", name(truth), name(predicted), count(rows), count(of));
        (rows > 0).then(|| (rows as f64 / of as f64, tip()))
    };
    let classes = 0..counts.len();
    let row = |truth: usize| classes.clone().map(|predicted| cell(truth, predicted)).collect();
    let plot = Heat {
        description: format!("Confusion matrix of {} on {split}.", model.label),
        names: classes.clone().map(|index| name(index).to_string()).collect(),
        cells: classes.clone().map(row).collect(),
        colour: Colour::Series(0),
        diagonal: Colour::Series(1),
    };
    plot.svg()
}

fn pair_table(pairs: &[ConfusedPair], split: &str) -> Markup {
    if pairs.is_empty() {
        return word("No class is taken for another.");
    }
    let table = html! {
        table {
            thead { tr { th scope="col" { "True class" } th scope="col" { "Taken for" } th.number scope="col" { "Rows" } } }
            tbody {
                @for pair in pairs.iter().take(MOST_PAIRS) {
                    tr {
                        th scope="row" { (pair.truth) }
                        td { (pair.predicted) }
                        td.number { (count(pair.rows)) " of " (count(pair.of)) }
                    }
                }
            }
        }
    };
    scroll(&format!("Most confused pairs on {split}"), table)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::samples;

    #[test]
    fn two_classes_are_a_table() {
        let page = body(&samples::with_evidence()).unwrap().into_string();
        // Two models on two tests.
        assert_eq!(page.matches("table class=\"heat confusion\"").count(), 4);
        let [harder, easier] =
            ["test2", "test1"].map(|split| page.find(&format!("<strong>{split}")).unwrap());
        assert!(harder < easier);
    }

    #[test]
    fn forty_classes_are_shades() {
        let page = body(&samples::many_classes(40)).unwrap().into_string();
        assert!(page.contains("<svg") && !page.contains("<table"), "{}", page.len());
        assert!(page.len() < 1_500_000, "{}", page.len());
    }

    #[test]
    fn very_many_classes_are_pairs() {
        let mut records = samples::with_evidence();
        for model in &mut records.evidence.as_mut().unwrap().models {
            for split in model.splits.values_mut() {
                let pair = ConfusedPair { truth: "a".into(), predicted: "b".into(), rows: 3, of: 9 };
                split.confusion = Some(Confusion::Pairs(vec![pair]));
            }
        }
        assert!(body(&records).unwrap().into_string().contains("<td class=\"number\">3 of 9</td>"));
    }

    #[test]
    fn without_evidence_there_is_no_section() {
        assert!(body(&samples::small()).is_none());
    }
}
