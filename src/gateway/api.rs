//! The API that a request is for, its address, and whether the body holds a conversation.

use std::str::FromStr;

use hyper::HeaderMap;
use reqwest::Url;

use super::access::is_loopback;
use crate::protocol::messages::Format;
use crate::sanitize::secrets;

/// The APIs of models.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Api {
    /// `/v1/messages` and related paths.
    Anthropic,
    /// `/v1/responses`, `/v1/chat/completions` and related paths.
    OpenAi,
    /// `/v1beta/models/…` and related paths.
    Gemini,
    /// The API that Gemini CLI uses after a login with Google: `/v1internal:…`.
    CodeAssist,
}

/// All APIs, with their names on the command line.
const API_NAMES: [(&str, Api); 4] = [
    ("anthropic", Api::Anthropic),
    ("openai", Api::OpenAi),
    ("gemini", Api::Gemini),
    ("code-assist", Api::CodeAssist),
];

/// The address for requests with a ChatGPT login in place of an API key.
const CHATGPT: &str = "https://chatgpt.com/backend-api/codex";
/// The header that shows such a login.
const CHATGPT_ACCOUNT: &str = "chatgpt-account-id";

/// The answer to a request whose path, host and headers name no API: the paths that [`Api::of`] knows.
const UNKNOWN_PATH: &str = "cannot tell which API this path is for; known are /v1/messages (anthropic), /v1/responses and \
     /v1/chat/completions (openai), /v1beta (gemini) and /v1internal (code-assist), and what is below them; `--upstream URL` \
     without the name of an API takes every path";

impl Api {
    /// The API that a path belongs to, or else the one that the host uses, or else the one that the headers show.
    /// Never a guess, which could send a key to another provider.
    fn of(path: &str, host: Option<Self>, headers: &HeaderMap) -> Option<Self> {
        let path = path.split('?').next().unwrap_or_default();
        let has = |part: &str| path.contains(part);
        let by_header = || {
            let names = [
                ("anthropic-version", Self::Anthropic),
                ("anthropic-beta", Self::Anthropic),
                ("x-api-key", Self::Anthropic),
                ("x-goog-api-key", Self::Gemini),
                (CHATGPT_ACCOUNT, Self::OpenAi),
            ];
            names.iter().find(|(name, _)| headers.contains_key(*name)).map(|(_, api)| *api)
        };
        if has("/v1internal") {
            Some(Self::CodeAssist)
        } else if has("/v1/messages") {
            Some(Self::Anthropic)
        } else if has("/v1beta")
            || has("/v1alpha")
            || has(":generateContent")
            || has(":streamGenerateContent")
        {
            Some(Self::Gemini)
        } else if has("/responses") || has("/chat/completions") {
            Some(Self::OpenAi)
        } else {
            host.or_else(by_header)
        }
    }

    /// Its default address.
    fn place(self) -> &'static str {
        match self {
            Self::Anthropic => "https://api.anthropic.com",
            Self::OpenAi => "https://api.openai.com/v1",
            Self::Gemini => "https://generativelanguage.googleapis.com",
            Self::CodeAssist => "https://cloudcode-pa.googleapis.com",
        }
    }

    /// The variable with which clients set its address.
    pub(super) fn variable(self) -> &'static str {
        match self {
            Self::Anthropic => "ANTHROPIC_BASE_URL",
            Self::OpenAi => "OPENAI_BASE_URL",
            Self::Gemini => "GOOGLE_GEMINI_BASE_URL",
            Self::CodeAssist => "CODE_ASSIST_ENDPOINT",
        }
    }

    /// The prefix of its paths on the gateway; the address of the API has its own.
    pub(super) fn prefix(self) -> &'static str {
        match self {
            Self::OpenAi => "/v1",
            _ => "",
        }
    }
}

/// An address that was given.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Given {
    /// The one API that it applies to; all if not set.
    api: Option<Api>,
    place: Url,
    /// Whether it replaces the whole base of a client, including the version.
    is_base: bool,
}

/// The address of each API.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Upstreams {
    given: Vec<Given>,
    /// The API of the host, if known.
    host: Option<Api>,
}

impl Upstreams {
    /// Adds an address from the command line: `URL`, or `API=URL` for one API. The path of a request is put after it.
    ///
    /// # Errors
    ///
    /// An unknown API, or no URL of `http` or `https`; the message names what is allowed.
    pub fn add(&mut self, text: &str) -> Result<(), String> {
        let api = text.split_once('=').and_then(|(name, rest)| {
            // A URL may hold a `=` too.
            (!name.contains([':', '/'])).then_some((name, rest))
        });
        let (api, url) = match api {
            None => (None, text),
            Some((name, url)) => match API_NAMES.iter().find(|(known, _)| *known == name) {
                Some((_, api)) => (Some(*api), url),
                None => {
                    let names = API_NAMES.map(|(name, _)| name).join(", ");
                    return Err(format!("`{name}` is not an API; allowed are {names}"));
                }
            },
        };
        self.given.push(Given { api, place: url_of(url)?, is_base: false });
        Ok(())
    }

    /// Adds the addresses that a client would use in this environment, since there may already be another gateway.
    ///
    /// # Errors
    ///
    /// A variable that holds no URL.
    pub fn add_environment(&mut self, variable: impl Fn(&str) -> Option<String>) -> Result<(), String> {
        for (_, api) in API_NAMES {
            let name = api.variable();
            let Some(text) = variable(name).filter(|text| !text.is_empty()) else { continue };
            let place = url_of(&text).map_err(|why| format!("{name}: {why}"))?;
            self.given.push(Given { api: Some(api), place, is_base: true });
        }
        Ok(())
    }

    /// The API that a host uses: requests with an unknown path are sent there.
    pub fn set_host(&mut self, api: Option<Api>) {
        self.host = api;
    }

    /// An address on this machine with this port, if there is one.
    pub(super) fn on_this_machine_at(&self, port: u16) -> Option<&str> {
        let is_own =
            |given: &&Given| is_near(&given.place) && given.place.port_or_known_default() == Some(port);
        self.given.iter().find(is_own).map(|given| given.place.as_str())
    }

    /// The URL that a request goes to. `path` is its path and query.
    pub(super) fn url(&self, path: &str, headers: &HeaderMap) -> Result<Url, String> {
        let api = Api::of(path, self.host, headers);
        let given = self.given.iter().find(|given| given.api.is_none() || given.api == api);
        let (place, is_base) = match (given, api) {
            (Some(given), _) => (given.place.as_str(), given.is_base),
            (None, None) => {
                return Err(UNKNOWN_PATH.to_owned());
            }
            (None, Some(api)) if api == Api::OpenAi && headers.contains_key(CHATGPT_ACCOUNT) => {
                (CHATGPT, true)
            }
            (None, Some(api)) => (api.place(), true),
        };
        let prefix = api.filter(|_| is_base).map_or("", Api::prefix);
        // The prefix is a whole segment: `/v1x` is another path, and `/v1@host` would name another host.
        let is_rest = |rest: &&str| rest.is_empty() || rest.starts_with(['/', '?']);
        let rest = path.strip_prefix(prefix).filter(is_rest).unwrap_or(path);
        if !is_rest(&rest) {
            return Err("a path starts with `/`".to_owned());
        }
        let url = format!("{}{rest}", place.trim_end_matches('/'));
        let url = Url::from_str(&url).map_err(|e| format!("the path cannot be put behind {place}: {e}"))?;
        // Whatever the path is, a key must not be sent to another host.
        let of = Url::from_str(place).map_err(|e| format!("{place}: {e}"))?;
        let is_same =
            url.origin() == of.origin() && (url.username(), url.password()) == (of.username(), of.password());
        if is_same { Ok(url) } else { Err(format!("the path leads away from {place}")) }
    }
}

/// Whether an address is on this machine.
pub(super) fn is_near(url: &Url) -> bool {
    let host = url.host_str().unwrap_or_default();
    let address = host.trim_start_matches('[').trim_end_matches(']').parse();
    host.eq_ignore_ascii_case("localhost") || address.is_ok_and(is_loopback)
}

fn url_of(text: &str) -> Result<Url, String> {
    let url = Url::from_str(text).map_err(|e| format!("`{text}` is not a URL of http or https: {e}"))?;
    if !matches!(url.scheme(), "http" | "https") || url.host().is_none() {
        return Err(format!("`{text}`: allowed are URLs of http and https"));
    }
    if url.query().is_some() || url.fragment().is_some() {
        return Err(format!("`{text}`: a place of an API has no query"));
    }
    Ok(url)
}

/// A path without its query, parameters and closing slashes, and with the letters, digits and marks of a name that
/// were written as escapes.
fn plain(path: &str) -> String {
    let path = path.split('?').next().unwrap_or_default();
    let mut out = String::with_capacity(path.len());
    for segment in path.split_inclusive('/') {
        let (name, end) = segment.strip_suffix('/').map_or((segment, ""), |name| (name, "/"));
        let mut rest = name.split(';').next().unwrap_or_default();
        while let Some((before, after)) = rest.split_once('%') {
            out.push_str(before);
            let code = after.get(..2).and_then(|digits| u8::from_str_radix(digits, 16).ok()).map(char::from);
            match code.filter(|c| c.is_ascii_alphanumeric() || "-._~:".contains(*c)) {
                Some(c) => {
                    out.push(c);
                    rest = &after[2..];
                }
                None => {
                    out.push('%');
                    rest = after;
                }
            }
        }
        out.push_str(rest);
        out.push_str(end);
    }
    out.truncate(out.trim_end_matches('/').len());
    out
}

/// Whether the body of a POST to this path may hold conversations, although its format is not known here, as for
/// batches.
pub(super) fn may_hold_conversations(path: &str) -> bool {
    let path = plain(path);
    ["/messages", "/responses", "/completions", ":batch", "enerateContent"]
        .iter()
        .any(|part| path.contains(part))
}

/// A path for a message: only names, without what may be a key. `None` if it has anything else.
pub(super) fn named(path: &str) -> Option<String> {
    const MAX_NAMED: usize = 80;
    let path = plain(path);
    let is_name = |c: char| c.is_ascii_alphanumeric() || "/-._:".contains(c);
    let is_short = |segment: &str| segment.len() <= MAX_NAMED / 2;
    let is_named = path.len() <= MAX_NAMED && path.chars().all(is_name) && path.split('/').all(is_short);
    (is_named && secrets::find(path.as_bytes()).is_empty()).then_some(path)
}

/// The format of the conversation in the body of a POST to this path; `None` if it has none.
pub(super) fn format_of(path: &str) -> Option<Format> {
    let path = plain(path);
    let ends = |names: &[&str]| names.iter().any(|name| path.ends_with(name));
    if ends(&["/messages", "/messages/count_tokens"]) {
        Some(Format::Anthropic)
    } else if ends(&["/responses", "/responses/compact", "/responses/input_tokens"]) {
        Some(Format::OpenaiResponses)
    } else if ends(&["/chat/completions"]) {
        Some(Format::OpenaiChat)
    } else if ends(&[":generateContent", ":streamGenerateContent", ":countTokens"]) {
        Some(Format::Gemini)
    } else {
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn headers(names: &[&'static str]) -> HeaderMap {
        names.iter().map(|name| (name.parse().unwrap(), "x".parse().unwrap())).collect()
    }

    #[test]
    fn paths_tell_the_format() {
        for (path, format) in [
            ("/v1/messages?beta=true", Some(Format::Anthropic)),
            ("/v1/messages/count_tokens", Some(Format::Anthropic)),
            ("/v1/responses", Some(Format::OpenaiResponses)),
            ("/v1/responses/compact", Some(Format::OpenaiResponses)),
            ("/v1/chat/completions", Some(Format::OpenaiChat)),
            ("/v1beta/models/m:streamGenerateContent?alt=sse", Some(Format::Gemini)),
            ("/v1internal:streamGenerateContent?alt=sse", Some(Format::Gemini)),
            ("/v1/models?x=/v1/messages", None),
            ("/v1/messages/batches", None),
            ("/v1/responses/resp_1", None),
            ("/v1/messages/?beta=true", Some(Format::Anthropic)),
            ("/v1/%6dessages", Some(Format::Anthropic)),
            ("/v1/m%65ssages;x/count_tokens;y=1", Some(Format::Anthropic)),
            ("/v1beta/models/m%3AgenerateContent//", Some(Format::Gemini)),
            ("/v1/messages%3Fx", None),
            ("/v1/messages%", None),
            ("/%", None),
            ("", None),
        ] {
            assert_eq!(format_of(path), format, "{path}");
        }
        for (path, may) in [
            ("/v1/messages/batches", true),
            ("/v1beta/models/m:batchGenerateContent?key=x", true),
            ("/v1/messages%3Fx", true),
            ("/v1/responses/resp_1/cancel", true),
            ("/v1/embeddings", false),
            ("/api/event_logging/batch", false),
        ] {
            assert_eq!(may_hold_conversations(path), may, "{path}");
        }
        assert_eq!(named("/v1/messages/batches/?key=x").as_deref(), Some("/v1/messages/batches"));
        assert_eq!(
            named("/v1beta/models/m:batchGenerateContent").as_deref(),
            Some("/v1beta/models/m:batchGenerateContent")
        );
        let token = format!("ghp_{}", &"a1B2c3D4e5F6g7H8i9J0".repeat(2)[..36]);
        for path in ["/v1/messages%3Fx".to_owned(), format!("/v1/{token}/messages/x"), "/a".repeat(99)] {
            assert_eq!(named(&path), None, "{path}");
        }
    }

    #[test]
    fn each_api_has_its_place() {
        let none = Upstreams::default();
        for (path, names, url) in [
            ("/v1/messages?beta=true", &[][..], "https://api.anthropic.com/v1/messages?beta=true"),
            ("/v1/models", &["anthropic-version"], "https://api.anthropic.com/v1/models"),
            (
                "/api/hello?x=/v1internal",
                &["anthropic-beta"],
                "https://api.anthropic.com/api/hello?x=/v1internal",
            ),
            ("/v1/responses", &[], "https://api.openai.com/v1/responses"),
            ("/v1/responses", &["chatgpt-account-id"], "https://chatgpt.com/backend-api/codex/responses"),
            (
                "/v1beta/models/m:generateContent",
                &[],
                "https://generativelanguage.googleapis.com/v1beta/models/m:generateContent",
            ),
            (
                "/v1internal:loadCodeAssist",
                &[],
                "https://cloudcode-pa.googleapis.com/v1internal:loadCodeAssist",
            ),
        ] {
            assert_eq!(none.url(path, &headers(names)).unwrap().as_str(), url);
        }
    }

    #[test]
    fn the_answer_to_an_unknown_path_names_paths_that_are_known() {
        let words = UNKNOWN_PATH.split([' ', ',']);
        let paths: Vec<&str> = words.filter(|word| word.starts_with('/')).collect();
        assert_eq!(paths.len(), 5);
        for path in paths {
            assert!(Api::of(path, None, &HeaderMap::new()).is_some(), "{path}");
        }
    }

    #[test]
    fn a_key_is_not_given_to_an_api_that_was_guessed() {
        let bearer = headers(&["authorization"]);
        let mut places = Upstreams::default();
        for path in ["/api/hello", "/v1/models", "/v1/files?x=/responses"] {
            places.set_host(None);
            assert_eq!(places.url(path, &bearer).unwrap_err(), UNKNOWN_PATH, "{path}");
            places.set_host(Some(Api::Anthropic));
            assert_eq!(
                places.url(path, &bearer).unwrap().as_str(),
                format!("https://api.anthropic.com{path}")
            );
        }
        places.add("http://localhost:1").unwrap();
        assert_eq!(places.url("/x", &bearer).unwrap().as_str(), "http://localhost:1/x");
    }

    #[test]
    fn no_path_leads_to_another_host() {
        let mut places = Upstreams::default();
        let variable = |name: &str| (name == "OPENAI_BASE_URL").then(|| "http://a.example".to_owned());
        places.add_environment(variable).unwrap();
        for path in [
            "/v1@b.example/responses",
            "/v1:x@b.example/responses",
            "/v1.b.example/responses",
            "/v1:81/responses",
            "/v1//b.example/responses",
            "/v1\\@b.example/responses",
            "//b.example/v1/responses",
            "/v1#@b.example/responses",
            "/v1%40b.example/responses",
            "@b.example/responses",
            ".b.example/responses",
            "http://b.example/responses",
        ] {
            let url = places.url(path, &headers(&[]));
            let is_there = |url: &Url| url.host_str() == Some("a.example") && url.port().is_none();
            assert!(url.as_ref().map_or(true, is_there), "{path}: {url:?}");
            assert!(url.as_ref().map_or(true, |url| url.username().is_empty()), "{path}: {url:?}");
        }
        for (path, url) in [
            ("/v1/responses", "http://a.example/responses"),
            ("/v1/responses?x=@b", "http://a.example/responses?x=@b"),
            ("/v1x/responses", "http://a.example/v1x/responses"),
        ] {
            assert_eq!(places.url(path, &headers(&[])).unwrap().as_str(), url);
        }
    }

    #[test]
    fn given_places_come_first_and_those_of_variables_are_whole_bases() {
        let mut given = Upstreams::default();
        given.add("openai=http://localhost:1/x/").unwrap();
        given
            .add_environment(|name| (name == "OPENAI_BASE_URL").then(|| "https://a.example/api".to_owned()))
            .unwrap();
        assert_eq!(
            given.url("/v1/responses", &headers(&[])).unwrap().as_str(),
            "http://localhost:1/x/v1/responses"
        );
        let mut of_variables = Upstreams::default();
        let variables = |name: &str| {
            let all = [
                ("OPENAI_BASE_URL", "https://a.example/api"),
                ("ANTHROPIC_BASE_URL", "https://b.example/claude/"),
            ];
            all.iter().find(|(known, _)| *known == name).map(|(_, url)| (*url).to_owned())
        };
        of_variables.add_environment(variables).unwrap();
        for (path, url) in [
            ("/v1/responses", "https://a.example/api/responses"),
            ("/v1/messages", "https://b.example/claude/v1/messages"),
            ("/v1beta/models", "https://generativelanguage.googleapis.com/v1beta/models"),
        ] {
            assert_eq!(of_variables.url(path, &headers(&[])).unwrap().as_str(), url);
        }
        let mut all = Upstreams::default();
        all.add("http://localhost:1").unwrap();
        assert_eq!(
            all.url("/v1beta/models", &headers(&[])).unwrap().as_str(),
            "http://localhost:1/v1beta/models"
        );
    }

    #[test]
    fn places_on_this_machine_are_told() {
        let mut given = Upstreams::default();
        given.add("openai=http://a.example:7").unwrap();
        for text in ["http://localhost:7/x", "http://127.0.0.1:7", "http://[::1]:7"] {
            assert_eq!(given.on_this_machine_at(7), None);
            assert!(is_near(&url_of(text).unwrap()), "{text}");
            given.add(text).unwrap();
            assert!(given.on_this_machine_at(7).is_some() && given.on_this_machine_at(8).is_none(), "{text}");
            given.given.pop();
        }
    }

    #[test]
    fn what_is_no_place_is_named() {
        let mut none = Upstreams::default();
        assert_eq!(
            none.add("mistral=https://a.example").unwrap_err(),
            "`mistral` is not an API; allowed are anthropic, openai, gemini, code-assist"
        );
        for text in ["example", "file:///etc", "https://a.example/?key=1"] {
            assert!(none.add(text).is_err(), "{text}");
        }
        assert!(
            none.add_environment(|_| Some("x".to_owned())).unwrap_err().starts_with("ANTHROPIC_BASE_URL: ")
        );
        assert_eq!(none, Upstreams::default());
    }
}
