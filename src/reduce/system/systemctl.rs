//! `systemctl list-units`: units of devices that are plugged in are counted by the start of their names. Services,
//! sockets, timers, mounts and units with problems are kept.

use crate::reduce::Meta;
use crate::reduce::rows::{Place, Row, Rows, never};
use crate::text::reason::Reason;

/// The reducer of this module.
pub static SYSTEMCTL: Rows = Rows {
    meta: Meta {
        id: "systemctl",
        family: "system",
        reads: "`systemctl`, `systemctl list-units`",
        keeps: "all services, sockets, timers, mounts, targets, every unit that is not loaded and active, the totals",
        omits: "device units that are plugged in; counted by the start of their names",
        anchors: &["UNIT ", ".device "],
    },
    commands: &["systemctl", "systemctl list-units"],
    unless: &["-t", "--type", "--state", "--failed"],
    asks: never,
    content: 1,
    read,
};

fn read<'a>(at: Place<'a>, line: &'a str) -> Row<'a> {
    let mut cells = line.split_whitespace();
    let first = cells.next().unwrap_or_default();
    let next = (cells.next(), cells.next(), cells.next());
    if first == "UNIT" && next == (Some("LOAD"), Some("ACTIVE"), Some("SUB")) {
        return Row::Header;
    }
    if at.header.is_empty() {
        return Row::Other;
    }
    match next {
        (Some("loaded"), Some("active"), Some("plugged")) if first.ends_with(".device") => {
            Row::Hide(Reason::DeviceUnits, stem(first).into())
        }
        (Some(_), Some(_), Some(_)) => Row::Keep,
        _ => Row::Other,
    }
}

/// `sys-devices-pci0000:00-….device` → `sys-devices`
fn stem(unit: &str) -> &str {
    let name = unit.trim_end_matches(".device");
    let end = name.match_indices('-').nth(1).map_or(name.len(), |(at, _)| at);
    name[..end].split('\\').next().unwrap_or(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stems() {
        assert_eq!(stem(r"dev-disk-by\x2did-a.device"), "dev-disk");
        assert_eq!(stem("dev-ttyS0.device"), "dev-ttyS0");
        assert_eq!(stem("sys-subsystem-net-devices-eth0.device"), "sys-subsystem");
    }
}
