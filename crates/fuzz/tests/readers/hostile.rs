//! Small files that claim to be large, on two threads.

use corevar_data::import::{ImportOptions, Source, import};
use corevar_data::{Cache, TableOptions, read};
use corevar_fuzz::{Hostile, HostileKind, peak_of, write_hostile};

use crate::MEMORY;

/// As the program calls the reader.
fn take_in(folder: &std::path::Path, hostile: &Hostile) {
    let usual = TableOptions { cache: Cache::Off, ..Default::default() };
    let Hostile { name, kind } = hostile;
    let _ = match kind {
        HostileKind::Picture => {
            let options = TableOptions { image_size: Some((8, 8)), ..usual };
            read(&folder.join(format!("{name}.csv")), &options).map(drop)
        }
        HostileKind::Matrix => {
            let options = TableOptions { features_file: Some(folder.join(name)), ..usual };
            read(&folder.join("matrix.csv"), &options).map(drop)
        }
        HostileKind::Table => read(&folder.join(name), &usual).map(drop),
        HostileKind::Digits => {
            let out = folder.join("out");
            import(Source::Mnist, &folder.join(name), &out, &ImportOptions::default(), &|_, _| {}).map(drop)
        }
    };
}

#[test]
fn no_hostile_file_takes_much_memory() {
    let folder = tempfile::tempdir().unwrap();
    let all = write_hostile(folder.path()).unwrap();
    let pool = rayon::ThreadPoolBuilder::new().num_threads(2).build().unwrap();
    let mut greedy = Vec::new();
    for hostile in &all {
        let taken = peak_of(&MEMORY, || pool.install(|| take_in(folder.path(), hostile)));
        eprintln!("{}: {} MB", hostile.name, taken >> 20);
        if taken > corevar_fuzz::MOST_MEMORY {
            greedy.push((hostile.name, taken >> 20));
        }
    }
    assert!(greedy.is_empty(), "in MB: {greedy:?}");
}
