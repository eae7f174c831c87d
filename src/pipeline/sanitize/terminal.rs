//! Shows a terminal stream as the terminal would have shown it at the end.
