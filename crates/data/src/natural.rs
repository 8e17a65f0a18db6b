//! The order of names as people count: `test2` before `test10`.

use std::cmp::Ordering;

/// Numbers by size before text; in text, runs of digits by size: `2 < 10 < cat < test2 < test10`.
pub fn natural(a: &str, b: &str) -> Ordering {
    match (number(a), number(b)) {
        (Some(x), Some(y)) => x.total_cmp(&y).then_with(|| a.cmp(b)),
        (Some(_), None) => Ordering::Less,
        (None, Some(_)) => Ordering::Greater,
        (None, None) => by_chunks(a, b).then_with(|| a.cmp(b)),
    }
}

fn number(text: &str) -> Option<f64> {
    text.parse().ok().filter(|value: &f64| value.is_finite())
}

fn by_chunks(mut a: &str, mut b: &str) -> Ordering {
    while !a.is_empty() && !b.is_empty() {
        let (head_a, rest_a) = chunk(a);
        let (head_b, rest_b) = chunk(b);
        let order = match (is_digits(head_a), is_digits(head_b)) {
            (true, true) => by_value(head_a).cmp(&by_value(head_b)),
            _ => head_a.cmp(head_b),
        };
        if order != Ordering::Equal {
            return order;
        }
        (a, b) = (rest_a, rest_b);
    }
    a.len().cmp(&b.len())
}

fn is_digits(text: &str) -> bool {
    text.starts_with(|c: char| c.is_ascii_digit())
}

/// A key that orders runs of digits by value, however long they are.
fn by_value(digits: &str) -> (usize, &str) {
    let digits = digits.trim_start_matches('0');
    (digits.len(), digits)
}

/// The leading run of digits, or of anything else.
fn chunk(text: &str) -> (&str, &str) {
    let digits = is_digits(text);
    let end = text.find(|c: char| c.is_ascii_digit() != digits).unwrap_or(text.len());
    text.split_at(end)
}

#[cfg(test)]
mod tests {
    use rand::rngs::ChaCha8Rng;
    use rand::{RngExt, SeedableRng};

    use super::*;

    #[test]
    fn numbers_come_by_size_and_before_text() {
        let mut names = ["test10", "b", "10", "2", "test2", "-1", "a", "test"];
        names.sort_by(|a, b| natural(a, b));
        assert_eq!(names, ["-1", "2", "10", "a", "b", "test", "test2", "test10"]);
    }

    #[test]
    fn numbers_in_names_count_by_value_however_long_they_are() {
        let mut names =
            ["t99999999999999999999", "test10", "site-B", "test2", "test02", "test", "t3", "site-Ä"];
        names.sort_by(|a, b| natural(a, b));
        assert_eq!(
            names,
            ["site-B", "site-Ä", "t3", "t99999999999999999999", "test", "test02", "test2", "test10"]
        );
    }

    /// Any two names have one order, and any three agree: `sort` panics otherwise.
    #[test]
    fn it_is_an_order_of_all_names() {
        let mut rng = ChaCha8Rng::seed_from_u64(1);
        let parts = [
            "0",
            "1",
            "00",
            "9",
            "10",
            "12345678901234567890123",
            "a",
            "b",
            "-",
            ".",
            "e5",
            "inf",
            "é",
            " ",
            "test",
        ];
        let mut name = || -> String {
            let count = rng.random_range(0..5);
            (0..count).map(|_| parts[rng.random_range(0..parts.len())]).collect()
        };
        for _ in 0..200_000 {
            let (a, b, c) = (name(), name(), name());
            assert_eq!(natural(&a, &b), natural(&b, &a).reverse(), "{a} {b}");
            assert_eq!(natural(&a, &b) == Ordering::Equal, a == b, "{a} {b}");
            if natural(&a, &b).is_le() && natural(&b, &c).is_le() {
                assert!(natural(&a, &c).is_le(), "{a} {b} {c}");
            }
        }
        // As long as those of DICOM.
        let mut ids: Vec<String> =
            (0..2000).map(|k| format!("1.2.840.{}{}", "7".repeat(k % 60), k * k)).collect();
        ids.sort_by(|a, b| natural(a, b));
    }
}
