//! How the rules that choose λ compare, as the tables of `docs/choosing.md`:
//!
//!     choosing PAGE RECORDS [--only NAME] [--draws N] [--rows SHARE] [--real DIR] [--mnist DIR]
//!
//! Data are judged one after the other, each is kept in the folder RECORDS, and the part of PAGE behind its marker is written anew after
//! each: a stopped run goes on where it was. SHARE is that of the rows of drawn pictures and of digits. `--real` is a folder of
//! `scripts/choosing_data.py`, `--mnist` one with the files of MNIST.

mod families;
mod held_back;
mod judged;
mod tables;

use std::path::{Path, PathBuf};

use corevar::Dataset;
use corevar::train::TrainConfig;

use self::judged::{Judged, Records};

type Failure = Box<dyn std::error::Error>;

const MARKER: &str = "<!-- below: written by `make choosing` -->";

/// Data, how they are learned, and the splits that are judged.
pub struct Subject {
    name: String,
    /// Name, draw and size: a record is that of its key.
    key: String,
    data: Box<dyn Fn() -> Result<Dataset, Failure>>,
    config: TrainConfig,
    /// As training.
    plain: Vec<&'static str>,
    /// Where style has moved.
    shifted: Vec<&'static str>,
}

struct Options {
    page: PathBuf,
    records: PathBuf,
    only: Option<String>,
    draws: u64,
    rows: f64,
    real: Option<PathBuf>,
    mnist: Option<PathBuf>,
}

impl Options {
    fn parse(mut words: impl Iterator<Item = String>) -> Result<Self, Failure> {
        let page = words.next().ok_or("which page?")?.into();
        let records = words.next().ok_or("which folder for records?")?.into();
        let mut options = Self { page, records, only: None, draws: 3, rows: 1.0, real: None, mnist: None };
        while let Some(word) = words.next() {
            let value = words.next().ok_or_else(|| format!("{word} needs a value"))?;
            match word.as_str() {
                "--only" => options.only = Some(value),
                "--draws" => options.draws = value.parse()?,
                "--rows" => options.rows = value.parse()?,
                "--real" => options.real = Some(value.into()),
                "--mnist" => options.mnist = Some(value.into()),
                _ => return Err(format!("no such option: {word}").into()),
            }
        }
        Ok(options)
    }
}

/// Families by bias, and data that are held back.
struct Plan {
    /// Name, bias and draws.
    families: Vec<(String, &'static str, Vec<Subject>)>,
    held_back: Vec<Subject>,
}

fn main() -> Result<(), Failure> {
    let options = Options::parse(std::env::args().skip(1))?;
    let records = Records::new(options.records.clone())?;
    let plan = Plan {
        families: families::subjects(options.draws),
        held_back: held_back::subjects(options.real.as_deref(), options.mnist.as_deref(), options.rows),
    };
    plan.write(&records, &options)?;
    let mut failed = 0;
    for subject in plan.in_order(options.only.as_deref()) {
        match records.judge(subject) {
            Ok(_) => plan.write(&records, &options)?,
            Err(error) => {
                failed += 1;
                eprintln!("{}: {error}", subject.key);
            }
        }
    }
    if failed > 0 { Err(format!("{failed} data sets could not be judged").into()) } else { Ok(()) }
}

impl Plan {
    /// One draw of each family, the data held back, further draws.
    fn in_order(&self, only: Option<&str>) -> Vec<&Subject> {
        let is_wanted = |name: &str| only.is_none_or(|only| only == name);
        let draws = self.families.iter().map(|family| family.2.len()).max().unwrap_or(0);
        let of_draw = |draw: usize| self.families.iter().filter_map(move |family| family.2.get(draw));
        let families =
            |draws: std::ops::Range<usize>| draws.flat_map(of_draw).filter(|_| is_wanted("families"));
        let held_back = self.held_back.iter().filter(|_| is_wanted("held-back"));
        families(0..draws.min(1)).chain(held_back).chain(families(1..draws.max(1))).collect()
    }

    /// The page with what is judged so far.
    fn write(&self, records: &Records, options: &Options) -> Result<(), Failure> {
        let text = self.families_text(records) + &self.held_back_text(records, options.rows);
        write_below_marker(&options.page, &text)
    }

    fn families_text(&self, records: &Records) -> String {
        let judged = |subjects: &[Subject]| subjects.iter().filter_map(|one| records.of(one)).collect();
        let all: Vec<(&str, &str, Vec<Judged>)> =
            self.families.iter().map(|(name, bias, draws)| (name.as_str(), *bias, judged(draws))).collect();
        let blocks = families::BIASES.map(|(bias, _)| {
            let of_bias = all.iter().filter(|family| family.1 == bias);
            (bias, of_bias.flat_map(|family| &family.2).collect())
        });
        let unbiased: Vec<(&str, &[Judged])> = all
            .iter()
            .filter(|family| family.1 == families::BIASES[0].0)
            .map(|family| (family.0, family.2.as_slice()))
            .collect();
        let costliest = tables::costliest(&unbiased).map_or(String::new(), |(name, cost)| {
            format!("Without bias the rule costs most in `{name}`: {cost:+.1} points on the plain test, mean of its draws.\n\n")
        });
        let (asked, done) = (
            self.families.iter().map(|family| family.2.len()).sum::<usize>(),
            all.iter().map(|family| family.2.len()).sum::<usize>(),
        );
        let so_far =
            if done < asked { format!(" So far {done} of {asked} draws are judged.") } else { String::new() };
        let rows: Vec<(String, Vec<Judged>)> =
            all.iter().map(|(name, _, draws)| (format!("{name} ({})", draws.len()), draws.clone())).collect();
        format!(
            "## Families that the rule was designed on\n\nIn the shifted test the styles of the two classes are swapped.{so_far} Means over \
             all families and draws of a bias, in percentage points. Regret: how much worse than the best λ with hindsight on that test. \
             Worse than pooled: in how many draws by more than 2 points.\n\n{}\n{costliest}Each family: mean error in %, plain test / \
             shifted test; in brackets the draws. `linear 40, 200/400, 0.5`: 40 features, 200 of 400 objects seen twice, noise with an SD of \
             0.5 in every feature. `rings`: the radius tells the classes apart, the angle is style; a network with 32 hidden units.\n\n{}\n",
            tables::summary("bias, measure", &blocks),
            tables::errors("family, bias (draws)", &rows),
        )
    }

    fn held_back_text(&self, records: &Records, share: f64) -> String {
        let rows: Vec<(String, Vec<Judged>)> = self
            .held_back
            .iter()
            .filter_map(|subject| Some((subject.name.clone(), vec![records.of(subject)?])))
            .collect();
        let missing: Vec<&str> = self
            .held_back
            .iter()
            .filter(|subject| records.of(subject).is_none())
            .map(|subject| subject.name.as_str())
            .collect();
        let missing = match missing.is_empty() {
            true => String::new(),
            false => format!(" Not judged yet: {}.", missing.join("; ")),
        };
        let sizes = if share == 1.0 {
            String::new()
        } else {
            format!(" Pictures and digits have {share} times their usual rows (`ROWS={share}`).")
        };
        let all: Vec<&Judged> = rows.iter().flat_map(|row| &row.1).collect();
        format!(
            "## Data that no rule was designed on\n\nError in %, plain test / shifted test; one draw, one run. Differences of a point or two are \
             noise; on `parkinson` (60 test rows of 20 persons) and `cmu-faces` (246 of 8) so are those of five to ten. A missing test is `-`. \
             `gas-drift` learns batches 1 and 2 and is tested on six later ones; `qmnist` has other writers in its test.{sizes}{missing}\n\n{}\nMeans over these data, in percentage \
             points, as above.\n\n{}",
            tables::errors("data", &rows),
            tables::summary("measure", &[("", all)]),
        )
    }
}

fn write_below_marker(page: &Path, text: &str) -> Result<(), Failure> {
    let before = std::fs::read_to_string(page)?;
    let kept = before.split(MARKER).next().unwrap_or_default();
    Ok(std::fs::write(page, format!("{kept}{MARKER}\n\n{text}"))?)
}
