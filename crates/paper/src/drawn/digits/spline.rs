//! A smooth line through knots.

/// A point on the way of the pen.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Knot {
    /// `[x, y]`, y points down.
    pub place: [f32; 2],
    /// The pen turns here instead of going round.
    pub corner: bool,
}

/// Straight pieces between two knots.
pub(super) const PIECES: usize = 5;

/// Points along cubic curves through the knots (Hermite: at each knot the two curves have one tangent).
/// At a corner each curve ends along its own chord; `rounding` from 0 to 1 makes corners smooth.
pub(super) fn trace(knots: &[Knot], rounding: f32) -> Vec<[f32; 2]> {
    let mut points: Vec<[f32; 2]> = knots.first().map(|knot| knot.place).into_iter().collect();
    for (first, pair) in knots.windows(2).enumerate() {
        let [from, to] = [pair[0].place, pair[1].place];
        let chord = minus(to, from);
        let length = norm(chord);
        let [leaves, arrives] =
            [first, first + 1].map(|at| tangent(knots, at, chord, rounding).map(|axis| axis * length));
        for piece in 1..=PIECES {
            let share = piece as f32 / PIECES as f32;
            points.push([0, 1].map(|axis| hermite(from[axis], leaves[axis], to[axis], arrives[axis], share)));
        }
    }
    points
}

/// Direction, of length 1, at a knot for the curve that has this chord.
fn tangent(knots: &[Knot], at: usize, chord: [f32; 2], rounding: f32) -> [f32; 2] {
    let own = unit(chord);
    if at == 0 || at + 1 == knots.len() {
        return own;
    }
    let [before, after] = [at - 1, at].map(|first| unit(minus(knots[first + 1].place, knots[first].place)));
    let through = unit([before[0] + after[0], before[1] + after[1]]);
    let share = if knots[at].corner { rounding } else { 1.0 };
    [0, 1].map(|axis| own[axis] + (through[axis] - own[axis]) * share)
}

fn hermite(from: f32, leaves: f32, to: f32, arrives: f32, share: f32) -> f32 {
    let (squared, cubed) = (share * share, share * share * share);
    let late = 3.0 * squared - 2.0 * cubed;
    from + (to - from) * late + leaves * (cubed - 2.0 * squared + share) + arrives * (cubed - squared)
}

fn minus(a: [f32; 2], b: [f32; 2]) -> [f32; 2] {
    [a[0] - b[0], a[1] - b[1]]
}

pub(super) fn norm(a: [f32; 2]) -> f32 {
    (a[0] * a[0] + a[1] * a[1]).sqrt()
}

/// Zero for a vector without a direction.
fn unit(a: [f32; 2]) -> [f32; 2] {
    let length = norm(a).max(1e-6);
    [a[0] / length, a[1] / length]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn knots(places: &[[f32; 2]], corner: bool) -> Vec<Knot> {
        places.iter().map(|place| Knot { place: *place, corner }).collect()
    }

    #[test]
    fn the_line_goes_through_every_knot() {
        let places = [[0.0, 0.0], [1.0, 2.0], [3.0, 1.0], [2.0, -1.0]];
        let points = trace(&knots(&places, false), 0.0);
        let met: Vec<[f32; 2]> = points.iter().step_by(PIECES).copied().collect();
        assert_eq!(met, places);
    }

    #[test]
    fn knots_in_a_row_make_a_straight_line() {
        let points = trace(&knots(&[[0.0, 1.0], [1.0, 1.0], [4.0, 1.0]], false), 0.0);
        assert!(points.iter().all(|point| (point[1] - 1.0).abs() < 1e-6));
        assert!(points.windows(2).all(|pair| pair[1][0] > pair[0][0]));
    }

    #[test]
    fn four_knots_on_a_circle_make_nearly_a_circle() {
        let places = [[1.0, 0.0], [0.0, 1.0], [-1.0, 0.0], [0.0, -1.0], [1.0, 0.0], [0.0, 1.0]];
        let points = trace(&knots(&places, false), 0.0);
        // The curves at the ends are flatter.
        let inner = &points[PIECES..points.len() - PIECES];
        assert!(inner.iter().all(|point| (0.93..1.01).contains(&norm(*point))), "{inner:?}");
    }

    #[test]
    fn the_pen_turns_at_a_corner_unless_it_is_rounded() {
        let corner = knots(&[[0.0, 0.0], [1.0, 0.0], [1.0, 1.0]], true);
        assert!(trace(&corner, 0.0).iter().all(|[x, y]| *y < 1e-6 || (x - 1.0).abs() < 1e-6));
        assert!(trace(&corner, 1.0).iter().any(|[_, y]| *y < -0.01));
    }
}
