//! A number that tells one data set from another.

use corevar_data::{DataError, Dataset, Inputs, Labels};

/// Checksum of everything that training and evaluation look at: inputs, labels, ids, splits. Reads all rows once.
pub fn fingerprint(dataset: &Dataset) -> Result<String, DataError> {
    let mut sum = crc32fast::Hasher::new();
    match &dataset.labels {
        Labels::Classes { names, of_row } => {
            names.iter().for_each(|name| sum.update(name.as_bytes()));
            of_row.iter().for_each(|class| sum.update(&class.to_le_bytes()));
        }
        Labels::Numbers(values) => values.iter().for_each(|value| sum.update(&value.to_le_bytes())),
    }
    for id in &dataset.ids {
        sum.update(&id.map_or(u64::MAX, u64::from).to_le_bytes());
    }
    for split in &dataset.splits {
        sum.update(split.name.as_bytes());
        split.rows.iter().for_each(|row| sum.update(&(*row as u64).to_le_bytes()));
    }
    match &dataset.inputs {
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
    Ok(format!("{:08x}-{}x{}", sum.finalize(), dataset.len(), dataset.inputs.width()))
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
        let mut other_id = draw();
        other_id.ids[0] = None;
        let mut other_split = draw();
        other_split.splits[0].rows.pop();
        let mut other_feature = draw();
        let Inputs::Features(features) = &mut other_feature.inputs else { unreachable!() };
        features.values[3] += 1.0;
        for other in [other_id, other_split, other_feature] {
            assert_ne!(fingerprint(&other).unwrap(), plain);
        }
    }
}
