#![no_main]

corevar_fuzz_targets::target!(corevar_fuzz::readers::matrices());
