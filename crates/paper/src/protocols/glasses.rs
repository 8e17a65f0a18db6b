//! What the two experiments on glasses with a made-up style have in common: balanced training rows with
//! pairs, and test sets that show the same pictures under different changes.

use corevar_data::DataError;
use corevar_data::interventions::Recipe;

use super::draft::{Column, Draft, Row};
use super::grouping::{Grouping, choose};
use super::{first, shuffled};
use crate::album::{Album, FacePhoto, Part, Sex};

/// In this order: class 0 and class 1.
pub(super) const CLASSES: [&str; 2] = ["none", "glasses"];

/// Told in errors by subgroup.
pub(super) const COLUMNS: [Column<FacePhoto>; 1] =
    [("sex", &["woman", "man"], |photo| u32::from(photo.sex == Sex::Man))];

/// What is done to pictures without and with glasses.
pub(super) type Changes<'a> = [Option<&'a Recipe>; 2];

/// Adds the training rows: half of each class, and of class k `pairs[k]` pairs.
pub(super) fn add_train<'a>(
    draft: &mut Draft<'a>,
    experiment: &'static str,
    photos: &[FacePhoto],
    (rows, pairs, grouping): (usize, [usize; 2], Grouping),
    changes: Changes<'a>,
    seed: u64,
) -> Result<(), DataError> {
    draft.begin("train");
    for class in [0, 1] {
        let wanted = |photo: &FacePhoto| photo.part == Part::Train && u32::from(photo.glasses) == class;
        let pool = shuffled(photos, seed, u64::from(class), wanted);
        let half = (rows + class as usize) / 2;
        let chosen = choose(experiment, photos, &pool, [half, pairs[class as usize]], grouping)?;
        let change = changes[class as usize];
        for (name, pair) in chosen.pairs {
            // The class in the name: a person may be grouped with glasses and, apart from that, without.
            let id = Some(draft.id(format!("{}-{name}", CLASSES[class as usize])));
            pair.into_iter().for_each(|photo| draft.add(Row { photo, class, id, change }));
        }
        chosen.singles.into_iter().for_each(|photo| draft.add(Row { photo, class, id: None, change }));
    }
    Ok(())
}

/// Adds a test set for each of `sets`, all of the same pictures of persons that are not in training: half
/// of each class, with the person as the id.
pub(super) fn add_tests<'a>(
    draft: &mut Draft<'a>,
    experiment: &'static str,
    photos: &[FacePhoto],
    rows: usize,
    sets: &[(&str, Changes<'a>)],
    seed: u64,
) -> Result<(), DataError> {
    for (name, changes) in sets {
        draft.begin(name);
        add_balanced(draft, experiment, photos, (name, rows), |part| part != Part::Train, *changes, seed)?;
    }
    Ok(())
}

/// Adds rows of parts of the album to the split begun last, half of each class, with the person as the id.
pub(super) fn add_balanced<'a>(
    draft: &mut Draft<'a>,
    experiment: &'static str,
    photos: &[FacePhoto],
    (split, rows): (&str, usize),
    from: impl Fn(Part) -> bool,
    changes: Changes<'a>,
    seed: u64,
) -> Result<(), DataError> {
    let mut ids = Ids::default();
    for class in [0, 1] {
        let wanted = |photo: &FacePhoto| from(photo.part) && u32::from(photo.glasses) == class;
        let pool = shuffled(photos, seed, 10 + u64::from(class), wanted);
        for photo in first(experiment, &pool, (rows + class as usize) / 2)? {
            let id = Some(ids.of(draft, split, photos[*photo].person));
            draft.add(Row { photo: *photo, class, id, change: changes[class as usize] });
        }
    }
    Ok(())
}

/// Ids of the persons of one split.
#[derive(Default)]
pub(super) struct Ids {
    of_person: std::collections::HashMap<u32, u32>,
}

impl Ids {
    /// The id of a person; `test1-p00042`, so that no id is in two splits.
    pub fn of(&mut self, draft: &mut Draft, split: &str, person: u32) -> u32 {
        *self.of_person.entry(person).or_insert_with(|| draft.id(format!("{split}-p{person:05}")))
    }
}

/// Fails where pairs and rows contradict each other.
pub(super) fn check(
    experiment: &'static str,
    rows: usize,
    pairs: [usize; 2],
    test_rows: usize,
) -> Result<(), DataError> {
    if rows < 4 || test_rows < 2 {
        let problem = format!("{rows} rows in train and {test_rows} in a test set");
        return Err(super::does_not_fit(experiment, problem, "ask for at least 4 and 2".into()));
    }
    match pairs.into_iter().max() {
        Some(most) if most > rows / 4 => {
            let problem = format!("{most} pairs of one class do not fit into half of {rows} rows");
            Err(super::does_not_fit(
                experiment,
                problem,
                format!("ask for at most {}, or for more rows", rows / 4),
            ))
        }
        _ => Ok(()),
    }
}

/// Runs a draft to its end.
pub(super) fn finish(draft: Draft, album: &Album<FacePhoto>) -> Result<corevar_data::Dataset, DataError> {
    draft.finish(album, &COLUMNS)
}
