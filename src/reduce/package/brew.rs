//! `brew install`, `upgrade`, `update`, `uninstall`: downloads and clean-up are left out; what was installed,
//! caveats, warnings and errors are kept.

use crate::reduce::Meta;
use crate::reduce::format::FormAction::{Heads, Hide, Keep, Named, Shows};
use crate::reduce::format::Format;
use crate::text::reason::Reason;

/// The reducer of this module.
pub static BREW: Format = Format::new(
    Meta {
        id: "brew",
        family: "package",
        reads: "`brew install`, `upgrade`, `update`, `reinstall`, `uninstall`, `tap`",
        keeps: "cellar lines with versions and sizes, caveats, warnings, errors",
        omits: "downloads, fetches, bars, automatic updates with their news, and clean-up; poured bottles are named",
        anchors: &[
            "==> Downloading",
            "==> Fetching",
            "==> Pouring",
            "==> Installing",
            "==> Auto-updating",
            "==> Upgrading",
            "Already up-to-date.",
            "==> Updating Homebrew",
        ],
    },
    &[
        "brew install",
        "brew upgrade",
        "brew update",
        "brew reinstall",
        "brew uninstall",
        "brew tap",
        "brew bundle",
        "brew cleanup",
    ],
    1,
    &[
        (r"\xF0\x9F\x8D\xBA  .*", Shows),
        (r"==> Caveats", Keep),
        (r"==> New (?:Formulae|Casks)", Heads(Reason::PackageHints)),
        (r"==> (?:Upgrading|Installing|Summary|Uninstalling|Reinstalling).*", Keep),
        (r"==> Pouring (\S+?)(?:\.\w+)?\.bottle(?:\.\d+)?\.tar\.gz", Named(Reason::Packages)),
        (
            r"==> (?:Downloading|Downloaded|Fetching|Auto-updat|Updating Homebrew|Running `brew cleanup|Verifying|Purging).*",
            Hide(Reason::Progress),
        ),
        (
            r"(?:\xE2\x9C\x94(?:\xEF\xB8\x8E)?|\xE2\x8F\xB3) (?:Bottle Manifest|Bottle|Formula|Cask|JSON API|API Source|Resource|Patch) .*",
            Hide(Reason::Progress),
        ),
        (
            r"(?:Running `brew update --auto-update`\.\.\.|Already downloaded: .*|#+ +[\d.]+%.*|#=#=#.*|-=O=-.*)",
            Hide(Reason::Progress),
        ),
        (
            r"(?:Adjust how often this is run with|HOMEBREW_NO_AUTO_UPDATE\. |`\$HOMEBREW_NO_AUTO_UPDATE=1`\. |Disable this behaviour by setting|Hide these hints with|You have \d+ outdated (?:formula|cask)|Use `brew outdated|You can upgrade (?:it|them)|or list them with|Customize|`brew cleanup` has not been run).*",
            Hide(Reason::PackageHints),
        ),
        (r"(?:Warning|Error): .*", Shows),
        (r"(?:Already up-to-date\.|Updated \d+ taps? .*)", Shows),
    ],
);
