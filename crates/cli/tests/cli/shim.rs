//! The program on a disk that behaves as disks sometimes do: a small library, loaded before the C library, stands between the two.
//!
//! The tests compile it with `cc`, and skip themselves where there is none.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::Command;

use tempfile::TempDir;

/// The library, in a folder of its own.
pub struct Shim(TempDir);

impl Shim {
    /// None without a C compiler.
    pub fn new() -> Option<Self> {
        let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cli/shim/disk.c");
        let shim = Self(tempfile::tempdir().unwrap());
        let made = Command::new("cc")
            .args(["-shared", "-fPIC", "-O1", "-o"])
            .arg(shim.library())
            .arg(source)
            .arg("-ldl")
            .status();
        made.is_ok_and(|status| status.success()).then_some(shim)
    }

    fn library(&self) -> PathBuf {
        self.0.path().join("disk.so")
    }

    /// A file beside the library, for what it has to tell.
    pub fn file(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    /// The program in a folder, on such a disk. What the variables mean stands in `shim/disk.c`.
    pub fn command(
        &self,
        folder: &Path,
        arguments: &str,
        variables: &[(&str, &dyn AsRef<OsStr>)],
    ) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_corevar"));
        command
            .current_dir(folder)
            .args(arguments.split_whitespace())
            .env("LD_PRELOAD", self.library())
            .env("COREVAR_SHIM_UNDER", folder.canonicalize().unwrap());
        for (name, value) in variables {
            command.env(format!("COREVAR_SHIM_{name}"), value.as_ref());
        }
        command
    }
}
