//! The flags that can also stand in a --config file.

use std::path::PathBuf;

use clap::Args;
use serde::{Deserialize, Serialize};

use corevar::batches::BatchMode;
use corevar::penalty::{Normalise, Penalty};

use crate::values::{
    AugmentMode, Colour, CropFlag, DecayFlag, ImageSize, ModelKind, TaskKind, Weight, by_name,
};

/// TOML knows signed numbers only, and every setting can stand in config.toml.
fn seed() -> clap::builder::RangedU64ValueParser {
    clap::value_parser!(u64).range(..=i64::MAX as u64)
}

/// Everything that decides the results. One set of names for flags, --config files and config.toml.
#[derive(Debug, Clone, Default, PartialEq, Args, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct Settings {
    /// What CoRe penalises: logit-variance, logit-sd, loss-variance, loss-sd, label-variance, total-variance, none
    #[arg(long, value_name = "NAME", help_heading = "Method")]
    pub penalty: Option<Penalty>,
    /// Weight λ of the penalty, or auto: chosen by the validation loss. With --model linear also inf: no prediction
    /// varies inside a group at all
    #[arg(
        long,
        visible_alias = "lambda",
        value_name = "W|auto",
        help_heading = "Method",
        allow_negative_numbers = true
    )]
    pub penalty_weight: Option<Weight>,
    /// Mean over groups of two rows or more (grouped), or over all groups (all)
    #[arg(long, value_name = "grouped|all", help_heading = "Method", value_parser = by_name::<Normalise>)]
    pub normalise: Option<Normalise>,
    /// Epochs over which the penalty weight rises to its value
    #[arg(long, value_name = "EPOCHS", help_heading = "Method", allow_negative_numbers = true)]
    pub penalty_warmup: Option<f64>,
    /// Weight of half the squared weights (biases not counted)
    #[arg(long, value_name = "W", help_heading = "Method", allow_negative_numbers = true)]
    pub ridge: Option<f64>,

    /// linear (solved exactly), mlp or cnn [default: cnn for images, linear for features]
    #[arg(long, value_name = "KIND", help_heading = "Model", value_parser = by_name::<ModelKind>)]
    pub model: Option<ModelKind>,
    /// Give every feature unit variance first, so that the ridge treats them alike (linear only)
    #[arg(long, help_heading = "Model", num_args = 0..=1, default_missing_value = "true", require_equals = true)]
    pub standardise: Option<bool>,
    /// Widths of the hidden layers of an mlp, such as 500,500
    #[arg(long, value_name = "N,N,..", value_delimiter = ',', help_heading = "Model")]
    pub hidden: Option<Vec<usize>>,
    /// Channels of the convolutions of a cnn, such as 16,32,64,128
    #[arg(long, value_name = "N,N,..", value_delimiter = ',', help_heading = "Model")]
    pub channels: Option<Vec<usize>>,
    /// Side of the kernels of a cnn
    #[arg(long, value_name = "N", help_heading = "Model")]
    pub kernel: Option<usize>,
    /// Step of the kernels of a cnn
    #[arg(long, value_name = "N", help_heading = "Model")]
    pub stride: Option<usize>,
    /// Slope of the cnn's activation below zero; 0 is ReLU
    #[arg(long, value_name = "S", help_heading = "Model", allow_negative_numbers = true)]
    pub negative_slope: Option<f64>,

    /// Passes over the training rows
    #[arg(long, value_name = "N", help_heading = "Training")]
    pub epochs: Option<usize>,
    /// Rows a step
    #[arg(long, value_name = "N", help_heading = "Training")]
    pub batch_size: Option<usize>,
    /// Groups at equal distances (spread), or shuffled with the single rows (shuffled)
    #[arg(long, value_name = "spread|shuffled", help_heading = "Training", value_parser = by_name::<BatchMode>)]
    pub batches: Option<BatchMode>,
    /// Step size of Adam at the start
    #[arg(long, value_name = "R", help_heading = "Training", allow_negative_numbers = true)]
    pub learning_rate: Option<f64>,
    /// How the learning rate falls: cosine, constant, or a factor an epoch such as 0.95
    #[arg(long, value_name = "HOW", help_heading = "Training")]
    pub decay: Option<DecayFlag>,
    /// Largest norm of the gradient of each weight tensor
    #[arg(long, value_name = "N", help_heading = "Training", allow_negative_numbers = true)]
    pub clip_norm: Option<f64>,
    /// Training runs of each estimator, with seeds S, S+1, ..
    #[arg(long, value_name = "N", help_heading = "Training")]
    pub runs: Option<usize>,
    /// Decides the weights at the start and the order of the rows
    #[arg(long, value_name = "S", help_heading = "Training", value_parser = seed())]
    pub seed: Option<u64>,

    #[command(flatten)]
    #[serde(flatten)]
    pub choice: ChoiceFlags,
    #[command(flatten)]
    #[serde(flatten)]
    pub augment: AugmentFlags,
    #[command(flatten)]
    #[serde(flatten)]
    pub table: TableFlags,
    #[command(flatten)]
    #[serde(flatten)]
    pub sizes: SizeFlags,
}

/// Copies of training pictures, changed and grouped with their originals.
#[derive(Debug, Clone, Default, PartialEq, Args, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct AugmentFlags {
    /// Add changed copies of training pictures, grouped with their originals, such as 'rotate=U(35,70)'
    #[arg(long, value_name = "RECIPE", help_heading = "Augmentation")]
    pub augment: Option<String>,
    /// How many get a copy: a number such as 200, or a share such as 0.1 [default: all]
    #[arg(long, value_name = "N|SHARE", help_heading = "Augmentation")]
    pub augment_rows: Option<String>,
    /// Only pictures of this class get one
    #[arg(long, value_name = "CLASS", help_heading = "Augmentation")]
    pub augment_label: Option<String>,
    /// The same copies in every epoch (fixed), or drawn anew (fresh) [default: fixed]
    #[arg(long, value_name = "fixed|fresh", help_heading = "Augmentation", value_parser = by_name::<AugmentMode>)]
    pub augment_mode: Option<AugmentMode>,
}

/// How `sweep` and --penalty-weight auto choose.
#[derive(Debug, Clone, Default, PartialEq, Args, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct ChoiceFlags {
    /// Weights to choose from [default: 0.01,0.03,0.1,0.3,1,3]
    #[arg(
        long,
        visible_alias = "lambdas",
        value_name = "W,W,..",
        value_delimiter = ',',
        help_heading = "Choice of the penalty weight"
    )]
    pub penalty_weights: Option<Vec<f64>>,
    /// Ridges to choose from (sweep only) [default: that of --ridge]
    #[arg(long, value_name = "W,W,..", value_delimiter = ',', help_heading = "Choice of the penalty weight")]
    pub ridges: Option<Vec<f64>>,
    /// Penalties to choose from (sweep only) [default: that of --penalty]
    #[arg(
        long,
        value_name = "NAME,..",
        value_delimiter = ',',
        help_heading = "Choice of the penalty weight"
    )]
    pub penalties: Option<Vec<Penalty>>,
    /// The largest weight wins that costs at most this share of what is gained over a constant prediction [default: 0.15]
    #[arg(
        long,
        value_name = "SHARE",
        help_heading = "Choice of the penalty weight",
        allow_negative_numbers = true
    )]
    pub tolerance: Option<f64>,
    /// Instead: the largest weight within one standard error (over the runs) of the lowest loss
    #[arg(long, help_heading = "Choice of the penalty weight", num_args = 0..=1, default_missing_value = "true", require_equals = true)]
    pub one_standard_error: Option<bool>,
    /// Instead: the weight with the lowest bound on the loss under style shifts of size ξ (Theorem 2)
    #[arg(
        long,
        value_name = "XI",
        help_heading = "Choice of the penalty weight",
        allow_negative_numbers = true
    )]
    pub guard: Option<f64>,
}

/// How a table or a folder is read. Built-in data take none of these.
#[derive(Debug, Clone, Default, PartialEq, Args, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct TableFlags {
    /// classification or regression [default: classification]
    #[arg(long, value_name = "KIND", help_heading = "Your data", value_parser = by_name::<TaskKind>)]
    pub task: Option<TaskKind>,
    /// Column of the label [default: y or label]
    #[arg(long, value_name = "NAME", help_heading = "Your data")]
    pub label_column: Option<String>,
    /// Column of the id that says "the same object" [default: group_id]
    #[arg(long, value_name = "NAME", help_heading = "Your data")]
    pub group_column: Option<String>,
    /// Column of the split: train, val, test or any other name [default: split]
    #[arg(long, value_name = "NAME", help_heading = "Your data")]
    pub split_column: Option<String>,
    /// Column of the image files [default: filename, img_filename or file_name]
    #[arg(long, value_name = "NAME", help_heading = "Your data")]
    pub filename_column: Option<String>,
    /// Feature columns, such as 'x*' or 'age,bmi'
    #[arg(long, value_name = "GLOB", help_heading = "Your data")]
    pub features: Option<String>,
    /// A .npy matrix with a row for each row of the table
    #[arg(long, value_name = "F.npy", help_heading = "Your data")]
    pub features_file: Option<PathBuf>,
    /// Resize images to HEIGHTxWIDTH, such as 64x48
    #[arg(long, value_name = "HxW", help_heading = "Your data")]
    pub image_size: Option<ImageSize>,
    /// Which part of an image is resized: none (all of it, stretched) or center
    #[arg(long, value_name = "none|center", help_heading = "Your data", value_parser = by_name::<CropFlag>)]
    pub crop: Option<CropFlag>,
    /// See images as grey or rgb [default: grey if all are]
    #[arg(long, value_name = "grey|rgb", help_heading = "Your data", value_parser = by_name::<Colour>)]
    pub colour: Option<Colour>,
    /// Leave out rows whose image cannot be read, and count them
    #[arg(long, help_heading = "Your data", num_args = 0..=1, default_missing_value = "true", require_equals = true)]
    pub skip_unreadable: Option<bool>,
    /// Let the table name images outside its folder, also through links
    #[arg(long, help_heading = "Your data", num_args = 0..=1, default_missing_value = "true", require_equals = true)]
    pub allow_outside: Option<bool>,
    /// Decides the split by id that is made when the data have none
    #[arg(long, value_name = "S", help_heading = "Your data", value_parser = seed())]
    pub split_seed: Option<u64>,
    /// Bins that the label of a regression is cut into for grouping
    #[arg(long, value_name = "N", help_heading = "Your data")]
    pub label_bins: Option<usize>,
}

/// How large built-in data are.
#[derive(Debug, Clone, Default, PartialEq, Args, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct SizeFlags {
    /// Training rows of built-in data
    #[arg(long, value_name = "N", help_heading = "Built-in data")]
    pub rows: Option<usize>,
    /// Pairs of rows with the same id among them
    #[arg(long, value_name = "N", help_heading = "Built-in data")]
    pub groups: Option<usize>,
    /// Rows of each test split
    #[arg(long, value_name = "N", help_heading = "Built-in data")]
    pub test_rows: Option<usize>,
    /// Decides what is drawn
    #[arg(long, value_name = "S", help_heading = "Built-in data", value_parser = seed())]
    pub data_seed: Option<u64>,
}
