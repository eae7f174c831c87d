//! Connections that change to another protocol, such as WebSocket: their bytes are passed on in both directions.

use http_body_util::combinators::BoxBody;
use http_body_util::{BodyExt, Empty};
use hyper::body::Bytes;
use hyper::header::{CONNECTION, UPGRADE};
use hyper::upgrade::OnUpgrade;
use hyper::{HeaderMap, Response};
use hyper_util::rt::TokioIo;

/// The body of an answer.
pub(super) type Answer = BoxBody<Bytes, Box<dyn std::error::Error + Send + Sync>>;

/// Whether a client asks for another protocol.
pub(super) fn is_wanted(headers: &HeaderMap) -> bool {
    let named = |value: &hyper::header::HeaderValue| {
        value
            .to_str()
            .is_ok_and(|value| value.split(',').any(|name| name.trim().eq_ignore_ascii_case("upgrade")))
    };
    headers.contains_key(UPGRADE) && headers.get_all(CONNECTION).iter().any(named)
}

/// Adds the request for the upgrade to headers that are passed on.
pub(super) fn ask(from: &HeaderMap, to: &mut HeaderMap) {
    for value in from.get_all(UPGRADE) {
        to.append(UPGRADE, value.clone());
    }
    to.insert(CONNECTION, hyper::header::HeaderValue::from_static("upgrade"));
}

/// Joins the two sides, and tells the client that the other side agreed.
pub(super) fn joined(client_side: OnUpgrade, answer: reqwest::Response) -> Response<Answer> {
    let mut out = Response::new(Answer::new(Empty::new().map_err(|never| match never {})));
    *out.status_mut() = answer.status();
    *out.headers_mut() = answer.headers().clone();
    tokio::spawn(async move {
        let (Ok(client), Ok(mut server)) = tokio::join!(client_side, answer.upgrade()) else { return };
        // Either side may end it.
        let _ = tokio::io::copy_bidirectional(&mut TokioIo::new(client), &mut server).await;
    });
    out
}
