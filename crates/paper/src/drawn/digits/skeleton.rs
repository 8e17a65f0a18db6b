//! The ways to write each digit, as knots of strokes: x from 0 to 1 to the right, y from 0 to 1 downwards.

use super::spline::Knot;

/// The pen goes round here.
const fn o(x: f32, y: f32) -> Knot {
    Knot { place: [x, y], corner: false }
}

/// The pen turns here.
const fn v(x: f32, y: f32) -> Knot {
    Knot { place: [x, y], corner: true }
}

/// One line of the pen, from where it is put down to where it is lifted.
pub(super) type Stroke = &'static [Knot];

/// A way to write a digit, and how many write it so.
pub(super) struct Style {
    share: f32,
    pub strokes: &'static [Stroke],
}

/// The style of a digit, 0 to 9, for a draw between 0 and 1.
pub(super) fn style(digit: u32, draw: f32) -> &'static Style {
    let styles = STYLES[digit as usize % STYLES.len()];
    let total: f32 = styles.iter().map(|style| style.share).sum();
    let mut left = draw * total;
    let chosen = styles.iter().find(|style| {
        left -= style.share;
        left < 0.0
    });
    chosen.unwrap_or(&styles[styles.len() - 1])
}

pub(super) const STYLES: [&[Style]; 10] = [ZERO, ONE, TWO, THREE, FOUR, FIVE, SIX, SEVEN, EIGHT, NINE];

const ZERO: &[Style] = &[
    Style {
        share: 0.6,
        strokes: &[&[
            o(0.55, 0.02),
            o(0.22, 0.14),
            o(0.04, 0.5),
            o(0.18, 0.86),
            o(0.5, 0.98),
            o(0.82, 0.85),
            o(0.96, 0.48),
            o(0.8, 0.14),
            o(0.5, 0.02),
        ]],
    },
    // Begun on the right, the end crosses the beginning.
    Style {
        share: 0.4,
        strokes: &[&[
            o(0.72, 0.1),
            o(0.42, 0.04),
            o(0.1, 0.32),
            o(0.1, 0.72),
            o(0.42, 0.98),
            o(0.84, 0.78),
            o(0.92, 0.34),
            o(0.64, 0.03),
            o(0.4, 0.1),
        ]],
    },
];

const ONE: &[Style] = &[
    Style { share: 0.65, strokes: &[&[o(0.5, 0.0), o(0.5, 0.5), o(0.5, 1.0)]] },
    Style { share: 0.25, strokes: &[&[o(0.26, 0.24), v(0.52, 0.0), o(0.51, 0.5), o(0.5, 1.0)]] },
    // With a foot.
    Style {
        share: 0.1,
        strokes: &[&[o(0.26, 0.22), v(0.52, 0.0), o(0.51, 0.5), o(0.5, 0.98)], &[o(0.2, 0.98), o(0.8, 0.98)]],
    },
];

const TWO: &[Style] = &[
    Style {
        share: 0.45,
        strokes: &[&[
            o(0.12, 0.22),
            o(0.36, 0.02),
            o(0.7, 0.08),
            o(0.78, 0.34),
            o(0.52, 0.66),
            v(0.1, 0.96),
            o(0.5, 0.95),
            o(0.94, 0.95),
        ]],
    },
    // With a loop below.
    Style {
        share: 0.4,
        strokes: &[&[
            o(0.14, 0.2),
            o(0.38, 0.02),
            o(0.7, 0.1),
            o(0.74, 0.36),
            o(0.5, 0.7),
            o(0.22, 0.94),
            o(0.07, 0.86),
            o(0.2, 0.74),
            o(0.52, 0.88),
            o(0.95, 0.92),
        ]],
    },
    // Nearly a Z.
    Style {
        share: 0.15,
        strokes: &[&[o(0.12, 0.08), o(0.5, 0.02), o(0.82, 0.14), o(0.5, 0.55), v(0.08, 0.95), o(0.92, 0.97)]],
    },
];

const THREE: &[Style] = &[
    Style {
        share: 0.55,
        strokes: &[&[
            o(0.14, 0.14),
            o(0.46, 0.0),
            o(0.78, 0.18),
            o(0.62, 0.4),
            v(0.36, 0.48),
            o(0.7, 0.54),
            o(0.84, 0.76),
            o(0.54, 0.98),
            o(0.1, 0.9),
        ]],
    },
    // With a loop in the middle.
    Style {
        share: 0.25,
        strokes: &[&[
            o(0.18, 0.12),
            o(0.5, 0.0),
            o(0.76, 0.18),
            o(0.56, 0.44),
            o(0.36, 0.52),
            o(0.42, 0.42),
            o(0.74, 0.54),
            o(0.82, 0.8),
            o(0.48, 0.99),
            o(0.12, 0.9),
        ]],
    },
    // Flat above.
    Style {
        share: 0.2,
        strokes: &[&[
            o(0.14, 0.05),
            v(0.8, 0.03),
            v(0.42, 0.4),
            o(0.76, 0.52),
            o(0.82, 0.78),
            o(0.5, 0.98),
            o(0.1, 0.9),
        ]],
    },
];

const FOUR: &[Style] = &[
    // Open above.
    Style {
        share: 0.5,
        strokes: &[
            &[o(0.2, 0.04), o(0.1, 0.36), v(0.12, 0.58), o(0.5, 0.58), o(0.92, 0.52)],
            &[o(0.74, 0.02), o(0.7, 0.5), o(0.68, 1.0)],
        ],
    },
    // Closed above.
    Style {
        share: 0.25,
        strokes: &[&[o(0.66, 1.0), o(0.66, 0.5), v(0.66, 0.0), o(0.36, 0.34), v(0.05, 0.66), o(0.95, 0.64)]],
    },
    // In one line, nearly a 9.
    Style {
        share: 0.25,
        strokes: &[&[
            o(0.2, 0.06),
            o(0.13, 0.38),
            o(0.34, 0.54),
            o(0.66, 0.4),
            v(0.82, 0.04),
            o(0.76, 0.5),
            o(0.68, 1.0),
        ]],
    },
];

const FIVE: &[Style] = &[
    Style {
        share: 0.4,
        strokes: &[&[
            o(0.86, 0.03),
            v(0.26, 0.04),
            v(0.2, 0.42),
            o(0.54, 0.38),
            o(0.84, 0.64),
            o(0.58, 0.96),
            o(0.1, 0.92),
        ]],
    },
    // The bar is put on last.
    Style {
        share: 0.35,
        strokes: &[
            &[o(0.3, 0.06), v(0.22, 0.42), o(0.56, 0.42), o(0.78, 0.68), o(0.54, 0.96), o(0.1, 0.9)],
            &[o(0.3, 0.05), o(0.9, 0.02)],
        ],
    },
    // Nearly an S.
    Style {
        share: 0.25,
        strokes: &[&[
            o(0.86, 0.06),
            o(0.5, 0.04),
            o(0.24, 0.22),
            o(0.4, 0.44),
            o(0.74, 0.64),
            o(0.62, 0.92),
            o(0.3, 0.99),
            o(0.08, 0.9),
        ]],
    },
];

const SIX: &[Style] = &[
    Style {
        share: 0.6,
        strokes: &[&[
            o(0.7, 0.02),
            o(0.36, 0.24),
            o(0.14, 0.62),
            o(0.26, 0.92),
            o(0.58, 0.97),
            o(0.82, 0.76),
            o(0.62, 0.56),
            o(0.34, 0.64),
            o(0.18, 0.82),
        ]],
    },
    // A straight back and a small bowl.
    Style {
        share: 0.4,
        strokes: &[&[
            o(0.42, 0.0),
            o(0.26, 0.36),
            o(0.18, 0.74),
            o(0.4, 0.98),
            o(0.74, 0.88),
            o(0.74, 0.64),
            o(0.5, 0.6),
            o(0.24, 0.8),
        ]],
    },
];

const SEVEN: &[Style] = &[
    Style {
        share: 0.55,
        strokes: &[&[o(0.08, 0.08), o(0.5, 0.06), v(0.88, 0.04), o(0.62, 0.5), o(0.42, 1.0)]],
    },
    // With a bar.
    Style {
        share: 0.25,
        strokes: &[
            &[o(0.08, 0.08), o(0.5, 0.06), v(0.88, 0.04), o(0.62, 0.5), o(0.42, 1.0)],
            &[o(0.34, 0.52), o(0.84, 0.48)],
        ],
    },
    // With a hook on the left.
    Style {
        share: 0.2,
        strokes: &[&[o(0.08, 0.26), v(0.1, 0.06), o(0.5, 0.08), v(0.86, 0.04), o(0.64, 0.44), o(0.54, 1.0)]],
    },
];

const EIGHT: &[Style] = &[
    // Begun as an S.
    Style {
        share: 0.75,
        strokes: &[&[
            o(0.76, 0.14),
            o(0.5, 0.01),
            o(0.24, 0.18),
            o(0.46, 0.46),
            o(0.76, 0.74),
            o(0.5, 0.98),
            o(0.22, 0.78),
            o(0.46, 0.5),
            o(0.74, 0.26),
            o(0.7, 0.06),
        ]],
    },
    // Two rings.
    Style {
        share: 0.25,
        strokes: &[
            &[o(0.52, 0.46), o(0.26, 0.26), o(0.48, 0.02), o(0.74, 0.22), o(0.5, 0.46)],
            &[o(0.5, 0.46), o(0.2, 0.72), o(0.5, 0.98), o(0.8, 0.74), o(0.5, 0.46)],
        ],
    },
];

const NINE: &[Style] = &[
    // A straight stem.
    Style {
        share: 0.65,
        strokes: &[&[
            o(0.78, 0.14),
            o(0.5, 0.02),
            o(0.2, 0.24),
            o(0.34, 0.46),
            o(0.66, 0.38),
            v(0.8, 0.12),
            o(0.76, 0.5),
            o(0.66, 1.0),
        ]],
    },
    // A round tail.
    Style {
        share: 0.35,
        strokes: &[&[
            o(0.74, 0.2),
            o(0.5, 0.01),
            o(0.2, 0.22),
            o(0.4, 0.48),
            o(0.7, 0.36),
            o(0.8, 0.3),
            o(0.76, 0.7),
            o(0.52, 0.97),
            o(0.18, 0.92),
        ]],
    },
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_digit_is_written_in_several_ways_within_the_box() {
        for styles in STYLES {
            assert!(styles.len() >= 2);
            let knots = styles.iter().flat_map(|style| style.strokes).copied().flatten();
            assert!(knots.flat_map(|knot| knot.place).all(|axis| (0.0..=1.0).contains(&axis)));
        }
    }

    #[test]
    fn styles_come_as_often_as_their_share() {
        // 65, 25 and 10 % of ones.
        let with_foot = (0..100).filter(|draw| style(1, *draw as f32 / 100.0).strokes.len() == 2).count();
        assert!((9..=11).contains(&with_foot), "{with_foot}");
        assert_eq!(style(1, 0.0).strokes[0].len(), 3);
        assert_eq!(style(1, 1.0).strokes.len(), 2);
    }
}
