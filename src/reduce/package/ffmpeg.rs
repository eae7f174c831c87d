//! `ffmpeg` and `ffprobe`: the banner, progress lines and encoder statistics are left out; streams, mapping, the last
//! progress line and errors are kept.

use crate::reduce::Meta;
use crate::reduce::format::FormAction::{Hide, Shows, State};
use crate::reduce::format::Format;
use crate::text::reason::Reason;

/// The reducer of this module.
pub static FFMPEG: Format = Format::new(
    Meta {
        id: "ffmpeg",
        family: "package",
        reads: "`ffmpeg`, `ffprobe`, `ffplay`",
        keeps: "the version, inputs, outputs, streams, durations, the mapping, the last state, messages, errors",
        omits: "how it was built, library versions, running states, brands and handlers, statistics of x264 and x265",
        anchors: &["ffmpeg version ", "ffprobe version ", "Stream mapping:", "  configuration: "],
    },
    &["ffmpeg", "ffprobe", "ffplay"],
    2,
    &[
        (r"ff(?:mpeg|probe|play) version .*", Shows),
        (r"(?:Input|Output) #\d+, .*", Shows),
        (r"(?:Stream mapping:|  Duration: .*| +Stream #.*)", Shows),
        (r"  built (?:with|on) .*", Hide(Reason::ToolHints)),
        (r"  configuration: .*", Hide(Reason::ToolHints)),
        (r"  lib\w+ +\d+\. *\d+\. *\d+ / +\d+\. *\d+\. *\d+", Hide(Reason::ToolHints)),
        (r"(?:Press \[q\] to stop, \[\?\] for help|Press \[q\] to stop.*)", Hide(Reason::Progress)),
        (r"(?:frame|size)= *\S+ .*Lsize=.*", Shows),
        (r"(?:frame|size)= *\S+ .*(?:time|bitrate)=.*", State),
        (
            r" +(?:major_brand|minor_version|compatible_brands|handler_name|vendor_id) *: .*",
            Hide(Reason::Progress),
        ),
        (r" +(?:Side data:|cpb: bitrate.*)", Hide(Reason::Progress)),
        (
            r"\[libx26[45] @ 0x[0-9a-f]+\] (?:using cpu capabilities|264 - core|frame [IPB]:|mb [IPB] |consecutive B-frames|8x8 transform|coded y|i16 v|i8 v|i4 v|i8c dc|Weighted P|ref [PB] L|direct mvs).*",
            Hide(Reason::Progress),
        ),
    ],
);
