//! The small template language of the cases, so that a case with many similar blocks stays short.
//!
//! A line that starts with `@` is a directive, every other line is text:
//!
//! ```text
//! @repeat 40 disk     the lines up to `@end`, forty times; `%{disk}` counts from 1. Without a name it is `n`.
//! @repeat 40 n ,      the same, with a comma after each except the last
//! @odd 23             the lines up to the next `@odd` or `@end` replace the block in turn 23
//! @let body           the lines up to `@end` are stored under a name
//! @oneline            the lines up to `@end`, without their indentation, as one line
//! @end
//! @@ -1,7 +1,7 @@     text, like every line that starts with two `@`
//! ```
//!
//! In a line `%{…}` is a value; ` >5`, ` <5` and ` 05` at its end pad it to five characters, ` =name` stores it:
//!
//! | value | is |
//! | --- | --- |
//! | `disk`, `disk*3+7` | a count or a stored value, times a number, plus a number |
//! | `int 10 99` | a number from 10 to 99 |
//! | `dec 2 100 950` | a number from 1.00 to 9.50 |
//! | `hex 8` | eight hexadecimal digits |
//! | `pick a b c` | one of them |
//! | `of disk a b c` | one of them, in turns |
//! | `percent disk 40` | the value as a share of forty, in whole percent |
//! | `word`, `word disk` | a word; the word of that number |
//! | `time disk*7+40` | that many seconds after midnight, as `00:00:47` |
//! | `text body`, `json body` | the lines stored with `@let`; the same as a JSON string |
//!
//! Numbers and words are drawn from the name of the case, so each run gives the same text.

use std::collections::HashMap;

/// Widest value, in characters.
const MAX_WIDTH: usize = 4096;
/// The longest text that a template may render to, in bytes: a few lines could otherwise fill all memory.
const MAX_TEXT: usize = 16 << 20;

/// Renders a template. `seed` is the name of the case.
///
/// # Errors
/// If the template is not in the form above; the message says where.
pub fn render(template: &str, seed: &str) -> Result<String, String> {
    let mut writer = Writer { draws: Draws::new(seed), kept: HashMap::new() };
    let lines: Vec<&str> = template.lines().collect();
    let mut out = String::new();
    writer.block(&lines, &mut out)?;
    Ok(out)
}

const SAMPLE_WORDS: &[&str] = &[
    "amber", "anchor", "basil", "beacon", "birch", "bridge", "canyon", "cedar", "clover", "cobalt", "copper",
    "coral", "delta", "ember", "falcon", "fern", "flint", "garnet", "glacier", "harbor", "hazel", "heron",
    "indigo", "iris", "jasper", "juniper", "kestrel", "lagoon", "lantern", "lark", "laurel", "linden",
    "maple", "marble", "meadow", "mercury", "mint", "nectar", "nutmeg", "oasis", "olive", "onyx", "opal",
    "orchid", "otter", "pebble", "pepper", "pine", "plover", "quartz", "quill", "raven", "reef", "robin",
    "saffron", "sage", "sierra", "slate", "sparrow", "spruce", "summit", "thistle", "timber", "tundra",
    "umber", "valley", "velvet", "walnut", "willow", "zephyr",
];

struct Writer {
    draws: Draws,
    kept: HashMap<String, String>,
}

impl Writer {
    fn block(&mut self, lines: &[&str], out: &mut String) -> Result<(), String> {
        let mut at = 0;
        while let Some(line) = lines.get(at) {
            at += 1;
            let Some(direction) = line.strip_prefix('@') else {
                self.line(line, out)?;
                out.push('\n');
                continue;
            };
            if direction.starts_with('@') {
                self.line(line, out)?;
                out.push('\n');
                continue;
            }
            let end = at + end_of(&lines[at..])?;
            let body = &lines[at..end];
            at = end + 1;
            let words: Vec<&str> = direction.split(' ').collect();
            match words.as_slice() {
                ["repeat", times, rest @ ..] => {
                    let times = times.parse().map_err(|_| format!("{line}: `{times}` is not a number"))?;
                    let name = rest.first().copied().unwrap_or("n");
                    self.repeat(body, times, name, rest.get(1).copied().unwrap_or(""), out)?;
                }
                ["let", name] => {
                    let mut text = String::new();
                    self.block(body, &mut text)?;
                    self.kept.insert((*name).to_owned(), text);
                }
                ["oneline"] => {
                    let mut text = String::new();
                    self.block(body, &mut text)?;
                    text.lines().for_each(|line| out.push_str(line.trim_start()));
                    out.push('\n');
                }
                _ => {
                    return Err(format!(
                        "{line}: expected `@repeat N`, `@odd N`, `@let NAME`, `@oneline` or `@end`"
                    ));
                }
            }
            if out.len() > MAX_TEXT {
                return Err(format!("{line}: the text gets longer than {MAX_TEXT} bytes"));
            }
        }
        Ok(())
    }

    fn repeat(
        &mut self,
        body: &[&str],
        times: usize,
        name: &str,
        between: &str,
        out: &mut String,
    ) -> Result<(), String> {
        let parts = turns(body)?;
        for turn in 1..=times {
            self.kept.insert(name.to_owned(), turn.to_string());
            let odd = parts.iter().find(|(at, _)| *at == Some(turn));
            let (_, lines) = odd.or_else(|| parts.first()).ok_or("an empty block")?;
            self.block(lines, out)?;
            if out.len() > MAX_TEXT {
                return Err(format!("@repeat {times}: the text gets longer than {MAX_TEXT} bytes"));
            }
            if turn < times && !between.is_empty() {
                out.truncate(out.trim_end_matches('\n').len());
                out.push_str(between);
                out.push('\n');
            }
        }
        Ok(())
    }

    fn line(&mut self, line: &str, out: &mut String) -> Result<(), String> {
        let mut rest = line;
        while let Some((before, after)) = rest.split_once("%{") {
            let (inner, after) =
                after.split_once('}').ok_or_else(|| format!("{line}: a value without an end"))?;
            out.push_str(before);
            let value = self.value(inner).map_err(|why| format!("{line}: {why}"))?;
            out.push_str(&value);
            rest = after;
        }
        out.push_str(rest);
        Ok(())
    }

    fn value(&mut self, inner: &str) -> Result<String, String> {
        let mut words: Vec<&str> = inner.split(' ').collect();
        let mut name = None;
        let mut fill = None;
        while let Some(last) = words.last().filter(|_| words.len() > 1) {
            if let Some(given) = last.strip_prefix('=') {
                name = Some(given.to_owned());
            } else if let Some(width) = width(last).filter(|_| !is_number_wanted(&words)) {
                fill = Some(width);
            } else {
                break;
            }
            words.pop();
        }
        let mut value = self.plain(&words)?;
        if let Some((side, width)) = fill {
            let missing = width.saturating_sub(value.chars().count());
            match side {
                '<' => value.push_str(&" ".repeat(missing)),
                '>' => value.insert_str(0, &" ".repeat(missing)),
                _ => value.insert_str(0, &"0".repeat(missing)),
            }
        }
        if let Some(name) = name {
            self.kept.insert(name, value.clone());
        }
        Ok(value)
    }

    fn plain(&mut self, words: &[&str]) -> Result<String, String> {
        Ok(match words {
            ["int", low, high] => self.draws.between(number(low)?, number(high)?)?.to_string(),
            ["dec", places, low, high] => {
                let value = self.draws.between(number(low)?, number(high)?)?;
                let places = places.parse::<u32>().ok().filter(|places| *places < 19);
                let places = places.ok_or("the places of a decimal number are 0 to 18")?;
                let unit = 10_u64.pow(places);
                format!("{}.{:0width$}", value / unit, value % unit, width = places as usize)
            }
            ["hex", digits] => {
                let digits = (0..number(digits)?.min(MAX_WIDTH as u64)).map(|_| self.draws.below(16));
                digits.filter_map(|digit| char::from_digit(digit as u32, 16)).collect()
            }
            ["pick", choices @ ..] if !choices.is_empty() => {
                choices[self.draws.below(choices.len())].to_owned()
            }
            ["of", sum, choices @ ..] if !choices.is_empty() => {
                choices[self.sum(sum)? % choices.len()].to_owned()
            }
            ["percent", sum, all] => (self.sum(sum)?.saturating_mul(100) / self.sum(all)?.max(1)).to_string(),
            ["word"] => word(self.draws.below(SAMPLE_WORDS.len())),
            ["word", sum] => word(self.sum(sum)?),
            ["time", sum] => {
                let seconds = self.sum(sum)?;
                format!("{:02}:{:02}:{:02}", seconds / 3600 % 24, seconds / 60 % 60, seconds % 60)
            }
            ["text", name] => self.kept(name)?.trim_end_matches('\n').to_owned(),
            ["json", name] => serde_json::Value::from(self.kept(name)?).to_string(),
            [name] if self.kept.contains_key(*name) => self.kept(name)?,
            [sum] => self.sum(sum)?.to_string(),
            _ => return Err(format!("`{}` is not a value", words.join(" "))),
        })
    }

    fn kept(&self, name: &str) -> Result<String, String> {
        self.kept.get(name).cloned().ok_or_else(|| format!("nothing is kept as `{name}`"))
    }

    /// `name`, `name*3`, `name+7`, `name*3+7` or a number.
    fn sum(&self, text: &str) -> Result<usize, String> {
        let wrong = || format!("`{text}` is not a count");
        let (product, plus) = text.split_once('+').unwrap_or((text, "0"));
        let (name, times) = product.split_once('*').unwrap_or((product, "1"));
        let base = match name.parse::<usize>() {
            Ok(base) => base,
            Err(_) => self.kept(name)?.parse().map_err(|_| wrong())?,
        };
        let times: usize = times.parse().map_err(|_| wrong())?;
        let plus: usize = plus.parse().map_err(|_| wrong())?;
        base.checked_mul(times).and_then(|product| product.checked_add(plus)).ok_or_else(wrong)
    }
}

fn number(text: &str) -> Result<u64, String> {
    text.parse().map_err(|_| format!("`{text}` is not a number"))
}

/// A word by its number; words with numbers once all words are used.
fn word(number: usize) -> String {
    let word = SAMPLE_WORDS[number % SAMPLE_WORDS.len()];
    match number / SAMPLE_WORDS.len() {
        0 => word.to_owned(),
        round => format!("{word}{round}"),
    }
}

/// The index of the `@end` of a block in the lines below its start.
fn end_of(lines: &[&str]) -> Result<usize, String> {
    let mut depth = 0;
    for (at, line) in lines.iter().enumerate() {
        match line.split(' ').next() {
            Some("@end") if depth == 0 => return Ok(at),
            Some("@end") => depth -= 1,
            Some("@repeat" | "@let" | "@oneline") => depth += 1,
            _ => {}
        }
    }
    Err(format!("no @end behind `{}`", lines.first().copied().unwrap_or_default()))
}

/// Lines of a block, and the turn that shows them; `None` for all other turns.
type Turn<'a> = (Option<usize>, &'a [&'a str]);

/// The parts of a block: the lines for most turns, and those that replace them in single turns.
fn turns<'a>(body: &'a [&'a str]) -> Result<Vec<Turn<'a>>, String> {
    let mut parts = Vec::new();
    let (mut turn, mut from, mut depth) = (None, 0, 0);
    for (at, line) in body.iter().enumerate() {
        match line.split(' ').next() {
            Some("@end") => depth -= 1,
            Some("@repeat" | "@let" | "@oneline") => depth += 1,
            Some("@odd") if depth == 0 => {
                parts.push((turn, &body[from..at]));
                let number = line.strip_prefix("@odd ").and_then(|turn| turn.trim().parse().ok());
                turn = Some(number.ok_or_else(|| format!("{line}: expected the number of a turn"))?);
                from = at + 1;
            }
            _ => {}
        }
    }
    parts.push((turn, &body[from..]));
    Ok(parts)
}

/// `>5`, `<5`, `05`: the side to fill, and the width.
fn width(word: &str) -> Option<(char, usize)> {
    let side = word.chars().next().filter(|side| "<>0".contains(*side))?;
    Some((side, word[1..].parse().ok().filter(|width| *width <= MAX_WIDTH)?))
}

/// Whether the last word is not a width but a number that the value needs.
fn is_number_wanted(words: &[&str]) -> bool {
    let needed = match words[0] {
        "int" => 3,
        "dec" => 4,
        "percent" => 3,
        "hex" => 2,
        _ => 0,
    };
    words.len() <= needed
}

/// Pseudorandom numbers that are the same for the same name.
struct Draws(u64);

impl Draws {
    fn new(seed: &str) -> Self {
        Self(seed.bytes().fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
            (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3)
        }))
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    fn between(&mut self, low: u64, high: u64) -> Result<u64, String> {
        let count = high.checked_sub(low).and_then(|span| span.checked_add(1));
        Ok(low + self.next() % count.ok_or_else(|| format!("no number is from {low} to {high}"))?)
    }

    fn below(&mut self, count: usize) -> usize {
        (self.next() % count as u64) as usize
    }
}
