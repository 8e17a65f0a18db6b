//! A number that tells one data set from another.

use corevar_data::{DataError, Dataset, Inputs, Labels};

/// Checksum of everything that training and evaluation look at: inputs, labels, ids, splits. Reads all rows once.
pub(crate) fn fingerprint(dataset: &Dataset) -> Result<String, DataError> {
    let mut sum = crc32fast::Hasher::new();
    match dataset.labels() {
        Labels::Classes { names, of_row } => {
            names.iter().for_each(|name| sum.update(name.as_bytes()));
            of_row.iter().for_each(|class| sum.update(&class.to_le_bytes()));
        }
        Labels::Numbers(values) => values.iter().for_each(|value| sum.update(&value.to_le_bytes())),
        Labels::Unknown { rows } => sum.update(&(*rows as u64).to_le_bytes()),
    }
    for id in dataset.ids() {
        sum.update(&id.map_or(u64::MAX, u64::from).to_le_bytes());
    }
    for split in dataset.splits() {
        sum.update(split.name.as_bytes());
        split.rows.iter().for_each(|row| sum.update(&(*row as u64).to_le_bytes()));
    }
    match dataset.inputs() {
        Inputs::Features(features) => {
            features.values.iter().for_each(|value| sum.update(&value.to_le_bytes()))
        }
        Inputs::Images(images) => {
            let mut picture = vec![0; images.shape.len()];
            for row in 0..dataset.len() {
                images.read_bytes(row, &mut picture)?;
                sum.update(&picture);
            }
        }
    }
    Ok(format!("{:08x}-{}x{}", sum.finalize(), dataset.len(), dataset.inputs().width()))
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
        for other in [other_id, other_split, other_feature] {
            assert_ne!(fingerprint(&other).unwrap(), plain);
        }
    }
}
