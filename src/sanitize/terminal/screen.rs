//! The simulated screen: rows, a cursor, and the effects of control sequences.
//!
//! Rows more than `HISTORY` above are final and move to the output. A clear makes all rows final and starts a new screen
//! below, so no shown text is lost. Memory does not depend on the numbers in a sequence: blanks and rows from cursor moves
//! are limited in proportion to the input.

mod cursor;
mod edit;

use super::escape::{Csi, draw_lines};
use super::{failure, row::Row};
use std::borrow::Cow;
use std::collections::{BTreeSet, VecDeque};

/// Rows that the cursor can still reach. Up to twice as many are held, so that they move to the output in blocks.
const HISTORY: usize = 200;
/// Longest row, in columns, that can be edited. Terminals wrap far earlier. A longer row stays, and the edit starts a new
/// row below it.
const EDITABLE: usize = 4096;
/// The assumed minimum height of a screen: that of the VT100, and of nearly all pseudo-terminals.
const MIN_HEIGHT_ROWS: usize = 24;
/// Columns that an edit may read or move without counting as effort.
const NEAR: usize = 256;
/// Columns that edits may read or move: for each byte of the stream, and at least in any stream.
const EFFORT: usize = 32;
const MIN_EFFORT: usize = 1 << 16;
/// Most rows that a status bar below a scroll region may have.
const MAX_FOOTER: usize = 8;
/// The column "end of the row", for rows whose width was not computed yet.
const END_OF_ROW: usize = usize::MAX;

/// The result of [`Screen::finish`].
pub(super) struct Shown {
    pub(super) text: String,
    pub(super) overwrites: usize,
    pub(super) kept_failures: usize,
    pub(super) cleared_screens: usize,
}

/// The screen.
pub(super) struct Screen {
    out: String,
    /// Boxed, so that inserting and removing rows moves little memory.
    rows: VecDeque<Box<Row>>,
    #[allow(clippy::vec_box, reason = "they go into `rows`")]
    spare: Vec<Box<Row>>,
    /// The number of first rows that are known to be empty.
    cleared: usize,
    /// Index into `rows`, or into `footer` while `in_footer`.
    row: usize,
    column: usize,
    in_footer: bool,
    /// Status rows below the scroll region (apt's progress bar).
    #[allow(clippy::vec_box, reason = "they go into `rows`")]
    footer: Vec<Box<Row>>,
    /// The scroll region's last row counted from 1, where one is set.
    bottom: Option<usize>,
    /// Rows of this screen that were moved to the output.
    left: usize,
    /// Row counted from the screen's first, and column.
    saved: (usize, usize),
    /// The lowest row, counted from 1, that the stream has addressed, or the height it has shown to have.
    height: usize,
    /// The screen began with a clear or a jump to its first row.
    anchored: bool,
    /// The cursor was moved to the first row and column, and nothing happened since.
    homed: bool,
    /// The current overwriting is already counted.
    counted: bool,
    drawing: bool,
    last: Option<char>,
    /// Blanks, rows and kept lines that may still be created without input.
    allowance: usize,
    /// Columns that edits may still read or move, except near ones. After that, rows are no longer edited; text goes
    /// to new rows.
    effort: usize,
    overwrites: usize,
    kept_failures: usize,
    cleared_screens: usize,
}

impl Screen {
    /// A blank screen for a stream of `len` bytes.
    pub(super) fn new(len: usize) -> Self {
        Self {
            out: String::with_capacity(len),
            rows: VecDeque::from([Box::new(Row::new(true))]),
            spare: Vec::new(),
            cleared: 0,
            row: 0,
            column: 0,
            in_footer: false,
            footer: Vec::new(),
            bottom: None,
            left: 0,
            saved: (0, 0),
            height: MIN_HEIGHT_ROWS,
            anchored: false,
            homed: false,
            counted: false,
            drawing: false,
            last: None,
            allowance: EDITABLE + 2 * len,
            effort: MIN_EFFORT + EFFORT * len,
            overwrites: 0,
            kept_failures: 0,
            cleared_screens: 0,
        }
    }

    /// Writes printable text at the cursor.
    pub(super) fn put(&mut self, run: &str) {
        let drawn = if self.drawing { draw_lines(run) } else { Cow::Borrowed(run) };
        let run = drawn.as_ref();
        self.homed = false;
        self.last = match run.as_bytes().last() {
            Some(&byte) if byte < 0x80 => Some(char::from(byte)),
            _ => run.chars().next_back(),
        };
        let column = self.column;
        let current = self.current();
        if column == END_OF_ROW || current.known_width() == Some(column) {
            current.append(run);
            self.column = current.known_width().unwrap_or(END_OF_ROW);
            self.counted = false;
            return;
        }
        self.put_inside(run);
    }

    fn put_inside(&mut self, run: &str) {
        let width = self.current().width();
        if self.column >= width {
            let wanted = (self.column - width).min(EDITABLE);
            let paid = if wanted <= self.allowance { wanted } else { usize::from(width > 0).min(wanted) };
            self.allowance = self.allowance.saturating_sub(paid);
            self.current().pad(width + paid);
            self.column = END_OF_ROW;
            self.current().append(run);
            self.column = self.current().known_width().unwrap_or(END_OF_ROW);
            return;
        }
        let column = self.column;
        if self.current().write_loses(column, run) && !self.may_lose() {
            return self.put_below(run);
        }
        self.column = self.current().write(column, run);
    }

    /// Keeps the row as it is, and continues in a new row below.
    fn put_below(&mut self, run: &str) {
        self.split();
        self.current().append(run);
        self.column = self.current().known_width().unwrap_or(END_OF_ROW);
    }

    /// `\n`: the start of the next row.
    pub(super) fn line_feed(&mut self) {
        self.column = 0;
        self.drawing = false;
        self.down_or_new();
    }

    fn down_or_new(&mut self) {
        self.settle();
        if self.in_footer {
            return;
        }
        self.row += 1;
        if self.row == self.rows.len() {
            let row = self.fresh_row(true);
            self.rows.push_back(row);
            if self.rows.len() > 2 * HISTORY {
                self.leave(HISTORY);
            }
        } else {
            self.rows[self.row].fed = true;
        }
    }

    /// VT and FF separate the text before and after them, and do nothing else.
    pub(super) fn page_feed(&mut self) {
        if self.column != 0 {
            self.line_feed();
        }
    }

    /// `\r`.
    pub(super) fn carriage_return(&mut self) {
        self.column = 0;
        self.settle();
    }

    /// `\b`.
    pub(super) fn backspace(&mut self) {
        self.column = self.counted_column().saturating_sub(1);
        self.settle();
    }

    /// Switches the line drawing set. It ends with the row at the latest: a stray switch must not garble the rest.
    pub(super) fn line_drawing(&mut self, on: bool) {
        self.drawing = on;
    }

    /// Obeys a two-byte escape.
    pub(super) fn single(&mut self, byte: u8) {
        match byte {
            b'7' => self.save(),
            b'8' => self.restore(),
            b'D' => {
                self.counted_column();
                self.down_or_new();
            }
            b'E' => self.line_feed(),
            b'M' if self.row > 0 || self.in_footer => self.up(1),
            b'M' => self.insert_rows(1),
            b'c' => self.new_screen(0, 0),
            _ => {}
        }
    }

    /// Obeys a control sequence; one that shows nothing (colours, modes, reports) has no effect.
    pub(super) fn csi(&mut self, csi: &Csi) {
        let count = csi.param(0, 1);
        match (csi.private, csi.function) {
            (0, b'm') => {}
            (0, b'A') => self.up(count),
            (0, b'B' | b'e') => self.down(count),
            (0, b'C' | b'a') => {
                let column = self.counted_column();
                self.go_to_column(column.saturating_add(count));
            }
            (0, b'D') => {
                let column = self.counted_column();
                self.go_to_column(column.saturating_sub(count));
            }
            (0, b'E') => {
                self.column = 0;
                self.down(count);
            }
            (0, b'F') => {
                self.column = 0;
                self.up(count);
            }
            (0, b'G' | b'`') => self.go_to_column(count - 1),
            (0, b'H' | b'f') => self.go_to(count, csi.param(1, 1)),
            (0, b'd') => {
                let column = self.counted_column();
                self.go_to(count, column + 1);
            }
            (0 | b'?', b'J') => self.erase_display(csi.param(0, 0)),
            (0 | b'?', b'K') => self.erase_line(csi.param(0, 0)),
            (0, b'X') => {
                let column = self.counted_column();
                self.erase(column, column.saturating_add(count));
            }
            (0, b'P') => self.delete_columns(count),
            (0, b'@') => self.insert_columns(count),
            (0, b'L') => self.insert_rows(count),
            (0, b'M') => self.delete_rows(count),
            (0, b'b') => self.repeat(count),
            (0, b'r') => self.set_bottom(csi),
            (0, b's') => self.save(),
            (0, b'u') => self.restore(),
            (b'?', b'h' | b'l') if csi.params().iter().any(|mode| matches!(mode, 47 | 1047 | 1049)) => {
                self.new_screen(0, 0);
            }
            _ => {}
        }
    }

    /// The text of all that was shown, and the counts.
    pub(super) fn finish(mut self) -> Shown {
        self.place_footer();
        self.drop_unfed();
        self.leave(self.rows.len());
        // Every row left with a line feed after it; the last one has none.
        self.out.pop();
        Shown {
            text: self.out,
            overwrites: self.overwrites,
            kept_failures: self.kept_failures,
            cleared_screens: self.cleared_screens,
        }
    }

    // Rows that are final and are moved to the output.

    /// Makes everything shown so far final. The cursor moves to a place in the new screen.
    fn new_screen(&mut self, row: usize, column: usize) {
        self.place_footer();
        if self.rows.iter().any(|row| !row.is_blank() || !row.held.is_empty()) {
            self.cleared_screens += 1;
        }
        while self.rows.back().is_some_and(|row| row.is_blank() && row.held.is_empty()) {
            self.spare.extend(self.rows.pop_back());
        }
        self.leave(self.rows.len());
        let first = self.fresh_row(false);
        self.rows.push_back(first);
        self.cleared = 0;
        (self.left, self.bottom, self.anchored, self.saved) = (0, None, true, (0, 0));
        self.row = 0;
        self.go_to_row(row);
        self.go_to_column(column);
    }

    /// Removes rows at the end that were created only by cursor moves and have no text.
    fn drop_unfed(&mut self) {
        while self.rows.len() > 1
            && self.rows.back().is_some_and(|row| !row.fed && row.is_blank() && row.held.is_empty())
        {
            self.spare.extend(self.rows.pop_back());
        }
        self.cleared = self.cleared.min(self.rows.len());
    }

    /// Moves the first `count` rows to the output.
    fn leave(&mut self, count: usize) {
        let mut shown = None;
        // Empty rows before the first text of a screen, created only by cursor moves, are not output.
        let mut leading = self.left == 0;
        for index in 0..count {
            let held = std::mem::take(&mut self.rows[index].held);
            if !held.is_empty() {
                let shown = shown.get_or_insert_with(|| identities(&self.rows));
                let own = text_of(&self.rows[index]);
                for line in held {
                    let is_looked_for = own.len() <= NEAR || self.effort >= own.len();
                    self.effort = self.effort.saturating_sub(own.len().saturating_sub(NEAR));
                    if !(is_looked_for && own.contains(line.trim())) && shown.insert(failure::identity(&line))
                    {
                        self.out.push_str(&line);
                        self.out.push('\n');
                        self.kept_failures += 1;
                    }
                }
            }
            let row = &self.rows[index];
            leading &= !row.fed && row.is_blank();
            if leading {
                continue;
            }
            row.push_to(&mut self.out);
            self.out.push('\n');
        }
        self.spare.extend(self.rows.drain(..count));
        self.spare.truncate(HISTORY);
        self.left += count;
        self.cleared = self.cleared.saturating_sub(count);
        self.row = self.row.saturating_sub(count);
    }

    fn fresh_row(&mut self, fed: bool) -> Box<Row> {
        match self.spare.pop() {
            Some(mut row) => {
                row.recycle(fed);
                row
            }
            None => Box::new(Row::new(fed)),
        }
    }
}

fn text_of(row: &Row) -> String {
    let mut text = String::new();
    row.push_to(&mut text);
    text
}

fn identities(rows: &VecDeque<Box<Row>>) -> BTreeSet<String> {
    rows.iter().map(|row| failure::identity(&text_of(row))).collect()
}
