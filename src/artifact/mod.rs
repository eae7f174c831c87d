//! The store of originals: redacted, addressed by content digest, bounded.
