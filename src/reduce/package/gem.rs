//! `bundle install` and `gem install`: fetches and documentation are left out, gems are named with their
//! versions; totals, messages and errors are kept.

use crate::reduce::Meta;
use crate::reduce::format::FormAction::{Hide, Named, Opens, Shows};
use crate::reduce::format::Format;
use crate::text::reason::Reason;

/// The reducer of this module.
pub static GEM: Format = Format::new(
    Meta {
        id: "gem",
        family: "package",
        reads: "`bundle install`, `update`, `gem install`, `gem update`",
        keeps: "the totals, messages of gems, platforms, native extensions that failed with their log, errors",
        omits: "fetches, documentation; gems that were installed or were there already are named",
        anchors: &[
            "Bundle complete!",
            "Bundle updated!",
            "Fetching gem metadata",
            "Successfully installed ",
            "gem installed",
            "gems installed",
            "Installing ",
        ],
    },
    &[
        "bundle",
        "bundle install",
        "bundle update",
        "bundle add",
        "bundler install",
        "gem install",
        "gem update",
    ],
    1,
    &[
        (r"Bundle (?:complete|updated)!.*", Shows),
        (r"\d+ gems? installed", Shows),
        (r"Successfully installed \S+", Shows),
        (r"(?:Gem::Ext::BuildError|ERROR: |An error occurred|Could not find).*", Opens),
        (r"Using (\S+ \d\S*)(?: \(was \d\S*\))?(?: from .*)?", Named(Reason::Satisfied)),
        (r"Installing (\S+ \d\S*(?: \([\w. -]+\))?)(?: with native extensions)?", Named(Reason::Packages)),
        (r"\d+:  \S+ \(\d\S*\) from /\S+", Hide(Reason::Progress)),
        (
            r"(?:(?:HTTP )?(?:GET|HEAD) https?://\S+|(?:HTTP )?(?:200|304) (?:OK|Not Modified)(?: https?://\S+)?|Downloading gem \S+\.gem)",
            Hide(Reason::Progress),
        ),
        (
            r"(?:/\S*/gems/[^/ ]+-\d[^/ ]*/\S+|Parsing sources\.\.\.|100% \[ *\d+/ *\d+\]  \S+)",
            Hide(Reason::Progress),
        ),
        (
            r"Fetching (?:gem metadata from .*|dependency metadata .*|source index .*|version metadata .*|\S+ \d\S*(?: \(.*\))?|\S+\.gem(?: \(\d+%\))?|http\S+)",
            Hide(Reason::Progress),
        ),
        (
            r"(?:Resolving dependencies\.*|Parsing documentation for .*|Installing ri documentation for .*|Done installing documentation for .*|Building native extensions.*|Rubygems \S+ is not threadsafe.*)",
            Hide(Reason::Progress),
        ),
        (
            r"(?:Use `bundle (?:info|show) \[gemname\]` .*|Updating installed gems|\d+ installed gems? you directly depend on (?:is|are) looking for funding\.|  Run `bundle fund` for details)",
            Hide(Reason::PackageHints),
        ),
    ],
);
