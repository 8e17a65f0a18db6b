//! The penalties that have a name, in one list.

use std::fmt;
use std::str::FromStr;

use burn::tensor::Tensor;
use serde::{Deserialize, Deserializer, Serialize, Serializer, de};

use super::{BatchOutputs, ConditionalVariance, Given, Normalise, Power, Varying};

/// A penalty by name: one of the constants below. Written as its name in configurations and records.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Penalty {
    name: &'static str,
    estimator_name: &'static str,
    variance: Option<ConditionalVariance>,
}

/// The list. Its rows: name, name of the estimator trained with it, what varies, the power, given what.
impl Penalty {
    /// `C_{f,1}`, see [`super::logit_variance`].
    pub const LOGIT_VARIANCE: Self =
        Self::new("logit-variance", "core", Varying::Logits, Power::Variance, Given::LabelAndId);
    /// `C_{f,1/2}`, see [`super::logit_sd`].
    pub const LOGIT_SD: Self = Self::new("logit-sd", "core", Varying::Logits, Power::Sd, Given::LabelAndId);
    /// `C_{l,1}`, see [`super::loss_variance`].
    pub const LOSS_VARIANCE: Self =
        Self::new("loss-variance", "core", Varying::Loss, Power::Variance, Given::LabelAndId);
    /// `C_{l,1/2}`, see [`super::loss_sd`].
    pub const LOSS_SD: Self = Self::new("loss-sd", "core", Varying::Loss, Power::Sd, Given::LabelAndId);
    /// Baseline: variance given the label alone, see [`super::label_variance`].
    pub const LABEL_VARIANCE: Self =
        Self::new("label-variance", "label-variance", Varying::Logits, Power::Variance, Given::Label);
    /// Baseline: variance of all rows together, see [`super::total_variance`].
    pub const TOTAL_VARIANCE: Self =
        Self::new("total-variance", "total-variance", Varying::Logits, Power::Variance, Given::Nothing);
    /// No penalty: the pooled estimator.
    pub const NONE: Self = Self { name: "none", estimator_name: "pooled", variance: None };

    /// Every penalty, in the order of the help text.
    pub const ALL: [Self; 7] = [
        Self::LOGIT_VARIANCE,
        Self::LOGIT_SD,
        Self::LOSS_VARIANCE,
        Self::LOSS_SD,
        Self::LABEL_VARIANCE,
        Self::TOTAL_VARIANCE,
        Self::NONE,
    ];
}

impl Penalty {
    /// The names of [`Penalty::ALL`].
    pub const NAMES: [&'static str; Self::ALL.len()] = {
        let mut names = [""; Self::ALL.len()];
        let mut row = 0;
        while row < names.len() {
            names[row] = Self::ALL[row].name;
            row += 1;
        }
        names
    };

    const fn new(
        name: &'static str,
        estimator_name: &'static str,
        varying: Varying,
        power: Power,
        given: Given,
    ) -> Self {
        Self { name, estimator_name, variance: Some(ConditionalVariance { varying, power, given }) }
    }

    /// Any combination, to try what has no name.
    #[cfg(test)]
    pub(crate) const fn unnamed(variance: ConditionalVariance) -> Self {
        Self { name: "unnamed", estimator_name: "unnamed", variance: Some(variance) }
    }

    /// Name on the command line and in records.
    pub fn name(self) -> &'static str {
        self.name
    }

    /// Name of the estimator that is trained with it: `pooled`, `core`, or that of a baseline.
    pub fn estimator_name(self) -> &'static str {
        self.estimator_name
    }

    /// What is penalised; `None` for [`Penalty::NONE`].
    pub fn variance(self) -> Option<ConditionalVariance> {
        self.variance
    }

    /// True for the penalties that vanish without a group of two rows or more.
    pub fn needs_groups(self) -> bool {
        self.variance.is_some_and(|variance| variance.given == Given::LabelAndId)
    }

    /// True when the limit λ = ∞ of a linear model means "no logit varies inside a group".
    pub(crate) fn has_limit(self) -> bool {
        self.variance.is_none_or(|variance| variance.varying == Varying::Logits)
    }

    /// The penalty of these outputs; zero for [`Penalty::NONE`].
    /// # Shapes
    /// -> `[1]`
    pub fn of(self, outputs: BatchOutputs, normalise: Normalise) -> Tensor<1> {
        match self.variance {
            Some(variance) => variance.of(outputs, normalise),
            None => Tensor::zeros([1], &outputs.logits.device()),
        }
    }
}

impl Default for Penalty {
    fn default() -> Self {
        Self::LOGIT_VARIANCE
    }
}

impl fmt::Display for Penalty {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.pad(self.name)
    }
}

impl FromStr for Penalty {
    type Err = String;

    fn from_str(name: &str) -> Result<Self, String> {
        Self::ALL
            .into_iter()
            .find(|penalty| penalty.name == name)
            .ok_or_else(|| format!("no penalty `{name}`; there are {}", Self::NAMES.join(", ")))
    }
}

impl Serialize for Penalty {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.name)
    }
}

/// As an enum of the names: what is not a name is refused in the words, and at the line and column, of any other enum
/// of a configuration.
impl<'de> Deserialize<'de> for Penalty {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_enum("Penalty", &Self::NAMES, Name)
    }
}

struct Name;

impl<'de> de::DeserializeSeed<'de> for Name {
    type Value = Penalty;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Penalty, D::Error> {
        deserializer.deserialize_identifier(self)
    }
}

impl<'de> de::Visitor<'de> for Name {
    type Value = Penalty;

    fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str("the name of a penalty")
    }

    fn visit_enum<A: de::EnumAccess<'de>>(self, access: A) -> Result<Penalty, A::Error> {
        let (penalty, content) = access.variant_seed(self)?;
        de::VariantAccess::unit_variant(content)?;
        Ok(penalty)
    }

    fn visit_str<E: de::Error>(self, name: &str) -> Result<Penalty, E> {
        name.parse().map_err(|_| E::unknown_variant(name, &Penalty::NAMES))
    }
}
