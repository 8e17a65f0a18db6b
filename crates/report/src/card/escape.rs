//! Names of strangers in Markdown and in YAML.

use std::fmt::Write as _;

/// Longer names are cut: no person reads them.
const LONGEST: usize = 200;

/// Neither a control character nor one that changes the direction of the text after it, nor one of no width.
fn is_harmless(letter: char) -> bool {
    let is_hidden = matches!(letter, '\u{ad}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}'
        | '\u{fff0}'..='\u{ffff}');
    !letter.is_control() && !is_hidden
}

fn cut(name: &str) -> String {
    match name.char_indices().nth(LONGEST) {
        None => name.into(),
        Some((end, _)) => format!("{}..", &name[..end]),
    }
}

/// A name in the middle of a line or in a cell of a table: no character of it is markup. At the beginning of a line a number or a dash
/// could still be a list.
pub fn markdown(name: &str) -> String {
    prose(&cut(name))
}

/// The same of a sentence with names in it.
pub fn prose(text: &str) -> String {
    let mut out = String::new();
    for letter in text.chars() {
        match letter {
            '\\' | '`' | '*' | '_' | '{' | '}' | '[' | ']' | '<' | '>' | '(' | ')' | '#' | '|' | '~'
            | '&' | '!' | '@' | ':' | '$' => {
                out.push('\\');
                out.push(letter);
            }
            // `www.` becomes a link by itself.
            '.' if out
                .get(out.len().saturating_sub(3)..)
                .is_some_and(|end| end.eq_ignore_ascii_case("www")) =>
            {
                out.push_str("\\.")
            }
            letter if is_harmless(letter) => out.push(letter),
            letter => shown(&mut out, letter),
        }
    }
    out
}

/// A character as in Rust; its backslash is no markup, because a letter follows.
fn shown(out: &mut String, letter: char) {
    out.extend(letter.escape_default().filter(|part| !matches!(part, '{' | '}')));
}

/// A name as a double-quoted scalar of YAML, in one line.
pub fn yaml(name: &str) -> String {
    let mut out = String::from('"');
    for letter in cut(name).chars() {
        let code = u32::from(letter);
        let _ = match letter {
            '"' | '\\' => write!(out, "\\{letter}"),
            ' '..='~' => write!(out, "{letter}"),
            letter if letter.is_alphanumeric() => write!(out, "{letter}"),
            _ if code <= 0xffff => write!(out, "\\u{code:04x}"),
            _ => write!(out, "\\U{code:08x}"),
        };
    }
    out + "\""
}

/// A name as an identifier: small letters, digits and dashes.
pub fn slug(name: &str) -> String {
    let letter =
        |letter: char| if letter.is_ascii_alphanumeric() { letter.to_ascii_lowercase() } else { '-' };
    let dashed: String = name.chars().take(LONGEST).map(letter).collect();
    let parts: Vec<&str> = dashed.split('-').filter(|part| !part.is_empty()).collect();
    if parts.is_empty() { "data".into() } else { parts.join("-") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn markup_in_a_name_is_text() {
        assert_eq!(
            markdown("a|b <img src=x> [c](http://d.e) `f`\n# g\u{202e}"),
            "a\\|b \\<img src=x\\> \\[c\\]\\(http\\://d.e\\) \\`f\\`\\n\\# g\\u202e"
        );
        assert_eq!(markdown("glasses, été, WWW.x.y"), "glasses, été, WWW\\.x.y");
    }

    #[test]
    fn a_name_in_yaml_ends_nothing() {
        assert_eq!(yaml("a\"b\\c\nd: e"), "\"a\\\"b\\\\c\\u000ad: e\"");
        assert_eq!(yaml("λ😀\u{85}"), "\"λ\\U0001f600\\u0085\"");
        assert!(yaml(&"x".repeat(1000)).len() < 300);
    }

    #[test]
    fn a_slug_has_no_other_letters() {
        assert_eq!(
            [slug("My Data/site B.csv"), slug("été"), slug("--")],
            ["my-data-site-b-csv", "t", "data"]
        );
    }
}
