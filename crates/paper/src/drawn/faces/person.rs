//! Who is in the picture: everything that stays the same from one picture of a person to the next (but in an album a person may
//! own more glasses than these).

use rand::{Rng, RngExt};

use super::glasses::Glasses;
use crate::album::Sex;
use crate::drawn::draws::{between, chance, normal, weighted};
use crate::drawn::paint::{Rgb, hsv, mix, scaled};

/// A person. Lengths are in pixels of a picture in which the person is of ordinary size.
#[derive(Debug, Clone, PartialEq)]
pub struct Person {
    /// Shows in hair, jaw, brows, lips and beard, in none of them always.
    pub sex: Sex,
    /// Share of this person's pictures with glasses. Depends on nothing else about the person.
    pub habit: f32,
    /// 0 is young, 1 is old.
    pub age: f32,
    /// Colour of the skin in full light.
    pub skin: Rgb,
    /// Outline of the face.
    pub face: Face,
    /// On the head.
    pub hair: Hair,
    /// In the face.
    pub beard: Beard,
    /// Eyes and brows.
    pub eyes: Eyes,
    /// Half the width of the nose, and how far its tip lies below the middle of the face.
    pub nose: [f32; 2],
    /// Lips.
    pub mouth: Mouth,
    /// How far the ears stand out.
    pub ears: f32,
    /// Earrings, where the hair lets them be seen.
    pub earrings: bool,
    /// The glasses the person wears, if any are worn; in an album perhaps one pair of several.
    pub glasses: Glasses,
}

/// Outline of the face.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Face {
    /// Half the width.
    pub width: f32,
    /// Half the height.
    pub height: f32,
    /// 0 is an oval, 1 a square jaw.
    pub jaw: f32,
    /// How pointed the chin is, 0 to 1.
    pub chin: f32,
}

/// What the hair looks like.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Hair {
    /// How it is worn.
    pub style: HairStyle,
    /// Its colour.
    pub colour: Rgb,
    /// How far it stands off the head.
    pub volume: f32,
    /// How far the hairline lies above the middle of the face; a fringe brings it down.
    pub hairline: f32,
    /// Where it is parted: -1 left, 1 right.
    pub parting: f32,
}

/// How hair is worn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum HairStyle {
    /// None.
    Bald,
    /// A few millimetres.
    Cropped,
    /// Down to the ears.
    Short,
    /// Down to the jaw.
    Bob,
    /// Down to the shoulders or further.
    Long,
    /// A large round head of curls.
    Curly,
    /// Tied together on top of the head.
    Updo,
}

/// Hair in the face.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Beard {
    /// Which part of the face it grows on.
    pub style: BeardStyle,
    /// 0 is shaven, 1 hides the skin.
    pub density: f32,
}

/// Where a beard grows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BeardStyle {
    /// Nowhere.
    None,
    /// Cheeks, chin and lip.
    Full,
    /// Chin and lip.
    Goatee,
    /// Lip.
    Moustache,
}

/// Eyes and brows.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Eyes {
    /// Half the distance between them.
    pub spacing: f32,
    /// How far they lie above the middle of the face.
    pub level: f32,
    /// Half the width and half the height of an open eye.
    pub size: [f32; 2],
    /// Colour of the iris.
    pub iris: Rgb,
    /// How dark the sockets are, 0 to 1.
    pub sockets: f32,
    /// Mascara and eye shadow, 0 to 1.
    pub makeup: f32,
    /// Half the thickness of the brows.
    pub brows: f32,
    /// How far the brows lie above the eyes.
    pub brow_height: f32,
    /// How much the brows bend.
    pub brow_arch: f32,
}

/// Lips.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Mouth {
    /// Half the width.
    pub width: f32,
    /// Half the thickness of the lips.
    pub fullness: f32,
    /// How far it lies below the middle of the face.
    pub level: f32,
    /// Colour of the lips.
    pub colour: Rgb,
}

impl Person {
    /// A person of either sex.
    pub fn draw(rng: &mut impl Rng) -> Person {
        let sex = if chance(rng, 0.5) { Sex::Man } else { Sex::Woman };
        Person::draw_of(sex, rng)
    }

    /// A person of that sex.
    pub fn draw_of(sex: Sex, rng: &mut impl Rng) -> Person {
        // How manly the features are: the sexes overlap, and each feature adds a spread of its own.
        let manly = match sex {
            Sex::Man => normal(rng, 1.0, 0.4),
            Sex::Woman => normal(rng, -1.0, 0.4),
        };
        let age = between(rng, 0.0, 1.0);
        let skin = skin(rng);
        let hair = Hair::draw(rng, sex, age, skin);
        Person {
            sex,
            habit: habit(rng),
            age,
            skin,
            face: Face::draw(rng, manly),
            beard: Beard::draw(rng, sex),
            eyes: Eyes::draw(rng, manly, sex),
            nose: [normal(rng, 1.9 + 0.1 * manly, 0.3), normal(rng, 3.4, 0.6)],
            mouth: Mouth::draw(rng, manly, sex, skin),
            ears: normal(rng, 1.7, 0.4),
            earrings: chance(rng, if sex == Sex::Woman { 0.35 } else { 0.06 }),
            hair,
            glasses: Glasses::draw(rng),
        }
    }
}

/// Most wear glasses now and then, as people do who are photographed often; some never, some nearly always.
fn habit(rng: &mut impl Rng) -> f32 {
    let (low, high) = weighted(rng, &[((0.0, 0.05), 0.1), ((0.15, 0.6), 0.8), ((0.6, 0.9), 0.1)]);
    between(rng, low, high)
}

fn skin(rng: &mut impl Rng) -> Rgb {
    let darkness = between(rng, 0.0, 1.0);
    let tone = mix([0.95, 0.78, 0.67], [0.42, 0.27, 0.19], darkness * darkness);
    let redness = normal(rng, 0.0, 0.02);
    [tone[0] + redness, tone[1], tone[2] + normal(rng, 0.0, 0.015)]
}

impl Face {
    fn draw(rng: &mut impl Rng, manly: f32) -> Face {
        Face {
            width: normal(rng, 12.2 + 0.5 * manly, 0.6),
            height: normal(rng, 16.0 + 0.3 * manly, 0.8),
            jaw: normal(rng, 0.45 + 0.26 * manly, 0.14).clamp(0.0, 1.0),
            chin: normal(rng, 0.45 - 0.15 * manly, 0.2).clamp(0.0, 1.0),
        }
    }
}

impl Hair {
    fn draw(rng: &mut impl Rng, sex: Sex, age: f32, skin: Rgb) -> Hair {
        let style = hair_style(rng, sex, age);
        let fringe = chance(rng, if sex == Sex::Woman { 0.3 } else { 0.12 });
        let receded = if sex == Sex::Man { 2.0 * age * rng.random::<f32>() } else { 0.0 };
        Hair {
            style,
            colour: hair_colour(rng, age, skin),
            volume: match style {
                HairStyle::Bald | HairStyle::Cropped => between(rng, 0.2, 0.7),
                HairStyle::Short | HairStyle::Updo => between(rng, 0.8, 2.4),
                HairStyle::Bob | HairStyle::Long => between(rng, 1.0, 2.8),
                HairStyle::Curly => between(rng, 2.5, 5.0),
            },
            hairline: if fringe { normal(rng, 8.2, 0.6) } else { normal(rng, 11.3, 0.8) + receded },
            parting: between(rng, -1.0, 1.0),
        }
    }
}

fn hair_style(rng: &mut impl Rng, sex: Sex, age: f32) -> HairStyle {
    use HairStyle::{Bald, Bob, Cropped, Curly, Long, Short, Updo};
    let styles = match sex {
        Sex::Woman => {
            [(Bald, 0.0), (Cropped, 0.02), (Short, 0.1), (Bob, 0.25), (Long, 0.4), (Curly, 0.1), (Updo, 0.13)]
        }
        Sex::Man => [
            (Bald, 0.04 + 0.12 * age),
            (Cropped, 0.22),
            (Short, 0.54),
            (Bob, 0.04),
            (Long, 0.04),
            (Curly, 0.06),
            (Updo, 0.01),
        ],
    };
    weighted(rng, &styles)
}

fn hair_colour(rng: &mut impl Rng, age: f32, skin: Rgb) -> Rgb {
    const COLOURS: [(Rgb, f32); 6] = [
        ([0.07, 0.06, 0.06], 0.28),
        ([0.2, 0.13, 0.09], 0.28),
        ([0.36, 0.24, 0.15], 0.18),
        ([0.66, 0.5, 0.3], 0.14),
        ([0.8, 0.68, 0.45], 0.07),
        ([0.5, 0.22, 0.11], 0.05),
    ];
    let natural = weighted(rng, &COLOURS);
    // Dark skin goes with dark hair most of the time.
    let natural = if skin[1] < 0.45 && chance(rng, 0.85) { COLOURS[0].0 } else { natural };
    let grey = (age - between(rng, 0.35, 1.3)).clamp(0.0, 0.3) / 0.3;
    mix(scaled(natural, between(rng, 0.8, 1.2)), [0.68, 0.67, 0.66], grey)
}

impl Beard {
    fn draw(rng: &mut impl Rng, sex: Sex) -> Beard {
        use BeardStyle::{Full, Goatee, Moustache, None};
        let style = match sex {
            Sex::Woman => None,
            Sex::Man => weighted(rng, &[(None, 0.42), (Full, 0.38), (Goatee, 0.1), (Moustache, 0.1)]),
        };
        // Most full beards are stubble.
        let density = if style == Full { between(rng, 0.2, 0.9).powf(1.5) } else { between(rng, 0.3, 0.9) };
        Beard { style, density: if style == None { 0.0 } else { density } }
    }
}

impl Eyes {
    fn draw(rng: &mut impl Rng, manly: f32, sex: Sex) -> Eyes {
        const IRIS: [(Rgb, f32); 4] = [
            ([0.22, 0.13, 0.08], 0.6),
            ([0.3, 0.42, 0.55], 0.2),
            ([0.35, 0.38, 0.22], 0.12),
            ([0.4, 0.42, 0.44], 0.08),
        ];
        let painted = chance(rng, if sex == Sex::Woman { 0.55 } else { 0.03 });
        Eyes {
            spacing: normal(rng, 5.2, 0.3),
            level: normal(rng, 2.9, 0.5),
            size: [normal(rng, 2.15, 0.2), normal(rng, 1.15 - 0.06 * manly, 0.15)],
            iris: weighted(rng, &IRIS),
            sockets: between(rng, 0.05, 0.55),
            makeup: if painted { between(rng, 0.2, 1.0) } else { 0.0 },
            brows: normal(rng, 0.7 + 0.18 * manly, 0.14).clamp(0.25, 1.3),
            brow_height: normal(rng, 3.2 - 0.25 * manly, 0.35),
            brow_arch: normal(rng, 0.8 - 0.3 * manly, 0.35),
        }
    }
}

impl Mouth {
    fn draw(rng: &mut impl Rng, manly: f32, sex: Sex, skin: Rgb) -> Mouth {
        let natural = [skin[0] * 0.86, skin[1] * 0.62, skin[2] * 0.62];
        let lipstick = hsv(between(rng, 0.92, 1.02), between(rng, 0.55, 0.85), between(rng, 0.5, 0.85));
        let painted = if chance(rng, if sex == Sex::Woman { 0.45 } else { 0.0 }) {
            between(rng, 0.2, 0.9)
        } else {
            0.0
        };
        Mouth {
            width: normal(rng, 4.1 + 0.1 * manly, 0.4),
            fullness: normal(rng, 0.88 - 0.18 * manly, 0.15).clamp(0.4, 1.5),
            level: normal(rng, 8.4, 0.5),
            colour: mix(natural, lipstick, painted),
        }
    }
}
