//! The reference: the definition as loops, summed in f64. Slow, and never to be made fast.

use crate::shape::Geometry;

/// Leaky ReLU; slope 0 maps minus infinity to 0, as ReLU does.
pub fn leaky_relu(value: f64, slope: f32) -> f64 {
    match value {
        v if v > 0.0 || v.is_nan() => v,
        _ if slope == 0.0 => 0.0,
        v => v * f64::from(slope),
    }
}

/// Derivative of the leaky ReLU, read off its output. Follows Burn: at 0 it is 1, but 0 for slope 0.
pub fn leaky_relu_gradient(output: f32, gradient: f32, slope: f32) -> f32 {
    match output {
        y if slope == 0.0 && y <= 0.0 => 0.0,
        y if y < 0.0 => gradient * slope,
        _ => gradient,
    }
}

/// Calls `visit` with the offsets into x, weight and output of every product of the convolution.
fn products(g: &Geometry, mut visit: impl FnMut(usize, usize, usize)) {
    let [height, width] = g.input;
    for_each([g.rows, g.output[0], g.output[1]], |[row, oy, ox]| {
        for_each(g.kernel, |[ky, kx]| {
            let (iy, ix) = (oy * g.stride[0] + ky, ox * g.stride[1] + kx);
            let inside = |i: usize, padding: usize, size: usize| i >= padding && i - padding < size;
            if !inside(iy, g.padding[0], height) || !inside(ix, g.padding[1], width) {
                return;
            }
            let pixel = (row * height + iy - g.padding[0]) * width + ix - g.padding[1];
            let tap = ky * g.kernel[1] + kx;
            let position = (row * g.output[0] + oy) * g.output[1] + ox;
            for ci in 0..g.channels_in {
                let (xi, wi) = (pixel * g.channels_in + ci, tap * g.channels_in + ci);
                for co in 0..g.channels_out {
                    visit(xi, wi * g.channels_out + co, position * g.channels_out + co);
                }
            }
        });
    });
}

fn for_each<const N: usize>(sizes: [usize; N], mut body: impl FnMut([usize; N])) {
    let total: usize = sizes.iter().product();
    for mut index in 0..total {
        let mut indices = [0; N];
        for axis in (0..N).rev() {
            indices[axis] = index % sizes[axis];
            index /= sizes[axis];
        }
        body(indices);
    }
}

/// Output of the operation.
pub fn forward(g: &Geometry, x: &[f32], weight: &[f32], bias: &[f32], slope: f32) -> Vec<f32> {
    let positions = g.rows * g.output[0] * g.output[1];
    let mut sums: Vec<f64> = (0..positions).flat_map(|_| bias.iter().map(|&b| f64::from(b))).collect();
    products(g, |xi, wi, yi| sums[yi] += f64::from(x[xi]) * f64::from(weight[wi]));
    sums.into_iter().map(|sum| leaky_relu(sum, slope) as f32).collect()
}

/// Gradients of x, weight and bias, given the output `y` and its gradient `dy`.
pub fn backward(g: &Geometry, [x, weight, y, dy]: [&[f32]; 4], slope: f32) -> (Vec<f32>, Vec<f32>, Vec<f32>) {
    let gradient: Vec<f64> =
        y.iter().zip(dy).map(|(&y, &dy)| f64::from(leaky_relu_gradient(y, dy, slope))).collect();
    let (mut dx, mut dw, mut db) = (vec![0.0; x.len()], vec![0.0; weight.len()], vec![0.0; g.channels_out]);
    products(g, |xi, wi, yi| {
        dx[xi] += gradient[yi] * f64::from(weight[wi]);
        dw[wi] += gradient[yi] * f64::from(x[xi]);
    });
    gradient.iter().enumerate().for_each(|(i, value)| db[i % g.channels_out] += value);
    let narrow = |values: Vec<f64>| values.into_iter().map(|value| value as f32).collect();
    (narrow(dx), narrow(dw), narrow(db))
}
