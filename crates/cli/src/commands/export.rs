//! `corevar export`: a trained model for other programs.

use std::sync::Arc;

use corevar::Model;
use corevar::study::pick_models;
use corevar_onnx::Encoder;
use corevar_onnx::export::{Export, Images, Layout, Pixels};

use crate::args::{self, LayoutArg, PixelsArg};
use crate::encoding::of_model;
use crate::output;
use crate::settings::no_effect;

pub fn run(args: &args::Export) -> anyhow::Result<()> {
    for found in pick_models(&args.model, &args.pick.pick())? {
        let encoder = encoder(args, &found.model)?;
        let mut export = Export::new(&found.model).setting(&found.setting).overwrite(args.overwrite);
        if let Some(encoder) = &encoder {
            export = export.encoder(encoder);
        }
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

/// The encoder that goes into the file. Without one, the file of a model that needs one takes features.
fn encoder(args: &args::Export, model: &Model) -> anyhow::Result<Option<Arc<Encoder>>> {
    match (&args.encoder, &model.preparation().encoding) {
        (Some(_), None) => Err(no_effect("encoder", "the model was not trained with an encoder").into()),
        (Some(_), Some(_)) if args.onnx.is_none() => {
            Err(no_effect("encoder", "only --onnx takes it in").into())
        }
        (Some(path), Some(_)) => of_model(model, Some(path)),
        (None, Some(encoding)) => {
            let words = "the file takes features of the encoder";
            note(args, &format!("{words} `{0}`; --encoder {0} puts it into the ONNX file", encoding.name));
            Ok(None)
        }
        (None, None) => Ok(None),
    }
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
