//! What a linear model owes to style: the directions in which groups vary, how much of the weights lies in them,
//! and the features that carry it.

use serde::{Deserialize, Serialize};

use super::contrasts::{RowReader, Weighing, for_each_contrast};
use super::decompose::Stack;
use super::groups::GroupIndex;
use super::kernels::{add, dot};
use super::moments::Coordinates;
use super::rank::leading;
use super::{DesignMatrix, LinearError, LinearModel, Normalise};
use crate::range::{self, ConfigError};

/// Contrasts of which the style subspace is computed at most; of more, evenly spaced groups are taken.
pub(super) const MOST_CONTRASTS: usize = 1024;

/// What to report.
#[derive(Debug, Clone, PartialEq)]
pub struct StyleConfig {
    /// The style subspace is made of the strongest directions that together hold this share of the within-group
    /// variance, above 0 and at most 1.
    pub variance_share: f64,
    /// Features listed for each direction.
    pub loadings: usize,
}

impl Default for StyleConfig {
    fn default() -> Self {
        Self { variance_share: 0.95, loadings: 10 }
    }
}

/// A [`StyleConfig`] whose values are in range.
#[derive(Debug, Clone, PartialEq)]
pub struct CheckedStyleConfig(StyleConfig);

impl StyleConfig {
    /// The same settings, when all are in range.
    pub fn check(self) -> Result<CheckedStyleConfig, ConfigError> {
        range::PART.check("variance_share", self.variance_share)?;
        Ok(CheckedStyleConfig(self))
    }
}

/// Style in a linear model. All is per standard deviation of the features, so that their units do not matter.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct StyleReport {
    /// Groups of two rows or more that were looked at.
    pub groups: usize,
    /// Directions of the style subspace, the strongest first: eigenvectors of the within-group scatter
    /// `S = mean_j Cov_j(x)`.
    pub directions: Vec<StyleDirection>,
    /// For each logit, the share `|Qᵀ w|² / |w|²` of its weight vector that lies in the style subspace. 0 for no weights.
    pub weight_shares: Vec<f64>,
    /// Within-group variance of the logits, `C_{f,1} = Σ_k w_kᵀ S w_k`.
    pub logit_variance: f64,
    /// Every feature, the one that carries most of that variance first.
    pub carriers: Vec<StyleCarrier>,
}

/// One direction in which groups vary.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct StyleDirection {
    /// Variance inside groups along it.
    pub variance: f64,
    /// Share of all variance inside groups.
    pub share: f64,
    /// Its largest entries, by feature name. The largest of them is positive.
    pub loadings: Vec<(String, f64)>,
}

/// One feature's part in the within-group variance of the logits.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct StyleCarrier {
    /// Name of the feature.
    pub feature: String,
    /// `Σ_k w_kf (S w_k)_f / C_{f,1}`: these sum to 1 over the features. Below 0 when the feature makes up for others.
    pub share: f64,
    /// Share of the feature's own variance that is inside groups, when groups and all rows vary alike otherwise.
    pub within: f64,
}

/// Looks for style in a model, on the rows of `features` and their groups. `names` are those of the columns.
pub fn style_report(
    config: &CheckedStyleConfig,
    model: &LinearModel,
    features: &dyn DesignMatrix,
    group_of_row: &[usize],
    names: &[String],
) -> Result<StyleReport, LinearError> {
    let (rows, columns) = (features.rows(), features.columns());
    let same = |what, found, rows| {
        if found == rows { Ok(()) } else { Err(LinearError::Length { what, found, rows }) }
    };
    same("group_of_row", group_of_row.len(), rows)?;
    same("the list of names", names.len(), columns)?;
    same("the model", model.columns(), columns)?;
    if rows == 0 {
        return Err(LinearError::Empty { rows, columns });
    }
    let shares = vec![1.0 / rows as f64; rows];
    let coordinates = Coordinates::new(features, &shares, true)?;
    let groups = GroupIndex::new(group_of_row, &shares, Normalise::Grouped).thinned(MOST_CONTRASTS);
    let style = Style::new(&mut RowReader::new(features, &coordinates), &groups, columns)?;
    let weights: Vec<Vec<f64>> = model.logit_weights().iter().map(|w| coordinates.weights(w)).collect();
    Ok(style.report(&config.0, &weights, names, groups.len()))
}

/// `S = RᵀR`, its eigenvalues and eigenvectors.
struct Style {
    columns: usize,
    /// R, row-major.
    rows: Vec<f64>,
    values: Vec<f64>,
    vectors: faer::Mat<f64>,
}

impl Style {
    fn new(reader: &mut RowReader, groups: &GroupIndex, columns: usize) -> Result<Self, LinearError> {
        let (mut rows, mut stack) = (Vec::new(), Stack::new(columns));
        let scale = if groups.is_empty() { 0.0 } else { 1.0 / groups.divisor.sqrt() };
        for_each_contrast(reader, groups, Weighing::Shares, |row| {
            rows.extend(row.iter().map(|x| scale * x));
            stack.push(&rows[rows.len() - columns..]);
            Ok(())
        })?;
        let (values, vectors) = stack.right_singular()?;
        Ok(Self { columns, rows, values: values.iter().map(|value| value * value).collect(), vectors })
    }

    fn report(
        &self,
        config: &StyleConfig,
        weights: &[Vec<f64>],
        names: &[String],
        groups: usize,
    ) -> StyleReport {
        let total: f64 = self.values.iter().sum();
        let rank = leading(&self.values, config.variance_share);
        let products: Vec<Vec<f64>> = weights.iter().map(|w| self.product(w)).collect();
        let logit_variance: f64 = weights.iter().zip(&products).map(|(w, sw)| dot(w, sw)).sum();
        StyleReport {
            groups,
            directions: (0..rank).map(|k| self.direction(k, total, names, config.loadings)).collect(),
            weight_shares: weights.iter().map(|w| self.share(w, rank)).collect(),
            logit_variance,
            carriers: self.carriers(weights, &products, logit_variance, names),
        }
    }

    /// `S w`.
    fn product(&self, w: &[f64]) -> Vec<f64> {
        let mut product = vec![0.0; self.columns];
        self.rows.chunks_exact(self.columns).for_each(|row| add(&mut product, dot(row, w), row));
        product
    }

    fn direction(&self, k: usize, total: f64, names: &[String], count: usize) -> StyleDirection {
        let vector: Vec<f64> = self.vectors.col(k).iter().copied().collect();
        let mut order: Vec<usize> = (0..self.columns).collect();
        order.sort_by(|&a, &b| vector[b].abs().total_cmp(&vector[a].abs()));
        let sign = vector[order[0]].signum();
        let loadings = order.iter().take(count).map(|&f| (names[f].clone(), sign * vector[f])).collect();
        StyleDirection { variance: self.values[k], share: self.values[k] / total, loadings }
    }

    fn share(&self, w: &[f64], rank: usize) -> f64 {
        let along = |k: usize| self.vectors.col(k).iter().zip(w).map(|(q, w)| q * w).sum::<f64>().powi(2);
        let norm = dot(w, w);
        if norm == 0.0 { 0.0 } else { (0..rank).map(along).sum::<f64>() / norm }
    }

    fn carriers(
        &self,
        weights: &[Vec<f64>],
        products: &[Vec<f64>],
        total: f64,
        names: &[String],
    ) -> Vec<StyleCarrier> {
        let mut within = vec![0.0; self.columns];
        for row in self.rows.chunks_exact(self.columns) {
            within.iter_mut().zip(row).for_each(|(within, x)| *within += x * x);
        }
        let own = |f: usize| weights.iter().zip(products).map(|(w, sw)| w[f] * sw[f]).sum::<f64>();
        let share = |f: usize| if total > 0.0 { own(f) / total } else { 0.0 };
        let carrier =
            |f: usize| StyleCarrier { feature: names[f].clone(), share: share(f), within: within[f] };
        let mut carriers: Vec<StyleCarrier> = (0..self.columns).map(carrier).collect();
        carriers.sort_by(|a, b| b.share.total_cmp(&a.share));
        carriers
    }
}

#[cfg(test)]
mod tests {
    use super::super::MemoryMatrix;
    use super::*;

    /// Pairs that differ in the second of three features only.
    fn report(weights: [f64; 3], share: f64) -> StyleReport {
        let x = [0.0_f32, 1.0, 4.0, 0.0, 3.0, 4.0, 2.0, 0.0, 6.0, 2.0, 4.0, 6.0];
        let names = ["core", "style", "other"].map(str::to_owned);
        let model = LinearModel { logits: 2, weights: weights.to_vec(), intercepts: vec![0.5] };
        let config = StyleConfig { variance_share: share, loadings: 1 }.check().unwrap();
        style_report(&config, &model, &MemoryMatrix::new(&x, 3).unwrap(), &[0, 0, 1, 1], &names).unwrap()
    }

    #[test]
    fn the_feature_that_varies_in_groups_carries_the_style() {
        let report = report([1.0, 1.0, 0.0], 1.0);
        assert_eq!((report.groups, report.directions.len()), (2, 1));
        assert_eq!(report.directions[0].loadings[0].0, "style");
        assert!((report.directions[0].loadings[0].1 - 1.0).abs() < 1e-12);
        assert_eq!((report.carriers[0].feature.as_str(), report.carriers[0].share), ("style", 1.0));
        // Variances 1 and 4 inside the groups, each of the two logits moves by half the margin.
        assert!((report.logit_variance - 2.5 / 2.0).abs() < 1e-12);
        // Both features have unit weight; their variances are 1 and 2.5.
        assert!((report.weight_shares[0] - 2.5 / 3.5).abs() < 1e-12);
    }

    #[test]
    fn weights_on_core_alone_have_no_share_in_style() {
        let report = report([1.0, 0.0, 2.0], 0.5);
        assert!(report.weight_shares.iter().all(|share| share.abs() < 1e-12));
        assert_eq!((report.logit_variance, report.carriers[0].share), (0.0, 0.0));
    }

    #[test]
    fn a_share_out_of_range_is_refused() {
        assert!(StyleConfig { variance_share: 0.0, ..Default::default() }.check().is_err());
    }
}
