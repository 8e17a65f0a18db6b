//! What the solver measures steps with: a positive definite model of the Hessian, shared by all outputs.
//! It decides how fast a fit is, never what it converges to.
//!
//! `M = B + s RᵀR`, with a base `B = L Lᵀ` (dense) or `B = ridge I` (fewer rows than columns) and few rows R. With
//! `T = R L⁻ᵀ`, Woodbury's identity is `M⁻¹ = L⁻ᵀ (I - s Tᵀ (I + s T Tᵀ)⁻¹ T) L⁻¹`. Along a path of λ only s changes.

use faer::linalg::triangular_solve::{solve_lower_triangular_in_place, solve_upper_triangular_in_place};
use faer::{Mat, MatMut, Par, Side};
use rayon::prelude::*;

use super::LinearError;
use super::curvature::{Curvature, Form};
use super::gram::Gram;
use super::kernels::{add, add_rows, dot, dot_rows};
use super::matrix::Block;
use super::problem::{Problem, Setting};
use super::scatter::Scatter;

/// A curvature, with ridge and quadratic penalty on top, ready to be inverted.
pub(super) struct Metric {
    curvature: Curvature,
    base: Base,
    low_rank: Option<LowRank>,
    /// For which all this was made.
    pub setting: Setting,
}

/// B, by its root L.
enum Base {
    Dense(Mat<f64>),
    Scalar(f64),
}

/// `s RᵀR`, by T and the Cholesky factor of `I + s T Tᵀ`.
struct LowRank {
    scale: f64,
    /// T, row-major.
    rows: Vec<f64>,
    /// `T Tᵀ`.
    gram: Gram,
    factor: Mat<f64>,
}

impl Metric {
    pub fn new(curvature: Curvature, problem: &Problem, setting: Setting) -> Result<Self, LinearError> {
        let (base, low_rank) = match &curvature.form {
            Form::Dense(gram) => dense(gram, problem, setting)?,
            Form::Thin(rows) => thin(rows, problem, setting)?,
        };
        Ok(Self { curvature, base, low_rank, setting })
    }

    /// Another setting on the same curvature.
    pub fn reweigh(self, problem: &Problem, setting: Setting) -> Result<Self, LinearError> {
        match (self.base, self.low_rank) {
            (Base::Dense(l), Some(low_rank)) if setting.ridge == self.setting.ridge => {
                let low_rank = low_rank.rescale(2.0 * problem.scatter_weight(setting))?;
                Ok(Self {
                    curvature: self.curvature,
                    base: Base::Dense(l),
                    low_rank: Some(low_rank),
                    setting,
                })
            }
            _ => Self::new(self.curvature, problem, setting),
        }
    }

    /// `v` becomes `M⁻¹ v`, for the parameters of each output.
    pub fn solve(&self, v: &mut [f64]) {
        let Curvature { centre, intercept, .. } = &self.curvature;
        let columns = centre.len();
        for v in v.chunks_exact_mut(columns + 1) {
            let (w, b) = v.split_at_mut(columns);
            add(w, -b[0], centre);
            self.base.solve_lower(w, columns);
            self.low_rank.iter().for_each(|low_rank| low_rank.apply(w));
            self.base.solve_upper(w);
            b[0] = b[0] / intercept - dot(centre, w);
        }
    }
}

fn dense(gram: &Gram, problem: &Problem, setting: Setting) -> Result<(Base, Option<LowRank>), LinearError> {
    // The second derivative of `weight · wᵀ S w`.
    let scale = 2.0 * problem.scatter_weight(setting);
    let mut gram = gram.clone();
    gram.add_diagonal(problem.ridge(setting));
    match &problem.scatter {
        Scatter::Rows(rows) if scale > 0.0 && is_kept_apart(rows.len() / gram.size, gram.size) => {
            let base = Base::Dense(cholesky(gram)?);
            let low_rank = LowRank::new(&base, rows.clone(), scale, problem.columns())?;
            Ok((base, Some(low_rank)))
        }
        scatter => {
            if scale > 0.0 {
                scatter.add_to(scale, &mut gram);
            }
            Ok((Base::Dense(cholesky(gram)?), None))
        }
    }
}

/// True when it is cheaper to keep a penalty of few rows apart than to factorise anew for each λ.
fn is_kept_apart(rows: usize, columns: usize) -> bool {
    columns >= 256 && 2 * rows <= columns
}

fn thin(rows: &[f64], problem: &Problem, setting: Setting) -> Result<(Base, Option<LowRank>), LinearError> {
    let scale = 2.0 * problem.scatter_weight(setting);
    let mut rows = rows.to_vec();
    // Without ridge, any small one will do here.
    let smallest = 1e-8 * dot(&rows, &rows) / problem.columns() as f64;
    let base = Base::Scalar(problem.ridge(setting).max(smallest).max(f64::MIN_POSITIVE));
    if let Scatter::Rows(contrasts) = &problem.scatter
        && scale > 0.0
    {
        rows.extend(contrasts.iter().map(|x| scale.sqrt() * x));
    }
    let low_rank = LowRank::new(&base, rows, 1.0, problem.columns())?;
    Ok((base, Some(low_rank)))
}

impl Base {
    /// `v` becomes `L⁻¹ v`, for each of the vectors in it.
    /// On one thread: on several, the order of the sums would depend on their number.
    fn solve_lower(&self, v: &mut [f64], columns: usize) {
        match self {
            Self::Dense(l) => {
                let v = MatMut::from_column_major_slice_mut(v, columns, v.len() / columns);
                solve_lower_triangular_in_place(l.as_ref(), v, Par::Seq);
            }
            Self::Scalar(square) => v.iter_mut().for_each(|v| *v /= square.sqrt()),
        }
    }

    /// `v` becomes `L⁻ᵀ v`.
    fn solve_upper(&self, v: &mut [f64]) {
        match self {
            Self::Dense(l) => solve_upper_triangular_in_place(l.transpose(), column(v), Par::Seq),
            Self::Scalar(square) => v.iter_mut().for_each(|v| *v /= square.sqrt()),
        }
    }
}

impl LowRank {
    /// `rows` are R, row-major.
    fn new(base: &Base, mut rows: Vec<f64>, scale: f64, columns: usize) -> Result<Self, LinearError> {
        rows.par_chunks_mut(32 * columns).for_each(|rows| base.solve_lower(rows, columns));
        let count = rows.len() / columns;
        let mut transposed = vec![0.0; rows.len()];
        for (v, row) in rows.chunks_exact(columns).enumerate() {
            row.iter().enumerate().for_each(|(k, &x)| transposed[k * count + v] = x);
        }
        let mut gram = Gram::zeros(count);
        gram.add(&transposed, 1.0);
        Self { scale, rows, gram, factor: Mat::new() }.rescale(scale)
    }

    /// The same T with another s.
    fn rescale(self, scale: f64) -> Result<Self, LinearError> {
        let mut inner = Gram::zeros(self.gram.size);
        inner.add_scaled(scale, &self.gram);
        inner.add_diagonal(1.0);
        Ok(Self { scale, factor: cholesky(inner)?, ..self })
    }

    /// `v` becomes `(I - s Tᵀ (I + s T Tᵀ)⁻¹ T) v`.
    fn apply(&self, v: &mut [f64]) {
        let mut along = vec![0.0; self.gram.size];
        dot_rows(Block::F64(&self.rows), v, 0.0, &mut along);
        solve_lower_triangular_in_place(self.factor.as_ref(), column(&mut along), Par::Seq);
        solve_upper_triangular_in_place(self.factor.transpose(), column(&mut along), Par::Seq);
        along.iter_mut().for_each(|along| *along *= -self.scale);
        add_rows(Block::F64(&self.rows), &along, v);
    }
}

fn column(v: &mut [f64]) -> MatMut<'_, f64> {
    let rows = v.len();
    MatMut::from_column_major_slice_mut(v, rows, 1)
}

/// `L` of `gram = L Lᵀ`, the diagonal being raised as little as makes it positive definite.
fn cholesky(mut gram: Gram) -> Result<Mat<f64>, LinearError> {
    let scale = Some(gram.mean_diagonal()).filter(|&mean| mean > 0.0).unwrap_or(1.0);
    for raise in [1e-14, 1e-12, 1e-10, 1e-8, 1e-6, 1e-4, 1e-2] {
        gram.add_diagonal(raise * scale);
        if let Ok(llt) = gram.as_ref().llt(Side::Lower) {
            return Ok(llt.L().to_owned());
        }
    }
    Err(LinearError::Factorisation { what: "a Cholesky factorisation" })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `M = B + s RᵀR` on three columns, by Woodbury and by one Cholesky factorisation.
    #[test]
    fn a_low_rank_part_kept_apart_gives_the_same_inverse() {
        let mut gram = Gram::zeros(3);
        gram.add(&[1.0, 2.0, 0.5, 0.0, 1.0, -1.0, 2.0, 0.0, 1.0], 1.0);
        gram.add_diagonal(0.1);
        let rows = [1.0, -1.0, 3.0, 0.5, 0.5, 0.0];
        let mut whole = gram.clone();
        whole.add(&rows, 7.0);
        let (base, whole) = (Base::Dense(cholesky(gram).unwrap()), Base::Dense(cholesky(whole).unwrap()));
        let low_rank = LowRank::new(&base, rows.to_vec(), 1.0, 3).unwrap().rescale(7.0).unwrap();
        let (mut apart, mut at_once) = ([1.0, 2.0, 3.0], [1.0, 2.0, 3.0]);
        base.solve_lower(&mut apart, 3);
        low_rank.apply(&mut apart);
        base.solve_upper(&mut apart);
        whole.solve_lower(&mut at_once, 3);
        whole.solve_upper(&mut at_once);
        assert!(apart.iter().zip(at_once).all(|(a, b)| (a - b).abs() < 1e-11));
    }

    #[test]
    fn few_rows_on_many_columns_are_kept_apart() {
        assert!(is_kept_apart(128, 256) && !is_kept_apart(129, 256) && !is_kept_apart(1, 255));
    }

    #[test]
    fn a_singular_matrix_is_raised_until_it_can_be_factorised() {
        let mut gram = Gram::zeros(2);
        gram.add(&[1.0, 1.0], 1.0);
        assert!(cholesky(gram).is_ok());
        assert!(cholesky(Gram { size: 1, values: vec![f64::NAN] }).is_err());
    }
}
