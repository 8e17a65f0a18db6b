//! The steps to which coefficients are rounded.

/// Annex K.1 of the standard, row by row.
#[rustfmt::skip]
pub(super) const LUMA: [u16; 64] = [
    16, 11, 10, 16,  24,  40,  51,  61,
    12, 12, 14, 19,  26,  58,  60,  55,
    14, 13, 16, 24,  40,  57,  69,  56,
    14, 17, 22, 29,  51,  87,  80,  62,
    18, 22, 37, 56,  68, 109, 103,  77,
    24, 35, 55, 64,  81, 104, 113,  92,
    49, 64, 78, 87, 103, 121, 120, 101,
    72, 92, 95, 98, 112, 100, 103,  99,
];

/// Annex K.2.
#[rustfmt::skip]
pub(super) const CHROMA: [u16; 64] = [
    17, 18, 24, 47, 99, 99, 99, 99,
    18, 21, 26, 66, 99, 99, 99, 99,
    24, 26, 56, 99, 99, 99, 99, 99,
    47, 66, 99, 99, 99, 99, 99, 99,
    99, 99, 99, 99, 99, 99, 99, 99,
    99, 99, 99, 99, 99, 99, 99, 99,
    99, 99, 99, 99, 99, 99, 99, 99,
    99, 99, 99, 99, 99, 99, 99, 99,
];

/// The table for a quality from 1 to 100: `5000 / quality` percent of it below 50, `200 - 2 * quality` percent
/// from there on, rounded, between 1 and 255.
pub(super) fn scaled(table: &[u16; 64], quality: u32) -> [i32; 64] {
    let percent = if quality < 50 { 5000 / quality.max(1) } else { 200 - 2 * quality.min(100) };
    table.map(|step| ((u32::from(step) * percent + 50) / 100).clamp(1, 255) as i32)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_are_scaled_as_libjpeg_does() {
        let first = |quality| scaled(&LUMA, quality)[..4].to_vec();
        assert_eq!(first(50), [16, 11, 10, 16]);
        assert_eq!(first(25), [32, 22, 20, 32]);
        assert_eq!(first(75), [8, 6, 5, 8]);
        assert_eq!(first(100), [1, 1, 1, 1]);
        assert_eq!(scaled(&CHROMA, 5)[..4], [170, 180, 240, 255]);
    }
}
