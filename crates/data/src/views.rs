//! One data set under many interventions, for stress tests.

use std::sync::Arc;

use crate::dataset::{Changed, Mode, Which};
use crate::interventions::Recipe;
use crate::{DataError, Dataset, ImageShape, Images, Inputs, Pixels};

/// A data set of images that can be seen under any number of interventions. Its pixels exist once: a view changes
/// a picture when it is read.
///
/// ```
/// use corevar_data::{Views, synthetic};
///
/// let sizes = synthetic::Sizes { rows: 40, groups: 5, test_rows: 10 };
/// let stickmen = synthetic::find("stickmen").expect("built in").generate(&sizes, 0)?;
/// let views = Views::of(stickmen)?;
/// for blur in ["blur=0.5", "blur=1", "blur=2"] {
///     let blurred = views.under(&blur.parse()?, None, 0);
///     assert_eq!(blurred.len(), views.plain().len());
/// }
/// # Ok::<(), corevar_data::DataError>(())
/// ```
#[derive(Debug)]
pub struct Views {
    shape: ImageShape,
    pixels: Arc<Pixels>,
    plain: Dataset,
}

impl Views {
    /// Takes the data set, whose pictures are shared from then on. Features are an error.
    pub fn of(dataset: Dataset) -> Result<Views, DataError> {
        let Some(Images { shape, pixels }) = dataset.inputs().as_images().cloned() else {
            return Err(DataError::NeedsImages { action: "an intervention" });
        };
        Ok(Views { shape, pixels, plain: dataset })
    }

    /// The data as they are.
    pub fn plain(&self) -> &Dataset {
        &self.plain
    }

    /// The same rows with the recipe applied to all pictures, or to those of `rows` only. The same seed and row
    /// give the same pixels.
    pub fn under(&self, recipe: &Recipe, rows: Option<&[usize]>, seed: u64) -> Dataset {
        let which = match rows {
            None => Which::All,
            Some(rows) => {
                let mut changed = vec![false; self.plain.len()];
                rows.iter().for_each(|row| changed[*row] = true);
                Which::Some(changed)
            }
        };
        self.plain.seen_as(view(self.shape, &self.pixels, recipe.clone(), which, seed))
    }
}

fn view(shape: ImageShape, pixels: &Arc<Pixels>, recipe: Recipe, which: Which, seed: u64) -> Inputs {
    let changed = Changed { base: Arc::clone(pixels), recipe, which, mode: Mode::Fixed, seed };
    Inputs::Images(Images::new(shape, Pixels::Changed(changed)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Features;

    const SHAPE: ImageShape = ImageShape { height: 1, width: 2, channels: 1 };

    fn dataset(inputs: Inputs) -> Dataset {
        Dataset::of(inputs).name("two").classes(&["a", "b"]).check().unwrap()
    }

    fn views() -> Views {
        let pixels = Pixels::Memory(vec![10, 20, 30, 40]);
        Views::of(dataset(Inputs::Images(Images::new(SHAPE, pixels)))).unwrap()
    }

    fn row(data: &Dataset, row: usize) -> Vec<f32> {
        let mut out = vec![0.0; data.inputs().width()];
        data.inputs().read_row(row, &mut out).unwrap();
        out.iter().map(|value| (value * 255.0).round()).collect()
    }

    #[test]
    fn a_view_changes_what_is_read_and_not_the_data() {
        let views = views();
        let bright = views.under(&"brightness=200".parse().unwrap(), None, 0);
        let dark = views.under(&"brightness=50".parse().unwrap(), None, 0);
        assert_eq!([row(&bright, 0), row(&bright, 1)], [[20.0, 40.0], [60.0, 80.0]]);
        assert_eq!([row(&dark, 0), row(&dark, 1)], [[5.0, 10.0], [15.0, 20.0]]);
        assert_eq!([row(views.plain(), 0), row(views.plain(), 1)], [[10.0, 20.0], [30.0, 40.0]]);
        assert_eq!(bright.labels(), views.plain().labels());
    }

    #[test]
    fn only_the_rows_that_are_named_are_changed() {
        let bright = views().under(&"brightness=200".parse().unwrap(), Some(&[1]), 0);
        assert_eq!([row(&bright, 0), row(&bright, 1)], [[10.0, 20.0], [60.0, 80.0]]);
    }

    #[test]
    fn features_have_no_views() {
        let features = Features { names: vec!["x1".into()], values: vec![1.0, 2.0] };
        let error = Views::of(dataset(Inputs::Features(features))).unwrap_err();
        assert_eq!(error.to_string(), "an intervention works on images, and the inputs are features");
    }
}
