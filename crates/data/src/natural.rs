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
}
