//! Resizing by area: an output pixel is the mean of the part of the picture that it covers.
//!
//! Pixels that are cut by the border of an output pixel count by the part inside; the box filters of resizing
//! libraries count them wholly or not at all, which moves values by several grey levels. Where the picture is
//! smaller than wanted, it is interpolated linearly between pixel centres instead.

use super::Crop;
use super::picture::{Picture, luma};
use crate::ImageShape;

/// Writes the picture, or the part that the crop leaves, in the wanted size and channels.
pub(super) fn write(picture: &Picture, crop: Crop, shape: ImageShape, out: &mut [u8]) {
    if (picture.height, picture.width) == (shape.height, shape.width) {
        return copy(picture, shape, out);
    }
    let window = crop.window(picture.height, picture.width, shape);
    let rows = taps(picture.height, window.top, window.height, shape.height);
    let columns = taps(picture.width, window.left, window.width, shape.width);
    let mut lines = Lines::new(picture.width * picture.channels);
    let mut means = vec![0.0; shape.width * picture.channels];
    for (rows, out) in rows.iter().zip(out.chunks_exact_mut(shape.width * shape.channels)) {
        let line = lines.average(&picture.bytes, rows);
        match picture.channels {
            1 => shrink_line::<1>(line, &columns, &mut means),
            _ => shrink_line::<3>(line, &columns, &mut means),
        }
        store(&means, picture.channels, out, shape.channels);
    }
}

/// The picture as it is, line by line: as numbers it takes four times its memory.
fn copy(picture: &Picture, shape: ImageShape, out: &mut [u8]) {
    let lines = picture.bytes.chunks_exact(picture.width * picture.channels);
    let mut values = Vec::new();
    for (line, out) in lines.zip(out.chunks_exact_mut(shape.width * shape.channels)) {
        values.clear();
        values.extend(line.iter().map(|byte| f32::from(*byte)));
        store(&values, picture.channels, out, shape.channels);
    }
}

/// Input pixels that make one output pixel: the first and the last count by the part that is covered,
/// those between all alike. The weights add up to one.
#[derive(Debug, Clone, Copy)]
struct Tap {
    first: usize,
    count: usize,
    head: f32,
    inner: f32,
    tail: f32,
}

/// `wanted` pixels from the part `start .. start + part` of `length` pixels.
fn taps(length: usize, start: f64, part: f64, wanted: usize) -> Vec<Tap> {
    let scale = part / wanted as f64;
    let tap = |pixel: usize| {
        let low = start + pixel as f64 * scale;
        if scale >= 1.0 {
            Tap::cover(low, low + scale, length)
        } else {
            Tap::between(low + scale / 2.0, length)
        }
    };
    (0..wanted).map(tap).collect()
}

impl Tap {
    /// The mean over `low .. high`.
    fn cover(low: f64, high: f64, length: usize) -> Tap {
        let first = (low as usize).min(length - 1);
        let last = (high.ceil() as usize).clamp(first + 1, length) - 1;
        let part = |pixel: usize| (high.min(pixel as f64 + 1.0) - low.max(pixel as f64)).max(0.0);
        let (head, tail) = (part(first), if last > first { part(last) } else { 0.0 });
        let between = (last - first).saturating_sub(1) as f64;
        let whole = head + between + tail;
        let share = |part: f64| (part / whole) as f32;
        Tap { first, count: last - first + 1, head: share(head), inner: share(1.0), tail: share(tail) }
    }

    /// The value at `at`, where pixel i has its centre at i + 1/2.
    fn between(at: f64, length: usize) -> Tap {
        let at = (at - 0.5).clamp(0.0, (length - 1) as f64);
        let first = (at as usize).min(length.saturating_sub(2));
        let tail = (at - first as f64) as f32;
        Tap { first, count: length.min(2), head: 1.0 - tail, inner: 0.0, tail }
    }

    fn last(&self) -> usize {
        self.first + self.count - 1
    }

    /// The pixels between the first and the last.
    fn between_ends(&self) -> std::ops::Range<usize> {
        (self.first + 1).min(self.last())..self.last()
    }
}

/// Weighted means of the rows of a picture.
struct Lines {
    line: Vec<f32>,
    /// Whole rows are added as integers: exact, and eight at a time.
    sums: Vec<u16>,
}

impl Lines {
    fn new(stride: usize) -> Lines {
        Lines { line: vec![0.0; stride], sums: vec![0; stride] }
    }

    fn average(&mut self, bytes: &[u8], rows: &Tap) -> &[f32] {
        /// So many bytes fit a sum of 16 bits.
        const AT_ONCE: usize = 257;
        let stride = self.line.len();
        let row = |number: usize| &bytes[number * stride..(number + 1) * stride];
        let ends = row(rows.first).iter().zip(row(rows.last()));
        for (value, (head, tail)) in self.line.iter_mut().zip(ends) {
            *value = rows.head * f32::from(*head) + rows.tail * f32::from(*tail);
        }
        let between: Vec<usize> = rows.between_ends().collect();
        for block in between.chunks(AT_ONCE) {
            self.sums.fill(0);
            for number in block {
                self.sums.iter_mut().zip(row(*number)).for_each(|(sum, byte)| *sum += u16::from(*byte));
            }
            let sums = self.line.iter_mut().zip(&self.sums);
            sums.for_each(|(value, sum)| *value += rows.inner * f32::from(*sum));
        }
        &self.line
    }
}

fn shrink_line<const C: usize>(line: &[f32], columns: &[Tap], means: &mut [f32]) {
    let (pixels, _) = line.as_chunks::<C>();
    let (means, _) = means.as_chunks_mut::<C>();
    for (tap, mean) in columns.iter().zip(means) {
        let between = pixels[tap.between_ends()].iter().fold([0.0; C], add);
        let (first, last) = (&pixels[tap.first], &pixels[tap.last()]);
        for channel in 0..C {
            mean[channel] =
                tap.head * first[channel] + tap.inner * between[channel] + tap.tail * last[channel];
        }
    }
}

fn add<const C: usize>(mut sum: [f32; C], pixel: &[f32; C]) -> [f32; C] {
    sum.iter_mut().zip(pixel).for_each(|(sum, value)| *sum += value);
    sum
}

/// Rounds to bytes; grey spreads to three channels, colour folds to its luma.
fn store(values: &[f32], channels: usize, out: &mut [u8], wanted: usize) {
    let byte = |value: f32| (value + 0.5) as u8;
    match (channels, wanted) {
        (1, 3) => {
            out.as_chunks_mut::<3>().0.iter_mut().zip(values).for_each(|(to, value)| *to = [byte(*value); 3])
        }
        (3, 1) => {
            let pixels = values.as_chunks::<3>().0;
            out.iter_mut()
                .zip(pixels)
                .for_each(|(to, [red, green, blue])| *to = byte(luma(*red, *green, *blue)))
        }
        _ => out.iter_mut().zip(values).for_each(|(to, value)| *to = byte(*value)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn grey(height: usize, width: usize, bytes: &[u8]) -> Picture {
        Picture { height, width, channels: 1, bytes: bytes.to_vec() }
    }

    fn resized(picture: &Picture, crop: Crop, height: usize, width: usize, channels: usize) -> Vec<u8> {
        let mut out = vec![0; height * width * channels];
        write(picture, crop, ImageShape { height, width, channels }, &mut out);
        out
    }

    #[test]
    fn whole_pixels_are_averaged() {
        let picture = grey(2, 4, &[10, 20, 30, 40, 50, 60, 70, 80]);
        assert_eq!(resized(&picture, Crop::None, 1, 2, 1), [35, 55]);
    }

    #[test]
    fn a_pixel_on_the_border_counts_by_its_parts() {
        // Three pixels to two: each gets one and a half.
        let picture = grey(1, 3, &[0, 90, 240]);
        assert_eq!(resized(&picture, Crop::None, 1, 2, 1), [30, 190]);
    }

    #[test]
    fn growing_interpolates_and_keeps_the_ends() {
        assert_eq!(resized(&grey(1, 2, &[0, 100]), Crop::None, 1, 4, 1), [0, 25, 75, 100]);
        assert_eq!(resized(&grey(1, 1, &[7]), Crop::None, 3, 2, 1), [7; 6]);
    }

    #[test]
    fn a_constant_stays_what_it_is() {
        for size in [1, 2, 3, 5, 7, 16, 40] {
            let picture = Picture { height: 17, width: 23, channels: 3, bytes: vec![201; 17 * 23 * 3] };
            assert!(resized(&picture, Crop::Center, size, size, 3).iter().all(|byte| *byte == 201), "{size}");
        }
    }

    /// The definition, pixel by pixel.
    fn naive(picture: &Picture, height: usize, width: usize) -> Vec<f64> {
        let overlap = |i: usize, from: usize, wanted: usize, out: usize| {
            let scale = from as f64 / wanted as f64;
            let (low, high) = (out as f64 * scale, (out + 1) as f64 * scale);
            (high.min(i as f64 + 1.0) - low.max(i as f64)).max(0.0) / scale
        };
        let mut out = Vec::new();
        for (row, column) in (0..height).flat_map(|row| (0..width).map(move |column| (row, column))) {
            for channel in 0..picture.channels {
                let mut sum = 0.0;
                for (y, x) in (0..picture.height).flat_map(|y| (0..picture.width).map(move |x| (y, x))) {
                    let weight =
                        overlap(y, picture.height, height, row) * overlap(x, picture.width, width, column);
                    sum += weight
                        * f64::from(picture.bytes[(y * picture.width + x) * picture.channels + channel]);
                }
                out.push(sum);
            }
        }
        out
    }

    #[test]
    fn shrinking_is_the_mean_of_the_area() {
        for (height, width, channels, to) in
            [(21, 13, 3, (4, 5)), (600, 3, 1, (1, 2)), (16, 16, 3, (8, 4)), (7, 5, 1, (6, 5))]
        {
            let bytes = (0..height * width * channels).map(|i| (i * i * 31 % 256) as u8).collect();
            let picture = Picture { height, width, channels, bytes };
            let small = resized(&picture, Crop::None, to.0, to.1, channels);
            for (byte, mean) in small.iter().zip(naive(&picture, to.0, to.1)) {
                assert!((f64::from(*byte) - mean).abs() < 0.501, "{byte} {mean} {height}x{width}");
            }
        }
    }

    #[test]
    fn the_mean_is_kept() {
        let bytes: Vec<u8> = (0..61 * 47).map(|i| (i * 37 % 256) as u8).collect();
        let small = resized(&grey(61, 47, &bytes), Crop::None, 9, 7, 1);
        let mean = |bytes: &[u8]| bytes.iter().map(|byte| f64::from(*byte)).sum::<f64>() / bytes.len() as f64;
        assert!((mean(&bytes) - mean(&small)).abs() < 0.5);
    }

    #[test]
    fn the_centre_is_cropped_to_the_wanted_ratio() {
        let picture = grey(1, 4, &[1, 20, 30, 4]);
        assert_eq!(resized(&picture, Crop::Center, 1, 2, 1).len(), 2);
        let wide = grey(2, 4, &[1, 20, 30, 4, 1, 20, 30, 4]);
        assert_eq!(resized(&wide, Crop::Center, 1, 1, 1), [25]);
        assert_eq!(resized(&wide, Crop::None, 1, 1, 1), [14]);
    }

    #[test]
    fn channels_are_folded_and_spread() {
        let colour = Picture { height: 1, width: 1, channels: 3, bytes: vec![255, 0, 0] };
        assert_eq!(resized(&colour, Crop::None, 1, 1, 1), [76]);
        assert_eq!(resized(&grey(1, 1, &[9]), Crop::None, 1, 1, 3), [9, 9, 9]);
    }
}
