//! Damaged files for readers: thousands per second, drawn from seeds, so that a case can be seen again. [`readers`] has the readers,
//! also for cargo-fuzz.
//!
//! A reader gets two seconds in `make test`; `make fuzz READER=models` gives it ten minutes. Variables:
//! `COREVAR_FUZZ_SECONDS` for each reader, `COREVAR_FUZZ_START` for other cases. A case that fails is written to a file
//! and named; the file belongs into `corpus/<reader>`, which every later run begins with.

mod hostile;
mod hostile_tables;
mod json;
mod mutate;
pub mod readers;

use std::fs;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::time::{Duration, Instant};

pub use peak_alloc::PeakAlloc;
use rand::SeedableRng;
use rand::rngs::ChaCha8Rng;

pub use hostile::{Hostile, HostileKind, write_hostile};
pub use json::damaged_json;
pub use mutate::damaged;

/// A case that takes longer has lost its way.
const PATIENCE: Duration = Duration::from_secs(10);

/// A reader of small files that takes more has believed one of them. A lossless WebP of a hundred bytes can name 65536 tables,
/// for which its decoder takes 290 MB.
pub const MOST_MEMORY: usize = 512 << 20;

/// One reader at a time, so that what is counted is its own.
static ALONE: Mutex<()> = Mutex::new(());

/// Bytes that `run` takes at most at one time.
pub fn peak_of(memory: &PeakAlloc, run: impl FnOnce()) -> usize {
    let _alone = ALONE.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
    memory.reset_peak_usage();
    let before = memory.current_usage();
    run();
    memory.peak_usage().saturating_sub(before)
}

/// How sound files are damaged.
pub type Damage = fn(&mut ChaCha8Rng, &[Vec<u8>]) -> Vec<u8>;

/// The files of a folder with one of these endings (all without any), in order of their names.
///
/// # Panics
/// When the folder cannot be read.
pub fn files(folder: &Path, endings: &[&str]) -> Vec<Vec<u8>> {
    let entries = fs::read_dir(folder).unwrap_or_else(|cause| panic!("{}: {cause}", folder.display()));
    let mut files: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
    let fits = |file: &PathBuf| {
        endings.is_empty() || endings.iter().any(|ending| file.to_string_lossy().ends_with(ending))
    };
    files.retain(fits);
    files.sort();
    files.iter().filter_map(|file| fs::read(file).ok()).collect()
}

/// The files that are kept for a reader, in `corpus/<name>`.
///
/// # Panics
/// When there are none.
pub fn corpus(name: &str) -> Vec<Vec<u8>> {
    let files = files(&Path::new(env!("CARGO_MANIFEST_DIR")).join("corpus").join(name), &[]);
    assert!(!files.is_empty(), "corpus/{name} is empty");
    files
}

/// Gives a reader the sound files, then damaged ones until its time is up. One reader at a time, so that `memory` is its own.
///
/// # Panics
/// When the reader panics, takes too long or too much memory; the case is named and written to a file.
pub fn fuzz(
    name: &str,
    memory: Option<&PeakAlloc>,
    corpus: &[Vec<u8>],
    damage: Damage,
    mut read: impl FnMut(&[u8]),
) {
    let _alone = ALONE.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
    let number =
        |name: &str, usual: f64| std::env::var(name).ok().and_then(|text| text.parse().ok()).unwrap_or(usual);
    let time = Duration::from_secs_f64(number("COREVAR_FUZZ_SECONDS", 2.0));
    let first = number("COREVAR_FUZZ_START", 0.0) as u64;
    corpus.iter().enumerate().for_each(|(place, bytes)| {
        check(&format!("{name}: file {place} of the corpus"), memory, bytes, &mut read);
    });
    let (start, mut next, mut most) = (Instant::now(), first, 0);
    while start.elapsed() < time || next == first {
        let bytes = damage(&mut ChaCha8Rng::seed_from_u64(next), corpus);
        most = most.max(check(&format!("{name}: case {next}"), memory, &bytes, &mut read));
        next += 1;
    }
    let (cases, seconds, most) = (next - first, start.elapsed().as_secs_f64(), most >> 10);
    eprintln!("{name}: {cases} cases in {seconds:.0} s without a finding, at most {most} kB");
}

/// The memory that one case took.
fn check(case: &str, memory: Option<&PeakAlloc>, bytes: &[u8], read: &mut impl FnMut(&[u8])) -> usize {
    let start = Instant::now();
    let before = memory.map_or(0, |memory| {
        memory.reset_peak_usage();
        memory.current_usage()
    });
    let ended = catch_unwind(AssertUnwindSafe(|| read(bytes)));
    let taken = memory.map_or(0, PeakAlloc::peak_usage).saturating_sub(before);
    let fault = match ended {
        Err(_) => "it panicked".into(),
        Ok(()) if start.elapsed() > PATIENCE => format!("it took {:?}", start.elapsed()),
        Ok(()) if taken > MOST_MEMORY => format!("it took {} MB", taken >> 20),
        Ok(()) => return taken,
    };
    let file = std::env::temp_dir().join(format!("finding-{}", case.replace([':', ' '], "-")));
    let kept = fs::write(&file, bytes).map_or("nowhere".into(), |()| file.display().to_string());
    panic!("{case}: {fault}; the file is in {kept}");
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_reader_that_panics_is_found() {
        let corpus = [b"sound".to_vec()];
        let reader = |bytes: &[u8]| assert!(bytes == b"sound");
        let found = catch_unwind(|| fuzz("strict", None, &corpus, damaged, reader));
        let message = found.unwrap_err().downcast::<String>().map(|text| *text).unwrap_or_default();
        assert!(message.starts_with("strict: case 0: it panicked; the file is in "), "{message}");
        fuzz("lenient", None, &corpus, damaged, |_| {});
    }
}
