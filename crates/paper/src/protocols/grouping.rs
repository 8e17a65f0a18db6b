//! Which rows are grouped: the three grouping settings of the paper.

use std::collections::HashMap;

use corevar_data::DataError;
use serde::{Deserialize, Serialize};

use super::too_few;
use crate::album::FacePhoto;

/// What two rows of a group have in common, beside the class (paper, "Grouping setting 1" to 3).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "usize", into = "usize")]
#[non_exhaustive]
pub enum Grouping {
    /// 1: the same image, each time with its own draw of the intervention.
    SameImage,
    /// 2: another image of the same person.
    SamePerson,
    /// 3: an image of another person.
    OtherPerson,
}

impl Grouping {
    /// 1, 2 or 3.
    pub fn from_number(number: usize) -> Option<Grouping> {
        [Grouping::SameImage, Grouping::SamePerson, Grouping::OtherPerson]
            .get(number.wrapping_sub(1))
            .copied()
    }

    /// As in the paper.
    pub fn number(self) -> usize {
        self as usize + 1
    }
}

impl From<Grouping> for usize {
    fn from(grouping: Grouping) -> usize {
        grouping.number()
    }
}

impl TryFrom<usize> for Grouping {
    type Error = String;

    fn try_from(number: usize) -> Result<Grouping, String> {
        Grouping::from_number(number)
            .ok_or_else(|| format!("there are the groupings 1, 2 and 3, not {number}"))
    }
}

/// Photos of one class: pairs with the name of their id, and rows by themselves.
#[derive(Debug, PartialEq)]
pub(super) struct Chosen {
    pub pairs: Vec<(String, [usize; 2])>,
    pub singles: Vec<usize>,
}

/// Chooses `rows` rows from `pool` (photo numbers in random order), among them `pairs` pairs.
pub(super) fn choose(
    experiment: &'static str,
    photos: &[FacePhoto],
    pool: &[usize],
    [rows, pairs]: [usize; 2],
    grouping: Grouping,
) -> Result<Chosen, DataError> {
    let formed = match grouping {
        Grouping::SameImage => same_image(pool, pairs),
        Grouping::SamePerson => same_person(photos, pool, pool, pairs),
        Grouping::OtherPerson => other_person(photos, pool, pairs),
    };
    if formed.len() < pairs {
        return Err(too_few(experiment, "pairs of pictures", formed.len(), pairs));
    }
    let singles = left_over(pool, &formed);
    let wanted = rows - 2 * pairs;
    if singles.len() < wanted {
        return Err(too_few(experiment, "pictures", singles.len() + 2 * pairs, rows));
    }
    Ok(Chosen { pairs: formed, singles: singles[..wanted].to_vec() })
}

/// Photos of the pool that are in none of the pairs.
pub(super) fn left_over(pool: &[usize], pairs: &[(String, [usize; 2])]) -> Vec<usize> {
    let used: std::collections::HashSet<usize> = pairs.iter().flat_map(|(_, pair)| *pair).collect();
    pool.iter().copied().filter(|photo| !used.contains(photo)).collect()
}

fn same_image(pool: &[usize], pairs: usize) -> Vec<(String, [usize; 2])> {
    pool.iter().take(pairs).map(|photo| (format!("i{photo:06}"), [*photo; 2])).collect()
}

/// Pairs of a photo of `firsts` and another of the same person of `seconds`: one pair a person, and only
/// when no person is left, a second pair of the first person, under an id of its own.
pub(super) fn same_person(
    photos: &[FacePhoto],
    firsts: &[usize],
    seconds: &[usize],
    pairs: usize,
) -> Vec<(String, [usize; 2])> {
    let mut partners: HashMap<u32, Vec<usize>> = HashMap::new();
    // Backwards, so that what is taken from the end comes in the order of the pool.
    for photo in seconds.iter().rev() {
        partners.entry(photos[*photo].person).or_default().push(*photo);
    }
    let mut used = std::collections::HashSet::new();
    let mut times: HashMap<u32, usize> = HashMap::new();
    let mut formed = Vec::new();
    for round in 0.. {
        let before = formed.len();
        for first in firsts {
            let person = photos[*first].person;
            let taken = times.entry(person).or_default();
            if formed.len() == pairs {
                return formed;
            }
            if *taken > round || used.contains(first) {
                continue;
            }
            let Some(partner) = partner(&mut partners, person, *first, &used) else { continue };
            *taken += 1;
            used.extend([*first, partner]);
            formed.push((id_of_person(person, *taken), [*first, partner]));
        }
        if formed.len() == before {
            break;
        }
    }
    formed
}

/// Takes a photo of the person that is neither used nor the first of the pair.
fn partner(
    partners: &mut HashMap<u32, Vec<usize>>,
    person: u32,
    first: usize,
    used: &std::collections::HashSet<usize>,
) -> Option<usize> {
    let stack = partners.get_mut(&person)?;
    stack.retain(|photo| !used.contains(photo) && *photo != first);
    stack.pop()
}

fn id_of_person(person: u32, times: usize) -> String {
    if times == 1 { format!("p{person:05}") } else { format!("p{person:05}-{times}") }
}

fn other_person(photos: &[FacePhoto], pool: &[usize], pairs: usize) -> Vec<(String, [usize; 2])> {
    let mut waiting: Option<usize> = None;
    let mut formed = Vec::new();
    for photo in pool {
        if formed.len() == pairs {
            break;
        }
        match waiting {
            Some(other) if photos[other].person != photos[*photo].person => {
                formed.push((format!("g{:05}", formed.len()), [other, *photo]));
                waiting = None;
            }
            Some(_) => {}
            None => waiting = Some(*photo),
        }
    }
    formed
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::album::{Part, Sex};

    fn photos(persons: &[u32]) -> Vec<FacePhoto> {
        let photo =
            |person: &u32| FacePhoto { person: *person, sex: Sex::Man, glasses: true, part: Part::Train };
        persons.iter().map(photo).collect()
    }

    fn chosen(persons: &[u32], sizes: [usize; 2], grouping: Grouping) -> Chosen {
        let photos = photos(persons);
        let pool: Vec<usize> = (0..photos.len()).collect();
        choose("quality", &photos, &pool, sizes, grouping).unwrap()
    }

    #[test]
    fn numbers_are_those_of_the_paper() {
        for number in 1..=3 {
            assert_eq!(Grouping::from_number(number).unwrap().number(), number);
        }
        assert_eq!(Grouping::from_number(0), None);
        assert_eq!(Grouping::from_number(4), None);
    }

    #[test]
    fn setting_1_takes_an_image_twice() {
        let chosen = chosen(&[5, 6, 7], [4, 1], Grouping::SameImage);
        assert_eq!(chosen.pairs, [("i000000".to_string(), [0, 0])]);
        assert_eq!(chosen.singles, [1, 2]);
    }

    #[test]
    fn setting_2_takes_each_person_once_before_any_twice() {
        let persons = [5, 5, 6, 5, 6, 5, 7];
        let one = chosen(&persons, [4, 2], Grouping::SamePerson);
        assert_eq!(one.pairs, [("p00005".to_string(), [0, 1]), ("p00006".to_string(), [2, 4])]);
        let more = chosen(&persons, [7, 3], Grouping::SamePerson);
        assert_eq!(more.pairs[2], ("p00005-2".to_string(), [3, 5]));
        assert_eq!(more.singles, [6]);
    }

    #[test]
    fn setting_3_never_takes_the_same_person() {
        let chosen = chosen(&[5, 5, 6, 7], [4, 1], Grouping::OtherPerson);
        assert_eq!(chosen.pairs, [("g00000".to_string(), [0, 2])]);
        assert_eq!(chosen.singles, [1, 3]);
    }

    #[test]
    fn too_few_pictures_are_an_error_with_both_numbers() {
        let photos = photos(&[1, 2, 3]);
        let error = choose("quality", &photos, &[0, 1, 2], [2, 1], Grouping::SamePerson).unwrap_err();
        assert_eq!(error.to_string(), "quality: the album holds 0 pairs of pictures where 1 are needed");
        let error = choose("quality", &photos, &[0, 1, 2], [6, 1], Grouping::SameImage).unwrap_err();
        assert_eq!(error.to_string(), "quality: the album holds 4 pictures where 6 are needed");
    }
}
