//! Texts that are not one repeated piece: nested, with ever longer pieces, with ever new pieces, or without an end.

use std::fmt::Write as _;

/// Makes a text of about this many bytes.
pub type Text = fn(usize) -> String;

/// A kind of text.
pub struct Shape {
    /// Its name.
    pub name: &'static str,
    /// The file that shows it, or the command that prints it, where a reader waits for that.
    pub path: Option<&'static str>,
    /// See above.
    pub command: Option<&'static str>,
    /// A text of about this many bytes.
    pub text: fn(usize) -> String,
}

/// The same numbers in every run.
pub struct Dice(u64);

impl Dice {
    pub fn new() -> Self {
        Self(7)
    }

    pub fn below(&mut self, limit: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % limit
    }

    /// A word of these letters.
    pub fn word(&mut self, letters: &str, count: usize) -> String {
        let letters: Vec<char> = letters.chars().collect();
        (0..count).map(|_| letters[self.below(letters.len())]).collect()
    }
}

/// Letters in no order, without a blank.
fn run(letters: &str, bytes: usize) -> String {
    let (letters, mut dice, mut out): (Vec<char>, _, _) =
        (letters.chars().collect(), Dice::new(), String::new());
    while out.len() < bytes {
        out.push(letters[dice.below(letters.len())]);
    }
    out
}

/// Numbered pieces, up to a length in bytes.
fn counted(bytes: usize, mut piece: impl FnMut(usize, &mut String)) -> String {
    let mut out = String::new();
    for n in 0.. {
        if out.len() >= bytes {
            break;
        }
        piece(n, &mut out);
    }
    out
}

macro_rules! piece {
    ($bytes:expr, $n:ident, $($format:tt)*) => {
        counted($bytes, |$n, out| { let _ = write!(out, $($format)*); })
    };
}

/// Opened and closed as often as fits, with something in the middle.
fn nested(open: &str, middle: &str, close: &str, bytes: usize) -> String {
    let times = bytes / (open.len() + close.len());
    format!("{}{middle}{}", open.repeat(times), close.repeat(times))
}

/// The same to a depth, again and again.
fn nested_to(depth: usize, open: &str, middle: &str, close: &str, between: &str, bytes: usize) -> String {
    let one = format!("{}{middle}{}{between}", open.repeat(depth), close.repeat(depth));
    one.repeat((bytes / one.len()).max(1))
}

const LOWER: &str = "abcdefghijklmnopqrstuvwxyz";
const BASE64: &str = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
const ANY: &str = "ABCDEFGHIJabcdefghij0123456789!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~ ";
const SIGNS: &str = "!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~";

const fn plain(name: &'static str, text: fn(usize) -> String) -> Shape {
    Shape { name, path: None, command: None, text }
}

const fn file(name: &'static str, path: &'static str, text: fn(usize) -> String) -> Shape {
    Shape { name, path: Some(path), command: None, text }
}

const fn output(name: &'static str, command: &'static str, text: fn(usize) -> String) -> Shape {
    Shape { name, path: None, command: Some(command), text }
}

/// All of them.
pub const TEXTS: &[Shape] = &[
    // One line without blanks.
    plain("one line of letters", |n| run(LOWER, n)),
    plain("one line of capitals", |n| run("ABCDEFGHIJKLMNOPQRSTUVWXYZ", n)),
    plain("one line of both cases", |n| run("abcdefgABCDEFG", n)),
    plain("one line of two letters", |n| run("ab", n)),
    plain("one line of one letter", |n| "a".repeat(n)),
    plain("one line of base64", |n| run(BASE64, n)),
    plain("one line of hexadecimal", |n| run("0123456789abcdef", n)),
    plain("one line of digits", |n| run("0123456789", n)),
    plain("one line of signs", |n| run(SIGNS, n)),
    plain("one line of anything", |n| run(ANY, n)),
    plain("one line of words", |n| piece!(n, i, "word{i} ")),
    plain("one line of quotes and backslashes", |n| run("\\\"'n", n)),
    plain("one line of brackets", |n| run("[]{}()<>", n)),
    plain("one line of percent codes", |n| piece!(n, i, "%{:02x}", i * 7 % 256)),
    plain("one line of escapes", |n| piece!(n, i, "\\u{:04x}", i * 7919 % 65536)),
    plain("one line of entities", |n| piece!(n, i, "&#{};", 33 + i % 90)),
    plain("one line of blanks", |n| run(" \t", n)),
    plain("control characters", |n| run("\u{1}\u{2}\u{3}\u{7}\u{e}\u{1f}", n)),
    // Other scripts, and characters without width.
    plain("Chinese characters", |n| run("的一是不了人我在有他这为之大来以个中上们", n)),
    plain("rare Chinese characters", |n| run("龘靐齉爨麤鱻驫骉羴猋焱淼垚", n)),
    plain("lines of Chinese characters", |n| piece!(n, i, "构建失败{i}找不到模块\n")),
    plain("Korean", |n| run("가나다라마바사아자차카타파하각난달", n)),
    plain("Thai without blanks", |n| run("กขคงจฉชซญฎฏฐณดตถทธนบปผฝพฟภมยรลวศษสหฬอฮะัาำิีึืุู", n)),
    plain("combining characters", |n| run("e\u{301}\u{302}\u{303}\u{304}\u{305}\u{306}", n)),
    plain("one letter with combining characters", |n| format!("e{}", run("\u{301}\u{302}\u{335}", n))),
    plain("zero width between letters", |n| run("ab\u{200b}\u{200c}\u{200d}\u{2060}\u{feff}", n)),
    plain("soft hyphens and selectors", |n| run("ab\u{ad}\u{fe0f}\u{fe0e}\u{34f}\u{180e}", n)),
    plain("turned around", |n| run("ab\u{202a}\u{202b}\u{202c}\u{202d}\u{202e}\u{2066}\u{2069}", n)),
    plain("tags", |n| run("a\u{e0061}\u{e0062}\u{e007f}\u{e0001}", n)),
    plain("joined emoji", |n| "👩\u{200d}👩\u{200d}👧\u{200d}👦".repeat(n / 25)),
    plain("emoji", |n| run("😀😂🤔🎉❌✅🚀🔥👍🇩🇪🇫🇷", n)),
    plain("wide letters", |n| run("ＡＢＣａｂｃ＝：＂［］", n)),
    plain("letters that look alike", |n| run("аеорсухі [tersed:", n)),
    plain("mathematical letters", |n| run("𝐀𝐁𝐂𝒂𝒃𝒄𝟎𝟏𝟐", n)),
    plain("boxes", |n| run("─│┌┐└┘├┤┬┴┼═║█░▒▓", n)),
    plain("private characters", |n| run("\u{e000}\u{e001}\u{f8ff}\u{f0000}\u{10ffff}", n)),
    plain("broken characters", |n| run("\u{fffd}a", n)),
    plain("unusual blanks", |n| run("\u{a0}\u{2003}\u{2028}\u{2029}\u{3000}\u{85}", n)),
    // Lines.
    plain("each line longer than the last", |n| {
        let mut at = 0;
        counted(n, |_, out| {
            at += 1;
            out.extend(std::iter::repeat_n('a', at));
            out.push('\n');
        })
    }),
    plain("each line longer by a new word", |n| {
        let mut line = String::new();
        counted(n, |i, out| {
            let _ = write!(line, "w{i} ");
            out.push_str(&line);
            out.push('\n');
        })
    }),
    plain("lines that count", |n| piece!(n, i, "{i}\n")),
    plain("lines that differ in one number", |n| piece!(n, i, "item {i} of the list was taken\n")),
    plain("lines that differ in one word", |n| {
        let mut dice = Dice::new();
        counted(n, |_, out| {
            let word = dice.word(LOWER, 6);
            let _ = writeln!(out, "the item {word} of the list was taken");
        })
    }),
    plain("lines that differ in every word", |n| {
        let mut dice = Dice::new();
        counted(n, |_, out| {
            for _ in 0..6 {
                out.push_str(&dice.word(LOWER, 5));
                out.push(' ');
            }
            out.push('\n');
        })
    }),
    plain("lines with one start and other ends", |n| {
        let start = "a/long/start/that/never/changes/".repeat(20);
        counted(n, |i, out| {
            let _ = writeln!(out, "{start}{i}");
        })
    }),
    plain("lines with one end and other starts", |n| {
        let end = "/a/long/end/that/never/changes".repeat(20);
        counted(n, |i, out| {
            let _ = writeln!(out, "{i}{end}");
        })
    }),
    plain("two lines in no order", |n| {
        let mut dice = Dice::new();
        counted(n, |_, out| out.push_str(["a\n", "b\n"][dice.below(2)]))
    }),
    plain("two longer lines in no order", |n| {
        let mut dice = Dice::new();
        counted(n, |_, out| {
            out.push_str(["the first of two lines\n", "the other of two lines\n"][dice.below(2)])
        })
    }),
    plain("lines of Thue and Morse", |n| {
        counted(n, |i, out| out.push_str(["aaaa\n", "bbbb\n"][(i.count_ones() & 1) as usize]))
    }),
    plain("lines of Fibonacci", |n| {
        let (mut a, mut b) = ("aa\n".to_owned(), "bb\n".to_owned());
        while b.len() < n {
            (a, b) = (b.clone(), b + &a);
        }
        b
    }),
    plain("runs of ever more lines", |n| {
        counted(n, |i, out| {
            out.push_str(&"same line\n".repeat(i + 1));
            let _ = writeln!(out, "line {i}");
        })
    }),
    plain("blocks that come again with one line changed", |n| {
        counted(n, |i, out| {
            for k in 0..20 {
                let k = if k == i % 20 { i + 1000 } else { k };
                let _ = writeln!(out, "line {k} of the block, which is long enough to count");
            }
        })
    }),
    plain("blocks that come again in another order", |n| {
        let mut dice = Dice::new();
        counted(n, |_, out| {
            let block = dice.below(40);
            for k in 0..6 {
                let _ = writeln!(out, "line {k} of block {block}, which is long enough to count");
            }
        })
    }),
    plain("blocks of ever more lines that come again", |n| {
        counted(n, |i, out| {
            for k in 0..i {
                let _ = writeln!(out, "line {k} of a block that grows");
            }
        })
    }),
    plain("empty lines and lines of blanks", |n| "\n \n\t\n  \n".repeat(n / 9)),
    plain("lines that are further and further in", |n| {
        let mut at = 0;
        counted(n, |_, out| {
            at += 1;
            out.extend(std::iter::repeat_n(' ', at));
            out.push_str("a\n");
        })
    }),
    plain("returns within lines", |n| {
        counted(n, |i, out| {
            let _ = write!(out, "{i}%\r");
            if i % 50 == 0 {
                out.push('\n');
            }
        })
    }),
    plain("ever longer lines behind returns", |n| {
        let mut at = 0;
        counted(n, |_, out| {
            at += 1;
            out.extend(std::iter::repeat_n('a', at));
            out.push('\r');
        })
    }),
    plain("backspaces", |n| nested("ab", "", "\u{8}\u{8}", n)),
    // Terminals.
    plain("a cursor that goes anywhere", |n| {
        let mut dice = Dice::new();
        counted(n, |_, out| {
            let (row, column) = (dice.below(60), dice.below(200));
            let _ = write!(out, "\x1b[{row};{column}Hx");
        })
    }),
    plain("a cursor that goes down and right", |n| "\x1b[B\x1b[50Cx".repeat(n / 9)),
    plain("rows put in on a full screen", |n| {
        format!("{}{}", "a line\n".repeat(n / 14), "\x1b[H\x1b[L".repeat(n / 12))
    }),
    plain("rows put in and taken out in the middle", |n| {
        format!("{}\x1b[200;1H{}", "a line\n".repeat(390), "\x1b[L\x1b[M".repeat(n / 6))
    }),
    plain("rows put in and taken out near the end", |n| {
        format!("{}\x1b[9A{}", "a line\n".repeat(390), "\x1bM\x1b[M\x1b[L".repeat(n / 8))
    }),
    plain("a row written above, and all above erased", |n| {
        format!("{}{}", "a line\n".repeat(190), "\x1b[Ha\x1b[190H\x1b[1J".repeat(n / 14))
    }),
    plain("a first column put into a row of 4000", |n| {
        format!("{}{}", "a".repeat(4000), "\r\x1b[@\x1b[P".repeat(n / 7))
    }),
    plain("a first column overwritten in a row of 4000", |n| {
        format!("{}{}", "é".repeat(4000), "\rab".repeat(n / 3))
    }),
    plain("a row of 4000 blanks that is erased to the left", |n| {
        format!("{}x\x1b[2G{}", " ".repeat(4000), "\x1b[4000G\x1b[1K".repeat(n / 11))
    }),
    plain("a row of 4000 blanks that is erased to the left again", |n| {
        format!("{}xy\x1b[4000G{}", " ".repeat(4000), "\x1b[1K".repeat(n / 4))
    }),
    plain("a row of 4000 that is erased and written", |n| {
        format!("{}{}", "a".repeat(3000), "\x1b[2000G\x1b[1Kb\x1b[999Xc".repeat(n / 18))
    }),
    plain("failures that are overwritten", |n| piece!(n, i, "error: {i} failed\r")),
    plain("failures that are scrolled away", |n| piece!(n, i, "error: {i} failed\n\x1b[A\x1b[M")),
    plain("failures in other places of a row of 4000", |n| {
        format!("{}{}", " ".repeat(4000), piece!(n, i, "\x1b[{}Gerror: failed\x1b[2Gx", i * 37 % 3900))
    }),
    plain("marks behind one character", |n| format!("a\rb{}", "\u{301}\u{8}b".repeat(n / 4))),
    plain("tabs over a row", |n| format!("{}{}", "a".repeat(4000), "\r\t\t\t\t\tx".repeat(n / 7))),
    plain("characters put into a long line", |n| {
        format!("{}\r{}", "a".repeat(n / 2), "\x1b[@".repeat(n / 6))
    }),
    plain("characters taken from a long line", |n| {
        format!("{}\r{}", "a".repeat(n / 2), "\x1b[P".repeat(n / 6))
    }),
    plain("a long line that is erased to the left", |n| {
        format!("{}{}", "a".repeat(n / 2), "\x1b[1K".repeat(n / 8))
    }),
    plain("a screen that is erased upwards", |n| {
        format!("{}{}", "abc\n".repeat(n / 8), "a\x1b[1J".repeat(n / 10))
    }),
    plain("colours that change", |n| piece!(n, i, "\x1b[38;5;{}mx\x1b[0m", i % 256)),
    plain("colours without text", |n| piece!(n, i, "\x1b[{}m", i % 108)),
    plain("links that change", |n| piece!(n, i, "\x1b]8;;http://a/{i}\x1b\\x\x1b]8;;\x1b\\")),
    plain("regions that scroll", |n| piece!(n, i, "\x1b[{};{}r\x1b[Sx\n", i % 20 + 1, i % 20 + 5)),
    plain("tabs that are set", |n| "x\x1bH\x1b[3g\t".repeat(n / 8)),
    plain("repeated characters", |n| "x\x1b[999b".repeat(n / 7)),
    plain("sequences with many numbers", |n| {
        piece!(n, i, "\x1b[{};{};{};{};{};{};{};{}mx", i, 1, 2, 3, 4, 5, 6, 7)
    }),
    plain("a sequence that does not end", |n| format!("\x1b[{}", "1;".repeat(n / 2))),
    plain("a string that does not end", |n| format!("\x1b]0;{}", "a".repeat(n))),
    // JSON.
    plain("JSON nested without end", |n| nested("[", "", "]", n)),
    plain("JSON objects nested without end", |n| nested("{\"a\":", "1", "}", n)),
    plain("JSON nested a hundred deep", |n| format!("[{}1]", nested_to(100, "{\"a\":[", "1", "]}", ",", n))),
    plain("JSON lines nested a hundred deep", |n| nested_to(100, "{\"a\":[", "1", "]}", "\n", n)),
    plain("JSON with ever new names", |n| format!("{{{}\"z\":1}}", piece!(n, i, "\"name_{i}\":{i},"))),
    plain("JSON rows with ever new names", |n| format!("[{}1]", piece!(n, i, "{{\"name_{i}\":{i}}},"))),
    plain("JSON rows of names in turn", |n| {
        format!("[{}1]", piece!(n, i, "{{\"a{}\":1,\"b{}\":2}},", i % 50, i % 70))
    }),
    plain("JSON rows each with one name more", |n| {
        let mut row = String::new();
        let body = counted(n, |i, out| {
            let _ = write!(row, "{}\"k{i}\":{i}", if i > 0 { "," } else { "" });
            let _ = write!(out, "{{{row}}},");
        });
        format!("[{body}{{}}]")
    }),
    plain("JSON with one name again and again", |n| format!("{{{}\"a\":1}}", "\"a\":1,".repeat(n / 6))),
    plain("JSON rows", |n| {
        format!("[{}{{\"id\":0,\"name\":\"x\"}}]", piece!(n, i, "{{\"id\":{i},\"name\":\"name {i}\"}},"))
    }),
    plain("JSON rows of 10,000 columns", |n| {
        let row: String = piece!(n / 5, i, "\"c{i}\":{i},");
        format!("[{}1]", format!("{{{row}\"z\":0}},").repeat(5))
    }),
    plain("JSON numbers", |n| format!("[{}0]", piece!(n, i, "{i},"))),
    plain("JSON fractions", |n| format!("[{}0]", piece!(n, i, "{}.{}e{},", i, i * 7, i % 300))),
    plain("JSON nothing but nulls", |n| format!("[{}0]", "null,".repeat(n / 5))),
    plain("JSON matrices", |n| format!("[{}0]", piece!(n, i, "[{i},{},{}],", i * 3, i * 7))),
    plain("JSON one long string", |n| format!("\"{}\"", run(LOWER, n))),
    plain("JSON one string of escapes", |n| format!("{{\"a\":\"{}\"}}", "\\n\\t\\\"\\\\".repeat(n / 8))),
    plain("JSON one string of lines", |n| {
        format!("{{\"a\":\"{}\"}}", piece!(n, i, "line {i} of the text\\n"))
    }),
    plain("JSON in JSON in JSON", |n| {
        let mut text = "{\"a\":1}".to_owned();
        while text.len() * 2 < n {
            text = format!("{{\"a\":{}}}", serde_json::Value::String(text));
        }
        text
    }),
    plain("JSON strings that hold JSON", |n| {
        format!("[{}0]", piece!(n, i, "\"{{\\\"a\\\":{i},\\\"b\\\":[1,2]}}\","))
    }),
    plain("JSON strings that hold JSON that is not closed", |n| {
        format!("[{}0]", piece!(n, i, "\"{{\\\"a\\\":{{\\\"b{i}\\\":[\","))
    }),
    plain("JSON that ends early", |n| format!("[{}", piece!(n, i, "{{\"id\":{i},\"name\":\"name {i}\"}},"))),
    plain("JSON that is wrong at the end", |n| {
        format!("[{}}}", piece!(n, i, "{{\"id\":{i},\"name\":\"name {i}\"}},"))
    }),
    plain("JSON lines of other kinds", |n| piece!(n, i, "{{\"k{i}\":[{i},{{\"a\":null}}]}}\n")),
    plain("JSON lines within a log", |n| {
        piece!(n, i, "2026-05-04 INFO took {{\"id\":{i},\"b\":{{\"c\":[{i}]}}}} in\n")
    }),
    plain("JSON indented deep", |n| {
        let depth = (n as f64).sqrt() as usize / 2;
        let mut out = String::new();
        for at in 0..depth {
            let _ = writeln!(out, "{:at$}{{ \"a\":", "");
        }
        out.push('1');
        for at in (0..depth).rev() {
            let _ = write!(out, "\n{:at$}}}", "");
        }
        out
    }),
    // Frames.
    plain("JSON-RPC frames", |n| {
        piece!(n, i, "{{\"jsonrpc\":\"2.0\",\"id\":{i},\"method\":\"tools/call\",\"params\":{{}}}}\n")
    }),
    plain("frames with headers", |n| {
        piece!(n, i, "Content-Length: {i}\r\n\r\n{{\"jsonrpc\":\"2.0\",\"id\":{i}}}")
    }),
    plain("events", |n| piece!(n, i, "event: a\nid: {i}\ndata: {{\"delta\":\"{i}\"}}\n\n")),
    // YAML and TOML.
    file("YAML anchors that name each other", "a.yaml", |n| {
        piece!(n, i, "a{i}: &a{i} [*a{}, *a{}]\n", i.saturating_sub(1), i.saturating_sub(1))
    }),
    file("YAML anchors of one name", "a.yaml", |n| "- &a [*a, *a, *a]\n".repeat(n / 18)),
    file("YAML aliases", "a.yaml", |n| format!("a: &a b\nlist:\n{}", "  - *a\n".repeat(n / 7))),
    file("YAML merge keys", "a.yaml", |n| {
        format!("b: &b {{x: 1}}\n{}", piece!(n, i, "k{i}:\n  <<: *b\n  y: {i}\n"))
    }),
    file("YAML further and further in", "a.yaml", |n| {
        let mut at = 0;
        counted(n, |_, out| {
            let _ = writeln!(out, "{:at$}a:", "");
            at += 1;
        })
    }),
    file("YAML lists within lists", "a.yaml", |n| nested_to(60, "- ", "a", "", "\n", n)),
    file("YAML flow within flow", "a.yaml", |n| format!("a: {}", nested("[", "", "]", n))),
    file("YAML flow objects", "a.yaml", |n| piece!(n, i, "a{i}: {{b: [{{c: {i}}}]}}\n")),
    file("YAML text blocks", "a.yaml", |n| piece!(n, i, "a{i}: |\n  line\n\n  line {i}\n")),
    file("YAML one text block", "a.yaml", |n| format!("a: |\n{}", piece!(n, i, "  line {i}\n"))),
    file("YAML quotes over lines", "a.yaml", |n| piece!(n, i, "a{i}: \"line\n\n  line {i}\"\n")),
    file("YAML documents", "a.yaml", |n| piece!(n, i, "---\nkind: A\nname: a{i}\n")),
    file("YAML comments", "a.yaml", |n| piece!(n, i, "a{i}: b # c # d\n# e\n")),
    file("YAML long keys", "a.yaml", |n| piece!(n, i, "? a{i}\n: b\n")),
    file("YAML rows", "a.yaml", |n| piece!(n, i, "- id: {i}\n  name: name {i}\n")),
    file("TOML tables within tables", "a.toml", |n| {
        let mut name = "a".to_owned();
        counted(n, |i, out| {
            let _ = writeln!(out, "[{name}]\nx = {i}");
            name.push_str(".a");
        })
    }),
    file("TOML dotted keys", "a.toml", |n| piece!(n, i, "a.b.c.d.e.k{i} = {i}\n")),
    file("TOML lists of tables", "a.toml", |n| piece!(n, i, "[[a.b]]\nid = {i}\n[[a.b.c]]\nx = 1\n")),
    file("TOML one long list", "a.toml", |n| format!("a = [{}]", piece!(n, i, "{{ b = {i} }}, "))),
    file("INI sections", "a.ini", |n| piece!(n, i, "[s{i}]\na={i}\n; c\n")),
    file("properties over lines", "a.properties", |n| piece!(n, i, "a{i}=b\\\n  c\\\n  d\n")),
    // XML and HTML.
    file("XML entities that name each other", "a.xml", |n| {
        format!(
            "<!DOCTYPE a [\n{}]>\n<a>&e9;</a>",
            piece!(n, i, "<!ENTITY e{i} \"&e{};&e{};\">\n", i.saturating_sub(1), i.saturating_sub(1))
        )
    }),
    file("XML nested", "a.xml", |n| nested("<a>", "", "</a>", n)),
    file("XML nested with ever new names", "a.xml", |n| {
        let count = n / 18;
        let open: String = (0..count).map(|i| format!("<n{i}>")).collect();
        let close: String = (0..count).rev().map(|i| format!("</n{i}>")).collect();
        open + &close
    }),
    file("XML nested and never closed", "a.xml", |n| piece!(n, i, "<n{i}>\n")),
    file("XML nested and closed in another order", "a.xml", |n| {
        format!("{}{}", piece!(n / 2, i, "<n{i}>"), piece!(n / 2, i, "</n{i}>"))
    }),
    file("XML attributes", "a.xml", |n| format!("<a {}/>", piece!(n, i, "b{i}=\"{i}\" "))),
    file("XML rows", "a.xml", |n| {
        format!("<a>{}</a>", piece!(n, i, "<row id=\"{i}\"><name>n{i}</name></row>\n"))
    }),
    file("XML rows of ever new names", "a.xml", |n| {
        format!("<a>{}</a>", piece!(n, i, "<row{i}><x{i}/></row{i}>\n"))
    }),
    file("XML comments", "a.xml", |n| format!("<a>{}</a>", "<!-- - -- > -->\n".repeat(n / 16))),
    file("XML name spaces", "a.xml", |n| {
        format!("<a>{}</a>", piece!(n, i, "<x{i}:b xmlns:x{i}=\"http://a/{i}\"/>"))
    }),
    file("HTML tables within tables", "a.html", |n| nested("<table><tr><td>", "", "</td></tr></table>", n)),
    file("HTML lists within lists", "a.html", |n| nested("<ul><li>a", "", "</li></ul>", n)),
    file("HTML spans", "a.html", |n| piece!(n, i, "<span class=\"a{i}\">b</span>")),
    file("HTML a row of 10,000 columns", "a.html", |n| {
        format!("<table><tr>{}</tr></table>", piece!(n, i, "<td>{i}</td>"))
    }),
    file("HTML scripts", "a.html", |n| "<script>if (a < b) { c(\"</\") }</script>\n".repeat(n / 43)),
    file("HTML paragraphs that are not closed", "a.html", |n| piece!(n, i, "<p>text {i} <b>bold <i>both\n")),
    plain("HTML without a name", |n| {
        format!("<!DOCTYPE html><html><body>{}</body></html>", nested("<div>", "a", "</div>", n))
    }),
    // Tables.
    file("CSV of quotes", "a.csv", |n| "\"\",\"\"\"\",\"\"\n".repeat(n / 14)),
    file("CSV with a quote that is not closed", "a.csv", |n| format!("a,b\n\"{}", piece!(n, i, "{i},b\n"))),
    file("CSV with lines in quotes", "a.csv", |n| piece!(n, i, "{i},\"a\nb\n\",c\n")),
    file("CSV of 10,000 columns", "a.csv", |n| {
        piece!(n / 5, i, "c{i},") + "\n" + &format!("{}\n", "1,".repeat(n / 10)).repeat(4)
    }),
    file("CSV of one row", "a.csv", |n| piece!(n, i, "{i},")),
    file("CSV of one column", "a.csv", |n| piece!(n, i, "v{i}\n")),
    file("CSV with ever more columns", "a.csv", |n| {
        let mut row = String::new();
        counted(n, |i, out| {
            let _ = write!(row, "{i},");
            out.push_str(&row);
            out.push('\n');
        })
    }),
    file("CSV rows", "a.csv", |n| format!("id,name,size\n{}", piece!(n, i, "{i},name {i},{}\n", i * 3))),
    file("TSV of 10,000 columns", "a.tsv", |n| (piece!(n / 5, i, "c{i}\t") + "\n").repeat(5)),
    plain("a table of 10,000 columns", |n| (piece!(n / 5, i, "| c{i} ") + "|\n").repeat(5)),
    plain("aligned columns", |n| piece!(n, i, "{i:<12}{:<12}{:<12}{}\n", i * 7, i * 13, i % 10)),
    plain("aligned columns of 10,000", |n| (piece!(n / 5, i, "{i:<8}") + "\n").repeat(5)),
    plain("a table in boxes", |n| piece!(n, i, "│ {i:<8} │ {:<8} │\n├──────────┼──────────┤\n", i * 3)),
    plain("rows of psql", |n| format!(" id | name\n----+------\n{}", piece!(n, i, " {i} | n{i}\n"))),
    output("rows of kubectl", "kubectl get pods", |n| {
        format!("NAME   READY   STATUS\n{}", piece!(n, i, "pod-{i}   1/1   Running\n"))
    }),
    // Markdown.
    file("Markdown quotes within quotes", "a.md", |n| {
        let mut at = 0;
        counted(n, |_, out| {
            at = (at + 1) % 500;
            out.push_str(&"> ".repeat(at));
            out.push_str("a\n");
        })
    }),
    file("Markdown lists within lists", "a.md", |n| {
        let mut at = 0;
        counted(n, |_, out| {
            let _ = writeln!(out, "{:1$}- a", "", at * 2);
            at = (at + 1) % 500;
        })
    }),
    file("Markdown links that are not closed", "a.md", |n| "[a](b [c](".repeat(n / 10)),
    file("Markdown brackets", "a.md", |n| nested("[", "a", "]", n)),
    file("Markdown stars", "a.md", |n| "*a **b _c __d ".repeat(n / 14)),
    file("Markdown ticks of ever more", "a.md", |n| {
        counted(n, |i, out| {
            out.extend(std::iter::repeat_n('`', i % 400 + 1));
            out.push_str("a ");
        })
    }),
    file("Markdown fences of ever more", "a.md", |n| {
        counted(n, |i, out| {
            out.extend(std::iter::repeat_n('`', i % 200 + 3));
            out.push_str("\na\n");
        })
    }),
    file("Markdown headings", "a.md", |n| piece!(n, i, "{} heading {i}\n\ntext\n\n", "#".repeat(i % 6 + 1))),
    file("Markdown a table of 10,000 columns", "a.md", |n| {
        let columns = n / 24;
        let row = |cell: &str| "|".to_owned() + &cell.repeat(columns) + "\n";
        row(" a |") + &row("---|") + &row(" b |").repeat(3)
    }),
    file("Markdown a table of many rows", "a.md", |n| {
        format!("| a | b |\n|---|---|\n{}", piece!(n, i, "| {i} | x |\n"))
    }),
    file("Markdown references", "a.md", |n| piece!(n, i, "[r{i}]: http://a/{i}\n[a][r{i}]\n")),
    file("Markdown HTML", "a.md", |n| "<details><summary>a\n\n- b\n".repeat(n / 25)),
    // Diffs.
    output("a diff of many files", "git diff", |n| {
        piece!(
            n,
            i,
            "diff --git a/f{i} b/f{i}\nindex 1..2 100644\n--- a/f{i}\n+++ b/f{i}\n@@ -1 +1 @@\n-a\n+b\n"
        )
    }),
    output("a diff of nothing but heads", "git diff", |n| piece!(n, i, "diff --git a/f{i} b/f{i}\n")),
    output("a diff of renames", "git diff", |n| {
        piece!(n, i, "diff --git a/f{i} b/g{i}\nsimilarity index 100%\nrename from f{i}\nrename to g{i}\n")
    }),
    output("a diff of many hunks", "git diff", |n| {
        format!(
            "diff --git a/f b/f\n--- a/f\n+++ b/f\n{}",
            piece!(n, i, "@@ -{} +{} @@ fn a() {{\n-a{i}\n+b{i}\n", i * 9 + 1, i * 9 + 1)
        )
    }),
    output("a diff of one hunk, all old then all new", "git diff", |n| {
        format!(
            "diff --git a/f b/f\n--- a/f\n+++ b/f\n@@ -1,{0} +1,{0} @@\n{1}{2}",
            n / 26,
            piece!(n / 2, i, "-old line {i}\n"),
            piece!(n / 2, i, "+new line {i}\n")
        )
    }),
    output("a diff of lines that moved", "git diff", |n| {
        format!(
            "diff --git a/f b/f\n--- a/f\n+++ b/f\n@@ -1,{0} +1,{0} @@\n{1}{2}",
            n / 22,
            piece!(n / 2, i, "-line {i}\n"),
            piece!(n / 2, i, "+line {}\n", i ^ 1)
        )
    }),
    output("a diff of two lines", "git diff", |n| {
        let mut dice = Dice::new();
        format!(
            "diff --git a/f b/f\n--- a/f\n+++ b/f\n@@ -1,{0} +1,{0} @@\n{1}",
            n / 6,
            counted(n, |_, out| out.push_str(["-a\n", "+a\n", "-b\n", "+b\n"][dice.below(4)]))
        )
    }),
    output("a diff of very long lines", "git diff", |n| {
        format!(
            "diff --git a/f b/f\n--- a/f\n+++ b/f\n@@ -1 +1 @@\n-{}\n+{}\n",
            run(LOWER, n / 2),
            run("abc", n / 2)
        )
    }),
    output("a diff with impossible numbers", "git diff", |n| {
        format!(
            "diff --git a/f b/f\n--- a/f\n+++ b/f\n{}",
            piece!(n, i, "@@ -{i},99999999999 +{i},18446744073709551615 @@\n-a\n")
        )
    }),
    output("a diff of a diff", "git diff", |n| {
        format!(
            "diff --git a/f b/f\n--- a/f\n+++ b/f\n@@ -0,0 +1,{} @@\n{}",
            n / 14,
            piece!(n, i, "+diff --git a/{i} b/{i}\n+@@ -1 +1 @@\n+-a\n++b\n")
        )
    }),
    output("a merge", "git diff", |n| {
        format!(
            "diff --cc f\nindex 1,2..3\n--- a/f\n+++ b/f\n{}",
            piece!(n, i, "@@@ -{i} -{i} +{i} @@@\n- a\n -b\n++c\n")
        )
    }),
    output("a new file", "git diff", |n| {
        format!(
            "diff --git a/f b/f\nnew file mode 100644\n--- /dev/null\n+++ b/f\n@@ -0,0 +1,{} @@\n{}",
            n / 12,
            piece!(n, i, "+line {i}\n")
        )
    }),
    output("commits", "git log", |n| {
        piece!(n, i, "commit {i:040x}\nAuthor: a <a@b.c>\nDate:   now\n\n    text {i}\n\n")
    }),
    output("blame", "git blame f", |n| piece!(n, i, "{i:08x} (a 2026-05-04 10:00:00 +0000 {i}) line {i}\n")),
    // Traces.
    plain("Java causes of causes", |n| {
        counted(n, |i, out| {
            let _ =
                write!(out, "Caused by: a.b.E{i}: text\n\tat a.b.C.m{i}(C.java:{i})\n\t... {} more\n", i + 1);
        })
    }),
    plain("Java causes, each with a longer trace", |n| {
        counted(n, |i, out| {
            let _ = writeln!(out, "Caused by: a.b.E: text");
            for k in 0..=i {
                let _ = writeln!(out, "\tat a.b.C.m(C.java:{k})");
            }
        })
    }),
    plain("Java causes further and further in", |n| {
        counted(n, |i, out| {
            let _ = write!(
                out,
                "{0}Suppressed: a.b.E: text\n{0}\tat a.b.C.m(C.java:{i})\n",
                "\t".repeat(i % 200)
            );
        })
    }),
    plain("Python errors during errors", |n| {
        piece!(
            n,
            i,
            "Traceback (most recent call last):\n  File \"a.py\", line {i}, in b\n    c()\nE{i}: d\n\nDuring handling of the above exception, another exception occurred:\n\n"
        )
    }),
    plain("one Python trace without an end", |n| {
        format!(
            "Traceback (most recent call last):\n{}",
            piece!(n, i, "  File \"a.py\", line {i}, in b\n    c()\n")
        )
    }),
    plain("one Python trace of two frames in turn", |n| {
        format!(
            "Traceback (most recent call last):\n{}E: d\n",
            piece!(n, i, "  File \"a.py\", line {}, in b\n    c()\n", i % 2)
        )
    }),
    plain("JavaScript traces", |n| {
        piece!(n, i, "Error: a{i}\n    at b (c.js:{i}:2)\n    at d (node_modules/e/f.js:1:2)\n")
    }),
    plain("goroutines", |n| piece!(n, i, "goroutine {i} [running]:\na.b(0x{i:x})\n\t/a/b.go:{i} +0x1\n\n")),
    plain("Rust panics", |n| {
        piece!(
            n,
            i,
            "thread 'a{i}' panicked at b.rs:{i}:2:\nc\nstack backtrace:\n   0: a::b\n             at ./b.rs:{i}:2\n"
        )
    }),
    plain("frames of gdb", |n| piece!(n, i, "#{i}  0x{i:016x} in a (b={i}) at c.c:{i}\n")),
    plain("traces of .NET", |n| {
        piece!(
            n,
            i,
            "System.E: a ---> System.F: b{i}\n   at A.B() in c.cs:line {i}\n   --- End of inner exception stack trace ---\n"
        )
    }),
    // Reports, logs, listings.
    output("failures of pytest", "pytest", |n| {
        format!(
            "=== FAILURES ===\n{}",
            piece!(
                n,
                i,
                "____ test_{i} ____\n\n    def test_{i}():\n>       assert {i} == 1\nE       assert {i} == 1\n\na.py:{i}: AssertionError\n"
            )
        )
    }),
    output("names of failures of pytest", "pytest", |n| {
        piece!(n, i, "FAILED a.py::test_{i} - assert {i} == 1\n")
    }),
    output("failures of cargo test", "cargo test", |n| {
        format!(
            "{}\nfailures:\n{}",
            piece!(n / 2, i, "test a::t{i} ... FAILED\n"),
            piece!(n / 2, i, "\n---- a::t{i} stdout ----\nthread 'a' panicked at b.rs:{i}:1:\nc\n")
        )
    }),
    output("warnings of rustc", "cargo build", |n| {
        piece!(
            n,
            i,
            "warning: unused variable: `a{i}`\n --> src/a.rs:{i}:9\n  |\n{i} |     let a{i} = 1;\n  |         ^ help\n\n"
        )
    }),
    output("errors of tsc", "tsc", |n| {
        piece!(n, i, "src/a{i}.ts({i},1): error TS2304: Cannot find name 'b{i}'.\n")
    }),
    output("errors of gcc", "make", |n| {
        piece!(
            n,
            i,
            "a.c: In function 'f{i}':\na.c:{i}:2: error: 'b{i}' undeclared\n   {i} | b{i}\n      | ^\n"
        )
    }),
    output("complaints of eslint", "eslint .", |n| {
        piece!(n, i, "/a/f{i}.js\n  {i}:1  error  'x{i}' is not defined  no-undef\n\n")
    }),
    output("steps of npm", "npm install", |n| piece!(n, i, "npm warn deprecated a{i}@1.0.{i}: text\n")),
    output("TAP", "prove", |n| piece!(n, i, "not ok {i} - a\n  ---\n  message: b{i}\n  ...\n")),
    output("suites within suites", "npx mocha", |n| {
        counted(n, |i, out| {
            let _ = write!(out, "{0}suite {i}\n{0}  ✓ test {i}\n", "  ".repeat(i % 100));
        })
    }),
    output("matches of many files", "rg a", |n| piece!(n, i, "src/f{i}.rs:{i}:a line with a\n")),
    output("matches of one file", "rg a", |n| piece!(n, i, "src/f.rs:{i}:a line with a {i}\n")),
    output("matches of very long lines", "rg a", |n| piece!(n, i, "src/f{i}.rs:{i}:{}\n", "ab".repeat(5000))),
    output("matches that are one very long line", "rg a", |n| format!("src/f.rs:1:{}\n", run(LOWER, n))),
    output("paths further and further down", "find .", |n| {
        let mut path = ".".to_owned();
        counted(n, |_, out| {
            path.push_str("/a");
            out.push_str(&path);
            out.push('\n');
        })
    }),
    output("paths in no order", "find .", |n| {
        let mut dice = Dice::new();
        counted(n, |_, out| {
            for _ in 0..8 {
                out.push('/');
                out.push_str(&dice.word("abc", 2));
            }
            out.push('\n');
        })
    }),
    output("a tree further and further down", "tree", |n| {
        let mut at = 0;
        counted(n, |_, out| {
            let _ = writeln!(out, "{}└── a", "    ".repeat(at));
            at += 1;
        })
    }),
    output("a long listing", "ls -laR", |n| {
        piece!(n, i, "./d{i}:\ntotal {i}\n-rw-r--r-- 1 a b {i} Jan  1 00:00 f{i}\n\n")
    }),
    plain("a log of one kind", |n| {
        piece!(n, i, "2026-05-04T10:00:00.{:03}Z INFO a.b request {i} took {} ms\n", i % 1000, i % 77)
    }),
    plain("a log of ever new kinds", |n| {
        let mut dice = Dice::new();
        counted(n, |i, out| {
            let _ = writeln!(
                out,
                "2026-05-04T10:00:00.{:03}Z INFO {} {} {}",
                i % 1000,
                dice.word(LOWER, 8),
                dice.word(LOWER, 8),
                dice.word(LOWER, 8)
            );
        })
    }),
    plain("a log of errors", |n| {
        piece!(n, i, "2026-05-04T10:00:00.{:03}Z ERROR a.b request {i} failed: E{}\n", i % 1000, i * 7)
    }),
    plain("a log of names and values", |n| {
        piece!(n, i, "level=info ts={i} msg=\"a b {i}\" caller=c.go:{i} k{i}=v{i}\n")
    }),
    plain("a log of entries of many lines", |n| piece!(n, i, "[{i}] ERROR a\n    b {i}\n      c\n    d\n")),
    plain("failures in every line", |n| {
        piece!(n, i, "error: failure {i}: exception, fatal, panic, exit code {i}\n")
    }),
    plain("dumps of memory", |n| {
        piece!(
            n,
            i,
            "{:08x}  61 62 63 64 65 66 67 68  {:02x} 62 63 64 65 66 67 68  |abcdefgh.bcdefgh|\n",
            i * 16,
            i % 256
        )
    }),
    plain("lines of base64", |n| {
        let mut dice = Dice::new();
        counted(n, |_, out| {
            out.push_str(&dice.word(BASE64, 76));
            out.push('\n');
        })
    }),
    plain("short lines of base64", |n| "QUJDREVGR0hJSktMTU5P\n".repeat(n / 21)),
    plain("base64 with blanks", |n| {
        let mut dice = Dice::new();
        counted(n, |_, out| {
            out.push_str(&dice.word(BASE64, 40));
            out.push_str(" \n");
        })
    }),
    plain("base64 of base64", |n| {
        use base64::{Engine as _, engine::general_purpose::STANDARD};
        let mut text = "password=hunter2hunter2\n".repeat(4);
        while text.len() * 4 / 3 < n {
            text = STANDARD.encode(text);
            if text.len() < 4096 {
                text = text.clone() + "\n" + &text;
            }
        }
        text
    }),
    plain("keys that are not closed", |n| "-----BEGIN RSA PRIVATE KEY-----\nMIIEabc\n".repeat(n / 40)),
    plain("keys closed by another name", |n| {
        "-----BEGIN A PRIVATE KEY-----\nMIIEabc\n-----END B PRIVATE KEY-----\n".repeat(n / 65)
    }),
    plain("names with a value each", |n| piece!(n, i, "PASSWORD_{i}=value{i}Xy{}\n", i * 7919)),
    plain("addresses with a login", |n| piece!(n, i, "https://user{i}:pass{}@host/a\n", i * 7919)),
    plain("names far from their values", |n| format!("password{}=abcdefgh12", " ".repeat(n))),
    plain("names without values", |n| piece!(n, i, "password secret token key{i} api ")),
    // Source.
    file("functions within functions", "a.js", |n| nested("function a() {\n", "", "}\n", n)),
    file("functions", "a.rs", |n| piece!(n, i, "/// A.\nfn a{i}(b: u8) -> u8 {{\n    b + {i}\n}}\n\n")),
    file("classes further and further in", "a.py", |n| {
        counted(n, |i, out| {
            let _ = writeln!(out, "{}class A{i}:", " ".repeat(i % 400));
        })
    }),
    file("calls within calls", "a.py", |n| nested("a(", "1", ")", n)),
    file("one minified line", "a.min.js", |n| {
        piece!(n, i, "function a{i}(b){{return b+{i}}}var c{i}=a{i}(1);")
    }),
    file("templates within templates", "a.js", |n| nested("`${", "1", "}`", n)),
    file("comments within comments", "a.rs", |n| nested("/* ", "", "*/", n)),
    file("imports", "a.ts", |n| piece!(n, i, "import {{ a{i} }} from './b{i}';\n")),
    file("conditions of the preprocessor", "a.c", |n| nested("#if A\n", "", "#endif\n", n)),
    file("selectors", "a.css", |n| piece!(n, i, ".a{i} .b > c::d {{ e: {i}px }}\n")),
    file("statements of SQL", "a.sql", |n| piece!(n, i, "INSERT INTO a VALUES ({i}, 'b''c', (SELECT 1));\n")),
    file("one statement of SQL", "a.sql", |n| format!("SELECT {}1", nested("(SELECT ", "1", ")", n))),
    file("a notebook", "a.ipynb", |n| {
        format!("{{\"cells\":[{}],\"nbformat\":4}}", (0..n / 120).map(|i| format!("{{\"cell_type\":\"code\",\"source\":[\"a = {i}\\n\"],\"outputs\":[{{\"output_type\":\"stream\",\"text\":[\"b{i}\\n\"]}}],\"metadata\":{{}}}}")).collect::<Vec<_>>().join(","))
    }),
    file("a lock file", "Cargo.lock", |n| {
        piece!(
            n,
            i,
            "[[package]]\nname = \"a{i}\"\nversion = \"1.0.{i}\"\ndependencies = [\n \"a{}\",\n]\n\n",
            i + 1
        )
    }),
    // Text of ours.
    plain("markers of lines", |n| piece!(n, i, "[tersed: {i} lines: {i}-{}: passing_tests]\n", i + 3)),
    plain("a marker that is not closed, then lines", |n| format!("[tersed: {}", piece!(n, i, "{i} lines\n"))),
];

/// Results of which each line is a part.
pub const PARTS: &[(&str, Text)] = &[
    ("a letter each", |n| "x\n".repeat(n / 2)),
    ("a message each", |n| piece!(n, i, "error: failure {i}: cannot read src/part_{i}.rs\n")),
    ("a token over two", |n| piece!(n, i, "ghp_{:020}\n{:016}\n", i * 7919, i * 104_729)),
    ("a password over two", |n| piece!(n, i, "DB_PASSWORD=xK9u{i}\nhfJX$mQ2v!Lp{i}\n")),
];

/// Command lines of a shell.
pub const COMMANDS: &[(&str, Text)] = &[
    ("substitutions within substitutions", |n| nested("$(a ", "", ")", n)),
    ("groups within groups", |n| nested("{ ", "a;", "; }", n)),
    ("subshells within subshells", |n| nested("( ", "a", " )", n)),
    ("conditions within conditions", |n| nested("if a; then ", "b", "; fi", n)),
    ("loops within loops", |n| nested("for a in b; do ", "c", "; done", n)),
    ("ticks with backslashes", |n| "`a \\`b\\` `".repeat(n / 10)),
    ("commands in a row", |n| piece!(n, i, "a{i} -b c && ")),
    ("commands in lines", |n| piece!(n, i, "git status f{i}\n")),
    ("pipes", |n| piece!(n, i, "a{i} | ")),
    ("words", |n| format!("cat {}", piece!(n, i, "f{i} "))),
    ("options", |n| format!("cargo test {}", piece!(n, i, "--a{i}=b "))),
    ("names set before", |n| piece!(n, i, "A{i}=b ")),
    ("one word", |n| run(LOWER, n)),
    ("one word in quotes", |n| format!("echo '{}'", run(LOWER, n))),
    ("a quote that is not closed", |n| format!("echo '{}", piece!(n, i, "a{i} "))),
    ("quotes of both kinds", |n| "'\"'\"".repeat(n / 4)),
    ("documents of ever new names", |n| piece!(n, i, "cat <<E{i}\na\nE{i}\n")),
    ("documents that are not closed", |n| piece!(n, i, "cat <<E{i}\n")),
    ("documents on one line", |n| format!("cat {}\n", piece!(n, i, "<<E{i} "))),
    ("one document", |n| format!("cat <<'EOF' > a.py\n{}EOF\npytest", piece!(n, i, "line {i}\n"))),
    ("a script in a script", |n| {
        let mut text = "pytest -q".to_owned();
        while text.len() * 2 < n {
            text = format!("bash -c '{}'", text.replace('\'', "'\\''"));
        }
        text
    }),
    ("wrappers", |n| format!("{}pytest", "sudo env A=b timeout 5 nice -n 3 ".repeat(n / 33))),
    ("shells within shells", |n| format!("{}pytest", "bash -lc ".repeat(n / 9))),
    ("redirections", |n| format!("a {}", piece!(n, i, "> f{i} 2>&1 < g "))),
    ("functions", |n| piece!(n, i, "f{i}() {{ a; }}; ")),
    ("arithmetic", |n| format!("echo $(({}1))", "(1+".repeat(n / 3))),
    ("names in braces", |n| nested("${a:-", "b", "}", n)),
    ("lists in braces", |n| format!("echo {}", "{a,b}".repeat(n / 5))),
    ("lists in lists in braces", |n| format!("echo {}", nested("{a,", "b", "}", n))),
    ("cases", |n| format!("case a in {} esac", piece!(n, i, "b{i}) c;; "))),
    ("backslashes", |n| "\\".repeat(n)),
    ("lines that go on", |n| format!("a {}", piece!(n, i, "--b{i} \\\n  "))),
    ("comments", |n| piece!(n, i, "# a {i}\n")),
    ("folders entered", |n| piece!(n, i, "cd d{i} && ")),
    ("a program of sed", |n| format!("sed -n '{}' f", piece!(n, i, "{i},{}p;", i + 2))),
    ("a program of Python", |n| format!("python -c \"{}\"", piece!(n, i, "print({i})\n"))),
    ("patterns of grep", |n| format!("grep -e a {} f", piece!(n, i, "-e a{i} "))),
    ("secrets", |n| piece!(n, i, "export PASSWORD{i}=value{}Xy; ", i * 7919)),
    ("Chinese characters", |n| run("的一是不了人我在有他这为之大来以个中上们", n)),
    ("control characters", |n| run("\u{1}\u{1b}[1A\u{8}a", n)),
];
