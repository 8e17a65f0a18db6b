//! Names of the files and folders in the folder of a run.

/// All settings of the run.
pub const CONFIG: &str = "config.toml";
/// The numbers: [`crate::results::Results`].
pub const RESULTS: &str = "results.json";
/// What the report draws: [`crate::evidence::Evidence`].
pub const EVIDENCE: &str = "evidence.json";
/// One line per epoch of each run: [`crate::results::EpochLine`].
pub const METRICS: &str = "metrics.jsonl";
/// The page.
pub const REPORT: &str = "report.html";
/// The card of the model that the run stands for.
pub const CARD: &str = "MODEL_CARD.md";
/// Fingerprint of the data that the run began with, and what began it.
pub(crate) const DATA: &str = "data.txt";
/// The model of a run that has just one.
pub const MODEL: &str = "model.safetensors";
/// Folder of the models of a run that has several.
pub const MODELS: &str = "models";
/// Folder with one record per finished training run.
pub const RUNS: &str = "runs";
/// Folder of the path that the penalty weight was chosen from: a run of its own.
pub const SELECTION: &str = "selection";
/// Folders of the folds that a penalty weight was chosen over, with their number at the end: runs of their own, in `selection`.
pub(crate) const FOLD: &str = "fold-";
/// Folder of what a run that was stopped goes on from; gone when all is done.
pub const STATES: &str = "states";

/// All of them: what `overwrite` may remove, in that order. By its settings a folder is known to be a run.
pub(super) const ALL: [&str; 12] =
    [RESULTS, EVIDENCE, METRICS, MODEL, MODELS, RUNS, SELECTION, STATES, DATA, REPORT, CARD, CONFIG];
