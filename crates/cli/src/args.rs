//! The command line as typed. What it means is decided in [`crate::settings`].

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand};
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
    /// Train a path of penalty weights and choose the largest that costs little on the validation rows
    Sweep(Sweep),
    /// A linear model along a path of penalty weights: coefficients, validation loss and penalty
    Path(Sweep),
    /// What is grouped, what is missing, what leaks, and whether CoRe can help
    Inspect(Inspect),
    /// Errors, variances, calibration and robustness of trained models
    Evaluate(Evaluate),
    /// Error and changed answers of trained models under growing interventions
    Stress(Stress),
    /// Write the report of a run again, from its records
    Report(Report),
    /// Turn the files of a public data set into a table of this program: mnist, qmnist, celeba, awa2, waterbirds
    Import(Import),
    /// Run an experiment of the paper, and put its numbers beside the paper's
    Reproduce(Reproduce),
    /// Write a synthetic data set as a folder: images or features, and metadata.csv
    Generate(Generate),
}

#[derive(Debug, Args)]
pub struct Demo {
    /// Folder for models, records and report; an earlier run in it is replaced
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
pub struct Sweep {
    #[command(flatten)]
    pub common: Common,
}

#[derive(Debug, Args)]
pub struct Inspect {
    /// A built-in name (linear, nonlinear, stickmen, faces, animals), a metadata.csv, or a folder
    #[arg(value_name = "DATA")]
    pub data: String,
    #[command(flatten)]
    pub show: Show,
    #[command(flatten)]
    pub cache: CacheFlag,
    #[command(flatten)]
    pub table: TableFlags,
    #[command(flatten)]
    pub sizes: SizeFlags,
}

/// Which models, on which data.
#[derive(Debug, Args)]
pub struct Models {
    /// Model files or run folders, then the data: a built-in name, a metadata.csv, or a folder
    #[arg(value_name = "MODEL.. DATA", required = true, num_args = 2..)]
    pub models_and_data: Vec<String>,
    /// Folder for records and report
    #[arg(long, value_name = "RUN")]
    pub out: Option<PathBuf>,
    /// Replace a run that --out already holds
    #[arg(long, requires = "out")]
    pub overwrite: bool,
    #[command(flatten)]
    pub show: Show,
    #[command(flatten)]
    pub cache: CacheFlag,
    /// Threads to use [default: all]
    #[arg(long, value_name = "N")]
    pub threads: Option<usize>,
    #[command(flatten)]
    pub table: TableFlags,
    #[command(flatten)]
    pub sizes: SizeFlags,
}

#[derive(Debug, Args)]
#[command(override_usage = "corevar evaluate [OPTIONS] MODEL.. DATA")]
pub struct Evaluate {
    #[command(flatten)]
    pub models: Models,
}

#[derive(Debug, Args)]
#[command(override_usage = "corevar stress [OPTIONS] MODEL.. DATA")]
pub struct Stress {
    #[command(flatten)]
    pub models: Models,
    /// Interventions, such as blur or 'rotate=10|20|40', set apart by commas [default: all]
    #[arg(long, value_name = "NAME[=S|S..],..", value_delimiter = ',')]
    pub interventions: Option<Vec<String>>,
    /// Rows of this split [default: test, or the first that is neither train nor val]
    #[arg(long, value_name = "NAME")]
    pub split: Option<String>,
    /// Decides what is random in an intervention
    #[arg(long, value_name = "S", default_value_t = 0)]
    pub seed: u64,
}

#[derive(Debug, Args)]
pub struct Report {
    /// Folder of a run
    #[arg(value_name = "RUN")]
    pub run: PathBuf,
}

#[derive(Debug, Args)]
pub struct Import {
    /// mnist, qmnist, celeba, awa2 or waterbirds
    #[arg(value_name = "NAME")]
    pub name: String,
    /// Folder with the original files
    #[arg(long, value_name = "DIR")]
    pub from: PathBuf,
    /// New folder to write to
    #[arg(long, value_name = "DIR")]
    pub out: PathBuf,
    /// CelebA: the attribute that becomes the label [default: Eyeglasses]
    #[arg(long, value_name = "NAME")]
    pub label: Option<String>,
    /// AwA2: only these classes, such as horse,elephant
    #[arg(long, value_name = "NAME,..", value_delimiter = ',')]
    pub classes: Vec<String>,
    /// Waterbirds: follow links that lead out of the folder of the table
    #[arg(long)]
    pub allow_outside: bool,
    /// Say nothing but errors
    #[arg(long)]
    pub quiet: bool,
}

#[derive(Debug, Args)]
pub struct Reproduce {
    /// linear, nonlinear, small-n, gender, gender-features, quality, brightness, stickmen, mnist, elmer, or all; or a file
    /// `mine.toml` in the form of those in experiments/
    #[arg(value_name = "NAME")]
    pub name: String,
    /// Only these variants; `*` stands for any text [default: all of the paper's; `choice`, a path of λ on
    /// another draw of the data, only by its name]
    #[arg(long, value_name = "NAME,..", value_delimiter = ',')]
    pub variant: Vec<String>,
    /// Fewer rows and runs, which still show the effect: minutes [default]
    #[arg(long, conflicts_with = "full")]
    pub quick: bool,
    /// The paper's number of rows, five runs: hours
    #[arg(long)]
    pub full: bool,
    /// Folder with the original files of CelebA, AwA2 or MNIST [default: pictures drawn by this program in their stead]
    #[arg(long, value_name = "DIR")]
    pub data: Option<PathBuf>,
    /// gender-features: a .npy matrix with a row for each picture of CelebA, in the order of list_attr_celeba.txt
    #[arg(long, value_name = "F.npy")]
    pub features_file: Option<PathBuf>,
    /// Folder for models, records and reports; what is finished in it is not trained again
    #[arg(long, value_name = "DIR", default_value = "reproduced")]
    pub out: PathBuf,
    /// Replace variants that --out holds with other settings
    #[arg(long)]
    pub overwrite: bool,
    /// Also write all that --out holds as a page of Markdown; what ran in full is not repeated from quick
    #[arg(long, value_name = "F.md")]
    pub markdown: Option<PathBuf>,
    /// Seconds between checkpoints
    #[arg(long, value_name = "S", default_value_t = 20.0)]
    pub checkpoint_every: f64,
    #[command(flatten)]
    pub show: Show,
    /// Threads to use [default: all]. The results do not depend on it
    #[arg(long, value_name = "N")]
    pub threads: Option<usize>,
}

/// Where decoded pictures stay for the next time.
#[derive(Debug, Clone, Default, Args)]
pub struct CacheFlag {
    /// Folder for decoded pictures, or off [default: the user's cache folder, for 1000 pictures or more]
    #[arg(long, value_name = "DIR|off")]
    pub cache: Option<PathBuf>,
}

#[derive(Debug, Args)]
pub struct Generate {
    /// linear, nonlinear, stickmen, faces or animals
    #[arg(value_name = "NAME")]
    pub name: String,
    /// New folder to write to
    #[arg(long, value_name = "DIR")]
    pub out: PathBuf,
    #[command(flatten)]
    pub sizes: SizeFlags,
    /// Change the style of the pictures, such as 'quality=N(30,10)' or 'rotate=U(35,70); blur=1'
    #[arg(long, value_name = "RECIPE")]
    pub intervene: Option<String>,
    /// Only in these splits [default: all]
    #[arg(long, value_name = "NAME,..", value_delimiter = ',', requires = "intervene")]
    pub intervene_splits: Option<Vec<String>>,
    #[arg(long)]
    /// Say nothing but errors
    pub quiet: bool,
}

/// How results and progress are shown.
#[derive(Debug, Clone, Copy, Args)]
pub struct Show {
    /// Print a JSON document on stdout instead of the table: results.json, where there is one
    #[arg(long)]
    pub json: bool,
    /// No progress on stderr
    #[arg(long)]
    pub quiet: bool,
}

#[derive(Debug, Args)]
pub struct Common {
    /// A built-in name (linear, nonlinear, stickmen, faces, animals), a metadata.csv, or a folder
    #[arg(value_name = "DATA")]
    pub data: String,
    /// Folder for models, records and report
    #[arg(long, value_name = "RUN")]
    pub out: PathBuf,
    /// Replace a run that --out already holds
    #[arg(long, conflicts_with = "resume")]
    pub overwrite: bool,
    /// Go on with the run that --out holds: what is finished is not trained again, and a run that was stopped goes on at
    /// its last checkpoint
    #[arg(long)]
    pub resume: bool,
    /// Seconds between checkpoints; 0 keeps one after every batch
    #[arg(long, value_name = "S", default_value_t = 20.0)]
    pub checkpoint_every: f64,
    /// Settings from a file; flags go before it. The config.toml of train, compare and sweep is such a file
    #[arg(long, value_name = "F.toml")]
    pub config: Option<PathBuf>,
    #[command(flatten)]
    pub show: Show,
    #[command(flatten)]
    pub cache: CacheFlag,
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
