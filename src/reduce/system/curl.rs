//! `curl -v`: successful steps of a connection and notes on bytes are left out. The request, the status line,
//! all headers, the certificate, the body and every error message are kept.

use crate::reduce::Meta;
use crate::reduce::format::FormAction::{Hide, Keep, Shows, State};
use crate::reduce::format::Format;
use crate::text::reason::Reason;

/// The reducer of this module.
pub static CURL: Format = Format::new(
    Meta {
        id: "curl",
        family: "system",
        reads: "`curl -v`",
        keeps: "address, protocol and cipher, certificate, request, status line, headers, body, every error message",
        omits: "messages of the handshake, notes on bytes and buffers, the progress meter",
        anchors: &["< HTTP/", "* Connected to ", "*   Trying ", "* Host "],
    },
    &["curl"],
    2,
    &[
        (r"< HTTP/\d.*", Shows),
        (r"> [A-Z]+ \S+ HTTP/\d.*", Shows),
        (r"\* Connected to .*", Shows),
        (
            r"\* (?:SSL connection using|Server certificate|  ?(?:subject|issuer|expire date|start date|subjectAltName|SSL certificate verify)).*",
            Keep,
        ),
        (
            r"\* (?:\(\d+\) )?(?:TLS|SSL)v[\d.]+ \((?:IN|OUT)\), TLS (?:handshake|header|change cipher|alert, close|alert, Client hello|record|app|Unknown).*",
            Hide(Reason::ConnectionSteps),
        ),
        (r"[{}] \[\d+ bytes data\]", Hide(Reason::ConnectionSteps)),
        (
            r"\* +(?:CAfile|CApath|CRLfile): .*|\* +Certificate level \d+: .*|\* Cipher selection: .*|\* ALPN(?:, offering|: curl offers| curl offers).*|\* TCP_NODELAY set|\* successfully set certificate verify locations:|\* Mark bundle as .*|\* Using HTTP2, .*|\* Using Stream ID: .*|\* Copying HTTP/2 data .*|\* Connection state changed .*|\* \[HTTP/?[23]\].*|\* h2h3 \[.*|\* \[\d+\] \[.*|\* using HTTP/.*|\* old SSL session ID is stale, removing|\* Added \S+:\d+:\S+ to DNS cache|\* Request completely sent off|\* upload completely sent off.*|\* We are completely uploaded and fine|\* IPv[46]: (?:\(none\))|\* STATE: .*|\* Expire in .*|\* schannel: .*(?:sending|sent|encrypted).*",
            Hide(Reason::ConnectionSteps),
        ),
        (r"  % Total    % Received.*|  +Dload  Upload .*", Hide(Reason::Progress)),
        (
            r" *\d+ +[\d.]+[kMGT]? +\d+ +[\d.]+[kMGT]? +\d+ +[\d.]+[kMGT]? +[\d.]+[kMGT]? +[\d.]+[kMGT]? +\S+ +\S+ +\S+ +[\d.]+[kMGT]?",
            State,
        ),
        (r"[<>*] .*|[<>]", Keep),
    ],
);
