use burn::module::Module;
use burn::nn::Linear;
use burn::tensor::activation::softplus;
use burn::tensor::{Device, Tensor};
use rand::rngs::ChaCha8Rng;

use super::init::{dense, hidden as hidden_layer};

/// Dense layers with softplus between them.
///
/// The weights of hidden layers start as in the program of the paper's authors, `N(0, 2 / fan_in)` (He). How the last layer and the
/// biases start is not said there: here Glorot-uniform, as in a CNN, and at 0. With two inputs He's start is 16 times wider than
/// Glorot's, from which CoRe fails on the authors' data of the nonlinear example.
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
        let mut layer = |next: usize| hidden_layer(rng, std::mem::replace(&mut width, next), next, device);
        let hidden = hidden.iter().map(|&next| layer(next)).collect();
        Self { hidden, output: dense(rng, width, outputs, device) }
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
