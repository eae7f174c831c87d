//! Edits that remove or move shown text.
//!
//! Every removal passes `may_lose` or `hold`, which keep failures.

use super::{EDITABLE, END_OF_ROW, HISTORY, NEAR, Screen, text_of};
use crate::sanitize::terminal::failure;
use crate::sanitize::terminal::row::Row;
use std::collections::VecDeque;

impl Screen {
    /// Call before shown text of the current row is removed: counts the loss, and keeps the text if it reports a failure.
    /// Returns false if the row must not change.
    pub(super) fn may_lose(&mut self) -> bool {
        if self.current().size() > EDITABLE {
            return false;
        }
        if self.counted {
            return true;
        }
        self.counted = true;
        self.overwrites += 1;
        let fresh = self.current().fresh_columns();
        if !self.afford(fresh) {
            return false;
        }
        let (allowance, effort) = (self.allowance, self.effort);
        match hold(self.current(), allowance, effort) {
            Some((paid, looked_at)) => {
                self.allowance -= paid;
                self.effort = self.effort.saturating_sub(looked_at);
                true
            }
            None => false,
        }
    }

    /// Whether an edit may read or move this many columns.
    fn afford(&mut self, columns: usize) -> bool {
        if columns <= NEAR {
            return true;
        }
        let is_left = columns <= self.effort;
        self.effort = self.effort.saturating_sub(columns);
        is_left
    }

    /// Creates a new row below the current one and moves the cursor there.
    pub(super) fn split(&mut self) {
        let column = self.counted_column();
        let row = self.fresh_row(true);
        if self.in_footer {
            let old = std::mem::replace(&mut self.footer[self.row], row);
            self.rows.push_back(old);
        } else {
            self.row += 1;
            self.rows.insert(self.row, row);
            self.cleared = self.cleared.min(self.row);
            if self.rows.len() > 2 * HISTORY && self.row >= HISTORY {
                self.leave(HISTORY);
            } else if self.rows.len() > 2 * HISTORY {
                self.leave(self.row);
            }
        }
        self.column = column.min(EDITABLE);
        self.counted = false;
    }

    pub(super) fn erase_line(&mut self, what: usize) {
        let column = self.counted_column_unless_end(what);
        match what {
            0 => self.erase(column, END_OF_ROW),
            1 => self.erase(0, column.saturating_add(1)),
            2 => self.erase(0, END_OF_ROW),
            _ => {}
        }
    }

    pub(super) fn counted_column_unless_end(&mut self, what: usize) -> usize {
        // At the end there is nothing to erase to the right, and counting would cost a pass over the row.
        if what == 0 && self.column == END_OF_ROW { END_OF_ROW } else { self.counted_column() }
    }

    /// Blanks columns of the current row.
    pub(super) fn erase(&mut self, start: usize, end: usize) {
        self.homed = false;
        if start == END_OF_ROW {
            return;
        }
        let touched = end.min(self.current().size()).saturating_sub(start);
        if !self.afford(touched) {
            return self.split();
        }
        if self.current().blank_loses(start..end) {
            self.counted = false;
            if !self.may_lose() {
                return self.split();
            }
        }
        self.current().blank(start..end);
        self.counted = false;
    }

    pub(super) fn erase_display(&mut self, what: usize) {
        match what {
            // Many programs clear the screen by moving to its start and erasing from there.
            0 if self.homed => self.new_screen(0, 0),
            0 => {
                self.erase_line(0);
                if !self.in_footer {
                    self.remove_rows(self.row + 1, self.rows.len());
                }
            }
            1 => {
                self.erase_line(1);
                if !self.in_footer {
                    let row = self.row;
                    self.homed = false;
                    // Most rows above were erased before.
                    let (from, left) = (self.cleared.min(row), self.left);
                    for above in from..row {
                        if self.rows.get(above).is_some_and(|row| row.size() > 0) {
                            self.row = above;
                            self.erase(0, END_OF_ROW);
                        }
                    }
                    let erased = self.rows.iter().take(row).skip(from).take_while(|row| row.size() == 0);
                    self.cleared = if self.left == left { from + erased.count() } else { 0 };
                    self.row = self.row.max(row.min(self.rows.len() - 1));
                }
            }
            2 => {
                let column = self.counted_column();
                self.new_screen(self.row.min(self.height - 1), column);
            }
            // `3` would clear the scrollback, which is kept here.
            _ => {}
        }
    }

    pub(super) fn delete_columns(&mut self, count: usize) {
        let column = self.counted_column();
        let end = column.saturating_add(count);
        let moved = self.current().size().saturating_sub(column);
        if !self.afford(moved)
            || self.current().blank_loses(column..end) && !self.may_lose()
            || self.current().size() > EDITABLE
        {
            return self.split();
        }
        self.current().delete(column..end);
    }

    pub(super) fn insert_columns(&mut self, count: usize) {
        let column = self.counted_column();
        let count = count.min(EDITABLE).min(self.allowance);
        let moved = self.current().size().saturating_sub(column);
        if self.current().size() <= EDITABLE && self.afford(moved) {
            self.allowance -= count;
            self.current().insert(column, count);
        }
    }

    pub(super) fn insert_rows(&mut self, count: usize) {
        self.settle();
        if self.in_footer {
            return;
        }
        let count = count.min((2 * HISTORY).saturating_sub(self.rows.len())).min(self.allowance);
        self.allowance -= count;
        self.cleared = self.cleared.min(self.row);
        // For one row, the smaller part above or below is moved; for many rows, the part below is moved once.
        if count == 1 {
            let row = self.fresh_row(false);
            self.rows.insert(self.row, row);
        } else if count > 1 {
            let below = self.rows.split_off(self.row);
            for _ in 0..count {
                let row = self.fresh_row(false);
                self.rows.push_back(row);
            }
            self.rows.extend(below);
        }
        self.drop_unfed();
        self.go_to_row(self.row);
    }

    pub(super) fn delete_rows(&mut self, count: usize) {
        self.settle();
        if !self.in_footer {
            self.remove_rows(self.row, self.row.saturating_add(count).min(self.rows.len()));
            if self.row >= self.rows.len() {
                let row = self.fresh_row(true);
                self.rows.push_back(row);
                self.row = self.rows.len() - 1;
            }
        }
    }

    /// Removes rows. Failures among them stay, above the next row or else the previous one.
    pub(super) fn remove_rows(&mut self, start: usize, end: usize) {
        let mut held = VecDeque::new();
        self.cleared = self.cleared.min(start);
        let mut gone: Vec<Box<Row>> = self.rows.drain(start..end).collect();
        for row in &mut gone {
            if !row.is_blank() {
                self.overwrites += 1;
                // The row is removed, so keeping its text costs nothing.
                hold(row, usize::MAX, usize::MAX);
            }
            held = joined(held, std::mem::take(&mut row.held));
        }
        self.spare.append(&mut gone);
        self.spare.truncate(HISTORY);
        if held.is_empty() {
            return;
        }
        let heir = start.min(self.rows.len().saturating_sub(1));
        match self.rows.get_mut(heir) {
            Some(row) if heir == start => row.held = joined(held, std::mem::take(&mut row.held)),
            Some(row) => row.held = joined(std::mem::take(&mut row.held), held),
            None => {
                let mut row = Row::new(true);
                row.held = held;
                self.rows.push_back(Box::new(row));
            }
        }
    }

    pub(super) fn repeat(&mut self, count: usize) {
        let Some(ch) = self.last else { return };
        let count = count.min(EDITABLE).min(self.allowance / ch.len_utf8());
        self.allowance -= count * ch.len_utf8();
        let run: String = std::iter::repeat_n(ch, count).collect();
        if !run.is_empty() {
            self.put(&run);
        }
    }
}

/// Both lists, one after the other. Only the shorter one moves: a row may inherit from many.
fn joined(mut first: VecDeque<String>, mut second: VecDeque<String>) -> VecDeque<String> {
    if first.len() < second.len() {
        first.into_iter().rev().for_each(|line| second.push_front(line));
        return second;
    }
    first.append(&mut second);
    first
}

/// Keeps the row's text as a failure line if text written since the last check reports one. Returns its cost and the columns
/// that were looked at for it, or `None` if the allowance or the effort is too small.
fn hold(row: &mut Row, allowance: usize, effort: usize) -> Option<(usize, usize)> {
    const AROUND: usize = 64;
    let (near, fresh) = row.take_fresh(AROUND);
    if !failure::reported(&near, fresh) {
        return Some((0, 0));
    }
    let size = row.size();
    if size > NEAR && size > effort {
        return None;
    }
    let text = text_of(row);
    let line = text.trim_end();
    if row.held.back().is_some_and(|last| failure::identity(last) == failure::identity(line)) {
        // The same line with other counters: the later one replaces it.
        row.held.pop_back();
    }
    if line.len() > allowance {
        return None;
    }
    row.held.push_back(line.to_owned());
    Some((line.len(), size.saturating_sub(NEAR)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn joined_lists_keep_their_order_whichever_is_longer() {
        let list = |lines: &[&str]| lines.iter().map(|line| (*line).to_owned()).collect::<VecDeque<_>>();
        assert_eq!(joined(list(&["a"]), list(&["b", "c", "d"])), list(&["a", "b", "c", "d"]));
        assert_eq!(joined(list(&["a", "b", "c"]), list(&["d"])), list(&["a", "b", "c", "d"]));
        assert_eq!(joined(list(&["a", "b"]), list(&["c", "d", "e"])), list(&["a", "b", "c", "d", "e"]));
    }
}
