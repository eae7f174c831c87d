//! Tells binary data from text.
