//! `corevar export`: a trained model for other programs.

use corevar::study::pick_models;
use corevar_onnx::export::{Export, Images, Layout, Pixels};

use crate::args::{self, LayoutArg, PixelsArg};
use crate::output;

pub fn run(args: &args::Export) -> anyhow::Result<()> {
    for found in pick_models(&args.model, &args.pick.pick())? {
        let mut export = Export::new(&found.model).setting(&found.setting).overwrite(args.overwrite);
        if args.layout.is_some() || args.input.is_some() {
            export = export.images(images(args));
        }
        if let Some(path) = &args.onnx {
            let checked = export.onnx(path)?;
            let (path, rows, difference) = (path.display(), checked.rows, checked.difference);
            note(args, &format!("{path}: agrees with the model on {rows} drawn rows, to {difference:.0e}"));
        }
        if let Some(folder) = &args.safetensors {
            for path in export.pytorch(folder)? {
                note(args, &path.display().to_string());
            }
        }
    }
    Ok(())
}

fn note(args: &args::Export, line: &str) {
    if !args.quiet {
        output::note(line);
    }
}

fn images(args: &args::Export) -> Images {
    let layout = match args.layout {
        Some(LayoutArg::Nchw) => Layout::Nchw,
        Some(LayoutArg::Nhwc) | None => Layout::Nhwc,
    };
    let pixels = match args.input {
        Some(PixelsArg::F32) => Pixels::F32,
        Some(PixelsArg::U8) | None => Pixels::U8,
    };
    Images { layout, pixels }
}
