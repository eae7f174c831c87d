//! Finds names of files and hosts that are unlike the others: the only one from another server, outside of the
//! folder, or of another version.

use crate::text::judge::{Counted, RARE_ONE_IN, is_few};
use crate::text::maps::Map;
use crate::text::source::Source;

/// Fewest names among which one is unlike the others. A choice: with fewer names nothing is unusual.
const MIN_NAMES: usize = 20;
/// Most names that are kept for one reason.
const MAX_OUTLIERS: usize = 4;
/// Most packages in two versions that stay. A choice: with more, that is usual.
const MAX_TWICE: usize = 8;
/// Ends of the names of packages.
const PACKAGES: &[&str] = &[
    "whl", "gz", "tgz", "xz", "zip", "egg", "conda", "jar", "war", "aar", "gem", "crate", "nupkg", "deb",
    "rpm", "apk",
];
/// Longest extension of a file name, in bytes.
const MAX_EXTENSION_BYTES: usize = 8;

/// The lines that name another server or bucket than nearly all.
pub fn from_other_hosts<'a>(lines: impl Iterator<Item = (usize, &'a str)>) -> Vec<usize> {
    let mut hosts: Counted<&str> = Counted::default();
    lines.filter_map(|(line, text)| Some((line, host(text)?))).for_each(|(line, host)| hosts.add(host, line));
    few(&hosts)
}

/// The lines with files of which the path, folder, kind or version is unlike that of nearly all.
pub fn outlier_files<'a>(lines: impl Iterator<Item = (usize, &'a str)>) -> Vec<usize> {
    let (mut all, mut out) = (0, Vec::new());
    let [mut outside, mut absolute, mut hidden] = [const { Vec::new() }; 3];
    let (mut folders, mut extensions) = (Counted::default(), Counted::default());
    let mut versions: Counted<&str> = Counted::default();
    for (line, text) in lines {
        all += 1;
        let path = path(text);
        let (folder, name) = path.trim_end_matches('/').rsplit_once('/').unwrap_or(("", path));
        let parts = || path.split('/').filter(|part| part.len() > 1 && part.starts_with('.'));
        if parts().any(|part| part == "..") {
            outside.push(line);
        } else if parts().next().is_some() {
            hidden.push(line);
        }
        if path.starts_with('/') {
            absolute.push(line);
        }
        if !path.ends_with('/') {
            folders.add(folder, line);
            extensions.add(extension(name), line);
        }
        if let Some(version) = version(name) {
            versions.add(version, line);
        }
    }
    if all < MIN_NAMES {
        return Vec::new();
    }
    for places in [outside, absolute, hidden] {
        if is_few(places.len(), all, RARE_ONE_IN) {
            out.extend(places.into_iter().take(MAX_OUTLIERS));
        }
    }
    for counted in [&folders, &extensions, &versions] {
        out.extend(few(counted));
    }
    out
}

/// The lines that name a package file of another kind than nearly all: the only `.tar.gz` among wheels, which has to be built.
pub fn other_packages<'a>(lines: impl Iterator<Item = (usize, &'a str)>) -> Vec<usize> {
    let mut kinds: Counted<&str> = Counted::default();
    for (line, text) in lines {
        crate::stop::check_sometimes();
        let kind = |word: &'a str| Some(extension(word)).filter(|kind| PACKAGES.contains(kind));
        if let Some(kind) = text.split_ascii_whitespace().find_map(kind) {
            kinds.add(kind, line);
        }
    }
    few(&kinds)
}

/// The lines that build one package in two versions: `Compiling syn v1.0.109`, `Compiling syn v2.0.4`.
pub fn in_two_versions<'a>(lines: impl Iterator<Item = (usize, &'a str)>) -> Vec<usize> {
    let mut first: Map<(&str, &str), (usize, &str)> = Map::default();
    let mut out = Vec::new();
    for (line, text) in lines {
        crate::stop::check_sometimes();
        let mut words = text.split_ascii_whitespace();
        if let (Some(verb @ ("Compiling" | "Checking")), Some(name), Some(version)) =
            (words.next(), words.next(), words.next())
        {
            let (above, known) = *first.entry((verb, name)).or_insert((line, version));
            if known != version {
                out.extend([above, line]);
            }
        }
    }
    if out.len() > 2 * MAX_TWICE { Vec::new() } else { out }
}

/// The lines with a code such as `YN0013` that occurs once in a text of many lines with codes.
pub fn single_codes<'a>(source: &Source<'_>, lines: impl Iterator<Item = (usize, &'a str)>) -> Vec<usize> {
    let coded: Vec<(usize, &str)> = lines.filter_map(|(line, text)| Some((line, code(text)?))).collect();
    if coded.is_empty() {
        return Vec::new();
    }
    let (mut all, mut counts) = (0, Map::<&str, usize>::default());
    for code in source.lines().filter_map(code) {
        crate::stop::check_sometimes();
        all += 1;
        *counts.entry(code).or_default() += 1;
    }
    let is_single = |code: &str| all >= MIN_NAMES && counts.get(code) == Some(&1);
    coded.into_iter().filter(|(_, code)| is_single(code)).map(|(line, _)| line).take(MAX_OUTLIERS).collect()
}

/// The code before the message of a line, after at most one sign.
fn code(line: &str) -> Option<&str> {
    let is_sign = |word: &&str| !word.bytes().any(|b| b.is_ascii_alphanumeric());
    let mut words = line.split_ascii_whitespace().take(2);
    let first = words.next()?;
    let word = if is_sign(&first) { words.next()? } else { first }.strip_suffix(':')?;
    let letters = word.bytes().take_while(u8::is_ascii_uppercase).count();
    let digits = word.len() - letters;
    let is_code = letters >= 2 && (3..=5).contains(&digits);
    (is_code && word.bytes().skip(letters).all(|b| b.is_ascii_digit())).then_some(word)
}

/// The lines with another result at the end than nearly all: `-- Checking for zlib - bundled 1.2.8` among probes that end with
/// `- found`, the only layer that was `Pushed`.
pub fn other_results<'a>(lines: impl Iterator<Item = (usize, &'a str)>) -> Vec<usize> {
    /// Most results that are remembered, and the fewest lines with a common one.
    const MAX_RESULTS: usize = 64;
    const MIN_COMMON: usize = 3;
    // Only the last state of a thing is its result: `a1b2: Waiting`, then `a1b2: Pull complete`.
    let mut last: Map<&str, (usize, &str)> = Map::default();
    for (line, text) in lines {
        crate::stop::check_sometimes();
        if let Some((of, result)) = text.rsplit_once(" - ").or_else(|| text.rsplit_once(": ")) {
            last.insert(of, (line, result));
        }
    }
    let mut last: Vec<(usize, &str)> = last.into_values().collect();
    last.sort_unstable();
    let all = last.len();
    let mut results = Map::<&str, (usize, [usize; 2])>::default();
    for (line, result) in last {
        if results.len() == MAX_RESULTS && !results.contains_key(result) {
            return Vec::new();
        }
        let (count, places) = results.entry(result).or_default();
        if let Some(free) = places.get_mut(*count) {
            *free = line;
        }
        *count += 1;
    }
    let common: usize = results.values().map(|(count, _)| *count).filter(|count| *count >= MIN_COMMON).sum();
    let others = all - common;
    if all < MIN_NAMES || others > MAX_OUTLIERS || !is_few(others, all, RARE_ONE_IN) {
        return Vec::new();
    }
    let rare = results.into_values().filter(|(count, _)| *count < MIN_COMMON);
    let mut out: Vec<usize> = rare.flat_map(|(count, places)| places.into_iter().take(count)).collect();
    out.sort_unstable();
    out
}

/// The lines of tests that ran, if nearly all results come from a cache.
pub fn not_cached<'a>(lines: impl Iterator<Item = (usize, &'a str)>) -> Vec<usize> {
    let (mut all, mut out) = (0, Vec::new());
    for (line, text) in lines {
        crate::stop::check_sometimes();
        all += 1;
        if memchr::memmem::find(text.as_bytes(), b"(cached)").is_none() && out.len() <= MAX_OUTLIERS {
            out.push(line);
        }
    }
    let is_few = all >= MIN_NAMES && out.len() <= MAX_OUTLIERS && is_few(out.len(), all, RARE_ONE_IN);
    if is_few { out } else { Vec::new() }
}

/// The lines whose last word is a path below another folder of the root than nearly all.
pub fn from_other_folders<'a>(lines: impl Iterator<Item = (usize, &'a str)>) -> Vec<usize> {
    let mut folders: Counted<&str> = Counted::default();
    for (line, text) in lines {
        let path = text.split_ascii_whitespace().next_back().unwrap_or_default();
        folders.add(path.split('/').nth(1).unwrap_or_default(), line);
    }
    few(&folders)
}

/// The positions of rare values, if there are few. With more of them, a list simply has many kinds.
fn few(counted: &Counted<&str>) -> Vec<usize> {
    let rare = if counted.all() < MIN_NAMES { Vec::new() } else { counted.rare() };
    if rare.len() > MAX_OUTLIERS { Vec::new() } else { rare }
}

/// The scheme and host of the last address in a line, such as `https://deb.debian.org`.
fn host(line: &str) -> Option<&str> {
    let at = line.rfind("://")?;
    let start = line[..at].rfind(|c: char| !c.is_ascii_alphanumeric()).map_or(0, |at| at + 1);
    let host = line[at + 3..].bytes().take_while(|b| !matches!(b, b'/' | b' ' | b'"' | b')' | b']')).count();
    line.get(start..at + 3 + host)
}

/// The path in a line of a list of files: `x dist/a.js`, `  inflating: a/b.txt`, `>f+++++++++ a`, `upload: ./a to s3://b/a`.
fn path(line: &str) -> &str {
    let line = line.trim();
    let line = match line.split_once(": ") {
        Some((word, rest)) if !word.contains(['/', '.']) => rest.trim_start(),
        _ => line,
    };
    let line = match line.split_once(' ') {
        // A word about a file has no slash and no dot before letters.
        Some((word, rest)) if word.len() == 1 || word.len() == 11 && !word.contains('/') => rest.trim_start(),
        _ => line,
    };
    let end = [" to ", " (", " -> "].iter().filter_map(|end| line.find(end)).min();
    end.and_then(|end| line.get(..end)).unwrap_or(line)
}

/// The extension of a name: `js`; empty if its end is not a word.
fn extension(name: &str) -> &str {
    let end = name.rsplit_once('.').map_or("", |(_, end)| end);
    let is_word = end.len() <= MAX_EXTENSION_BYTES && end.bytes().all(|b| b.is_ascii_alphabetic());
    if is_word { end } else { "" }
}

/// `3.18.2` of `mod-3.18.2.jar`
fn version(name: &str) -> Option<&str> {
    let (name, end) = name.rsplit_once('.')?;
    let is_extension = end.bytes().any(|b| b.is_ascii_alphabetic());
    let (_, version) = name.rsplit_once(['-', '_'])?;
    let is_version = version.contains('.') && version.starts_with(|c: char| c.is_ascii_digit());
    (is_extension && is_version).then_some(version)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn is_outlier(usual: impl Fn(usize) -> String, odd: &str) -> bool {
        let lines: Vec<String> = (0..80).map(|i| if i == 33 { odd.to_owned() } else { usual(i) }).collect();
        let mut found = outlier_files(lines.iter().map(String::as_str).enumerate());
        found.dedup();
        assert!(found.is_empty() || found == [33], "{found:?}");
        !found.is_empty()
    }

    #[test]
    fn files_unlike_the_others() {
        let image = |i: usize| format!("app/img/{i:04}.png");
        for odd in [
            "app/.env.production",
            "../../var/.ssh/authorized_keys",
            "/etc/passwd",
            "app/img/dump.sql",
            "app/lib/0033.png",
        ] {
            assert!(is_outlier(image, odd), "{odd}");
            assert!(is_outlier(|i| format!("x {}", image(i)), &format!("x {odd}")), "{odd}");
            assert!(
                is_outlier(|i| format!(">f+++++++++ {}", image(i)), &format!(">f+++++++++ {odd}")),
                "{odd}"
            );
            let inflating = |path: &str| format!("  inflating: {path}  ");
            assert!(is_outlier(|i| inflating(&image(i)), &inflating(odd)), "{odd}");
        }
        assert!(!is_outlier(image, "app/img/9999.png") && !is_outlier(image, "app/img/"));
        assert!(is_outlier(|i| format!("lib/mod{i}-3.18.2.jar"), "lib/mod33-2.0.0.jar"));
        assert!(!is_outlier(|i| format!("lib/mod{i}-3.{i}.2.jar"), "lib/mod33-2.0.0.jar"));
        assert!(!is_outlier(|i| format!("dir{i}/a.c"), "dir/a.c"));
    }

    #[test]
    fn packages_of_another_kind() {
        let line = |i: usize, odd: &str| match i {
            99 => format!("  Downloading m{i}-1.0{odd} (5 kB)"),
            _ if i.is_multiple_of(3) => format!("  Downloading m{i}-1.0-py3-none-any.whl (5 kB)"),
            _ => format!("Collecting m{i}==1.0"),
        };
        for (odd, expected) in [(".tar.gz", vec![99]), ("-py3-none-any.whl", vec![])] {
            let lines: Vec<String> = (0..180).map(|i| line(i, odd)).collect();
            assert_eq!(other_packages(lines.iter().map(String::as_str).enumerate()), expected, "{odd}");
        }
    }

    #[test]
    fn results_unlike_the_others() {
        let found = |usual: &dyn Fn(usize) -> String, odd: &str| {
            let lines: Vec<String> =
                (0..80).map(|i| if i == 33 { odd.to_owned() } else { usual(i) }).collect();
            let of = |find: fn(std::iter::Enumerate<std::slice::Iter<'_, String>>) -> Vec<usize>| {
                find(lines.iter().enumerate())
            };
            [
                of(|lines| other_results(lines.map(|(i, line)| (i, line.as_str())))),
                of(|lines| not_cached(lines.map(|(i, line)| (i, line.as_str())))),
            ]
        };
        let probe = |i: usize| format!("-- Looking for h{i} - {}", ["found", "yes"][i % 2]);
        let layer = |i: usize| format!("{:x}: Layer already exists", i + 4096);
        let test = |i: usize| format!("//a:t{i}  (cached) PASSED in 0.{i}s");
        assert_eq!(found(&probe, "-- Looking for z - bundled 1.2.8"), [vec![33], vec![]]);
        assert_eq!(found(&layer, "ab12: Pushed"), [vec![33], vec![]]);
        assert_eq!(found(&test, "//a:t33  PASSED in 2.2s"), [vec![], vec![33]]);
        for usual in [&probe as &dyn Fn(usize) -> String, &layer, &test] {
            assert_eq!(found(usual, &usual(33)), [vec![0; 0], vec![]]);
        }
        // A state that another one followed.
        let states = ["Pulling fs layer", "Downloading", "Extracting", "Pull complete"];
        let state = |i: usize| format!("{:x}: {}", i / 4, states[i % 4]);
        assert_eq!(found(&state, "8: Waiting"), [vec![0; 0], vec![]]);
        // All results differ.
        assert_eq!(found(&|i| format!("a: {i}"), "a: b"), [vec![0; 0], vec![]]);
    }

    #[test]
    fn two_versions_and_single_codes() {
        let versions = |odd: &str| {
            let line = |i| if i == 33 { odd.to_owned() } else { format!("   Compiling p{i} v1.{i}.0") };
            let lines: Vec<String> = (0..80).map(line).collect();
            in_two_versions(lines.iter().map(String::as_str).enumerate())
        };
        assert_eq!(versions("   Compiling p4 v2.0.0"), [4, 33]);
        assert_eq!(versions("   Compiling p4 v1.4.0"), [0; 0]);
        let text: String = (0..40)
            .map(|i| format!("\u{27a4} {}: | a@npm:{i}\n", if i == 33 { "YN0013" } else { "YN0085" }))
            .collect();
        let source = Source::new(&text);
        assert_eq!(single_codes(&source, source.lines().enumerate()), [33]);
        assert_eq!(
            (code("\u{27a4} YN0013: | a"), code("HTTP 200: a"), code("a: b")),
            (Some("YN0013"), None, None)
        );
    }

    #[test]
    fn servers_unlike_the_others() {
        let other = |odd: &str| {
            let line =
                |i| if i == 33 { odd.to_owned() } else { format!("Get:{i} https://a.org/x/{i} [1 kB]") };
            let lines: Vec<String> = (0..80).map(line).collect();
            from_other_hosts(lines.iter().map(String::as_str).enumerate())
        };
        assert_eq!(other("Get:33 http://203.0.113.5/x/33 [1 kB]"), [33]);
        assert_eq!(other("Get:33 http://a.org/x/33 [1 kB]"), [33]);
        assert_eq!(other("Get:33 https://a.org/y [1 kB]"), [0; 0]);
        assert_eq!(host("upload: ./a to s3://acme-site/a"), Some("s3://acme-site"));
    }
}
