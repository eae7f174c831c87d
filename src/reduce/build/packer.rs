//! `packer build`: successful steps of the builder are left out; what provisioners print, errors and the
//! artifacts are kept.
//!
//! Lines as written by Packer 1.5 to 1.11; `-machine-readable` is another format and is left alone.

use crate::reduce::Meta;
use crate::reduce::format::FormAction::{Hide, Keep, Shows};
use crate::reduce::format::Format;
use crate::text::reason::Reason;

/// The reducer of this module.
pub static PACKER: Format = Format::new(
    Meta {
        id: "packer",
        family: "build",
        reads: "`packer build`",
        keeps: "what provisioners run and print, errors, how long builds took, artifacts",
        omits: "waits, transfers, temporary keys and groups, clean-up that succeeded",
        anchors: &[
            "output will be in this color",
            "==> Wait completed after",
            "==> Builds finished",
            "==> Some builds didn't complete",
        ],
    },
    &["packer build"],
    1,
    &[
        (r"Build '.*' (?:finished|errored) ?.*", Shows),
        (r"==> (?:Wait completed after|Builds finished|Some builds didn't complete).*", Shows),
        (r"--> .*", Shows),
        (r"\S+: output will be in this color\.", Hide(Reason::Progress)),
        (
            r"(?:==>|   ) \S+: (?:Waiting for|Prevalidating|Creating temporary|Authorizing access|Using (?:SSH|WinRM|ssh) communicator|Connected to (?:SSH|WinRM)|Stopping the source|Terminating the source|Cleaning up any|Deleting temporary|No volumes to clean up|Deleting (?:instance|disk|security)|Instance has been|Adding tags to|Launching a source|Download(?:ing|ed)|Retrieving|Trying http|Uploading|Found Image ID|Setting a \d|Typing the boot command|Detaching|Exporting|Pausing|Force stopping) ?.*",
            Hide(Reason::Progress),
        ),
        (r"(?:==>|   ) \S+: .*", Keep),
    ],
);
