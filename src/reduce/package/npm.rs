//! `npm install`, `ci`, `audit` and similar commands: npm's own messages at higher log levels, funding notices and
//! advice are left out; counts, vulnerabilities, deprecations, peer conflicts and errors are kept.
//!
//! Lines as written by npm 6 to 11. A request with another status than 200 is kept.

use crate::reduce::Meta;
use crate::reduce::format::FormAction::{Hide, Keep, Shows, State};
use crate::reduce::format::Format;
use crate::text::reason::Reason;

/// The reducer of this module.
pub static NPM: Format = Format::new(
    Meta {
        id: "npm",
        family: "package",
        reads: "`npm install`, `ci`, `audit`, `update`, `uninstall` of npm 6 to 11, also verbose",
        keeps: "added, removed and audited counts, vulnerabilities, `npm warn` lines with names, conflicts, scripts that ran, errors",
        omits: "verbose, timing and http lines of requests that succeeded, funding and update notices, advice on `npm audit fix`",
        anchors: &[
            "npm warn ",
            "npm WARN ",
            "npm error ",
            "npm ERR!",
            "npm verb",
            "npm http",
            "npm info",
            " packages in ",
            " package in ",
            " vulnerabilities",
            "looking for funding",
            "up to date",
        ],
    },
    &[
        "npm install",
        "npm i",
        "npm ci",
        "npm add",
        "npm update",
        "npm upgrade",
        "npm up",
        "npm uninstall",
        "npm remove",
        "npm rm",
        "npm audit",
        "npm prune",
        "npm dedupe",
        "npm rebuild",
        "npm clean-install",
        "npm install-test",
        "npm it",
        "npm link",
    ],
    2,
    &[
        (r"npm (?:error|ERR!)(?: .*)?", Shows),
        (r"npm (?:warn|WARN) deprecated .*", Shows),
        (r"npm (?:warn|WARN)(?: .*)?", Keep),
        (r"(?:added|removed|changed|updated) \d+ packages?.*", Shows),
        (r"up to date(?:,? .*)?", Shows),
        (r"audited \d+ packages? in .*", Shows),
        (r"found \d+ .*vulnerabilit.*", Shows),
        (r"\d+ (?:(?:low|moderate|high|critical|info) severity )?vulnerabilit.*", Shows),
        (r"# npm audit report", Shows),
        (r"Severity: .*", Keep),
        (r"\+ \S+@\S+", Keep),
        (r"npm http (?:fetch GET 200|cache) .*", Hide(Reason::Progress)),
        (r"npm http .*", Keep),
        (r"npm (?:verb|verbose) (?:stack|code|errno|exit|pkgid) .*", Keep),
        // A script that a package runs; the line of its end has the code.
        (r"npm info run \S+@\S+ \S+ \{ code: 0, .*", Hide(Reason::Progress)),
        (r"npm info run \S+@\S+ .*", Keep),
        (r"npm (?:verb|verbose|sill|silly|timing|info)(?: .*)?", Hide(Reason::Progress)),
        (
            r"npm (?:notice)(?: +(?:New .*version of npm.*|Changelog: .*|Run .*npm install.*|To update run: .*))?",
            Hide(Reason::PackageHints),
        ),
        (r"(?:\d+ packages? (?:is|are)|\d+ packages) looking for funding", Hide(Reason::PackageHints)),
        (r"  run `npm fund` for details", Hide(Reason::PackageHints)),
        (
            r"(?:To address .*, run:|Some issues need review, and may require choosing|a different dependency\.|  npm audit fix(?: --force)?|Run `npm audit` for details\.|  run `npm audit fix` to fix them, or `npm audit` for details)",
            Hide(Reason::PackageHints),
        ),
        (
            r"(?:\[.*\] .|.) (?:idealTree|reify|fetchMetadata|extract|rollbackFailedOptional|loadDep|diffTrees|finalize)[:\w.-]*: .*",
            State,
        ),
    ],
);
