//! `pulumi up`, `preview`, `destroy`: the line that says that work on a resource started is left out, since another
//! line reports its outcome. Diagnostics, outputs, counts and times are kept.

use crate::reduce::Meta;
use crate::reduce::format::FormAction::{Hide, Keep, Shows, State};
use crate::reduce::format::Format;
use crate::text::reason::Reason;

/// The reducer of this module.
pub static PULUMI: Format = Format::new(
    Meta {
        id: "pulumi",
        family: "container",
        reads: "`pulumi up`, `preview`, `destroy`, `refresh`",
        keeps: "what was created, updated, deleted, replaced or failed, diagnostics, outputs, counts, duration",
        omits: "resources that are being worked on, dots of progress, unchanged resources in a refresh",
        anchors: &[
            "pulumi:pulumi:Stack",
            "@ updating",
            "@ previewing",
            "@ Updating",
            "@ Previewing",
            "Previewing update",
        ],
    },
    &["pulumi"],
    2,
    &[
        (r"(?:Previewing|Updating|Destroying|Refreshing)(?: \w+)? \(.*\):?", Shows),
        (
            r"@ (?:previewing|updating|destroying|refreshing|Previewing|Updating|Destroying|Refreshing) ?\w*\.*",
            Hide(Reason::Progress),
        ),
        (r"Diagnostics:|Outputs:|Resources:|Duration: .*", Shows),
        (
            r" *(?:\+|-|~|\+\+|--|\+-|-\+)? +\S+:\S+ +\S+ +(?:creating|updating|deleting|replacing|reading|refreshing|creating replacement|deleting original) ?\(\d+s\).*",
            State,
        ),
        (
            r" *(?:\+|-|~|\+\+|--|\+-|-\+)? *(?:\xE2\x94[\x80-\xBF] ?)*\S+:\S+ +\S+ +(?:created|updated|deleted|replaced|create|update|delete|replace|created replacement|deleted original).*",
            Keep,
        ),
        (r" *\S+:\S+ +\S+ +running", Hide(Reason::Progress)),
        (r" *\.+", Hide(Reason::Progress)),
    ],
);
