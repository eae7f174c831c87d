//! `pipenv install`, `lock`, `sync`, `update`, `uninstall`: steps are left out; what was installed or locked,
//! warnings and errors are kept.

use crate::reduce::Meta;
use crate::reduce::format::FormAction::{Hide, Keep, Shows, State};
use crate::reduce::format::Format;
use crate::text::reason::Reason;

/// The reducer of this module.
pub static PIPENV: Format = Format::new(
    Meta {
        id: "pipenv",
        family: "package",
        reads: "`pipenv install`, `lock`, `sync`, `update`, `uninstall`",
        keeps: "requested packages, lock hashes, results, conflicts, errors",
        omits: "locking and virtualenv steps that succeeded, hints on the shell",
        anchors: &["Pipfile", "pipenv"],
    },
    &["pipenv install", "pipenv lock", "pipenv sync", "pipenv update", "pipenv uninstall", "pipenv upgrade"],
    2,
    &[
        (r"(?:.{1,5} )?Success(?:ful|fully)?!? ?.*(?:creat|Lock|install|Install).*", Keep),
        (r"(?:Updated|Building requirements.*|Success!) Pipfile\.lock.*|Updated Pipfile\.lock .*", Shows),
        (r"Installing dependencies from Pipfile\.lock.*", Shows),
        (r"Installing \S+\.\.\.", Shows),
        (r"(?:Pipfile\.lock .*|All dependencies are now up-to-date!)", Shows),
        (
            r"(?:Locking|Resolving|Building|Creating|Adding|Installing|Verifying|Sorting) .*\.\.\.",
            Hide(Reason::Progress),
        ),
        (
            r".{0,8}(?:Locking|Resolving|Building|Creating|Adding|Installing|Verifying|Initializing)[^.]*\.\.\.",
            State,
        ),
        (
            r"(?:Loading \.env environment variables|Courtesy Notice|Using .* to create virtualenv|created virtual environment |  creator |  seeder |    added seed packages|  activators |Virtualenv location: |Virtualenv already exists|Pipfile found|Using default python|Requirements file .* found).*",
            Hide(Reason::Progress),
        ),
        (
            r"(?:To activate this project's virtualenv, run pipenv shell\.|Alternatively, run a command inside the virtualenv with pipenv run\.|  ?.{1,5}   .*PYPROJECT.*)",
            Hide(Reason::PackageHints),
        ),
    ],
);
