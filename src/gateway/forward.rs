//! One request and its answer.

use std::sync::Arc;
use std::time::{Duration, Instant};

use http_body_util::combinators::BoxBody;
use http_body_util::{BodyExt, Full};
use hyper::body::{Body as _, Bytes, Incoming};
use hyper::header::{
    CONNECTION, CONTENT_ENCODING, CONTENT_LENGTH, CONTENT_TYPE, EXPECT, HOST, HeaderName, HeaderValue,
    UPGRADE,
};
use hyper::{HeaderMap, Method, Request, Response, StatusCode};

use super::Totals;
use super::access::{Client, is_allowed};
use super::api::{Upstreams, format_of, is_near, may_hold_conversations, named};
use super::body::{Compressed, Conversation, MAX_BODY_BYTES, NotDone, session};
use super::cache::LastRequests;
use super::coding::Coding;
use super::conversation::Turns;
use super::room::{BodyMemory, Unread};
use super::upgrade::{self, Answer};
use crate::engine::{Cancel, Engine};
use crate::protocol::messages::Format;

/// How long a request may wait for its results to be compressed; then it is passed on unchanged.
const COMPRESS_TIMEOUT: Duration = Duration::from_secs(10);

/// Headers for one connection, which are not passed on.
const OF_ONE_CONNECTION: [HeaderName; 8] = [
    CONNECTION,
    HeaderName::from_static("keep-alive"),
    HeaderName::from_static("proxy-authorization"),
    HeaderName::from_static("proxy-connection"),
    hyper::header::TE,
    hyper::header::TRAILER,
    hyper::header::TRANSFER_ENCODING,
    UPGRADE,
];

/// Clients for HTTP.
pub(super) struct Clients {
    /// For other machines, through the proxies that the environment names.
    pub(super) far: reqwest::Client,
    /// For this machine, without a proxy.
    pub(super) near: reqwest::Client,
}

/// The state that all connections share.
pub(super) struct Shared {
    pub(super) engine: Engine,
    pub(super) client: Clients,
    pub(super) upstreams: Upstreams,
    pub(super) port: u16,
    pub(super) turns: Turns,
    pub(super) totals: Totals,
    pub(super) room: BodyMemory,
    /// `None` if no results are removed from conversations.
    pub(super) last_requests: Option<LastRequests>,
}

/// Cancels work when nobody waits for it any more.
struct CancelOnDrop(Cancel);

impl Drop for CancelOnDrop {
    fn drop(&mut self) {
        self.0.cancel();
    }
}

impl Shared {
    /// Answers a request.
    pub(super) async fn answer(
        self: Arc<Self>,
        client: Client,
        mut request: Request<Incoming>,
    ) -> Response<Answer> {
        if !is_allowed(client, request.headers(), self.port) {
            let why =
                "only programs of the same user on this machine may use the gateway, at its own address";
            return failed(StatusCode::FORBIDDEN, "permission_error", why);
        }
        if request.method() == Method::CONNECT || request.uri().authority().is_some() {
            return failed(
                StatusCode::BAD_REQUEST,
                "invalid_request_error",
                "the gateway does not proxy other addresses",
            );
        }
        let path = request.uri().path_and_query().map_or("/", |path| path.as_str()).to_owned();
        let url = match self.upstreams.url(&path, request.headers()) {
            Ok(url) => url,
            Err(why) => return failed(StatusCode::BAD_REQUEST, "invalid_request_error", &why),
        };
        let place = url.origin().ascii_serialization();
        let wants_upgrade = upgrade::is_wanted(request.headers());
        let client_side = wants_upgrade.then(|| hyper::upgrade::on(&mut request));
        let (parts, incoming) = request.into_parts();
        let mut headers = passed_on(&parts.headers);
        headers.remove(HOST);
        headers.remove(EXPECT);
        headers.remove(CONTENT_LENGTH);
        let has_body = !incoming.is_end_stream();
        if !has_body && parts.headers.get(CONTENT_LENGTH).is_some_and(|length| length == "0") {
            // Some servers refuse a POST that says nothing about its length.
            headers.insert(CONTENT_LENGTH, HeaderValue::from_static("0"));
        }
        let client = if is_near(&url) { &self.client.near } else { &self.client.far };
        let mut out = client.request(parts.method.clone(), url);
        if wants_upgrade {
            upgrade::ask(&parts.headers, &mut headers);
        } else if let Some(format) = format_of(&path).filter(|_| parts.method == Method::POST) {
            let (body, is_new) = match self.body(format, &parts.headers, incoming).await {
                Ok(body) => body,
                Err(answer) => return answer,
            };
            if is_new {
                headers.remove(CONTENT_ENCODING);
            }
            out = out.body(body);
        } else if has_body {
            if parts.method == Method::POST && may_hold_conversations(&path) {
                self.totals.passed_at(named(&path));
            }
            // With its length, if known.
            out = out.body(reqwest::Body::wrap(incoming));
        }
        let answer = match out.headers(headers).send().await {
            Ok(answer) => answer,
            // The path may contain a key.
            Err(error) => {
                let why = format!("{place} could not be reached: {}", causes(&error.without_url()));
                return failed(StatusCode::BAD_GATEWAY, "api_error", &why);
            }
        };
        if let Some(client_side) = client_side.filter(|_| answer.status() == StatusCode::SWITCHING_PROTOCOLS)
        {
            return upgrade::joined(client_side, answer);
        }
        let (mut parts, body) = Response::<reqwest::Body>::from(answer).into_parts();
        parts.headers = passed_on(&parts.headers);
        parts.version = hyper::Version::HTTP_11;
        parts.extensions.clear();
        Response::from_parts(parts, BoxBody::new(body.map_err(Into::into)))
    }

    /// The body to forward for a request with a conversation, and whether it differs from the received one.
    async fn body(
        self: &Arc<Self>,
        format: Format,
        headers: &HeaderMap,
        incoming: Incoming,
    ) -> Result<(Bytes, bool), Response<Answer>> {
        let body = self.room.read(incoming).await.map_err(|why| match why {
            Unread::TooLong => {
                let why = format!("the body is damaged, or longer than {MAX_BODY_BYTES} bytes");
                failed(StatusCode::PAYLOAD_TOO_LARGE, "request_too_large", &why)
            }
            Unread::TooSlow => failed(
                StatusCode::REQUEST_TIMEOUT,
                "invalid_request_error",
                "the body did not come to its end",
            ),
            Unread::NoRoom => {
                let why = "too many large bodies at the same time; try again";
                failed(StatusCode::SERVICE_UNAVAILABLE, "overloaded_error", why)
            }
        })?;
        let new = self
            .compressed(format, headers, &body.bytes)
            .await
            .map_err(|why| failed(StatusCode::BAD_REQUEST, "invalid_request_error", &why))?;
        Ok(new.map_or((body.bytes, false), |new| (new.into(), true)))
    }

    /// The body with its results compressed; `None` if it is forwarded unchanged. The error gives the reason why it
    /// must not be forwarded.
    async fn compressed(
        self: &Arc<Self>,
        format: Format,
        headers: &HeaderMap,
        body: &Bytes,
    ) -> Result<Option<Vec<u8>>, String> {
        match self.try_compressed(format, headers, body).await {
            Some(Ok(done)) => {
                self.totals.compressed(done.tokens);
                Ok(done.body)
            }
            Some(Err(NotDone::Refused(why))) => Err(why),
            Some(Err(NotDone::Other)) | None => {
                if !body.is_empty() {
                    self.totals.passed();
                }
                Ok(None)
            }
        }
    }

    async fn try_compressed(
        self: &Arc<Self>,
        format: Format,
        headers: &HeaderMap,
        body: &Bytes,
    ) -> Option<Result<Compressed, NotDone>> {
        let coding = Coding::of(headers)?;
        let cancel = Cancel::default();
        // Also when the client disconnects.
        let _guard = CancelOnDrop(cancel.clone());
        let (shared, headers, body) = (Arc::clone(self), headers.clone(), body.clone());
        let work = async move {
            let read = tokio::task::spawn_blocking(move || {
                let text = match coding {
                    Coding::Identity => body,
                    _ => coding.decoded(&body, MAX_BODY_BYTES)?.into(),
                };
                let session = session(&Conversation::of(format, &text)?, &headers);
                Some((text, session))
            });
            let (text, session): (Bytes, String) = read.await.ok()??;
            let turn = shared.turns.of(&session);
            let _turn = turn.lock().await;
            let shared = Arc::clone(&shared);
            let work = tokio::task::spawn_blocking(move || {
                let found = Conversation::of(format, &text)?;
                let last = shared.last_requests.as_ref();
                let terms = last.map(|last| last.terms(&session, format, &text, Instant::now()));
                Some(found.compressed(&shared.engine, session, terms, &text, &cancel))
            });
            work.await.ok()?
        };
        tokio::time::timeout(COMPRESS_TIMEOUT, work).await.ok()?
    }
}

/// Headers without those for one connection.
fn passed_on(headers: &HeaderMap) -> HeaderMap {
    let mut out = headers.clone();
    for value in headers.get_all(CONNECTION) {
        let names = value.to_str().unwrap_or_default().split(',');
        for name in names.filter_map(|name| name.trim().parse::<HeaderName>().ok()) {
            out.remove(name);
        }
    }
    for name in OF_ONE_CONNECTION {
        out.remove(name);
    }
    out
}

/// An error of the gateway itself, in the form that the APIs share.
pub(super) fn failed(status: StatusCode, kind: &str, why: &str) -> Response<Answer> {
    let body = serde_json::json!({
        "type": "error",
        "error": { "type": kind, "code": status.as_u16(), "message": format!("tersed gateway: {why}") },
    });
    let body = Full::new(Bytes::from(body.to_string())).map_err(|never| match never {});
    let mut answer = Response::new(BoxBody::new(body));
    *answer.status_mut() = status;
    answer.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
    answer
}

/// An error and its causes, in one line.
fn causes(error: &dyn std::error::Error) -> String {
    let mut out = error.to_string();
    let mut next = error.source();
    while let Some(cause) = next {
        out += ": ";
        out += &cause.to_string();
        next = cause.source();
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headers_of_one_connection_end_here() {
        let all = [
            ("connection", "close, X-One"),
            ("x-one", "1"),
            ("authorization", "Bearer x"),
            ("transfer-encoding", "chunked"),
            ("x-two", "2"),
        ];
        let all = all.map(|(name, value)| (name.parse().unwrap(), value.parse().unwrap()));
        let kept = passed_on(&HeaderMap::from_iter(all));
        let names: Vec<&str> = kept.keys().map(HeaderName::as_str).collect();
        assert_eq!(names, ["authorization", "x-two"]);
    }
}
