//! The explanation on a terminal: original and output side by side if there is room, otherwise one below the other as in a
//! diff. Every line is shown whole.

use std::io::{self, Write};
use std::ops::Range;

use anstyle::{AnsiColor, Effects, Style};

use super::model::{Block, Kind, Note, Page, View};
use super::screen::{Piece, Screen};

/// Width from which on the two are side by side.
const MIN_WIDE_COLUMNS: usize = 120;
/// Columns of the labels of the header.
const LABEL_COLUMNS: usize = 11;

const BOLD: Style = Style::new().bold();
const DIM: Style = Style::new().effects(Effects::DIMMED);
const BAD: Style = AnsiColor::Red.on_default().effects(Effects::BOLD);
const GONE: Style = AnsiColor::Yellow.on_default();
const ANEW: Style = AnsiColor::Magenta.on_default();
const OURS: Style = AnsiColor::Cyan.on_default().effects(Effects::BOLD);
const NOTE: Style = AnsiColor::Cyan.on_default();

/// Writes the page.
pub fn write(page: &Page<'_>, screen: Screen, out: &mut dyn Write) -> io::Result<()> {
    Text { screen, out }.page(page)
}

struct Text<'a> {
    screen: Screen,
    out: &'a mut dyn Write,
}

/// A line on one side.
struct Cell<'a> {
    numbers: &'a [Option<usize>],
    sign: char,
    is_failure: bool,
    style: Style,
    text: &'a str,
    trimmed: (usize, usize),
}

impl Text<'_> {
    fn page(&mut self, page: &Page<'_>) -> io::Result<()> {
        let title = self.screen.fill(&page.title, self.screen.width);
        for piece in title {
            writeln!(self.out, "{}", self.screen.paint(BOLD, &piece.text))?;
        }
        writeln!(self.out)?;
        for fact in &page.facts {
            let style = if fact.is_bad { BAD } else { Style::new() };
            self.labelled(fact.label, &fact.value, LABEL_COLUMNS, DIM, style)?;
        }
        writeln!(self.out, "\n{}", self.screen.paint(BOLD, "steps"))?;
        if page.steps.is_empty() {
            writeln!(self.out, "  none that changed the text or declined")?;
        }
        let ids = page.steps.iter().map(|step| step.id.len() + step.number.to_string().len() + 2);
        let ids = ids.max().unwrap_or(0).min(self.screen.width / 3);
        for step in &page.steps {
            let style = if step.is_applied { Style::new() } else { DIM };
            self.labelled(&format!("{}. {}", step.number, step.id), &step.words, ids + 2, style, style)?;
        }
        writeln!(self.out)?;
        let legend =
            "- left out   ~ written anew   = shown before   + in the output only   ! reports a failure";
        for piece in self.screen.fill(&legend.replace("   ", "; "), self.screen.width) {
            writeln!(self.out, "{}", self.screen.paint(DIM, &piece.text))?;
        }
        for view in &page.views {
            self.view(view)?;
        }
        Ok(())
    }

    fn labelled(
        &mut self,
        label: &str,
        value: &str,
        width: usize,
        of_label: Style,
        of_value: Style,
    ) -> io::Result<()> {
        let pieces = self.screen.fill(value, self.screen.width.saturating_sub(width).max(20));
        let mut label = self.screen.fill(label, self.screen.width).into_iter().peekable();
        // A label that is too wide gets rows of its own.
        while let Some(row) = label.next_if(|row| row.width >= width) {
            writeln!(self.out, "{}", self.screen.paint(of_label, &row.text))?;
        }
        for piece in pieces {
            let label = label.next().unwrap_or_default();
            let gap = " ".repeat(width.saturating_sub(label.width));
            let label = self.screen.paint(of_label, &label.text);
            writeln!(self.out, "{label}{gap}{}", self.screen.paint(of_value, &piece.text))?;
        }
        Ok(())
    }

    fn view(&mut self, view: &View<'_>) -> io::Result<()> {
        if let Some(heading) = &view.heading {
            writeln!(self.out, "\n{}", self.screen.paint(BOLD, heading))?;
        }
        let last = view.original.number(view.original.len()).max(view.output.number(view.output.len()));
        let digits = last.to_string().len().max(3);
        let is_wide = self.screen.width >= MIN_WIDE_COLUMNS;
        writeln!(self.out)?;
        if is_wide {
            let half = (self.screen.width - 3) / 2;
            let head = format!("{:<half$} │ what the model sees", "original");
            writeln!(self.out, "{}", self.screen.paint(BOLD, &head))?;
        } else {
            let head = format!("{:>digits$} {:>digits$}", "old", "new");
            writeln!(self.out, "{}", self.screen.paint(DIM, &head))?;
        }
        for block in &view.blocks {
            match (is_wide, block.kind) {
                (true, Kind::Kept) => self.kept_beside(view, block, digits)?,
                (true, _) => self.beside(view, block, digits)?,
                (false, _) => self.below(view, block, digits)?,
            }
        }
        Ok(())
    }

    fn kept_beside(&mut self, view: &View<'_>, block: &Block, digits: usize) -> io::Result<()> {
        let half = (self.screen.width - 3) / 2;
        for (i, from) in block.left.clone().enumerate() {
            let to = block.right.start + i;
            let left = self.left(view, block, from, digits, half);
            let right =
                if to < block.right.end { self.right(view, block, to, digits, half) } else { Vec::new() };
            self.rows(left, right)?;
        }
        Ok(())
    }

    fn beside(&mut self, view: &View<'_>, block: &Block, digits: usize) -> io::Result<()> {
        let half = (self.screen.width - 3) / 2;
        let left = block.left.clone().flat_map(|line| self.left(view, block, line, digits, half)).collect();
        let mut right: Vec<Piece> =
            block.right.clone().flat_map(|line| self.right(view, block, line, digits, half)).collect();
        if let Some(note) = &block.note {
            right.extend(self.note(note, digits + 4, half));
        }
        self.rows(left, right)
    }

    /// Two columns; the shorter one is padded.
    fn rows(&mut self, left: Vec<Piece>, right: Vec<Piece>) -> io::Result<()> {
        let half = (self.screen.width - 3) / 2;
        let bar = self.screen.paint(DIM, "│");
        for i in 0..left.len().max(right.len()) {
            let (text, width) = left.get(i).map_or(("", 0), |piece| (piece.text.as_str(), piece.width));
            write!(self.out, "{text}{} {bar}", " ".repeat(half.saturating_sub(width)))?;
            match right.get(i).filter(|piece| !piece.text.is_empty()) {
                Some(piece) => writeln!(self.out, " {}", piece.text)?,
                None => writeln!(self.out)?,
            }
        }
        Ok(())
    }

    fn below(&mut self, view: &View<'_>, block: &Block, digits: usize) -> io::Result<()> {
        let width = self.screen.width;
        if block.kind == Kind::Kept {
            for (i, from) in block.left.clone().enumerate() {
                let shown = Some(block.right.start + i).filter(|to| *to < block.right.end);
                let numbers = [Some(view.original.number(from)), shown.map(|to| view.output.number(to))];
                let cell = Cell { numbers: &numbers, ..old(view, block, from) };
                let pieces = self.cell(&cell, digits, width);
                self.all(pieces)?;
            }
        } else {
            for from in block.left.clone() {
                let numbers = [Some(view.original.number(from)), None];
                let pieces = self.cell(&Cell { numbers: &numbers, ..old(view, block, from) }, digits, width);
                self.all(pieces)?;
            }
            for to in block.right.clone() {
                let numbers = [None, Some(view.output.number(to))];
                let pieces = self.cell(&Cell { numbers: &numbers, ..new(view, block, to) }, digits, width);
                self.all(pieces)?;
            }
        }
        match &block.note {
            Some(note) => {
                let pieces = self.note(note, 2 * digits + 5, width);
                self.all(pieces)
            }
            None => Ok(()),
        }
    }

    fn all(&mut self, pieces: Vec<Piece>) -> io::Result<()> {
        pieces.into_iter().try_for_each(|piece| writeln!(self.out, "{}", piece.text.trim_end_matches(' ')))
    }

    fn left(&self, view: &View<'_>, block: &Block, line: usize, digits: usize, width: usize) -> Vec<Piece> {
        let numbers = [Some(view.original.number(line))];
        self.cell(&Cell { numbers: &numbers, ..old(view, block, line) }, digits, width)
    }

    fn right(&self, view: &View<'_>, block: &Block, line: usize, digits: usize, width: usize) -> Vec<Piece> {
        let numbers = [Some(view.output.number(line))];
        self.cell(&Cell { numbers: &numbers, ..new(view, block, line) }, digits, width)
    }

    /// A line with its numbers and signs, on as many rows as it needs.
    fn cell(&self, cell: &Cell<'_>, digits: usize, width: usize) -> Vec<Piece> {
        let gutter = (digits + 1) * cell.numbers.len() + 3;
        let rows = self.screen.wrap(cell.text, width.saturating_sub(gutter).max(8), cell.trimmed);
        let rows = rows.into_iter().enumerate().map(|(i, row)| {
            let mut head = String::new();
            for number in cell.numbers {
                let number = number.filter(|_| i == 0).map_or_else(String::new, |n| n.to_string());
                head.push_str(&format!("{number:>digits$} "));
            }
            let mark = if cell.is_failure { '!' } else { ' ' };
            let (sign, mark) = if i == 0 { (cell.sign, mark) } else { (' ', ' ') };
            let signs =
                self.screen.paint(if mark == '!' { BAD } else { cell.style }, &format!("{sign}{mark}"));
            let text = self.screen.paint(cell.style, &row.text);
            let head = self.screen.paint(DIM, &head);
            Piece { text: format!("{head}{signs} {text}"), width: gutter + row.width }
        });
        rows.collect()
    }

    /// A note, indented.
    fn note(&self, note: &Note, indent: usize, width: usize) -> Vec<Piece> {
        let mut prose = note.what.clone();
        if let Some(reason) = note.reason {
            prose.push_str(&format!(" ({}). {}", reason.code(), reason.doc()));
        } else {
            prose.push('.');
        }
        prose.push_str(&format!(" By {}", note.by));
        match &note.place {
            Some(place) => prose.push_str(&format!("; {place}.")),
            None => prose.push('.'),
        }
        let rows = self.screen.fill(&prose, width.saturating_sub(indent + 2).max(20));
        let rows = rows.into_iter().enumerate().map(|(i, row)| {
            let sign = if i == 0 { "╰ " } else { "  " };
            let text = self.screen.paint(NOTE, &format!("{sign}{}", row.text));
            Piece { text: format!("{}{text}", " ".repeat(indent)), width: indent + 2 + row.width }
        });
        rows.collect()
    }
}

/// A line of the original.
fn old<'a>(view: &View<'a>, block: &Block, line: usize) -> Cell<'a> {
    let text = view.original.line(line);
    let is_failure = view.is_failure(line);
    let trimmed = block.trimmed(view, line);
    let (sign, style) = match block.kind {
        Kind::Kept if trimmed != (0, 0) => ('~', Style::new()),
        Kind::Kept | Kind::Added => (' ', Style::new()),
        Kind::Omitted => ('-', GONE),
        Kind::Replaced => ('~', ANEW),
        Kind::Referred => ('=', GONE),
    };
    let style = if is_failure { BAD } else { style };
    Cell { numbers: &[], sign, is_failure, style, text, trimmed }
}

/// A line of the output.
fn new<'a>(view: &View<'a>, block: &Block, line: usize) -> Cell<'a> {
    let text = view.output.line(line);
    let from = block.left.start + line - block.right.start;
    let is_kept = block.kind == Kind::Kept;
    let is_failure = is_kept && view.is_failure(from);
    let (sign, style) = match block.kind {
        Kind::Kept if block.trimmed(view, from) != (0, 0) => ('~', Style::new()),
        Kind::Kept => (' ', Style::new()),
        Kind::Replaced => ('~', ANEW),
        Kind::Omitted | Kind::Added => ('+', OURS),
        Kind::Referred => ('=', OURS),
    };
    let style = if is_failure { BAD } else { style };
    Cell { numbers: &[], sign, is_failure, style, text, trimmed: (0, 0) }
}

impl Block {
    /// Bytes of white space that a kept line of the original lost at its start and its end.
    pub(super) fn trimmed(&self, view: &View<'_>, line: usize) -> (usize, usize) {
        let Range { start, end } = self.right;
        let to = start + line.saturating_sub(self.left.start);
        if self.kind != Kind::Kept || to >= end {
            return (0, 0);
        }
        let (from, to) = (view.original.line(line), view.output.line(to));
        match from.find(to) {
            Some(before) if from.len() > to.len() => (before, from.len() - before - to.len()),
            _ => (0, 0),
        }
    }
}
