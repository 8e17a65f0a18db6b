//! The packed cache: used when it is sound, built anew when it is not.

use std::cell::Cell;
use std::fs;
use std::path::PathBuf;

use crate::common::Folder;
use corevar_data::{Cache, Dataset, Inputs, Pixels, ReadReport, TableOptions, read_with};

struct Fixture {
    folder: Folder,
    table: PathBuf,
    options: TableOptions,
}

impl Fixture {
    fn new() -> Fixture {
        let folder = Folder::new();
        for i in 0..5 {
            folder.picture(&format!("{i}.png"), 6 + i, 7, 3);
        }
        let text =
            "filename,y,split\n0.png,a,train\n1.png,b,train\n2.png,a,train\n3.png,b,test\n4.png,a,test\n";
        let table = folder.write("metadata.csv", text);
        let cache = Cache::Dir(folder.0.join("cache"));
        let options = TableOptions { image_size: Some((4, 3)), cache, ..Default::default() };
        Fixture { folder, table, options }
    }

    /// The data, and whether pictures were decoded.
    fn read(&self) -> (Dataset, ReadReport, bool) {
        let decoded = Cell::new(false);
        let (data, report) = read_with(&self.table, &self.options, &|_, _| decoded.set(true)).unwrap();
        (data, report, decoded.get())
    }

    fn expected(&self) -> Vec<u8> {
        let options = TableOptions { cache: Cache::Off, ..self.options.clone() };
        pixels(&read_with(&self.table, &options, &|_, _| {}).unwrap().0)
    }

    fn files(&self) -> Vec<PathBuf> {
        fs::read_dir(self.folder.0.join("cache")).unwrap().map(|entry| entry.unwrap().path()).collect()
    }

    fn file(&self) -> PathBuf {
        let [file] = self.files().try_into().unwrap();
        file
    }
}

fn pixels(data: &Dataset) -> Vec<u8> {
    let Inputs::Images(images) = data.inputs() else { panic!() };
    let mut all = vec![0; data.len() * images.shape.len()];
    for (row, out) in all.chunks_exact_mut(images.shape.len()).enumerate() {
        images.read_bytes(row, out).unwrap();
    }
    all
}

#[test]
fn the_second_start_decodes_nothing() {
    let fixture = Fixture::new();
    let (data, _, decoded) = fixture.read();
    assert!(decoded);
    assert!(
        matches!(data.inputs(), Inputs::Images(images) if matches!(*images.pixels, Pixels::File { rows: 5, .. }))
    );
    assert_eq!(pixels(&data), fixture.expected());
    let (data, _, decoded) = fixture.read();
    assert!(!decoded);
    assert_eq!(pixels(&data), fixture.expected());
}

#[test]
fn a_changed_picture_or_table_makes_it_stale() {
    let fixture = Fixture::new();
    fixture.read();
    fixture.folder.picture("2.png", 40, 3, 3);
    let (data, _, decoded) = fixture.read();
    assert!(decoded);
    assert_eq!(pixels(&data), fixture.expected());
    fixture.folder.write("metadata.csv", "filename,y,split\n0.png,a,train\n3.png,b,train\n");
    let (data, _, decoded) = fixture.read();
    assert!(decoded);
    assert_eq!(pixels(&data), fixture.expected());
    assert_eq!(fixture.files().len(), 1, "a stale cache is replaced");
}

#[test]
fn other_settings_have_a_cache_of_their_own() {
    let mut fixture = Fixture::new();
    fixture.read();
    fixture.options.image_size = Some((3, 3));
    assert!(fixture.read().2);
    fixture.options.image_size = Some((4, 3));
    assert!(!fixture.read().2);
    assert_eq!(fixture.files().len(), 2);
}

#[test]
fn any_damage_is_noticed_and_mended() {
    let fixture = Fixture::new();
    fixture.read();
    let whole = fs::read(fixture.file()).unwrap();
    let stamp = fs::metadata(fixture.file()).unwrap().modified().unwrap();
    let expected = fixture.expected();
    let mut damaged: Vec<Vec<u8>> = (0..whole.len())
        .step_by(7)
        .map(|at| {
            let mut bytes = whole.clone();
            bytes[at] ^= 0x10;
            bytes
        })
        .collect();
    damaged.extend([
        Vec::new(),
        whole[..40].to_vec(),
        whole[..whole.len() - 1].to_vec(),
        [&whole[..], b"x"].concat(),
    ]);
    damaged.push(vec![0xFF; whole.len()]);
    for bytes in damaged {
        fs::write(fixture.file(), &bytes).unwrap();
        // Even when the time of change does not tell.
        fs::File::options().write(true).open(fixture.file()).unwrap().set_modified(stamp).unwrap();
        let (data, _, decoded) = fixture.read();
        assert!(decoded, "{} bytes", bytes.len());
        assert_eq!(pixels(&data), expected);
        assert_eq!(fs::read(fixture.file()).unwrap(), whole);
    }
}

#[test]
fn a_touched_but_sound_cache_is_used() {
    let fixture = Fixture::new();
    fixture.read();
    let whole = fs::read(fixture.file()).unwrap();
    fs::write(fixture.file(), whole).unwrap();
    assert!(!fixture.read().2);
}

#[test]
fn rows_left_out_are_remembered() {
    let mut fixture = Fixture::new();
    fixture.folder.write("1.png", "nonsense");
    fixture.folder.write("2.png", "");
    fixture.folder.write("0.png", "");
    fixture.folder.write(
        "metadata.csv",
        "filename,y,split\n0.png,a,train\n1.png,b,train\n3.png,a,train\n4.png,b,train\n2.png,a,test\n",
    );
    fixture.options.skip_unreadable = true;
    let (data, report, decoded) = fixture.read();
    let (again, second, decoded_again) = fixture.read();
    assert!(decoded && !decoded_again);
    assert_eq!(pixels(&data), pixels(&again));
    assert_eq!(report, second);
    assert_eq!(report.left_out.len(), 3);
    // Without leave to skip, the cache does not hide the fault.
    fixture.options.skip_unreadable = false;
    let error = read_with(&fixture.table, &fixture.options, &|_, _| {}).unwrap_err();
    assert!(error.to_string().contains("3 of 5 images cannot be decoded"), "{error}");
}

#[test]
fn a_failure_leaves_no_half_written_file() {
    let mut fixture = Fixture::new();
    fixture.options.image_size = None;
    assert!(read_with(&fixture.table, &fixture.options, &|_, _| {}).is_err());
    assert!(fixture.files().is_empty());
}

#[test]
fn a_picture_with_the_size_and_time_of_the_one_before_is_seen() {
    let fixture = Fixture::new();
    let path = fixture.folder.write("0.png", "P2 2 1 255 010 010");
    fixture.folder.write("metadata.csv", "filename,y,split\n0.png,a,train\n1.png,b,train\n");
    fixture.read();
    let before = fs::metadata(&path).unwrap();
    fs::write(&path, "P2 2 1 255 200 200").unwrap();
    fs::File::options().write(true).open(&path).unwrap().set_modified(before.modified().unwrap()).unwrap();
    let after = fs::metadata(&path).unwrap();
    assert_eq!((before.len(), before.modified().unwrap()), (after.len(), after.modified().unwrap()));
    let (data, _, decoded) = fixture.read();
    assert!(decoded, "taken from the cache");
    assert_eq!(pixels(&data), fixture.expected());
}

#[test]
fn what_a_killed_writer_left_is_removed_and_what_another_writes_is_not() {
    let fixture = Fixture::new();
    let cache = fixture.folder.0.join("cache");
    fs::create_dir(&cache).unwrap();
    let at = |name: &str| cache.join(name);
    fs::write(at("old-0123.pixels.partial-999999"), "half").unwrap();
    let written = fs::File::create(at("new-4567.pixels.partial-999998")).unwrap();
    written.lock().unwrap();
    fs::write(at("notes.txt"), "mine").unwrap();
    fixture.read();
    assert!(!at("old-0123.pixels.partial-999999").exists());
    assert!(at("new-4567.pixels.partial-999998").exists() && at("notes.txt").exists());
    assert_eq!(fixture.files().len(), 3, "and the cache itself");
}

#[test]
fn a_cache_that_cannot_be_made_is_an_error() {
    let mut fixture = Fixture::new();
    fixture.options.cache = Cache::Dir(fixture.table.join("below a file"));
    let error = read_with(&fixture.table, &fixture.options, &|_, _| {}).unwrap_err();
    assert!(error.to_string().contains("below a file: cannot create the cache folder"), "{error}");
}

#[test]
fn progress_goes_up_to_the_number_of_pictures() {
    let fixture = Fixture::new();
    let last = Cell::new((0, 0));
    read_with(&fixture.table, &fixture.options, &|done, total| last.set((done, total))).unwrap();
    assert_eq!(last.get(), (5, 5));
}
