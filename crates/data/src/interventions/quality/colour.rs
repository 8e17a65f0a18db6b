//! Red, green and blue to luma and two differences of colour, and back.

use super::plane::Plane;
use crate::ImageShape;

/// A number with 16 bits of fraction.
const fn fixed(value: f64) -> i32 {
    (value * 65536.0 + 0.5) as i32
}

const HALF: i32 = 1 << 15;

/// Y, Cb and Cr; the latter two at half the resolution if `halved`.
pub(super) fn to_planes(shape: ImageShape, pixels: &[u8], halved: bool) -> [Plane; 3] {
    let ImageShape { height, width, .. } = shape;
    let mut channels = [const { Vec::new() }; 3];
    channels.iter_mut().for_each(|channel| channel.reserve(height * width));
    for pixel in pixels.as_chunks::<3>().0 {
        let converted = to_ycc(pixel.map(i32::from));
        channels.iter_mut().zip(converted).for_each(|(channel, value)| channel.push(value));
    }
    let [luma, blue, red] = channels;
    let chroma = |samples: &[u8]| match halved {
        true => half(height, width, samples),
        false => Plane::new(height, width, samples),
    };
    [Plane::new(height, width, &luma), chroma(&blue), chroma(&red)]
}

fn to_ycc([red, green, blue]: [i32; 3]) -> [u8; 3] {
    // One less than a half is added, so that the largest value stays at 255.
    const OFFSET: i32 = (128 << 16) + HALF - 1;
    const YCC: [[i32; 3]; 3] = [
        [fixed(0.299), fixed(0.587), fixed(0.114)],
        [-fixed(0.168_735_892), -fixed(0.331_264_108), fixed(0.5)],
        [fixed(0.5), -fixed(0.418_687_589), -fixed(0.081_312_411)],
    ];
    let sum = |[r, g, b]: [i32; 3], offset: i32| ((r * red + g * green + b * blue + offset) >> 16) as u8;
    [sum(YCC[0], HALF), sum(YCC[1], OFFSET), sum(YCC[2], OFFSET)]
}

/// Means of 2x2 samples. Half a level is rounded down and up in turns.
fn half(height: usize, width: usize, samples: &[u8]) -> Plane {
    let at = |y: usize, x: usize| u16::from(samples[y.min(height - 1) * width + x.min(width - 1)]);
    Plane::from_fn(height.div_ceil(2), width.div_ceil(2), |y, x| {
        let sum = at(2 * y, 2 * x) + at(2 * y, 2 * x + 1) + at(2 * y + 1, 2 * x) + at(2 * y + 1, 2 * x + 1);
        ((sum + 1 + (x % 2) as u16) / 4) as u8
    })
}

/// The way back.
pub(super) fn to_pixels([luma, blue, red]: &[Plane; 3], halved: bool, pixels: &mut [u8]) {
    let width = luma.width;
    let (mut blues, mut reds) = (vec![0; width], vec![0; width]);
    for (y, line) in pixels.chunks_exact_mut(3 * width).enumerate() {
        for (plane, out) in [(blue, &mut blues), (red, &mut reds)] {
            match halved {
                true => double(plane, y, out),
                false => out.copy_from_slice(plane.row(y)),
            }
        }
        for (x, pixel) in line.as_chunks_mut::<3>().0.iter_mut().enumerate() {
            *pixel = to_rgb([luma.row(y)[x], blues[x], reds[x]]);
        }
    }
}

fn to_rgb([luma, blue, red]: [u8; 3]) -> [u8; 3] {
    let (luma, blue, red) = (i32::from(luma), i32::from(blue) - 128, i32::from(red) - 128);
    let shares = [fixed(1.402) * red, -fixed(0.344_14) * blue - fixed(0.714_14) * red, fixed(1.772) * blue];
    shares.map(|share| (luma + ((share + HALF) >> 16)).clamp(0, 255) as u8)
}

/// Row `y` at twice the resolution: every sample is mixed 3:1 with its neighbours, down and across
/// ("fancy upsampling"), halves rounded up and down in turns.
fn double(plane: &Plane, y: usize, out: &mut [u8]) {
    let near = plane.row(y / 2);
    if plane.width <= 2 {
        // As libjpeg: too narrow to have neighbours on both sides.
        out.iter_mut().enumerate().for_each(|(x, out)| *out = near[x / 2]);
        return;
    }
    let other =
        if y.is_multiple_of(2) { (y / 2).saturating_sub(1) } else { (y / 2 + 1).min(plane.height - 1) };
    let other = plane.row(other);
    let sum = |x: usize| 3 * u16::from(near[x]) + u16::from(other[x]);
    for (x, out) in out.iter_mut().enumerate() {
        let (beside, rounding) = match x % 2 {
            0 => ((x / 2).saturating_sub(1), 8),
            _ => ((x / 2 + 1).min(plane.width - 1), 7),
        };
        *out = ((3 * sum(x / 2) + sum(beside) + rounding) / 16) as u8;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn greys_have_no_colour_and_come_back() {
        for grey in 0..=255u8 {
            assert_eq!(to_ycc([i32::from(grey); 3]), [grey, 128, 128]);
            assert_eq!(to_rgb([grey, 128, 128]), [grey; 3]);
        }
    }

    #[test]
    fn red_is_mostly_a_difference() {
        // Y = 0.299 * 255 = 76.2, Cr = 128 + 0.5 * 255 = 255.5, kept at 255.
        assert_eq!(to_ycc([255, 0, 0]), [76, 85, 255]);
    }

    #[test]
    fn halves_are_means_of_four() {
        let plane = half(2, 4, &[0, 4, 10, 10, 8, 12, 20, 22]);
        // (0 + 4 + 8 + 12) / 4 = 6; (10 + 10 + 20 + 22) / 4 = 15.5, rounded up in the second column.
        assert_eq!(plane.row(0), [6, 16]);
    }

    #[test]
    fn doubling_mixes_three_to_one() {
        let plane = Plane::new(1, 3, &[0, 80, 160]);
        let mut out = [0; 6];
        double(&plane, 0, &mut out);
        assert_eq!(out, [0, 20, 60, 100, 140, 160]);
    }
}
