//! A text that tells one data set from another.

use corevar_data::{Attribute, DataError, Dataset, Inputs, Labels, Preparation};

/// Digest (BLAKE3, 128 bits) of everything that training and evaluation look at: inputs with their names, labels, ids, splits,
/// attributes and how rows were prepared. Every list and every name goes in with its length. Reads all rows once.
pub(crate) fn fingerprint(dataset: &Dataset) -> Result<String, DataError> {
    let mut digest = Digest(blake3::Hasher::new());
    digest.labels(dataset.labels());
    digest.numbers(dataset.ids().iter().map(|id| id.map_or(u64::MAX, u64::from)));
    digest.count(dataset.splits().len());
    for split in dataset.splits() {
        digest.text(&split.name);
        digest.numbers(split.rows.iter().map(|row| *row as u64));
    }
    digest.count(dataset.attributes().len());
    for Attribute { name, levels, of_row } in dataset.attributes() {
        digest.text(name);
        digest.texts(levels);
        digest.numbers(of_row.iter().map(|level| u64::from(*level)));
    }
    let Preparation { crop, label_column, encoding, missing, transform } = dataset.preparation();
    digest.text(&format!("{crop:?}"));
    digest.text(label_column.as_deref().unwrap_or_default());
    // Data without weights keep the digest that they always had.
    if let Some(weights) = dataset.weights() {
        digest.text("weights");
        digest.numbers(weights.iter().map(|weight| weight.to_bits()));
    }
    // Nothing where there is none: data that know no encoder keep their fingerprint.
    if let Some(encoding) = encoding {
        digest.text(&format!("{encoding:?}"));
    }
    missing.iter().for_each(|rule| digest.text(&format!("{rule:?}")));
    transform.iter().for_each(|transform| digest.text(&transform.to_string()));
    digest.inputs(dataset)?;
    let sum = &digest.0.finalize().to_hex()[..32];
    Ok(format!("{sum}-{}x{}", dataset.len(), dataset.inputs().width()))
}

struct Digest(blake3::Hasher);

impl Digest {
    fn count(&mut self, count: usize) {
        self.0.update(&(count as u64).to_le_bytes());
    }

    fn text(&mut self, text: &str) {
        self.count(text.len());
        self.0.update(text.as_bytes());
    }

    fn texts(&mut self, texts: &[String]) {
        self.count(texts.len());
        texts.iter().for_each(|text| self.text(text));
    }

    fn numbers(&mut self, numbers: impl ExactSizeIterator<Item = u64>) {
        self.count(numbers.len());
        for number in numbers {
            self.0.update(&number.to_le_bytes());
        }
    }

    fn floats(&mut self, values: &[f32]) {
        self.count(values.len());
        // In larger pieces: a call per number would take longer than the digest.
        for values in values.chunks(4096) {
            let bytes: Vec<u8> = values.iter().flat_map(|value| value.to_le_bytes()).collect();
            self.0.update(&bytes);
        }
    }

    fn labels(&mut self, labels: &Labels) {
        match labels {
            Labels::Classes { names, of_row } => {
                self.text("classes");
                self.texts(names);
                self.numbers(of_row.iter().map(|class| u64::from(*class)));
            }
            Labels::Numbers(values) => {
                self.text("numbers");
                self.floats(values);
            }
            Labels::Unknown { rows } => {
                self.text("unknown");
                self.count(*rows);
            }
            // Of a kind that is not known here: all there is.
            other => self.text(&format!("{other:?}")),
        }
    }

    fn inputs(&mut self, dataset: &Dataset) -> Result<(), DataError> {
        match dataset.inputs() {
            Inputs::Features(features) => {
                self.text("features");
                self.texts(&features.names);
                self.floats(&features.values);
            }
            Inputs::Images(images) => {
                self.text("images");
                let shape = images.shape;
                self.numbers([shape.height, shape.width, shape.channels].map(|side| side as u64).into_iter());
                let mut picture = vec![0; images.shape.len()];
                for row in 0..dataset.len() {
                    images.read_bytes(row, &mut picture)?;
                    self.0.update(&picture);
                }
            }
            other => {
                self.text("rows");
                let mut numbers = vec![0.0; other.width()];
                for row in 0..dataset.len() {
                    other.read_row(row, &mut numbers)?;
                    self.floats(&numbers);
                }
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use corevar_data::synthetic::{Sizes, find};

    use super::*;

    #[test]
    fn any_change_changes_it() {
        let draw =
            || find("linear").unwrap().generate(&Sizes { rows: 20, groups: 4, test_rows: 5 }, 1).unwrap();
        let plain = fingerprint(&draw()).unwrap();
        assert_eq!(plain, fingerprint(&draw()).unwrap());
        let names = draw().id_names().to_vec();
        let ids = draw().ids().iter().enumerate().map(|(row, id)| id.filter(|_| row > 0)).collect();
        let other_id = draw().edit().id_indices(ids, names).check().unwrap();
        let mut splits = draw().splits().to_vec();
        let row = splits[0].rows.pop().unwrap();
        splits[1].rows.insert(0, row);
        let other_split = draw().edit().split_rows(splits).check().unwrap();
        let mut features = draw().inputs().as_features().unwrap().clone();
        features.values[3] += 1.0;
        let other_feature = draw().edit().inputs(Inputs::Features(features)).check().unwrap();
        let mut features = draw().inputs().as_features().unwrap().clone();
        features.names.swap(0, 1);
        let other_names = draw().edit().inputs(Inputs::Features(features)).check().unwrap();
        let attribute = draw().edit().attribute("site", &vec!["a"; draw().len()]).check().unwrap();
        let preparation = Preparation { label_column: Some("age".into()), ..Default::default() };
        let other_label = draw().edit().preparation(preparation).check().unwrap();
        let weighted = draw().edit().weights(vec![1.0; draw().len()]).check().unwrap();
        let others = [other_id, other_split, other_feature, other_names, other_label, weighted, attribute];
        for other in others {
            assert_ne!(fingerprint(&other).unwrap(), plain);
        }
    }

    #[test]
    fn the_borders_of_names_count() {
        let data = |names: [&str; 2]| {
            let values = vec![1.0, 2.0, 3.0, 4.0];
            fingerprint(&Dataset::features(names, values).classes(&["a", "b"]).check().unwrap()).unwrap()
        };
        assert_ne!(data(["ab", "c"]), data(["a", "bc"]));
    }
}
