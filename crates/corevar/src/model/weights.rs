//! The numbers of a model, by name: what its file holds.

use burn::module::{Module, ModuleVisitor, Param};
use burn::tensor::Tensor;

use super::{Model, Network, Predictor};
use crate::linear::LinearModel;

/// A named tensor of a model.
#[derive(Debug, Clone, PartialEq)]
pub struct Weight {
    /// As in the model file.
    pub name: String,
    /// Size of each axis.
    pub shape: Vec<usize>,
    /// Row-major: the last axis is the one whose neighbours are beside each other.
    pub values: WeightValues,
}

/// The numbers of a tensor: networks have single precision, linear models double.
#[derive(Debug, Clone, PartialEq)]
pub enum WeightValues {
    /// Of a network.
    F32(Vec<f32>),
    /// Of a linear model.
    F64(Vec<f64>),
}

impl WeightValues {
    /// Little-endian.
    pub fn to_le_bytes(&self) -> Vec<u8> {
        match self {
            Self::F32(values) => values.iter().flat_map(|value| value.to_le_bytes()).collect(),
            Self::F64(values) => values.iter().flat_map(|value| value.to_le_bytes()).collect(),
        }
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        match self {
            Self::F32(values) => values.len(),
            Self::F64(values) => values.len(),
        }
    }

    /// True without any.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

impl Model {
    /// All numbers of the model, with the names and shapes that they have in its file, in the order of their names.
    ///
    /// - **Linear:** `weights` `[outputs, inputs]` and `intercepts` `[outputs]`, f64, in the units of the features. Three or
    ///   more classes have an output each, a regression one: `f = weights x + intercepts`. Two classes have one output, the margin
    ///   `z`, and the logits `(-z/2, z/2)`.
    /// - **MLP:** `Mlp.hidden.0.weight` `[inputs, width]`, `Mlp.hidden.0.bias` `[width]` and so on, then `Mlp.output.weight`,
    ///   `Mlp.output.bias`, f32: `x W + b`, with softplus after every layer but the last. The inputs are features less their mean,
    ///   divided by their scale, where the model has a [`Model::scaling`].
    /// - **CNN:** `Cnn.layers.0.weight` `[kernel, kernel, channels in, channels out]`, `Cnn.layers.0.bias` `[channels out]` and so
    ///   on, f32: a correlation with SAME padding (the odd row or column of zeros goes to the bottom or right) and leaky ReLU. Then
    ///   `Cnn.output.weight` `[height x width x channels, outputs]` and `Cnn.output.bias`.
    ///
    /// Images are height x width x channels, bytes divided by 255; an MLP and a linear model see them as one row of numbers.
    pub fn weights(&self) -> Vec<Weight> {
        let mut weights = match &self.predictor {
            Predictor::Network(network) => of_network(network),
            Predictor::Linear(linear) => of_linear(linear),
        };
        weights.sort_by(|a, b| a.name.cmp(&b.name));
        weights
    }
}

fn of_linear(model: &LinearModel) -> Vec<Weight> {
    let outputs = model.intercepts.len();
    let weight = |name: &str, shape: Vec<usize>, values: &[f64]| Weight {
        name: name.into(),
        shape,
        values: WeightValues::F64(values.to_vec()),
    };
    vec![
        weight("weights", vec![outputs, model.columns()], &model.weights),
        weight("intercepts", vec![outputs], &model.intercepts),
    ]
}

fn of_network(network: &Network) -> Vec<Weight> {
    #[derive(Default)]
    struct Collector {
        path: Vec<String>,
        weights: Vec<Weight>,
    }
    impl ModuleVisitor for Collector {
        fn enter_module(&mut self, name: &str, _: &str) {
            self.path.push(name.into());
        }

        fn exit_module(&mut self, _: &str, _: &str) {
            self.path.pop();
        }

        fn visit_float<const D: usize>(&mut self, param: &Param<Tensor<D>>) {
            let data = param.val().into_data();
            let values = data.try_to_vec::<f32>().expect("weights are f32");
            let (name, shape) = (self.path.join("."), data.shape().to_vec());
            self.weights.push(Weight { name, shape, values: WeightValues::F32(values) });
        }
    }
    let mut collector = Collector::default();
    network.visit(&mut collector);
    collector.weights
}
