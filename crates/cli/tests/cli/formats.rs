//! docs/formats.md: its Python reads models without this program, and says what `predict` says.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::support::*;

/// A Python with NumPy and safetensors; None says that there is none.
fn python() -> Option<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let has_packages = |python: &PathBuf| {
        let output = Command::new(python).args(["-c", "import numpy, safetensors.numpy"]).output();
        output.is_ok_and(|output| output.status.success())
    };
    let own = std::env::var_os("COREVAR_PYTHON").map(PathBuf::from);
    let found = own.into_iter().chain([root.join(".venv/bin/python"), "python3".into()]).find(has_packages);
    if found.is_none() {
        eprintln!("skipped: no Python with numpy and safetensors; COREVAR_PYTHON can name one");
    }
    found
}

/// All blocks of Python of the page, one after the other.
fn code() -> String {
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/formats.md");
    let page = fs::read_to_string(page).unwrap();
    let blocks: Vec<&str> =
        page.split("```python\n").skip(1).filter_map(|rest| rest.split("```").next()).collect();
    assert_eq!(blocks.len(), 2);
    blocks.concat()
}

/// The probabilities that a script prints, one row per line.
fn printed(python: &Path, folder: &Path, script: &str) -> Vec<Vec<f64>> {
    let output = Command::new(python).current_dir(folder).args(["-c", &(code() + script)]).output().unwrap();
    assert!(output.status.success(), "{}", text(&output.stderr));
    let row = |line: &str| line.split_whitespace().map(|number| number.parse().unwrap()).collect();
    text(&output.stdout).lines().map(row).collect()
}

/// Columns `p_..` of the answers.
fn answers(folder: &Path, data: &str) -> Vec<Vec<f64>> {
    let table = succeeds(folder, &format!("predict run {data} --quiet"));
    let (header, rows) = table.split_once('\n').unwrap();
    let is_probability: Vec<bool> = header.split(',').map(|name| name.starts_with("p_")).collect();
    let row = |line: &str| {
        let cells = line.split(',').zip(&is_probability).filter(|(_, wanted)| **wanted);
        cells.map(|(cell, _)| cell.parse().unwrap()).collect()
    };
    rows.lines().map(row).collect()
}

fn assert_close(a: &[Vec<f64>], b: &[Vec<f64>], tolerance: f64) {
    assert_eq!(a.len(), b.len());
    for (a, b) in a.iter().flatten().zip(b.iter().flatten()) {
        assert!((a - b).abs() < tolerance, "{a} and {b}");
    }
}

#[test]
fn ten_lines_of_python_read_a_linear_model() {
    let Some(python) = python() else { return };
    for classes in [2, 3] {
        let folder = folder();
        let number = |k: usize| ((k * 37) % 101) as f32 / 20.0 - 2.5;
        let rows: Vec<[f32; 2]> = (0..40).map(|row| [number(row), number(row + 50)]).collect();
        let line =
            |(row, [a, b]): (usize, &[f32; 2])| format!("{a},{b},k{},p{}\n", row / 2 % classes, row / 2);
        let table: String = rows.iter().enumerate().map(line).collect();
        fs::write(folder.path().join("metadata.csv"), format!("x1,x2,y,group_id\n{table}")).unwrap();
        succeeds(folder.path(), "train metadata.csv --out run --quiet");
        let script = "
x = np.loadtxt('metadata.csv', delimiter=',', skiprows=1, usecols=(0, 1))
print('\\n'.join(' '.join(map(repr, row)) for row in predict_linear('run/model.safetensors', x).tolist()))
";
        assert_close(&printed(&python, folder.path(), script), &answers(folder.path(), "metadata.csv"), 1e-6);
    }
}

#[test]
fn ten_lines_of_python_read_a_cnn() {
    let Some(python) = python() else { return };
    let folder = folder();
    let mut table = String::from("filename,y,group_id,split\n");
    for number in 0..6usize {
        let pixels: String =
            (0..9 * 7).map(|pixel| format!("{} ", (pixel * 13 + number * 71) % 256)).collect();
        // A text, for which Python needs no decoder.
        let picture = format!("P2\n7 9\n255\n{pixels}\n");
        fs::write(folder.path().join(format!("{number}.pgm")), picture).unwrap();
        table += &format!("{number}.pgm,{},p{},train\n", ["a", "b"][number / 2 % 2], number / 2);
    }
    fs::write(folder.path().join("metadata.csv"), table).unwrap();
    succeeds(folder.path(), "train metadata.csv --channels 3,4 --epochs 2 --out run --cache off --quiet");
    let script = "
images = np.stack([np.array(open(f'{i}.pgm').read().split()[4:], 'u1').reshape(9, 7, 1) for i in range(6)])
print('\\n'.join(' '.join(map(repr, row)) for row in predict_cnn('run/model.safetensors', images).tolist()))
";
    assert_close(&printed(&python, folder.path(), script), &answers(folder.path(), "metadata.csv"), 1e-5);
}
