//! The kernels against the naive loop.

use super::backward::Gradients;
use super::{Level, Saved, backward, forward};
use crate::naive;
use crate::shape::{ConvOptions, Geometry, Padding};

/// Interpreted, a product takes a thousand times as long.
const MOST_PRODUCTS: usize = if cfg!(miri) { 20_000 } else { 2_000_000 };

/// So many cases, or a few of them when interpreted.
fn cases(count: usize) -> std::ops::Range<usize> {
    0..if cfg!(miri) { count.div_ceil(60) } else { count }
}

/// SplitMix64: the same cases on every machine.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    fn within(&mut self, low: usize, high: usize) -> usize {
        low + (self.next() % (high - low + 1) as u64) as usize
    }

    fn pick<T: Copy>(&mut self, from: &[T]) -> T {
        from[self.within(0, from.len() - 1)]
    }

    /// Values in -1..1, sums of which stay near 1.
    fn values(&mut self, len: usize) -> Vec<f32> {
        (0..len).map(|_| (self.next() >> 40) as f32 / (1u64 << 23) as f32 - 1.0).collect()
    }
}

#[derive(Debug)]
struct Case {
    geometry: Geometry,
    options: ConvOptions,
    x: Vec<f32>,
    weight: Vec<f32>,
    bias: Vec<f32>,
    dy: Vec<f32>,
}

impl Case {
    fn new(
        random: &mut Random,
        x: [usize; 4],
        kernel: [usize; 2],
        channels: usize,
        options: ConvOptions,
    ) -> Self {
        let weight = [kernel[0], kernel[1], x[3], channels];
        let geometry = Geometry::new(x, weight, channels, &options);
        let y_len = x[0] * geometry.output[0] * geometry.output[1] * channels;
        Self {
            geometry,
            options,
            x: random.values(x.iter().product()),
            weight: random.values(weight.iter().product()),
            bias: random.values(channels),
            dy: random.values(y_len),
        }
    }

    /// A case of random sizes, with at most [`MOST_PRODUCTS`].
    fn random(random: &mut Random) -> Self {
        loop {
            let kernel = [random.within(1, 7), random.within(1, 7)];
            let side = |random: &mut Random| random.pick(&[1, 2, 3, 5, 7, 8, 12, 17, 33]);
            let input = [side(random), side(random)];
            let channels_in = random.pick(&[1, 2, 3, 5, 6, 7, 16, 17, 32, 64, 130]);
            let channels_out = random.pick(&[1, 2, 7, 8, 9, 15, 16, 17, 24, 33, 64, 130]);
            let rows = random.pick(&[1, 2, 3, 5, 6, 7, 12, 13, 40, 61, 120, 121]);
            let mut zeros = || random.within(0, 4);
            let explicit = Padding::Explicit { top: zeros(), bottom: zeros(), left: zeros(), right: zeros() };
            let padding = random.pick(&[Padding::Same, Padding::Same, Padding::Valid, explicit]);
            let stride = [random.within(1, 3), random.within(1, 3)];
            let options = ConvOptions { stride, padding, slope: random.pick(&[0.0, 0.2, 1.0, 1.5]) };
            let [top, bottom, left, right] = padding.amounts(input, kernel, stride);
            if input[0] + top + bottom < kernel[0] || input[1] + left + right < kernel[1] {
                continue;
            }
            let output = options.output_size(input, kernel);
            let taps = kernel[0] * kernel[1] * channels_in * channels_out;
            if rows * output[0] * output[1] * taps <= MOST_PRODUCTS {
                let x = [rows, input[0], input[1], channels_in];
                return Self::new(random, x, kernel, channels_out, options);
            }
        }
    }

    fn forward(&self, level: Level) -> Vec<f32> {
        forward(level, &self.geometry, &self.x, &self.weight, &self.bias, self.options.slope)
    }

    fn backward(&self, level: Level, y: &[f32]) -> Gradients {
        let saved = Saved {
            x: Some(&self.x),
            weight: Some(&self.weight),
            y: Some(y),
            dy: &self.dy,
            slope: self.options.slope,
        };
        backward(level, &self.geometry, &saved)
    }

    /// Output and gradients against the naive loop.
    fn check(&self, level: Level) {
        let y = self.forward(level);
        let expected = naive::forward(&self.geometry, &self.x, &self.weight, &self.bias, self.options.slope);
        assert_close(&y, &expected, "y", self);
        // The same y for both, since a sign near 0 may differ.
        let (dx, dw, db) =
            naive::backward(&self.geometry, [&self.x, &self.weight, &y, &self.dy], self.options.slope);
        let gradients = self.backward(level, &y);
        assert_close(&gradients.x.unwrap(), &dx, "dx", self);
        assert_close(&gradients.weight.unwrap(), &dw, "dw", self);
        assert_close(&gradients.bias, &db, "db", self);
    }
}

/// Sums of n products of values in -1..1 are of size sqrt(n); their rounding is far below a millionth of that.
fn assert_close(found: &[f32], expected: &[f32], what: &str, case: &Case) {
    assert_eq!(found.len(), expected.len());
    let size = expected.iter().filter(|v| v.is_finite()).fold(1.0f32, |size, v| size.max(v.abs()));
    for (i, (f, e)) in found.iter().zip(expected).enumerate() {
        let same = if e.is_finite() {
            (f - e).abs() <= 1e-5 * size
        } else {
            f.to_bits() == e.to_bits() || (f.is_nan() && e.is_nan())
        };
        assert!(same, "{what}[{i}]: {f} instead of {e} in {:?} {:?}", case.geometry, case.options);
    }
}

fn pool(threads: usize) -> rayon::ThreadPool {
    rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap()
}

#[test]
fn random_cases_agree_with_the_naive_loop() {
    let mut random = Random(1);
    for _ in cases(600) {
        let case = Case::random(&mut random);
        case.check(Level::detect());
        case.check(Level::Portable);
    }
}

/// The layers of the networks of the paper, with a small batch.
#[test]
#[cfg_attr(miri, ignore = "too large to be interpreted")]
fn layers_of_the_paper_agree_with_the_naive_loop() {
    let mut random = Random(2);
    let options = ConvOptions { stride: [2, 2], padding: Padding::Same, slope: 0.2 };
    for (input, channels) in [([64, 48], 3), ([64, 64], 1), ([28, 28], 1)] {
        Case::new(&mut random, [13, input[0], input[1], channels], [5, 5], 16, options)
            .check(Level::detect());
    }
    for (x, channels) in [([7, 32, 24, 16], 32), ([13, 16, 12, 32], 64), ([25, 8, 6, 64], 128)] {
        Case::new(&mut random, x, [5, 5], channels, options).check(Level::detect());
    }
}

#[test]
fn the_number_of_threads_changes_no_bit() {
    let mut random = Random(3);
    let (one, two, five) = (pool(1), pool(2), pool(5));
    for _ in cases(60) {
        let case = Case::random(&mut random);
        for level in [Level::detect(), Level::Portable] {
            let all = || {
                let y = case.forward(level);
                let gradients = case.backward(level, &y);
                (y, gradients)
            };
            let expected = one.install(all);
            assert!(two.install(all) == expected, "{:?}", case.geometry);
            assert!(five.install(all) == expected, "{:?}", case.geometry);
        }
    }
}

#[test]
fn nan_and_infinity_go_where_the_naive_loop_lets_them() {
    let mut random = Random(4);
    for i in cases(120) {
        let mut case = Case::random(&mut random);
        let special = [f32::NAN, f32::INFINITY, f32::NEG_INFINITY][i % 3];
        let target = match i / 3 % 3 {
            0 => &mut case.x,
            1 => &mut case.weight,
            _ => &mut case.dy,
        };
        let at = random.within(0, target.len() - 1);
        target[at] = special;
        case.check(Level::detect());
        case.check(Level::Portable);
    }
}

#[test]
fn only_the_gradients_that_are_wanted() {
    let case = Case::random(&mut Random(5));
    let y = case.forward(Level::detect());
    let all = case.backward(Level::detect(), &y);
    let saved = Saved { x: None, weight: None, y: Some(&y), dy: &case.dy, slope: case.options.slope };
    let weight = Saved { x: Some(&case.x), ..saved };
    let x = Saved { weight: Some(&case.weight), ..saved };
    let run = |saved| backward(Level::detect(), &case.geometry, &saved);
    assert_eq!(run(saved), Gradients { x: None, weight: None, bias: all.bias.clone() });
    assert_eq!(run(weight), Gradients { x: None, ..all.clone() });
    assert_eq!(run(x), Gradients { weight: None, ..all });
}

#[test]
fn no_images_give_no_output_and_no_gradient() {
    let options = ConvOptions::default();
    let case = Case::new(&mut Random(6), [0, 5, 5, 3], [3, 3], 4, options);
    assert!(case.forward(Level::detect()).is_empty());
    let gradients = case.backward(Level::detect(), &[]);
    assert_eq!(gradients.weight.unwrap(), [0.0; 108]);
    assert_eq!(gradients.bias, [0.0; 4]);
}
