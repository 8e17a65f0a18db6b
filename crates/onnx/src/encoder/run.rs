//! The network in tract: one plan for all threads.

use std::sync::Arc;

use corevar_data::{Layout, PixelScale, guard};
use tract_onnx::pb::ModelProto;
use tract_onnx::prelude::*;
use tract_onnx::tract_hir::internal::TypedSimpleState;

use super::error::FileProblem;
use super::graph::Reduce;
use super::input::{Input, Number};

/// Numbers of one tensor inside a network, for one batch: a gigabyte.
const MOST_NUMBERS: u64 = 1 << 28;

/// Whether the runtime knows an operator.
pub(super) fn is_known(operator: &str) -> bool {
    thread_local! {
        static KNOWN: tract_onnx::Onnx = tract_onnx::onnx();
    }
    KNOWN.with(|onnx| onnx.op_register.0.contains_key(operator))
}

/// A network that is ready to run on a fixed number of pictures at once.
#[derive(Debug, Clone)]
pub(super) struct Plan {
    network: Arc<TypedRunnableModel>,
    input: Input,
    batch: usize,
    reduce: Reduce,
}

/// One thread's way through a plan.
pub(super) struct Runner<'a> {
    plan: &'a Plan,
    state: TypedSimpleState,
    scale: Table,
}

/// What each byte becomes.
struct Table {
    /// By channel of the network.
    of_channel: Vec<[f32; 256]>,
    /// The network takes blue first.
    bgr: bool,
}

impl Table {
    fn of(scale: &PixelScale) -> Self {
        let channel = |channel: usize| std::array::from_fn(|byte| scale.apply(byte as u8, channel));
        Self { of_channel: (0..scale.mean.len()).map(channel).collect(), bgr: scale.bgr }
    }
}

impl Plan {
    /// The plan, and the shape of what it makes of one batch.
    pub(super) fn new(proto: &ModelProto, input: Input) -> Result<(Self, Vec<usize>), FileProblem> {
        let batch = input.batch.unwrap_or(1);
        let made = guard::guarded(|| network(proto, &input, batch));
        let (network, shape) = match made {
            Some(Ok(made)) => made,
            Some(Err(Refusal::Tract(cause))) => return Err(FileProblem::Plan(reason(&cause))),
            Some(Err(Refusal::Large(numbers))) => return Err(FileProblem::TooLarge(numbers)),
            None => return Err(FileProblem::Plan("the runtime fails on it".into())),
        };
        let reduce = Reduce::Nothing { width: 0 };
        Ok((Self { network, input, batch, reduce }, shape))
    }

    pub(super) fn reducing(self, reduce: Reduce) -> Self {
        Self { reduce, ..self }
    }

    pub(super) fn reduce(&self) -> Reduce {
        self.reduce
    }

    pub(super) fn input(&self) -> &Input {
        &self.input
    }

    /// Pictures at once.
    pub(super) fn batch(&self) -> usize {
        self.batch
    }

    pub(super) fn runner(&self, scale: &PixelScale) -> Result<Runner<'_>, String> {
        let state = self.network.spawn().map_err(|cause| reason(&cause))?;
        Ok(Runner { plan: self, state, scale: Table::of(scale) })
    }
}

enum Refusal {
    Tract(TractError),
    Large(u64),
}

impl From<TractError> for Refusal {
    fn from(cause: TractError) -> Self {
        Self::Tract(cause)
    }
}

fn network(
    proto: &ModelProto,
    input: &Input,
    batch: usize,
) -> Result<(Arc<TypedRunnableModel>, Vec<usize>), Refusal> {
    let number = match input.number {
        Number::Byte => u8::datum_type(),
        Number::Single => f32::datum_type(),
        Number::Half => f16::datum_type(),
    };
    let fact = InferenceFact::dt_shape(number, input.shape(batch));
    let mut model = tract_onnx::onnx().model_for_proto_model(proto)?;
    model.set_input_fact(0, fact)?;
    let model = model.into_typed()?;
    for node in &model.nodes {
        for output in &node.outputs {
            let numbers = output.fact.shape.as_concrete().map_or(0, numbers_of);
            if numbers > MOST_NUMBERS {
                return Err(Refusal::Large(numbers));
            }
        }
    }
    let model = model.into_optimized()?;
    let shape = model.output_fact(0)?.shape.as_concrete().map(<[usize]>::to_vec).unwrap_or_default();
    Ok((model.into_runnable()?, shape))
}

fn numbers_of(shape: &[usize]) -> u64 {
    shape.iter().fold(1u64, |product, size| product.saturating_mul(*size as u64))
}

/// The first and the last of the causes, which say where and why.
fn reason(cause: &TractError) -> String {
    let causes: Vec<String> = cause.chain().map(ToString::to_string).collect();
    let line = |text: &str| text.lines().next().unwrap_or_default().chars().take(300).collect::<String>();
    match causes.as_slice() {
        [first, .., last] => format!("{}: {}", line(first), line(last)),
        [only] => line(only),
        [] => "no reason given".into(),
    }
}

impl Runner<'_> {
    /// Features of at most a batch of pictures, HWC bytes one after the other; what is missing from a batch is filled with zeros.
    pub(super) fn run(&mut self, pictures: &[u8], out: &mut [f32]) -> Result<(), String> {
        let (plan, width) = (self.plan, self.plan.reduce.width());
        let output = guard::guarded(|| {
            let input = self.tensor(pictures)?;
            let output = self.state.run(tvec!(input.into()))?;
            let output = output.into_iter().next().ok_or_else(|| TractError::msg("no output"))?;
            Ok::<_, TractError>(output.cast_to::<f32>()?.into_owned())
        });
        let output = match output {
            Some(Ok(output)) => output,
            Some(Err(cause)) => return Err(reason(&cause)),
            None => return Err("the runtime fails on it".into()),
        };
        let view = output.try_as_plain_ram().map_err(|cause| reason(&cause))?;
        let numbers = view.as_slice::<f32>().map_err(|cause| reason(&cause))?;
        if numbers.len() != plan.batch * plan.reduce.length() {
            return Err("the output has another shape than before".into());
        }
        for (out, numbers) in out.chunks_exact_mut(width).zip(numbers.chunks_exact(plan.reduce.length())) {
            plan.reduce.apply(numbers, out);
        }
        match out.iter().all(|value| value.is_finite()) {
            true => Ok(()),
            false => Err("a feature is not a finite number".into()),
        }
    }

    fn tensor(&self, pictures: &[u8]) -> TractResult<Tensor> {
        let input = &self.plan.input;
        let shape = input.shape(self.plan.batch);
        let count: usize = shape.iter().product();
        if input.number == Number::Byte {
            let mut bytes = vec![0u8; count];
            self.arrange(pictures, &mut bytes, |byte, _| byte);
            return Tensor::from_shape(&shape, &bytes);
        }
        let mut numbers = vec![0f32; count];
        self.arrange(pictures, &mut numbers, |byte, channel| {
            self.scale.of_channel[channel][usize::from(byte)]
        });
        let tensor = Tensor::from_shape(&shape, &numbers)?;
        match input.number {
            Number::Half => Ok(tensor.cast_to::<f16>()?.into_owned()),
            _ => Ok(tensor),
        }
    }

    /// From pixels with their channels side by side to the order of the network.
    fn arrange<T: Copy>(&self, pictures: &[u8], out: &mut [T], value: impl Fn(u8, usize) -> T) {
        let input = &self.plan.input;
        let (channels, places) = (input.image.channels, input.image.height * input.image.width);
        let bgr = self.scale.bgr;
        // Channel of the picture that the channel of the network takes.
        let source = |channel: usize| if bgr { channels - 1 - channel } else { channel };
        for (picture, out) in
            pictures.chunks_exact(channels * places).zip(out.chunks_exact_mut(channels * places))
        {
            for channel in 0..channels {
                let bytes = picture.iter().skip(source(channel)).step_by(channels);
                match input.layout {
                    Layout::Nhwc => {
                        let places = out.iter_mut().skip(channel).step_by(channels);
                        places.zip(bytes).for_each(|(out, byte)| *out = value(*byte, channel));
                    }
                    _ => {
                        let plane = &mut out[channel * places..(channel + 1) * places];
                        plane.iter_mut().zip(bytes).for_each(|(out, byte)| *out = value(*byte, channel));
                    }
                }
            }
        }
    }
}
