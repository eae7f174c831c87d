//! Pictures of what the program prints, for the README: drawn from the text itself, so that they show the real
//! output. `BLESS=1` draws them again.

use std::fmt::Write as _;
use std::fs;

use crate::command_line::Home;
use crate::common::{bless, repository};

/// Pixels of a character and of a line at the size of letters.
const CHARACTER: f64 = 7.8;
const LINE: usize = 18;
const SIZE: usize = 13;
/// Pixels around the text.
const MARGIN: usize = 14;

/// A text as a picture; `class` gives the class of a line: `head`, `gone`, `gap`, `loud`, or nothing.
fn picture(title: &str, lines: &[String], class: impl Fn(&str) -> &'static str) -> String {
    let columns = lines.iter().map(|line| line.chars().count()).max().unwrap_or(0);
    let width = (columns as f64 * CHARACTER).ceil() as usize + 2 * MARGIN;
    let height = (lines.len() + 1) * LINE + 2 * MARGIN;
    let mut out = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" viewBox=\"0 0 {width} {height}\" role=\"img\">\n\
         <title>{}</title>\n\
         <style>rect {{ fill: #0d1117; }} text {{ font: {SIZE}px ui-monospace, SFMono-Regular, Menlo, Consolas, monospace; \
         fill: #e6edf3; white-space: pre; }} .head {{ fill: #6cb6ff; }} .gone {{ fill: #7d8590; }} .gap {{ fill: #56d388; }} \
         .loud {{ fill: #ff7b72; }}</style>\n\
         <rect width=\"{width}\" height=\"{height}\" rx=\"8\"/>\n",
        escaped(title)
    );
    let title = format!("$ {title}");
    for (at, line) in std::iter::once(&title).chain(lines).enumerate() {
        let y = MARGIN + SIZE + at * LINE;
        let class = if at == 0 { "head" } else { class(line) };
        let class = if class.is_empty() { String::new() } else { format!(" class=\"{class}\"") };
        if !line.is_empty() {
            writeln!(
                out,
                "<text x=\"{MARGIN}\" y=\"{y}\" xml:space=\"preserve\"{class}>{}</text>",
                escaped(line)
            )
            .unwrap();
        }
    }
    out + "</svg>\n"
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

fn same(file: &str, drawn: &str) {
    let path = repository(file);
    if bless() {
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, drawn).unwrap();
    }
    let known = fs::read_to_string(&path).unwrap_or_default();
    assert!(known == drawn, "{file} is not what comes out; BLESS=1 draws it anew");
}

/// The output of a command for a user without settings, from one line to another.
fn printed(arguments: &str, first: &str, lines: usize) -> Vec<String> {
    let home = Home::new();
    #[cfg(unix)]
    std::os::unix::fs::symlink(repository("tests"), home.path("work/tests")).unwrap();
    #[cfg(not(unix))]
    std::os::windows::fs::symlink_dir(repository("tests"), home.path("work/tests")).unwrap();
    let text = home.printed(&arguments.split(' ').collect::<Vec<_>>());
    let seal = regex::Regex::new("tersed#[0-9a-f]+").unwrap();
    // A seal is made with the key of an installation.
    let text = seal
        .replace_all(&text, |found: &regex::Captures<'_>| format!("tersed#{:0<1$}", "", found[0].len() - 7));
    text.lines().skip_while(|line| !line.starts_with(first)).take(lines).map(str::to_owned).collect()
}

#[test]
fn the_picture_of_explain_is_what_it_prints() {
    let arguments =
        "explain --record tests/fixtures/sessions/tally.jsonl --index 8 --color never --width 100";
    // Two numbers, then the action on the line, then whether it reports a failure.
    let class = |line: &str| {
        let is_row = line.bytes().take(7).all(|b| b == b' ' || b.is_ascii_digit());
        let signs = line.get(8..).filter(|_| is_row).unwrap_or_default();
        match signs.get(..2).unwrap_or(signs) {
            "- " | "-" => "gone",
            sign if sign.ends_with('!') => "loud",
            "= " | "=" | "+ " => "gap",
            _ if line.trim_start().starts_with('╰') => "gap",
            _ => "",
        }
    };
    // Of many omitted lines only the first and the last are drawn.
    let mut lines: Vec<String> = Vec::new();
    for run in printed(arguments, "tokens ", 1000).chunk_by(|a, b| class(a) == "gone" && class(b) == "gone") {
        match run {
            [first, _, .., last] => lines.extend([first.clone(), "      …".to_owned(), last.clone()]),
            few => lines.extend_from_slice(few),
        }
    }
    lines.truncate(66);
    assert!(lines.iter().any(|line| class(line) == "gone") && lines.iter().any(|line| class(line) == "loud"));
    let shown = "tersed explain --record tests/fixtures/sessions/tally.jsonl --index 8";
    same("protocol/pictures/explain.svg", &picture(shown, &lines, class));
}

#[test]
fn the_picture_of_the_audit_is_what_it_prints() {
    let arguments =
        "audit tests/fixtures/audit/claude-code tests/fixtures/audit/codex tests/fixtures/audit/pi";
    let lines = printed(arguments, "tersed ", 34);
    let class = |line: &str| {
        let is_head =
            ["What of that", "format ", "tool ", "session "].iter().any(|head| line.starts_with(head));
        if is_head { "head" } else { "" }
    };
    assert!(lines.len() > 20 && lines.iter().any(|line| line.contains("through the gateway")), "{lines:?}");
    same(
        "protocol/pictures/audit.svg",
        &picture(arguments.replacen("audit", "tersed audit", 1).as_str(), &lines, class),
    );
}
