//! What all targets share.

use std::panic::{AssertUnwindSafe, catch_unwind, set_hook, take_hook};
use std::sync::{LazyLock, Mutex};

use corevar_fuzz::readers::Reader;
use corevar_fuzz::{MOST_MEMORY, PeakAlloc};
#[doc(hidden)]
pub use libfuzzer_sys::fuzz_target;

/// Counts what is asked for: libFuzzer sees only what is used, and without a sanitizer no single request.
#[global_allocator]
static MEMORY: PeakAlloc = PeakAlloc;

/// A reader that is prepared when the first case comes.
pub type Prepared = LazyLock<Mutex<Reader>>;

/// A target that gives every case to one reader.
#[macro_export]
macro_rules! target {
    ($reader:expr) => {
        static READER: $crate::Prepared = ::std::sync::LazyLock::new(|| $crate::prepared($reader));

        $crate::fuzz_target!(|bytes: &[u8]| $crate::check(&READER, bytes));
    };
}

/// libFuzzer's hook ends the program at every panic, also at those of decoders that the readers catch. Here only a panic that
/// leaves the reader counts.
pub fn prepared(reader: Reader) -> Mutex<Reader> {
    drop(take_hook());
    set_hook(Box::new(|_| {}));
    Mutex::new(reader)
}

/// Ends the program if the reader panics, or asks for more memory than a case may have.
pub fn check(reader: &Prepared, bytes: &[u8]) {
    let mut read = reader.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
    MEMORY.reset_peak_usage();
    let before = MEMORY.current_usage();
    if let Err(panic) = catch_unwind(AssertUnwindSafe(|| read(bytes))) {
        let message = panic.downcast_ref::<String>().map(String::as_str);
        eprintln!("a panic: {}", message.or(panic.downcast_ref::<&str>().copied()).unwrap_or("no message"));
        std::process::abort();
    }
    let taken = MEMORY.peak_usage().saturating_sub(before);
    if taken > MOST_MEMORY {
        eprintln!("a case took {} MB", taken >> 20);
        std::process::abort();
    }
}
