//! The places: each writes a value as some tool prints it, and names the strings that must not be left afterwards.

use super::codings as c;
use super::values::Case;

/// A text with a value in it.
pub struct Hidden {
    pub text: String,
    /// The value as it is written there, in the pieces in which it is.
    pub parts: Vec<String>,
    /// This many bytes of a part in one piece are a leak.
    pub width: usize,
}

pub struct Place {
    pub name: &'static str,
    /// Least share of values that must be found, in percent.
    pub least: usize,
    pub hide: fn(&Case) -> Option<Hidden>,
}

/// Bytes of a value that must not be left side by side.
const PLAIN: usize = 6;
/// The same of a coded one.
const CODED: usize = 12;

fn plain(case: &Case, text: String) -> Option<Hidden> {
    Some(Hidden { text, parts: vec![case.value.clone()], width: PLAIN })
}

fn parts(text: String, parts: Vec<String>, width: usize) -> Option<Hidden> {
    Some(Hidden { text, parts, width })
}

/// Puts something before every line.
fn fronted(case: &Case, front: impl Fn(usize) -> String) -> Option<Hidden> {
    let body = format!("# settings\n{}\nend of it", case.line());
    let lines = body.lines().enumerate().map(|(i, line)| front(i + 1) + line);
    let mut hidden = plain(case, lines.collect::<Vec<_>>().join("\n") + "\n")?;
    hidden.parts = case.value.lines().map(str::to_owned).collect();
    Some(hidden)
}

/// The name and the value of a cell: the rule's own, or a value that it knows alone, or else its line.
fn cell(case: &Case) -> Option<(&str, String)> {
    let fits =
        |v: &str| !v.contains(['\n', '|', '\t', ',', ';', '"', '`']) && !v.contains("  ") && v == v.trim();
    let (name, value) = match case.name() {
        _ if case.is_bare => ("value", case.value.clone()),
        Some(name) if case.is_named => (name, case.value.clone()),
        _ => ("line", case.line()),
    };
    (fits(&value) && case.rule != "none").then_some((name, value))
}

fn table(case: &Case, head: fn(&str, usize) -> String, row: fn(&str, usize) -> String) -> Option<Hidden> {
    let (name, value) = cell(case)?;
    let width = name.len().max(value.len());
    plain(case, head(name, width) + &row(&value, width))
}

/// Breaks a value into two halves in the middle.
fn halves(value: &str) -> (String, String) {
    let (a, b) = value.split_at(value.len() / 2);
    (a.to_owned(), b.to_owned())
}

fn broken(case: &Case, between: &str) -> Option<Hidden> {
    if case.value.contains('\n') || !case.value.is_ascii() || case.rule == "none" {
        return None;
    }
    let (a, b) = halves(&case.value);
    parts(format!("{}{a}{between}{b}{}\n", case.before, case.after.trim_end()), vec![a, b], PLAIN)
}

/// A string in quotes, cut in two: `before` must leave a quote open, or the value is alone in quotes.
fn strung(case: &Case, between: &str) -> Option<Hidden> {
    if case.value.contains(['\n', '"']) || case.rule == "none" {
        return None;
    }
    let (a, b) = halves(&case.value);
    let before = match case.before.ends_with('"') {
        true => case.before.clone(),
        false => match case.name() {
            Some(name) if case.is_named => format!("{name} = \""),
            _ if case.is_bare => "x = \"".to_owned(),
            _ => return None,
        },
    };
    parts(format!("{before}{a}{between}{b}\"\n"), vec![a, b], PLAIN)
}

fn json_text(text: &str) -> String {
    let quoted = serde_json::Value::from(text).to_string();
    quoted[1..quoted.len() - 1].to_owned()
}

fn text_of(case: &Case) -> String {
    format!("first line of it\n{}\nthe last line", case.line())
}

/// The whole text coded; `width` bytes of the code of the value in one piece are a leak.
fn coded(case: &Case, code: impl Fn(&str) -> String, width: usize) -> Option<Hidden> {
    let value = code(&case.value);
    let pieces = value.lines().map(str::to_owned).collect();
    parts(code(&text_of(case)) + "\n", pieces, width)
}

/// A dump of the whole text. Lines of the dump that show a part of the value are leaks, and so are their columns of
/// letters.
fn dumped(case: &Case, dump: fn(&str) -> String) -> Option<Hidden> {
    let text = text_of(case);
    let all = dump(&text);
    let at = text.find(&case.value)?;
    // The lines of sixteen bytes that hold nothing but the value.
    let (from, to) = (at.div_ceil(16), (at + case.value.len()) / 16);
    let lines: Vec<String> = all
        .lines()
        .skip(from)
        .take(to.saturating_sub(from))
        .map(|l| l[l.len().min(9)..].to_owned())
        .collect();
    (!lines.is_empty()).then_some(Hidden { text: all, parts: lines, width: 16 })
}

fn base64_text(case: &Case, bytes: &[u8], is_url: bool, width: Option<usize>) -> Option<Hidden> {
    let code = c::base64(bytes, is_url);
    let text = width.map_or(code.clone(), |width| c::wrapped(&code, width));
    let pieces = text.lines().filter(|l| l.len() >= 8).map(str::to_owned).collect();
    let _ = case;
    parts(format!("blob: {text}\n"), pieces, CODED)
}

macro_rules! places {
    ($($least:literal { $($name:literal => $hide:expr),* $(,)? })*) => {
        pub const PLACES: &[Place] = &[$($(Place { name: $name, least: $least, hide: $hide }),*),*];
    };
}

/// The name of a secret and its value, if only the name shows that it is a secret, and the value is one word.
fn named(case: &Case) -> Option<(&str, &str)> {
    let name = case.name().filter(|_| case.is_named && case.rule != "none")?;
    let fits = !case.value.contains(|c: char| c.is_whitespace() || "\"'`<>\\".contains(c));
    fits.then_some((name, &case.value))
}

places! {
    // Rules that need the words around a value miss some here.
    98 {
        "table of Markdown" => |case| table(case,
            |n, _| format!("| id | {n} |\n| --- | --- |\n"), |v, _| format!("| 7 | `{v}` |\n")),
        "HTML entities" => |case| coded(case, c::entities, PLAIN),
        "name and value in spans" => |case| {
            let before = match case.name() {
                Some(name) => case.before.replacen(name, &format!("<span class=\"na\">{name}</span>"), 1),
                None => case.before.clone(),
            };
            plain(case, format!("{before}<span class=\"s1\">{}</span>{}\n", case.value, case.after))
        },
        "string of a debugger" => |case| table(case, |n, _| format!("{{id = 7, {n} = "), |v, _| format!("0x55555556a2c0 \"{v}\"}}\n")),
        "hash of Ruby" => |case| table(case, |n, _| format!("{{\"id\"=>7, \"{n}\"=>"), |v, _| format!("\"{v}\"}}\n")),
    }
    95 {
        "member beside the one that names it" => |case| {
            let (name, value) = named(case)?;
            let env = serde_json::json!([{ "name": name, "type": "plain", "value": value }]);
            plain(case, env.to_string())
        },
        "attribute before the one that names it" => |case| {
            let (name, value) = named(case)?;
            plain(case, format!("<input value=\"{value}\" type=\"text\" id=\"{name}\">\n"))
        },
        "what an interpreter answers" => |case| {
            let (name, value) = named(case)?;
            plain(case, format!(">>> settings.{name}\n'{value}'\n"))
        },
        "lines with the name of a service in front" => |case| fronted(case, |_| "app-1  | ".to_owned()),
        "lines of comments" => |case| fronted(case, |_| "# ".to_owned()),
    }
    99 {
        "as it stands" => |case| plain(case, text_of(case) + "\n"),
        "JSON string of many lines" => |case| {
            let text = serde_json::json!({ "stdout": text_of(case), "code": 0 }).to_string();
            parts(text, json_text(&case.value).split("\\n").map(str::to_owned).collect(), PLAIN)
        },
        "JSON string in a JSON string" => |case| {
            let inner = serde_json::json!({ "stdout": text_of(case) }).to_string();
            let text = serde_json::json!({ "body": inner }).to_string();
            parts(text, json_text(&json_text(&case.value)).split("\\\\n").map(str::to_owned).collect(), PLAIN)
        },
        "CSV" => |case| table(case, |n, _| format!("id,{n},note\n"), |v, _| format!("7,{v},old\n8,,new\n")),
        "CSV, all quoted" => |case| table(case, |n, _| format!("\"id\",\"{n}\",\"note\"\n"), |v, _| format!("\"7\",\"{v}\",\"old\"\n")),
        "TSV" => |case| table(case, |n, _| format!("id\t{n}\tnote\n"), |v, _| format!("7\t{v}\told\n")),
        "table of psql" => |case| table(case,
            |n, w| format!(" id | {n:^w$} | note\n----+-{}-+------\n", "-".repeat(w)),
            |v, w| format!("  7 | {v:<w$} | old\n(1 row)\n")),
        "expanded table of psql" => |case| table(case,
            |n, _| format!("-[ RECORD 1 ]------\nid   | 7\n{n} | "), |v, _| format!("{v}\nnote | old\n")),
        "table of mysql" => |case| table(case,
            |n, w| format!("+----+-{0}-+\n| id | {n:<w$} |\n+----+-{0}-+\n", "-".repeat(w)),
            |v, w| format!("|  7 | {v:<w$} |\n+----+-{}-+\n", "-".repeat(w))),
        "names and values in Markdown" => |case| table(case,
            |n, _| format!("| name | value |\n| --- | --- |\n| {n} | "), |v, _| format!("{v} |\n")),
        "drawn table" => |case| table(case,
            |n, w| format!("┌────┬─{0}─┐\n│ id │ {n:<w$} │\n├────┼─{0}─┤\n", "─".repeat(w)),
            |v, w| format!("│ 7  │ {v:<w$} │\n└────┴─{}─┘\n", "─".repeat(w))),
        "text in columns" => |case| table(case,
            |n, w| format!("ID   {n:<w$}   NOTE\n"), |v, w| format!("7    {v:<w$}   old\n")),
        "diff, added" => |case| fronted(case, |i| if i == 1 { "@@ -1,2 +1,3 @@\n ".to_owned() } else { "+".to_owned() }),
        "diff, removed" => |case| fronted(case, |i| if i == 1 { "@@ -1,2 +1,3 @@\n ".to_owned() } else { "-".to_owned() }),
        "diff, context" => |case| fronted(case, |i| if i == 1 { "@@ -1,2 +1,3 @@\n ".to_owned() } else { " ".to_owned() }),
        "12:" => |case| fronted(case, |i| format!("{i}:")),
        "12-" => |case| fronted(case, |i| format!("{i}-")),
        "src/x.env:3:" => |case| fronted(case, |i| format!("src/x.env:{i}:")),
        "src/x.env-3-" => |case| fronted(case, |i| format!("src/x.env-{i}-")),
        "src/x.env:" => |case| fronted(case, |_| "src/x.env:".to_owned()),
        "  12→" => |case| fronted(case, |i| format!("{i:>6}→")),
        "  12<tab> (cat -n)" => |case| fronted(case, |i| format!("{i:>6}\t")),
        " 12 │ " => |case| fronted(case, |i| format!("{i:>4} │ ")),
        "log with time and level" => |case| fronted(case, |i| format!("2026-03-01T12:00:{i:02}Z INFO ")),
        "log with brackets" => |case| fronted(case, |i| format!("[2026-03-01 12:00:{i:02},123] [WARN] app.config: ")),
        "logfmt" => |case| plain(case, format!("time=2026-03-01T12:00:00Z level=info msg=\"{}\" n=1\n", json_text(&case.line())))
            .map(|h| Hidden { parts: json_text(&case.value).split("\\n").map(str::to_owned).collect(), ..h }),
        "JSON log" => |case| {
            let text = serde_json::json!({ "level": "info", "ts": 1772366400, "msg": case.line() }).to_string();
            parts(text + "\n", json_text(&case.value).split("\\n").map(str::to_owned).collect(), PLAIN)
        },
        "repr of Python bytes" => |case| {
            let inner = case.line().replace('\\', "\\\\").replace('\n', "\\n").replace('\'', "\\'");
            parts(format!("out = b'first\\n{inner}\\nlast'\n"), case.value.lines().map(str::to_owned).collect(), PLAIN)
        },
        "inspect of Ruby, {:?} of Rust, %q of Go" => |case| {
            parts(format!("=> \"first\\n{}\\n\"\n", json_text(&case.line())), json_text(&case.value).split("\\n").map(str::to_owned).collect(), PLAIN)
        },
        "HTML entities by number" => |case| coded(case, c::numeric_entities, CODED),
        "value in a span" => |case| plain(case, format!("<pre>{}</pre>\n", case.with(&format!("<span class=\"s1\">{}</span>", case.value)))),
        "cut by a comment of HTML" => |case| broken(case, "<!-- x -->"),
        "cut by a span" => |case| broken(case, "</span><span class=\"mi\">"),
        "cells of a table of HTML" => |case| table(case,
            |n, _| format!("<table><tr><th>id</th><th>{n}</th></tr>\n"), |v, _| format!("<tr><td>7</td><td><code>{v}</code></td></tr></table>\n")),
        "two cells of HTML" => |case| table(case,
            |n, _| format!("<tr><td>{n}</td>"), |v, _| format!("<td>{v}</td></tr>\n")),
        "terms of HTML" => |case| table(case, |n, _| format!("<dl>\n<dt>{n}</dt>\n"), |v, _| format!("<dd>{v}</dd>\n</dl>\n")),
        "property list" => |case| table(case, |n, _| format!("<dict>\n\t<key>{n}</key>\n"), |v, _| format!("\t<string>{v}</string>\n</dict>\n")),
        "Some of Rust" => |case| table(case, |n, _| format!("Config {{ id: 7, {n}: "), |v, _| format!("Some(\"{v}\"), at: 1 }}\n")),
        "var_dump of PHP" => |case| table(case,
            |n, _| format!("array(1) {{\n  [\"{n}\"]=>\n"), |v, _| format!("  string({}) \"{v}\"\n}}\n", v.len())),
        "value before its name in JSON" => |case| {
            let (name, value) = cell(case)?;
            plain(case, format!("[\n  {{\n    \"value\": \"{value}\",\n    \"name\": \"{name}\"\n  }}\n]\n"))
        },
        "value before its name in YAML" => |case| {
            let (name, value) = cell(case)?;
            plain(case, format!("env:\n  - value: {value}\n    name: {name}\n"))
        },
        "print_r of PHP" => |case| table(case, |n, _| format!("Array\n(\n    [{n}] => "), |v, _| format!("{v}\n)\n")),
        "tuples of Python" => |case| table(case, |n, _| format!("[('id', 7), ('{n}', "), |v, _| format!("'{v}')]\n")),
        "attributes of XML" => |case| table(case, |n, _| format!("<add key=\"{n}\" "), |v, _| format!("value=\"{v}\" />\n")),
        "JSON with names and values" => |case| {
            let (name, value) = cell(case)?;
            plain(case, serde_json::json!([{ "Key": name, "Value": value }]).to_string() + "\n")
        },
        "YAML with names and values" => |case| table(case, |n, _| format!("env:\n  - name: {n}\n"), |v, _| format!("    value: {v}\n")),
        "JSON in CSV" => |case| {
            let (name, value) = cell(case)?;
            plain(case, format!("7,\"{{\"\"{name}\"\": \"\"{value}\"\"}}\",old\n"))
        },
        "git grep of a revision" => |case| fronted(case, |i| format!("HEAD~1:src/x.env:{i}:")),
        "coloured" => |case| plain(case, case.with(&format!("\u{1b}[32m{}\u{1b}[0m", case.value))),
        "cut by a colour" => |case| broken(case, "\u{1b}[0m\u{1b}[1;31m"),
        "written out of order" => |case| {
            (!case.value.contains('\n') && case.value.is_ascii() && case.rule != "none").then_some(())?;
            let (a, b) = halves(&case.value);
            let (ahead, back) = (a.len(), case.value.len());
            let text = format!("{}\u{1b}[{ahead}C{b}\u{1b}[{back}D{a}\u{1b}[{}C{}\n", case.before, b.len(), case.after.trim_end());
            parts(text, vec![a, b], PLAIN)
        },
        "struck over" => |case| {
            let struck: String = case.value.chars().map(|c| if c == '\n' { "\n".to_owned() } else { format!("{c}\u{8}{c}") }).collect();
            parts(case.with(&struck), vec![case.value.clone(), struck.clone()], PLAIN)
        },
        "cut by a zero-width space" => |case| broken(case, "\u{200b}"),
        "cut by a soft hyphen" => |case| broken(case, "\u{ad}"),
        "cut by a carriage return" => |case| broken(case, "\r"),
        "lines that end in CR LF" => |case| parts(text_of(case).replace('\n', "\r\n"), case.value.lines().map(str::to_owned).collect(), PLAIN),
    }
    95 {
        "URL-encoded" => |case| coded(case, |t| c::percent(t, false), CODED),
        "URL-encoded twice" => |case| coded(case, |t| c::percent(&c::percent(t, false), false), CODED),
        "URL-encoded, every letter" => |case| coded(case, |t| c::percent(t, true), 3 * PLAIN),
        "form" => |case| coded(case, c::form, CODED),
        "parameter of a form" => |case| parts(format!("body={}&x=1\n", c::form(&case.line())), vec![c::form(&case.value)], CODED),
        "log with a logger" => |case| fronted(case, |i| format!("2026-03-01T12:00:{i:02}.123Z INFO  [main] app.Boot - ")),
        "system log" => |case| fronted(case, |i| format!("Mar  1 12:00:{i:02} host app[123]: ")),
        "log of a job" => |case| fronted(case, |i| format!("build\tRun tests\t2026-03-01T12:00:{i:02}.1234567Z ")),
        "git blame" => |case| fronted(case, |i| format!("a1b2c3d4 (J Doe 2026-03-01 12:00:00 +0100 {i:>2}) ")),
        "comment in a block" => |case| fronted(case, |_| "    // ".to_owned()),
        "line of a string in JSON" => |case| {
            let text = serde_json::json!({ "stdout": case.line(), "code": 0 }).to_string();
            parts(text, json_text(&case.value).split("\\n").map(str::to_owned).collect(), PLAIN)
        },
        "\\u escapes" => |case| coded(case, c::unicode, 6 * PLAIN),
        "\\x escapes" => |case| coded(case, c::hex_escapes, 4 * PLAIN),
        "escapes of a style sheet" => |case| coded(case, c::style_escapes, 7 * PLAIN),
        "quoted-printable" => |case| coded(case, |t| c::quoted_printable(t, false), CODED),
        "quoted-printable, every letter" => |case| coded(case, |t| c::quoted_printable(t, true), 3 * PLAIN),
        "xxd" => |case| dumped(case, c::xxd),
        "hexdump -C" => |case| dumped(case, c::hexdump_c),
        "hexdump" => |case| dumped(case, c::words),
        "od -c" => |case| dumped(case, c::od_c),
        "xxd -e" => |case| dumped(case, c::xxd_e),
        "od -a" => |case| dumped(case, c::od_a),
        "od -t u1" => |case| dumped(case, c::od_u1),
        "hexyl" => |case| dumped(case, c::hexyl),
        "base64 of the text, strings of 32" => |case| {
            let code = c::wrapped(&c::base64(text_of(case).as_bytes(), false), 32);
            let pieces = code.lines().filter(|line| line.len() >= 8).map(str::to_owned).collect();
            parts(format!("x = (\n    \"{}\"\n)\n", code.replace('\n', "\"\n    \"")), pieces, CODED)
        },
        "base64 of the text, quoted lines of 48" => |case| {
            let code = c::wrapped(&c::base64(text_of(case).as_bytes(), false), 48);
            let pieces = code.lines().filter(|line| line.len() >= 8).map(str::to_owned).collect();
            parts(format!("> {}\n", code.replace('\n', "\n> ")), pieces, CODED)
        },
        "od -t x1" => |case| dumped(case, c::od_x1),
        "od -b" => |case| dumped(case, c::od_b),
        "tcpdump -X" => |case| dumped(case, c::tcpdump),
        "Wireshark" => |case| dumped(case, c::wireshark),
        "x/8xb of gdb" => |case| {
            let text = c::gdb(&text_of(case));
            parts(text, vec![format!("0x{}", c::pairs(case.value.as_bytes(), "\t0x"))], 30)
        },
        "bytes parted by blanks" => |case| {
            parts(c::pairs(text_of(case).as_bytes(), " ") + "\n", vec![c::pairs(case.value.as_bytes(), " ")], 3 * PLAIN)
        },
        "bytes parted by colons" => |case| {
            parts(format!("data: {}\n", c::pairs(text_of(case).as_bytes(), ":")), vec![c::pairs(case.value.as_bytes(), ":")], 3 * PLAIN)
        },
        "Buffer of Node" => |case| {
            parts(format!("<Buffer {}>\n", c::pairs(text_of(case).as_bytes(), " ")), vec![c::pairs(case.value.as_bytes(), " ")], 3 * PLAIN)
        },
        "Buffer of Node in JSON" => |case| {
            let text = format!("{{\"type\":\"Buffer\",\"data\":[{}]}}\n", c::decimals(&text_of(case), ","));
            parts(text, vec![c::decimals(&case.value, ",")], 4 * PLAIN)
        },
        "bytes of Go" => |case| {
            parts(format!("body: [{}]\n", c::decimals(&text_of(case), " ")), vec![c::decimals(&case.value, " ")], 4 * PLAIN)
        },
        "bytea of PostgreSQL" => |case| {
            parts(format!(" \\x{}\n(1 row)\n", c::pairs(text_of(case).as_bytes(), "")), vec![c::pairs(case.value.as_bytes(), "")], 2 * PLAIN)
        },
        "array of numbers in C" => |case| {
            let text = format!("static const unsigned char x[] = {{ {} }};\n", c::numbers(&text_of(case)));
            parts(text, vec![c::numbers(&case.value)], 6 * PLAIN)
        },
        "array of letters in C" => |case| {
            let text = format!("char x[] = {{{},'\\0'}};\n", c::quoted_letters(&text_of(case)));
            parts(text, vec![c::quoted_letters(&case.value)], 4 * PLAIN)
        },
        "xxd -p" => |case| {
            let text = c::plain_hex(&text_of(case));
            let pieces = text.lines().map(str::to_owned).collect();
            parts(text, pieces, 24)
        },
        "base64 of the text" => |case| base64_text(case, text_of(case).as_bytes(), false, None),
        "base64 of the text, lines of 64" => |case| base64_text(case, text_of(case).as_bytes(), false, Some(64)),
        "base64 of the text, lines of 76" => |case| base64_text(case, text_of(case).as_bytes(), false, Some(76)),
        "base64 of the text in JSON, lines of 60" => |case| {
            let code = c::wrapped(&c::base64(text_of(case).as_bytes(), false), 60);
            let pieces = code.lines().filter(|line| line.len() >= 8).map(str::to_owned).collect();
            parts(serde_json::json!({ "content": code + "\n", "encoding": "base64" }).to_string(), pieces, CODED)
        },
        "base64url of the text" => |case| base64_text(case, text_of(case).as_bytes(), true, None),
        "base64 of UTF-16" => |case| {
            let wide: Vec<u8> = text_of(case).encode_utf16().flat_map(u16::to_le_bytes).collect();
            base64_text(case, &wide, false, None)
        },
    }
    // A code whose content is no secret without the words around it stays.
    93 {
        "base64 of the value" => |case| {
            (case.rule != "none").then_some(())?;
            let code = c::base64(case.value.as_bytes(), false);
            parts(case.with(&code), vec![code], CODED)
        },
    }
    80 {
        "terminal of 80 columns" => |case| {
            let fill = "x ".repeat(100);
            let lead = 74usize.saturating_sub(case.before.lines().last().unwrap_or_default().len() % 80);
            if !case.is_one_line() || case.rule == "none" {
                return None;
            }
            let text = c::wrapped(&format!("{}{}", &fill[..lead / 2 * 2], case.line()), 80);
            let at = lead / 2 * 2 + case.before.len();
            let pieces = c::wrapped(&format!("{}{}", " ".repeat(at), case.value), 80);
            let pieces = pieces.lines().map(|l| l.trim_start().to_owned()).filter(|l| l.len() > 3).collect();
            parts(format!("$ show\n{text}\n"), pieces, PLAIN)
        },
        "folded in YAML" => |case| {
            let (name, value) = case.name().filter(|_| case.is_named).map(|n| (n, &case.value)).filter(|(_, v)| !v.contains(['\n', '"']))?;
            plain(case, format!("app:\n  {name}: >-\n    {value}\n  next: 1\n"))
        },
        "continued in a shell" => |case| broken(case, "\\\n"),
        "strings put together on two lines" => |case| strung(case, "\" +\n    \""),
        "strings put together on one line" => |case| strung(case, "\" + \""),
        "strings side by side" => |case| strung(case, "\"\n    \""),
        "strings of a list put together" => |case| {
            let hidden = strung(case, "\", \"")?;
            let text = hidden.text.replacen("= \"", "= [\"", 1);
            let text = text.trim_end().to_owned() + "].join(\"\")\n";
            text.contains("[\"").then_some(Hidden { text, ..hidden })
        },
        "strings put together by a method" => |case| strung(case, "\").concat(\""),
        "strings put together in a template" => |case| {
            let hidden = strung(case, "\"}${\"")?;
            let text = hidden.text.replacen("= \"", "= `${\"", 1).trim_end().to_owned() + "}`;\n";
            text.contains("`${").then_some(Hidden { text, ..hidden })
        },
        "runs of Word" => |case| {
            broken(case, "</w:t></w:r><w:r><w:rPr><w:b/></w:rPr><w:t>")
        },
        "strings put together in Lua" => |case| strung(case, "\" .. \""),
        "here-string" => |case| {
            (case.is_one_line() && case.rule != "none").then_some(())?;
            plain(case, format!("cat <<'EOF'\n{}\nEOF\n", case.line()))
        },
        "terminal of 24 columns" => |case| {
            (case.is_one_line() && case.is_bare).then_some(())?;
            let text = c::wrapped(&format!("see {}", case.value), 24);
            let pieces = c::wrapped(&format!("    {}", case.value), 24);
            let pieces = pieces.lines().map(|l| l.trim_start().to_owned()).filter(|l| l.len() > 3).collect();
            parts(text + "\n", pieces, PLAIN)
        },
        "terminal of 40 columns" => |case| {
            (case.is_one_line() && case.rule != "none").then_some(())?;
            let text = c::wrapped(&format!("xx yy zz xx yy zz xx yy zz {}", case.line()), 40);
            let at = 27 + case.before.len();
            let pieces = c::wrapped(&format!("{}{}", " ".repeat(at), case.value), 40);
            let pieces = pieces.lines().map(|l| l.trim_start().to_owned()).filter(|l| l.len() > 3).collect();
            parts(text + "\n", pieces, PLAIN)
        },
        "statement of SQL" => |case| {
            let (name, value) = cell(case).filter(|(name, value)| *name != "line" && !value.contains(['\'', '\\']))?;
            let text = format!("INSERT INTO users (id, {name}, role) VALUES (1, '{value}', 'a'), (2, NULL, 'b');\n");
            plain(case, text)
        },
        "rows of a dump" => |case| {
            let (name, value) = cell(case).filter(|(name, _)| *name != "line")?;
            plain(case, format!("COPY public.users (id, {name}) FROM stdin;\n1\t{value}\n\\.\n"))
        },
        "declared without an operator" => |case| {
            let (name, value) = cell(case).filter(|(name, value)| *name != "line" && !value.contains(' '))?;
            plain(case, format!("FROM alpine\nENV {name} {value}\nRUN true\n"))
        },
        "fields of Redis" => |case| {
            let (name, value) = cell(case).filter(|(name, value)| *name != "line" && !value.contains('\\'))?;
            plain(case, format!("1) \"user\"\n2) \"app\"\n3) \"{name}\"\n4) \"{value}\"\n"))
        },
        "cut at the end of a line" => |case| broken(case, "\n"),
        "cut by a blank" => |case| broken(case, " "),
        "cut and indented" => |case| broken(case, "\n    "),
        "cut in a diff" => |case| broken(case, "\n+"),
        "cut behind grep -n" => |case| broken(case, "\n13:"),
        "soft break of mail" => |case| broken(case, "=\n"),
        "two items of an array" => |case| broken(case, "\",\""),
        "printed in two lines" => |case| case.is_bare.then(|| broken(case, "\n")).flatten(),
        "split by blanks" => |case| {
            (case.is_bare && case.value.is_ascii() && !case.value.contains('\n')).then_some(())?;
            let pieces: Vec<String> =
                case.value.as_bytes().chunks(8).map(|p| String::from_utf8_lossy(p).into_owned()).collect();
            parts(format!("{}{}{}\n", case.before, pieces.join(" "), case.after.trim_end()), pieces, PLAIN)
        },
    }
}
