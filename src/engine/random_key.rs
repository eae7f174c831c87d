//! Replaces `seal_key` in WebAssembly, which has no files: the key is random and lasts as long as the instance.

use std::sync::OnceLock;

use crate::text::marker::SealKey;

/// The random key of this instance.
pub fn process_key() -> SealKey {
    static KEY: OnceLock<SealKey> = OnceLock::new();
    *KEY.get_or_init(|| {
        let mut bytes = [0; SealKey::BYTES];
        crate::wasm::fill(&mut bytes);
        SealKey::new(bytes)
    })
}
