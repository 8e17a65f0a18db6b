#![no_main]

// A checksum cannot be guessed: it is mended, so that what it covers is looked at.
corevar_fuzz_targets::target!({
    let mut read = corevar_fuzz::readers::states();
    Box::new(move |bytes: &[u8]| {
        let mut bytes = bytes.to_vec();
        corevar_fuzz::readers::mend_state(&mut bytes);
        read(&bytes);
    }) as corevar_fuzz::readers::Reader
});
