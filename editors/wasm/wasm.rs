//! The engine as a WebAssembly module, for hosts that cannot start a process: messages of JSON-RPC in, answers out.
//!
//! `index.mjs` beside this file is such a host in JavaScript. A host in another language does the same: it gives the imports that
//! `src/wasm.rs` names, puts a text into memory that [`tersed_alloc`] returns, and passes it on with its length. The callee frees
//! what it is passed. An answer is a place in the upper and a length in the lower 32 bits; the caller frees it.

use std::cell::OnceCell;
use std::sync::Arc;

use serde_json::{Value, json};
use tersed::engine::{Engine, Settings};
use tersed::in_process::{answer, io_handler};
use tersed::jsonrpc_core::MetaIoHandler;
use tersed::text::marker::SealKey;

thread_local! {
    static HANDLER: OnceCell<MetaIoHandler<()>> = const { OnceCell::new() };
}

#[cfg(target_family = "wasm")]
#[link(wasm_import_module = "tersed")]
unsafe extern "C" {
    /// Tells the host of an internal fault, after which this instance is not used any more.
    fn failed(at: *const u8, len: usize);
}

/// Tells the host of a panic, which ends the instance.
fn tell_of_panics() {
    #[cfg(target_family = "wasm")]
    std::panic::set_hook(Box::new(|panic| {
        let text = panic.to_string();
        // SAFETY: the host reads the text before it returns.
        unsafe { failed(text.as_ptr(), text.len()) };
    }));
}

/// Memory for `len` bytes, which are zero.
#[unsafe(no_mangle)]
pub extern "C" fn tersed_alloc(len: usize) -> *mut u8 {
    Box::into_raw(vec![0_u8; len].into_boxed_slice()).cast()
}

/// Frees what [`tersed_alloc`] or an answer gave.
///
/// # Safety
///
/// `at` and `len` are those of one piece of memory, which nobody uses any more.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tersed_free(at: *mut u8, len: usize) {
    // SAFETY: the caller's promise.
    drop(unsafe { taken(at, len) });
}

/// Starts the engine. `at` is a JSON object: `options` are `initializationOptions.tersed` of the protocol, `sealKey` 64 hexadecimal
/// digits that markers are sealed with. Returns `{"result": …}` or `{"error": …}` as a request does.
///
/// # Safety
///
/// `at` and `len` are those of memory from [`tersed_alloc`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tersed_start(at: *mut u8, len: usize) -> u64 {
    // SAFETY: the caller's promise.
    let given = unsafe { taken(at, len) };
    tell_of_panics();
    let answer = match started(&given) {
        Ok(capabilities) => json!({ "result": capabilities }),
        Err(message) => json!({ "error": { "code": -32602, "message": message } }),
    };
    given_back(answer.to_string())
}

/// Answers one message; nothing, of length 0, for a notification, and before [`tersed_start`].
///
/// # Safety
///
/// `at` and `len` are those of memory from [`tersed_alloc`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tersed_request(at: *mut u8, len: usize) -> u64 {
    // SAFETY: the caller's promise.
    let message = unsafe { taken(at, len) };
    let message = String::from_utf8_lossy(&message);
    let answer = HANDLER.with(|handler| answer(handler.get()?, &message));
    given_back(answer.unwrap_or_default())
}

fn started(given: &[u8]) -> Result<Value, String> {
    let given: Value = serde_json::from_slice(given).map_err(|e| format!("no JSON: {e}"))?;
    let mut settings = Settings::default();
    if let Some(digits) = given.get("sealKey").filter(|digits| !digits.is_null()) {
        let bytes = digits.as_str().and_then(bytes_of);
        settings.policy.seal_key = SealKey::new(bytes.ok_or("sealKey is not 64 hexadecimal digits")?);
    }
    let engine = Arc::new(Engine::new(settings));
    let capabilities = engine.initialize(given.get("options")).map_err(|error| error.message)?;
    HANDLER.with(|handler| handler.set(io_handler(engine)).map_err(|_| "the engine is started already"))?;
    Ok(capabilities)
}

/// The bytes of a key.
fn bytes_of(digits: &str) -> Option<[u8; SealKey::BYTES]> {
    let mut bytes = [0; SealKey::BYTES];
    if digits.len() != 2 * bytes.len() || !digits.bytes().all(|digit| digit.is_ascii_hexdigit()) {
        return None;
    }
    for (byte, at) in bytes.iter_mut().zip((0..).step_by(2)) {
        *byte = u8::from_str_radix(&digits[at..at + 2], 16).ok()?;
    }
    Some(bytes)
}

/// # Safety
///
/// `at` and `len` are those of memory from [`tersed_alloc`], which nobody uses any more.
unsafe fn taken(at: *mut u8, len: usize) -> Box<[u8]> {
    // SAFETY: the caller's promise.
    unsafe { Box::from_raw(std::ptr::slice_from_raw_parts_mut(at, len)) }
}

fn given_back(text: String) -> u64 {
    let len = text.len() as u64;
    let at = Box::into_raw(text.into_bytes().into_boxed_slice()).cast::<u8>() as usize as u64;
    at << 32 | len
}
