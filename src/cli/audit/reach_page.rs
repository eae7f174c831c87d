//! The part of the page about how much of the savings arrives in hosts. Text from histories is escaped.

use std::io::{self, Write};

use super::report::Report;
use super::row::{LEGEND, row};
use super::text::{percent, size, ways, wiring};
use crate::cli::explain::escaped;
use crate::cli::explain::words::{count, number};

/// How much of the savings arrives, by the way into the host.
pub(super) fn arrives(report: &Report, out: &mut dyn Write) -> io::Result<()> {
    let f = &report.total;
    writeln!(out, "<section>\n<h2>What of that arrives at the model</h2>\n<div class=\"rows\">")?;
    for (name, saved) in ways(f) {
        let note = format!(
            " <small>{} reached; with resends {}</small>",
            count(saved.results, "result"),
            percent(saved.sent, f.sent_before)
        );
        let after = f.tokens_before.saturating_sub(saved.tokens);
        row(name, f.tokens_before, after, f.tokens_before, &note, out)?;
    }
    writeln!(out, "</div>\n<ul class=\"list\">")?;
    for host in &report.hosts {
        writeln!(out, "<li>{}</li>", escaped(&wiring(host)))?;
    }
    writeln!(out, "</ul>\n{LEGEND}\n</section>")
}

/// Results that no host hands over, and why.
pub(super) fn not_reached(report: &Report, top: usize, out: &mut dyn Write) -> io::Result<()> {
    if report.not_reached.is_empty() {
        return Ok(());
    }
    writeln!(
        out,
        "<section>\n<h2>Unchanged, as <code>tersed install</code> sets it up</h2>\n<ul class=\"list\">"
    )?;
    for (i, one) in report.not_reached.iter().enumerate() {
        if i == top {
            let more = number(report.not_reached.len() - top);
            writeln!(out, "</ul>\n<details><summary>{more} more</summary>\n<ul class=\"list\">")?;
        }
        writeln!(
            out,
            "<li>{} <b>{}</b> <small>{}, {} of {} tokens could be saved: {}</small></li>",
            escaped(&one.host),
            escaped(&one.tool),
            count(one.results, "result"),
            number(size(one.could_save)),
            number(size(one.tokens)),
            escaped(&one.reason),
        )?;
    }
    writeln!(out, "</ul>{}\n</section>", if report.not_reached.len() > top { "</details>" } else { "" })
}
