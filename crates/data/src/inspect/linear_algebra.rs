//! The little linear algebra that a probe needs. Matrices are square, symmetric and row-major.

/// Sums in as many places, so that the processor can do them at once.
const LANES: usize = 8;

pub(super) fn dot(a: &[f64], b: &[f64]) -> f64 {
    let ((a, a_rest), (b, b_rest)) = (a.as_chunks::<LANES>(), b.as_chunks::<LANES>());
    let mut sums = [0.0; LANES];
    for (a, b) in a.iter().zip(b) {
        (0..LANES).for_each(|lane| sums[lane] += a[lane] * b[lane]);
    }
    sums.iter().sum::<f64>() + a_rest.iter().zip(b_rest).map(|(a, b)| a * b).sum::<f64>()
}

/// `to += factor * from`
pub(super) fn add(to: &mut [f64], factor: f64, from: &[f64]) {
    to.iter_mut().zip(from).for_each(|(to, from)| *to += factor * from);
}

/// `matrix += factor * vector vector'`
pub(super) fn add_square(matrix: &mut [f64], factor: f64, vector: &[f64]) {
    for (row, value) in matrix.chunks_exact_mut(vector.len().max(1)).zip(vector) {
        add(row, factor * value, vector);
    }
}

/// `matrix * vector`
pub(super) fn times(matrix: &[f64], vector: &[f64]) -> Vec<f64> {
    matrix.chunks_exact(vector.len().max(1)).map(|row| dot(row, vector)).collect()
}

/// The inverse of a positive definite matrix by its Cholesky factor; `None` if it is not positive definite.
pub(super) fn inverse(matrix: &[f64], size: usize) -> Option<Vec<f64>> {
    let factor = cholesky(matrix, size)?;
    // The rows of the inverse of the factor L; then (L L')^-1 = L^-T L^-1.
    let mut below = vec![0.0; size * size];
    for row in 0..size {
        let (done, rest) = below.split_at_mut(row * size);
        let current = &mut rest[..size];
        current[row] = 1.0;
        for (earlier, finished) in done.chunks_exact(size).enumerate() {
            add(&mut current[..=earlier], -factor[row * size + earlier], &finished[..=earlier]);
        }
        current.iter_mut().for_each(|value| *value /= factor[row * size + row]);
    }
    let mut inverse = vec![0.0; size * size];
    for row in below.chunks_exact(size.max(1)) {
        add_square(&mut inverse, 1.0, row);
    }
    Some(inverse)
}

/// The lower triangle L with L L' = matrix.
fn cholesky(matrix: &[f64], size: usize) -> Option<Vec<f64>> {
    let mut factor = vec![0.0; size * size];
    for row in 0..size {
        for column in 0..=row {
            let products = dot(&factor[row * size..][..column], &factor[column * size..][..column]);
            let rest = matrix[row * size + column] - products;
            factor[row * size + column] = if row > column {
                rest / factor[column * size + column]
            } else if rest > 0.0 {
                rest.sqrt()
            } else {
                return None;
            };
        }
    }
    Some(factor)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sums_of_products_take_in_what_is_left_over() {
        let numbers: Vec<f64> = (1..=11).map(f64::from).collect();
        assert_eq!(dot(&numbers, &numbers), 506.0);
        assert_eq!(dot(&[], &[]), 0.0);
    }

    #[test]
    fn a_matrix_times_its_inverse_is_one() {
        // 4 2 / 2 3 has determinant 8.
        let inverse = inverse(&[4.0, 2.0, 2.0, 3.0], 2).unwrap();
        let wanted = [0.375, -0.25, -0.25, 0.5];
        assert!(inverse.iter().zip(wanted).all(|(a, b)| (a - b).abs() < 1e-12), "{inverse:?}");
        assert_eq!(super::inverse(&[], 0), Some(Vec::new()));
    }

    #[test]
    fn a_matrix_without_an_inverse_has_none() {
        assert_eq!(inverse(&[1.0, 1.0, 1.0, 1.0], 2), None);
        assert_eq!(inverse(&[f64::NAN], 1), None);
    }

    #[test]
    fn squares_of_vectors_are_added() {
        let mut matrix = [1.0, 0.0, 0.0, 1.0];
        add_square(&mut matrix, 2.0, &[1.0, 3.0]);
        assert_eq!(matrix, [3.0, 6.0, 6.0, 19.0]);
        assert_eq!(times(&matrix, &[1.0, 1.0]), [9.0, 25.0]);
    }
}
