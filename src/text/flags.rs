//! Finds commands with unusual flags among commands of the same program: the one file that is compiled without
//! optimization, the one host that gets `--dry-run`.
//!
//! It knows how command lines are written, not what any flag means. Time is linear in the text, and memory is
//! bounded.

use std::hash::BuildHasher;

use foldhash::fast::FixedState;

use crate::stop;
use crate::text::judge::RARE_ONE_IN;
use crate::text::maps::Map;

/// The fewest commands of one program among which one can be an exception. A choice: fewer show no habit.
const MIN_COMMANDS: usize = 8;
/// The most commands that may share an exception, however many commands there are.
const MAX_ALIKE: usize = 3;
/// The most rare values of one flag. With more values, they are names, such as the folders of `-I`, and not
/// exceptions.
const MAX_VALUES: usize = 3;
/// The longest command, in bytes, and the most flags of one command; they bound the work on a hostile line.
const MAX_COMMAND_BYTES: usize = 8000;
const MAX_FLAGS: usize = 200;

/// The most flag values that are remembered, over all commands; later commands are not read.
const MAX_REMEMBERED: usize = 1 << 16;

/// A command with an exception.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FlagOutlier {
    /// The index of the line.
    pub place: usize,
    /// How many commands before it have the same exception.
    pub nth: usize,
    /// How many commands have the exception.
    pub count: usize,
    /// Digest of the exception.
    pub key: u64,
}

/// The flags of the commands of one program.
#[derive(Default)]
struct Group {
    commands: usize,
    /// For each flag value, the number of commands with it, and the flag.
    values: Map<u64, (usize, u64)>,
}

impl Group {
    /// The most commands that may share an exception.
    fn most(&self) -> usize {
        (self.commands / RARE_ONE_IN).clamp(1, MAX_ALIKE)
    }

    /// Keeps the rare flag values, and the common values that only a few commands lack. Returns the number of the
    /// common values.
    fn judge(&mut self) -> usize {
        let (most, all) = (self.most(), self.commands);
        let mut rare: Map<u64, usize> = Map::default();
        for (count, flag) in self.values.values() {
            *rare.entry(*flag).or_default() += usize::from(*count <= most);
        }
        let names = MAX_VALUES.max(all / 50).min(8);
        self.values.retain(|_, (count, flag)| {
            let is_rare = *count <= most && rare.get(flag).is_some_and(|rare| *rare <= names);
            is_rare || *count < all && *count + most >= all
        });
        self.values.values().filter(|(count, _)| *count > most).count()
    }
}

/// The commands with exceptions among `lines`, the rarest exception first.
pub fn outliers<'a>(lines: impl Iterator<Item = &'a str>) -> Vec<FlagOutlier> {
    let mut groups: Map<u64, Group> = Map::default();
    // For each command its line, its group, and the index of its first value.
    let mut commands: Vec<(usize, u64, usize)> = Vec::new();
    let mut values: Vec<(u64, u64)> = Vec::new();
    for (place, line) in lines.enumerate() {
        stop::check_sometimes();
        let from = values.len();
        if from >= MAX_REMEMBERED {
            break;
        }
        let Some(program) = read(line, &mut values) else { continue };
        values[from..].sort_unstable();
        let mut end = from;
        for i in from..values.len() {
            if end == from || values[end - 1] != values[i] {
                values[end] = values[i];
                end += 1;
            }
        }
        values.truncate(end);
        let group = groups.entry(program).or_default();
        group.commands += 1;
        for &(value, flag) in &values[from..] {
            group.values.entry(value).or_insert((0, flag)).0 += 1;
        }
        commands.push((place, program, from));
    }
    groups.retain(|_, group| group.commands >= MIN_COMMANDS && !group.values.is_empty());
    let common: Map<u64, usize> =
        groups.iter_mut().map(|(program, group)| (*program, group.judge())).collect();
    let mut out: Vec<FlagOutlier> = Vec::new();
    let mut seen: Map<u64, usize> = Map::default();
    for (n, (place, program, from)) in commands.iter().enumerate() {
        let Some(group) = groups.get(program) else { continue };
        let end = commands.get(n + 1).map_or(values.len(), |next| next.2);
        let known =
            || values[*from..end].iter().filter_map(|(value, _)| Some((*value, group.values.get(value)?.0)));
        let rarest =
            known().filter(|(_, count)| *count <= group.most()).min_by_key(|&(value, count)| (count, value));
        let has = known().filter(|(_, count)| *count > group.most()).count();
        let exception = rarest.or_else(|| (has < common[program]).then_some((*program, group.most())));
        if let Some((key, count)) = exception {
            let nth = seen.entry(key).or_default();
            out.push(FlagOutlier { place: *place, nth: *nth, count, key });
            *nth += 1;
        }
    }
    // A flag value that too many commands share is not an exception.
    out.retain(|outlier| seen.get(&outlier.key).is_some_and(|count| *count <= MAX_ALIKE));
    out.sort_by_key(|outlier| (outlier.nth, outlier.count, outlier.place));
    out
}

/// Words that run the command after them, and prompts.
const WRAPPERS: &[&str] = &[
    "sudo", "time", "nice", "env", "exec", "ccache", "distcc", "sh", "bash", "&&", "+", "++", "+++", "$", ">",
];

/// Reads a command: returns a digest of its program and subcommand, and adds digests of its flags with their values,
/// and of the flags, to `values`. `None` if the line is not a command with flags.
fn read(line: &str, values: &mut Vec<(u64, u64)>) -> Option<u64> {
    let is_behind_blank = |line: &str, sign: u8| {
        memchr::memchr_iter(sign, line.as_bytes()).any(|at| at > 0 && line.as_bytes()[at - 1] == b' ')
    };
    if line.len() > MAX_COMMAND_BYTES || !is_behind_blank(line, b'-') && !is_behind_blank(line, b'/') {
        return None;
    }
    let line = without_count(line.trim_start());
    // Windows folders may have blanks in their names.
    let has_slash_flag = is_behind_blank(line, b'/');
    let exe = has_slash_flag.then(|| memchr::memmem::find(line.as_bytes(), b".exe")).flatten();
    let line = exe.and_then(|at| line.get(line[..at].rfind('\\').map_or(0, |at| at + 1)..)).unwrap_or(line);
    let mut words = line.split_ascii_whitespace().peekable();
    let mut program = words.next()?;
    loop {
        if program == "cd" {
            words.next()?;
        } else if !(WRAPPERS.contains(&base(program)) || is_assignment(program)) {
            break;
        }
        program = words.next()?;
    }
    let name = base(program);
    let is_name = |byte: u8| byte.is_ascii_alphanumeric() || b"_.+-".contains(&byte);
    if !name.bytes().next()?.is_ascii_alphabetic() || !name.bytes().all(is_name) {
        return None;
    }
    let is_windows = is_windows_program(name);
    let is_flag = |word: &str| flag(word, is_windows).is_some();
    let sub = words
        .peek()
        .copied()
        .filter(|w| w.bytes().all(|b| b.is_ascii_lowercase() || b == b'-'))
        .unwrap_or("");
    let (mut found, mut compiles) = (0, false);
    while let Some(word) = words.next() {
        let Some(stem) = flag(word, is_windows) else { continue };
        found += 1;
        if found > MAX_FLAGS {
            break;
        }
        compiles |= word == "-c";
        values.push((digest(&[word]), digest(&[stem])));
        // `-n staging`: the next word may be the value of the flag.
        if !word.contains('=')
            && let Some(value) = words.peek().filter(|next| !is_flag(next))
        {
            values.push((digest(&[word, value]), digest(&[word, " "])));
        }
    }
    (found > 0).then(|| digest(&[name, sub, if compiles { "-c" } else { "" }]))
}

/// The flag in a word, without its value: `-O` of `-O2`, `-DX=` of `-DX=1`, `--level=` of `--level=3`.
fn flag(word: &str, is_windows: bool) -> Option<&str> {
    let bytes = word.as_bytes();
    let is_flag = match bytes {
        [b'-', b'-', letter, ..] | [b'-', letter, ..] => letter.is_ascii_alphabetic(),
        [b'/', letter, rest @ ..] => is_windows && letter.is_ascii_alphabetic() && !rest.contains(&b'/'),
        _ => false,
    };
    if !is_flag {
        return None;
    }
    let end = memchr::memchr2(b'=', b':', bytes).map(|at| at + 1);
    let short = if bytes[1] == b'-' { word.len() } else { 2 };
    word.get(..end.unwrap_or(short)).or(Some(word))
}

/// A line without the step counter before it: `[3/90] `, `[ 12%] `.
fn without_count(line: &str) -> &str {
    match line.strip_prefix('[').and_then(|rest| rest.split_once("] ")) {
        Some((count, rest)) if count.bytes().all(|b| b.is_ascii_digit() || b" /%".contains(&b)) => rest,
        _ => line,
    }
}

/// `CFLAGS=-O2`
fn is_assignment(word: &str) -> bool {
    word.split_once('=').is_some_and(|(name, _)| {
        !name.is_empty() && name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_')
    })
}

fn is_windows_program(name: &str) -> bool {
    name.get(name.len().saturating_sub(4)..).is_some_and(|end| end.eq_ignore_ascii_case(".exe"))
}

fn base(word: &str) -> &str {
    word.rsplit(['/', '\\']).next().unwrap_or(word)
}

fn digest(parts: &[&str]) -> u64 {
    FixedState::default().hash_one(parts)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn places(lines: &[String]) -> Vec<usize> {
        outliers(lines.iter().map(String::as_str)).into_iter().map(|outlier| outlier.place).collect()
    }

    fn with(n: usize, at: usize, line: &str, each: impl Fn(usize) -> String) -> Vec<String> {
        (0..n).map(|i| if i == at { line.to_owned() } else { each(i) }).collect()
    }

    #[test]
    fn the_one_that_differs_is_found() {
        let gcc = |i: usize| format!("gcc -O2 -Wall -Ilib/{i} -DNAME_{i} -c -o build/{i}.o src/{i}.c");
        for line in [
            "gcc -O0 -Wall -Ilib/9 -c -o build/9.o src/9.c",
            "gcc -O2 -Wall -Ilib/9 -fno-strict-aliasing -c -o build/9.o src/9.c",
            "gcc -O2 -Ilib/9 -c -o build/9.o src/9.c",
        ] {
            assert_eq!(places(&with(40, 17, line, gcc)), [17], "{line}");
        }
        assert_eq!(places(&(0..40).map(gcc).collect::<Vec<_>>()), [0; 0]);
        let line = "+ rsync -a --delete --dry-run a/3 b:3";
        assert_eq!(places(&with(20, 3, line, |i| format!("+ rsync -a --delete --quiet a/{i} b:{i}"))), [3]);
        let line = "++ kubectl apply -n staging -f c/3.yaml";
        assert_eq!(places(&with(20, 3, line, |i| format!("++ kubectl apply -n prod -f c/{i}.yaml"))), [3]);
        let line = "  C:\\VC\\CL.exe /c /Od main.cpp";
        assert_eq!(places(&with(20, 3, line, |i| format!("  C:\\VC\\CL.exe /c /O2 a{i}.cpp"))), [3]);
        let line = "[3/20] cd build && CC=x /usr/bin/c++ -O0 -c 3.cc";
        assert_eq!(
            places(&with(20, 3, line, |i| format!("[{i}/20] cd build && CC=x /usr/bin/c++ -O3 -c {i}.cc"))),
            [3]
        );
    }

    #[test]
    fn what_many_do_is_no_exception() {
        let half = |i: usize| format!("gcc {} -c {i}.c", if i.is_multiple_of(2) { "-O2" } else { "-O3" });
        assert_eq!(places(&(0..80).map(half).collect::<Vec<_>>()), [0; 0]);
        // Too few commands to compare, or each with another value.
        assert_eq!(places(&with(7, 3, "gcc -O0 -c a.c", |i| format!("gcc -O2 -c {i}.c"))), [0; 0]);
        assert_eq!(places(&(0..90).map(|i| format!("run --id={i} --at {i}")).collect::<Vec<_>>()), [0; 0]);
        assert_eq!(
            places(&with(20, 3, "10:00:03 INFO a -- b", |i| format!("10:00:{i} INFO a -x b"))),
            [0; 0]
        );
    }
}
