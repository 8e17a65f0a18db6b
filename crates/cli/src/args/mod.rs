//! The command line as typed. What it means is decided in [`crate::settings`].

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand};
use corevar::study::{Pick, PickRuns};
use corevar_data::import::celeba;
use corevar_data::{Cache, TableOptions};

use crate::data::MEGABYTE;
use crate::settings::{EncoderFlags, Settings, SizeFlags, TableFlags, help};

/// Seconds between checkpoints: no more than that is lost, and writing them costs nothing that is noticed.
const CHECKPOINT_EVERY: f64 = 20.0;

fn usual_cache() -> String {
    let (pictures, bytes) = (Cache::WORTH_CACHING, Cache::WORTH_CACHING_BYTES >> 20);
    format!("the user's cache folder, for {pictures} pictures or {bytes} MB of pixels or more")
}

fn usual_decode_memory() -> String {
    (TableOptions::default().decode_memory / MEGABYTE).to_string()
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
    /// Compare both estimators on built-in data (about a minute)
    Demo(Demo),
    /// Train one estimator
    Train(Train),
    /// Train the pooled and the CoRe estimator side by side, several runs each
    Compare(Compare),
    /// Train a path of penalty weights and choose one by the guarded error on held-out groups
    Sweep(Sweep),
    /// Solve a linear model along a path of penalty weights: coefficients, validation loss and penalty
    Path(Sweep),
    /// Show what is grouped, what is missing, what leaks, and whether CoRe can help
    Inspect(Inspect),
    /// Turn images into features by an ONNX network, for other tools: a NumPy matrix and a table
    Encode(Encode),
    /// Evaluate trained models: errors, variances, calibration and robustness
    Evaluate(Evaluate),
    /// Check new rows against limits on error, flips and drift: a gate for pipelines
    Check(Check),
    /// Predict new rows or images with a trained model: labels, probabilities, style radius
    Predict(Predict),
    /// Put trained models under growing interventions: errors and changed answers
    Stress(Stress),
    /// Write a trained model as an ONNX file, or for PyTorch
    #[command(arg_required_else_help = true)]
    Export(Export),
    /// Write the report of a run again, from its records
    Report(Report),
    /// Turn the files of a public data set into a table of this program: mnist, qmnist, celeba, awa2, waterbirds, gas-drift
    Import(Import),
    /// Run an experiment of the paper, and put its numbers beside the paper's
    #[command(arg_required_else_help = true)]
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
    /// A built-in name (linear, nonlinear, stickmen, instruments, faces, animals), a metadata.csv, or a folder
    #[arg(value_name = "DATA")]
    pub data: String,
    #[command(flatten)]
    pub show: Show,
    #[command(flatten)]
    pub reader: ReaderFlags,
    #[command(flatten)]
    pub encoder: EncoderFlags,
    #[command(flatten)]
    pub table: TableFlags,
    #[command(flatten)]
    pub sizes: SizeFlags,
}

#[derive(Debug, Args)]
pub struct Encode {
    /// A metadata.csv, a folder, or built-in images (stickmen, faces, animals)
    #[arg(value_name = "DATA")]
    pub data: String,
    /// New NumPy file for the features, one row per row of the data; a metadata.csv is written beside it
    #[arg(long, value_name = "F.npy")]
    pub out: PathBuf,
    /// Print errors only
    #[arg(long)]
    pub quiet: bool,
    #[command(flatten)]
    pub reader: ReaderFlags,
    /// Threads to use [default: all]
    #[arg(long, value_name = "N")]
    pub threads: Option<usize>,
    #[command(flatten)]
    pub encoder: EncoderFlags,
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
    /// Refuse data with a label that the model does not know, instead of leaving such rows out and counting them
    #[arg(long)]
    pub strict: bool,
    #[command(flatten)]
    pub show: Show,
    #[command(flatten)]
    pub reader: ReaderFlags,
    /// ONNX network that the models were trained with; the model files say how to use it
    #[arg(long, value_name = "F.onnx")]
    pub encoder: Option<PathBuf>,
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

/// A value above its limit gives exit code 3.
#[derive(Debug, Args)]
#[command(
    after_help = "Exit codes: 0 all limits hold, 1 a limit could not be measured or something failed, 2 wrong usage, 3 a limit \
    is broken. Without limits the values are shown, and limits are proposed."
)]
pub struct Check {
    /// Model file or run folder
    #[arg(value_name = "MODEL|RUN")]
    pub model: String,
    /// New rows: a metadata.csv, a folder, or a built-in name. Labels and ids are used if present
    #[arg(value_name = "DATA")]
    pub data: String,
    #[command(flatten)]
    pub pick: PickFlags,
    /// Largest share of wrong answers, from 0 to 1; of a regression the largest rms error. Needs labels
    #[arg(long, value_name = "E", allow_negative_numbers = true)]
    pub max_error: Option<f64>,
    /// Largest share of groups whose answers differ, from 0 to 1. Needs ids that repeat
    #[arg(long, value_name = "F", allow_negative_numbers = true)]
    pub max_flip: Option<f64>,
    /// How far the rows may have moved along the directions of style, in SDs inside training groups
    #[arg(long, value_name = "SD", allow_negative_numbers = true)]
    pub max_style_drift: Option<f64>,
    /// How far they may have moved along all other directions, in SDs of training rows
    #[arg(long, value_name = "SD", allow_negative_numbers = true)]
    pub max_other_drift: Option<f64>,
    /// Largest share of answers with a style radius below --radius, from 0 to 1
    #[arg(long, value_name = "P", allow_negative_numbers = true)]
    pub max_low_radius: Option<f64>,
    /// Style radius below which an answer counts as uncertain
    #[arg(long, value_name = "K", default_value_t = 1.0, allow_negative_numbers = true)]
    pub radius: f64,
    /// Rows of this split [default: all but train and val]
    #[arg(long, value_name = "NAME")]
    pub split: Option<String>,
    /// Also write the result as JUnit XML
    #[arg(long, value_name = "F.xml")]
    pub junit: Option<PathBuf>,
    #[command(flatten)]
    pub show: Show,
    #[command(flatten)]
    pub reader: ReaderFlags,
    /// ONNX network that the model was trained with; the model file says how to use it
    #[arg(long, value_name = "F.onnx")]
    pub encoder: Option<PathBuf>,
    /// Threads to use [default: all]
    #[arg(long, value_name = "N")]
    pub threads: Option<usize>,
    #[command(flatten)]
    pub table: TableFlags,
    #[command(flatten)]
    pub sizes: SizeFlags,
}

#[derive(Debug, Args)]
#[command(override_usage = "corevar stress [OPTIONS] MODEL.. DATA")]
pub struct Stress {
    #[command(flatten)]
    pub models: Models,
    /// Interventions, such as blur or 'rotate=10|20|40', separated by commas [default: all]
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
#[command(override_usage = "corevar predict [OPTIONS] MODEL|RUN DATA|FOLDER|IMAGE..")]
pub struct Predict {
    /// A model file, or the folder of a run
    #[arg(value_name = "MODEL|RUN")]
    pub model: PathBuf,
    /// A table (CSV, Parquet), a .npy matrix, a folder with a table or with images, images, or - for a table on stdin
    #[arg(value_name = "DATA|FOLDER|IMAGE..", required = true, num_args = 1..)]
    pub data: Vec<PathBuf>,
    /// File for the answers: .csv, .jsonl or .parquet [default: CSV on stdout]
    #[arg(long, value_name = "FILE")]
    pub out: Option<PathBuf>,
    /// Form of the answers, whatever the name of the file: csv, jsonl or parquet
    #[arg(long, value_name = "FORMAT")]
    pub format: Option<FormatName>,
    #[command(flatten)]
    pub pick: PickFlags,
    /// Average the probabilities of all runs of the estimator
    #[arg(long, conflicts_with = "run")]
    pub ensemble: bool,
    /// Stop at the first row that has no answer
    #[arg(long)]
    pub strict: bool,
    /// ONNX network that the model was trained with; the model file says how to use it
    #[arg(long, value_name = "F.onnx")]
    pub encoder: Option<PathBuf>,
    /// A .npy matrix with one row per row of the table, instead of feature columns
    #[arg(long, value_name = "F.npy")]
    pub features_file: Option<PathBuf>,
    /// Column of the id, passed on to the answers [default: group_id]
    #[arg(long, value_name = "NAME")]
    pub group_column: Option<String>,
    /// Column of the image files [default: filename, img_filename or file_name]
    #[arg(long, value_name = "NAME")]
    pub filename_column: Option<String>,
    /// Memory in MB for images that are being decoded, all threads together [default: 400]
    #[arg(long, value_name = "MB", value_parser = clap::value_parser!(u64).range(1..=1_000_000_000))]
    pub decode_memory: Option<u64>,
    /// Read images outside the folder of the data, also through links
    #[arg(long)]
    pub allow_outside: bool,
    /// No progress or notes on stderr; rows without an answer are still named
    #[arg(long)]
    pub quiet: bool,
    /// Threads to use [default: all]. The answers do not depend on it
    #[arg(long, value_name = "N")]
    pub threads: Option<usize>,
}

/// A form of answers by its name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub enum FormatName {
    Csv,
    Jsonl,
    Parquet,
}

#[derive(Debug, Args)]
#[command(group = clap::ArgGroup::new("target").args(["onnx", "safetensors"]).required(true).multiple(true))]
pub struct Export {
    /// Model file, or folder of a run
    #[arg(value_name = "MODEL|RUN")]
    pub model: PathBuf,
    /// ONNX network that the model was trained with: the ONNX file gets both, from pixels to probabilities
    #[arg(long, value_name = "F.onnx")]
    pub encoder: Option<PathBuf>,
    /// ONNX file to write. It is run on random rows and compared with the model before it is put in place
    #[arg(long, value_name = "F.onnx")]
    pub onnx: Option<PathBuf>,
    /// Folder for PyTorch: weights by the names of a state_dict in model.safetensors, and model.py, which loads them
    #[arg(long, value_name = "DIR")]
    pub safetensors: Option<PathBuf>,
    #[command(flatten)]
    pub pick: PickFlags,
    /// ONNX, images: order of the axes after the batch axis [default: nhwc]
    #[arg(long, value_name = "ORDER", value_enum, requires = "onnx")]
    pub layout: Option<LayoutArg>,
    /// ONNX, images: type of the pixels, u8 from 0 to 255 or f32 from 0 to 1 [default: u8]
    #[arg(long, value_name = "TYPE", value_enum, requires = "onnx")]
    pub input: Option<PixelsArg>,
    /// Replace existing files, but never a model file of corevar
    #[arg(long)]
    pub overwrite: bool,
    /// Print errors only
    #[arg(long)]
    pub quiet: bool,
}

/// [`corevar_onnx::export::Layout`] as typed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub enum LayoutArg {
    /// Height, width, channels
    Nhwc,
    /// Channels, height, width
    Nchw,
}

/// [`corevar_onnx::export::Pixels`] as typed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub enum PixelsArg {
    /// Bytes from 0 to 255
    U8,
    /// Numbers from 0 to 1
    F32,
}

#[derive(Debug, Args)]
pub struct Report {
    /// Folder of a run
    #[arg(value_name = "RUN")]
    pub run: PathBuf,
}

#[derive(Debug, Args)]
pub struct Import {
    /// mnist, qmnist, celeba, awa2, waterbirds or gas-drift
    #[arg(value_name = "NAME")]
    pub name: String,
    /// Folder with the original files
    #[arg(long, value_name = "DIR")]
    pub from: PathBuf,
    /// New folder to write to
    #[arg(long, value_name = "DIR")]
    pub out: PathBuf,
    /// CelebA: the attribute that becomes the label
    #[arg(long, value_name = "NAME", help = help("CelebA: the attribute that becomes the label", Some(celeba::LABEL.into())))]
    pub label: Option<String>,
    /// AwA2: only these classes, such as horse,elephant
    #[arg(long, value_name = "NAME,..", value_delimiter = ',')]
    pub classes: Vec<String>,
    /// Follow links that lead out of the folder with the original files
    #[arg(long)]
    pub allow_outside: bool,
    /// Print errors only
    #[arg(long)]
    pub quiet: bool,
}

#[derive(Debug, Args)]
pub struct Reproduce {
    /// linear, nonlinear, small-n, gender, gender-features, quality, brightness, stickmen, mnist, elmer, or all; or a file
    /// `mine.toml` in the form of those in crates/paper/experiments/
    #[arg(value_name = "NAME")]
    pub name: String,
    /// Train only these variants; `*` stands for any text [default: all of the paper's, and in quick size `by-rule`, whose λ
    /// the usual rule chooses; `choice`, a path of λ on rows of its own, only by its whole name]
    #[arg(long, value_name = "NAME,..", value_delimiter = ',')]
    pub variant: Vec<String>,
    /// Fewer rows, runs or epochs, which still show the effect: minutes [default]
    #[arg(long, conflicts_with = "full")]
    pub quick: bool,
    /// The paper's number of rows, five runs: hours
    #[arg(long)]
    pub full: bool,
    /// Folder with the original files of CelebA, AwA2 or MNIST [default: pictures drawn by this program instead]
    #[arg(long, value_name = "DIR")]
    pub data: Option<PathBuf>,
    /// gender-features: a .npy matrix with a row for each picture of CelebA, in the order of list_attr_celeba.txt
    #[arg(long, value_name = "F.npy")]
    pub features_file: Option<PathBuf>,
    /// Folder for models, records and reports; what is finished in it, or recorded as finished, is not trained again
    #[arg(long, value_name = "DIR", default_value = "reproduced")]
    pub out: PathBuf,
    /// Replace variants that --out holds with other settings
    #[arg(long)]
    pub overwrite: bool,
    /// Also write all that --out holds as a page of Markdown; what ran in full is not repeated from quick
    #[arg(long, value_name = "F.md")]
    pub markdown: Option<PathBuf>,
    /// Seconds between checkpoints
    #[arg(long, value_name = "S", default_value_t = CHECKPOINT_EVERY)]
    pub checkpoint_every: f64,
    #[command(flatten)]
    pub show: Show,
    /// Threads to use [default: all]. The results do not depend on it
    #[arg(long, value_name = "N")]
    pub threads: Option<usize>,
}

/// Which model of a run.
#[derive(Debug, Clone, Default, Args)]
pub struct PickFlags {
    /// Estimator to take from a run, such as pooled [default: the chosen CoRe model, else the first]
    #[arg(long, value_name = "NAME")]
    pub estimator: Option<String>,
    /// Which of its runs, counted from 1 [default: 1]
    #[arg(long, value_name = "N")]
    pub run: Option<usize>,
}

impl PickFlags {
    /// What they mean to the library.
    pub fn pick(&self) -> Pick {
        let runs = self.run.map_or(PickRuns::First, PickRuns::Only);
        Pick { estimator: self.estimator.clone(), runs }
    }
}

/// What the reader may do on this machine. Only on the command line: a file of settings may come from a stranger.
#[derive(Debug, Clone, Default, Args)]
pub struct ReaderFlags {
    /// Folder for decoded pictures, or off
    #[arg(long, value_name = "DIR|off", help = help("Folder for decoded pictures, or off", Some(usual_cache())))]
    pub cache: Option<PathBuf>,
    /// Memory in MB for pictures that are being decoded, all threads together
    #[arg(
        long,
        value_name = "MB",
        value_parser = clap::value_parser!(u64).range(1..=1_000_000_000),
        help = help("Memory in MB for pictures that are being decoded, all threads together", Some(usual_decode_memory())),
    )]
    pub decode_memory: Option<u64>,
    /// Read images outside the folder of the data, also through links. Not a setting of a --config file
    #[arg(long)]
    pub allow_outside: bool,
}

#[derive(Debug, Args)]
pub struct Generate {
    /// linear, nonlinear, stickmen, instruments, instruments-regression, faces or animals
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
    /// Print errors only
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
    /// A built-in name (linear, nonlinear, stickmen, instruments, faces, animals), a metadata.csv, or a folder
    #[arg(value_name = "DATA")]
    pub data: String,
    /// Folder for models, records and report
    #[arg(long, value_name = "RUN")]
    pub out: PathBuf,
    /// Replace a run that --out already holds
    #[arg(long, conflicts_with = "resume")]
    pub overwrite: bool,
    /// Resume the run in --out: finished runs are kept, an interrupted run continues from its last checkpoint
    #[arg(long)]
    pub resume: bool,
    /// Seconds between checkpoints; 0 keeps one after every batch
    #[arg(long, value_name = "S", default_value_t = CHECKPOINT_EVERY)]
    pub checkpoint_every: f64,
    /// Read settings from a TOML file; flags on the command line override it. The config.toml of train, compare and sweep is
    /// such a file
    #[arg(long, value_name = "F.toml")]
    pub config: Option<PathBuf>,
    #[command(flatten)]
    pub show: Show,
    #[command(flatten)]
    pub reader: ReaderFlags,
    /// Threads to use [default: all]. The results do not depend on it
    #[arg(long, value_name = "N")]
    pub threads: Option<usize>,
    #[command(flatten)]
    pub settings: Settings,
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use super::*;

    /// What holds where nothing is typed is told by the value that decides it.
    #[test]
    fn help_tells_the_defaults() {
        let program = Program::command();
        let help = |command: &str, flag: &str| {
            let command = program.find_subcommand(command).unwrap();
            let flag = command.get_arguments().find(|argument| argument.get_long() == Some(flag)).unwrap();
            flag.get_help().unwrap().to_string()
        };
        for (command, flag, usual) in [
            ("train", "label-column", "y or label"),
            ("train", "filename-column", "filename, img_filename or file_name"),
            ("train", "group-column", "group_id"),
            ("train", "model", "cnn for images, linear for features"),
            ("train", "runs", "3 for compare, else 1"),
            ("train", "clip-norm", "none"),
            ("train", "ridge", "0.001"),
            ("train", "decode-memory", "400"),
            ("sweep", "penalty-weights", "0.01 to 3, and larger ones until the criterion has turned"),
            ("sweep", "folds", "1 with enough rows and groups, else 5, or 3 for images"),
            ("import", "label", "Eyeglasses"),
        ] {
            let help = help(command, flag);
            assert!(help.ends_with(&format!(" [default: {usual}]")), "{flag}: {help}");
            assert_eq!(help.matches("[default").count(), 1, "{flag}: {help}");
        }
    }
}
