//! tox and nox: the setup of environments is left out; the commands of a session, how it ended and the summary are
//! kept.
//!
//! Lines as written by tox 3 and 4 and nox. The output of the commands belongs to other reducers, which come first:
//! this one claims by content only, and the test runners are listed before it.

use crate::reduce::Meta;
use crate::reduce::format::FormAction::{Hide, Keep, Shows};
use crate::reduce::format::Format;
use crate::text::reason::Reason;

/// The reducer of this module.
pub static TOX: Format = Format::new(
    Meta {
        id: "tox",
        family: "test",
        reads: "what tox 3 and 4 and nox write around the commands that they run",
        keeps: "commands that were run, failures, exit codes, the verdict of every environment, the summary",
        omits: "environments that are created, packages that are built and installed into them",
        anchors: &[
            "congratulations :)",
            "evaluation failed :(",
            " summary ___",
            "nox > ",
            ": commands succeeded",
            ": commands failed",
            " commands[0]",
        ],
    },
    &[],
    2,
    &[
        (
            r"nox > (?:Creating virtual environment|Re-using existing virtual environment|Reusing existing virtual environment) .*",
            Hide(Reason::Progress),
        ),
        (r"nox > (?:python -m pip|uv pip|conda|mamba) install .*", Hide(Reason::Progress)),
        (r"nox > .*", Shows),
        (
            r"[\w.,-]+: (?:_optional_hooks|get_requires_for_build_\w+|prepare_metadata_for_build_\w+|build_wheel|build_sdist|build_editable|install_package_deps|install_package|install_deps|install_dep_groups|install_requires|freeze|recreate env because|remove tox env folder|find interpreter for spec|proposed)\b.*",
            Hide(Reason::Progress),
        ),
        (
            r"[\w.,-]+ (?:create|recreate|inst|installdeps|inst-nodeps|develop-inst|develop-inst-noop|inst-noop|wheel-make|sdist-make|finish|start): .*",
            Hide(Reason::Progress),
        ),
        (r"GLOB sdist-make: .*", Hide(Reason::Progress)),
        (r"[\w.,-]+ installed: .*", Keep),
        (r"[\w.,-]+(?: run-test(?:-pre)?)?: (?:commands(?:_pre|_post)?\[\d+\]|PYTHONHASHSEED).*", Shows),
        (r"[\w.,-]+: (?:OK|FAIL|SKIP|exit -?\d+|skipped because|failed with|IGNORED FAIL).*", Shows),
        (
            r"(?:ERROR:?)? +[\w.,-]+: (?:OK|FAIL|SKIP|commands (?:succeeded|failed)|InterpreterNotFound|skipped tests|ignored failed command|could not install).*",
            Shows,
        ),
        (r"ERROR: .*", Keep),
        (r"_+ summary _+", Shows),
        (r"_+ \S+ _+", Keep),
        (r"  (?:congratulations :\)|evaluation failed :\().*", Shows),
    ],
);
