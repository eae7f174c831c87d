//! Bytes to text: UTF-8, UTF-16 with a byte order mark, and what is neither.
