//! Who may use the gateway: programs of the same user on this machine that use its own address.

use std::net::{IpAddr, SocketAddr};

use hyper::HeaderMap;
use hyper::header::{HOST, HeaderName};

/// The header in which browsers report the site of a page.
const FETCH_SITE: HeaderName = HeaderName::from_static("sec-fetch-site");

/// The program at the other end of a connection.
#[derive(Debug, Clone, Copy)]
pub(super) struct Client {
    pub(super) address: SocketAddr,
    /// Whether it may belong to the gateway's user.
    pub(super) is_of_this_user: bool,
}

/// Whether a request may be answered. A web page can resolve its own name to this machine (DNS rebinding); its requests carry
/// that name as `Host`. A page that asks for the address itself is recognised by `Sec-Fetch-Site`.
pub(super) fn is_allowed(client: Client, headers: &HeaderMap, port: u16) -> bool {
    let mut hosts = headers.get_all(HOST).iter();
    let (Some(host), None) = (hosts.next(), hosts.next()) else { return false };
    let Some((name, given)) = host.to_str().ok().and_then(|host| host.rsplit_once(':')) else { return false };
    let is_own = ["127.0.0.1", "localhost", "[::1]"].iter().any(|own| own.eq_ignore_ascii_case(name));
    let is_of_a_page =
        headers.get(FETCH_SITE).is_some_and(|site| site == "cross-site" || site == "same-site");
    client.is_of_this_user
        && is_loopback(client.address.ip())
        && is_own
        && given == port.to_string()
        && !is_of_a_page
}

/// Whether an address can only be reached from this machine.
pub fn is_loopback(address: IpAddr) -> bool {
    address.to_canonical().is_loopback()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn client(address: &str) -> Client {
        Client { address: address.parse().unwrap(), is_of_this_user: true }
    }

    fn headers(host: &str) -> HeaderMap {
        HeaderMap::from_iter([(HOST, host.parse().unwrap())])
    }

    #[test]
    fn only_this_machine_by_its_own_address_may_ask() {
        let here = client("127.0.0.1:5000");
        let mapped = client("[::ffff:127.0.0.1]:5000");
        let other = Client { is_of_this_user: false, ..here };
        for host in ["127.0.0.1:8080", "localhost:8080", "LocalHost:8080", "[::1]:8080"] {
            assert!(is_allowed(here, &headers(host), 8080), "{host}");
            assert!(is_allowed(mapped, &headers(host), 8080), "{host}");
            assert!(!is_allowed(client("192.0.2.1:5000"), &headers(host), 8080), "{host}");
            assert!(!is_allowed(other, &headers(host), 8080), "{host}");
        }
        for host in [
            "evil.example:8080",
            "localhost",
            "localhost:80",
            "127.0.0.1:8080.evil.example",
            "localhost:+8080",
            "",
        ] {
            assert!(!is_allowed(here, &headers(host), 8080), "{host}");
        }
        assert!(!is_allowed(here, &HeaderMap::new(), 8080));
        let mut twice = headers("localhost:8080");
        twice.append(HOST, "localhost:8080".parse().unwrap());
        assert!(!is_allowed(here, &twice, 8080));
    }

    #[test]
    fn pages_of_other_sites_may_not_ask() {
        let here = client("127.0.0.1:5000");
        for (site, allowed) in
            [("cross-site", false), ("same-site", false), ("none", true), ("same-origin", true)]
        {
            let mut headers = headers("127.0.0.1:8080");
            headers.append(FETCH_SITE, site.parse().unwrap());
            assert_eq!(is_allowed(here, &headers, 8080), allowed, "{site}");
        }
    }
}
