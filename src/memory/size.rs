//! The memory of values, including the overhead of the allocator: for small results, counting only texts would be
//! wrong by a factor of ten. Only lengths are read, never content.

use std::collections::{HashMap, VecDeque};
use std::mem::size_of;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Bytes that an allocation of `n` bytes takes, with its header and rounding.
pub fn block(n: usize) -> usize {
    if n == 0 { 0 } else { (n + 8).next_multiple_of(16).max(32) }
}

/// Bytes of the entries of a list.
pub fn list<T>(items: &Vec<T>) -> usize {
    block(items.capacity() * size_of::<T>())
}

/// Reserves room in a long-lived list: a quarter more instead of doubling, which would leave half of it empty.
pub fn reserve<T>(items: &mut Vec<T>, more: usize) {
    if items.capacity() - items.len() < more {
        items.reserve_exact(more.max(items.len() / 4).max(4));
    }
}

/// Bytes of the entries of a queue.
pub fn queue<T>(items: &VecDeque<T>) -> usize {
    block(items.capacity() * size_of::<T>())
}

/// Bytes of the table of a map, without what its entries point to.
pub fn table<K, V, S>(map: &HashMap<K, V, S>) -> usize {
    // Tables are filled to seven eighths, and each place has one extra byte.
    let places = if map.capacity() == 0 { 0 } else { (map.capacity() * 8 / 7).next_power_of_two() };
    block(places * (size_of::<(K, V)>() + 1))
}

/// Bytes of a shared text.
pub fn shared(text: &Arc<str>) -> usize {
    block(text.len() + 2 * size_of::<usize>())
}

/// One part of a shared total of bytes. Its bytes are subtracted when it is dropped.
#[derive(Debug, Default)]
pub struct Share {
    whole: Arc<AtomicUsize>,
    bytes: usize,
}

impl Share {
    /// A part with zero bytes.
    pub fn of(whole: &Arc<AtomicUsize>) -> Self {
        Self { whole: Arc::clone(whole), bytes: 0 }
    }

    /// Sets the current number of bytes.
    pub fn set(&mut self, bytes: usize) {
        // Adds first, then subtracts, so that the total never underflows.
        self.whole.fetch_add(bytes, Ordering::Relaxed);
        self.whole.fetch_sub(self.bytes, Ordering::Relaxed);
        self.bytes = bytes;
    }

    /// The current number of bytes.
    pub fn bytes(&self) -> usize {
        self.bytes
    }
}

impl Clone for Share {
    /// Another part of the same total, with zero bytes.
    fn clone(&self) -> Self {
        Self::of(&self.whole)
    }
}

impl Drop for Share {
    fn drop(&mut self) {
        self.whole.fetch_sub(self.bytes, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_add_up_and_go_with_their_holder() {
        let whole = Arc::default();
        let (mut a, mut b) = (Share::of(&whole), Share::of(&whole));
        a.set(100);
        b.set(50);
        a.set(30);
        assert_eq!((whole.load(Ordering::Relaxed), a.bytes()), (80, 30));
        drop(a);
        assert_eq!(whole.load(Ordering::Relaxed), 50);
        drop(b);
        assert_eq!(whole.load(Ordering::Relaxed), 0);
    }

    #[test]
    fn blocks_are_what_allocators_give() {
        assert_eq!([0, 1, 24, 25, 100].map(block), [0, 32, 32, 48, 112]);
    }
}
