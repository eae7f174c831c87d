//! `ps` and `top -b`: idle kernel threads are counted by name, and so are processes that use neither processor nor
//! memory in `top`. In `ps`, all processes of users are kept. A zombie, a stopped process or one that waits for a
//! disk is always kept.

use crate::reduce::Meta;
use crate::reduce::rows::{Place, Row, Rows, cell, column, from_cell, never};
use crate::text::reason::Reason;

/// The reducer of this module.
pub static PROCESSES: Rows = Rows {
    meta: Meta {
        id: "processes",
        family: "system",
        reads: "`ps` (`aux`, `-ef`, `-el`), `top -b`",
        keeps: "every process of a user in `ps`, all of `top` that uses processor or memory or used far more than the others, zombies, the summary",
        omits: "idle kernel threads; in `top`, sleeping processes at 0.0 % of processor and memory; both are counted by name",
        anchors: &["PID "],
    },
    commands: &["ps", "top", "busybox ps", "htop"],
    unless: &[],
    asks: never,
    content: 1,
    read,
};

fn read<'a>(at: Place<'a>, line: &'a str) -> Row<'a> {
    if is_header(line) {
        return Row::Header;
    }
    if line.starts_with("top - ") || line.starts_with("%Cpu") || line.starts_with("Tasks: ") {
        return Row::Keep;
    }
    if at.header.is_empty() || !cell(at.header, line, "PID").is_some_and(is_number) {
        return Row::Other;
    }
    let is_top = column(at.header, "%CPU").is_some() && column(at.header, "TIME+").is_some();
    // `--forest` draws a tree before the command.
    let Some(command) = command(at.header, line).map(|c| c.trim_start_matches(['|', '\\', '_', ' '])) else {
        return Row::Keep;
    };
    match is_top {
        true if is_idle(at.header, line) => Row::Hide(Reason::IdleProcesses, stem(command).into()),
        false if is_kernel_thread(at.header, line, command) => {
            Row::Hide(Reason::KernelThreads, stem(command.trim_matches(['[', ']'])).into())
        }
        _ => Row::Keep,
    }
}

/// A header of `ps` or `top`: capitals, a `PID`, and the command last.
fn is_header(line: &str) -> bool {
    let last = line.split_whitespace().next_back();
    matches!(last, Some("CMD" | "COMMAND"))
        && !line.contains(|c: char| c.is_ascii_lowercase())
        && column(line, "PID").is_some()
        && column(line, "FD").is_none()
}

fn command<'a>(header: &str, line: &'a str) -> Option<&'a str> {
    from_cell(line, header.split_whitespace().count() - 1)
}

/// Whether a process is a kernel thread that does not run: root owns it, its name is in brackets, and it has no memory of
/// its own or is a child of process 2.
fn is_kernel_thread(header: &str, line: &str, command: &str) -> bool {
    let cell = |name| cell(header, line, name);
    let idle = |name| cell(name).is_none_or(|use_of| matches!(use_of, "0" | "0.0"));
    let sleeps = |name| cell(name).is_none_or(|state| state.starts_with(['S', 'I']));
    let empty = cell("RSS") == Some("0") && cell("VSZ").is_none_or(|size| size == "0");
    let child = matches!(cell("PPID"), Some("0" | "2"));
    // A process of a user may give itself such a name.
    let is_of_kernel = |name| cell(name).is_none_or(|user| matches!(user, "root" | "0"));
    command.starts_with('[')
        && command.ends_with(']')
        && (empty || child)
        && is_of_kernel("USER")
        && is_of_kernel("UID")
        && idle("%CPU")
        && idle("C")
        && sleeps("STAT")
        && sleeps("S")
}

fn is_idle(header: &str, line: &str) -> bool {
    let cell = |name| cell(header, line, name);
    cell("%CPU") == Some("0.0") && cell("%MEM") == Some("0.0") && matches!(cell("S"), Some("S" | "I"))
}

/// `kworker/0:1-events` → `kworker`
fn stem(command: &str) -> &str {
    let name = command.split(['/', ':', ' ']).next().unwrap_or(command);
    if name.is_empty() { command.split(' ').next().unwrap_or(command) } else { name }
}

fn is_number(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::Mode;

    fn of<'a>(header: &'a str, line: &'a str) -> Row<'a> {
        read(Place { header, mode: Mode::Standard }, line)
    }

    #[test]
    fn kernel_threads_and_what_only_looks_like_one() {
        let aux = "USER PID %CPU %MEM VSZ RSS TTY STAT START TIME COMMAND";
        let name = |n: &'static str| Row::Hide(Reason::KernelThreads, n.into());
        assert!(is_header(aux) && is_header("UID          PID    PPID  C STIME TTY          TIME CMD"));
        assert_eq!(of(aux, "root 4 0.0 0.0 0 0 ? I< 07:00 0:00 [kworker/0:0H-events]"), name("kworker"));
        for line in [
            "root 4 0.0 0.0 0 0 ? D 07:00 0:00 [kworker/0:0H]",
            "root 4 9.0 0.0 0 0 ? R 07:00 0:00 [kworker/0:0H]",
            "root 4 0.0 0.0 0 0 ? Z 07:00 0:00 [python] <defunct>",
            "root 4 0.0 0.1 900 80 ? S 07:00 0:00 [python]",
            "root 4 0.0 0.0 0 0 ? S 07:00 0:00 sh -c [x]",
            "www-data 4 0.0 0.0 0 0 ? S 07:00 0:00 [kworker/3:1]",
        ] {
            assert_eq!(of(aux, line), Row::Keep, "{line}");
        }
        let ef = "UID PID PPID C STIME TTY TIME CMD";
        assert_eq!(of(ef, "root 2 0 0 Jan01 ? 00:00:00 [kthreadd]"), name("kthreadd"));
        assert_eq!(of(ef, "root 2 77 0 Jan01 ? 00:00:00 [kthreadd]"), Row::Keep);
        assert_eq!(of("", "root 2 0 0 Jan01 ? 00:00:00 [kthreadd]"), Row::Other);
    }
}
