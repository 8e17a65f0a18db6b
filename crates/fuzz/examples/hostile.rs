//! Writes the hostile files and prints a command for each, to see how much memory a program takes:
//! `cargo run --release --workspace --example hostile -- DIR`.

use std::path::PathBuf;

use corevar_fuzz::{HostileKind, write_hostile};

fn main() -> std::io::Result<()> {
    let folder = PathBuf::from(std::env::args_os().nth(1).unwrap_or_else(|| "hostile".into()));
    std::fs::create_dir_all(&folder)?;
    for hostile in write_hostile(&folder)? {
        println!("{}", hostile.arguments());
        assert!(hostile.kind == HostileKind::Digits || folder.join(hostile.name).exists());
    }
    Ok(())
}
