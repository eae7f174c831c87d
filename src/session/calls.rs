//! The calls that a session knows, each with a number. They are stored in a few large blocks that grow: many small
//! allocations that live forever would fragment the heap.

use std::collections::HashMap;
use std::hash::Hash;
use std::sync::Arc;

use super::Fingerprint;
use crate::memory::size;
use crate::pipeline::repeat::dedup::{Decision, Key};

/// Digest of a call id. Hosts choose ids freely, so a strong hash keeps different ids apart.
pub(super) type Digest = [u8; 16];

/// The digest of an id.
pub(super) fn digest(id: &str) -> Digest {
    let mut half = Digest::default();
    half.copy_from_slice(&blake3::hash(id.as_bytes()).as_bytes()[..16]);
    half
}

/// One variant of a call. Most calls of a session share most of their decision, so that part is stored once.
#[derive(Debug, Clone)]
pub(super) struct Variant {
    pub(super) fingerprint: Fingerprint,
    pub(super) key: Option<Key>,
    pub(super) similarity_hash: Option<u64>,
    /// The decision without the two fields above.
    pub(super) rest: Arc<Decision>,
}

impl Variant {
    pub(super) fn decision(&self) -> Decision {
        Decision { key: self.key, similarity_hash: self.similarity_hash, ..(*self.rest).clone() }
    }

    fn is_plain(&self) -> bool {
        self.rest.duplicate_of.is_none() && self.rest.references.is_empty()
    }
}

#[derive(Debug, Clone)]
struct Known {
    /// The first variant.
    first: Variant,
    /// Whether every variant shows the same result and none is a reference. Only then is it certain what the model sees
    /// under this id.
    is_plain: bool,
    /// Whether the call came again with other bytes or another policy.
    has_more: bool,
}

/// The table of calls; see the module.
#[derive(Debug, Default, Clone)]
pub(super) struct Calls {
    numbers: HashMap<Digest, u32, foldhash::fast::RandomState>,
    /// The bytes of all ids joined, and the end of each.
    ids: Vec<u8>,
    ends: Vec<u32>,
    known: Vec<Known>,
    /// Further variants, for the few calls that have some.
    more: HashMap<u32, Vec<Variant>>,
    /// Bytes of the lists in `more`.
    more_bytes: usize,
}

/// Most bytes that all ids of a session may take.
const MAX_ID_BYTES: usize = u32::MAX as usize;

impl Calls {
    pub(super) fn len(&self) -> usize {
        self.known.len()
    }

    /// Whether there is room for one more id.
    pub(super) fn has_room(&self) -> bool {
        self.ids.len() <= MAX_ID_BYTES / 2 && self.known.len() < MAX_ID_BYTES
    }

    pub(super) fn number(&self, id: &str) -> Option<u32> {
        self.numbers.get(&digest(id)).copied()
    }

    /// The id of a call by its number.
    pub(super) fn id(&self, number: u32) -> &str {
        let at = number as usize;
        let start = at.checked_sub(1).and_then(|before| self.ends.get(before)).map_or(0, |end| *end as usize);
        let end = self.ends.get(at).map_or(start, |end| *end as usize);
        std::str::from_utf8(self.ids.get(start..end).unwrap_or_default()).unwrap_or_default()
    }

    /// All variants of a call, oldest first.
    pub(super) fn variants(&self, number: u32) -> impl Iterator<Item = &Variant> {
        let known = self.known.get(number as usize);
        let more = known.filter(|known| known.has_more).and_then(|_| self.more.get(&number));
        known.map(|known| &known.first).into_iter().chain(more.into_iter().flatten())
    }

    /// Whether a call has only one variant.
    pub(super) fn is_single(&self, number: u32) -> bool {
        self.known.get(number as usize).is_none_or(|known| !known.has_more)
    }

    /// Whether it is certain what the model sees under the id of a call.
    pub(super) fn is_plain(&self, number: u32) -> bool {
        self.known.get(number as usize).is_some_and(|known| known.is_plain)
    }

    /// Adds a new variant of a call. Returns the number of the call.
    pub(super) fn add(&mut self, id: &str, new: Variant) -> u32 {
        let digest = digest(id);
        if let Some(&number) = self.numbers.get(&digest) {
            self.add_variant(number, new);
            return number;
        }
        let number = self.known.len() as u32;
        self.numbers.insert(digest, number);
        size::reserve(&mut self.ids, id.len());
        self.ids.extend_from_slice(id.as_bytes());
        size::reserve(&mut self.ends, 1);
        self.ends.push(self.ids.len() as u32);
        size::reserve(&mut self.known, 1);
        self.known.push(Known { is_plain: new.is_plain(), first: new, has_more: false });
        number
    }

    fn add_variant(&mut self, number: u32, new: Variant) {
        let key = self.variants(number).find_map(|known| known.key);
        let Some(known) = self.known.get_mut(number as usize) else { return };
        // Once false, it stays false. So an id that a host reuses for many calls stays cheap.
        known.is_plain &= new.is_plain()
            && (key.is_none() || new.key.is_none() || key == new.key)
            && known.first.fingerprint.content == new.fingerprint.content;
        known.has_more = true;
        let more = self.more.entry(number).or_default();
        let before = size::list(more);
        more.push(new);
        self.more_bytes += size::list(more) - before;
    }

    /// Bytes of memory, without the data to which decisions point.
    pub(super) fn bytes(&self) -> usize {
        size::table(&self.numbers)
            + size::list(&self.ids)
            + size::list(&self.ends)
            + size::list(&self.known)
            + size::table(&self.more)
            + self.more_bytes
    }
}
/// Removes the entries of calls that left the context.
pub(super) fn keep<K: Clone + Eq + Hash>(of: &mut Arc<HashMap<K, u32>>, is_there: impl Fn(u32) -> bool) {
    if of.values().any(|call| !is_there(*call)) {
        Arc::make_mut(of).retain(|_, call| is_there(*call));
    }
}
