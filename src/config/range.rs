//! Laying one given value over another, with its range.

use super::BadValue;

/// The largest number that settings without a range of their own take.
pub(super) const WHOLE: u64 = u32::MAX as u64;

/// Lays a value that was given over the one that was there.
pub(super) fn put<T: Copy>(old: &mut T, given: Option<T>) {
    *old = given.unwrap_or(*old);
}

/// The same for a number from `min` to `max`.
pub(super) fn size(
    old: &mut usize,
    (section, key): (&'static str, &'static str),
    given: Option<u64>,
    min: u64,
    max: u64,
) -> Result<(), BadValue> {
    match given {
        Some(value) if value < min || value > max => {
            let (key, value) = (key.to_owned(), value.to_string());
            Err(BadValue { section, key, value, allowed: format!("{min} to {max}") })
        }
        Some(value) => {
            *old = value as usize;
            Ok(())
        }
        None => Ok(()),
    }
}
