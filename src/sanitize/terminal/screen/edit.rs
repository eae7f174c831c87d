//! Edits that remove or move shown text.
//!
//! Every removal passes `may_lose` or `hold`, which keep failures.

use super::{EDITABLE, END_OF_ROW, HISTORY, Screen, text_of};
use crate::sanitize::terminal::failure;
use crate::sanitize::terminal::row::Row;

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
        let allowance = self.allowance;
        match hold(self.current(), allowance) {
            Some(paid) => {
                self.allowance -= paid;
                true
            }
            None => false,
        }
    }

    /// Makes a new row below the current one and goes there.
    pub(super) fn split(&mut self) {
        let column = self.counted_column();
        let row = self.fresh_row(true);
        if self.in_footer {
            let old = std::mem::replace(&mut self.footer[self.row], row);
            self.rows.push_back(old);
        } else {
            self.row += 1;
            self.rows.insert(self.row, row);
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
            // Many programs clear the screen from the first row and column on.
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
                    for above in 0..row {
                        // Most rows above were erased before.
                        if self.rows.get(above).is_some_and(|row| row.size() > 0) {
                            self.row = above;
                            self.erase(0, END_OF_ROW);
                        }
                    }
                    self.row = self.row.max(row.min(self.rows.len() - 1));
                }
            }
            2 => {
                let column = self.counted_column();
                self.new_screen(self.row.min(self.height - 1), column);
            }
            // 3 clears the scrollback, which is kept here.
            _ => {}
        }
    }

    pub(super) fn delete_columns(&mut self, count: usize) {
        let column = self.counted_column();
        let end = column.saturating_add(count);
        if self.current().blank_loses(column..end) && !self.may_lose() || self.current().size() > EDITABLE {
            return self.split();
        }
        self.current().delete(column..end);
    }

    pub(super) fn insert_columns(&mut self, count: usize) {
        let column = self.counted_column();
        let count = count.min(EDITABLE).min(self.allowance);
        if self.current().size() <= EDITABLE {
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
        // One row moves the fewer of those above and below; many move those below once.
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
        let mut held = Vec::new();
        let mut gone: Vec<Row> = self.rows.drain(start..end).collect();
        for row in &mut gone {
            if !row.is_blank() {
                self.overwrites += 1;
                // The row goes, so keeping its text costs nothing.
                hold(row, usize::MAX);
            }
            held.append(&mut row.held);
        }
        self.spare.append(&mut gone);
        self.spare.truncate(HISTORY);
        if held.is_empty() {
            return;
        }
        let heir = start.min(self.rows.len().saturating_sub(1));
        match self.rows.get_mut(heir) {
            Some(row) if heir == start => {
                held.append(&mut row.held);
                row.held = held;
            }
            Some(row) => row.held.append(&mut held),
            None => {
                let mut row = Row::new(true);
                row.held = held;
                self.rows.push_back(row);
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

/// Keeps the row's text as a failure line if text written since the last check reports one. Returns its cost, or `None` if
/// the allowance is too small.
fn hold(row: &mut Row, allowance: usize) -> Option<usize> {
    const AROUND: usize = 64;
    let (near, fresh) = row.take_fresh(AROUND);
    if !failure::reported(&near, fresh) {
        return Some(0);
    }
    let text = text_of(row);
    let line = text.trim_end();
    if row.held.last().is_some_and(|last| failure::identity(last) == failure::identity(line)) {
        // The same line with other counters: the later one replaces it.
        row.held.pop();
    }
    if line.len() > allowance {
        return None;
    }
    row.held.push(line.to_owned());
    Some(line.len())
}
