//! Removes characters that a reader cannot see: bidirectional controls, zero-width characters, tags.
