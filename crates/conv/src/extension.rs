//! The operation for Burn's Flex backend, with its gradients for autodiff.

use burn::backend::autodiff::checkpoint::{base::Checkpointer, strategy::CheckpointStrategy};
use burn::backend::autodiff::grads::Gradients;
use burn::backend::autodiff::ops::{Backward, Ops, OpsKind};
use burn::backend::autodiff::{Autodiff, NodeId};
use burn::backend::flex::{Flex, FlexTensor};
use burn::backend::tensor::FloatTensor;
use burn::backend::{Backend, TensorMetadata, backend_extension};
use burn::tensor::{Shape, TensorData};

use crate::ConvOptions;
use crate::kernel::{self, Level, Saved};
use crate::shape::Geometry;

/// Backends with a kernel of their own. The tensors have passed [`Geometry::new`] and hold `f32`.
#[backend_extension(Flex, Autodiff)]
pub(crate) trait FusedConvolution: Backend {
    /// See [`conv2d_leaky_relu`](crate::conv2d_leaky_relu).
    fn fused_convolution(
        x: FloatTensor<Self>,
        weight: FloatTensor<Self>,
        bias: FloatTensor<Self>,
        options: ConvOptions,
    ) -> FloatTensor<Self>;
}

impl FusedConvolution for Flex {
    fn fused_convolution(
        x: FlexTensor,
        weight: FlexTensor,
        bias: FlexTensor,
        options: ConvOptions,
    ) -> FlexTensor {
        let g = geometry(&x, &weight, &bias, &options);
        let [x, weight, bias] = [x, weight, bias].map(contiguous);
        let y =
            kernel::forward(Level::detect(), &g, floats(&x), floats(&weight), floats(&bias), options.slope);
        tensor(y, [g.rows, g.output[0], g.output[1], g.channels_out])
    }
}

impl<C: CheckpointStrategy> FusedConvolution for Autodiff<Flex, C> {
    fn fused_convolution(
        x: FloatTensor<Self>,
        weight: FloatTensor<Self>,
        bias: FloatTensor<Self>,
        options: ConvOptions,
    ) -> FloatTensor<Self> {
        let geometry = geometry(x.primitive(), weight.primitive(), bias.primitive(), &options);
        let [x_tracked, weight_tracked] = [x.is_tracked(), weight.is_tracked()];
        let nodes = [x.node(), weight.node(), bias.node()];
        let forward = |x: FloatTensor<Self>, weight: FloatTensor<Self>, bias: FloatTensor<Self>| {
            Flex::fused_convolution(
                x.into_primitive(),
                weight.into_primitive(),
                bias.into_primitive(),
                options,
            )
        };
        match FusedConvolutionGradient.prepare::<C>(nodes).compute_bound().stateful() {
            OpsKind::Tracked(mut prep) => {
                // x is needed for the gradient of the weight only, and the other way round.
                let x_node = weight_tracked.then(|| prep.checkpoint(&x));
                let weight_node = x_tracked.then(|| prep.checkpoint(&weight));
                let output = forward(x, weight, bias);
                let kept_output = (options.slope != 1.0).then(|| output.clone());
                prep.finish(
                    State { geometry, slope: options.slope, x_node, weight_node, kept_output },
                    output,
                )
            }
            OpsKind::UnTracked(prep) => prep.finish(forward(x, weight, bias)),
        }
    }
}

#[derive(Debug)]
struct FusedConvolutionGradient;

/// What the forward pass leaves for the backward pass.
#[derive(Debug, Clone)]
struct State {
    geometry: Geometry,
    slope: f32,
    /// Set when the weight needs a gradient.
    x_node: Option<NodeId>,
    /// Set when x needs a gradient.
    weight_node: Option<NodeId>,
    /// Set when there is an activation: its derivative is read off the output.
    kept_output: Option<FlexTensor>,
}

impl Backward<Flex, 3> for FusedConvolutionGradient {
    type State = State;

    fn backward(self, ops: Ops<State, 3>, grads: &mut Gradients, checkpointer: &mut Checkpointer) {
        let State { geometry: g, slope, x_node, weight_node, kept_output } = ops.state;
        let mut retrieve = |node| contiguous(checkpointer.retrieve_node_output::<FlexTensor>(node));
        let (x, weight) = (x_node.map(&mut retrieve), weight_node.map(&mut retrieve));
        let dy = contiguous(grads.consume::<Flex>(&ops.node));
        let saved = Saved {
            x: x.as_ref().map(floats),
            weight: weight.as_ref().map(floats),
            y: kept_output.as_ref().map(floats),
            dy: floats(&dy),
            slope,
        };
        let found = kernel::backward(Level::detect(), &g, &saved);
        let x_shape = [g.rows, g.input[0], g.input[1], g.channels_in];
        let weight_shape = [g.kernel[0], g.kernel[1], g.channels_in, g.channels_out];
        let results = [
            found.x.map(|values| tensor(values, x_shape)),
            found.weight.map(|values| tensor(values, weight_shape)),
            Some(tensor(found.bias, [g.channels_out])),
        ];
        for (parent, gradient) in ops.parents.into_iter().zip(results) {
            if let (Some(parent), Some(gradient)) = (parent, gradient) {
                grads.register::<Flex>(parent.id, gradient);
            }
        }
    }
}

fn geometry(x: &FlexTensor, weight: &FlexTensor, bias: &FlexTensor, options: &ConvOptions) -> Geometry {
    Geometry::new(x.shape().dims(), weight.shape().dims(), bias.shape().num_elements(), options)
}

/// The tensor itself, or a copy of it when its values do not follow each other.
fn contiguous(tensor: FlexTensor) -> FlexTensor {
    if tensor.is_contiguous() { tensor } else { tensor.to_contiguous() }
}

fn floats(tensor: &FlexTensor) -> &[f32] {
    tensor.as_slice().expect("a contiguous tensor of f32: `conv2d_leaky_relu` checks the type")
}

fn tensor<const D: usize>(values: Vec<f32>, shape: [usize; D]) -> FlexTensor {
    FlexTensor::from_data(TensorData::new(values, Shape::from(shape)))
}
