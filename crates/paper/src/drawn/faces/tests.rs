use rand::SeedableRng;
use rand::rngs::ChaCha8Rng;

use super::*;
use crate::album::{Album, FacePhoto, Part, Sex};
use crate::drawn::probe;

fn rng(seed: u64) -> ChaCha8Rng {
    ChaCha8Rng::seed_from_u64(seed)
}

fn picture(person: &Person, view: &View, glasses: bool) -> Vec<u8> {
    let mut pixels = vec![0; SHAPE.len()];
    render(person, view, glasses.then_some(person.glasses), &mut pixels);
    pixels
}

#[test]
fn the_same_seed_gives_the_same_bytes() {
    let draw = |seed| {
        let mut rng = rng(seed);
        let (person, view) = (Person::draw(&mut rng), View::draw(&mut rng));
        picture(&person, &view, true)
    };
    assert_eq!(draw(1), draw(1));
    assert_ne!(draw(1), draw(2));
}

#[test]
fn an_album_is_a_pure_function_of_its_seed() {
    let sizes = AlbumSizes { persons: 40, pictures: 6, ..Default::default() };
    let (one, again, other) = (album(sizes, 3), album(sizes, 3), album(sizes, 4));
    assert_eq!(one.photos, again.photos);
    assert_ne!(one.photos, other.photos);
    let read = |album: &Album<FacePhoto>| {
        let mut pixels = vec![0; SHAPE.len()];
        album.pictures.read(7, None, &mut pixels).unwrap();
        pixels
    };
    assert_eq!(read(&one), read(&again));
    assert_ne!(read(&one), read(&other));
}

#[test]
fn a_person_is_in_one_part_of_the_album() {
    let album = album(AlbumSizes { persons: 50, pictures: 8, ..Default::default() }, 1);
    for photo in &album.photos {
        let expected = match photo.person % 10 {
            8 => Part::Val,
            9 => Part::Test,
            _ => Part::Train,
        };
        assert_eq!(photo.part, expected);
    }
    let count = |person| album.photos.iter().filter(|photo| photo.person == person).count();
    assert!((0..50).all(|person| (5..=8).contains(&count(person))));
}

#[test]
fn glasses_change_the_eyes_and_nothing_else() {
    let mut rng = rng(5);
    for _ in 0..200 {
        let (person, view) = (Person::draw(&mut rng), View::draw(&mut rng));
        let (without, with) = (picture(&person, &view, false), picture(&person, &view, true));
        let changed: Vec<usize> = (0..SHAPE.len())
            .filter(|byte| without[*byte] != with[*byte])
            .map(|byte| byte / 3 / SHAPE.width)
            .collect();
        assert!(changed.len() > 20, "{} bytes", changed.len());
        assert!(changed.iter().all(|line| (20..46).contains(line)), "lines {changed:?}");
    }
}

/// Pictures of persons `from..to`, two each, with the glasses of their habit drawn or left out.
fn by_habit(from: u64, to: u64, drawn: bool) -> Vec<(Vec<u8>, bool)> {
    let mut set = Vec::new();
    for number in from..to {
        let mut rng = rng(1_000 + number);
        let person = Person::draw(&mut rng);
        let wears = person.habit > 0.4;
        for _ in 0..2 {
            set.push((picture(&person, &View::draw(&mut rng), wears && drawn), wears));
        }
    }
    // As many of each class, so that chance is one half.
    let fewer = set.iter().filter(|(_, wears)| *wears).count();
    let mut others = 0;
    set.retain(|(_, wears)| {
        others += usize::from(!wears);
        *wears || others <= fewer
    });
    set
}

#[test]
fn without_the_glasses_there_is_no_sign_of_them() {
    let accuracy = |drawn| probe::accuracy(SHAPE, &by_habit(0, 1_500, drawn), &by_habit(1_500, 3_000, drawn));
    let (with, without) = (accuracy(true), accuracy(false));
    // About 2700 test pictures of 1400 persons: the standard error of chance is below 2 %.
    assert!((0.45..0.55).contains(&without), "{without}");
    assert!(with > 0.62, "{with}");
}

#[test]
fn the_sexes_differ_and_overlap() {
    let set = |from: u64, to: u64| -> Vec<(Vec<u8>, bool)> {
        let face = |number: u64| {
            let mut rng = rng(50_000 + number);
            let person = Person::draw(&mut rng);
            (picture(&person, &View::draw(&mut rng), false), person.sex == Sex::Man)
        };
        (from..to).map(face).collect()
    };
    let accuracy = probe::accuracy(SHAPE, &set(0, 1_500), &set(1_500, 3_000));
    assert!((0.65..0.97).contains(&accuracy), "{accuracy}");
    let mut rng = rng(9);
    let mut draw = |sex| (0..400).map(|_| Person::draw_of(sex, &mut rng)).collect::<Vec<_>>();
    let (women, men) = (draw(Sex::Woman), draw(Sex::Man));
    let long = |people: &[Person]| people.iter().filter(|one| one.hair.style == HairStyle::Long).count();
    let short = |people: &[Person]| people.iter().filter(|one| one.hair.style == HairStyle::Short).count();
    assert!(long(&men) > 3 && long(&women) > 3 * long(&men));
    assert!(short(&women) > 10 && short(&men) > 2 * short(&women));
}

#[test]
fn the_habit_of_glasses_depends_on_nothing() {
    let mut rng = rng(11);
    let people: Vec<Person> = (0..4_000).map(|_| Person::draw(&mut rng)).collect();
    let mean_habit = |wanted: &dyn Fn(&Person) -> bool| {
        let habits: Vec<f32> = people.iter().filter(|one| wanted(one)).map(|one| one.habit).collect();
        habits.iter().sum::<f32>() / habits.len() as f32
    };
    // The standard deviation of a habit is about 0.2, so that of these differences about 0.007.
    for wanted in [
        (&|one: &Person| one.sex == Sex::Man) as &dyn Fn(&Person) -> bool,
        &|one| one.age > 0.5,
        &|one| one.skin[0] > 0.7,
        &|one| one.eyes.brows > 0.7,
    ] {
        let difference = mean_habit(wanted) - mean_habit(&|one| !wanted(one));
        assert!(difference.abs() < 0.03, "{difference}");
    }
}

#[test]
fn pictures_of_one_person_differ_in_many_ways() {
    let mut rng = rng(13);
    let person = Person::draw(&mut rng);
    let pictures: Vec<Vec<u8>> = (0..20).map(|_| picture(&person, &View::draw(&mut rng), false)).collect();
    for (place, one) in pictures.iter().enumerate() {
        for other in &pictures[..place] {
            let sum: u64 = one.iter().zip(other).map(|(a, b)| u64::from(a.abs_diff(*b))).sum();
            assert!(sum as f64 / one.len() as f64 > 10.0);
        }
    }
}
