//! Replaces `disk` for WebAssembly, where there are no files: all artifacts stay in memory.

use std::convert::Infallible;
use std::io::{self, Write};
use std::ops::Deref;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// A directory for files; never exists.
pub(super) type PrivateDir = Infallible;

/// The path of a file; never exists.
#[derive(Debug)]
pub(super) struct TempPath(Infallible);

impl Deref for TempPath {
    type Target = Path;

    fn deref(&self) -> &Path {
        match self.0 {}
    }
}

impl AsRef<Path> for TempPath {
    fn as_ref(&self) -> &Path {
        self
    }
}

/// A file; never exists.
#[derive(Debug)]
pub(super) struct NoFile(Infallible);

impl NoFile {
    pub(super) fn into_temp_path(self) -> TempPath {
        match self.0 {}
    }
}

impl Write for NoFile {
    fn write(&mut self, _: &[u8]) -> io::Result<usize> {
        match self.0 {}
    }

    fn flush(&mut self) -> io::Result<()> {
        match self.0 {}
    }
}

/// The place of files; creating one always fails.
#[derive(Debug)]
pub(super) struct Disk;

impl Disk {
    pub(super) fn new(_: PathBuf) -> Self {
        Self
    }

    pub(super) fn file(&mut self) -> io::Result<(NoFile, Arc<PrivateDir>)> {
        Err(io::ErrorKind::Unsupported.into())
    }
}

/// There are no directories of processes that ended.
pub fn remove_leftovers(_: &Path) -> usize {
    0
}
