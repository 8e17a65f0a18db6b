//! What the last layer of a model sees: the features of a linear model, the last hidden layer of a network.

use corevar_data::{Dataset, Features};

use super::{Model, ModelError, Network, Predictor};
use crate::rows::Rows;

impl Model {
    /// Shows what the last layer sees of the rows at these positions, one after the other.
    ///
    /// The features of a linear model are scaled as in training, so that their units do not matter.
    pub(crate) fn for_each_hidden(
        &self,
        rows: &Rows,
        positions: &[usize],
        mut see: impl FnMut(usize, &[f32]),
    ) -> Result<(), ModelError> {
        let (scaling, device) = (self.scaling.as_ref(), self.device());
        for positions in positions.chunks(self.rows_at_once()) {
            let inputs = rows.inputs(positions, 0, scaling, &device)?;
            let hidden = match &self.predictor {
                Predictor::Linear(_) => inputs,
                Predictor::Network(network) => network.hidden(inputs),
            };
            let width = hidden.dims()[1];
            let values: Vec<f32> = hidden.into_data().iter::<f32>().collect();
            for (&position, row) in positions.iter().zip(values.chunks_exact(width.max(1))) {
                see(position, row);
            }
        }
        Ok(())
    }

    /// What a CNN makes of each picture before its last layer, as features; None for other models.
    pub fn embed(&self, pictures: &Dataset) -> Result<Option<Features>, ModelError> {
        let Predictor::Network(Network::Cnn(_)) = &self.predictor else { return Ok(None) };
        self.columns_in(pictures)?;
        let all: Vec<usize> = (0..pictures.len()).collect();
        let mut values: Vec<f32> = Vec::new();
        let rows = Rows::new(pictures, &all, 1);
        self.for_each_hidden(&rows, &all, |_, row| values.extend_from_slice(row))?;
        let width = values.len() / pictures.len().max(1);
        Ok(Some(Features { names: (1..=width).map(|column| format!("x{column}")).collect(), values }))
    }
}
