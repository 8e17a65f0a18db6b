//! Ctrl-C and SIGTERM, from the first moment to the last.
//!
//! While models train, the first signal asks them to keep their state and stop. At any other time there is nothing to keep: every file
//! is whole or not there, so the program ends at once. So does the second signal.

use std::io;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Duration;

use signal_hook::consts::{SIGINT, SIGTERM};
use signal_hook::iterator::Signals;
use signal_hook::low_level;

use crate::output;

/// Exit code of an interrupted program.
pub const INTERRUPTED: u8 = 130;

/// A file that is being written is finished first; on a disk that hangs, not for longer than this.
const PATIENCE: Duration = Duration::from_secs(5);

/// Set by the first signal.
static STOP: AtomicBool = AtomicBool::new(false);
/// Training runs that have begun and are not kept yet.
static RUNNING: AtomicUsize = AtomicUsize::new(0);

/// From now on signals end the program as said above.
pub fn watch() -> io::Result<()> {
    let mut signals = Signals::new([SIGINT, SIGTERM])?;
    let wait = move || {
        for _ in signals.forever() {
            let is_first = !STOP.swap(true, Ordering::SeqCst);
            if !is_first || RUNNING.load(Ordering::SeqCst) == 0 {
                leave();
            }
        }
    };
    std::thread::Builder::new().name("signals".into()).spawn(wait).map(drop)
}

/// Whether somebody asked to stop.
pub fn is_asked() -> bool {
    STOP.load(Ordering::SeqCst)
}

/// A training run has begun: from now on there is something to keep.
pub fn begun() {
    RUNNING.fetch_add(1, Ordering::SeqCst);
}

/// A training run is kept.
pub fn kept() {
    RUNNING.fetch_sub(1, Ordering::SeqCst);
}

/// No run is left, also none that failed.
pub fn none_runs() {
    RUNNING.store(0, Ordering::SeqCst);
}

/// Ends the program if a signal came while models trained, and they did not notice any more.
pub fn check() {
    if is_asked() {
        leave();
    }
}

fn leave() -> ! {
    corevar::prepare_exit(PATIENCE);
    output::note("interrupted");
    low_level::exit(INTERRUPTED.into())
}
