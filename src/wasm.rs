//! What the host of a WebAssembly build gives: the time and random bytes. It is imported from the module `tersed`;
//! `editors/wasm` has such hosts.

#[link(wasm_import_module = "tersed")]
unsafe extern "C" {
    safe fn now_millis() -> f64;
    fn random(at: *mut u8, len: usize);
}

/// Milliseconds since 1970-01-01, UTC.
pub fn unix_millis() -> f64 {
    now_millis()
}

/// Fills bytes at random.
pub fn fill(bytes: &mut [u8]) {
    // SAFETY: the host writes `len` bytes from `at` on, all of which belong to the slice.
    unsafe { random(bytes.as_mut_ptr(), bytes.len()) }
}
