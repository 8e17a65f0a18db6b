//! `corevar demo`: stickmen, small enough for a minute.

use super::run::Prepared;
use crate::args::{Common, Demo, ReaderFlags};
use crate::settings::{Choosing, RUNS, Settings, SizeFlags};
use crate::{output, table};

pub fn run(args: Demo) -> anyhow::Result<()> {
    let common = Common {
        data: "stickmen".into(),
        out: args.out,
        overwrite: true,
        resume: false,
        checkpoint_every: 20.0,
        config: None,
        show: args.show,
        reader: ReaderFlags::default(),
        threads: args.threads,
        settings: Settings::default(),
    };
    let prepared = Prepared::new(&common, &settings(), RUNS, Choosing::IfAsked, |_| Ok(()))?;
    if !args.show.quiet {
        INTRODUCTION.lines().chain([""]).for_each(output::note);
    }
    prepared.run(prepared.study(), |outcome| table::errors(&outcome.results))
}

const INTRODUCTION: &str = "\
Adult or child? Adults are taller. But in the training pictures children play and adults stand still:
a network learns the movement. In test2 adults move as well. A few persons were drawn twice, in two
movements; from these pairs CoRe learns to ignore movement.
";

fn settings() -> Settings {
    Settings {
        epochs: Some(12),
        sizes: SizeFlags { rows: Some(4000), groups: Some(200), test_rows: Some(1000), data_seed: None },
        ..Default::default()
    }
}
