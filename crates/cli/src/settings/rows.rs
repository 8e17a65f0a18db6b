//! Every setting in one row: help text, name, type, how it is typed, where it has no effect, and where its value goes. To add
//! a setting, add a row. Those of the choice of a weight are in [`super::choice`].

use std::path::PathBuf;

use corevar::batches::BatchMode;
use corevar::linear::StyleRank;
use corevar::model::{ModelKind, ModelSpec};
use corevar::penalty::{Given, Normalise, Penalty};
use corevar::train::TrainConfig;
use corevar_data::images::Crop;
use corevar_data::table::{self, TableOptions, Task};
use corevar_data::{Layout, Mode, Pooling, Transform};
use corevar_onnx::encoder::Preset;

use super::choice::ChoiceFlags;
use super::group::{Decided, settings};
use super::situation::{DataSituation, Idle, Situation, usual_model};
use super::{RUNS, RUNS_OF_COMPARE};
use crate::data::DATA_SEED;
use crate::values::{Colour, DecayFlag, ImageSize, MissingFlag, Weight, any_of, by_name, shown};

/// TOML knows signed numbers only, and every setting can stand in config.toml.
fn seed() -> clap::builder::RangedU64ValueParser {
    clap::value_parser!(u64).range(..=i64::MAX as u64)
}

/// For settings that always have an effect.
fn never(_: &Situation) -> Idle {
    None
}

const EXACT: &str = "a linear model is solved exactly, not by epochs";

fn exact(situation: &Situation) -> Idle {
    situation.is_linear().then(|| EXACT.into())
}

fn no_penalty(situation: &Situation, why: &str) -> Idle {
    (situation.penalty == Penalty::NONE).then(|| why.into())
}

fn not_model(situation: &Situation, wanted: ModelKind, why: &str) -> Idle {
    (situation.model != wanted).then(|| why.into())
}

fn no_augment(situation: &Situation) -> Idle {
    situation.settings.augment.augment.is_none().then(|| "there is no --augment".into())
}

fn built_in(situation: &DataSituation) -> Idle {
    situation.built_in.then(|| format!("`{}` is built in, not a table", situation.data))
}

fn not_built_in(situation: &DataSituation) -> Idle {
    (!situation.built_in).then(|| format!("`{}` is not built in, its rows are fixed", situation.data))
}

fn cnn<T>(decided: &Decided, get: impl Fn(&corevar::model::CnnSpec) -> T) -> Option<T> {
    match &decided.config.model {
        ModelSpec::Cnn(cnn) => Some(get(cnn)),
        _ => None,
    }
}

fn set_cnn(config: &mut TrainConfig, set: impl FnOnce(&mut corevar::model::CnnSpec)) {
    if let ModelSpec::Cnn(cnn) = &mut config.model {
        set(cnn);
    }
}

settings! {
    /// Everything that decides the results. One set of names for flags, --config files and config.toml.
    Settings of Situation<'_>, with choice: ChoiceFlags, augment: AugmentFlags, encoder: EncoderFlags, table: TableFlags, sizes: SizeFlags;

    "Method" {
        /// What CoRe penalises
        penalty: Penalty [value_name = "NAME", help = format!("What CoRe penalises: {}", Penalty::NAMES.join(", "))]
            idle(|on| on.settings.choice.penalties.as_ref().map(|_| "--penalties has the list".into())),
            by(|config, penalty| config.penalty = penalty, |decided| decided.unless_swept(decided.config.penalty));

        /// Weight λ of the penalty, or auto: chosen on validation rows. With --model linear also inf: no prediction varies
        /// inside a group at all
        penalty_weight: Weight [visible_alias = "lambda", value_name = "W|auto", allow_negative_numbers = true]
            idle(|on| match on.sweeps() {
                true => Some("sweep takes a list, --penalty-weights".into()),
                false => no_penalty(on, "there is no penalty to weight"),
            }),
            by(|config, weight| if let Weight::Is(weight) = weight { config.penalty_weight = weight },
               |decided| Some(decided.choice.as_ref().map_or(Weight::Is(decided.config.penalty_weight), |_| Weight::AUTO)));

        /// Directions of style that --penalty-weight inf removes: all, the strongest such as 3, or those with a share of the
        /// variance inside groups such as 95%
        style_rank: StyleRank [value_name = "all|N|P%"]
            idle(|on| match on.is_linear() {
                true => (!on.has_infinite_weight()).then(|| "no penalty weight is inf".into()),
                false => Some("only a linear model takes the penalty weight inf".into()),
            }),
            config(style_rank);

        /// Mean over groups of two rows or more (grouped), over all groups (all), or over the groups of each batch, with all
        /// batches counting alike (batch)
        normalise: Normalise [value_name = "grouped|all|batch", value_parser = by_name::<Normalise>]
            idle(|on| no_penalty(on, "there is no penalty to normalise").or_else(|| {
                let one_group = on.penalty.variance().is_some_and(|variance| variance.given == Given::Nothing);
                one_group.then(|| "the overall variance has one group only".into())
            })),
            config(normalise);

        /// Epochs over which the penalty weight rises to its value
        penalty_warmup: f64 [value_name = "EPOCHS", allow_negative_numbers = true]
            idle(|on| exact(on).or_else(|| no_penalty(on, "there is no penalty to weight"))),
            config(penalty_warmup);

        /// Weight of half the squared weights (biases not counted)
        ridge: f64 [value_name = "W", allow_negative_numbers = true]
            idle(|on| on.settings.choice.ridges.as_ref().map(|_| "--ridges has the list".into())),
            by(|config, ridge| config.ridge = ridge, |decided| decided.unless_swept(decided.config.ridge));
    }

    "Model" {
        /// linear (solved exactly), mlp or cnn
        model: ModelKind [value_name = "KIND", value_parser = by_name::<ModelKind>]
            idle(never),
            by(|config, kind: ModelKind| config.model = kind.spec(), |decided| Some(decided.config.model.kind())),
            usually(format!("{} for images, {} for features", shown(&usual_model(true)), shown(&usual_model(false))));

        /// Give every feature mean 0 and variance 1 first, so that the ridge treats them alike
        standardise: bool [num_args = 0..=1, default_missing_value = "true", require_equals = true]
            idle(|on| on.are_images.then(|| "only features are standardised, not images".into())),
            config(standardise);

        /// Widths of the hidden layers of an mlp
        hidden: Vec<usize> [value_name = "N,N,..", value_delimiter = ',']
            idle(|on| not_model(on, ModelKind::Mlp, "only --model mlp has hidden layers")),
            by(|config, widths: Vec<usize>| if let ModelSpec::Mlp { hidden } = &mut config.model { *hidden = widths },
               |decided| match &decided.config.model {
                   ModelSpec::Mlp { hidden } => Some(hidden.clone()),
                   _ => None,
               });

        /// Channels of the convolutions of a cnn
        channels: Vec<usize> [value_name = "N,N,..", value_delimiter = ',']
            idle(|on| not_model(on, ModelKind::Cnn, "only --model cnn has channels")),
            by(|config, channels: Vec<usize>| set_cnn(config, |cnn| cnn.channels = channels),
               |decided| cnn(decided, |cnn| cnn.channels.clone()));

        /// Side of the kernels of a cnn, in pixels
        kernel: usize [value_name = "N"]
            idle(|on| not_model(on, ModelKind::Cnn, "only --model cnn has kernels")),
            by(|config, kernel| set_cnn(config, |cnn| cnn.kernel = kernel), |decided| cnn(decided, |cnn| cnn.kernel));

        /// Step of the kernels of a cnn, in pixels
        stride: usize [value_name = "N"]
            idle(|on| not_model(on, ModelKind::Cnn, "only --model cnn has kernels")),
            by(|config, stride| set_cnn(config, |cnn| cnn.stride = stride), |decided| cnn(decided, |cnn| cnn.stride));

        /// Slope of the cnn's activation below zero; 0 is ReLU
        negative_slope: f64 [value_name = "S", allow_negative_numbers = true]
            idle(|on| not_model(on, ModelKind::Cnn, "only --model cnn has this activation")),
            by(|config, slope: f64| set_cnn(config, |cnn| cnn.negative_slope = slope as f32),
               // The shortest decimal that is this f32, not its f64 expansion.
               |decided| cnn(decided, |cnn| cnn.negative_slope.to_string().parse().unwrap_or(0.0)));
    }

    "Training" {
        /// Passes over the training rows
        epochs: usize [value_name = "N"] idle(exact), config(epochs);

        /// Batch size (rows per optimiser step)
        batch_size: usize [value_name = "N"] idle(exact), config(batch_size);

        /// Groups at equal distances (spread), or shuffled with the single rows (shuffled)
        batches: BatchMode [value_name = "spread|shuffled", value_parser = by_name::<BatchMode>]
            idle(exact), config(batches);

        /// Step size of Adam at the start
        learning_rate: f64 [value_name = "R", allow_negative_numbers = true] idle(exact), config(learning_rate);

        /// How the learning rate falls: cosine, constant, or a factor per epoch such as 0.95
        decay: DecayFlag [value_name = "HOW"]
            idle(exact), by(|config, decay: DecayFlag| config.decay = decay.0, |decided| Some(DecayFlag(decided.config.decay)));

        /// Largest norm of the whole gradient; a longer one is scaled down
        clip_norm: f64 [value_name = "N", allow_negative_numbers = true]
            idle(exact), by(|config, norm| config.clip_norm = Some(norm), |decided| decided.config.clip_norm),
            usually(TrainConfig::default().clip_norm.map_or("none".into(), |norm| norm.to_string()));

        /// Training runs of each estimator, with seeds S, S+1, ..
        runs: usize [value_name = "N"]
            idle(|on| on.is_linear().then(|| "a linear model is solved exactly: every run is the same".into())),
            by(|_, _: usize| {}, |decided| Some(decided.runs)),
            usually(format!("{RUNS_OF_COMPARE} for compare, else {RUNS}"));

        /// Decides the weights at the start and the order of the rows
        seed: u64 [value_name = "S", value_parser = seed()]
            idle(|on| on.is_linear().then(|| "a linear model is solved exactly: nothing is random".into())),
            config(seed);
    }
}

settings! {
    /// Copies of training pictures, changed and grouped with their originals.
    AugmentFlags of Situation<'_>;

    "Augmentation" {
        /// Add changed copies of training pictures, grouped with their originals, such as 'rotate=U(35,70)'
        augment: String [value_name = "RECIPE"] idle(never), typed;

        /// How many get a copy: a number such as 200, or a share such as 0.1 [default: all]
        augment_rows: String [value_name = "N|SHARE"] idle(no_augment), typed;

        /// Only pictures of this class get one
        augment_label: String [value_name = "CLASS"] idle(no_augment), typed;

        /// The same copies in every epoch (fixed), or drawn anew (fresh)
        augment_mode: Mode [value_name = "fixed|fresh", value_parser = by_name::<Mode>]
            idle(|on| no_augment(on).or_else(|| {
                let fresh = on.settings.augment.augment_mode == Some(Mode::Fresh);
                exact(on).filter(|_| fresh)
            })),
            typed(Mode::default());
    }
}

/// Of a setting that says how an encoder is used.
fn no_encoder(flags: &EncoderFlags) -> Idle {
    flags.encoder.is_none().then(|| "there is no --encoder".into())
}

settings! {
    /// A network that makes features of images before anything is trained on them.
    EncoderFlags of EncoderFlags;

    "Encoder" {
        /// ONNX network that turns images into features; the model on top is linear unless --model says otherwise
        encoder: PathBuf [value_name = "F.onnx"] idle(|_| None), typed;

        /// Tensor of the encoder that becomes the features [default: its output]
        encoder_layer: String [value_name = "NAME"] idle(no_encoder), typed;

        /// How the encoder wants pixels: imagenet, clip, minus-one-to-one, none (0 to 1), bytes (0 to 255) or caffe [default: as
        /// the file or a preprocessor_config.json beside it says, else imagenet]
        encoder_preset: Preset [value_name = "NAME", value_parser = by_name::<Preset>] idle(no_encoder), typed;

        /// Size of the images that the encoder takes [default: that of its input]
        encoder_size: ImageSize [value_name = "HxW"] idle(no_encoder), typed;

        /// Which part of an image is resized for the encoder [default: center]
        encoder_crop: Crop [value_name = "none|center", value_parser = by_name::<Crop>] idle(no_encoder), typed;

        /// Order of the axes of its input [default: by its shape]
        encoder_layout: Layout [value_name = "nchw|nhwc", value_parser = by_name::<Layout>] idle(no_encoder), typed;

        /// How tokens become one row: their mean, or the first, which is the class token [default: mean]
        encoder_pool: Pooling [value_name = "mean|first", value_parser = by_name::<Pooling>] idle(no_encoder), typed;
    }
}

settings! {
    /// How a table or a folder is read. Built-in data take none of these.
    TableFlags of DataSituation;

    "Your data" {
        /// classification or regression
        task: Task [value_name = "KIND", value_parser = by_name::<Task>] idle(built_in), typed(Task::default());

        /// Column of the label
        label_column: String [value_name = "NAME"] idle(built_in), typed, usually(any_of(&table::LABEL_COLUMNS));

        /// Column of the id that says "the same object"
        group_column: String [value_name = "NAME"] idle(built_in), typed, usually(any_of(&table::ID_COLUMNS));

        /// Column of the split: train, val, test or any other name
        split_column: String [value_name = "NAME"] idle(built_in), typed, usually(any_of(&table::SPLIT_COLUMNS));

        /// Column of the image files
        filename_column: String [value_name = "NAME"] idle(built_in), typed, usually(any_of(&table::FILE_COLUMNS));

        /// Feature columns, such as 'x*' or 'age,bmi'
        features: String [value_name = "GLOB"] idle(built_in), typed;

        /// A .npy matrix with one row per row of the table
        features_file: PathBuf [value_name = "F.npy"] idle(built_in), typed;

        /// Missing numbers among the features: leave their rows out (drop), or fill them with the medians of the training rows,
        /// which the model keeps (median) [default: an error that counts them]
        missing: MissingFlag [value_name = "drop|median", value_parser = by_name::<MissingFlag>] idle(built_in), typed;

        /// Change the features of each row first, in this order: log (keeps signs), snv (mean 0, SD 1), derivative=W (slope over W
        /// neighbours, by Savitzky and Golay). The model keeps it
        transform: Transform [value_name = "log|snv|derivative=W,.."] idle(|_| None), typed;

        /// Resize images to HEIGHTxWIDTH, such as 64x48
        image_size: ImageSize [value_name = "HxW"] idle(built_in), typed;

        /// Which part of an image is resized: none (all of it, stretched) or center
        crop: Crop [value_name = "none|center", value_parser = by_name::<Crop>]
            idle(built_in), typed(TableOptions::default().crop);

        /// Read images as grey or rgb [default: grey if all are]
        colour: Colour [value_name = "grey|rgb", value_parser = by_name::<Colour>] idle(built_in), typed;

        /// Leave out rows whose image cannot be read, and count them
        skip_unreadable: bool [num_args = 0..=1, default_missing_value = "true", require_equals = true]
            idle(built_in), typed;

        /// Decides the split by id that is made when the data have none
        split_seed: u64 [value_name = "S", value_parser = seed()] idle(built_in), typed(TableOptions::default().seed);

        /// Group rows of a regression by id and by this many bins of the label (quantiles of the training rows); 1: by id alone
        label_bins: usize [value_name = "N"]
            idle(|on| built_in(on).or_else(|| (!on.is_regression).then(|| "only --task regression has bins".into()))),
            config(label_bins);
    }
}

settings! {
    /// How large built-in data are.
    SizeFlags of DataSituation;

    "Built-in data" {
        /// Training rows of built-in data
        rows: usize [value_name = "N"] idle(not_built_in), typed;

        /// Pairs of rows with the same id among them
        groups: usize [value_name = "N"] idle(not_built_in), typed;

        /// Rows of each test split
        test_rows: usize [value_name = "N"] idle(not_built_in), typed;

        /// Decides what is drawn
        data_seed: u64 [value_name = "S", value_parser = seed()] idle(not_built_in), typed(DATA_SEED);
    }
}
