//! Maps and sets for the hot steps: those of the standard library with a faster hash.
//!
//! The hash has a random seed, like the standard one: nothing may depend on the order of entries.

use std::collections::{HashMap, HashSet};

use foldhash::fast::RandomState;

/// A map.
pub type Map<K, V> = HashMap<K, V, RandomState>;
/// A set.
pub type Set<T> = HashSet<T, RandomState>;
