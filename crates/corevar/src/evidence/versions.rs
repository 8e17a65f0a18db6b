//! What the evidence was made with, and when.

use std::time::{Instant, SystemTime, UNIX_EPOCH};

use serde::{Deserialize, Serialize};

/// Pinned in the workspace: see there.
const BURN: &str = "0.22.1";

/// Versions that numbers may depend on.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Versions {
    /// Of this library.
    pub corevar: String,
    /// Of the engine.
    pub burn: String,
    /// Processor and system: `x86_64-linux`.
    pub target: String,
}

impl Versions {
    /// Of this program.
    pub fn here() -> Self {
        Self {
            corevar: env!("CARGO_PKG_VERSION").into(),
            burn: BURN.into(),
            target: format!("{}-{}", std::env::consts::ARCH, std::env::consts::OS),
        }
    }
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
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        Self { gathered: utc(now.as_secs()), seconds: start.elapsed().as_secs_f64() }
    }
}

/// Date and time of seconds since 1970, with years that begin in March, so that the leap day is their last.
fn utc(seconds: u64) -> String {
    const DAYS_OF_400_YEARS: u64 = 146_097;
    let (days, second) = (seconds / 86_400 + 719_468, seconds % 86_400);
    let (era, day) = (days / DAYS_OF_400_YEARS, days % DAYS_OF_400_YEARS);
    let year = (day - day / 1_460 + day / 36_524 - day / 146_096) / 365;
    let day = day - (365 * year + year / 4 - year / 100);
    let month = (5 * day + 2) / 153;
    let day = day - (153 * month + 2) / 5 + 1;
    let month = if month < 10 { month + 3 } else { month - 9 };
    let year = year + 400 * era + u64::from(month <= 2);
    let (hour, minute, second) = (second / 3600, second / 60 % 60, second % 60);
    format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}Z")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_are_those_of_the_calendar() {
        assert_eq!(utc(0), "1970-01-01T00:00:00Z");
        assert_eq!(utc(951_782_400), "2000-02-29T00:00:00Z");
        assert_eq!(utc(1_709_251_199), "2024-02-29T23:59:59Z");
        assert_eq!(utc(1_735_689_600), "2025-01-01T00:00:00Z");
        assert_eq!(utc(4_107_542_400), "2100-03-01T00:00:00Z");
    }

    #[test]
    fn the_engine_is_the_pinned_one() {
        let workspace = concat!(env!("CARGO_MANIFEST_DIR"), "/../../Cargo.toml");
        let text = std::fs::read_to_string(workspace).unwrap();
        assert!(text.contains(&format!("burn = {{ version = \"={BURN}\"")), "BURN is not {BURN}");
    }
}
