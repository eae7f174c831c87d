//! The report as a self-contained page without scripts, for light and dark themes and any width. Text from histories is
//! escaped.

use std::io::{self, Write};

use super::chart::columns;
use super::reach_page::{arrives, not_reached};
use super::report::{Figures, Hidden, Report};
use super::row::{LEGEND, row};
use super::text::{parts, percent, size, ways};
use crate::cli::explain::escaped;
use crate::cli::explain::words::{count, number};
use crate::cli::out::PAGE_HEAD;

const STYLE: &str = include_str!("page.css");

/// Names of the columns of the distribution.
const SHARES: [&str; 6] = ["none", "to 20%", "to 40%", "to 60%", "to 80%", "to 100%"];

/// Writes the page. Of long lists the first `top` entries are open.
pub(super) fn write(report: &Report, top: usize, out: &mut dyn Write) -> io::Result<()> {
    let total = &report.total;
    write!(
        out,
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">\n\
         {PAGE_HEAD}<title>tersed audit</title>\n<style>\n{STYLE}</style>\n</head>\n<body>\n<header>\n<h1>tersed audit</h1>\n\
         <p>{} in {}, played in mode <b>{}</b>. Tokens are counted as {}, of results of tools alone.</p>\n</header>\n",
        count(total.results, "result"),
        count(report.session_count, "session"),
        escaped(&report.mode),
        escaped(&report.tokenizer),
    )?;
    if total.results == 0 {
        writeln!(out, "<p>No results of tools were found.</p>")?;
    } else {
        tiles(report, out)?;
        before_after(total, out)?;
        arrives(report, out)?;
        let tools = report.tools.iter().map(|group| (escaped(&group.name), &group.figures)).collect();
        bars("By tool", tools, report.tools.len(), top, out)?;
        let sessions = report.sessions.iter().map(|s| {
            let name = format!(
                "<a id=\"s{0}\"></a>{0}. {1} <small>{2}</small>",
                s.number,
                escaped(&s.session),
                escaped(&s.format)
            );
            (name, &s.figures)
        });
        bars("By session", sessions.collect(), report.session_count, top, out)?;
        if report.formats.len() > 1 {
            let formats = report.formats.iter().map(|group| (escaped(&group.name), &group.figures)).collect();
            bars("By format", formats, report.formats.len(), top, out)?;
        }
        not_reached(report, top, out)?;
        distribution(report, out)?;
        largest(report, out)?;
        let missed = total.references - total.references_visible;
        hidden(
            report,
            "Used later, would not have been seen",
            "Names that an agent learned from a result and used later. Where they were left out a marker says so, and \
             the original can be read back.",
            &report.hidden,
            missed,
            top,
            out,
        )?;
        let failures = total.failure_lines - total.failure_lines_visible;
        let title = "Failure lines that would not be shown";
        hidden(report, title, "", &report.failures_hidden, failures, top, out)?;
    }
    places(report, out)?;
    not_understood(report, top, out)?;
    writeln!(
        out,
        "<footer>tersed {}. Made on this machine from histories on it; nothing was sent anywhere.</footer>\n\
         </body>\n</html>",
        escaped(&report.tersed)
    )
}

fn tile(label: &str, value: &str, note: &str, out: &mut dyn Write) -> io::Result<()> {
    writeln!(out, "<div><dt>{label}</dt><dd>{value}</dd><dd class=\"note\">{note}</dd></div>")
}

fn tiles(report: &Report, out: &mut dyn Write) -> io::Result<()> {
    let f = &report.total;
    let resent = f.sent_before.saturating_sub(f.sent_after);
    writeln!(out, "<dl class=\"tiles\">")?;
    let note = format!("{} of {} tokens", number(size(f.saved())), number(size(f.tokens_before)));
    tile("Saved of results", &percent(f.saved(), f.tokens_before), &note, out)?;
    let note = format!("{} of {} tokens", number(size(resent)), number(size(f.sent_before)));
    tile("Saved with resends", &percent(resent, f.sent_before), &note, out)?;
    let note = format!("{} names used later", parts(f.references_visible, f.references));
    let seen = percent(f.references_visible as u64, f.references as u64);
    tile("Still seen when used", &seen, &note, out)?;
    let note = format!("{} lines", parts(f.failure_lines_visible, f.failure_lines));
    let shown = percent(f.failure_lines_visible as u64, f.failure_lines as u64);
    tile("Failures still shown", &shown, &note, out)?;
    let note = format!("of {}", count(f.results, "result"));
    tile("Unchanged", &number(f.unchanged), &note, out)?;
    writeln!(out, "</dl>")
}

fn before_after(f: &Figures, out: &mut dyn Write) -> io::Result<()> {
    writeln!(out, "<section>\n<h2>Before and after</h2>\n<div class=\"rows\">")?;
    row("Results, each once", f.tokens_before, f.tokens_after, f.tokens_before, "", out)?;
    row(
        "With resends: each result for every request that held it",
        f.sent_before,
        f.sent_after,
        f.sent_before,
        "",
        out,
    )?;
    writeln!(out, "</div>\n{LEGEND}\n</section>")
}

fn bars(
    title: &str,
    rows: Vec<(String, &Figures)>,
    all: usize,
    top: usize,
    out: &mut dyn Write,
) -> io::Result<()> {
    writeln!(out, "<section>\n<h2>{title}</h2>\n<div class=\"rows\">")?;
    let most = rows.iter().map(|(_, f)| f.tokens_before).max().unwrap_or(0);
    for (i, (name, f)) in rows.iter().enumerate() {
        if i == top {
            writeln!(
                out,
                "</div>\n<details><summary>{} more</summary>\n<div class=\"rows\">",
                number(rows.len() - top)
            )?;
        }
        let seen = parts(f.references_visible, f.references);
        let failures = parts(f.failure_lines_visible, f.failure_lines);
        let mut note = format!(" <small>{}", count(f.results, "result"));
        for ((_, saved), name) in ways(f).into_iter().zip(["here", "installed", "gateway"]) {
            note.push_str(&format!(", {name} {}", percent(saved.tokens, f.tokens_before)));
        }
        if f.references > 0 {
            note.push_str(&format!(", used and seen {seen}"));
        }
        if f.failure_lines > 0 {
            note.push_str(&format!(", failures {failures}"));
        }
        note.push_str("</small>");
        row(name, f.tokens_before, f.tokens_after, most, &note, out)?;
    }
    writeln!(out, "</div>{}", if rows.len() > top { "</details>" } else { "" })?;
    if all > rows.len() {
        writeln!(out, "<p class=\"note\">and {} more</p>", number(all - rows.len()))?;
    }
    writeln!(out, "{LEGEND}\n</section>")
}

fn distribution(report: &Report, out: &mut dyn Write) -> io::Result<()> {
    writeln!(
        out,
        "<section>\n<h2>Results by what would be saved of each</h2>\n<div class=\"distribution\">{}\n<ol>",
        columns(&report.distribution)
    )?;
    for (value, name) in report.distribution.iter().zip(SHARES) {
        writeln!(out, "<li><b>{}</b> {name}</li>", number(*value))?;
    }
    writeln!(out, "</ol></div>\n</section>")
}

/// The number of a session, as a link if it is on the page.
fn link(report: &Report, session: usize) -> String {
    match report.sessions.iter().any(|one| one.number == session) {
        true => format!("<a href=\"#s{session}\">{session}.</a>"),
        false => format!("{session}."),
    }
}

fn largest(report: &Report, out: &mut dyn Write) -> io::Result<()> {
    writeln!(out, "<section>\n<h2>Largest results</h2>\n<div class=\"rows\">")?;
    let most = report.largest.first().map_or(0, |large| large.tokens_before);
    for large in &report.largest {
        let name = format!(
            "{} <b>{}</b> <code>{}</code>",
            link(report, large.session),
            escaped(&large.tool),
            escaped(&large.asked)
        );
        row(&name, large.tokens_before, large.tokens_after, most, "", out)?;
    }
    writeln!(out, "</div>\n{LEGEND}\n</section>")
}

fn hidden(
    report: &Report,
    title: &str,
    about: &str,
    list: &[Hidden],
    all: usize,
    top: usize,
    out: &mut dyn Write,
) -> io::Result<()> {
    writeln!(out, "<section>\n<h2>{title}</h2>")?;
    if list.is_empty() {
        return writeln!(out, "<p class=\"good\">None.</p>\n</section>");
    }
    if !about.is_empty() {
        writeln!(out, "<p class=\"note\">{about}</p>")?;
    }
    writeln!(out, "<ul class=\"list\">")?;
    for (i, one) in list.iter().enumerate() {
        if i == top {
            let more = number(list.len() - top);
            writeln!(out, "</ul>\n<details><summary>{more} more</summary>\n<ul class=\"list\">")?;
        }
        let place = one.place.as_ref().map(|place| format!(", {}", escaped(place))).unwrap_or_default();
        let by = one.used_by.as_ref().map(|call| format!("; used by {}", escaped(call))).unwrap_or_default();
        writeln!(
            out,
            "<li><code>{}</code> <small>{} in {} {} {}{place}{by}</small></li>",
            escaped(&one.text),
            escaped(super::text::kind_word(&one.kind)),
            link(report, one.session),
            escaped(&one.tool),
            escaped(&one.call),
        )?;
    }
    writeln!(out, "</ul>{}", if list.len() > top { "</details>" } else { "" })?;
    if all > list.len() {
        writeln!(out, "<p class=\"note\">and {} more</p>", number(all - list.len()))?;
    }
    writeln!(out, "</section>")
}

fn places(report: &Report, out: &mut dyn Write) -> io::Result<()> {
    writeln!(out, "<section>\n<h2>What was read</h2>\n<ul class=\"list\">")?;
    for place in &report.places {
        let host = place.host.as_ref().map(|host| format!("{}: ", escaped(host))).unwrap_or_default();
        let found = match place.is_there {
            false => "not there".to_owned(),
            true => format!(
                "{}, {}, {}",
                count(place.files, "file"),
                count(place.sessions, "session"),
                count(place.results, "result")
            ),
        };
        writeln!(out, "<li>{host}<code>{}</code> <small>{found}</small></li>", escaped(&place.path))?;
    }
    writeln!(out, "</ul>\n</section>")
}

fn not_understood(report: &Report, top: usize, out: &mut dyn Write) -> io::Result<()> {
    let noted = &report.not_understood;
    writeln!(out, "<section>\n<h2>Not understood</h2>")?;
    let nothing = noted.file_count + noted.broken_lines + noted.without_text + noted.refused.len() == 0;
    if nothing {
        return writeln!(out, "<p class=\"good\">Nothing.</p>\n</section>");
    }
    if noted.file_count > 0 {
        let open = if noted.file_count <= top { " open" } else { "" };
        writeln!(
            out,
            "<details{open}><summary>{}</summary>\n<ul class=\"list\">",
            count(noted.file_count, "file")
        )?;
        for file in &noted.files {
            let (path, reason) = (escaped(&file.path), escaped(&file.reason));
            writeln!(out, "<li><code>{path}</code> <small>{reason}</small></li>")?;
        }
        writeln!(out, "</ul>")?;
        if noted.file_count > noted.files.len() {
            writeln!(out, "<p class=\"note\">and {} more</p>", number(noted.file_count - noted.files.len()))?;
        }
        writeln!(out, "</details>")?;
    }
    if noted.broken_lines > 0 {
        let lines = count(noted.broken_lines, "line");
        writeln!(out, "<p>{lines} could not be read; the rest was used.</p>\n<ul class=\"list\">")?;
        for file in &noted.broken {
            let lines: Vec<String> = file.lines.iter().map(ToString::to_string).collect();
            let more = if file.count > lines.len() { ", …" } else { "" };
            writeln!(
                out,
                "<li><code>{}</code> <small>{}{more}</small></li>",
                escaped(&file.path),
                lines.join(", ")
            )?;
        }
        writeln!(out, "</ul>")?;
    }
    if noted.without_text > 0 {
        writeln!(out, "<p>{} had no text.</p>", count(noted.without_text, "result"))?;
    }
    for refused in &noted.refused {
        let (results, reason) = (count(refused.results, "result"), escaped(&refused.reason));
        writeln!(out, "<p>{results} refused: {reason}</p>")?;
    }
    writeln!(out, "</section>")
}
