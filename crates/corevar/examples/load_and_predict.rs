//! A model from its file: `cargo run --release --workspace --example load_and_predict model.safetensors`, after train_and_predict.

use corevar::{Dataset, Model};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let model = Model::load(std::env::args().nth(1).ok_or("give the path of a model")?)?;
    println!(
        "{:?}",
        model.predict(&Dataset::features(["height", "movement"], vec![0.5, -2.0]).check()?)?.labels()
    );
    Ok(())
}
