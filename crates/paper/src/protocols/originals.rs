//! Albums of the original files of CelebA, AwA2 and MNIST. A picture is read when an experiment asks for it, and changed
//! before or after it is shrunk to the network's size.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use corevar_data::images::{Change, read_changed};
use corevar_data::import::{self, ImportOptions};
use corevar_data::{DataError, Dataset, ImageShape, Inputs, Labels};

use crate::album::{Album, AnimalPhoto, DigitPhoto, FacePhoto, Part, Pictures, Sex};
use crate::drawn::{animals, faces};
use crate::protocols::ChangeAt;

/// Whether a folder holds any of the files of CelebA, be they whole or not.
pub fn has_celeba(folder: &Path) -> bool {
    import::celeba::is_begun(folder)
}

/// The same of AwA2.
pub fn has_awa2(folder: &Path) -> bool {
    import::awa2::is_begun(folder)
}

/// The same of MNIST.
pub fn has_mnist(folder: &Path) -> bool {
    import::mnist::is_begun(folder)
}

/// CelebA: what is worn, who it is and which part a picture belongs to stand in its lists.
pub fn celeba(from: &Path, change_at: ChangeAt) -> Result<Album<FacePhoto>, DataError> {
    let lists = import::celeba::pictures(from, &ImportOptions::default())?;
    let column = |name: &'static str| {
        let found = lists.attributes.iter().position(|attribute| attribute == name);
        found.ok_or_else(|| lacks(from, format!("its attributes lack `{name}`")))
    };
    let (glasses, male) = (column("Eyeglasses")?, column("Male")?);
    let mut persons = HashMap::new();
    let mut photo = |row: &import::Row| {
        let number = persons.len() as u32;
        FacePhoto {
            person: *persons.entry(row.id.clone()).or_insert(number),
            sex: if row.attributes[male] == "1" { Sex::Man } else { Sex::Woman },
            glasses: row.attributes[glasses] == "1",
            part: part(row.split.as_deref().unwrap_or_default()),
        }
    };
    let photos = lists.rows.iter().map(&mut photo).collect();
    Ok(Album { name: "CelebA".into(), photos, pictures: files(lists.rows, faces::SHAPE, change_at) })
}

/// AwA2: the folders of horses and elephants, changed in their original size, as the paper did: a change of colours is the
/// same in any size.
pub fn awa2(from: &Path) -> Result<Album<AnimalPhoto>, DataError> {
    let rows = import::awa2::rows(from, &["horse", "elephant"].map(String::from))?;
    let photos = rows.iter().map(|row| AnimalPhoto { elephant: row.label == "elephant" }).collect();
    Ok(Album { name: "AwA2".into(), photos, pictures: files(rows, animals::SHAPE, ChangeAt::Original) })
}

/// MNIST: the digits of both parts, in memory.
pub fn mnist(from: &Path) -> Result<Album<DigitPhoto>, DataError> {
    let digits = import::mnist::digits(from)?;
    let photos = digit_photos(from, &digits)?;
    match digits.into_inputs() {
        Inputs::Images(images) => Ok(Album { name: "MNIST".into(), photos, pictures: Box::new(images) }),
        _ => Err(lacks(from, "there are no pictures".into())),
    }
}

fn digit_photos(from: &Path, digits: &Dataset) -> Result<Vec<DigitPhoto>, DataError> {
    let Labels::Classes { names, of_row } = digits.labels() else {
        return Err(lacks(from, "the labels are no classes".into()));
    };
    let mut parts = vec![Part::Train; digits.len()];
    digits.split("test").unwrap_or_default().iter().for_each(|row| parts[*row] = Part::Test);
    let digit = |class: &u32| names[*class as usize].parse().ok().filter(|digit| *digit < 10);
    let photo = |(class, part)| Some(DigitPhoto { digit: digit(class)?, part });
    let photos: Option<Vec<DigitPhoto>> = of_row.iter().zip(parts).map(photo).collect();
    photos.ok_or_else(|| lacks(from, "a label is not a digit from 0 to 9".into()))
}

fn part(split: &str) -> Part {
    match split {
        "val" => Part::Val,
        "test" => Part::Test,
        _ => Part::Train,
    }
}

fn lacks(from: &Path, problem: String) -> DataError {
    let problem = format!("{}: {problem}", from.display());
    DataError::Sizes { generator: "reproduce", problem, tip: "take the files as they were published".into() }
}

struct Files {
    paths: Vec<PathBuf>,
    shape: ImageShape,
    change_at: ChangeAt,
}

fn files(rows: Vec<import::Row>, shape: ImageShape, change_at: ChangeAt) -> Box<dyn Pictures> {
    Box::new(Files { paths: rows.into_iter().map(|row| row.picture).collect(), shape, change_at })
}

impl Pictures for Files {
    fn shape(&self) -> ImageShape {
        self.shape
    }

    fn read(&self, number: usize, change: Option<&Change>, out: &mut [u8]) -> Result<(), DataError> {
        let path = &self.paths[number];
        match (self.change_at, change) {
            (ChangeAt::Network, Some(change)) => {
                read_changed(path, self.shape, None, out)?;
                change(self.shape, out)
            }
            (_, change) => read_changed(path, self.shape, change, out),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    fn picture(path: &Path, grey: u8) {
        let png = corevar_data::encode_png(&[grey], ImageShape { height: 1, width: 1, channels: 1 }).unwrap();
        fs::write(path, png).unwrap();
    }

    #[test]
    fn files_are_noticed_also_where_some_are_missing() {
        let folder = tempfile::tempdir().unwrap();
        let all = |folder: &Path| [has_celeba(folder), has_awa2(folder), has_mnist(folder)];
        assert_eq!(all(folder.path()), [false; 3]);
        fs::write(folder.path().join("identity_CelebA.txt"), "").unwrap();
        fs::create_dir(folder.path().join("digits")).unwrap();
        fs::write(folder.path().join("digits/t10k-labels.idx1-ubyte"), "").unwrap();
        assert_eq!(all(folder.path()), [true, false, true]);
    }

    #[test]
    fn celeba_is_read_from_its_lists() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        fs::create_dir(at("img_align_celeba")).unwrap();
        picture(&at("img_align_celeba/1.jpg"), 10);
        picture(&at("img_align_celeba/2.jpg"), 20);
        fs::write(at("list_attr_celeba.txt"), "2\nEyeglasses Male\n1.jpg 1 -1\n2.jpg -1 1\n").unwrap();
        fs::write(at("identity_CelebA.txt"), "1.jpg 700\n2.jpg 30\n").unwrap();
        fs::write(at("list_eval_partition.txt"), "1.jpg 0\n2.jpg 2\n").unwrap();
        let album = celeba(folder.path(), ChangeAt::default()).unwrap();
        let first = FacePhoto { person: 0, sex: Sex::Woman, glasses: true, part: Part::Train };
        let second = FacePhoto { person: 1, sex: Sex::Man, glasses: false, part: Part::Test };
        assert_eq!(album.photos, [first, second]);
        let mut pixels = vec![0; faces::SHAPE.len()];
        album.pictures.read(1, None, &mut pixels).unwrap();
        assert!(pixels.iter().all(|byte| *byte == 20));
        fs::write(at("list_attr_celeba.txt"), "2\nEyeglasses Smiling\n1.jpg 1 -1\n2.jpg -1 1\n").unwrap();
        assert!(
            celeba(folder.path(), ChangeAt::default()).err().unwrap().to_string().contains("lack `Male`")
        );
    }

    #[test]
    fn a_picture_is_changed_at_the_size_of_the_network_or_at_its_own() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.png");
        // Twice as large as asked for, in stripes of black and white.
        let stripes: Vec<u8> = (0..16).map(|place| if place % 2 == 0 { 0 } else { 255 }).collect();
        let original = ImageShape { height: 4, width: 4, channels: 1 };
        fs::write(&path, corevar_data::encode_png(&stripes, original).unwrap()).unwrap();
        let shape = ImageShape { height: 2, width: 2, channels: 3 };
        // Makes everything that is not black white.
        let harsh = |seen: ImageShape, pixels: &mut [u8]| {
            assert_eq!(pixels.len(), seen.len());
            pixels.iter_mut().filter(|byte| **byte > 0).for_each(|byte| *byte = 255);
            Ok(())
        };
        let read = |change_at| {
            let files = Files { paths: vec![path.clone()], shape, change_at };
            let mut pixels = vec![0; shape.len()];
            files.read(0, Some(&harsh), &mut pixels).unwrap();
            pixels
        };
        // Shrinking mixes the stripes to grey: the change makes that white, or comes before it and does nothing to them.
        assert!(read(ChangeAt::Network).iter().all(|byte| *byte == 255));
        assert!(read(ChangeAt::Original).iter().all(|byte| (100..156).contains(byte)));
    }

    #[test]
    fn awa2_is_two_of_its_folders() {
        let folder = tempfile::tempdir().unwrap();
        for (class, grey) in [("elephant", 90), ("horse", 40), ("zebra", 0)] {
            let class = folder.path().join("JPEGImages").join(class);
            fs::create_dir_all(&class).unwrap();
            picture(&class.join("a.jpg"), grey);
        }
        let album = awa2(folder.path()).unwrap();
        assert_eq!(album.photos.len(), 2);
        assert_eq!(album.photos.iter().filter(|photo| photo.elephant).count(), 1);
        assert!(awa2(&folder.path().join("JPEGImages/zebra")).is_err());
    }
}
