//! From numbers in memory to predictions: `cargo run --release --workspace --example train_and_predict`.

use corevar::{Core, Dataset};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    // Two features of each row. Objects 0 to 39 were measured twice; between the two only the second feature, style, changed.
    let object = |row: usize| if row < 80 { row / 2 } else { row - 40 };
    let side = |row: usize| if object(row) % 2 == 0 { 1.0 } else { -1.0 };
    let core = |row: usize| side(row) * (0.2 + (object(row) % 7) as f32 / 10.0);
    let style = |row: usize| side(row) * (1.0 + (row * 31 % 17) as f32 / 10.0);
    let values = (0..400).flat_map(|row| [core(row), style(row)]).collect();
    let labels: Vec<&str> = (0..400).map(|row| if side(row) > 0.0 { "adult" } else { "child" }).collect();
    let ids = (0..400).map(|row| (row < 80).then_some(object(row)));
    let data = Dataset::features(["height", "movement"], values).classes(&labels).ids(ids).check()?;

    // An adult who moves like a child.
    let new_rows = Dataset::features(["height", "movement"], vec![0.5, -2.0]).check()?;
    for (name, estimator) in [("pooled", Core::pooled()), ("CoRe", Core::new().penalty_weight(100.0))] {
        let model = estimator.fit(&data)?;
        println!("{name}: {}", model.predict(&new_rows)?.labels()[0]);
        model.save(std::env::temp_dir().join("model.safetensors"))?;
    }
    Ok(())
}
