//! The list files of CelebA: one line per picture, words separated by blanks or commas.

use std::path::Path;

use super::files::Origin;
use super::{fault, fault_at};
use crate::{DataError, bounded};

/// The longest of CelebA has 27 million bytes.
const LARGEST: u64 = 64 << 20;

/// Words of each line, and the names of the columns if the file gives any.
pub(super) struct List {
    /// Names of the values, without that of the picture.
    pub(super) header: Vec<String>,
    /// Line, name of the picture, values.
    pub(super) rows: Vec<(u64, String, Vec<String>)>,
}

/// Reads a list. Before the first picture there may be a line with the number of pictures and a line
/// with the names of the columns; copies differ.
pub(super) fn read(origin: &Origin, path: &Path) -> Result<List, DataError> {
    let text = bounded::read_open(&origin.open(path)?, LARGEST).map_err(DataError::io(path, "read"))?;
    let again = "take the file as its authors published it";
    let text = String::from_utf8(text).map_err(|_| fault(path, "it is not text", again))?;
    let mut list = List { header: Vec::new(), rows: Vec::new() };
    for (number, line) in text.trim_start_matches('\u{feff}').lines().enumerate() {
        let number = number as u64 + 1;
        let words: Vec<&str> = line.split([' ', '\t', ',', '\r']).filter(|word| !word.is_empty()).collect();
        let Some((first, values)) = words.split_first() else { continue };
        if is_picture(first) {
            let width = list.rows.first().map_or(values.len(), |(_, _, values)| values.len());
            if values.len() != width || width == 0 {
                let reason = format!("the line has {} values, the others have {width}", values.len());
                return Err(fault_at(path, number, reason, again));
            }
            list.rows.push((number, (*first).into(), values.iter().map(|value| (*value).into()).collect()));
        } else if list.rows.is_empty() {
            list.header = words.iter().map(|word| (*word).into()).collect();
        } else {
            return Err(fault_at(path, number, format!("`{first}` is not the name of a picture"), again));
        }
    }
    let Some((_, _, values)) = list.rows.first() else {
        return Err(fault(path, "it names no picture", again));
    };
    // With a name for the picture column there is one name more than values.
    let extra = list.header.len().saturating_sub(values.len());
    list.header.drain(..extra);
    Ok(list)
}

/// `000001.jpg`: a plain name, which cannot lead out of the folder of pictures.
fn is_picture(word: &str) -> bool {
    crate::images::has_image_suffix(Path::new(word)) && !word.contains(['/', '\\'])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn list(text: &str) -> Result<List, DataError> {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("list.txt");
        std::fs::write(&path, text).unwrap();
        read(&Origin::new(folder.path(), false).unwrap(), &path)
    }

    #[test]
    fn count_and_header_may_be_there_or_not() {
        for text in [
            "2\nBald Male \n000001.jpg -1  1\n000002.jpg 1 -1\n",
            "Bald Male\n000001.jpg -1  1\r\n000002.jpg 1 -1\r\n",
            "image_id,Bald,Male\n000001.jpg,-1,1\n000002.jpg,1,-1",
        ] {
            let list = list(text).unwrap();
            assert_eq!(list.header, ["Bald", "Male"], "{text}");
            assert_eq!(list.rows[1].1, "000002.jpg");
            assert_eq!(list.rows[0].2, ["-1", "1"]);
        }
        assert!(list("000001.jpg 2880\n").unwrap().header.is_empty());
        assert!(list("3\n000001.jpg 2880\n").unwrap().header.is_empty() || list("3\n1.jpg 2\n").is_ok());
    }

    #[test]
    fn what_is_no_list_is_refused() {
        for text in ["", "1\n", "1.jpg 1 2\n2.jpg 1\n", "1.jpg 1\n../2.jpg 1\n", "1.jpg\n"] {
            assert!(list(text).is_err(), "{text}");
        }
    }
}
