//! ONNX: encoders that run in front of the linear estimator, and models that are exported.
