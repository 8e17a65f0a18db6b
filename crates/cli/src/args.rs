//! The command line as typed. What it means is decided in [`crate::settings`].

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand};
use serde::{Deserialize, Serialize};

use corevar::batches::BatchMode;
use corevar::penalty::{Normalise, Penalty};

use crate::values::{DecayFlag, ImageSize, ModelKind, TaskKind, by_name};

/// TOML knows signed numbers only, and every setting can stand in config.toml.
fn seed() -> clap::builder::RangedU64ValueParser {
    clap::value_parser!(u64).range(..=i64::MAX as u64)
}

#[derive(Debug, Parser)]
#[command(
    name = "corevar",
    version,
    about = "Train classifiers that do not depend on style: pose, light, camera, colour, clothes",
    after_help = "Start with `corevar demo`. Every command explains itself with --help.",
    arg_required_else_help = true
)]
pub struct Program {
    #[command(subcommand)]
    pub command: Command,
}

#[derive(Debug, Subcommand)]
pub enum Command {
    /// Built-in data, both estimators, the table and the report: about a minute
    Demo(Demo),
    /// Train one estimator
    Train(Train),
    /// Train the pooled and the CoRe estimator side by side, several runs each
    Compare(Compare),
    /// Write a synthetic data set as a folder: images or features, and metadata.csv
    Generate(Generate),
}

#[derive(Debug, Args)]
pub struct Demo {
    /// Folder for models, records and report; an earlier demo in it is replaced
    #[arg(long, value_name = "DIR", default_value = "corevar-demo")]
    pub out: PathBuf,
    #[command(flatten)]
    pub show: Show,
    /// Threads to use [default: all]
    #[arg(long, value_name = "N")]
    pub threads: Option<usize>,
}

#[derive(Debug, Args)]
pub struct Train {
    #[command(flatten)]
    pub common: Common,
}

#[derive(Debug, Args)]
pub struct Compare {
    #[command(flatten)]
    pub common: Common,
    /// Also train the two baselines: variance given the label alone, and overall variance
    #[arg(long)]
    pub baselines: bool,
}

#[derive(Debug, Args)]
pub struct Generate {
    /// linear, nonlinear or stickmen
    #[arg(value_name = "NAME")]
    pub name: String,
    /// New folder to write to
    #[arg(long, value_name = "DIR")]
    pub out: PathBuf,
    #[command(flatten)]
    pub sizes: SizeFlags,
    #[arg(long)]
    /// Say nothing but errors
    pub quiet: bool,
}

/// How results and progress are shown.
#[derive(Debug, Clone, Copy, Args)]
pub struct Show {
    /// Print results.json on stdout instead of the table
    #[arg(long)]
    pub json: bool,
    /// No progress on stderr
    #[arg(long)]
    pub quiet: bool,
}

#[derive(Debug, Args)]
pub struct Common {
    /// A built-in name (linear, nonlinear, stickmen), a metadata.csv, or a folder
    #[arg(value_name = "DATA")]
    pub data: String,
    /// Folder for models, records and report
    #[arg(long, value_name = "RUN")]
    pub out: PathBuf,
    /// Replace a run that --out already holds
    #[arg(long)]
    pub overwrite: bool,
    /// Settings from a file; flags go before it. The config.toml of any run is such a file
    #[arg(long, value_name = "F.toml")]
    pub config: Option<PathBuf>,
    #[command(flatten)]
    pub show: Show,
    /// Threads to use [default: all]. The results do not depend on it
    #[arg(long, value_name = "N")]
    pub threads: Option<usize>,
    #[command(flatten)]
    pub settings: Settings,
}

/// Everything that decides the results. One set of names for flags, --config files and config.toml.
#[derive(Debug, Clone, Default, PartialEq, Args, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct Settings {
    /// What CoRe penalises: logit-variance, logit-sd, loss-variance, loss-sd, label-variance, total-variance, none
    #[arg(long, value_name = "NAME", help_heading = "Method")]
    pub penalty: Option<Penalty>,
    /// Weight λ of the penalty. With --model linear also inf: no prediction varies inside a group at all
    #[arg(
        long,
        visible_alias = "lambda",
        value_name = "W",
        help_heading = "Method",
        allow_negative_numbers = true
    )]
    pub penalty_weight: Option<f64>,
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
    pub table: TableFlags,
    #[command(flatten)]
    #[serde(flatten)]
    pub sizes: SizeFlags,
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
    /// Leave out rows whose image cannot be read, and count them
    #[arg(long, help_heading = "Your data", num_args = 0..=1, default_missing_value = "true", require_equals = true)]
    pub skip_unreadable: Option<bool>,
    /// Let the table name images outside its folder
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
