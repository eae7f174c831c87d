//! The maps and sets of the hot steps: those of the standard library with a faster hash.
//!
//! The hash has a random seed, as that of the standard ones has: nothing may depend on the order of their entries.

use std::collections::{HashMap, HashSet};

use foldhash::fast::RandomState;

/// A map.
pub type Map<K, V> = HashMap<K, V, RandomState>;
/// A set.
pub type Set<T> = HashSet<T, RandomState>;
