//! What the evidence was made with, and when.

use std::time::{Instant, SystemTime};

use serde::{Deserialize, Serialize};

use crate::calendar;

/// Pinned in the workspace: see there.
const BURN: &str = "0.22.1";

/// Versions that numbers may depend on.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Versions {
    /// Of this library.
    pub corevar: String,
    /// Of the engine.
    pub burn: String,
    /// Processor, system and vector instructions: `x86_64-linux avx2`.
    pub target: String,
}

impl Versions {
    /// Of this program.
    pub fn here() -> Self {
        Self {
            corevar: env!("CARGO_PKG_VERSION").into(),
            burn: BURN.into(),
            target: format!("{}-{} {}", std::env::consts::ARCH, std::env::consts::OS, vectors()),
        }
    }
}

impl std::fmt::Display for Versions {
    fn fmt(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
        write!(f, "corevar {} on {}", self.corevar, self.target)
    }
}

/// The widest vector instructions that kernels choose by at run time: sums may differ in their last digits with them.
#[cfg(target_arch = "x86_64")]
fn vectors() -> &'static str {
    match () {
        () if std::arch::is_x86_feature_detected!("avx512f") => "avx512",
        () if std::arch::is_x86_feature_detected!("avx2") && std::arch::is_x86_feature_detected!("fma") => {
            "avx2"
        }
        () => "sse2",
    }
}

#[cfg(not(target_arch = "x86_64"))]
fn vectors() -> &'static str {
    "usual"
}

/// When the evidence was gathered, and how long that took.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Times {
    /// In UTC: `2024-02-29T23:59:59Z`.
    pub gathered: String,
    /// On the clock.
    pub seconds: f64,
}

impl Times {
    /// Now, from `start` on.
    pub fn since(start: Instant) -> Self {
        Self { gathered: calendar::date_time(SystemTime::now()), seconds: start.elapsed().as_secs_f64() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_engine_is_the_pinned_one() {
        let workspace = concat!(env!("CARGO_MANIFEST_DIR"), "/../../Cargo.toml");
        let text = std::fs::read_to_string(workspace).unwrap();
        assert!(text.contains(&format!("burn = {{ version = \"={BURN}\"")), "BURN is not {BURN}");
    }
}
