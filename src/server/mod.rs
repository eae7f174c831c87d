//! The wire: the only async part.
