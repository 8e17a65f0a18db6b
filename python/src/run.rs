//! How long work is done: without the interpreter lock, in threads of its own, and until somebody presses Ctrl-C.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::thread;
use std::time::Duration;

use corevar::Observer;
use pyo3::prelude::*;

use crate::errors::{Failure, fault};

/// Between two looks for Ctrl-C.
const LOOK: Duration = Duration::from_millis(50);

/// Stops the work when it is told to.
#[derive(Default)]
pub struct Watcher {
    stopped: AtomicBool,
}

impl Observer for Watcher {
    fn is_interrupted(&self) -> bool {
        self.stopped.load(Ordering::Relaxed)
    }
}

/// Does work in a thread pool that it shares with nobody. Only the thread that called can see signals, and it must not hold the
/// lock while it waits: it looks for them from time to time, and on Ctrl-C ends the work and raises what Python raises.
pub fn run<T: Send>(
    py: Python<'_>,
    threads: Option<usize>,
    work: impl FnOnce(&Watcher) -> Result<T, Failure> + Send,
) -> PyResult<T> {
    let watcher = Watcher::default();
    let (sender, receiver) = channel();
    let (result, raised) = py.detach(move || {
        let watcher = &watcher;
        thread::scope(move |scope| {
            let work = move || {
                let result = catch_unwind(AssertUnwindSafe(|| in_pool(threads, || work(watcher))));
                // The other end is only gone when nobody waits any more.
                let _ = sender.send(());
                result
            };
            let worker = match thread::Builder::new().spawn_scoped(scope, work) {
                Ok(worker) => worker,
                Err(cause) => return (Err(fault(&format!("no thread: {cause}"))), None),
            };
            let mut raised = None;
            while let Err(RecvTimeoutError::Timeout) = receiver.recv_timeout(LOOK) {
                if raised.is_none() {
                    raised = Python::attach(|py| py.check_signals()).err();
                    watcher.stopped.fetch_or(raised.is_some(), Ordering::Relaxed);
                }
            }
            let result = worker.join().unwrap_or_else(Err);
            (result.unwrap_or_else(|panic| Err(fault(&message(&*panic)))), raised)
        })
    });
    match raised {
        Some(error) => Err(error),
        None => result.map_err(PyErr::from),
    }
}

/// A pool of its own: fits at the same time share no queue, and a process that forks takes no dead threads along.
fn in_pool<T: Send>(
    threads: Option<usize>,
    work: impl FnOnce() -> Result<T, Failure> + Send,
) -> Result<T, Failure> {
    let count = threads.unwrap_or_else(available);
    match rayon::ThreadPoolBuilder::new().num_threads(count).build() {
        Ok(pool) => pool.install(work),
        Err(cause) => Err(fault(&format!("no {count} threads: {cause}"))),
    }
}

/// Threads that the machine runs at once.
pub fn available() -> usize {
    thread::available_parallelism().map_or(1, usize::from)
}

fn message(panic: &(dyn std::any::Any + Send)) -> String {
    let text = panic.downcast_ref::<String>().map(String::as_str);
    text.or(panic.downcast_ref::<&str>().copied()).unwrap_or("no message").to_owned()
}
