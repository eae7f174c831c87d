//! The `tersed` binary.

fn main() {}
