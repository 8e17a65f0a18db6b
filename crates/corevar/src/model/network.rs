//! Networks with weights, as Burn modules.

use burn::module::{Module, ModuleVisitor, Param};
use burn::tensor::Tensor;

use super::{Cnn, Mlp};

/// A Burn module that [`crate::train::train_module`] can train: logits for classes, or one column for a number.
pub trait Trainable: Module {
    /// # Shapes
    /// inputs `[rows, numbers per row]`, pictures as height x width x channels from 0 to 1 -> `[rows, outputs]`
    fn forward(&self, inputs: Tensor<2>) -> Tensor<2>;
}

/// A network with weights.
#[derive(Module, Debug)]
#[non_exhaustive]
pub enum Network {
    /// Dense layers with softplus between them; one alone is a linear model.
    Mlp(Mlp),
    /// Convolutions, then one dense layer.
    Cnn(Cnn),
}

impl Trainable for Network {
    fn forward(&self, inputs: Tensor<2>) -> Tensor<2> {
        match self {
            Self::Mlp(mlp) => mlp.forward(inputs),
            Self::Cnn(cnn) => cnn.forward(inputs),
        }
    }
}

impl Network {
    /// What the last layer sees.
    /// # Shapes
    /// inputs `[rows, numbers per row]` -> `[rows, hidden]`
    pub(super) fn hidden(&self, inputs: Tensor<2>) -> Tensor<2> {
        match self {
            Self::Mlp(mlp) => mlp.hidden(inputs),
            Self::Cnn(cnn) => cnn.features(inputs),
        }
    }
}

/// `1/2 |weights|²`, biases left out.
pub(crate) fn half_squared_weights(module: &impl Module) -> f64 {
    struct Sum(f64);
    impl ModuleVisitor for Sum {
        fn visit_float<const D: usize>(&mut self, param: &Param<Tensor<D>>) {
            if is_weight::<D>() {
                self.0 += 0.5 * f64::from(param.val().inner().square().sum().into_scalar::<f32>());
            }
        }
    }
    let mut sum = Sum(0.0);
    module.visit(&mut sum);
    sum.0
}

/// A bias is a vector and a weight is not.
pub(crate) const fn is_weight<const D: usize>() -> bool {
    D > 1
}
