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

/// A user without settings whose working directory has our tests.
fn home_with_tests() -> Home {
    let home = Home::new();
    #[cfg(unix)]
    std::os::unix::fs::symlink(repository("tests"), home.path("work/tests")).unwrap();
    #[cfg(not(unix))]
    std::os::windows::fs::symlink_dir(repository("tests"), home.path("work/tests")).unwrap();
    home
}

/// The output of a command for a user without settings, from one line to another.
fn printed(arguments: &str, first: &str, lines: usize) -> Vec<String> {
    let home = home_with_tests();
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

/// Draws an HTML page with its own figures. It consists of boxes, bars and rows only, so no browser is needed.
struct Drawing {
    out: String,
    /// The lower edge of what is drawn.
    y: usize,
}

/// Pixels of the drawn page.
const PAGE: usize = 900;
const EDGE: usize = 24;

impl Drawing {
    fn text(&mut self, x: usize, y: usize, class: &str, text: &str) {
        // The page is already escaped; of marked-up text only the text is drawn.
        let tag = regex::Regex::new("<[^>]*>").unwrap();
        let text = tag.replace_all(text, "");
        writeln!(self.out, "<text x=\"{x}\" y=\"{y}\" class=\"{class}\">{text}</text>").unwrap();
    }

    fn rect(&mut self, place: [f64; 4], class: &str) {
        let [x, y, width, height] = place;
        writeln!(
            self.out,
            "<rect x=\"{x:.1}\" y=\"{y}\" width=\"{width:.1}\" height=\"{height}\" class=\"{class}\"/>"
        )
        .unwrap();
    }

    fn tiles(&mut self, page: &str) {
        let tile =
            regex::Regex::new("<dt>(.*?)</dt><dd>(.*?)</dd>(?:<dd class=\"note\">(.*?)</dd>)?").unwrap();
        let all: Vec<_> = tile.captures_iter(page).collect();
        let width = (PAGE - 2 * EDGE) / all.len();
        for (at, found) in all.iter().enumerate() {
            let x = EDGE + at * width;
            self.rect([x as f64, self.y as f64, width as f64 - 10.0, 82.0], "box");
            for (n, (class, down)) in [("soft", 22), ("large", 50), ("small", 71)].into_iter().enumerate() {
                self.text(x + 12, self.y + down, class, found.get(n + 1).map_or("", |text| text.as_str()));
            }
        }
        self.y += 82;
    }

    fn section(&mut self, section: &str) {
        let row = "<span class=\"name\">(.*?)</span><svg class=\"bar\".*?\"after\" width=\"(.*?)\".*?\"saved\" x=\"(.*?)\" \
                   width=\"(.*?)\".*?<b>(.*?)</b> (.*?)(?: <small>(.*?)</small>)?</span></div>";
        let row = regex::Regex::new(row).unwrap();
        let head = section.split("</h2>").next().unwrap();
        self.text(EDGE, self.y + 44, "head", head);
        self.y += 58;
        const BAR: usize = 330;
        const BAR_WIDTH: f64 = 300.0;
        for found in row.captures_iter(section) {
            let number = |n: usize| found[n].parse::<f64>().unwrap() * BAR_WIDTH / 100.0;
            let y = self.y as f64 + 6.0;
            let name: String = match found[1].split_once(':') {
                Some((name, _)) => name.to_owned(),
                None => found[1].to_owned(),
            };
            self.text(EDGE, self.y + 18, "name", &name);
            self.rect([BAR as f64, y, BAR_WIDTH, 14.0], "box");
            self.rect([BAR as f64, y, number(2), 14.0], "after");
            self.rect([BAR as f64 + number(3), y, number(4), 14.0], "saved");
            self.text(BAR + 320, self.y + 18, "name", &format!("{}  {}", &found[5], &found[6]));
            if let Some(small) = found.get(7) {
                self.text(BAR, self.y + 36, "small", small.as_str());
                self.y += 18;
            }
            self.y += 28;
        }
    }
}

#[test]
fn the_picture_of_the_audit_shows_its_page() {
    let arguments =
        "audit tests/fixtures/audit/claude-code tests/fixtures/audit/codex tests/fixtures/audit/pi";
    let lines = printed(arguments, "tersed ", 34);
    assert!(lines.len() > 20 && lines.iter().any(|line| line.contains("through the gateway")), "{lines:?}");
    let home = home_with_tests();
    home.printed(&format!("{arguments} --output page.html").split(' ').collect::<Vec<_>>());
    let page = fs::read_to_string(home.path("work/page.html")).unwrap();
    let between = |open: &str, close: &str| page.split_once(open).unwrap().1.split(close).next().unwrap();
    let mut drawing = Drawing { out: String::new(), y: 94 };
    drawing.text(EDGE, 48, "title", between("<h1>", "</h1>"));
    drawing.text(EDGE, 74, "soft", between("</h1>\n<p>", "</p>"));
    drawing.tiles(&page);
    for section in page.split("<section>\n<h2>").skip(1).take(3) {
        drawing.section(section);
    }
    let Drawing { out, y } = drawing;
    let height = y + EDGE;
    assert!(out.matches("class=\"saved\"").count() > 6 && out.contains(">By tool<"), "{out}");
    let style = "text { font-family: system-ui, sans-serif; fill: #e6edf3; } .title { font-size: 24px; font-weight: 600; } \
                 .head { font-size: 17px; font-weight: 600; } .large { font-size: 24px; font-weight: 600; } .name { font-size: 14px; } \
                 .soft { font-size: 14px; fill: #9198a1; } .small { font-size: 12px; fill: #9198a1; } .back { fill: #0d1117; } \
                 .box { fill: #161b22; } .after { fill: #8494a8; } .saved { fill: #3fb96f; }";
    let drawn = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{PAGE}\" height=\"{height}\" viewBox=\"0 0 {PAGE} {height}\" role=\"img\">\n\
         <title>The page of {}</title>\n<style>{style}</style>\n\
         <rect width=\"{PAGE}\" height=\"{height}\" rx=\"8\" class=\"back\"/>\n{out}</svg>\n",
        escaped(arguments)
    );
    same("protocol/pictures/audit.svg", &drawn);
}
