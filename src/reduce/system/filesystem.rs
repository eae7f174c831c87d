//! `df`, `mount`, `findmnt` and `lsblk`: file systems in memory or of the kernel, layers of containers and images of
//! snaps are counted by mount point. The file system at `/` is kept, and so are nearly full ones, except images,
//! which are always full.

use std::borrow::Cow;

use crate::reduce::Meta;
use crate::reduce::rows::{Place, Row, Rows, cell, never};
use crate::text::reason::Reason;

/// The reducer of this module.
pub static FILESYSTEMS: Rows = Rows {
    meta: Meta {
        id: "filesystems",
        family: "system",
        reads: "`df`, `mount`, `findmnt`, `lsblk`",
        keeps: "disks, partitions, network file systems, the root, `/tmp`, `/dev/shm`, other file systems in memory that somebody mounted, all that are at least 90 % full",
        omits: "tmpfs, proc, cgroup and other file systems of the kernel, overlays of containers, loop devices; named by mount point",
        anchors: &["Filesystem ", " type ", "TARGET ", "MAJ:MIN"],
    },
    commands: &["df", "mount", "findmnt", "lsblk"],
    unless: &["-t", "--type", "-a", "--all"],
    asks: never,
    content: 1,
    read,
};

/// From this percentage of use on, a file system is kept.
const FULL_PERCENT: u32 = 90;

const VIRTUAL: &[&str] = &[
    "tmpfs",
    "devtmpfs",
    "udev",
    "shm",
    "none",
    "overlay",
    "cgmfs",
    "efivarfs",
    "run",
    "dev",
    "devfs",
    "proc",
    "sysfs",
    "devpts",
    "cgroup",
    "cgroup2",
    "securityfs",
    "selinuxfs",
    "pstore",
    "bpf",
    "tracefs",
    "debugfs",
    "mqueue",
    "hugetlbfs",
    "configfs",
    "fusectl",
    "fuse.lxcfs",
    "fuse.gvfsd-fuse",
    "fuse.portal",
    "autofs",
    "binfmt_misc",
    "nsfs",
    "ramfs",
    "rpc_pipefs",
    "squashfs",
];

fn read<'a>(at: Place<'a>, line: &'a str) -> Row<'a> {
    if is_header(line) {
        return Row::Header;
    }
    match at.header.split_whitespace().next() {
        Some("Filesystem") => df(at.header, line),
        Some("TARGET") => findmnt(line),
        Some("NAME") => lsblk(line),
        _ => mount(line),
    }
}

fn is_header(line: &str) -> bool {
    line.starts_with("Filesystem ") && line.contains("ounted on")
        || line.starts_with("TARGET ") && line.contains("FSTYPE")
        || line.starts_with("NAME ") && line.contains("MAJ:MIN")
}

fn df<'a>(header: &str, line: &'a str) -> Row<'a> {
    // A name that is too long has a line of its own: such a row is kept.
    let cells = line.split_whitespace().count();
    let Some(at) = line.split_whitespace().next_back().filter(|at| at.starts_with('/')) else {
        return Row::Other;
    };
    let first = line.split_whitespace().next().unwrap_or_default();
    let kind = cell(header, line, "Type").unwrap_or(first);
    let image = first.starts_with("/dev/loop");
    let used = line.split_whitespace().filter_map(|c| c.strip_suffix('%')?.parse::<u32>().ok()).max();
    let full = used.is_some_and(|used| used >= FULL_PERCENT) && !image;
    let is_virtual = image || (VIRTUAL.contains(&first) || VIRTUAL.contains(&kind)) && !is_for_data(kind, at);
    match is_virtual && at != "/" && !full && cells >= 6 {
        true => Row::Hide(Reason::VirtualFilesystems, place(at)),
        false => Row::Keep,
    }
}

/// `proc on /proc type proc (rw,nosuid)`
fn mount(line: &str) -> Row<'_> {
    let Some((head, tail)) = line.split_once(" type ") else { return Row::Other };
    let Some((_, at)) = head.split_once(" on /") else { return Row::Other };
    let kind = tail.split(' ').next().unwrap_or_default();
    let is_data = is_for_data(kind, &head[head.len() - at.len() - 1..]);
    match VIRTUAL.contains(&kind) && !is_data && !at.is_empty() && tail.ends_with(')') {
        true => Row::Hide(Reason::VirtualFilesystems, place(&head[head.len() - at.len() - 1..])),
        false if tail.ends_with(')') => Row::Keep,
        false => Row::Other,
    }
}

fn findmnt(line: &str) -> Row<'_> {
    let Some(start) = line.find('/') else { return Row::Other };
    let mut cells = line[start..].split_whitespace();
    let at = cells.next().unwrap_or_default();
    let source = cells.next().unwrap_or_default();
    let kind = cells.next().unwrap_or_default();
    match VIRTUAL.contains(&kind) && !is_for_data(kind, at) && at != "/" && !source.starts_with("/dev") {
        true => Row::Hide(Reason::VirtualFilesystems, place(at)),
        false => Row::Keep,
    }
}

fn lsblk(line: &str) -> Row<'_> {
    let name = line.split(' ').next().unwrap_or_default();
    let number = name.strip_prefix("loop").unwrap_or_default();
    match !number.is_empty() && number.bytes().all(|b| b.is_ascii_digit()) {
        true => {
            let at = line.split_whitespace().next_back().filter(|at| at.starts_with('/'));
            Row::Hide(Reason::VirtualFilesystems, at.map_or(name.into(), place))
        }
        false => Row::Keep,
    }
}

/// Whether a file system in memory holds files of programs: all except those of the system and of containers. Its
/// size and options are of interest.
fn is_for_data(kind: &str, at: &str) -> bool {
    const SYSTEM: [&str; 6] = ["/run", "/dev", "/sys", "/proc", "/var/lib", "/snap"];
    let is_below =
        |folder: &str| at.strip_prefix(folder).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'));
    matches!(kind, "tmpfs" | "ramfs" | "shm")
        && (at == "/dev/shm" || !SYSTEM.iter().any(|folder| is_below(folder)))
}

/// The name of a mount point. Layers of containers, whose names are digests, share one, and so do the many below
/// `/sys/fs/cgroup`.
fn place(at: &str) -> Cow<'_, str> {
    for long in ["/overlay2/", "/overlay/", "/containers/", "/pods/"] {
        if let Some(end) = at.find(long).filter(|_| at.len() > 50) {
            return format!("below {}", &at[..end + long.len() - 1]).into();
        }
    }
    for short in ["/sys/fs/cgroup/", "/run/user/", "/run/credentials/", "/run/docker/"] {
        if at.starts_with(short) {
            return format!("below {}", short.trim_end_matches('/')).into();
        }
    }
    at.into()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::Mode;

    fn is_hidden(header: &str, line: &str) -> bool {
        matches!(read(Place { header, mode: Mode::Standard }, line), Row::Hide(..))
    }

    #[test]
    fn what_is_virtual() {
        let df = "Filesystem Size Used Avail Use% Mounted on";
        assert!(
            is_hidden(df, "tmpfs 3G 1M 3G 1% /run")
                && is_hidden(df, "/dev/loop0 56M 56M 0 100% /snap/core18/2812")
        );
        for at in ["/tmp", "/dev/shm", "/srv/cache"] {
            assert!(!is_hidden("", &format!("tmpfs on {at} type tmpfs (ro,noexec,size=1024k)")), "{at}");
            assert!(!is_hidden(df, &format!("tmpfs 64M 0 64M 0% {at}")), "{at}");
        }
        assert!(!is_hidden(df, "tmpfs 3G 3G 0 100% /run") && !is_hidden(df, "overlay 9G 1G 8G 9% /"));
        assert!(!is_hidden(df, "/dev/sda1 9G 1G 8G 9% /boot") && !is_hidden("", "tmpfs 3G 1M 3G 1% /run"));
        assert!(is_hidden("", "proc on /proc type proc (rw,nosuid)"));
        assert!(
            !is_hidden("", "overlay on / type overlay (rw)") && !is_hidden("", "he went on /a type proc")
        );
        let lsblk = "NAME MAJ:MIN RM SIZE RO TYPE MOUNTPOINTS";
        assert!(
            is_hidden(lsblk, "loop3 7:3 0 55M 1 loop /snap/x") && !is_hidden(lsblk, "sda 8:0 0 9G 0 disk")
        );
    }
}
