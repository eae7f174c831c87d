//! Cursor movement, and the status rows below a scroll region.
//!
//! Rows inside a scroll region never scroll away here, so only the rows below it are stored separately. Nothing here changes
//! the content of a row.

use super::{EDITABLE, END_OF_ROW, HISTORY, MAX_FOOTER, Screen};
use crate::sanitize::terminal::escape::Csi;
use crate::sanitize::terminal::row::Row;

impl Screen {
    /// The row the cursor is in.
    pub(super) fn current(&mut self) -> &mut Row {
        if !self.in_footer {
            self.cleared = self.cleared.min(self.row);
        }
        if self.in_footer { &mut self.footer[self.row] } else { &mut self.rows[self.row] }
    }

    /// The cursor's column as a number.
    pub(super) fn counted_column(&mut self) -> usize {
        if self.column == END_OF_ROW {
            self.column = self.current().width();
        }
        self.column
    }

    /// Ends the operation at the cursor's old place.
    pub(super) fn settle(&mut self) {
        self.counted = false;
        self.homed = false;
    }

    pub(super) fn go_to_column(&mut self, column: usize) {
        self.settle();
        // A limit that no screen reaches, so that sums stay small.
        self.column = column.min(self.current().size() + EDITABLE);
    }

    pub(super) fn up(&mut self, count: usize) {
        self.counted_column();
        self.settle();
        if self.in_footer {
            self.in_footer = false;
            self.row = self.rows.len();
        }
        self.row = self.row.saturating_sub(count);
    }

    pub(super) fn down(&mut self, count: usize) {
        self.counted_column();
        self.settle();
        if !self.in_footer {
            self.go_to_row(self.row.saturating_add(count));
        }
    }

    /// Moves to the row; creates rows within the reach of a screen and the allowance.
    pub(super) fn go_to_row(&mut self, row: usize) {
        let row = row.min(HISTORY.max(self.rows.len()) - 1);
        let missing = (row + 1).saturating_sub(self.rows.len()).min(self.allowance);
        self.allowance -= missing;
        for _ in 0..missing {
            let row = self.fresh_row(false);
            self.rows.push_back(row);
        }
        self.row = row.min(self.rows.len() - 1);
    }

    /// An absolute move; both count from 1.
    pub(super) fn go_to(&mut self, row: usize, column: usize) {
        self.in_footer = false;
        let tall = self.rows.len();
        match self.bottom {
            Some(bottom) if row > bottom => self.go_to_footer(row - bottom - 1),
            Some(bottom) if tall > bottom => self.go_to_row(tall - bottom + row - 1),
            _ if self.left == 0 && tall <= self.height.max(row) => self.go_to_row(row - 1),
            // The stream addresses more rows than the screen has, so it is unknown which rows are still on it: none is
            // changed.
            _ => {
                if row == 1 && self.anchored && self.left == 0 {
                    self.height = tall;
                }
                self.new_screen(row - 1, column - 1);
            }
        }
        self.height = self.height.max(row.min(HISTORY));
        self.anchored |= row == 1;
        self.go_to_column(column - 1);
        self.homed = row == 1 && column == 1 && !self.in_footer;
    }

    pub(super) fn save(&mut self) {
        let column = self.counted_column();
        let row = if self.in_footer { self.rows.len() - 1 } else { self.row };
        self.saved = (self.left + row, column);
    }

    pub(super) fn restore(&mut self) {
        self.in_footer = false;
        self.go_to_row(self.saved.0.saturating_sub(self.left));
        self.go_to_column(self.saved.1);
    }

    pub(super) fn set_bottom(&mut self, csi: &Csi) {
        self.place_footer();
        let (top, bottom) = (csi.param(0, 1), csi.param(1, 0));
        self.bottom = (top == 1 && (2..=HISTORY).contains(&bottom)).then_some(bottom);
    }

    pub(super) fn go_to_footer(&mut self, row: usize) {
        let row = row.min(MAX_FOOTER - 1);
        while self.footer.len() <= row {
            self.footer.push(Box::new(Row::new(false)));
        }
        (self.in_footer, self.row) = (true, row);
    }

    /// Puts the status rows below the last row.
    pub(super) fn place_footer(&mut self) {
        if self.in_footer {
            self.in_footer = false;
            self.row += self.rows.len();
        }
        if self.footer.iter().any(|row| !row.is_blank() || !row.held.is_empty()) {
            self.rows.extend(self.footer.drain(..));
        }
        self.footer.clear();
        self.row = self.row.min(self.rows.len() - 1);
    }
}
