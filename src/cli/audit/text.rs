//! The report for a terminal.

use std::fmt::Write as _;

use super::report::{Figures, Hidden, HostFound, Report, Saved};
use crate::cli::explain::words::{count, number};

/// The report as text; the first `top` entries of each list.
pub(super) fn table(report: &Report, top: usize) -> String {
    let mut out = String::new();
    // Writing into a String cannot fail.
    let _ =
        writeln!(out, "tersed {} audit, mode {}, {} tokens\n", report.tersed, report.mode, report.tokenizer);
    places(report, &mut out);
    if report.total.results == 0 {
        let _ = writeln!(out, "\nNo results of tools were found.\n{NEXT}");
        not_understood(report, top, &mut out);
        return out;
    }
    let total = &report.total;
    let _ = writeln!(
        out,
        "\n{} in {}, {} unchanged\n  {:<28} {}\n  {:<28} {}\n  {:<28} {}\n  {:<28} {}",
        count(total.results, "result"),
        count(report.session_count, "session"),
        number(total.unchanged),
        "tokens of results",
        change(total.tokens_before, total.tokens_after),
        "with resends",
        change(total.sent_before, total.sent_after),
        "used later and still visible",
        share(total.references_visible, total.references),
        "failure lines, shown",
        share(total.failure_lines_visible, total.failure_lines),
    );
    arrives(report, &mut out);
    if report.formats.len() > 1 {
        let rows = report.formats.iter().map(|group| (group.name.clone(), &group.figures));
        rows_of("format", rows, report.formats.len(), top, &mut out);
    }
    let rows = report.tools.iter().map(|group| (group.name.clone(), &group.figures));
    rows_of("tool", rows, report.tools.len(), top, &mut out);
    let rows =
        report.sessions.iter().map(|s| (format!("{}. {} {}", s.number, s.format, s.session), &s.figures));
    rows_of("session", rows, report.session_count, top, &mut out);
    not_reached(report, top, &mut out);
    let _ = writeln!(out, "\nLargest results");
    for large in &report.largest {
        let change = change(large.tokens_before, large.tokens_after);
        let _ = writeln!(out, "  {change}  {}. {} {}", large.session, large.tool, large.asked);
    }
    hidden(
        "Used later, would not have been seen",
        &report.hidden,
        total.references - total.references_visible,
        top,
        &mut out,
    );
    let failures = total.failure_lines - total.failure_lines_visible;
    hidden("Failure lines that would not be shown", &report.failures_hidden, failures, top, &mut out);
    not_understood(report, top, &mut out);
    out
}

/// What can be done where nothing was found.
const NEXT: &str = "`tersed audit PATH` reads histories from other files and folders, `tersed audit --help` lists the formats, \
                    and `tersed install --list` shows which hosts are here.";

fn places(report: &Report, out: &mut String) {
    for place in report.places.iter().filter(|place| place.is_there) {
        let host = place.host.as_ref().map(|host| format!("{host}: ")).unwrap_or_default();
        let found =
            [count(place.files, "file"), count(place.sessions, "session"), count(place.results, "result")];
        let _ = writeln!(out, "{host}{}: {}", place.path, found.join(", "));
    }
    // A host may keep histories in several places.
    let is_found = |host: &Option<String>| {
        host.is_some() && report.places.iter().any(|place| place.is_there && place.host == *host)
    };
    let missing = report.places.iter().filter(|place| !place.is_there && !is_found(&place.host));
    let mut missing: Vec<&str> = missing.map(|place| place.host.as_deref().unwrap_or(&place.path)).collect();
    missing.dedup();
    if !missing.is_empty() {
        let _ = writeln!(out, "no histories of: {}", missing.join(", "));
    }
}

/// A kind of name in words.
pub(super) fn kind_word(kind: &str) -> &str {
    if kind == "ident" { "name" } else { kind }
}

/// How much of the savings arrives.
fn arrives(report: &Report, out: &mut String) {
    let total = &report.total;
    let _ = writeln!(out, "\nWhat of that arrives at the model");
    for (name, saved) in ways(total) {
        let _ = writeln!(
            out,
            "  {name:<20} {} saved ({}; with resends {}), {} come to tersed",
            number(size(saved.tokens)),
            percent(saved.tokens, total.tokens_before),
            percent(saved.sent, total.sent_before),
            count(saved.results, "result"),
        );
    }
    for host in &report.hosts {
        let _ = writeln!(out, "  {}", wiring(host));
    }
}

/// The ways into a host with what they save.
pub(super) fn ways(figures: &Figures) -> [(&'static str, &Saved); 3] {
    let arrives = &figures.arrives;
    [
        ("as set up here", &arrives.here),
        ("as installed", &arrives.installed),
        ("through the gateway", &arrives.gateway),
    ]
}

/// How a host is set up here, and what can be done.
pub(super) fn wiring(host: &HostFound) -> String {
    let about = host.about.as_ref().map(|about| format!(" {about}")).unwrap_or_default();
    let state = match host.state.as_str() {
        "wired" => format!("set up{about}"),
        "part" => "partly set up, or by another version, which does not count".to_owned(),
        "fault" => format!("does not work:{about}"),
        _ => "not set up".to_owned(),
    };
    let install =
        if host.state == "wired" { String::new() } else { format!("; tersed install {}", host.host) };
    let gateway = match &host.gateway {
        Some(command) => format!("; {command}"),
        None => "; no gateway for it".to_owned(),
    };
    format!("{}: {state}{install}{gateway}", host.title)
}

fn not_reached(report: &Report, top: usize, out: &mut String) {
    if report.not_reached.is_empty() {
        return;
    }
    let _ = writeln!(out, "\nUnchanged, as `tersed install` sets it up");
    for one in report.not_reached.iter().take(top) {
        let _ = writeln!(
            out,
            "  {} {}: {}, {} of {} tokens could be saved: {}",
            one.host,
            one.tool,
            count(one.results, "result"),
            number(size(one.could_save)),
            number(size(one.tokens)),
            one.reason,
        );
    }
    if report.not_reached.len() > top {
        let _ = writeln!(out, "  and {} more", number(report.not_reached.len() - top));
    }
}

fn rows_of<'a>(
    what: &str,
    rows: impl Iterator<Item = (String, &'a Figures)>,
    all: usize,
    top: usize,
    out: &mut String,
) {
    let _ = writeln!(
        out,
        "\n{what:<40} {:>8} {:>12} {:>12} {:>7} {:>7} {:>9} {:>7} {:>13} {:>13}",
        "results", "tokens", "would be", "saved", "here", "installed", "gateway", "used, seen", "failures"
    );
    for (name, f) in rows.take(top) {
        let _ = writeln!(
            out,
            "{:<40} {:>8} {:>12} {:>12} {:>7} {:>7} {:>9} {:>7} {:>13} {:>13}",
            short(&name),
            number(f.results),
            number(size(f.tokens_before)),
            number(size(f.tokens_after)),
            percent(f.saved(), f.tokens_before),
            percent(f.arrives.here.tokens, f.tokens_before),
            percent(f.arrives.installed.tokens, f.tokens_before),
            percent(f.arrives.gateway.tokens, f.tokens_before),
            parts(f.references_visible, f.references),
            parts(f.failure_lines_visible, f.failure_lines),
        );
    }
    if all > top {
        let _ = writeln!(out, "and {} more", number(all - top));
    }
}

fn hidden(title: &str, list: &[Hidden], all: usize, top: usize, out: &mut String) {
    if list.is_empty() {
        return;
    }
    let _ = writeln!(out, "\n{title}");
    for one in list.iter().take(top) {
        let place = one.place.as_ref().map(|place| format!(", {place}")).unwrap_or_default();
        let by = one.used_by.as_ref().map(|call| format!(", used by {call}")).unwrap_or_default();
        let _ = writeln!(
            out,
            "  {} ({}): {}. {} {}{place}{by}",
            one.text,
            kind_word(&one.kind),
            one.session,
            one.tool,
            one.call
        );
    }
    if all > top.min(list.len()) {
        let _ = writeln!(out, "  and {} more", number(all - top.min(list.len())));
    }
}

fn not_understood(report: &Report, top: usize, out: &mut String) {
    let noted = &report.not_understood;
    if noted.file_count > 0 {
        let _ = writeln!(out, "\nNot understood: {}", count(noted.file_count, "file"));
        for file in noted.files.iter().take(top) {
            let _ = writeln!(out, "  {}: {}", file.path, file.reason);
        }
        if noted.file_count > top {
            let _ = writeln!(out, "  and {} more", number(noted.file_count - top));
        }
    }
    if noted.broken_lines > 0 {
        let _ = writeln!(out, "\nBroken: {}; the rest was used", count(noted.broken_lines, "line"));
        for file in noted.broken.iter().take(top) {
            let lines: Vec<String> = file.lines.iter().take(10).map(ToString::to_string).collect();
            let more = if file.count > lines.len() { ", …" } else { "" };
            let _ = writeln!(out, "  {}: {}{more}", file.path, lines.join(", "));
        }
        if noted.broken.len() > top {
            let _ = writeln!(out, "  and {} more", count(noted.broken.len() - top, "file"));
        }
    }
    if noted.without_text > 0 {
        let _ = writeln!(out, "\nWithout a text: {}", count(noted.without_text, "result"));
    }
    for refused in &noted.refused {
        let _ = writeln!(out, "\nRefused: {}: {}", count(refused.results, "result"), refused.reason);
    }
}

/// A number of tokens as a size.
pub(super) fn size(tokens: u64) -> usize {
    usize::try_from(tokens).unwrap_or(usize::MAX)
}

/// Before, after, and what is saved.
pub(super) fn change(before: u64, after: u64) -> String {
    let saved = percent(before.saturating_sub(after), before);
    format!("{} -> {} ({saved} saved)", number(size(before)), number(size(after)))
}

/// A share in percent, with one digit.
pub(super) fn percent(part: u64, whole: u64) -> String {
    if whole == 0 { "-".to_owned() } else { format!("{:.1}%", part as f64 * 100.0 / whole as f64) }
}

/// Some of all.
pub(super) fn parts(part: usize, whole: usize) -> String {
    if whole == 0 { "-".to_owned() } else { format!("{}/{}", number(part), number(whole)) }
}

fn share(part: usize, whole: usize) -> String {
    match whole {
        0 => "none".to_owned(),
        _ => format!("{} of {} ({})", number(part), number(whole), percent(part as u64, whole as u64)),
    }
}

fn short(name: &str) -> String {
    if name.chars().count() <= 40 { name.to_owned() } else { name.chars().take(39).chain(['…']).collect() }
}
