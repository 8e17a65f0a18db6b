//! Brightness, saturation and hue, as ImageMagick's `-modulate`.

use rand::rngs::ChaCha8Rng;

use super::{Intervention, Parameter, to_byte};
use crate::{DataError, ImageShape};

/// Scales lightness and saturation and turns the hue, in HSL on the sRGB values:
/// `L *= brightness / 100`, `S *= saturation / 100`, `H += (hue - 100) / 200` with a full turn as 1.
/// Nothing is clamped before the end. A grey picture has neither saturation nor hue.
pub(super) struct Modulate;

impl Intervention for Modulate {
    fn parameters(&self) -> &'static [Parameter] {
        const {
            &[
                Parameter {
                    name: "brightness",
                    meaning: "lightness in percent",
                    neutral: 100.0,
                    range: 0.0..=1000.0,
                    implied: None,
                    ladder: &[110.0, 120.0, 140.0, 160.0, 180.0, 200.0],
                },
                Parameter {
                    name: "saturation",
                    meaning: "saturation in percent",
                    neutral: 100.0,
                    range: 0.0..=1000.0,
                    implied: None,
                    ladder: &[80.0, 60.0, 40.0, 20.0, 0.0],
                },
                Parameter {
                    name: "hue",
                    meaning: "turn of the hue, 100 is none, 0 and 200 half a turn",
                    neutral: 100.0,
                    range: -1000.0..=1000.0,
                    implied: None,
                    ladder: &[95.0, 90.0, 80.0, 60.0, 30.0, 0.0],
                },
            ]
        }
    }

    fn apply(
        &self,
        strengths: &[f64],
        shape: ImageShape,
        pixels: &mut [u8],
        _: &mut ChaCha8Rng,
    ) -> Result<(), DataError> {
        let [brightness, saturation, hue] = [strengths[0] / 100.0, strengths[1] / 100.0, strengths[2]];
        let (brightness, saturation) = (brightness as f32, saturation as f32);
        let turn = ((hue - 100.0) / 200.0) as f32;
        for pixel in pixels.chunks_exact_mut(shape.channels) {
            match pixel {
                [red, green, blue] => {
                    let (h, s, l) = to_hsl([*red, *green, *blue].map(|byte| f32::from(byte) / 255.0));
                    let changed = to_rgb(h + turn, s * saturation, l * brightness);
                    [*red, *green, *blue] = changed.map(|value| to_byte(value * 255.0));
                }
                greys => greys.iter_mut().for_each(|grey| *grey = to_byte(f32::from(*grey) * brightness)),
            }
        }
        Ok(())
    }
}

/// Hue, saturation and lightness of red, green and blue, all from 0 to 1.
fn to_hsl([red, green, blue]: [f32; 3]) -> (f32, f32, f32) {
    let highest = red.max(green).max(blue);
    let lowest = red.min(green).min(blue);
    let chroma = highest - lowest;
    let lightness = (highest + lowest) / 2.0;
    if chroma == 0.0 {
        return (0.0, 0.0, lightness);
    }
    let sixths = if highest == red {
        (green - blue) / chroma
    } else if highest == green {
        2.0 + (blue - red) / chroma
    } else {
        4.0 + (red - green) / chroma
    };
    (sixths / 6.0, chroma / (1.0 - (2.0 * lightness - 1.0).abs()), lightness)
}

/// The way back. Takes any hue, and a lightness or saturation above 1, which may leave 0..1.
fn to_rgb(hue: f32, saturation: f32, lightness: f32) -> [f32; 3] {
    let chroma = (1.0 - (2.0 * lightness - 1.0).abs()) * saturation;
    let lowest = lightness - chroma / 2.0;
    let sixths = hue.rem_euclid(1.0) * 6.0;
    let middle = chroma * (1.0 - (sixths.rem_euclid(2.0) - 1.0).abs());
    let offsets = match sixths as u8 {
        0 => [chroma, middle, 0.0],
        1 => [middle, chroma, 0.0],
        2 => [0.0, chroma, middle],
        3 => [0.0, middle, chroma],
        4 => [middle, 0.0, chroma],
        _ => [chroma, 0.0, middle],
    };
    offsets.map(|offset| lowest + offset)
}

#[cfg(test)]
mod tests {
    use super::super::check::{difference, on, on_row};
    use super::*;

    const PIXEL: ImageShape = ImageShape { height: 1, width: 1, channels: 3 };

    #[test]
    fn modulate_agrees_with_imagemagick() {
        let changes = [
            [140, 100, 100],
            [60, 100, 100],
            [100, 40, 100],
            [100, 170, 100],
            [100, 100, 81],
            [100, 100, 190],
            [125, 70, 30],
        ];
        for picture in ["scene", "odd", "noise", "ring"] {
            for [brightness, saturation, hue] in changes {
                let recipe = format!("brightness={brightness},saturation={saturation},hue={hue}");
                let change = format!("modulate-{brightness}-{saturation}-{hue}");
                let (mean, most) = difference(picture, &recipe, &change);
                // Theirs has 16 bits: rounding to 8 moves a level by 1/4 on average and by 1/2 at most.
                assert!(mean < 0.27 && most < 0.51, "{picture}, {change}: {mean}, {most}");
            }
        }
    }

    #[test]
    fn brightness_scales_lightness() {
        // Lightness is (200 + 100) / 2 = 150; half of it keeps hue and saturation: chroma 100 falls with
        // the room around the lightness, from 105 to 75.
        assert_eq!(on("brightness=50", PIXEL, &[200, 150, 100]), [111, 75, 39]);
        assert_eq!(on_row("brightness=150", &[0, 10, 170, 200]), [0, 15, 255, 255]);
    }

    #[test]
    fn no_saturation_leaves_the_lightness() {
        assert_eq!(on("saturation=0", PIXEL, &[200, 150, 100]), [150, 150, 150]);
    }

    #[test]
    fn hue_turns_by_a_full_circle_in_200() {
        // A third of a turn: red becomes green; half a turn: cyan.
        assert_eq!(on("hue=166.66666667", PIXEL, &[255, 0, 0]), [0, 255, 0]);
        assert_eq!(on("hue=0", PIXEL, &[255, 0, 0]), [0, 255, 255]);
        assert_eq!(on("hue=300", PIXEL, &[10, 200, 77]), [10, 200, 77]);
    }

    #[test]
    fn the_way_to_hsl_and_back_changes_nothing() {
        for red in (0..=255).step_by(15) {
            for green in (0..=255).step_by(17) {
                for blue in (0..=255).step_by(51) {
                    let rgb = [red, green, blue].map(|level| level as f32 / 255.0);
                    let (h, s, l) = to_hsl(rgb);
                    let back = to_rgb(h, s, l);
                    assert!(
                        rgb.iter().zip(back).all(|(old, new)| (old - new).abs() < 1e-5),
                        "{rgb:?} {back:?}"
                    );
                }
            }
        }
    }
}
