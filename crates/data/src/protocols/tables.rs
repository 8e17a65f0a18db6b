//! Albums from tables that were read: the imported files of CelebA, AwA2 and MNIST.

use super::album::{Album, AnimalPhoto, DigitPhoto, FacePhoto, Part};
use crate::synthetic::faces::Sex;
use crate::{Attribute, DataError, Dataset, Images, Inputs, Labels};

/// Faces with persons as ids, the attributes `Eyeglasses` and `Male` (0 or 1), and the splits `train`,
/// `val` and `test`: what the import of CelebA writes. Changes are made in the size the table was read with.
pub fn faces(dataset: Dataset) -> Result<Album<FacePhoto>, DataError> {
    let glasses = flags(&dataset, "Eyeglasses")?;
    let men = flags(&dataset, "Male")?;
    let parts = parts(&dataset);
    let mut photos = Vec::with_capacity(dataset.len());
    for row in 0..dataset.len() {
        let person =
            dataset.ids[row].ok_or_else(|| lacks(&dataset, format!("row {row} has no person as its id")))?;
        let sex = if men[row] { Sex::Man } else { Sex::Woman };
        photos.push(FacePhoto { person, sex, glasses: glasses[row], part: parts[row] });
    }
    album(dataset, photos)
}

/// Pictures of the classes `horse` and `elephant`: what the import of AwA2 writes. Other classes are left out
/// by the import, not here.
pub fn animals(dataset: Dataset) -> Result<Album<AnimalPhoto>, DataError> {
    let (names, of_row) = classes(&dataset)?;
    if let Some(other) = names.iter().find(|name| !["horse", "elephant"].contains(&name.as_str())) {
        return Err(lacks(&dataset, format!("there is a class `{other}` beside horse and elephant")));
    }
    let photos =
        of_row.iter().map(|class| AnimalPhoto { elephant: names[*class as usize] == "elephant" }).collect();
    album(dataset, photos)
}

/// Digits with the splits `train` and `test`: what the import of MNIST writes.
pub fn digits(dataset: Dataset) -> Result<Album<DigitPhoto>, DataError> {
    let (names, of_row) = classes(&dataset)?;
    let digits: Option<Vec<u32>> =
        names.iter().map(|name| name.parse().ok().filter(|digit| *digit < 10)).collect();
    let digits = digits.ok_or_else(|| lacks(&dataset, "its classes are not the digits 0 to 9".into()))?;
    let parts = parts(&dataset);
    let photo = |(class, part): (&u32, Part)| DigitPhoto { digit: digits[*class as usize], part };
    let photos = of_row.iter().zip(parts).map(photo).collect();
    album(dataset, photos)
}

fn album<Photo>(dataset: Dataset, photos: Vec<Photo>) -> Result<Album<Photo>, DataError> {
    let name = dataset.name.clone();
    match dataset.inputs {
        Inputs::Images(images) => Ok(Album { name, photos, pictures: Box::new(images) as Box<Images> }),
        Inputs::Features(_) => {
            let problem = format!("`{name}` holds features, not pictures");
            Err(DataError::Sizes {
                generator: "reproduce",
                problem,
                tip: "name the imported pictures".into(),
            })
        }
    }
}

fn classes(dataset: &Dataset) -> Result<(Vec<String>, Vec<u32>), DataError> {
    match &dataset.labels {
        Labels::Classes { names, of_row } => Ok((names.clone(), of_row.clone())),
        Labels::Numbers(_) => Err(lacks(dataset, "its labels are numbers".into())),
    }
}

fn flags(dataset: &Dataset, name: &str) -> Result<Vec<bool>, DataError> {
    let column = dataset.attributes.iter().find(|attribute| attribute.name == name);
    let Attribute { levels, of_row, .. } =
        column.ok_or_else(|| lacks(dataset, format!("it has no column `{name}`")))?;
    Ok(of_row.iter().map(|level| levels[*level as usize] == "1").collect())
}

/// Rows of splits with other names are for training.
fn parts(dataset: &Dataset) -> Vec<Part> {
    let mut parts = vec![Part::Train; dataset.len()];
    for (name, part) in [("val", Part::Val), ("test", Part::Test)] {
        dataset.split(name).unwrap_or_default().iter().for_each(|row| parts[*row] = part);
    }
    parts
}

fn lacks(dataset: &Dataset, what: String) -> DataError {
    DataError::Sizes {
        generator: "reproduce",
        problem: format!("`{}` cannot be used: {what}", dataset.name),
        tip: "use the folder that `import` wrote".into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{ImageShape, Pixels, Split};

    /// Three pictures of one grey pixel.
    fn table(names: &[&str], of_row: [u32; 3]) -> Dataset {
        let shape = ImageShape { height: 1, width: 1, channels: 1 };
        let attribute = |name: &str, of_row: [u32; 3]| Attribute {
            name: name.into(),
            levels: vec!["0".into(), "1".into()],
            of_row: of_row.to_vec(),
        };
        Dataset {
            name: "folder".into(),
            inputs: Inputs::Images(Images { shape, pixels: Pixels::Memory(vec![7, 8, 9]) }),
            labels: Labels::Classes {
                names: names.iter().map(|name| name.to_string()).collect(),
                of_row: of_row.to_vec(),
            },
            ids: vec![Some(0), Some(1), Some(0)],
            id_names: vec!["anna".into(), "bert".into()],
            splits: vec![
                Split { name: "train".into(), rows: vec![0, 2] },
                Split { name: "test".into(), rows: vec![1] },
            ],
            attributes: vec![attribute("Eyeglasses", [1, 0, 0]), attribute("Male", [0, 1, 0])],
        }
    }

    #[test]
    fn faces_take_persons_from_ids_and_the_rest_from_columns() {
        let album = faces(table(&["no-Eyeglasses", "Eyeglasses"], [1, 0, 0])).unwrap();
        let anna = FacePhoto { person: 0, sex: Sex::Woman, glasses: true, part: Part::Train };
        assert_eq!(album.photos[0], anna);
        assert_eq!(album.photos[1], FacePhoto { person: 1, sex: Sex::Man, glasses: false, part: Part::Test });
        assert_eq!(album.photos[2], FacePhoto { glasses: false, ..anna });
        let mut pixel = [0];
        let double = |_: ImageShape, pixels: &mut [u8]| {
            pixels[0] *= 2;
            Ok(())
        };
        album.pictures.read(2, Some(&double), &mut pixel).unwrap();
        assert_eq!(pixel, [18]);
    }

    #[test]
    fn what_is_missing_is_named() {
        let mut table_without = table(&["a", "b"], [0, 1, 0]);
        table_without.attributes.pop();
        let message = |result: Result<Album<FacePhoto>, DataError>| result.err().unwrap().to_string();
        assert!(message(faces(table_without)).contains("no column `Male`"));
        let mut nobody = table(&["a", "b"], [0, 1, 0]);
        nobody.ids[1] = None;
        assert!(message(faces(nobody)).contains("row 1 has no person"));
        assert!(animals(table(&["horse", "zebra"], [0, 1, 0])).err().unwrap().to_string().contains("zebra"));
        assert!(digits(table(&["0", "ten"], [0, 1, 0])).err().unwrap().to_string().contains("digits"));
    }

    #[test]
    fn digits_and_animals_are_told_by_their_class() {
        let album = digits(table(&["7", "3"], [0, 1, 0])).unwrap();
        assert_eq!(album.photos[1], DigitPhoto { digit: 3, part: Part::Test });
        let album = animals(table(&["elephant", "horse"], [0, 1, 0])).unwrap();
        assert_eq!(album.photos.iter().map(|photo| photo.elephant).collect::<Vec<_>>(), [true, false, true]);
    }
}
