//! Items of `secrets.allow`: values that a rule finds but that are not secrets to this operator. This module reads no
//! texts.

use globset::{Glob, GlobBuilder, GlobMatcher};

use super::secrets::rules;

/// One item of the list.
#[derive(Debug, Clone, Default)]
pub struct Allowed {
    rule: Option<String>,
    path: Option<GlobMatcher>,
    fingerprint: Option<u64>,
}

impl Allowed {
    /// The allowed forms of an item.
    pub const FORM: &'static str = "`rule:ID`, `path:GLOB`, `fingerprint:` with 16 hexadecimal digits, or several of them with blanks between";

    /// Parses an item; the error says what is wrong with it.
    pub fn read(item: &str) -> Result<Self, String> {
        let mut out = Self::default();
        for condition in item.split_whitespace() {
            let (kind, value) = condition.split_once(':').ok_or(Self::FORM)?;
            let is_first = match kind {
                "rule" => {
                    if !rules().iter().any(|rule| rule.id == value) {
                        return Err("the name of a rule for secrets, as the evidence tells it".to_owned());
                    }
                    out.rule.replace(value.to_owned()).is_none()
                }
                "path" => out.path.replace(glob(value)?.compile_matcher()).is_none(),
                "fingerprint" => {
                    let digits = value.len() == 16 && value.bytes().all(|b| b.is_ascii_hexdigit());
                    let value = u64::from_str_radix(value, 16).ok().filter(|_| digits);
                    out.fingerprint.replace(value.ok_or(Self::FORM)?).is_none()
                }
                _ => return Err(Self::FORM.to_owned()),
            };
            if !is_first {
                return Err(format!("one `{kind}:` in an item"));
            }
        }
        match out.rule.is_none() && out.path.is_none() && out.fingerprint.is_none() {
            true => Err(Self::FORM.to_owned()),
            false => Ok(out),
        }
    }

    /// Whether it applies to a result about these paths. An item with a path does not apply if no path is known, or if any
    /// path differs.
    pub fn is_about(&self, paths: &[&str]) -> bool {
        let fits = |glob: &GlobMatcher| !paths.is_empty() && paths.iter().all(|path| matches(glob, path));
        self.path.as_ref().is_none_or(fits)
    }

    /// Whether it covers a value that a rule found.
    pub fn covers(&self, rule: &str, fingerprint: u64) -> bool {
        self.rule.as_deref().is_none_or(|own| own == rule)
            && self.fingerprint.is_none_or(|own| own == fingerprint)
    }
}

/// A `*` does not match `/`; a pattern without a leading `/` matches in any folder.
fn glob(text: &str) -> Result<Glob, String> {
    if matches!(text, "" | "*" | "**" | "/" | "/**" | "**/*" | "**/**") {
        return Err("a pattern that not every path fits".to_owned());
    }
    let anchored = if text.starts_with('/') { text.to_owned() } else { format!("**/{text}") };
    let glob = GlobBuilder::new(&anchored).literal_separator(true).backslash_escape(true).build();
    glob.map_err(|error| format!("a pattern for paths: {}", error.kind()))
}

/// Whether a path, as a call names it, matches. A path with `..` never does, because it may lead anywhere.
fn matches(glob: &GlobMatcher, path: &str) -> bool {
    let path = path.replace('\\', "/");
    !path.split('/').any(|part| part == "..") && glob.is_match(path.trim_start_matches("./"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn items_are_read_and_bad_ones_named() {
        let rule = rules()[0].id;
        for good in [
            format!("rule:{rule}"),
            "path:tests/**".to_owned(),
            "fingerprint:00ff00ff00ff00ff".to_owned(),
            format!("rule:{rule} path:*.env fingerprint:0123456789abcdef"),
        ] {
            assert!(Allowed::read(&good).is_ok(), "{good}");
        }
        for bad in [
            "",
            "  ",
            "rule:",
            "rule:no-such",
            "path:**",
            "path:",
            "path:a[",
            "fingerprint:12",
            "value:x",
            "tests/**",
            "path:a path:b",
            "fingerprint:+123456789abcdef",
        ] {
            assert!(Allowed::read(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn a_path_must_be_known_and_fit() {
        let item = Allowed::read("path:tests/fixtures/**").unwrap();
        assert!(item.is_about(&["/srv/app/tests/fixtures/a/b.env"]));
        assert!(item.is_about(&["./tests/fixtures/b.env"]));
        assert!(!item.is_about(&[]));
        assert!(!item.is_about(&["tests/fixtures/../../.env"]));
        assert!(!item.is_about(&["tests/fixtures/a", ".env"]));
        assert!(!Allowed::read("path:*.env").unwrap().is_about(&["a.env/x"]));
        assert!(Allowed::read("fingerprint:0000000000000001").unwrap().is_about(&[]));
    }
}
