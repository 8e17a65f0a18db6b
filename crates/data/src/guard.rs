//! Code of others that may panic on files that lie.

use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind, set_hook, take_hook};
use std::sync::Once;

thread_local! {
    static QUIET: Cell<bool> = const { Cell::new(false) };
}

/// Runs a decoder; `None` if it panics. Nothing is printed then: to the user it is one bad file among a million, and
/// the caller has a message for it. Panics elsewhere are reported as before.
pub fn guarded<T>(run: impl FnOnce() -> T) -> Option<T> {
    static HOOK: Once = Once::new();
    HOOK.call_once(|| {
        let report = take_hook();
        set_hook(Box::new(move |panic| {
            if !QUIET.get() {
                report(panic);
            }
        }));
    });
    let before = QUIET.replace(true);
    let result = catch_unwind(AssertUnwindSafe(run));
    QUIET.set(before);
    result.ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panic_becomes_nothing() {
        assert_eq!(guarded(|| 7), Some(7));
        assert_eq!(guarded(|| [1, 2][std::hint::black_box(5)]), None);
        assert!(!QUIET.get(), "later panics are reported");
    }
}
