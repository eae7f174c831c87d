//! The explanation as a self-contained page without scripts, for light and dark themes and any width. Text from tools is
//! escaped.

use std::io::{self, Write};
use std::ops::Range;

use super::model::{Block, Kind, Note, Page, View};
use super::screen::stand_in;
use super::words;
use crate::cli::out::PAGE_HEAD;
use crate::text::source::Source;

const STYLE: &str = include_str!("page.css");

const LEGEND: &str = "<p class=\"legend\"><span class=\"o\">− left out</span> \
    <span class=\"a\">~ written anew</span> <span class=\"o\">= shown before</span> \
    <span class=\"m\">+ in the output only</span> <span class=\"f\">! reports a failure</span></p>";

/// Longer gaps show only their first and last lines until they are opened.
const MAX_OPEN_LINES: usize = 12;
const FIRST_LINES: usize = 4;
const LAST_LINES: usize = 2;

/// Writes the page.
pub fn write(page: &Page<'_>, out: &mut dyn Write) -> io::Result<()> {
    let title = escaped(&page.title);
    write!(
        out,
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">\n\
         {PAGE_HEAD}<title>{title}</title>\n<style>\n{STYLE}</style>\n</head>\n<body>\n<header>\n<h1>{title}</h1>\n<dl>\n"
    )?;
    for fact in &page.facts {
        let class = if fact.is_bad { " class=\"bad\"" } else { "" };
        writeln!(out, "<div{class}><dt>{}</dt><dd>{}</dd></div>", fact.label, escaped(&fact.value))?;
    }
    write!(out, "</dl>\n</header>\n<section>\n<h2>Steps</h2>\n")?;
    if page.steps.is_empty() {
        writeln!(out, "<p class=\"plain\">None that changed the text or declined.</p>")?;
    } else {
        writeln!(out, "<ol class=\"steps\">")?;
        for step in &page.steps {
            let class = if step.is_applied { "on" } else { "off" };
            let (id, words) = (escaped(&step.id), escaped(&step.words));
            writeln!(out, "<li class=\"{class}\"><b>{id}</b> {words}</li>")?;
        }
        writeln!(out, "</ol>")?;
    }
    writeln!(out, "</section>")?;
    gaps(page, out)?;
    writeln!(out, "{LEGEND}")?;
    for view in &page.views {
        section(view, out)?;
    }
    writeln!(out, "</body>\n</html>")
}

/// Links to the gaps.
fn gaps(page: &Page<'_>, out: &mut dyn Write) -> io::Result<()> {
    let notes = || page.views.iter().flat_map(|view| &view.blocks).filter_map(|block| block.note.as_ref());
    let count = notes().filter(|note| note.gap.is_some()).count();
    if count == 0 {
        return Ok(());
    }
    let gaps = words::count(count, "gap");
    writeln!(out, "<details class=\"gaps\">\n<summary>{gaps}</summary>\n<ul>")?;
    for note in notes() {
        if let (Some(gap), Some(reason)) = (note.gap, note.reason) {
            let (what, by) = (escaped(&note.what), escaped(&note.by));
            writeln!(out, "<li><a href=\"#gap-{gap}\">{what}</a> <code>{}</code> {by}</li>", reason.code())?;
        }
    }
    writeln!(out, "</ul>\n</details>")
}

fn section(view: &View<'_>, out: &mut dyn Write) -> io::Result<()> {
    let last = view.original.number(view.original.len()).max(view.output.number(view.output.len()));
    let digits = last.to_string().len().max(3);
    writeln!(out, "<section class=\"view\" style=\"--digits:{digits}ch\">")?;
    if let Some(heading) = &view.heading {
        writeln!(out, "<h2>{}</h2>", escaped(heading))?;
    }
    writeln!(out, "<div class=\"heads\"><h2>Original</h2><h2>What the model sees</h2></div>")?;
    for block in &view.blocks {
        match block.kind {
            Kind::Kept => kept(view, block, out)?,
            _ => changed(view, block, out)?,
        }
    }
    writeln!(out, "</section>")
}

/// Lines that both sides have, side by side.
fn kept(view: &View<'_>, block: &Block, out: &mut dyn Write) -> io::Result<()> {
    let old = view.original.number(block.left.start) - 1;
    let new = view.output.number(block.right.start) - 1;
    // CSS counters set on a lazily rendered element do not apply to it, so they are set on its parent.
    writeln!(out, "<div class=\"run\"><div class=\"kept\" style=\"counter-reset:l {old} r {new}\">")?;
    for (i, from) in block.left.clone().enumerate() {
        let to = block.right.start + i;
        let (before, after) = block.trimmed(view, from);
        let text = view.original.line(from);
        let failure = if view.is_failure(from) { "f" } else { "" };
        if (before, after) == (0, 0) {
            let text = escaped(text);
            let open = if failure.is_empty() { "<p>" } else { "<p class=\"f\">" };
            write!(out, "<div>{open}{text}</p>")?;
            if to < block.right.end {
                write!(out, "{open}{text}</p>")?;
            }
            writeln!(out, "</div>")?;
        } else {
            let end = text.len() - after;
            let old = [dots(&text[..before]), escaped(&text[before..end]), dots(&text[end..])].concat();
            let new = escaped(view.output.line(to));
            writeln!(
                out,
                "<div class=\"t\"><p class=\"{failure}\">{old}</p><p class=\"{failure}\">{new}</p></div>"
            )?;
        }
    }
    writeln!(out, "</div></div>")
}

fn dots(blanks: &str) -> String {
    if blanks.is_empty() { String::new() } else { format!("<i>{}</i>", "·".repeat(blanks.chars().count())) }
}

/// Changed lines beside their replacement.
fn changed(view: &View<'_>, block: &Block, out: &mut dyn Write) -> io::Result<()> {
    let class = match block.kind {
        Kind::Omitted => "o",
        Kind::Referred => "o e",
        Kind::Replaced => "a",
        Kind::Kept | Kind::Added => "m",
    };
    let id = block.note.as_ref().and_then(|note| note.gap);
    let id = id.map_or_else(String::new, |gap| format!(" id=\"gap-{gap}\""));
    writeln!(out, "<div class=\"pair {class}\"{id}>\n<div class=\"l\">")?;
    let Range { start, end } = block.left;
    if block.left.len() > MAX_OPEN_LINES {
        lines(view, start..start + FIRST_LINES, out)?;
        let more = start + FIRST_LINES..end - LAST_LINES;
        let (first, last) = (view.original.number(more.start), view.original.number(more.end - 1));
        let (count, range) = (words::count(more.len(), "more line"), words::lines(first, last));
        writeln!(out, "<details><summary>{count}, {range}</summary>")?;
        lines(view, more, out)?;
        writeln!(out, "</details>")?;
        lines(view, end - LAST_LINES..end, out)?;
    } else {
        lines(view, start..end, out)?;
    }
    writeln!(out, "</div>\n<div class=\"r\">")?;
    if !block.right.is_empty() {
        let before = view.output.number(block.right.start) - 1;
        numbered(&view.output, block.right.clone(), ("r", before), &|_| false, out)?;
    }
    if let Some(text) = &block.note {
        note(text, out)?;
    }
    writeln!(out, "</div>\n</div>")
}

/// Lines of the original.
fn lines(view: &View<'_>, lines: Range<usize>, out: &mut dyn Write) -> io::Result<()> {
    if lines.is_empty() {
        return Ok(());
    }
    let before = view.original.number(lines.start) - 1;
    numbered(&view.original, lines, ("l", before), &|line| view.is_failure(line), out)
}

/// Lines numbered from a given number.
fn numbered(
    source: &Source<'_>,
    lines: Range<usize>,
    (counter, before): (&str, usize),
    is_failure: &dyn Fn(usize) -> bool,
    out: &mut dyn Write,
) -> io::Result<()> {
    writeln!(out, "<div style=\"counter-reset:{counter} {before}\">")?;
    for line in lines {
        let open = if is_failure(line) { "<p class=\"f\">" } else { "<p>" };
        writeln!(out, "{open}{}</p>", escaped(source.line(line)))?;
    }
    writeln!(out, "</div>")
}

fn note(note: &Note, out: &mut dyn Write) -> io::Result<()> {
    write!(out, "<div class=\"note\"><b>{}</b>", escaped(&note.what))?;
    if let Some(reason) = note.reason {
        write!(out, " <code>{}</code> <span>{}</span>", reason.code(), escaped(reason.doc()))?;
    }
    write!(out, " <em>By {}", escaped(&note.by))?;
    if let Some(place) = &note.place {
        write!(out, "; {}", escaped(place))?;
    }
    writeln!(out, ".</em></div>")
}

/// Text as HTML; control characters are shown by name.
pub(in crate::cli) fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + text.len() / 16);
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\t' => out.push(c),
            ' '..='~' => out.push(c),
            _ => match stand_in(c) {
                Some(name) => {
                    out.push_str("<i>");
                    out.push_str(&name.replace('<', "&lt;").replace('>', "&gt;"));
                    out.push_str("</i>");
                }
                None => out.push(c),
            },
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_stays_text() {
        assert_eq!(escaped("<script>\"&\"</script>"), "&lt;script&gt;&quot;&amp;&quot;&lt;/script&gt;");
        assert_eq!(escaped("a\u{202e}b\x1b[0m\tc"), "a<i>&lt;U+202E&gt;</i>b<i>&lt;ESC&gt;</i>[0m\tc");
    }
}
