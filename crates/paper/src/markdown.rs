//! All experiments as one page of Markdown.

use std::fmt::Write;

use super::finding::Judged;
use super::overview::{findings, overview};
use super::record::{Reproduction, VariantRecord};
use super::spec::Size;

/// The page. Of an experiment in two sizes, variants that were run in full are not repeated from the quick one.
pub fn markdown(records: &[Reproduction]) -> String {
    let mut text = String::from(
        "# Results\n\nWritten by `corevar reproduce` from its records, not by hand. Errors in %, pooled → CoRe, mean ± standard error \
         over the runs. In the sections below, the paper's number is in brackets. *full* is the paper's number of rows and five runs \
         (one where the model is solved exactly); *quick* has fewer rows, runs or epochs. *Drawn* data are drawn in the paper too. \
         A *stand-in* is drawn by this project in place of pictures that cannot be shipped: its errors are not comparable with the \
         paper's; the question is whether CoRe lowers them as in the paper.\n",
    );
    let shown = shown(records);
    let overview = overview(records);
    if overview.len() > 1 {
        text.push('\n');
        table(&mut text, &overview);
        text += "\n*λ fixed* is the weight of the experiment's file, which the sections explain. *λ by the rule* is chosen by the \
                 usual rule on training rows held out; no test is looked at. –: not run, or the paper has no number.\n";
    }
    let findings = findings(records);
    if !findings.is_empty() {
        let holding = findings.iter().filter(|judged| judged.holds).count();
        let _ = write!(
            text,
            "\n{holding} of {} findings hold. A finding is a ratio with a bound that this project set, in most cases after the runs: \
             they tell what was found, not what was predicted.\n",
            findings.len()
        );
    }
    let mut last = "";
    for record in &shown {
        if record.experiment != last {
            let _ =
                write!(text, "\n## {}\n\n{}\n", escaped(&record.experiment), escaped(&record.introduction()));
            last = &record.experiment;
        }
        section(&mut text, record);
    }
    text
}

/// What the page shows of each record.
fn shown(records: &[Reproduction]) -> Vec<Reproduction> {
    let shown = |record: &Reproduction| {
        let in_full = records.iter().find(|other| {
            other.experiment == record.experiment && other.size == Size::Full && other.source == record.source
        });
        without_repeats(record, in_full)
    };
    records.iter().map(shown).collect()
}

fn without_repeats(record: &Reproduction, in_full: Option<&Reproduction>) -> Reproduction {
    let is_repeated = |variant: &VariantRecord| {
        record.size == Size::Quick
            && in_full.is_some_and(|full| full.variants.iter().any(|other| other.name == variant.name))
    };
    let variants: Vec<VariantRecord> =
        record.variants.iter().filter(|variant| !is_repeated(variant)).cloned().collect();
    let is_judged = |judged: &Judged| {
        record.size == Size::Quick
            && in_full.is_some_and(|full| full.findings.iter().any(|other| other.finding == judged.finding))
    };
    let findings = record.findings.iter().filter(|judged| !is_judged(judged)).cloned().collect();
    Reproduction { variants, findings, ..record.clone() }
}

fn section(text: &mut String, record: &Reproduction) {
    if record.variants.is_empty() {
        return;
    }
    let _ = write!(text, "\n### {} {}, data: {}\n\n", record.experiment, record.size, record.source.name());
    table(text, &record.table());
    let settings = record.variants.iter().flat_map(|variant| &variant.settings);
    let mut seeds: Vec<u64> = settings.flat_map(|setting| setting.seeds.iter().copied()).collect();
    seeds.sort_unstable();
    let seeds = match seeds.as_slice() {
        [first, .., last] if first != last => format!("Seeds of the runs {first} to {last}"),
        [only, ..] => format!("Seed of the run {only}"),
        [] => "No runs".into(),
    };
    let _ = write!(
        text,
        "\n`{}`, {}, {:.0} s of training, summed over the runs. {seeds}. Training: {}.\n",
        record.command,
        dates(record),
        record.seconds(),
        training(record),
    );
    if !record.findings.is_empty() {
        let _ = write!(text, "\n{}:\n\n", record.heading_of_findings());
        for judged in &record.findings {
            let _ = writeln!(text, "- {}: {}", escaped(&judged.finding.text), judged.verdict());
        }
    }
}

fn table(text: &mut String, lines: &[Vec<String>]) {
    for (number, line) in lines.iter().enumerate() {
        let cells: Vec<String> = line.iter().map(|cell| escaped(cell).replace('|', "\\|")).collect();
        let _ = writeln!(text, "| {} |", cells.join(" | "));
        if number == 0 {
            let _ = writeln!(text, "|{}", "---|".repeat(line.len()));
        }
    }
}

/// Text of a file of somebody's, which is text and no HTML.
fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

/// Sizes, seeds and epochs, each with the variants that have them.
fn training(record: &Reproduction) -> String {
    let mut kinds: Vec<(String, Vec<&str>)> = Vec::new();
    for variant in &record.variants {
        let seed = variant.data.get("seed").map_or("0".into(), toml::Value::to_string);
        let epochs = variant.epochs().map(|epochs| format!(", {epochs} epochs")).unwrap_or_default();
        let kind = format!("{} rows, {} groups, seed {seed}{epochs}", variant.train_rows, variant.groups);
        match kinds.iter_mut().find(|(known, _)| *known == kind) {
            Some((_, names)) => names.push(&variant.name),
            None => kinds.push((kind, vec![&variant.name])),
        }
    }
    let told = kinds.iter().map(|(kind, names)| format!("{kind} ({})", names.join(", ")));
    told.collect::<Vec<_>>().join("; ")
}

/// The first and the last day.
fn dates(record: &Reproduction) -> String {
    let mut dates: Vec<&str> = record.variants.iter().map(|variant| variant.date.as_str()).collect();
    dates.sort_unstable();
    dates.dedup();
    match dates.as_slice() {
        [first, .., last] => format!("{first} to {last}"),
        dates => dates.concat(),
    }
}
