//! Dates and times of records, in UTC.

use std::time::SystemTime;

use chrono::{DateTime, SecondsFormat, Utc};

/// The day: `2026-01-31`.
pub fn date(time: SystemTime) -> String {
    DateTime::<Utc>::from(time).date_naive().to_string()
}

/// The day and the time of day: `2024-02-29T23:59:59Z`.
pub fn date_time(time: SystemTime) -> String {
    DateTime::<Utc>::from(time).to_rfc3339_opts(SecondsFormat::Secs, true)
}

#[cfg(test)]
mod tests {
    use std::time::{Duration, UNIX_EPOCH};

    use super::*;

    #[test]
    fn days_are_counted_with_leap_years() {
        let of_day = |days: u64| date(UNIX_EPOCH + Duration::from_secs(86_400 * days));
        assert_eq!(of_day(0), "1970-01-01");
        // 30 years of 365 days, 7 leap days, January and February of a leap year.
        assert_eq!(of_day(30 * 365 + 7 + 31 + 28), "2000-02-29");
        assert_eq!(of_day(30 * 365 + 7 + 31 + 29), "2000-03-01");
        assert_eq!(of_day(20_454), "2026-01-01");
    }

    #[test]
    fn the_time_of_day_is_in_seconds() {
        let utc = |seconds: u64| date_time(UNIX_EPOCH + Duration::from_secs(seconds));
        assert_eq!(utc(0), "1970-01-01T00:00:00Z");
        assert_eq!(utc(951_782_400), "2000-02-29T00:00:00Z");
        assert_eq!(utc(1_709_251_199), "2024-02-29T23:59:59Z");
        assert_eq!(utc(1_735_689_600), "2025-01-01T00:00:00Z");
        assert_eq!(utc(4_107_542_400), "2100-03-01T00:00:00Z");
        // Parts of a second are left out.
        assert_eq!(date_time(UNIX_EPOCH + Duration::from_millis(1_999)), "1970-01-01T00:00:01Z");
    }
}
