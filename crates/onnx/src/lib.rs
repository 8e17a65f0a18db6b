//! ONNX: encoders that run in front of the linear estimator, and models that are exported.

pub mod encoder;
pub mod export;

pub use encoder::{Encoder, EncoderError, EncoderOptions};
