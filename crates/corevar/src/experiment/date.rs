//! The date, for records.

use std::time::{SystemTime, UNIX_EPOCH};

/// In UTC: `2026-01-31`.
pub(super) fn of(time: SystemTime) -> String {
    let seconds = time.duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs());
    of_day(seconds / 86_400)
}

/// Days since 1970-01-01 in the Gregorian calendar, counted in eras of 400 years that begin in March, so that the leap day
/// is the last of a year.
fn of_day(days: u64) -> String {
    let days = days + 719_468;
    let (era, day_of_era) = (days / 146_097, days % 146_097);
    let year_of_era = (day_of_era - day_of_era / 1_460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let from_march = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * from_march + 2) / 5 + 1;
    let month = if from_march < 10 { from_march + 3 } else { from_march - 9 };
    let year = era * 400 + year_of_era + u64::from(month <= 2);
    format!("{year}-{month:02}-{day:02}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn days_are_counted_with_leap_years() {
        assert_eq!(of_day(0), "1970-01-01");
        // 30 years of 365 days, 7 leap days, January and February of a leap year.
        assert_eq!(of_day(30 * 365 + 7 + 31 + 28), "2000-02-29");
        assert_eq!(of_day(30 * 365 + 7 + 31 + 29), "2000-03-01");
        assert_eq!(of_day(20_454), "2026-01-01");
    }
}
