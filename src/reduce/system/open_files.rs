//! `lsof`: mapped libraries, root folders and rows of threads that equal those of their process are counted by
//! process. Open files, sockets, pipes and the program itself are kept.

use std::borrow::Cow;

use crate::reduce::Meta;
use crate::reduce::rows::{Place, Row, Rows, column, never};
use crate::text::reason::Reason;

/// The reducer of this module.
pub static OPEN_FILES: Rows = Rows {
    meta: Meta {
        id: "lsof",
        family: "system",
        reads: "`lsof`",
        keeps: "open files, sockets, pipes, working folders, programs, deleted files, files that could not be read",
        omits: "mapped libraries, rows of single threads, root folders that are `/`; counted by process",
        anchors: &["COMMAND "],
    },
    commands: &["lsof"],
    unless: &["-d", "-K"],
    asks: never,
    content: 1,
    read,
};

fn read<'a>(at: Place<'a>, line: &'a str) -> Row<'a> {
    if is_header(line) {
        return Row::Header;
    }
    if at.header.is_empty() {
        return Row::Other;
    }
    let mut cells = line.split_whitespace();
    let (Some(command), Some(pid)) = (cells.next(), cells.next()) else { return Row::Other };
    if !pid.bytes().all(|b| b.is_ascii_digit()) {
        return Row::Other;
    }
    let name = || Cow::from(format!("{command} {pid}"));
    if is_thread(at.header, line) {
        return Row::Hide(Reason::ThreadFiles, name());
    }
    let skipped = ["TID", "TASKCMD"].iter().filter(|name| column(at.header, name).is_some()).count();
    let Some(fd) = column(at.header, "FD").and_then(|fd| line.split_whitespace().nth(fd - skipped)) else {
        return Row::Keep;
    };
    let path = line.split_whitespace().next_back().unwrap_or_default();
    match fd {
        // A library in a folder that anybody may write to is unusual.
        "mem" | "mmap" if ["/tmp/", "/var/tmp/", "/dev/shm/"].iter().any(|at| path.starts_with(at)) => {
            Row::Keep
        }
        "mem" | "mmap" if path.starts_with('/') => Row::Hide(Reason::MappedFiles, name()),
        "txt" if path.ends_with(".dylib") || path.ends_with("/dyld") => {
            Row::Hide(Reason::MappedFiles, name())
        }
        "rtd" if path == "/" => Row::Hide(Reason::MappedFiles, name()),
        _ => Row::Keep,
    }
}

fn is_header(line: &str) -> bool {
    line.starts_with("COMMAND ") && line.ends_with("NAME") && column(line, "FD").is_some_and(|fd| fd > 2)
}

/// Whether the row has a number under `TID`, which is aligned to its right end.
fn is_thread(header: &str, line: &str) -> bool {
    header.find(" TID ").and_then(|at| line.as_bytes().get(at + 3)).is_some_and(u8::is_ascii_digit)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::Mode;

    #[test]
    fn threads_and_libraries() {
        let header = "COMMAND    PID  TID    USER   FD      TYPE DEVICE  SIZE/OFF     NODE NAME";
        let of = |line| read(Place { header, mode: Mode::Standard }, line);
        let goes = |reason| Row::Hide(reason, "dockerd 1205".into());
        assert!(is_header(header));
        assert_eq!(
            of("dockerd   1205 1217    root  mem       REG  253,0    155784       9857 /usr/lib64/a.so"),
            goes(Reason::ThreadFiles)
        );
        assert_eq!(
            of("dockerd   1205         root  mem       REG  253,0    155784       9857 /usr/lib64/a.so"),
            goes(Reason::MappedFiles)
        );
        assert_eq!(
            of("dockerd   1205         root  mem     REG  253,0  1  9857 /tmp/.X/libproc.so.1"),
            Row::Keep
        );
        assert_eq!(of("dockerd   1205         root    3u     REG  253,0  1  9857 /var/x"), Row::Keep);
        assert_eq!(of("dockerd   1205         root  txt      REG  253,0  1  9857 /usr/bin/x"), Row::Keep);
        assert_eq!(of("dockerd   1205         root  DEL      REG  253,0     9857 /usr/lib/x"), Row::Keep);
    }
}
