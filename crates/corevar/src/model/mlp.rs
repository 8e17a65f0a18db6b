use burn::module::Module;
use burn::nn::Linear;
use burn::tensor::activation::softplus;
use burn::tensor::{Device, Tensor};
use rand::rngs::ChaCha8Rng;

use super::init::dense;

/// Dense layers with softplus between them.
#[derive(Module, Debug)]
pub struct Mlp {
    hidden: Vec<Linear>,
    output: Linear,
}

impl Mlp {
    pub(super) fn init(
        rng: &mut ChaCha8Rng,
        inputs: usize,
        hidden: &[usize],
        outputs: usize,
        device: &Device,
    ) -> Self {
        let mut width = inputs;
        let mut layer = |next: usize| dense(rng, std::mem::replace(&mut width, next), next, device);
        Self { hidden: hidden.iter().map(|&next| layer(next)).collect(), output: layer(outputs) }
    }

    /// # Shapes
    /// inputs `[rows, features]` -> `[rows, outputs]`
    pub fn forward(&self, inputs: Tensor<2>) -> Tensor<2> {
        self.output.forward(self.hidden(inputs))
    }

    /// The last hidden layer; the inputs themselves where there is none.
    /// # Shapes
    /// inputs `[rows, features]` -> `[rows, hidden]`
    pub(super) fn hidden(&self, inputs: Tensor<2>) -> Tensor<2> {
        self.hidden.iter().fold(inputs, |x, layer| softplus(layer.forward(x), 1.0))
    }
}
