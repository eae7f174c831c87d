//! `netstat` and `ss`: connected and unnamed sockets between processes of the machine are counted by name. Listening
//! and named ones, and all connections over a network, are kept.

use std::borrow::Cow;

use crate::reduce::Meta;
use crate::reduce::rows::{Place, Row, Rows, never};
use crate::text::reason::Reason;

/// The reducer of this module.
pub static SOCKETS: Rows = Rows {
    meta: Meta {
        id: "sockets",
        family: "system",
        reads: "`netstat`, `ss`",
        keeps: "connections over a network in every state, listening and named local sockets, sockets with bytes in a queue",
        omits: "connected or unnamed unix sockets, netlink sockets; counted by name",
        anchors: &["Active ", "Netid"],
    },
    commands: &["netstat", "ss"],
    unless: &[],
    asks: never,
    content: 1,
    read,
};

fn read<'a>(at: Place<'a>, line: &'a str) -> Row<'a> {
    if is_header(line) {
        return Row::Header;
    }
    let mut cells = line.split_whitespace();
    let first = cells.next().unwrap_or_default();
    match at.header.split_whitespace().next() {
        Some("Proto") if first == "unix" => unix(line),
        Some("Proto") if first.starts_with(['t', 'u', 'r', 's', 'i']) => Row::Keep,
        Some("Netid") => ss(first, line),
        Some("Address") if first.bytes().all(|b| b.is_ascii_hexdigit()) => bsd(line),
        Some("pcb") if first.bytes().all(|b| b.is_ascii_hexdigit()) => of_kernel(line),
        _ => Row::Other,
    }
}

fn is_header(line: &str) -> bool {
    line.starts_with("Proto ") && (line.contains("Local Address") || line.contains("RefCnt"))
        || line.starts_with("Netid") && line.contains("Recv-Q") && line.contains("State")
        || line.starts_with("Address ") && line.contains(" Conn ")
        // Kernel sockets of macOS, whose rows look like those under `Address`.
        || line.trim_start().starts_with("pcb ") && line.contains("Recv-Q")
}

/// `unix  3      [ ]         STREAM     CONNECTED     22378    /run/x`
fn unix(line: &str) -> Row<'_> {
    let Some((_, rest)) = line.split_once(']') else { return Row::Other };
    let kind = rest.split_whitespace().next().unwrap_or_default();
    let path = rest.split_whitespace().skip(1).find(|cell| cell.starts_with(['/', '@']));
    let connected = rest.contains(" CONNECTED ");
    match path {
        Some(path) if connected => Row::Hide(Reason::LocalSockets, path.into()),
        None if connected || kind == "DGRAM" => Row::Hide(Reason::LocalSockets, unnamed(kind)),
        _ => Row::Keep,
    }
}

/// `u_str ESTAB 0 0 /run/systemd/journal/stdout 1234 * 1235`
fn ss<'a>(first: &'a str, line: &'a str) -> Row<'a> {
    let mut cells = line.split_whitespace().skip(1);
    let state = cells.next().unwrap_or_default();
    // Data that waits in a queue is of interest.
    let waits = cells.by_ref().take(2).any(|queue| queue != "0");
    let local = cells.next().unwrap_or_default();
    let unnamed_local = local == "*" || local.starts_with("*:");
    match first {
        "nl" | "u_str" | "u_seq" | "u_dgr" if waits => Row::Keep,
        "nl" => Row::Hide(Reason::LocalSockets, "netlink".into()),
        "u_str" | "u_seq" | "u_dgr" if state == "ESTAB" || unnamed_local && state == "UNCONN" => {
            Row::Hide(Reason::LocalSockets, if unnamed_local { unnamed(&first[2..]) } else { local.into() })
        }
        "" => Row::Other,
        // Details of a process are on a line of their own.
        _ => Row::Keep,
    }
}

/// `7a2b stream 0 0 0 7a2c 0 0 /var/run/x`: the sixth cell is the peer.
fn bsd(line: &str) -> Row<'_> {
    let mut cells = line.split_whitespace().skip(1);
    let kind = cells.next().unwrap_or_default();
    if cells.by_ref().take(2).any(|queue| queue != "0") {
        return Row::Keep;
    }
    let peer = cells.nth(1).unwrap_or_default();
    let path = cells.find(|cell| cell.starts_with('/'));
    match path {
        Some(path) if peer != "0" => Row::Hide(Reason::LocalSockets, path.into()),
        None if !peer.is_empty() => Row::Hide(Reason::LocalSockets, unnamed(kind)),
        _ => Row::Keep,
    }
}

/// `c3a1 kctl 0 0 144713152 30152 1 4 com.apple.x`: a socket of the kernel, without data that waits.
fn of_kernel(line: &str) -> Row<'_> {
    let mut cells = line.split_whitespace().skip(1);
    let kind = cells.next().unwrap_or_default();
    if cells.by_ref().take(2).any(|queue| queue != "0") {
        return Row::Keep;
    }
    let name = cells.last().filter(|cell| cell.bytes().any(|b| b.is_ascii_alphabetic()));
    Row::Hide(Reason::LocalSockets, name.map_or_else(|| unnamed(kind), Into::into))
}

fn unnamed(kind: &str) -> Cow<'_, str> {
    format!("unnamed {}", kind.to_ascii_lowercase()).into()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::Mode;

    #[test]
    fn only_connected_or_unnamed_local_sockets_go() {
        let of = |header, line| read(Place { header, mode: Mode::Standard }, line);
        let proto = "Proto RefCnt Flags       Type       State         I-Node   Path";
        let goes = |name: &'static str| Row::Hide(Reason::LocalSockets, name.into());
        assert_eq!(of(proto, "unix  3      [ ]  STREAM  CONNECTED  1  "), goes("unnamed stream"));
        assert_eq!(of(proto, "unix  3      [ ]  STREAM  CONNECTED  1 /run/x"), goes("/run/x"));
        assert_eq!(of(proto, "unix  2      [ ]  DGRAM              8 /dev/log"), Row::Keep);
        assert_eq!(of(proto, "unix  2      [ ACC ]  STREAM  LISTENING  1  private/x"), Row::Keep);
        assert_eq!(of(proto, "tcp   0 0 127.0.0.1:1 127.0.0.1:2 ESTABLISHED"), Row::Keep);
        let pcb = "             pcb Proto Recv-Q Send-Q    rxbytes    txbytes   unit     id name";
        assert_eq!(of("", pcb), Row::Header);
        assert_eq!(
            of(pcb, "c3a1b2c3 kctl   0   0     70      0      1      0 com.apple.x"),
            goes("com.apple.x")
        );
        assert_eq!(of(pcb, "c3a1b2c3 kctl   0  16     70      0      1      0 com.apple.x"), Row::Keep);
        let netid = "Netid State Recv-Q Send-Q Local Address:Port Peer Address:Port";
        assert_eq!(of(netid, "u_str ESTAB 0 0 * 20 * 21"), goes("unnamed str"));
        assert_eq!(of(netid, "u_str ESTAB 212992 0 /run/x 20 * 21"), Row::Keep);
        assert_eq!(of(netid, "u_dgr UNCONN 0 64 * 20 * 21"), Row::Keep);
        assert_eq!(of(netid, "u_str LISTEN 0 128 /run/x 20 * 0"), Row::Keep);
        assert_eq!(of(netid, "tcp ESTAB 0 0 1.1.1.1:22 2.2.2.2:5"), Row::Keep);
    }
}
