//! Contact sheets of the drawn pictures: `cargo run --release -p corevar-paper --example montage -- KIND OUT.png [SEED]`
//! with the kinds persons (one row per person, four occasions), glasses (each picture without and with), faces,
//! animals, speed.

use std::time::Instant;

use corevar_paper::album::Sex;
use corevar_paper::drawn::{animals, faces};
use rand::SeedableRng;
use rand::rngs::ChaCha8Rng;

/// Pictures side by side.
struct Sheet {
    height: usize,
    width: usize,
    columns: usize,
    pictures: Vec<Vec<u8>>,
}

impl Sheet {
    /// Writes the sheet, every pixel three times as large.
    fn save(&self, path: &str) {
        const ZOOM: usize = 3;
        let rows = self.pictures.len().div_ceil(self.columns);
        let (cell_width, cell_height) = (self.width * ZOOM + 4, self.height * ZOOM + 4);
        let mut sheet = image::RgbImage::new((self.columns * cell_width) as u32, (rows * cell_height) as u32);
        for (number, picture) in self.pictures.iter().enumerate() {
            let (left, top) = (number % self.columns * cell_width, number / self.columns * cell_height);
            for y in 0..self.height * ZOOM {
                for x in 0..self.width * ZOOM {
                    let at = (y / ZOOM * self.width + x / ZOOM) * 3;
                    let pixel = image::Rgb([picture[at], picture[at + 1], picture[at + 2]]);
                    sheet.put_pixel((left + x) as u32, (top + y) as u32, pixel);
                }
            }
        }
        sheet.save(path).expect("the sheet can be written");
    }
}

fn face(person: &faces::Person, view: &faces::View, glasses: bool) -> Vec<u8> {
    let mut pixels = vec![0; faces::SHAPE.len()];
    faces::render(person, view, glasses.then_some(person.glasses), &mut pixels);
    pixels
}

fn animal(kind: animals::Kind, rng: &mut ChaCha8Rng) -> Vec<u8> {
    let mut pixels = vec![0; animals::SHAPE.len()];
    let animal = animals::Animal::draw_of(kind, rng);
    animals::render(&animal, &animals::View::draw(rng), &mut pixels);
    pixels
}

fn face_sheet(pictures: Vec<Vec<u8>>) -> Sheet {
    Sheet { height: faces::SHAPE.height, width: faces::SHAPE.width, columns: 12, pictures }
}

fn sheet(kind: &str, rng: &mut ChaCha8Rng) -> Option<Sheet> {
    let mut pictures = Vec::new();
    for number in 0..72 {
        match kind {
            "persons" if number % 12 == 0 => {
                let person = faces::Person::draw(rng);
                for number in 0..4 {
                    let occasion = faces::Occasion::draw(rng);
                    let mut view = || faces::View::draw_on(occasion.clone(), rng);
                    pictures.extend((0..3).map(|_| face(&person, &view(), number % 2 == 1)));
                }
            }
            "persons" => {}
            "glasses" if number % 2 == 0 => {
                let (person, view) = (faces::Person::draw(rng), faces::View::draw(rng));
                pictures.extend([false, true].map(|glasses| face(&person, &view, glasses)));
            }
            "glasses" => {}
            "faces" => {
                let sex = if number % 2 == 0 { Sex::Woman } else { Sex::Man };
                pictures.push(face(&faces::Person::draw_of(sex, rng), &faces::View::draw(rng), false));
            }
            "animals" => {
                let kind = if number % 2 == 0 { animals::Kind::Horse } else { animals::Kind::Elephant };
                pictures.push(animal(kind, rng));
            }
            _ => return None,
        }
    }
    if kind == "animals" {
        let columns = 12;
        return Some(Sheet { height: animals::SHAPE.height, width: animals::SHAPE.width, columns, pictures });
    }
    Some(face_sheet(pictures))
}

/// Pictures a second on this thread.
fn speed(rng: &mut ChaCha8Rng) {
    let start = Instant::now();
    for number in 0..5_000 {
        std::hint::black_box(face(&faces::Person::draw(rng), &faces::View::draw(rng), number % 2 == 0));
    }
    println!("faces: {:.0} a second", 5_000.0 / start.elapsed().as_secs_f64());
    let start = Instant::now();
    for number in 0..5_000 {
        let kind = if number % 2 == 0 { animals::Kind::Horse } else { animals::Kind::Elephant };
        std::hint::black_box(animal(kind, rng));
    }
    println!("animals: {:.0} a second", 5_000.0 / start.elapsed().as_secs_f64());
}

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let seed = arguments.get(2).and_then(|seed| seed.parse().ok()).unwrap_or(100);
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    match arguments.first().map(String::as_str) {
        Some("speed") => speed(&mut rng),
        Some(kind) => match (sheet(kind, &mut rng), arguments.get(1)) {
            (Some(sheet), Some(path)) => sheet.save(path),
            _ => eprintln!("usage: montage persons|glasses|faces|animals OUT.png [SEED]"),
        },
        None => eprintln!("usage: montage persons|glasses|faces|animals OUT.png [SEED], or montage speed"),
    }
}
