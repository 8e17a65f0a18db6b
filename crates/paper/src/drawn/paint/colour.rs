//! Arithmetic on colours.

use super::Rgb;

/// `from` at 0, `to` at 1.
pub(crate) fn mix(from: Rgb, to: Rgb, share: f32) -> Rgb {
    [0, 1, 2].map(|channel| from[channel] + (to[channel] - from[channel]) * share)
}

/// Lighter or darker by a factor.
pub(crate) fn scaled(colour: Rgb, factor: f32) -> Rgb {
    colour.map(|channel| channel * factor)
}

/// Hue (a full turn is 1), saturation and value to red, green and blue.
pub(crate) fn hsv(hue: f32, saturation: f32, value: f32) -> Rgb {
    [5.0, 3.0, 1.0].map(|offset| {
        let sector = (offset + 6.0 * hue).rem_euclid(6.0);
        value - value * saturation * sector.min(4.0 - sector).clamp(0.0, 1.0)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn thirds_of_a_turn_are_red_green_and_blue() {
        assert_eq!(hsv(0.0, 1.0, 1.0), [1.0, 0.0, 0.0]);
        assert_eq!(hsv(1.0 / 3.0, 1.0, 1.0), [0.0, 1.0, 0.0]);
        assert_eq!(hsv(-1.0 / 3.0, 1.0, 0.5), [0.0, 0.0, 0.5]);
        assert_eq!(hsv(0.7, 0.0, 0.25), [0.25; 3]);
    }
}
