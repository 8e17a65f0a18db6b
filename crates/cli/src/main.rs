//! The program `corevar`.

use std::process::ExitCode;

// Training takes and gives back the same large blocks at every step; the system's allocator returns them
// to the kernel each time.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    corevar_cli::main()
}
