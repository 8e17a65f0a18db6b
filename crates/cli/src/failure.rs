//! How a failure is told: the error, its causes, and one tip. Exit code 1, or 2 for wrong usage, or 3 for a limit that is broken.

use std::fmt;
use std::process::ExitCode;

use corevar::check::CheckError;
use corevar::model::ModelError;
use corevar::study::RunFolderError;
use corevar::train::TrainError;
use corevar::{ConfigError, PredictError, StudyError};
use corevar_data::{DataError, Tip};
use corevar_onnx::EncoderError;
use corevar_onnx::export::ExportError;
use corevar_paper::{ExperimentError, ReproduceError};
use corevar_report::ReportError;

use crate::interrupt::INTERRUPTED;
use crate::output;

/// Exit code of `check` where a limit is broken.
const BROKEN_LIMIT: u8 = 3;

/// Something in the way, and what to do about it: exit code 1.
#[derive(Debug)]
pub struct Failure {
    message: String,
    tip: Option<String>,
}

impl Failure {
    pub fn new(message: impl Into<String>) -> Self {
        Self { message: message.into(), tip: None }
    }

    pub fn tip(self, tip: impl Into<String>) -> Self {
        Self { tip: Some(tip.into()), ..self }
    }
}

/// The command line asks for something that makes no sense: exit code 2.
#[derive(Debug)]
pub struct Usage(Failure);

impl Usage {
    pub fn new(message: impl Into<String>) -> Self {
        Self(Failure::new(message))
    }

    pub fn tip(self, tip: impl Into<String>) -> Self {
        Self(self.0.tip(tip))
    }
}

/// All was done, and a limit of `check` is broken: exit code 3.
#[derive(Debug)]
pub struct BrokenLimit(pub String);

impl fmt::Display for BrokenLimit {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for BrokenLimit {}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl fmt::Display for Usage {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl std::error::Error for Failure {}
impl std::error::Error for Usage {}

/// Prints the error and its tip on stderr.
pub fn report(error: &anyhow::Error) -> ExitCode {
    let speech = Speech::of(error);
    if is_interruption(error) {
        let and = if speech == Speech::Keys { "" } else { " and --resume" };
        output::note(&format!("{error:#}; what is trained is kept"));
        output::message("tip", &format!("go on with the same command{and}"));
        return ExitCode::from(INTERRUPTED);
    }
    if error.is::<BrokenLimit>() {
        output::message("check failed", &message(error));
        return ExitCode::from(BROKEN_LIMIT);
    }
    output::message("error", &message(error));
    if let Some(tip) = error.chain().find_map(tip) {
        output::message("tip", &speech.say(&tip));
    }
    if is_usage(error) { ExitCode::from(2) } else { ExitCode::FAILURE }
}

/// A sentence of the libraries, with flags for fields.
pub fn in_flags(text: &str) -> String {
    Speech::Flags.say(text)
}

/// The error and its causes, with flags for fields.
pub fn message(error: &anyhow::Error) -> String {
    Speech::of(error).say(&format!("{error:#}"))
}

/// A value out of its range was typed, too.
fn is_usage(error: &anyhow::Error) -> bool {
    error.is::<Usage>()
        || error.is::<ConfigError>()
        || matches!(error.downcast_ref::<CheckError>(), Some(CheckError::Config(_)))
        || matches!(error.downcast_ref::<StudyError>(), Some(StudyError::Config(_)))
        || matches!(error.downcast_ref::<ExportError>(), Some(ExportError::NotImages { .. }))
        || matches!(error.downcast_ref::<EncoderError>(), Some(EncoderError::Settings { .. }))
}

pub fn is_interruption(error: &anyhow::Error) -> bool {
    error.downcast_ref::<StudyError>().is_some_and(StudyError::is_interruption)
        || error.downcast_ref::<ReproduceError>().is_some_and(ReproduceError::is_interruption)
}

/// What the libraries call a field is a flag here, or a key of an experiment's file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Speech {
    Flags,
    /// Of `reproduce`, whose settings stand in files, and which goes on by itself when it is repeated.
    Keys,
}

/// Flags that are not called as their field is.
const FLAGS: [(&str, &str); 9] = [
    ("TableOptions::channels", "--colour"),
    ("Augmentation::recipe", "--augment"),
    ("Augmentation::rows", "--augment-rows"),
    ("Augmentation::label", "--augment-label"),
    ("KeepIn::folder", "--out"),
    ("Start::Resume", "--resume"),
    ("Start::Overwrite", "--overwrite"),
    ("OriginalFiles::originals", "--data"),
    ("OriginalFiles::features", "--features-file"),
];

impl Speech {
    fn of(error: &anyhow::Error) -> Self {
        let is_experiment = error.is::<ReproduceError>() || error.is::<ExperimentError>();
        if is_experiment { Self::Keys } else { Self::Flags }
    }

    /// "set the field `runs` to 3" becomes "pass --runs 3", "`KeepIn::folder`" becomes "--out".
    fn say(self, text: &str) -> String {
        // Outside and inside backquotes, in turns.
        let mut parts = text.split('`');
        let mut said = parts.next().unwrap_or_default().to_string();
        while let Some(quoted) = parts.next() {
            let mut rest = parts.next().unwrap_or_default();
            let before = said.strip_suffix("the field ").map(str::len);
            let Some(name) = self.name(quoted, before.is_some()) else {
                said += &format!("`{quoted}`{rest}");
                continue;
            };
            said.truncate(before.unwrap_or(said.len()));
            if let Some(length) = said.strip_suffix("set ").map(str::len).filter(|_| self == Self::Flags) {
                said.truncate(length);
                said += "pass ";
                rest = rest.strip_prefix(" to").unwrap_or(rest);
            }
            said += &name;
            said += rest;
        }
        said
    }

    fn name(self, quoted: &str, is_field: bool) -> Option<String> {
        let flag = FLAGS.iter().find(|(field, _)| *field == quoted).map(|(_, flag)| flag.to_string());
        let plain = is_field.then(|| quoted.replace('_', "-"));
        match self {
            Self::Keys if quoted == "Start::Resume" => Some("the same command".into()),
            Self::Keys => flag.or(plain.map(|key| format!("`{key}`"))),
            Self::Flags => flag.or(plain.map(|name| format!("--{name}"))),
        }
    }
}

fn tip(error: &(dyn std::error::Error + 'static)) -> Option<String> {
    macro_rules! tip_of {
        ($($kind:ty),+ $(,)?) => {
            $( if let Some(error) = error.downcast_ref::<$kind>() { return error.tip(); } )+
        };
    }
    if let Some(Usage(failure)) = error.downcast_ref() {
        return failure.tip.clone();
    }
    if let Some(failure) = error.downcast_ref::<Failure>() {
        return failure.tip.clone();
    }
    tip_of!(
        CheckError,
        DataError,
        ConfigError,
        TrainError,
        ModelError,
        RunFolderError,
        StudyError,
        ExperimentError,
        ReproduceError,
        ReportError,
        PredictError,
        ExportError,
        EncoderError,
    );
    None
}

#[cfg(test)]
mod tests {
    use super::Speech::{Flags, Keys};

    #[test]
    fn fields_become_flags_or_keys() {
        let tip = "set the field `image_size` to 64x48, or set the field `TableOptions::channels` to grey";
        assert_eq!(Flags.say(tip), "pass --image-size 64x48, or pass --colour grey");
        let tip =
            "lower the field `learning_rate`, set the field `clip_norm` to 1; `Start::Resume` goes on in `x`";
        assert_eq!(Flags.say(tip), "lower --learning-rate, pass --clip-norm 1; --resume goes on in `x`");
        assert_eq!(
            Keys.say(tip),
            "lower `learning-rate`, set `clip-norm` to 1; the same command goes on in `x`"
        );
    }

    #[test]
    fn words_of_the_user_stay_as_they_are() {
        for text in ["", "no column `the field`", "a lone ` in a name", "the field of `y`"] {
            assert_eq!(Flags.say(text).replace('`', ""), text.replace('`', ""));
        }
        assert_eq!(Flags.say("no column `y`; did you mean `label`?"), "no column `y`; did you mean `label`?");
    }
}
