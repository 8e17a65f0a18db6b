//! The experiments on an album that writes the number of each photo into its pixels and changes nothing,
//! so that a row tells which photo it shows.

use std::collections::{HashMap, HashSet};

use corevar_data::Tip;
use corevar_data::images::Change;
use corevar_data::{Dataset, ImageShape, Inputs, Labels};

use super::*;
use crate::album::{Album, AnimalPhoto, DigitPhoto, FacePhoto, Part, Pictures, Sex};

struct Numbered;

impl Pictures for Numbered {
    fn shape(&self) -> ImageShape {
        ImageShape { height: 1, width: 4, channels: 1 }
    }

    fn read(&self, number: usize, _: Option<&Change>, out: &mut [u8]) -> Result<(), DataError> {
        out.copy_from_slice(&(number as u32).to_le_bytes());
        Ok(())
    }
}

/// 200 persons with 10 photos each; person p wears glasses in every photo whose number is below p % 11.
fn faces() -> Album<FacePhoto> {
    let photo = |number: u32| FacePhoto {
        person: number / 10,
        sex: if (number / 10).is_multiple_of(2) { Sex::Woman } else { Sex::Man },
        glasses: number % 10 < number / 10 % 11,
        part: [Part::Train, Part::Train, Part::Train, Part::Val, Part::Test][number as usize / 10 / 2 % 5],
    };
    Album { name: "numbers".into(), photos: (0..2000).map(photo).collect(), pictures: Box::new(Numbered) }
}

fn photo_of(data: &Dataset, row: usize) -> usize {
    let Inputs::Images(images) = data.inputs() else { panic!("pictures") };
    let mut bytes = [0; 4];
    images.read_bytes(row, &mut bytes).unwrap();
    u32::from_le_bytes(bytes) as usize
}

fn class(data: &Dataset, row: usize) -> u32 {
    let Labels::Classes { of_row, .. } = data.labels() else { panic!("classes") };
    of_row[row]
}

fn changed(data: &Dataset, row: usize) -> bool {
    let column = data.attributes().iter().find(|attribute| attribute.name == "changed").unwrap();
    column.of_row[row] == 1
}

/// Rows of class 0 and of class 1.
fn balance(data: &Dataset, split: &str) -> [usize; 2] {
    [0, 1].map(|wanted| data.split(split).unwrap().iter().filter(|row| class(data, **row) == wanted).count())
}

/// Rows of the train split by id.
fn groups(data: &Dataset) -> HashMap<u32, Vec<usize>> {
    let mut groups: HashMap<u32, Vec<usize>> = HashMap::new();
    for row in data.split("train").unwrap() {
        data.ids()[*row].into_iter().for_each(|id| groups.entry(id).or_default().push(*row));
    }
    groups
}

fn persons(data: &Dataset, album: &Album<FacePhoto>, split: &str) -> HashSet<u32> {
    data.split(split).unwrap().iter().map(|row| album.photos[photo_of(data, *row)].person).collect()
}

#[track_caller]
fn assert_other_persons_in_tests(data: &Dataset, album: &Album<FacePhoto>) {
    let train = persons(data, album, "train");
    for split in &data.splits()[1..] {
        assert!(train.is_disjoint(&persons(data, album, &split.name)), "{}", split.name);
    }
}

fn quality(grouping: Grouping) -> (Album<FacePhoto>, Dataset) {
    let album = faces();
    let data = Quality { rows: 200, groups: 40, grouping, mean: 30.0, test_rows: 60, ..Default::default() }
        .build(&album, 1)
        .unwrap();
    (album, data)
}

#[test]
fn quality_has_balanced_rows_and_pairs_among_glasses_only() {
    for grouping in [Grouping::SameImage, Grouping::SamePerson, Grouping::OtherPerson] {
        let (album, data) = quality(grouping);
        assert_eq!(balance(&data, "train"), [100, 100]);
        let groups = groups(&data);
        assert_eq!(groups.len(), 40);
        for rows in groups.values() {
            let [first, second] = rows[..] else { panic!("a pair") };
            assert_eq!([class(&data, first), class(&data, second)], [1, 1]);
            let photos = [photo_of(&data, first), photo_of(&data, second)];
            let [one, other] = photos.map(|photo| album.photos[photo]);
            assert_eq!(photos[0] == photos[1], grouping == Grouping::SameImage);
            assert_eq!(one.person == other.person, grouping != Grouping::OtherPerson);
        }
        assert_other_persons_in_tests(&data, &album);
    }
}

#[test]
fn quality_changes_the_pictures_of_the_right_class() {
    let (album, data) = quality(Grouping::SamePerson);
    let expected: HashMap<&str, [bool; 2]> = HashMap::from([
        ("train", [false, true]),
        ("test1", [false, true]),
        ("test2", [true, false]),
        ("test3", [false, false]),
        ("test4", [true, true]),
    ]);
    assert_eq!(data.splits().len(), 5);
    for split in data.splits() {
        for row in &split.rows {
            let label = class(&data, *row);
            assert_eq!(changed(&data, *row), expected[split.name.as_str()][label as usize]);
            assert_eq!(album.photos[photo_of(&data, *row)].glasses, label == 1);
        }
    }
    let shown =
        |split: &str| data.split(split).unwrap().iter().map(|row| photo_of(&data, *row)).collect::<Vec<_>>();
    assert_eq!(balance(&data, "test1"), [30, 30]);
    assert!(["test2", "test3", "test4"].iter().all(|split| shown(split) == shown("test1")));
}

#[test]
fn brightness_pairs_both_classes() {
    let album = faces();
    let usual = Brightness { rows: 200, groups: 40, test_rows: 60, ..Brightness::default() };
    let data = usual.build(&album, 1).unwrap();
    let classes: Vec<u32> = groups(&data).values().map(|rows| class(&data, rows[0])).collect();
    assert_eq!(classes.iter().filter(|class| **class == 1).count(), 20);
    assert_eq!(classes.len(), 40);
    assert!(data.split("test1").unwrap().iter().all(|row| changed(&data, *row)));
    assert_other_persons_in_tests(&data, &album);
}

#[test]
fn ids_are_of_one_class_and_one_split() {
    for grouping in [Grouping::SameImage, Grouping::SamePerson, Grouping::OtherPerson] {
        let album = faces();
        let data =
            Brightness { rows: 200, groups: 40, test_rows: 60, grouping, mean: 20.0, ..Default::default() }
                .build(&album, 1)
                .unwrap();
        let names: HashSet<&String> = data.id_names().iter().collect();
        assert_eq!(names.len(), data.id_names().len());
        let mut split_of_id = HashMap::new();
        for split in data.splits() {
            for id in split.rows.iter().filter_map(|row| data.ids()[*row]) {
                assert_eq!(*split_of_id.entry(id).or_insert(&split.name), &split.name);
            }
        }
    }
}

#[test]
fn gender_ties_glasses_to_men_outside_of_pairs() {
    let album = faces();
    let usual = Gender { rows: 160, groups: 20, share_of_men: 0.75, test1_rows: 60, test2_rows: 40 };
    let data = usual.build(&album, 1).unwrap();
    assert_eq!(
        [balance(&data, "train"), balance(&data, "test1"), balance(&data, "test2")],
        [[80, 80], [30, 30], [20, 20]]
    );
    let photo = |row: usize| album.photos[photo_of(&data, row)];
    let groups = groups(&data);
    let men = groups.values().filter(|rows| class(&data, rows[0]) == 1).count();
    assert_eq!((groups.len(), men), (20, 15));
    for rows in groups.values() {
        let [first, second] = rows[..] else { panic!("a pair") };
        assert_eq!(photo(first).person, photo(second).person);
        assert_ne!(photo(first).glasses, photo(second).glasses);
    }
    for split in data.splits() {
        for row in &split.rows {
            assert_eq!(photo(*row).sex == Sex::Man, class(&data, *row) == 1);
            let usual = photo(*row).glasses == (class(&data, *row) == 1);
            let free = split.name == "train" && data.ids()[*row].is_some();
            assert!(free || usual == (split.name != "test2"));
        }
    }
    assert_other_persons_in_tests(&data, &album);
}

#[test]
fn small_n_takes_all_pictures_of_ten_persons_in_five_disjoint_sets() {
    let album = faces();
    let mut seen = HashSet::new();
    for set in 1..=5 {
        let data = SmallN { set, persons: 10, val_rows: 50, test_rows: 60 }.build(&album, 1).unwrap();
        let train = persons(&data, &album, "train");
        assert_eq!((train.len(), data.split("train").unwrap().len()), (10, 100));
        assert!(train.iter().all(|person| seen.insert(*person)));
        assert_eq!([balance(&data, "val"), balance(&data, "test")], [[25, 25], [30, 30]]);
        assert!(persons(&data, &album, "val").is_disjoint(&persons(&data, &album, "test")));
        assert_other_persons_in_tests(&data, &album);
        assert!(data.split("train").unwrap().iter().all(|row| data.ids()[*row].is_some()));
    }
}

#[test]
fn elmer_pairs_elephants_with_their_grey_copies() {
    let photos = (0..400).map(|number| AnimalPhoto { elephant: number % 2 == 1 }).collect();
    let album = Album { name: "numbers".into(), photos, pictures: Box::new(Numbered) };
    let data = Elmer { rows: 185, groups: 25, test_rows: 60 }.build(&album, 1).unwrap();
    assert_eq!([balance(&data, "train"), balance(&data, "test4")], [[80, 105], [30, 30]]);
    let groups = groups(&data);
    assert_eq!(groups.len(), 25);
    for rows in groups.values() {
        let [first, second] = rows[..] else { panic!("a pair") };
        assert_eq!(photo_of(&data, first), photo_of(&data, second));
        assert_eq!([changed(&data, first), changed(&data, second)], [false, true]);
        assert_eq!(class(&data, first), 1);
    }
    let shown = |split: &str| {
        data.split(split).unwrap().iter().map(|row| photo_of(&data, *row)).collect::<HashSet<_>>()
    };
    assert!(shown("train").is_disjoint(&shown("test1")));
    assert_eq!(shown("test1"), shown("test2"));
}

#[test]
fn mnist_adds_rotated_copies_of_some_digits() {
    let part = |number: u32| if number < 200 { Part::Train } else { Part::Test };
    let photos = (0..300).map(|number| DigitPhoto { digit: number % 10, part: part(number) }).collect();
    let album = Album { name: "numbers".into(), photos, pictures: Box::new(Numbered) };
    let data =
        Mnist { originals: 100, copies: 8, test_rows: 50, ..Default::default() }.build(&album, 1).unwrap();
    assert_eq!(data.split("train").unwrap().len(), 108);
    let groups = groups(&data);
    assert_eq!(groups.len(), 8);
    assert!(groups.values().all(|rows| !changed(&data, rows[0]) && changed(&data, rows[1])));
    assert!(data.split("test1").unwrap().iter().all(|row| changed(&data, *row)));
    assert!(data.split("test2").unwrap().iter().all(|row| !changed(&data, *row)));
    assert!((0..data.len()).all(|row| photo_of(&data, row) as u32 % 10 == class(&data, row)));
}

#[test]
fn the_same_seed_gives_the_same_bytes() {
    let album = crate::drawn::faces::album(
        crate::drawn::faces::AlbumSizes { persons: 80, pictures: 8, ..Default::default() },
        5,
    );
    let bytes = |seed| {
        let data =
            Quality { rows: 40, groups: 8, test_rows: 8, ..Quality::default() }.build(&album, seed).unwrap();
        let Inputs::Images(images) = data.inputs() else { panic!("pictures") };
        let mut all = vec![0; data.len() * images.shape.len()];
        all.chunks_exact_mut(images.shape.len())
            .enumerate()
            .for_each(|(row, out)| images.read_bytes(row, out).unwrap());
        all
    };
    assert_eq!(bytes(1), bytes(1));
    assert_ne!(bytes(1), bytes(2));
}

#[test]
fn an_album_too_small_is_an_error_with_a_tip() {
    let error = Quality::default().build(&faces(), 1).unwrap_err();
    assert!(error.to_string().starts_with("quality: the album holds "), "{error}");
    assert!(error.tip().unwrap().contains("larger album"));
    let error = Quality { rows: 100, groups: 26, ..Quality::default() }.build(&faces(), 1).unwrap_err();
    assert_eq!(error.to_string(), "quality: 26 pairs of one class do not fit into half of 100 rows");
    let error = Gender { share_of_men: 1.5, ..Gender::default() }.build(&faces(), 1).unwrap_err();
    assert!(error.to_string().contains("1.5 of men"));
    assert!(SmallN { set: 6, ..SmallN::default() }.build(&faces(), 1).is_err());
}
