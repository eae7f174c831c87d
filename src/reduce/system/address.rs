//! `ip addr` and `lscpu`: lines that an address is valid forever, or that a processor is not affected by a
//! vulnerability, are counted. Interfaces, addresses, states, limited lifetimes and mitigations are kept.

use crate::reduce::Meta;
use crate::reduce::rows::{Place, Row, Rows, never};
use crate::text::reason::Reason;

/// The reducer of this module.
pub static ADDRESSES: Rows = Rows {
    meta: Meta {
        id: "ip",
        family: "system",
        reads: "`ip addr`, `ip address show`",
        keeps: "interfaces, states, addresses, lifetimes that end",
        omits: "lifetimes that never end",
        anchors: &["valid_lft forever"],
    },
    commands: &["ip addr", "ip a", "ip address", "ip add"],
    unless: &[],
    asks: never,
    content: 6,
    read: address,
};

/// The reducer of this module.
pub static PROCESSOR: Rows = Rows {
    meta: Meta {
        id: "lscpu",
        family: "system",
        reads: "`lscpu`",
        keeps: "the processor, caches, nodes, flags, vulnerabilities that it has or mitigates",
        omits: "vulnerabilities that it does not have; by name",
        anchors: &["Not affected"],
    },
    commands: &["lscpu"],
    unless: &["-J", "--json"],
    asks: never,
    content: 0,
    read: processor,
};

/// `2: eth0: <UP> mtu 1400`, then indented lines.
fn address<'a>(_: Place<'a>, line: &'a str) -> Row<'a> {
    let text = line.trim_start();
    let number = line.bytes().take_while(u8::is_ascii_digit).count();
    match () {
        () if number > 0 && line[number..].starts_with(": ") && line.contains(" mtu ") => Row::Keep,
        () if text == "valid_lft forever preferred_lft forever" => {
            Row::Hide(Reason::Defaults, "valid for ever".into())
        }
        () if ["link/", "inet ", "inet6 ", "altname "].iter().any(|start| text.starts_with(start)) => {
            Row::Keep
        }
        () => Row::Other,
    }
}

fn processor<'a>(_: Place<'a>, line: &'a str) -> Row<'a> {
    let text = line.trim_start();
    match text.split_once(':') {
        Some((name, value)) if value.trim() == "Not affected" => {
            Row::Hide(Reason::NotAffected, name.trim_start_matches("Vulnerability ").into())
        }
        Some(_) => Row::Keep,
        None => Row::Other,
    }
}
