//! Who is it: a task for a network whose features are then used for another.

use corevar_data::{DataError, Dataset};

use super::draft::{Draft, Row};
use super::small_n::most_pictured;
use super::too_few;
use crate::album::{Album, FacePhoto, Part};

/// Pictures of the persons with most of them; a class is a person.
#[derive(Debug, Clone, PartialEq)]
pub struct Identity {
    /// Persons to tell apart.
    pub persons: usize,
}

impl Default for Identity {
    fn default() -> Identity {
        Identity { persons: 100 }
    }
}

impl Identity {
    /// The data set with the split train alone.
    pub fn build(&self, album: &Album<FacePhoto>, seed: u64) -> Result<Dataset, DataError> {
        let ranked = most_pictured(&album.photos, seed);
        let needed = self.persons.max(2);
        let persons =
            ranked.get(..needed).ok_or_else(|| too_few("identity", "persons", ranked.len(), needed))?;
        let names: Vec<String> = persons.iter().map(|person| format!("p{person:05}")).collect();
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        let mut draft = Draft::new("identity", &names, seed);
        draft.begin("train");
        for (photo, known) in album.photos.iter().enumerate().filter(|(_, known)| known.part == Part::Train) {
            if let Some(class) = persons.iter().position(|person| *person == known.person) {
                draft.add(Row { photo, class: class as u32, id: None, change: None });
            }
        }
        draft.finish(album, &[])
    }
}

#[cfg(test)]
mod tests {
    use corevar_data::Labels;

    use super::*;
    use crate::drawn::faces::{AlbumSizes, album};

    #[test]
    fn a_class_is_a_person_of_the_training_part() {
        let album = album(AlbumSizes { persons: 20, pictures: 6, ..Default::default() }, 3);
        let dataset = Identity { persons: 4 }.build(&album, 3).unwrap();
        let Labels::Classes { names, of_row } = dataset.labels() else { panic!("classes") };
        assert_eq!(names.len(), 4);
        assert!((0..4).all(|class| of_row.iter().filter(|of| **of == class).count() >= 5));
        assert!(Identity { persons: 17 }.build(&album, 3).is_err());
    }
}
