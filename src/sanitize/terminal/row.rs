//! One row of the simulated screen.
//!
//! A row starts as plain text, because most rows are only appended to. It becomes a vector of cells when something is
//! written into its middle and columns differ from bytes. It does not move the cursor, and does not decide what may be lost:
//! it reports losses, and the screen decides.

use std::collections::VecDeque;
use std::ops::Range;
use unicode_width::UnicodeWidthChar;

/// One column: a character, or one of the two marks below.
type Cell = u32;
/// The second and later columns of a wide character or a tab.
const CONTINUED: Cell = 0x0020_0000;
/// Set on the index of a cell that holds more than one character (`Row::clusters`).
const CLUSTER: Cell = 0x8000_0000;
const BLANK: Cell = ' ' as Cell;
const TAB: Cell = '\t' as Cell;
const TAB_STOP: usize = 8;

/// The storage of a row.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Form {
    /// In `text`, only printable ASCII: column and byte are the same.
    Ascii,
    /// In `text`, anything else that was only appended to; its width is not computed yet.
    Text,
    /// In `cells`.
    Cells,
}

/// One row.
#[derive(Debug, Clone)]
pub(super) struct Row {
    form: Form,
    text: String,
    cells: Vec<Cell>,
    clusters: Vec<String>,
    /// The middle was changed, so blanks at the end were erased rather than written.
    edited: bool,
    /// A line feed created this row; other rows exist because the cursor moved there.
    pub(super) fed: bool,
    /// Columns written since the row was last searched for failures; an empty range when none.
    fresh: Range<usize>,
    /// Failure lines that were overwritten here, oldest first.
    pub(super) held: VecDeque<String>,
}

impl Row {
    pub(super) fn new(fed: bool) -> Self {
        Self {
            form: Form::Ascii,
            text: String::new(),
            cells: Vec::new(),
            clusters: Vec::new(),
            edited: false,
            fed,
            fresh: 0..0,
            held: VecDeque::new(),
        }
    }

    /// Becomes an empty row in the same memory.
    pub(super) fn recycle(&mut self, fed: bool) {
        self.clear();
        self.edited = false;
        self.fed = fed;
        self.held.clear();
    }

    /// Columns, where they are known without counting.
    pub(super) fn known_width(&self) -> Option<usize> {
        match self.form {
            Form::Ascii => Some(self.text.len()),
            Form::Text => None,
            Form::Cells => Some(self.cells.len()),
        }
    }

    /// Columns.
    pub(super) fn width(&mut self) -> usize {
        match self.known_width() {
            Some(width) => width,
            None => self.make_cells().len(),
        }
    }

    /// An upper bound of the columns that an edit may have to touch.
    pub(super) fn size(&self) -> usize {
        if self.form == Form::Cells { self.cells.len() } else { self.text.len() }
    }

    pub(super) fn is_blank(&self) -> bool {
        match self.form {
            Form::Ascii | Form::Text => self.text.bytes().all(|byte| byte == b' ' || byte == b'\t'),
            Form::Cells => self.cells.iter().all(|&cell| is_blank(cell)),
        }
    }

    /// Writes at the row's end.
    pub(super) fn append(&mut self, run: &str) {
        if self.form == Form::Cells {
            let start = self.cells.len();
            append_cells(&mut self.cells, &mut self.clusters, run);
            self.fresh = joined(&self.fresh, start..self.cells.len());
            return;
        }
        let start = self.text.len();
        self.text.push_str(run);
        self.fresh = joined(&self.fresh, start..self.text.len());
        if self.form == Form::Ascii && !is_simple(run) {
            self.form = Form::Text;
        }
    }

    /// Fills with blanks up to `column`.
    pub(super) fn pad(&mut self, column: usize) {
        if self.form == Form::Ascii {
            self.text.extend(std::iter::repeat_n(' ', column.saturating_sub(self.text.len())));
        } else {
            let cells = self.make_cells();
            cells.resize(cells.len().max(column), BLANK);
        }
    }

    /// Whether writing `run` at `column` would remove shown text.
    pub(super) fn write_loses(&mut self, column: usize, run: &str) -> bool {
        if self.form == Form::Ascii && is_simple(run) {
            let old = self.text.as_bytes().get(column..).unwrap_or_default();
            return old.iter().zip(run.as_bytes()).any(|(old, new)| old != new && *old != b' ');
        }
        let mut new = Vec::with_capacity(run.len());
        append_cells(&mut new, &mut Vec::new(), run);
        let old = self.make_cells().get(column..).unwrap_or_default();
        old.iter().zip(&new).any(|(old, new)| old != new && !is_blank(*old))
    }

    /// Overwrites text at `column`, which is at most the row's width. Returns the column after the run.
    pub(super) fn write(&mut self, column: usize, run: &str) -> usize {
        self.edited = true;
        if self.form == Form::Ascii && is_simple(run) {
            let end = column + run.len();
            self.text.replace_range(column..end.min(self.text.len()), run);
            self.fresh = joined(&self.fresh, column..end);
            return end;
        }
        self.make_cells();
        let end = run.chars().fold(column, |at, ch| self.write_char(at, ch));
        self.fresh = joined(&self.fresh, column..end);
        end
    }

    fn write_char(&mut self, column: usize, ch: char) -> usize {
        let cells = &mut self.cells;
        if column >= cells.len() {
            append_cells(cells, &mut self.clusters, ch.encode_utf8(&mut [0; 4]));
            return cells.len();
        }
        if ch == '\t' {
            // On written columns a tab only moves.
            let stop = (column / TAB_STOP + 1) * TAB_STOP;
            cells.resize(cells.len().max(stop), BLANK);
            return stop;
        }
        let width = ch.width().unwrap_or(0);
        if width == 0 {
            if let Some(base) = cells[..column].iter().rposition(|&cell| cell != CONTINUED) {
                cells[base] = join_cluster(cells[base], ch, &mut self.clusters);
            }
            return column;
        }
        let end = (column + width).min(cells.len());
        free(cells, column..end);
        cells.resize(cells.len().max(column + width), CONTINUED);
        cells[column] = ch as Cell;
        cells[column + 1..column + width].fill(CONTINUED);
        column + width
    }

    /// Whether blanking these columns would remove shown text.
    pub(super) fn blank_loses(&mut self, columns: Range<usize>) -> bool {
        if self.form == Form::Text && columns.start == 0 && columns.end >= self.text.len() {
            return !self.is_blank();
        }
        let old = self.within(columns);
        if self.form == Form::Ascii {
            // Bytes are tested in blocks, which compile to vector code.
            let shown = |block: &[u8]| block.iter().fold(false, |any, &byte| any | (byte != b' '));
            self.text.as_bytes()[old].chunks(32).any(shown)
        } else {
            self.cells[old].iter().any(|&cell| !is_blank(cell))
        }
    }

    /// Blanks these columns; columns at the row's end are removed.
    pub(super) fn blank(&mut self, columns: Range<usize>) {
        if columns.start == 0 && columns.end >= self.size() {
            return self.clear();
        }
        self.edited = true;
        let old = self.within(columns);
        if self.form == Form::Ascii {
            if old.end == self.text.len() {
                self.text.truncate(old.start);
            } else {
                let blanks = " ".repeat(old.len());
                self.text.replace_range(old, &blanks);
            }
        } else if !old.is_empty() {
            free(&mut self.cells, old.clone());
            if old.end == self.cells.len() {
                self.cells.truncate(old.start);
            }
        }
    }

    /// The part of these columns that the row has.
    fn within(&mut self, columns: Range<usize>) -> Range<usize> {
        let width = self.width();
        columns.start.min(width)..columns.end.min(width).max(columns.start.min(width))
    }

    /// Deletes these columns, so that what follows moves left.
    pub(super) fn delete(&mut self, columns: Range<usize>) {
        self.edited = true;
        let old = self.within(columns);
        if !old.is_empty() {
            free(self.make_cells(), old.clone());
            self.cells.drain(old);
        }
    }

    /// Puts blanks at `column`, so that what follows moves right.
    pub(super) fn insert(&mut self, column: usize, count: usize) {
        self.edited = true;
        let cells = self.make_cells();
        if column < cells.len() {
            free(cells, column..column);
            cells.splice(column..column, std::iter::repeat_n(BLANK, count));
        }
    }

    /// Empties the row.
    pub(super) fn clear(&mut self) {
        self.form = Form::Ascii;
        self.text.clear();
        self.cells.clear();
        self.clusters.clear();
        self.fresh = 0..0;
    }

    /// Columns of the text written since the last check.
    pub(super) fn fresh_columns(&self) -> usize {
        self.fresh.len()
    }

    /// The text written since the last check, with some columns around it, and its position there. Non-ASCII characters are
    /// single bytes; empty if nothing was written. Each check sees only newer text.
    pub(super) fn take_fresh(&mut self, around: usize) -> (Vec<u8>, Range<usize>) {
        if self.form == Form::Text {
            // From here on the row has columns, so that the next check can read fewer of them.
            self.make_cells();
        }
        let range = std::mem::take(&mut self.fresh);
        if range.is_empty() {
            return (Vec::new(), 0..0);
        }
        let near = self.within(range.start.saturating_sub(around)..range.end + around);
        let place = range.start.saturating_sub(near.start)..range.end.saturating_sub(near.start);
        let bytes = match self.form {
            Form::Ascii => self.text.as_bytes()[near].to_vec(),
            _ => self.cells[near].iter().map(|&cell| narrow(cell)).collect(),
        };
        (bytes, place)
    }

    /// The row as text.
    pub(super) fn push_to(&self, out: &mut String) {
        let start = out.len();
        if self.form == Form::Cells {
            for &cell in self.cells.iter().filter(|&&cell| cell != CONTINUED) {
                if cell & CLUSTER != 0 {
                    out.push_str(self.clusters.get((cell & !CLUSTER) as usize).map_or("", String::as_str));
                } else {
                    out.extend(char::from_u32(cell));
                }
            }
        } else {
            out.push_str(&self.text);
        }
        if self.edited {
            out.truncate(start + out[start..].trim_end_matches(' ').len());
        }
    }

    /// The row as cells; it keeps this form until it is cleared.
    fn make_cells(&mut self) -> &mut Vec<Cell> {
        if self.form != Form::Cells {
            append_cells(&mut self.cells, &mut self.clusters, &self.text);
            if self.form == Form::Text {
                self.fresh = 0..self.cells.len();
            }
            self.text.clear();
            self.form = Form::Cells;
        }
        &mut self.cells
    }
}

/// Printable ASCII without tabs: a byte is a column.
pub(super) fn is_simple(run: &str) -> bool {
    run.bytes().fold(true, |simple, byte| simple & (byte < 0x80) & (byte != b'\t'))
}

fn is_blank(cell: Cell) -> bool {
    cell == BLANK || cell == TAB || cell == CONTINUED
}

fn narrow(cell: Cell) -> u8 {
    u8::try_from(cell).ok().filter(u8::is_ascii).unwrap_or(0x80)
}

fn joined(old: &Range<usize>, new: Range<usize>) -> Range<usize> {
    if old.is_empty() { new } else { old.start.min(new.start)..old.end.max(new.end) }
}

fn append_cells(cells: &mut Vec<Cell>, clusters: &mut Vec<String>, run: &str) {
    for ch in run.chars() {
        let width = match ch {
            ' '..='~' => 1,
            '\t' => TAB_STOP - cells.len() % TAB_STOP,
            _ => ch.width().unwrap_or(0),
        };
        match (width, cells.iter().rposition(|&cell| cell != CONTINUED)) {
            (0, Some(base)) => cells[base] = join_cluster(cells[base], ch, clusters),
            (_, _) => {
                cells.push(ch as Cell);
                cells.extend(std::iter::repeat_n(CONTINUED, width.saturating_sub(1)));
            }
        }
    }
}

/// The cell with one more character in it that takes no column of its own.
fn join_cluster(cell: Cell, ch: char, clusters: &mut Vec<String>) -> Cell {
    if cell & CLUSTER != 0 {
        if let Some(cluster) = clusters.get_mut((cell & !CLUSTER) as usize) {
            cluster.push(ch);
        }
        return cell;
    }
    clusters.push(char::from_u32(cell).into_iter().chain([ch]).collect());
    // The index cannot overflow: that would need gigabytes of text in one row.
    CLUSTER | (clusters.len() - 1) as Cell
}

/// Blanks the columns, and the remaining parts of wide characters and tabs that extend into or out of them.
fn free(cells: &mut [Cell], columns: Range<usize>) {
    if cells.get(columns.start) == Some(&CONTINUED) {
        for cell in cells[..columns.start].iter_mut().rev() {
            let head = *cell != CONTINUED;
            *cell = BLANK;
            if head {
                break;
            }
        }
    }
    cells[columns.start..columns.end].fill(BLANK);
    for cell in cells[columns.end..].iter_mut().take_while(|cell| **cell == CONTINUED) {
        *cell = BLANK;
    }
}
