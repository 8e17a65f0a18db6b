//! `corevar stress`: the same rows under growing interventions.

use corevar::stress::{Ladder, Stress, WorstCase, stress};
use corevar::study::{Evaluation, ModelsOnData};
use corevar_data::interventions::{find, interventions};
use corevar_data::{Dataset, Inputs};
use serde::Serialize;

use super::evaluate::keep;
use super::models::Loaded;
use super::run::in_pool;
use crate::args;
use crate::failure::{Failure, Usage};
use crate::{output, table};

/// What --json prints.
#[derive(Serialize)]
struct Printed<'a> {
    schema: &'static str,
    split: &'a str,
    curves: &'a [corevar::evidence::StressCurve],
    worst: &'a [WorstCase],
}

pub fn run(args: &args::Stress) -> anyhow::Result<()> {
    let ladders = ladders(args.interventions.as_deref())?;
    if args.models.encoder.is_some() {
        let message =
            "--encoder has no effect here: interventions change the images that a network takes itself";
        return Err(Usage::new(message).tip("`corevar evaluate` takes --encoder").into());
    }
    let ready = Loaded::new(&args.models)?;
    let are_images = |part: &ModelsOnData| matches!(part.dataset.inputs(), Inputs::Images(_));
    let Some(first) = ready.parts.first().filter(|_| ready.parts.iter().all(are_images)) else {
        let message = format!("{}: interventions need images, but these are features", ready.data);
        return Err(Failure::new(message).tip("`corevar evaluate` has the errors of these models").into());
    };
    let split = split(&first.dataset, args.split.as_deref())?;
    in_pool(args.models.threads, || {
        // The records of the run come from the plain rows, the curves from their views.
        let Loaded { parts, data } = ready;
        let evaluation = Evaluation::new(&parts)?;
        let (results, evidence) = (evaluation.results(), evaluation.evidence(args.seed)?);
        let Stress { curves, worst } = stress(parts, &split, &ladders, args.seed)?;
        match args.models.show.json {
            true => {
                let printed =
                    Printed { schema: "corevar.stress/1", split: &split, curves: &curves, worst: &worst };
                output::json(&printed)?;
            }
            false => output::table(&table::stress(&split, &curves, &worst))?,
        }
        let evidence = corevar::evidence::Evidence { stress: curves, ..evidence };
        keep(&args.models, &data, &results, &evidence)
    })
}

/// `blur` at its own strengths, `rotate=10|20|40` at these.
fn ladders(asked: Option<&[String]>) -> Result<Vec<Ladder>, Usage> {
    let Some(asked) = asked else { return Ok(Ladder::all()) };
    let ladders = asked.iter().map(|word| ladder(word)).collect::<Result<Vec<Ladder>, Usage>>()?;
    for (place, one) in ladders.iter().enumerate() {
        if ladders[..place].iter().any(|other| other.intervention == one.intervention) {
            let name = &one.intervention;
            let tip = format!("put the strengths into one list, such as {name}=1|2");
            return Err(Usage::new(format!("--interventions: `{name}` is listed twice")).tip(tip));
        }
    }
    Ok(ladders)
}

fn ladder(word: &str) -> Result<Ladder, Usage> {
    let (name, strengths) = word.split_once('=').map_or((word, None), |(name, list)| (name, Some(list)));
    let Some((intervention, place)) = find(name) else {
        let names: Vec<&str> =
            interventions().iter().flat_map(|one| one.parameters()).map(|parameter| parameter.name).collect();
        let message = format!("--interventions: there is no `{name}`");
        return Err(Usage::new(message).tip(format!("there are {}", names.join(", "))));
    };
    let parameter = &intervention.parameters()[place];
    let Some(list) = strengths else { return Ok(Ladder::of(parameter)) };
    let strength = |text: &str| match text.parse::<f64>() {
        Ok(strength) if parameter.range.contains(&strength) => Ok(strength),
        _ => {
            let (low, high) = (parameter.range.start(), parameter.range.end());
            let message = format!("--interventions: {name} is {}, from {low} to {high}", parameter.meaning);
            Err(Usage::new(message).tip(format!("write a list such as {name}={}", parameter.ladder[0])))
        }
    };
    let mut strengths = list.split('|').map(strength).collect::<Result<Vec<f64>, Usage>>()?;
    let distance = |strength: &f64| (strength - parameter.neutral).abs();
    strengths.sort_by(|a, b| distance(a).total_cmp(&distance(b)));
    Ok(Ladder { intervention: name.into(), strengths })
}

/// The split that was asked for, or the first to test on.
fn split(dataset: &Dataset, asked: Option<&str>) -> Result<String, Usage> {
    let names = dataset.split_names();
    let tests = || {
        let test = dataset.splits().iter().find(|split| split.name.is_test());
        test.map(|split| split.name.as_str()).or(names.first().copied())
    };
    match asked {
        Some(name) if names.contains(&name) => Ok(name.into()),
        Some(name) => {
            let tip = format!("there are {}", names.join(", "));
            Err(Usage::new(format!("--split: there is no split `{name}`")).tip(tip))
        }
        None => Ok(tests().unwrap_or("test").into()),
    }
}
