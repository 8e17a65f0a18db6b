//! Gas Sensor Array Drift at Different Concentrations (UCI 270): 16 sensors, six gases, ten batches over 36 months.
//!
//! A line of `batchN.dat` is `gas;concentration 1:number 2:number .. 128:number`. The first two batches become `train`, every other
//! one a test of its own. The id of a row is its gas and concentration: rows of one id are the same sample, measured again.

use std::io::{BufRead, BufReader, Read};
use std::path::Path;

use super::files::{Origin, find_optional, unpacked};
use super::{ImportReport, Source, fault, fault_at};
use crate::save::save;
use crate::{DataError, Dataset, SplitName};

const SENSORS: usize = 16;
/// Steady state, its normalised form, and three moving averages each of the rise and of the decay.
const FEATURES: usize = 8;
const BATCHES: u32 = 10;
/// Batches to learn from: the first ten months.
const TRAINING: u32 = 2;
/// In the order of their numbers in the files.
const GASES: [&str; 6] = ["ethanol", "ethylene", "ammonia", "acetaldehyde", "acetone", "toluene"];
/// The longest batch has 9 million bytes.
const LARGEST: u64 = 256 << 20;
/// 128 numbers with all their digits have 3000 bytes.
const LONGEST_LINE: usize = 1 << 16;

const AGAIN: &str = "take the file as the UCI repository publishes it (data set 270)";

/// Pattern of the columns of features.
pub(super) const COLUMNS: &str = "sensor*";

#[derive(Default)]
struct Rows {
    values: Vec<f32>,
    gases: Vec<&'static str>,
    concentrations: Vec<String>,
    batches: Vec<u32>,
}

/// Reads the batches that are there; says which are not.
pub(super) fn import(origin: &Origin, out: &Path) -> Result<ImportReport, DataError> {
    let (mut rows, mut missing) = (Rows::default(), Vec::new());
    for batch in 1..=BATCHES {
        let names = [format!("batch{batch}.dat"), format!("batch{batch}.dat.gz")];
        match find_optional(origin.path(), &names.each_ref().map(String::as_str)) {
            Some(path) => rows.read(origin, &path, batch)?,
            None => missing.push(batch),
        }
    }
    if (1..=TRAINING).all(|batch| missing.contains(&batch)) {
        let tip = format!("the folder must hold {}", Source::GasDrift.files());
        return Err(fault(origin.path(), "there is neither `batch1.dat` nor `batch2.dat` in it", &tip));
    }
    let dataset = rows.dataset()?;
    save(&dataset, out)?;
    let rows = dataset.len();
    let mut notes =
        vec!["train holds the batches 1 and 2, each later batch is a test of its name".to_string()];
    notes.extend(missing_note(&missing));
    Ok(ImportReport { rows, rows_with_id: rows, notes, features: Some(COLUMNS.into()) })
}

/// `batch7 and batch10`
fn missing_note(missing: &[u32]) -> Option<String> {
    let names: Vec<String> = missing.iter().map(|batch| format!("batch{batch}")).collect();
    let (last, first) = names.split_last()?;
    let list = if first.is_empty() { last.clone() } else { format!("{} and {last}", first.join(", ")) };
    let of_training =
        if missing[0] <= TRAINING { "; train has the other of its two batches only" } else { "" };
    Some(format!("missing in the folder, and so in the table: {list}{of_training}"))
}

impl Rows {
    /// One line after the other: a packed file may hold a thousand times what it is.
    fn read(&mut self, origin: &Origin, path: &Path, batch: u32) -> Result<(), DataError> {
        let source = unpacked(origin.open(path)?).map_err(DataError::io(path, "read"))?;
        let mut source = BufReader::new(source.take(LARGEST));
        let (before, mut number) = (self.batches.len(), 0);
        let mut line = Vec::new();
        loop {
            line.clear();
            let read = Read::by_ref(&mut source).take(LONGEST_LINE as u64).read_until(b'\n', &mut line);
            let length = read.map_err(|cause| match cause.raw_os_error() {
                Some(_) => DataError::io(path, "read")(cause),
                None => fault(path, cause.to_string(), AGAIN),
            })?;
            if length == 0 {
                break;
            }
            number += 1;
            let wrong = |reason: String| fault_at(path, number, reason, AGAIN);
            if length == LONGEST_LINE {
                return Err(wrong(format!("the line is longer than {LONGEST_LINE} bytes")));
            }
            let text = std::str::from_utf8(&line).map_err(|_| wrong("it is not text".into()))?.trim();
            if !text.is_empty() {
                self.push(text, batch).map_err(wrong)?;
            }
        }
        if source.get_ref().limit() == 0 {
            return Err(fault(path, format!("it holds more than {} MB of text", LARGEST >> 20), AGAIN));
        }
        match self.batches.len() > before {
            true => Ok(()),
            false => Err(fault(path, "it holds no row", AGAIN)),
        }
    }

    fn push(&mut self, line: &str, batch: u32) -> Result<(), String> {
        let mut words = line.split_ascii_whitespace();
        let first = words.next().unwrap_or_default();
        let (gas, concentration) = first
            .split_once(';')
            .ok_or_else(|| format!("`{}` is not gas;concentration", shortened(first)))?;
        let gas = gas.parse().ok().filter(|gas| (1..=GASES.len()).contains(gas));
        let gas: usize = gas.ok_or_else(|| format!("`{}` is not a gas from 1 to 6", shortened(first)))?;
        concentration
            .parse()
            .ok()
            .filter(|ppm: &f64| ppm.is_finite() && *ppm >= 0.0)
            .ok_or_else(|| format!("`{}` has no concentration in ppm", shortened(first)))?;
        let before = self.values.len();
        for (word, place) in words.by_ref().zip(1..=SENSORS * FEATURES) {
            let number = word.split_once(':').filter(|(key, _)| key.parse() == Ok(place));
            let number = number.and_then(|(_, number)| number.parse::<f32>().ok()).filter(|x| x.is_finite());
            self.values.push(
                number
                    .ok_or_else(|| format!("`{}` is not `{place}:` and a finite number", shortened(word)))?,
            );
        }
        let found = self.values.len() - before + words.count();
        if found != SENSORS * FEATURES {
            return Err(format!("the line has {found} features, not {}", SENSORS * FEATURES));
        }
        self.gases.push(GASES[gas - 1]);
        self.concentrations.push(rounded(concentration).into());
        self.batches.push(batch);
        Ok(())
    }

    fn dataset(self) -> Result<Dataset, DataError> {
        let place = |place| (place / FEATURES + 1, place % FEATURES + 1);
        let name = |(sensor, feature)| format!("sensor{sensor}_feature{feature}");
        let names = (0..SENSORS * FEATURES).map(|column| name(place(column)));
        let ids = self.gases.iter().zip(&self.concentrations).map(|(gas, ppm)| Some(format!("{gas}-{ppm}")));
        let split = |batch: &u32| match *batch <= TRAINING {
            true => SplitName::from(SplitName::TRAIN),
            false => SplitName::from(format!("batch{batch}").as_str()),
        };
        let batches: Vec<String> = self.batches.iter().map(u32::to_string).collect();
        Dataset::features(names, self.values)
            .name("gas-drift")
            .classes(&self.gases)
            .ids(ids)
            .splits(self.batches.iter().map(split))
            .attribute("batch", &batches)
            .attribute("concentration", &self.concentrations)
            .check()
    }
}

/// As in the file, without the zeros behind the point.
fn rounded(number: &str) -> &str {
    if number.contains('.') { number.trim_end_matches('0').trim_end_matches('.') } else { number }
}

/// For messages.
fn shortened(text: &str) -> String {
    text.chars().take(40).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn concentrations_lose_the_zeros_behind_their_point_only() {
        assert_eq!(["10.000000", "2.500", "100", "0.0"].map(rounded), ["10", "2.5", "100", "0"]);
    }

    #[test]
    fn what_is_missing_is_named() {
        assert_eq!(missing_note(&[]), None);
        let note = |missing: &[u32]| missing_note(missing).unwrap();
        assert_eq!(note(&[7, 10]), "missing in the folder, and so in the table: batch7 and batch10");
        assert!(note(&[2]).ends_with("batch2; train has the other of its two batches only"));
    }
}
