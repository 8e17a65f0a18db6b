//! How a failure is told: the error, its causes, and one tip. Exit code 1, or 2 for wrong usage.

use std::fmt;
use std::process::ExitCode;

use corevar::compare::CompareError;
use corevar::experiment::ExperimentError;
use corevar::model_file::ModelFileError;
use corevar::run_folder::RunFolderError;
use corevar::select::SelectError;
use corevar::train::TrainError;
use corevar_data::DataError;
use corevar_report::ReportError;

use crate::interrupt::INTERRUPTED;

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

/// What was being done, in a command that goes on by itself when it is repeated.
#[derive(Debug)]
pub struct Restarts(pub String);

impl fmt::Display for Restarts {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// Prints the error and its tip on stderr.
pub fn report(error: &anyhow::Error) -> ExitCode {
    let restarts = error.is::<Restarts>();
    if is_interruption(error) {
        let and = if restarts { "" } else { " and --resume" };
        eprintln!("{error:#}: its state is kept\ntip: go on with the same command{and}");
        return ExitCode::from(INTERRUPTED);
    }
    eprintln!("error: {error:#}");
    if let Some(tip) = error.chain().find_map(tip) {
        // A command that goes on by itself has no such flag.
        let tip = if restarts { tip.replace("--resume", "the same command") } else { tip };
        eprintln!("tip: {tip}");
    }
    match error.downcast_ref::<Usage>() {
        Some(_) => ExitCode::from(2),
        None => ExitCode::FAILURE,
    }
}

pub fn is_interruption(error: &anyhow::Error) -> bool {
    let cause = error.downcast_ref::<CompareError>();
    matches!(cause, Some(CompareError::Train { cause, .. }) if matches!(**cause, TrainError::Interrupted { .. }))
}

fn tip(error: &(dyn std::error::Error + 'static)) -> Option<String> {
    if let Some(usage) = error.downcast_ref::<Usage>() {
        usage.0.tip.clone()
    } else if let Some(failure) = error.downcast_ref::<Failure>() {
        failure.tip.clone()
    } else if let Some(error) = error.downcast_ref::<DataError>() {
        error.tip()
    } else if let Some(error) = error.downcast_ref::<RunFolderError>() {
        error.tip()
    } else if let Some(error) = error.downcast_ref::<ReportError>() {
        error.tip().map(String::from)
    } else if let Some(error) = error.downcast_ref::<TrainError>() {
        error.tip()
    } else if let Some(error) = error.downcast_ref::<ModelFileError>() {
        error.tip()
    } else if let Some(error) = error.downcast_ref::<SelectError>() {
        error.tip()
    } else if let Some(error) = error.downcast_ref::<ExperimentError>() {
        error.tip()
    } else if let Some(error) = error.downcast_ref::<CompareError>() {
        error.tip()
    } else {
        None
    }
}
