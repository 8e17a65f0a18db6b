//! What decides whether a setting has an effect.

use corevar::model::{InputShape, ModelKind, ModelSpec};
use corevar::penalty::Penalty;
use corevar_data::table::Task;

use super::Settings;
use crate::data::Source;
use crate::values::Weight;

/// Why a setting has no effect; None where it has one.
pub type Idle = Option<String>;

/// Whether a command chooses a penalty weight.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Choosing {
    /// With --penalty-weight auto.
    IfAsked,
    /// It is what the command does.
    Always,
}

/// Which data are read, and for what.
#[derive(Debug, Clone)]
pub struct DataSituation {
    /// As the user names them.
    pub data: String,
    pub built_in: bool,
    pub is_regression: bool,
}

impl DataSituation {
    pub fn new(source: &Source, task: Option<Task>) -> Self {
        let (data, built_in) = match source {
            Source::BuiltIn(generator) => (generator.name().to_string(), true),
            Source::Path(path) => (path.display().to_string(), false),
        };
        Self { data, built_in, is_regression: task == Some(Task::Regression) }
    }
}

/// What is trained, and how.
#[derive(Debug, Clone)]
pub struct Situation<'a> {
    /// All that is known before defaults.
    pub settings: &'a Settings,
    pub model: ModelKind,
    pub penalty: Penalty,
    pub are_images: bool,
    pub choosing: Choosing,
}

impl<'a> Situation<'a> {
    pub fn new(settings: &'a Settings, are_images: bool, choosing: Choosing) -> Self {
        Self {
            settings,
            model: settings.model.unwrap_or(usual_model(are_images)),
            penalty: settings.penalty.unwrap_or_default(),
            are_images,
            choosing,
        }
    }

    pub fn is_linear(&self) -> bool {
        self.model == ModelKind::Linear
    }

    /// Whether λ = ∞ is asked for.
    pub fn has_infinite_weight(&self) -> bool {
        let listed = self.settings.choice.penalty_weights.iter().flatten().copied();
        match self.settings.penalty_weight {
            Some(Weight::Is(weight)) => weight.is_infinite(),
            _ => self.chooses() && listed.into_iter().any(f64::is_infinite),
        }
    }

    /// Whether ridges and penalties are chosen too.
    pub fn sweeps(&self) -> bool {
        self.choosing == Choosing::Always
    }

    /// Whether the penalty weight is chosen.
    pub fn chooses(&self) -> bool {
        self.sweeps() || self.settings.penalty_weight == Some(Weight::AUTO)
    }
}

/// The model where none is named.
pub fn usual_model(are_images: bool) -> ModelKind {
    // The size does not matter for the kind.
    let input = match are_images {
        true => InputShape::Image { height: 1, width: 1, channels: 1 },
        false => InputShape::Features(1),
    };
    ModelSpec::usual(input).kind()
}
