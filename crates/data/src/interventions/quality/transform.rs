//! The cosine transform of 8x8 blocks in integers, both ways, as in libjpeg (`jfdctfst`, `jfdctint`, `jidctint`).
//!
//! The factorisations are those of Arai, Agui and Nakajima (quick) and of Loeffler, Ligtenberg and Moschytz.

/// Samples or coefficients, row by row.
pub(super) type Block = [i32; 64];

/// Which of the two forward transforms.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Method {
    /// Eight bits of fraction; every coefficient is scaled by a factor of its own.
    Quick,
    /// Thirteen bits of fraction; all coefficients are scaled by 8.
    Exact,
}

impl Method {
    /// Replaces samples by coefficients.
    pub(super) fn forward(self, block: &mut Block) {
        match self {
            Method::Quick => both_ways(block, quick, quick),
            Method::Exact => both_ways(block, exact::<true>, exact::<false>),
        }
    }

    /// What coefficients must be divided by to be counted in steps.
    pub(super) fn divisors(self, steps: &Block) -> Block {
        match self {
            Method::Exact => steps.map(|step| step * 8),
            Method::Quick => std::array::from_fn(|i| descale(steps[i] * quick_scale(i / 8, i % 8), 11)),
        }
    }
}

/// 2^14 times the factor by which the quick transform scales a coefficient.
fn quick_scale(row: usize, column: usize) -> i32 {
    const FACTORS: [f64; 8] =
        [1.0, 1.387_039_845, 1.306_562_965, 1.175_875_602, 1.0, 0.785_694_958, 0.541_196_100, 0.275_899_379];
    (FACTORS[row] * FACTORS[column] * 16384.0).round() as i32
}

type Line = [i32; 8];

/// First along the rows, then along the columns.
fn both_ways(block: &mut Block, rows: impl Fn(Line) -> Line, columns: impl Fn(Line) -> Line) {
    block.as_chunks_mut::<8>().0.iter_mut().for_each(|line| *line = rows(*line));
    along_columns(block, columns);
}

fn along_columns(block: &mut Block, transform: impl Fn(Line) -> Line) {
    for x in 0..8 {
        let line = transform(std::array::from_fn(|y| block[8 * y + x]));
        line.iter().enumerate().for_each(|(y, value)| block[8 * y + x] = *value);
    }
}

/// Divides by 2^bits, rounded.
fn descale(value: i32, bits: u32) -> i32 {
    (value + (1 << (bits - 1))) >> bits
}

/// Sums and differences of opposite samples.
fn fold(d: Line) -> ([i32; 4], [i32; 4]) {
    (std::array::from_fn(|i| d[i] + d[7 - i]), std::array::from_fn(|i| d[i] - d[7 - i]))
}

fn quick(line: Line) -> Line {
    // Cut, not rounded: so does the original.
    let times = |value: i32, factor: i32| (value * factor) >> 8;
    let ([s0, s1, s2, s3], [d0, d1, d2, d3]) = fold(line);
    let (even, odd) = ([s0 + s3, s1 + s2], [s1 - s2, s0 - s3]);
    let turned = times(odd[0] + odd[1], 181);
    let (low, middle, high) = (d3 + d2, d2 + d1, d1 + d0);
    let shared = times(low - high, 98);
    let (low, high) = (times(low, 139) + shared, times(high, 334) + shared);
    let middle = times(middle, 181);
    let (sum, difference) = (d0 + middle, d0 - middle);
    [
        even[0] + even[1],
        sum + high,
        odd[1] + turned,
        difference - low,
        even[0] - even[1],
        difference + low,
        odd[1] - turned,
        sum - high,
    ]
}

/// `FIRST` keeps two bits more for the second pass, which takes them off.
fn exact<const FIRST: bool>(line: Line) -> Line {
    let bits = if FIRST { 11 } else { 15 };
    let whole = |value: i32| if FIRST { value << 2 } else { descale(value, 2) };
    let ([s0, s1, s2, s3], [d0, d1, d2, d3]) = fold(line);
    let (even, odd) = ([s0 + s3, s1 + s2], [s1 - s2, s0 - s3]);
    let turned = (odd[0] + odd[1]) * 4433;
    let [o7, o5, o3, o1] = odd_part([d3, d2, d1, d0]);
    [
        whole(even[0] + even[1]),
        descale(o1, bits),
        descale(turned + odd[1] * 6270, bits),
        descale(o3, bits),
        whole(even[0] - even[1]),
        descale(o5, bits),
        descale(turned - odd[0] * 15137, bits),
        descale(o7, bits),
    ]
}

/// The rotations of the odd half, which are their own way back.
fn odd_part([a, b, c, d]: [i32; 4]) -> [i32; 4] {
    let shared = (a + c + b + d) * 9633;
    let (ad, bc) = (-(a + d) * 7373, -(b + c) * 20995);
    let (ac, bd) = (shared - (a + c) * 16069, shared - (b + d) * 3196);
    [a * 2446 + ad + ac, b * 16819 + bc + bd, c * 25172 + bc + ac, d * 12299 + ad + bd]
}

/// Replaces coefficients, already multiplied by their steps, by samples.
pub(super) fn inverse(block: &mut Block) {
    along_columns(block, inverse_line::<11>);
    block.as_chunks_mut::<8>().0.iter_mut().for_each(|line| *line = inverse_line::<18>(*line));
}

fn inverse_line<const BITS: u32>(line: Line) -> Line {
    let turned = (line[2] + line[6]) * 4433;
    let (low, high) = (turned - line[6] * 15137, turned + line[2] * 6270);
    let (sum, difference) = ((line[0] + line[4]) << 13, (line[0] - line[4]) << 13);
    let even = [sum + high, difference + low, difference - low, sum - high];
    let [o3, o2, o1, o0] = odd_part([line[7], line[5], line[3], line[1]]);
    let odd = [o0, o1, o2, o3];
    std::array::from_fn(|i| match i {
        0..4 => descale(even[i] + odd[i], BITS),
        _ => descale(even[7 - i] - odd[7 - i], BITS),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn samples() -> Block {
        std::array::from_fn(|i| (i * i * 37 % 256) as i32 - 128)
    }

    /// The definition: `1/4 c(u) c(v) Σ f(x, y) cos((2x+1)uπ/16) cos((2y+1)vπ/16)`.
    fn defined(block: &Block, v: usize, u: usize) -> f64 {
        let norm = |k: usize| if k == 0 { 0.5f64.sqrt() } else { 1.0 };
        let wave = |x: usize, k: usize| ((2 * x + 1) as f64 * k as f64 * std::f64::consts::PI / 16.0).cos();
        let sum: f64 = (0..64).map(|i| f64::from(block[i]) * wave(i % 8, u) * wave(i / 8, v)).sum();
        0.25 * norm(u) * norm(v) * sum
    }

    #[test]
    fn both_transforms_are_close_to_the_definition() {
        for (method, tolerance) in [(Method::Exact, 0.2), (Method::Quick, 2.5)] {
            let mut block = samples();
            method.forward(&mut block);
            // Large steps, since the divisors of small ones are rounded coarsely.
            let divisors = method.divisors(&[200; 64]);
            for i in 0..64 {
                let ours = f64::from(block[i]) / f64::from(divisors[i]) * 200.0;
                let expected = defined(&samples(), i / 8, i % 8);
                assert!((ours - expected).abs() < tolerance, "{method:?} {i}: {ours} {expected}");
            }
        }
    }

    #[test]
    fn the_way_back_gives_the_samples() {
        let mut block = samples();
        Method::Exact.forward(&mut block);
        block.iter_mut().for_each(|value| *value = descale(*value, 3));
        inverse(&mut block);
        assert!(block.iter().zip(samples()).all(|(new, old)| (new - old).abs() <= 1), "{block:?}");
    }

    #[test]
    fn a_flat_block_has_one_coefficient() {
        for method in [Method::Exact, Method::Quick] {
            let mut block = [40; 64];
            method.forward(&mut block);
            assert_eq!((block[0], block[1..].iter().any(|value| *value != 0)), (40 * 64, false));
        }
    }
}
