//! Memory that files of strangers may ask for.
//!
//! A few hundred bytes can claim to be a gigabyte of pixels, and every thread may decode such a file. So a claim is read from the
//! header, refused if it is more than is allowed, and else waits for its share of one budget of the whole program.

use std::fs::File;
use std::io;
use std::path::Path;
use std::sync::{Condvar, Mutex, PoisonError};

use crate::bounded;

/// Bytes for the pictures that are being decoded, over all threads, where nothing else is said. With it the program stays below
/// 512 MB, and a photograph of a hundred megapixels still fits.
pub(crate) const DECODING: u64 = 400_000_000;

/// A packed or sparse file may take this much memory, whatever its size on the disk ...
const FREE: u64 = 128 << 20;

/// ... and beyond that so many bytes for each one on the disk. Features that compress well reach 20.
const EXPANSION: u64 = 100;

/// What pictures that are being decoded take together.
pub(crate) static BUDGET: Budget = Budget { taken: Mutex::new(0), freed: Condvar::new() };

/// Bytes that are taken, and news of those that are free again.
pub(crate) struct Budget {
    taken: Mutex<u64>,
    freed: Condvar,
}

/// A share of a budget; it goes back when this is dropped.
pub(crate) struct Share<'a> {
    budget: &'a Budget,
    bytes: u64,
}

impl Budget {
    /// Waits until `bytes` more stay within `limit`. A claim above the limit is served alone: whoever asks has refused it before.
    pub(crate) fn take(&self, bytes: u64, limit: u64) -> Share<'_> {
        let mut taken = self.taken.lock().unwrap_or_else(PoisonError::into_inner);
        while *taken > 0 && taken.saturating_add(bytes) > limit {
            taken = self.freed.wait(taken).unwrap_or_else(PoisonError::into_inner);
        }
        *taken = taken.saturating_add(bytes);
        Share { budget: self, bytes }
    }
}

impl Drop for Share<'_> {
    fn drop(&mut self) {
        let mut taken = self.budget.taken.lock().unwrap_or_else(PoisonError::into_inner);
        *taken = taken.saturating_sub(self.bytes);
        self.budget.freed.notify_all();
    }
}

/// Bytes that the contents of a packed or sparse file may take in memory.
pub(crate) fn allowed(file: &File) -> io::Result<u64> {
    Ok(on_disk(&file.metadata()?).saturating_mul(EXPANSION).max(FREE))
}

/// Bytes that a file has on the disk: fewer than its length, if it has holes.
fn on_disk(kind: &std::fs::Metadata) -> u64 {
    #[cfg(unix)]
    let blocks = std::os::unix::fs::MetadataExt::blocks(kind).saturating_mul(512);
    #[cfg(not(unix))]
    let blocks = 0;
    // Some file systems do not count.
    if blocks == 0 { kind.len() } else { blocks.min(kind.len()) }
}

/// Whether the machine has memory for so much. A system that promises more than it has would end the program later. Where it does
/// not say what it has, it is asked when the memory is taken.
pub fn fits_machine(bytes: u64) -> bool {
    let told = bounded::read_endless(Path::new("/proc/meminfo"), 1 << 16).unwrap_or_default();
    total_memory(&String::from_utf8_lossy(&told)).is_none_or(|total| bytes <= total / 4 * 3)
}

/// `MemTotal:       24601328 kB`
fn total_memory(text: &str) -> Option<u64> {
    let line = text.lines().find_map(|line| line.strip_prefix("MemTotal:"))?;
    line.trim().strip_suffix("kB")?.trim().parse::<u64>().ok()?.checked_mul(1024)
}

/// `1200 MB`, for messages; never less than is asked for.
pub(crate) fn megabytes(bytes: u64) -> String {
    format!("{} MB", bytes.div_ceil(1_000_000))
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicU64, Ordering};

    use super::*;

    #[test]
    fn shares_never_exceed_the_limit_together() {
        let budget = Budget { taken: Mutex::new(0), freed: Condvar::new() };
        let (now, most) = (AtomicU64::new(0), AtomicU64::new(0));
        std::thread::scope(|scope| {
            for thread in 0..8 {
                let (budget, now, most) = (&budget, &now, &most);
                scope.spawn(move || {
                    for turn in 0..500 {
                        let bytes = 1 + (thread * 31 + turn * 7) % 100;
                        let _share = budget.take(bytes, 100);
                        most.fetch_max(now.fetch_add(bytes, Ordering::SeqCst) + bytes, Ordering::SeqCst);
                        now.fetch_sub(bytes, Ordering::SeqCst);
                    }
                });
            }
        });
        let most = most.into_inner();
        assert!((50..=100).contains(&most), "{most}");
        assert_eq!(*budget.taken.lock().unwrap(), 0, "all came back");
    }

    #[test]
    fn the_memory_of_the_machine_is_a_line_of_the_system() {
        assert_eq!(total_memory("MemFree: 1 kB\nMemTotal:       24601328 kB\n"), Some(24_601_328 << 10));
        assert_eq!(total_memory("MemTotal: much"), None);
        assert!(fits_machine(1 << 20));
        assert!(!cfg!(target_os = "linux") || !fits_machine(1 << 60));
    }

    #[test]
    fn a_file_of_holes_may_not_claim_what_it_does_not_hold() {
        let file = tempfile::tempfile().unwrap();
        file.set_len(10 << 30).unwrap();
        // Not every file system makes holes.
        let holes = allowed(&file).unwrap();
        assert!(holes == FREE || holes == 1000 << 30, "{holes}");
        let full = tempfile::tempfile().unwrap();
        io::Write::write_all(&mut &full, &vec![7; 4 << 20]).unwrap();
        assert_eq!(allowed(&full).unwrap(), 400 << 20);
    }
}
