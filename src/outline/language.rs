//! Which language a file is in: by its name, else by its first line. Never by its content.

/// A language with outlines.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Language {
    /// Rust.
    Rust,
    /// Python, with stubs and Bazel's dialect.
    Python,
    /// TypeScript, JavaScript and their JSX forms.
    TypeScript,
    /// Go.
    Go,
    /// Java.
    Java,
    /// C and C++, with CUDA, and Objective-C headers as far as their syntax is similar.
    C,
    /// C#.
    CSharp,
    /// Ruby, with Rake, Gem and Pod files.
    Ruby,
    /// PHP.
    Php,
    /// Kotlin, with Gradle scripts in it.
    Kotlin,
    /// Swift.
    Swift,
    /// Scala with braces.
    Scala,
    /// Dart.
    Dart,
    /// Lua.
    Lua,
    /// Elixir.
    Elixir,
    /// Bourne-like shells.
    Shell,
    /// SQL.
    Sql,
    /// Markdown.
    Markdown,
    /// HTML, Vue and Svelte components.
    Html,
    /// CSS, SCSS, Less.
    Css,
    /// YAML.
    Yaml,
    /// TOML, and INI as far as its syntax is similar.
    Toml,
    /// JSON, with comments.
    Json,
}

/// Names, whether it is code, and extensions.
const LANGUAGES: &[(Language, &str, bool, &[&str])] = &[
    (Language::Rust, "rust", true, &["rs"]),
    (Language::Python, "python", true, &["py", "pyi", "pyw", "pyx", "bzl"]),
    (Language::TypeScript, "typescript", true, &["ts", "tsx", "mts", "cts", "js", "jsx", "mjs", "cjs"]),
    (Language::Go, "go", true, &["go"]),
    (Language::Java, "java", true, &["java"]),
    (
        Language::C,
        "c",
        true,
        &["c", "h", "cc", "cpp", "cxx", "c++", "hh", "hpp", "hxx", "h++", "inl", "ipp", "cu", "cuh", "ino"],
    ),
    (Language::CSharp, "csharp", true, &["cs", "csx"]),
    (Language::Ruby, "ruby", true, &["rb", "rake", "gemspec", "ru", "podspec"]),
    (Language::Php, "php", true, &["php", "phtml"]),
    (Language::Kotlin, "kotlin", true, &["kt", "kts"]),
    (Language::Swift, "swift", true, &["swift"]),
    (Language::Scala, "scala", true, &["scala", "sc", "sbt"]),
    (Language::Dart, "dart", true, &["dart"]),
    (Language::Lua, "lua", true, &["lua"]),
    (Language::Elixir, "elixir", true, &["ex", "exs"]),
    (Language::Shell, "shell", true, &["sh", "bash", "zsh", "ksh", "bats", "ash", "dash"]),
    (Language::Sql, "sql", true, &["sql", "ddl"]),
    (Language::Markdown, "markdown", false, &["md", "markdown", "mdx", "mdown"]),
    (Language::Html, "html", false, &["html", "htm", "xhtml", "vue", "svelte"]),
    (Language::Css, "css", false, &["css", "scss", "less"]),
    (Language::Yaml, "yaml", false, &["yaml", "yml"]),
    (Language::Toml, "toml", false, &["toml", "ini", "cfg"]),
    (Language::Json, "json", false, &["json", "jsonc", "json5", "webmanifest"]),
];

/// File names without an extension, or with a misleading one.
const FILE_NAMES: &[(&str, Language)] = &[
    ("Rakefile", Language::Ruby),
    ("Gemfile", Language::Ruby),
    ("Podfile", Language::Ruby),
    ("Vagrantfile", Language::Ruby),
    ("Fastfile", Language::Ruby),
    ("SConstruct", Language::Python),
    ("BUILD.bazel", Language::Python),
    ("Cargo.lock", Language::Toml),
    ("Pipfile", Language::Toml),
    ("poetry.lock", Language::Toml),
    ("composer.lock", Language::Json),
    (".bashrc", Language::Shell),
    (".bash_profile", Language::Shell),
    (".zshrc", Language::Shell),
    (".profile", Language::Shell),
    (".clang-format", Language::Yaml),
    (".eslintrc", Language::Json),
    (".prettierrc", Language::Json),
    (".babelrc", Language::Json),
    (".editorconfig", Language::Toml),
    (".gitconfig", Language::Toml),
];

/// Programs that a first line with `#!` names.
const PROGRAMS: &[(&str, Language)] = &[
    ("python", Language::Python),
    ("pypy", Language::Python),
    ("node", Language::TypeScript),
    ("deno", Language::TypeScript),
    ("bun", Language::TypeScript),
    ("ruby", Language::Ruby),
    ("php", Language::Php),
    ("lua", Language::Lua),
    ("luajit", Language::Lua),
    ("elixir", Language::Elixir),
    ("sh", Language::Shell),
    ("bash", Language::Shell),
    ("zsh", Language::Shell),
    ("ksh", Language::Shell),
    ("dash", Language::Shell),
    ("bats", Language::Shell),
];

impl Language {
    /// The language of a file by its extension or name, else by the program that its first line names.
    pub fn of(path: Option<&str>, first_line: &str) -> Option<Self> {
        path.and_then(by_path).or_else(|| by_program(first_line))
    }

    /// Whether it has functions with bodies, and not only headings, rules or keys.
    pub fn is_code(self) -> bool {
        self.row().2
    }

    /// One lower-case word.
    pub fn name(self) -> &'static str {
        self.row().1
    }

    fn row(self) -> &'static (Self, &'static str, bool, &'static [&'static str]) {
        LANGUAGES.iter().find(|l| l.0 == self).unwrap_or(&LANGUAGES[0])
    }
}

fn by_path(path: &str) -> Option<Language> {
    let name = path.trim_end().rsplit(['/', '\\']).next()?;
    if let Some((_, language)) = FILE_NAMES.iter().find(|(n, _)| *n == name) {
        return Some(*language);
    }
    let (_, extension) = name.rsplit_once('.')?;
    LANGUAGES.iter().find(|l| l.3.iter().any(|e| e.eq_ignore_ascii_case(extension))).map(|l| l.0)
}

fn by_program(first_line: &str) -> Option<Language> {
    let mut words = first_line.strip_prefix("#!")?.split_ascii_whitespace();
    let mut program = words.next()?.rsplit('/').next()?;
    if program == "env" {
        program = words.find(|w| !w.starts_with('-') && !w.contains('='))?;
    }
    let plain = program.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.');
    PROGRAMS.iter().find(|(p, _)| *p == plain).map(|(_, language)| *language)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_name_decides() {
        for (path, language) in [
            ("src/a.rs", Some(Language::Rust)),
            ("C:\\x\\Main.JAVA", Some(Language::Java)),
            ("web/App.tsx", Some(Language::TypeScript)),
            ("a/Rakefile", Some(Language::Ruby)),
            ("a/Makefile", None),
            ("notes.txt", None),
            ("rs", None),
        ] {
            assert_eq!(Language::of(Some(path), ""), language, "{path}");
        }
    }

    #[test]
    fn else_the_first_line() {
        for (line, language) in [
            ("#!/usr/bin/env python3.11", Some(Language::Python)),
            ("#!/bin/sh -e", Some(Language::Shell)),
            ("#!/usr/bin/env -S FOO=1 node --flag", Some(Language::TypeScript)),
            ("#!/usr/bin/perl", None),
            ("import os", None),
        ] {
            assert_eq!(Language::of(Some("bin/tool"), line), language, "{line}");
            assert_eq!(Language::of(None, line), language, "{line}");
        }
    }

    #[test]
    fn every_language_has_its_row_once() {
        let mut seen: Vec<_> = LANGUAGES.iter().flat_map(|l| l.3).collect();
        let count = seen.len();
        seen.sort_unstable();
        seen.dedup();
        assert_eq!(seen.len(), count);
        assert!(Language::Go.is_code() && !Language::Json.is_code());
        assert_eq!(Language::CSharp.name(), "csharp");
    }
}
