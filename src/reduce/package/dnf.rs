//! `dnf`, `yum` and `microdnf`: downloads, checks and the steps of a transaction are left out. The plan is left out
//! only if the transaction is complete and its results are listed; that list, the summary, warnings and errors are
//! kept.
//!
//! Lines as written by yum 3, dnf 4, dnf 5 and microdnf without a terminal. dnf 5 lists no results: its plan is kept.

use crate::detect::command::Simple;
use crate::input::Input;
use crate::reduce::line_actions::{Blanks, LineActions};
use crate::reduce::lines::{SHORT_CLAIM_LINES, Tally};
use crate::reduce::{FormatProof, Meta, Reducer};
use crate::text::ledger::Reduction;
use crate::text::reason::Reason;

/// The reducer of this module.
pub struct Dnf;

static META: Meta = Meta {
    id: "dnf",
    family: "package",
    reads: "`dnf`, `yum`, `microdnf` `install`, `update`, `upgrade`, `remove`",
    keeps: "what was installed, upgraded and removed with versions, counts, sizes, warnings, scriptlets that failed, errors; \
            the plan of a transaction that was not completed",
    omits: "metadata, downloads, checks, steps of the transaction, the plan of a transaction that was completed",
    anchors: &[
        "Dependencies resolved.",
        "Dependencies Resolved",
        "Transaction Summary",
        "Last metadata expiration check",
        "Running transaction",
        "Loaded plugins: ",
        "Repositories loaded.",
        "Downloading metadata...",
    ],
};

/// The kind of a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Line {
    /// Downloads, checks, lines of `=` or `-`.
    Step,
    /// A step on one package.
    Work,
    /// A row or heading of the plan.
    Plan,
    /// The heading of the list of results.
    Done,
    /// A line of dnf that is kept.
    Known,
    /// Anything else.
    Other,
}

impl Reducer for Dnf {
    fn meta(&self) -> &'static Meta {
        &META
    }

    fn proof(&self, input: &Input<'_>) -> FormatProof {
        let Tally { known, all, .. } =
            Tally::of(input.source, SHORT_CLAIM_LINES, |line| read(line) != Line::Other);
        FormatProof::of(known > 0, known >= 5 && known * 2 >= all)
    }

    fn is_writer(&self, s: &Simple) -> bool {
        matches!(s.program(), "dnf" | "yum" | "microdnf" | "dnf5")
    }

    fn reduce(&self, input: &Input<'_>) -> Result<Reduction, Reason> {
        let source = input.source;
        let is_complete = source.lines().any(|line| matches!(line.trim_end(), "Complete!" | "Complete."));
        let is_listed = is_complete && source.lines().any(|line| read(line) == Line::Done);
        let mut actions = LineActions::new(source);
        for (i, line) in source.lines().enumerate() {
            match read(line) {
                Line::Step => actions.omit_unless_failure(i, Reason::Progress, 1),
                Line::Work if is_complete => actions.omit_unless_failure(i, Reason::Progress, 1),
                Line::Plan if is_listed => actions.omit_unless_failure(i, Reason::Progress, 1),
                _ => {}
            }
        }
        actions.keep(self.extent(input).end.saturating_sub(1));
        actions.keep_last().finish(Blanks::Between)
    }

    fn is_format_line(&self, line: &str) -> bool {
        read(line) != Line::Other
    }
}

/// Starts of lines that report progress.
const STEPS: &[&str] = &[
    "Last metadata expiration check: ",
    "Dependencies resolved.",
    "Dependencies Resolved",
    "Downloading Packages:",
    "Downloading packages:",
    "Downloading metadata...",
    "Downloading packages...",
    "Running transaction",
    "Transaction check succeeded",
    "Transaction test succeeded",
    "--> ",
    "---> ",
    "Resolving Dependencies",
    "Loaded plugins: ",
    "Determining fastest mirrors",
    " * base: ",
    " * extras: ",
    " * updates: ",
    " * epel: ",
    "Running rpm_check_debug",
    "Loading mirror speeds from cached hostfile",
    "Updating and loading repositories:",
    "Repositories loaded.",
];
/// Words for the steps on a package.
const VERBS: &[&str] = &[
    "Preparing",
    "Installing",
    "Upgrading",
    "Updating",
    "Cleanup",
    "Erasing",
    "Verifying",
    "Running scriptlet",
    "Obsoleting",
    "Reinstalling",
    "Downgrading",
    "Removing",
];
/// Starts of lines that are kept.
const KNOWN: &[&str] = &[
    "Error: ",
    "Total download size: ",
    "Installed size: ",
    "No match for argument",
    "Is this ok",
    "[MIRROR] ",
    "[FAILED] ",
    "Total size of inbound packages is ",
];

/// Classifies a line.
fn read(line: &str) -> Line {
    let text = line.trim_end();
    let is_ruler = text.len() > 20 && text.bytes().all(|b| b == b'=' || b == b'-');
    let is_verb = |l: &str| {
        l.split_once(':').is_some_and(|(verb, rest)| {
            VERBS.contains(&verb.trim()) && (rest.contains('/') || rest.trim().is_empty())
        })
    };
    let is_worked_on = |l: &str| {
        l.split_once("] ").and_then(|(_, rest)| rest.split_once(' ')).is_some_and(|(v, _)| VERBS.contains(&v))
    };
    match text {
        "Complete!"
        | "Complete."
        | "Nothing to do."
        | "Nothing to do"
        | "Transaction Summary"
        | "Transaction Summary:" => Line::Known,
        "Installed:"
        | "Upgraded:"
        | "Updated:"
        | "Removed:"
        | "Dependency Installed:"
        | "Downgraded:"
        | "Reinstalled:" => Line::Done,
        _ if is_download(text) && is_worked_on(text) => Line::Work,
        _ if STEPS.iter().any(|step| text.starts_with(step)) || is_ruler || is_download(text) => Line::Step,
        _ if line.starts_with("  ") && is_verb(line) => Line::Work,
        // microdnf: `Installing: tar;2:1.34-7.el9;x86_64;baseos`
        _ if text.matches(';').count() == 3
            && text.split_once(": ").is_some_and(|(verb, _)| VERBS.contains(&verb)) =>
        {
            Line::Work
        }
        _ if is_row(text) || is_heading(text) => Line::Plan,
        _ if KNOWN.iter().any(|known| text.starts_with(known)) => Line::Known,
        _ => Line::Other,
    }
}

/// `(1/4): gcc-11.4.1.x86_64.rpm  812 kB/s |  47 kB  00:00`, and the total of all downloads.
fn is_download(text: &str) -> bool {
    text.starts_with('(') && text.contains("/") && text.contains("): ") && text.contains(".rpm")
        || text.contains("B/s | ") && text.contains(':') && !text.contains("% | ")
        || text.contains(" 100% | ") && text.ends_with('s')
}

/// ` gcc   x86_64   11.4.1-2.1.el9   appstream   32 M`
fn is_row(text: &str) -> bool {
    const ARCHES: &[&str] =
        &["x86_64", "noarch", "aarch64", "i386", "i586", "i686", "ppc64le", "s390x", "armv7hl"];
    let mut words = text.split_whitespace().skip(1);
    text.starts_with(' ')
        && words.next().is_some_and(|arch| ARCHES.contains(&arch))
        && words.next().is_some_and(|version| version.bytes().any(|b| b.is_ascii_digit()))
        && words.count() == 3
}

/// `Installing dependencies:`, ` Package   Architecture   Version   Repository   Size`
fn is_heading(text: &str) -> bool {
    let is_kind = |kind: &str| {
        ["Installing", "Upgrading", "Updating", "Removing", "Downgrading", "Reinstalling"]
            .iter()
            .any(|verb| kind.starts_with(verb))
            && kind.split(' ').count() <= 4
    };
    text.strip_suffix(':').is_some_and(is_kind)
        || text.trim_start().starts_with("Package ") && text.ends_with(" Size") && text.contains(" Arch")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_lines() {
        assert_eq!(read(" gcc      x86_64   11.4.1-2.1.el9    appstream   32 M"), Line::Plan);
        assert_eq!(read("Installing weak dependencies:"), Line::Plan);
        assert_eq!(read("  Installing       : cpp-11.4.1-2.1.el9.x86_64    2/5 "), Line::Work);
        assert_eq!(
            read("(1/4): glibc-devel-2.34-83.el9.x86_64.rpm  812 kB/s |  47 kB  00:00    "),
            Line::Step
        );
        assert_eq!(read("Installing: tar;2:1.34-7.el9;x86_64;baseos"), Line::Work);
        assert_eq!(read("[3/9] Upgrading a-1.x86_64   100% | 152.3 MiB/s |   7.8 MiB |  00m00s"), Line::Work);
        assert_eq!(read("[1/6] a-1.x86_64   100% | 152.3 MiB/s |   7.8 MiB |  00m00s"), Line::Step);
        assert_eq!(read("Upgraded:"), Line::Done);
        assert_eq!(read("  gcc-11.4.1-2.1.el9.x86_64"), Line::Other);
        assert_eq!(read("Error in POSTIN scriptlet in rpm package x"), Line::Other);
    }
}
