//! A data set before its pictures are made: which photo goes where, with which label, id and change.

use corevar_data::interventions::Recipe;
use corevar_data::{
    Attribute, DataError, Dataset, Features, ImageShape, Images, Inputs, Labels, Pixels, Split,
};
use rayon::prelude::*;

use crate::album::Album;

/// Rows to be, split by split.
pub(super) struct Draft<'a> {
    name: String,
    classes: Vec<String>,
    seed: u64,
    rows: Vec<Row<'a>>,
    id_names: Vec<String>,
    splits: Vec<Split>,
}

/// One row to be.
pub(super) struct Row<'a> {
    /// Number in the album.
    pub photo: usize,
    pub class: u32,
    /// What [`Draft::id`] gave.
    pub id: Option<u32>,
    /// What is done to the picture; drawn anew for every row.
    pub change: Option<&'a Recipe>,
}

/// A column of the data set: its name, its levels, and the level of a photo.
pub(super) type Column<'a, Photo> = (&'a str, &'a [&'a str], fn(&Photo) -> u32);

impl<'a> Draft<'a> {
    /// The experiment's name, the classes in order, and what decides the draws of changes.
    pub fn new(name: &str, classes: &[&str], seed: u64) -> Draft<'a> {
        Draft {
            name: name.to_owned(),
            classes: classes.iter().map(|class| (*class).to_owned()).collect(),
            seed,
            rows: Vec::new(),
            id_names: Vec::new(),
            splits: Vec::new(),
        }
    }

    /// Begins a split; rows go to the last one begun.
    pub fn begin(&mut self, name: &str) {
        self.splits.push(Split::new(name, []));
    }

    /// A new id.
    pub fn id(&mut self, name: String) -> u32 {
        self.id_names.push(name);
        (self.id_names.len() - 1) as u32
    }

    /// Adds a row to the split begun last.
    pub fn add(&mut self, row: Row<'a>) {
        if let Some(split) = self.splits.last_mut() {
            split.rows.push(self.rows.len());
            self.rows.push(row);
        }
    }

    /// Makes the pictures. Beside the given columns there is one that says whether a picture was changed.
    pub fn finish<Photo: Sync>(
        self,
        album: &Album<Photo>,
        columns: &[Column<Photo>],
    ) -> Result<Dataset, DataError> {
        let shape = album.pictures.shape();
        let mut pixels = vec![0; self.rows.len() * shape.len()];
        pixels
            .par_chunks_exact_mut(shape.len())
            .zip(self.rows.par_iter().enumerate())
            .try_for_each(|(out, (number, row))| self.picture(album, number as u64, row, out))?;
        let inputs = Inputs::Images(Images::new(shape, Pixels::Memory(pixels)));
        self.with_inputs(album, columns, inputs)
    }

    /// Takes the numbers of each photo instead of its picture, from a matrix with a row for each photo of the album.
    pub fn finish_features<Photo>(
        self,
        album: &Album<Photo>,
        columns: &[Column<Photo>],
        features: &Features,
    ) -> Result<Dataset, DataError> {
        let width = features.names.len();
        let of_photo = |row: &Row| &features.values[row.photo * width..(row.photo + 1) * width];
        let values = self.rows.iter().flat_map(of_photo).copied().collect();
        let inputs = Inputs::Features(Features { names: features.names.clone(), values });
        self.with_inputs(album, columns, inputs)
    }

    fn with_inputs<Photo>(
        self,
        album: &Album<Photo>,
        columns: &[Column<Photo>],
        inputs: Inputs,
    ) -> Result<Dataset, DataError> {
        let mut attributes = Vec::new();
        for (name, levels, level) in columns {
            let of_row = self.rows.iter().map(|row| level(&album.photos[row.photo])).collect();
            attributes.push(attribute(name, levels, of_row));
        }
        let changed = self.rows.iter().map(|row| u32::from(row.change.is_some())).collect();
        attributes.push(attribute("changed", &["no", "yes"], changed));
        Dataset::of(inputs)
            .name(format!("{} on {}", self.name, album.name))
            .labels(Labels::Classes {
                names: self.classes,
                of_row: self.rows.iter().map(|row| row.class).collect(),
            })
            .id_indices(self.rows.iter().map(|row| row.id).collect(), self.id_names)
            .split_rows(self.splits)
            .attributes(attributes)
            .check()
    }

    fn picture<Photo>(
        &self,
        album: &Album<Photo>,
        number: u64,
        row: &Row,
        out: &mut [u8],
    ) -> Result<(), DataError> {
        let Some(recipe) = row.change else {
            return album.pictures.read(row.photo, None, out);
        };
        let change = |shape: ImageShape, pixels: &mut [u8]| recipe.apply(shape, pixels, self.seed, number);
        album.pictures.read(row.photo, Some(&change), out)
    }
}

fn attribute(name: &str, levels: &[&str], of_row: Vec<u32>) -> Attribute {
    Attribute {
        name: name.to_owned(),
        levels: levels.iter().map(|level| (*level).to_owned()).collect(),
        of_row,
    }
}
