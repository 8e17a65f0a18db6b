//! `corevar encode`: features of images as a NumPy matrix, for other tools.

use corevar_data::table::Purpose;
use corevar_data::{TableOptions, check_place, save_features};

use super::run::in_pool;
use crate::args::Encode;
use crate::data::{Reading, Source, load};
use crate::encoding::encode;
use crate::failure::Usage;
use crate::output;

pub fn run(args: &Encode) -> anyhow::Result<()> {
    let Some(encoder) = args.encoder.load(&args.table)? else {
        return Err(Usage::new("--encoder is missing")
            .tip("name an ONNX network, such as --encoder net.onnx")
            .into());
    };
    // Before hours of work.
    check_place(&args.out)?;
    let options = TableOptions { purpose: Purpose::Predict, ..Default::default() };
    let (flags, quiet) = (args.reader.clone(), args.quiet);
    let reading = Reading { options, flags, encoder: Some(encoder.clone()), quiet };
    in_pool(args.threads, || {
        let loaded = load(&Source::new(&args.data), &args.table, &args.sizes, &reading)?;
        let files = loaded.report.as_ref().map(|report| report.files_by_name()).unwrap_or_default();
        let dataset = encode(loaded.dataset, Some(&encoder), &args.reader.cache(), quiet)?;
        let table = save_features(&dataset, &files, &args.out)?;
        if !quiet {
            let (rows, width) = (dataset.len(), dataset.inputs().width());
            output::note(&format!("{}: {rows} rows of {width} features", args.out.display()));
            output::note(&format!(
                "next: corevar train {} --features-file {} --out RUN",
                table.display(),
                args.out.display()
            ));
        }
        Ok(())
    })
}
