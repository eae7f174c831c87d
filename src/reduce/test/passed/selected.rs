//! Whether a command selects tests by name or by a pattern. A file or a package does not count.

use crate::detect::command::Simple;
use crate::input::Input;

/// Flags of any program that select tests.
const FLAGS: &[&str] = &[
    "-run",
    "--run",
    "-test.run",
    "--test.run",
    "--tests",
    "--testNamePattern",
    "--test-name-pattern",
    "--grep",
    "--fgrep",
    "--filter",
    "--gtest_filter",
    "--tests-regex",
    "--example",
    "--only",
    "--testcase",
    "--test-filter",
    "--test_filter",
    "--filter-expr",
    "--lf",
    "--last-failed",
    "--onlyFailures",
    "-Dtest",
    "-Dit.test",
    "-DtestOnly",
];

/// Flags that select tests, with the program they belong to.
const OWN: &[(&str, &str)] = &[
    ("pytest", "-k"),
    ("py.test", "-k"),
    ("pytest", "-m"),
    ("unittest", "-k"),
    ("jest", "-t"),
    ("vitest", "-t"),
    ("bun", "-t"),
    ("npm", "-t"),
    ("yarn", "-t"),
    ("pnpm", "-t"),
    ("mocha", "-g"),
    ("mocha", "-f"),
    ("npm", "-g"),
    ("yarn", "-g"),
    ("pnpm", "-g"),
    ("playwright", "-g"),
    ("ctest", "-R"),
    ("ctest", "-I"),
    ("rspec", "-e"),
    ("bats", "-f"),
    ("ruby", "-n"),
    ("rails", "-n"),
    ("rake", "-n"),
];

/// Flags of cargo that take a value.
const OF_CARGO: &[&str] = &[
    "-p",
    "--package",
    "--test",
    "--bin",
    "--bench",
    "--features",
    "-F",
    "-j",
    "--jobs",
    "--target",
    "--target-dir",
    "--manifest-path",
    "--profile",
    "--color",
    "--message-format",
    "--config",
    "--exclude",
    "--test-threads",
    "--format",
    "--skip",
];

/// Whether the command selected tests.
pub fn by_command(input: &Input<'_>) -> bool {
    input.detection.command.producers().any(|(simple, _)| chooses(simple))
}

fn chooses(simple: &Simple) -> bool {
    let program = simple.program();
    let words = || simple.argv.iter().skip(1).map(String::as_str);
    if matches!(program, "make" | "gmake" | "git" | "docker") {
        return false;
    }
    let is_flag = |word: &str| {
        let name = word.split('=').next().unwrap_or(word);
        FLAGS.contains(&name) || OWN.iter().any(|(of, flag)| *of == program && *flag == name)
    };
    words().any(|word| is_flag(word) || names_a_test(word))
        || program == "cargo" && of_cargo(simple)
        || program == "sbt" && words().any(|word| word.trim_start_matches('"').contains("testOnly "))
        || program == "sbt" && words().any(|word| word == "testOnly")
        || (program == "unittest" || words().any(|word| word.ends_with("manage.py")))
            && words().any(|word| word.contains('.') && word.split('.').any(starts_upper))
}

fn starts_upper(word: &str) -> bool {
    word.starts_with(|c: char| c.is_ascii_uppercase())
}

/// `tests/test_a.py::test_b`, `lease::tests`, `spec/a_spec.rb:12`, `test/a_test.exs:12`
fn names_a_test(word: &str) -> bool {
    let at_line = |ending: &str| {
        word.split_once(ending).is_some_and(|(_, line)| line.starts_with(|c: char| c.is_ascii_digit()))
    };
    !word.starts_with('-') && (word.contains("::") || at_line(".rb:") || at_line(".exs:"))
}

/// `cargo test lease`, `cargo test -- lease`
fn of_cargo(simple: &Simple) -> bool {
    let mut words = simple.argv.iter().skip(1).map(String::as_str);
    if !words.any(|word| matches!(word, "test" | "t" | "nextest")) {
        return false;
    }
    let mut words = words.skip_while(|word| *word == "run").peekable();
    while let Some(word) = words.next() {
        if OF_CARGO.contains(&word) {
            words.next();
        } else if matches!(word, "-E") || !word.starts_with(['-', '+']) {
            return true;
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::detect::command::CommandLine;

    fn is_selected(command: &str) -> bool {
        CommandLine::parse(command).producers().any(|(simple, _)| chooses(simple))
    }

    #[test]
    fn names_and_patterns_choose_tests() {
        for command in [
            "go test ./ledger -run TestRounding -v",
            "./gradlew test --tests LeaseTest -i",
            "mvn -B -q test -Dtest=LeaseTest",
            "cargo test lease",
            "cargo test -p relay -- --nocapture lease",
            "cargo nextest run lease",
            "pytest -v -k refund tests",
            "python -m pytest tests/test_a.py::test_b",
            "npx jest -t rounding",
            "npm test -- --grep rounding",
            "node --test --test-name-pattern=rounding",
            "./run_tests --gtest_filter=Lease.*",
            "ctest -R lease",
            "bundle exec rspec spec/a_spec.rb:12",
            "python -m unittest tests.test_a.TestB",
            "dotnet test --filter Name=Lease",
        ] {
            assert!(is_selected(command), "{command}");
        }
        for command in [
            "go test ./... -v",
            "cargo test",
            "cargo test -p relay --test wire",
            "cargo test -- --test-threads 1",
            "cargo build lease",
            "pytest -v tests/test_a.py",
            "pytest -n 4",
            "make -k test",
            "mvn test",
            "python -m unittest discover",
            "npx jest src/a.test.js",
        ] {
            assert!(!is_selected(command), "{command}");
        }
    }
}
