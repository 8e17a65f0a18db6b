//! Where the kernel stands: padding, options, and the sizes that follow from them.

/// Where zeros are added around the image.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum Padding {
    /// As TensorFlow defines it: the output has `ceil(input / stride)` positions. In total
    /// `max((ceil(input / stride) - 1) * stride + kernel - input, 0)` rows or columns of zeros are added;
    /// the odd one goes to the bottom or to the right.
    #[default]
    Same,
    /// No zeros: the kernel stays inside the image.
    Valid,
    /// So many rows and columns of zeros.
    Explicit {
        /// Rows above the image.
        top: usize,
        /// Rows below the image.
        bottom: usize,
        /// Columns left of the image.
        left: usize,
        /// Columns right of the image.
        right: usize,
    },
}

impl Padding {
    /// Zeros `[top, bottom, left, right]` for an image of `input` and a kernel of `kernel` (height, width).
    pub fn amounts(&self, input: [usize; 2], kernel: [usize; 2], stride: [usize; 2]) -> [usize; 4] {
        match *self {
            Padding::Same => {
                let [top, bottom] = same_padding(input[0], kernel[0], stride[0]);
                let [left, right] = same_padding(input[1], kernel[1], stride[1]);
                [top, bottom, left, right]
            }
            Padding::Valid => [0; 4],
            Padding::Explicit { top, bottom, left, right } => [top, bottom, left, right],
        }
    }
}

fn same_padding(input: usize, kernel: usize, stride: usize) -> [usize; 2] {
    let output = input.div_ceil(stride);
    let total = (output.saturating_sub(1) * stride + kernel).saturating_sub(input);
    [total / 2, total - total / 2]
}

/// How the kernel moves and what follows it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ConvOptions {
    /// Steps between two positions of the kernel: down, right. At least 1.
    pub stride: [usize; 2],
    /// Where zeros are added.
    pub padding: Padding,
    /// Slope of the leaky ReLU for negative values, finite and at least 0: 0 is ReLU, 1 leaves values as they are.
    pub slope: f32,
}

impl Default for ConvOptions {
    /// Stride 1, padding `Same`, no activation.
    fn default() -> Self {
        Self { stride: [1, 1], padding: Padding::Same, slope: 1.0 }
    }
}

impl ConvOptions {
    /// Height and width of the output for an image of `input` and a kernel of `kernel` (height, width).
    ///
    /// # Panics
    /// When a stride or a size of the kernel is 0, or the kernel is larger than the padded image.
    pub fn output_size(&self, input: [usize; 2], kernel: [usize; 2]) -> [usize; 2] {
        assert!(
            self.stride.iter().all(|&s| s > 0),
            "conv2d_leaky_relu: stride {:?} must be at least 1",
            self.stride
        );
        assert!(
            kernel.iter().all(|&k| k > 0),
            "conv2d_leaky_relu: kernel {kernel:?} must have at least one row and one column"
        );
        let [top, bottom, left, right] = self.padding.amounts(input, kernel, self.stride);
        let padded = [input[0] + top + bottom, input[1] + left + right];
        assert!(
            padded[0] >= kernel[0] && padded[1] >= kernel[1],
            "conv2d_leaky_relu: kernel {kernel:?} is larger than the padded image {padded:?}"
        );
        [(padded[0] - kernel[0]) / self.stride[0] + 1, (padded[1] - kernel[1]) / self.stride[1] + 1]
    }
}

/// All sizes of one convolution, checked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Geometry {
    pub rows: usize,
    /// Height and width of x.
    pub input: [usize; 2],
    pub channels_in: usize,
    pub kernel: [usize; 2],
    pub stride: [usize; 2],
    /// Zeros above and left of the image; those below and to the right follow from the output size.
    pub padding: [usize; 2],
    /// Height and width of the output.
    pub output: [usize; 2],
    pub channels_out: usize,
}

impl Geometry {
    /// Sizes of a call, or a panic that names the two shapes that do not fit.
    pub fn new(x: [usize; 4], weight: [usize; 4], bias: usize, options: &ConvOptions) -> Self {
        let ([rows, height, width, channels_in], [kernel_h, kernel_w, weight_in, channels_out]) = (x, weight);
        assert!(
            options.slope >= 0.0 && options.slope.is_finite(),
            "conv2d_leaky_relu: slope {} must be finite and at least 0",
            options.slope
        );
        assert_eq!(
            channels_in, weight_in,
            "conv2d_leaky_relu: x {x:?} has {channels_in} channels, weight {weight:?} expects {weight_in}"
        );
        assert_eq!(
            bias, channels_out,
            "conv2d_leaky_relu: bias has {bias} values, weight {weight:?} has {channels_out} output channels"
        );
        assert!(
            x[1..].iter().chain(&weight).all(|&size| size > 0),
            "conv2d_leaky_relu: x {x:?} and weight {weight:?} must not be empty"
        );
        let (input, kernel) = ([height, width], [kernel_h, kernel_w]);
        let output = options.output_size(input, kernel);
        let [top, _, left, _] = options.padding.amounts(input, kernel, options.stride);
        let (stride, padding) = (options.stride, [top, left]);
        Self { rows, input, channels_in, kernel, stride, padding, output, channels_out }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn same_puts_the_odd_pixel_at_the_end() {
        assert_eq!(Padding::Same.amounts([64, 48], [5, 5], [2, 2]), [1, 2, 1, 2]);
        assert_eq!(Padding::Same.amounts([7, 8], [3, 3], [2, 2]), [1, 1, 0, 1]);
        assert_eq!(Padding::Same.amounts([5, 5], [1, 2], [3, 3]), [0, 0, 0, 0]);
    }

    #[test]
    fn output_sizes() {
        let options = |stride, padding| ConvOptions { stride, padding, slope: 0.0 };
        assert_eq!(options([2, 2], Padding::Same).output_size([64, 47], [5, 5]), [32, 24]);
        assert_eq!(options([2, 1], Padding::Valid).output_size([7, 5], [3, 3]), [3, 3]);
        let explicit = Padding::Explicit { top: 1, bottom: 0, left: 2, right: 2 };
        assert_eq!(options([1, 3], explicit).output_size([4, 4], [5, 2]), [1, 3]);
    }

    #[test]
    #[should_panic(expected = "kernel [5, 5] is larger than the padded image [4, 9]")]
    fn kernel_larger_than_the_image() {
        ConvOptions { padding: Padding::Valid, ..Default::default() }.output_size([4, 9], [5, 5]);
    }

    #[test]
    #[should_panic(expected = "slope -0.1 must be finite and at least 0")]
    fn negative_slope() {
        let options = ConvOptions { slope: -0.1, ..Default::default() };
        Geometry::new([1, 4, 4, 1], [1, 1, 1, 1], 1, &options);
    }

    #[test]
    #[should_panic(expected = "x [1, 4, 4, 3] has 3 channels, weight [1, 1, 1, 1] expects 1")]
    fn channels_that_do_not_fit() {
        Geometry::new([1, 4, 4, 3], [1, 1, 1, 1], 1, &ConvOptions::default());
    }
}
