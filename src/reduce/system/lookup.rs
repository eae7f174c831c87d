//! `dig`: its own version, options and sizes are left out. Header, question, answers, authority, server, time
//! and every comment that warns are kept.

use crate::reduce::Meta;
use crate::reduce::format::FormAction::{Hide, Keep, Shows};
use crate::reduce::format::Format;
use crate::text::reason::Reason;

/// The reducer of this module.
pub static DIG: Format = Format::new(
    Meta {
        id: "dig",
        family: "system",
        reads: "`dig`, `delv`, `kdig`",
        keeps: "status and flags, question, all records, query time, server, warnings",
        omits: "the banner, global options, section rules without content, date and size of the message",
        anchors: &["<<>> DiG ", "->>HEADER<<-", ";; QUESTION SECTION:"],
    },
    &["dig", "kdig"],
    1,
    &[
        (r";; ->>HEADER<<-.*", Shows),
        (r";; (?:WARNING|Warning|connection|communications|no servers|Truncated|Transfer).*", Keep),
        (r"; <<>> DiG .*", Hide(Reason::ConnectionSteps)),
        (r"; ?\(\d+ servers? found\)", Hide(Reason::ConnectionSteps)),
        (r";; global options:.*", Hide(Reason::ConnectionSteps)),
        (r";; Got answer:", Hide(Reason::ConnectionSteps)),
        (r";; OPT PSEUDOSECTION:", Hide(Reason::ConnectionSteps)),
        (
            r"; EDNS: version: 0, flags:(?: do)?;(?: MBZ: 0x[0-9a-f]+ ?,)? udp: \d+",
            Hide(Reason::ConnectionSteps),
        ),
        (r"; COOKIE: [0-9a-f]+.*", Hide(Reason::ConnectionSteps)),
        (r";; WHEN: .*", Hide(Reason::ConnectionSteps)),
        (r";; MSG SIZE .*", Hide(Reason::ConnectionSteps)),
        (r";.*|\S+\s+\d+\s+(?:IN|CH)\s+[A-Z0-9]+\s.*", Keep),
    ],
);

/// `traceroute`: hops without an answer are left out; the numbers of the others show which ones.
pub static TRACEROUTE: Format = Format::new(
    Meta {
        id: "traceroute",
        family: "system",
        reads: "`traceroute`, `tracepath`, `mtr -r`",
        keeps: "every hop that answered, the last hop, error messages",
        omits: "hops without an answer",
        anchors: &["traceroute to ", "traceroute6 to ", " hops max"],
    },
    &["traceroute", "traceroute6"],
    1,
    &[
        (r"traceroute6? to .*", Shows),
        (r" *\d+  \* \* \*", Hide(Reason::NoReply)),
        (r" *\d+ {1,4}\*", Hide(Reason::NoReply)),
        (r" *\d+  .*", Keep),
    ],
);
