//! Finds the user whose program is at the other end of a connection on this machine. Linux lists it in
//! `/proc/net/tcp` and `/proc/net/tcp6` (described in the kernel's `Documentation/networking/proc_net_tcp.rst`);
//! other systems are not supported.

use std::net::SocketAddr;

/// Whether a connection may belong to a program of the gateway's user or of root. True if the system does not report
/// it. `here` is the gateway's address, `peer` the program's.
#[cfg(target_os = "linux")]
pub(super) fn is_of_this_user(here: SocketAddr, peer: SocketAddr) -> bool {
    let own = rustix::process::geteuid().as_raw();
    // A table that changes while it is read may miss a row.
    (0..MAX_TRIES).any(|_| match tables::owner(here, peer) {
        tables::Owner::User(user) => user == own || user == 0,
        tables::Owner::Unknown => true,
        tables::Owner::Gone => false,
    })
}

#[cfg(not(target_os = "linux"))]
pub(super) fn is_of_this_user(_here: SocketAddr, _peer: SocketAddr) -> bool {
    true
}

/// How often the tables are read before a connection that is in none counts as closed.
#[cfg(target_os = "linux")]
const MAX_TRIES: usize = 3;

#[cfg(target_os = "linux")]
mod tables {
    use std::fs::File;
    use std::io::{BufRead, BufReader};
    use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};

    /// The owner of the other end of a connection, by the tables.
    #[derive(Debug, PartialEq, Eq)]
    pub(super) enum Owner {
        /// The id of its user.
        User(u32),
        /// It is closed: the tables list the gateway's own listener, but not this connection, or without a program.
        Gone,
        /// The tables are not those of this machine.
        Unknown,
    }

    /// `0A` in the column `st`: a socket that listens.
    const LISTENS: &str = "0A";

    pub(super) fn owner(here: SocketAddr, peer: SocketAddr) -> Owner {
        let readers =
            ["/proc/net/tcp", "/proc/net/tcp6"].map(|path| File::open(path).ok().map(BufReader::new));
        owner_in(readers.into_iter().flatten(), here, peer)
    }

    /// Searches the tables, one after the other.
    pub(super) fn owner_in<R: BufRead>(
        tables: impl IntoIterator<Item = R>,
        here: SocketAddr,
        peer: SocketAddr,
    ) -> Owner {
        let mut out = Owner::Unknown;
        for table in tables {
            for line in table.lines().map_while(Result::ok) {
                let Some(row) = Row::of(&line) else { continue };
                if row.is_listening && row.local == plain(here) {
                    out = Owner::Gone;
                } else if row.local == plain(peer) && row.remote == plain(here) {
                    return if row.inode == "0" { Owner::Gone } else { Owner::User(row.user) };
                }
            }
        }
        out
    }

    /// A socket.
    struct Row<'a> {
        local: SocketAddr,
        remote: SocketAddr,
        is_listening: bool,
        user: u32,
        /// `0` for a socket that no program holds any more; then its user is unknown.
        inode: &'a str,
    }

    impl<'a> Row<'a> {
        /// Reads a row; `None` for a heading.
        fn of(line: &'a str) -> Option<Self> {
            // sl local_address rem_address st tx_queue:rx_queue tr:tm->when retrnsmt uid timeout inode
            let mut words = line.split_ascii_whitespace().skip(1);
            let (local, remote) = (address(words.next()?)?, address(words.next()?)?);
            let is_listening = words.next()? == LISTENS;
            let user = words.nth(3)?.parse().ok()?;
            Some(Self { local, remote, is_listening, user, inode: words.nth(1)? })
        }
    }

    /// An address as `0100007F:1F90`: words of four bytes in the machine's order, and the port.
    fn address(text: &str) -> Option<SocketAddr> {
        let (host, port) = text.split_once(':')?;
        let port = u16::from_str_radix(port, 16).ok()?;
        let mut bytes = [0; 16];
        let length = host.len() / 2;
        for (at, word) in bytes.get_mut(..length)?.chunks_exact_mut(4).enumerate() {
            let digits = host.get(at * 8..at * 8 + 8)?;
            word.copy_from_slice(&u32::from_str_radix(digits, 16).ok()?.to_ne_bytes());
        }
        let host = match length {
            4 => IpAddr::V4(Ipv4Addr::new(bytes[0], bytes[1], bytes[2], bytes[3])),
            16 => IpAddr::V6(Ipv6Addr::from(bytes)),
            _ => return None,
        };
        Some(plain(SocketAddr::new(host, port)))
    }

    /// The address in one form, whether the socket was opened for IPv4 or IPv6.
    fn plain(address: SocketAddr) -> SocketAddr {
        SocketAddr::new(address.ip().to_canonical(), address.port())
    }

    #[cfg(test)]
    mod tests {
        use super::*;

        /// A row of a table.
        fn row(local: &str, remote: &str, state: &str, user: u32, inode: u32) -> String {
            let mut hex = [local, remote].map(|address| {
                let address: SocketAddr = address.parse().unwrap();
                let words: String = match address.ip() {
                    IpAddr::V4(ip) => format!("{:08X}", u32::from_ne_bytes(ip.octets())),
                    IpAddr::V6(ip) => ip
                        .octets()
                        .chunks(4)
                        .map(|word| format!("{:08X}", u32::from_ne_bytes(word.try_into().unwrap())))
                        .collect(),
                };
                format!("{words}:{:04X}", address.port())
            });
            let [local, remote] = &mut hex;
            format!(
                "   3: {local} {remote} {state} 00000000:00000000 00:00000000 00000000 {user:>5}        0 {inode} 1 0\n"
            )
        }

        const HEADING: &str = "  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode\n";
        const HERE: &str = "127.0.0.1:8080";
        const PEER: &str = "127.0.0.1:5000";

        fn asked(tables: &[String]) -> Owner {
            owner_in(
                tables.iter().map(|table| table.as_bytes()),
                HERE.parse().unwrap(),
                PEER.parse().unwrap(),
            )
        }

        #[test]
        fn the_user_of_the_other_end_is_found() {
            let listener = row(HERE, "0.0.0.0:0", LISTENS, 7, 1);
            let (ours, theirs) = (row(HERE, PEER, "01", 7, 2), row(PEER, HERE, "01", 1000, 3));
            let other = row("127.0.0.1:5001", HERE, "01", 9, 4);
            let table = |rows: &[&String]| rows.iter().fold(HEADING.to_owned(), |all, row| all + row);
            assert_eq!(asked(&[table(&[&listener, &other, &ours, &theirs])]), Owner::User(1000));
            // Opened as an IPv6 address.
            let mapped = row("[::ffff:127.0.0.1]:5000", "[::ffff:127.0.0.1]:8080", "01", 1001, 3);
            assert_eq!(asked(&[table(&[&listener, &ours]), table(&[&mapped])]), Owner::User(1001));
            // Closed by its program.
            let closed = row(PEER, HERE, "05", 0, 0);
            assert_eq!(asked(&[table(&[&listener, &closed])]), Owner::Gone);
            assert_eq!(asked(&[table(&[&listener, &other])]), Owner::Gone);
            // Tables of another machine.
            assert_eq!(asked(&[table(&[&other])]), Owner::Unknown);
            assert_eq!(asked(&[]), Owner::Unknown);
        }

        #[test]
        fn rows_that_are_none_tell_nothing() {
            for text in
                ["x", "0: 0100007F 0:0 01", "0: 0100007:1F90 0100007F:1388 01 0 0 0 0 0 5", "é: é:1 é:2"]
            {
                assert_eq!(asked(&[text.to_owned()]), Owner::Unknown, "{text}");
            }
        }

        #[test]
        fn a_connection_of_ours_is_of_this_user() {
            let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
            let here = listener.local_addr().unwrap();
            let client = std::net::TcpStream::connect(here).unwrap();
            let (stream, peer) = listener.accept().unwrap();
            assert!(super::super::is_of_this_user(stream.local_addr().unwrap(), peer));
            drop(client);
        }
    }
}
