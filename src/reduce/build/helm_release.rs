//! `helm install`, `upgrade`, `rollback`, `status`, `test`, `lint`, `dependency` and `repo update`: progress messages
//! of `--debug` and names of updated repositories are left out; the release, its notes, findings and errors are kept.
//!
//! Lines as written by Helm 3. Manifests (`helm template`, `helm get manifest`) are YAML and are left alone.

use crate::reduce::Meta;
use crate::reduce::format::FormAction::{Hide, Keep, Shows, State};
use crate::reduce::format::Format;
use crate::text::reason::Reason;

/// The reducer of this module.
pub static HELM_RELEASE: Format = Format::new(
    Meta {
        id: "helm_release",
        family: "build",
        reads: "`helm install`, `helm upgrade`, `helm rollback`, `helm status`, `helm test`, `helm lint`, `helm dependency`, `helm repo update`",
        keeps: "name, status, revision, resources and notes of the release, hooks, tests, every finding of the lint, warnings, errors, totals",
        omits: "debug lines of steps under way, waits for resources but for the last, repositories that were read",
        anchors: &["LAST DEPLOYED: ", "==> Linting ", "Happy Helming!", "[debug] ", "chart repositories..."],
    },
    &[
        "helm install",
        "helm upgrade",
        "helm rollback",
        "helm status",
        "helm test",
        "helm lint",
        "helm dependency",
        "helm dep",
        "helm repo update",
    ],
    2,
    &[
        (r"(?:NAME|LAST DEPLOYED|NAMESPACE|STATUS|REVISION|TEST SUITE|DESCRIPTION): .*", Shows),
        (r"(?:NOTES|HOOKS|MANIFEST|RESOURCES|USER-SUPPLIED VALUES|COMPUTED VALUES):", Keep),
        (r"Release .* has been (?:upgraded|installed|rolled back)\..*", Shows),
        (r"Rollback was a success!.*", Shows),
        (r"==> Linting .*", Shows),
        (r"==> v\d\S*/\S+", Shows),
        (r"(?:Last Started|Last Completed|Phase): .*", Keep),
        (r"\[(?:INFO|WARNING|ERROR)\] .*", Keep),
        (r"\d+ chart\(s\) linted, .*", Shows),
        (r"Update Complete\. .*", Shows),
        (r"Hang tight while we grab the latest.*", Hide(Reason::Progress)),
        (r"\.\.\.Successfully got an update from the .*", Hide(Reason::Progress)),
        // What Helm waits for: `Deployment is not ready: …`, `Service does not have cluster IP address: …`.
        (r"ready\.go:\d+: .*\[debug\] .*", State),
        (r"wait\.go:\d+: .*\[debug\] .*(?:not ready|expected).*", State),
        (r"\w+\.go:\d+: (?:\d{4}-\S+ \S+ (?:[+-]\d+ \w+ )?(?:m=\S+ )?)?\[debug\] .*", Hide(Reason::Progress)),
        (r"Saving \d+ charts?", Keep),
        (r"Deleting outdated charts", Hide(Reason::Progress)),
    ],
);
