//! `corevar check`: a gate for pipelines.

use corevar::check::{CheckConfig, CheckReport, Limits, check, junit, proposals};
use corevar::study::pick_models;
use corevar::{Model, write_whole};
use corevar_data::Dataset;
use std::path::Path;

use super::models::read_perhaps_labelled;
use super::run::in_pool;
use crate::args::{Check, Models};
use crate::encoding::refuse_idle;
use crate::failure::{BrokenLimit, Failure, Usage};
use crate::{output, table};

pub fn run(args: &Check) -> anyhow::Result<()> {
    let config = config(args);
    config.validate()?;
    let found = pick_models(Path::new(&args.model), &args.pick.pick())?.swap_remove(0);
    refuse_idle(args.encoder.as_ref(), [&found.model])?;
    in_pool(args.threads, || {
        let data = read_perhaps_labelled(&args.data, &models(args), &found.model)?;
        let rows = rows(&data, args.split.as_deref(), args.show.quiet)?;
        let report = check(&found.model, &data, &rows, &config)?;
        if let Some(path) = &args.junit {
            let written = write_whole(path, junit(&report).as_bytes());
            written
                .map_err(|cause| Failure::new(format!("{}: cannot be written: {cause}", path.display())))?;
        }
        match args.show.json {
            true => output::json(&report)?,
            false => {
                output::table(&table::check(&report))?;
                output::text(&table::check_notes(&report))?;
                if config.limits.is_empty() {
                    output::text(&proposed(&report, &found.model))?;
                }
            }
        }
        judged(&report)
    })
}

fn config(args: &Check) -> CheckConfig {
    let limits = Limits {
        error: args.max_error,
        flip: args.max_flip,
        style_drift: args.max_style_drift,
        other_drift: args.max_other_drift,
        low_radius: args.max_low_radius,
    };
    CheckConfig { limits, radius: args.radius, ..Default::default() }
}

/// As `evaluate` takes them.
fn models(args: &Check) -> Models {
    Models {
        models_and_data: vec![args.model.clone(), args.data.clone()],
        out: None,
        overwrite: false,
        // A gate does not leave rows out.
        strict: true,
        show: args.show,
        reader: args.reader.clone(),
        encoder: args.encoder.clone(),
        threads: args.threads,
        table: args.table.clone(),
        sizes: args.sizes.clone(),
    }
}

/// The rows of a split, or all that were neither trained on nor chosen by.
fn rows(data: &Dataset, asked: Option<&str>, quiet: bool) -> anyhow::Result<Vec<usize>> {
    if let Some(name) = asked {
        let Some(rows) = data.split(name) else {
            let tip = format!("there are {}", data.split_names().join(", "));
            return Err(Usage::new(format!("--split: there is no split `{name}`")).tip(tip).into());
        };
        return Ok(rows.to_vec());
    }
    let tests = || data.splits().iter().filter(|split| split.name.is_test());
    if tests().next().is_none() {
        let message =
            format!("{}: all rows are of the splits {}", data.name(), data.split_names().join(", "));
        return Err(Failure::new(message).tip("name the split to check with --split").into());
    }
    let names: Vec<&str> = tests().map(|split| split.name.as_str()).collect();
    if names.len() > 1 && !quiet {
        output::note(&format!(
            "checking the rows of {} together; --split NAME checks those of one",
            names.join(", ")
        ));
    }
    let mut rows: Vec<usize> = tests().flat_map(|split| split.rows.iter().copied()).collect();
    rows.sort_unstable();
    Ok(rows)
}

/// Limits that could be set, as a command to copy: the one that was typed, with the limits behind it.
fn proposed(report: &CheckReport, model: &Model) -> String {
    use corevar::check::ProposedFrom;
    let validation = model.reference().and_then(|reference| reference.validation.as_ref());
    let (from, proposals) = proposals(report, validation);
    if proposals.is_empty() {
        return String::new();
    }
    let from = match from {
        ProposedFrom::Validation(rows) => format!("the {rows} validation rows of the model"),
        ProposedFrom::TheseRows(rows) => {
            format!("these {rows} rows themselves, so only where they are known to be good")
        }
        _ => "earlier rows".into(),
    };
    let typed = std::env::args_os().skip(1).map(|word| quoted(&word.to_string_lossy()));
    let limits = proposals
        .iter()
        .map(|proposal| format!("--{} {}", proposal.measure.limit_field().replace('_', "-"), proposal.limit));
    let command = std::iter::once("corevar".into()).chain(typed).chain(limits).collect::<Vec<_>>().join(" ");
    format!(
        "\nLimits from the upper ends of the 95 % intervals on {from}; a drift below 0.5 SD passes:\n\n  {command}\n"
    )
}

/// As a shell takes it back.
fn quoted(word: &str) -> String {
    let is_plain = |letter: char| letter.is_alphanumeric() || "/._-+=:,@%".contains(letter);
    match !word.is_empty() && word.chars().all(is_plain) {
        true => word.into(),
        false => format!("'{}'", word.replace('\'', "'\\''")),
    }
}

/// A limit that nobody could measure is no pass, and goes before one that is broken.
fn judged(report: &CheckReport) -> anyhow::Result<()> {
    let flag = |finding: &corevar::check::Finding| finding.measure.limit_field().replace('_', "-");
    if let Some(finding) = report.unmeasured().next() {
        let why = finding.notes.join("; ");
        let message = format!("{}: {} has a limit, but is {why}", report.data, finding.measure.name());
        let tip = format!("leave out --{}, or give the check what it needs", flag(finding));
        return Err(Failure::new(message).tip(tip).into());
    }
    let broken: Vec<String> = report
        .broken()
        .map(|finding| {
            let show = |value: Option<f64>| {
                value.map_or_else(String::new, |value| finding.measure.show(value, report.is_regression))
            };
            format!("{} is {}, above {}", finding.measure.name(), show(finding.value), show(finding.limit))
        })
        .collect();
    match broken.is_empty() {
        true => Ok(()),
        false => Err(BrokenLimit(format!("{}: {}", report.data, broken.join("; "))).into()),
    }
}

#[cfg(test)]
mod tests {
    use super::quoted;

    #[test]
    fn names_come_back_from_a_shell() {
        assert_eq!(quoted("runs/a-1.csv"), "runs/a-1.csv");
        assert_eq!(quoted("my run"), "'my run'");
        assert_eq!(quoted("it's; rm"), "'it'\\''s; rm'");
        assert_eq!(quoted(""), "''");
    }
}
