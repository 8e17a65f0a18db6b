//! From text such as `quality=N(30,10); rotate=45` to a [`Recipe`].
//!
//! ```text
//! recipe   = item { (";" | ",") item }        the commas within brackets belong to the law
//! item     = name [ "=" strength ]
//! strength = number | [ number ("+" | "-") ] law
//! law      = "N(" mean "," sd ")" | "Exp(" mean ")" | "U(" low "," high ")"
//! ```

use std::str::FromStr;

use super::{Law, Parameter, Recipe, Sign, Step, Strength, find, interventions};
use crate::DataError;

const STRENGTHS: &str = "write a number, N(mean,sd), Exp(mean) or U(low,high), as in 45 or 100+Exp(20)";

/// What is wrong with an item, and what to do.
type Problem = (String, String);

impl FromStr for Recipe {
    type Err = DataError;

    fn from_str(text: &str) -> Result<Recipe, DataError> {
        let mut steps = Vec::new();
        for item in items(text) {
            add(&mut steps, item).map_err(|(problem, tip)| DataError::Intervention {
                item: item.to_owned(),
                problem,
                tip,
            })?;
        }
        Ok(Recipe { steps })
    }
}

/// Cuts at `;` and at the commas outside of brackets.
fn items(text: &str) -> impl Iterator<Item = &str> {
    let mut depth = 0usize;
    text.split(move |letter| {
        match letter {
            '(' => depth += 1,
            ')' => depth = depth.saturating_sub(1),
            _ => {}
        }
        letter == ';' || (letter == ',' && depth == 0)
    })
    .map(str::trim)
}

/// Adds an item as a step of its own, or to the step before when that is the same intervention with this
/// parameter still open: brightness, saturation and hue are applied at once.
fn add(steps: &mut Vec<Step>, item: &str) -> Result<(), Problem> {
    let (name, value) = match item.split_once('=') {
        Some((name, value)) => (name.trim(), Some(value.trim())),
        None => (item, None),
    };
    let (intervention, place) = find(name).ok_or_else(|| unknown(name))?;
    let parameters = intervention.parameters();
    let strength = strength(&parameters[place], value)?;
    match steps.last_mut() {
        Some(Step { intervention, strengths })
            if intervention.parameters() == parameters && strengths[place].is_none() =>
        {
            strengths[place] = Some(strength);
        }
        _ => {
            let mut strengths = vec![None; parameters.len()];
            strengths[place] = Some(strength);
            steps.push(Step { intervention, strengths });
        }
    }
    Ok(())
}

fn unknown(name: &str) -> Problem {
    let parameters = interventions().iter().flat_map(|intervention| intervention.parameters());
    let names: Vec<&str> = parameters.map(|parameter| parameter.name).collect();
    let problem = if name.is_empty() { "there is no name".into() } else { format!("`{name}` is not known") };
    (problem, format!("use {}, as in rotate=45", names.join(", ")))
}

fn strength(parameter: &Parameter, value: Option<&str>) -> Result<Strength, Problem> {
    let Some(text) = value else {
        return parameter.implied.map(Strength::Fixed).ok_or_else(|| {
            let Parameter { name, meaning, .. } = parameter;
            (format!("no strength is given for {name} ({meaning})"), STRENGTHS.into())
        });
    };
    match law_start(text) {
        Some(start) => drawn(text, start),
        None => {
            let value = number(text)?;
            within(parameter, value)?;
            Ok(Strength::Fixed(value))
        }
    }
}

/// Where the name of a law begins. The `e` of `1e3` is none: laws have a bracket.
fn law_start(text: &str) -> Option<usize> {
    let bracket = text.find('(')?;
    let name = text[..bracket].trim_end_matches(|letter: char| letter.is_ascii_alphabetic());
    Some(name.len())
}

fn drawn(text: &str, start: usize) -> Result<Strength, Problem> {
    let (before, law) = text.split_at(start);
    let before = before.trim();
    let (base, sign) = match before.strip_suffix('-') {
        _ if before.is_empty() => (0.0, Sign::Plus),
        Some("") => (0.0, Sign::Minus),
        Some(base) => (number(base.trim())?, Sign::Minus),
        None => (number(before.strip_suffix('+').unwrap_or_default().trim())?, Sign::Plus),
    };
    Ok(Strength::Drawn { base, sign, law: self::law(law)? })
}

fn law(text: &str) -> Result<Law, Problem> {
    let fail = |problem: String| Err((problem, STRENGTHS.to_owned()));
    let Some((name, arguments)) = text.strip_suffix(')').and_then(|text| text.split_once('(')) else {
        return fail(format!("`{text}` does not end with a bracket"));
    };
    let numbers = arguments.split(',').map(|text| number(text.trim())).collect::<Result<Vec<_>, _>>()?;
    match (name, numbers.as_slice()) {
        ("N", &[_, sd]) if sd < 0.0 => fail(format!("the standard deviation {sd} is below 0")),
        ("N", &[mean, sd]) => Ok(Law::Normal { mean, sd }),
        ("Exp", &[mean]) if mean <= 0.0 => fail(format!("the mean {mean} of Exp is not above 0")),
        ("Exp", &[mean]) => Ok(Law::Exponential { mean }),
        ("U", &[low, high]) if low > high => {
            fail(format!("the bounds {low} and {high} are the wrong way round"))
        }
        ("U", &[low, high]) => Ok(Law::Uniform { low, high }),
        ("N" | "U", numbers) => fail(format!("{name} takes 2 numbers, not {}", numbers.len())),
        ("Exp", numbers) => fail(format!("Exp takes 1 number, not {}", numbers.len())),
        _ => fail(format!("`{name}` is not a known law")),
    }
}

fn number(text: &str) -> Result<f64, Problem> {
    match text.parse::<f64>() {
        Ok(value) if value.is_finite() => Ok(value),
        _ => Err((format!("`{text}` is not a number"), STRENGTHS.into())),
    }
}

fn within(parameter: &Parameter, value: f64) -> Result<(), Problem> {
    let Parameter { name, meaning, range, .. } = parameter;
    if range.contains(&value) {
        return Ok(());
    }
    let tip = format!("{name} ({meaning}) goes from {} to {}", range.start(), range.end());
    Err((format!("{value} is out of range"), tip))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Tip;

    fn parse(text: &str) -> Recipe {
        text.parse().unwrap()
    }

    fn only_strength(text: &str) -> Strength {
        let recipe = parse(text);
        assert_eq!(recipe.steps.len(), 1);
        recipe.steps[0].strengths.iter().flatten().copied().next().unwrap()
    }

    fn drawn(base: f64, sign: Sign, law: Law) -> Strength {
        Strength::Drawn { base, sign, law }
    }

    #[test]
    fn strengths_are_numbers_or_laws_with_an_offset() {
        let normal = Law::Normal { mean: 30.0, sd: 10.0 };
        let exponential = Law::Exponential { mean: 20.0 };
        assert_eq!(only_strength("rotate=45"), Strength::Fixed(45.0));
        assert_eq!(only_strength("rotate=-4.5e1"), Strength::Fixed(-45.0));
        assert_eq!(only_strength("grayscale"), Strength::Fixed(100.0));
        assert_eq!(only_strength("quality=N(30,10)"), drawn(0.0, Sign::Plus, normal));
        assert_eq!(only_strength("brightness=100+Exp(20)"), drawn(100.0, Sign::Plus, exponential));
        assert_eq!(only_strength(" brightness = 1e2 - Exp( 20 ) "), drawn(100.0, Sign::Minus, exponential));
        assert_eq!(
            only_strength("rotate=-U(35,70)"),
            drawn(0.0, Sign::Minus, Law::Uniform { low: 35.0, high: 70.0 })
        );
        assert_eq!(
            only_strength("hue=-5-N(-30,10)"),
            drawn(-5.0, Sign::Minus, Law::Normal { mean: -30.0, sd: 10.0 })
        );
    }

    #[test]
    fn commas_within_brackets_do_not_separate() {
        let recipe = parse("rotate=U(35,70),quality=N(30,10);blur=2");
        assert_eq!(recipe.steps.len(), 3);
        assert_eq!(recipe, parse("rotate=U(35,70) ; quality=N(30,10) , blur=2"));
    }

    #[test]
    fn brightness_saturation_and_hue_are_one_step() {
        assert_eq!(parse("hue=80,brightness=120").steps.len(), 1);
        assert_eq!(parse("hue=80,brightness=120").steps[0].strengths[1], None);
        assert_eq!(parse("hue=80,rotate=1,brightness=120").steps.len(), 3);
        assert_eq!(parse("hue=80,hue=80").steps.len(), 2);
        assert_eq!(parse("rotate=5,rotate=5").steps.len(), 2);
    }

    #[track_caller]
    fn assert_refused(text: &str, message: &str, tip: &str) {
        let error = text.parse::<Recipe>().unwrap_err();
        assert_eq!(error.to_string(), message);
        assert!(error.tip().unwrap().contains(tip), "{:?}", error.tip());
    }

    #[test]
    fn what_is_wrong_is_said_with_what_to_do() {
        assert_refused(
            "blur=1;qualty=30",
            "intervention `qualty=30`: `qualty` is not known",
            "quality, brightness",
        );
        assert_refused("blur=1;", "intervention ``: there is no name", "as in rotate=45");
        assert_refused("", "intervention ``: there is no name", "use quality");
        assert_refused(
            "blur",
            "intervention `blur`: no strength is given for blur (standard deviation in pixels)",
            "write a number",
        );
        assert_refused(
            "quality=101",
            "intervention `quality=101`: 101 is out of range",
            "quality (JPEG quality) goes from 1 to 100",
        );
        assert_refused("rotate=x", "intervention `rotate=x`: `x` is not a number", "Exp(mean)");
        assert_refused("rotate=", "intervention `rotate=`: `` is not a number", "Exp(mean)");
        assert_refused("rotate=NaN", "intervention `rotate=NaN`: `NaN` is not a number", "Exp(mean)");
        assert_refused(
            "rotate=5 N(1,2)",
            "intervention `rotate=5 N(1,2)`: `` is not a number",
            "100+Exp(20)",
        );
        assert_refused(
            "rotate=U(70,35)",
            "intervention `rotate=U(70,35)`: the bounds 70 and 35 are the wrong way round",
            "U(low,high)",
        );
        assert_refused(
            "rotate=N(1,-2)",
            "intervention `rotate=N(1,-2)`: the standard deviation -2 is below 0",
            "N(mean,sd)",
        );
        assert_refused(
            "rotate=Exp(0)",
            "intervention `rotate=Exp(0)`: the mean 0 of Exp is not above 0",
            "Exp(mean)",
        );
        assert_refused(
            "rotate=Exp(1,2)",
            "intervention `rotate=Exp(1,2)`: Exp takes 1 number, not 2",
            "Exp(mean)",
        );
        assert_refused("rotate=N(30)", "intervention `rotate=N(30)`: N takes 2 numbers, not 1", "N(mean,sd)");
        assert_refused(
            "rotate=Poisson(3)",
            "intervention `rotate=Poisson(3)`: `Poisson` is not a known law",
            "U(low,high)",
        );
        assert_refused(
            "rotate=N(30,10",
            "intervention `rotate=N(30,10`: `N(30,10` does not end with a bracket",
            "N(mean,sd)",
        );
    }

    #[test]
    fn odd_text_is_refused_without_a_panic() {
        for text in [
            "(",
            ")",
            "=(",
            "rotate=(",
            "rotate=)",
            "rotate=-",
            "rotate=+N(1,2)",
            "é=1",
            "rotate=é(1)",
            "rotate=N(1,2)3",
            "rotate==3",
            ",,",
            "rotate=((1,2))",
        ] {
            assert!(text.parse::<Recipe>().is_err(), "{text}");
        }
    }
}
