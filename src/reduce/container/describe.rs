//! `kubectl describe`: left out and named are fields without a value, tolerations and volumes that every pod gets,
//! and the copy of the last applied manifest. Status, conditions, containers that restart or wait, and the events are
//! kept.

use std::borrow::Cow;

use crate::reduce::Meta;
use crate::reduce::rows::{Place, Row, Rows, never};
use crate::text::reason::Reason;

/// The reducer of this module.
pub static DESCRIBE: Rows = Rows {
    meta: Meta {
        id: "kubectl_describe",
        family: "container",
        reads: "`kubectl describe`",
        keeps: "state, reasons, exit codes, conditions, images, all events, fields with a value",
        omits: "fields without a value, default tolerations, the volume of the service account, the last applied manifest; by name",
        anchors: &["Namespace:", "Labels:", "Annotations:", "Events:"],
    },
    commands: &["kubectl describe", "oc describe", "k describe", "microk8s kubectl describe"],
    unless: &[],
    asks: never,
    content: 0,
    read,
};

/// Fields for which a missing value is a fact worth showing.
const INFORMATIVE_IF_EMPTY: &[&str] = &[
    "Node",
    "IP",
    "IPs",
    "Endpoints",
    "Events",
    "Selector",
    "Status",
    "External IPs",
    "LoadBalancer Ingress",
    "Subsets",
    "Volume",
    "Claim",
    "Address",
    "Addresses",
    "Default backend",
    "Conditions",
    "Image",
    "Deletion",
    "Active Deadline Seconds",
    "Used By",
    "Mounted By",
    "StorageClass",
    "NewReplicaSet",
    "OldReplicaSets",
    "Last Schedule Time",
    "Host",
];

fn read<'a>(_: Place<'a>, line: &'a str) -> Row<'a> {
    // `Name:` starts each resource; fields inside are indented.
    if line.starts_with("Name: ") {
        return Row::Header;
    }
    let text = line.trim_start();
    if let Some(toleration) = default_toleration(text) {
        return Row::Hide(Reason::Defaults, toleration);
    }
    if text.starts_with("{\"apiVersion\":") && text.ends_with('}')
        || text.starts_with("kubectl.kubernetes.io/last-applied-configuration:")
    {
        return Row::Hide(Reason::Defaults, "last-applied-configuration".into());
    }
    if text.starts_with("/var/run/secrets/kubernetes.io/serviceaccount from ") && text.ends_with(" (ro)") {
        return Row::Hide(Reason::Defaults, "mount of the service account".into());
    }
    if is_token_volume(text) {
        return Row::Hide(Reason::Defaults, "volume of the service account".into());
    }
    match text.split_once(':') {
        Some((name, value)) if is_name(name) => match value.trim() {
            "<none>" | "<unset>" | "<nil>" if !INFORMATIVE_IF_EMPTY.contains(&name) => {
                Row::Hide(Reason::Defaults, name.into())
            }
            _ => Row::Keep,
        },
        _ => Row::Other,
    }
}

/// The name in the marker for a toleration that every pod has.
fn default_toleration(text: &str) -> Option<Cow<'static, str>> {
    let text = text.strip_prefix("Tolerations:").map_or(text, str::trim_start);
    let taint = text.strip_suffix(" op=Exists for 300s").or_else(|| text.strip_suffix(" for 300s"))?;
    matches!(taint, "node.kubernetes.io/not-ready:NoExecute" | "node.kubernetes.io/unreachable:NoExecute")
        .then_some("default toleration".into())
}

/// Lines of the volume `kube-api-access-…`, which every pod gets.
fn is_token_volume(text: &str) -> bool {
    let Some((name, value)) = text.split_once(':') else { return false };
    let value = value.trim();
    match name {
        "TokenExpirationSeconds" => value == "3607",
        "ConfigMapName" => value == "kube-root-ca.crt",
        "ConfigMapOptional" | "Optional" => value == "<nil>" || value == "false",
        "DownwardAPI" => value == "true",
        "Type" => value == "Projected (a volume that contains injected data from multiple sources)",
        _ => false,
    }
}

fn is_name(name: &str) -> bool {
    name.len() < 40
        && name.starts_with(|c: char| c.is_ascii_uppercase())
        && name.bytes().all(|b| b.is_ascii_alphanumeric() || b" -_/()".contains(&b))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::Mode;

    #[test]
    fn fields() {
        let of = |line| read(Place { header: "", mode: Mode::Standard }, line);
        let goes = |name: &'static str| Row::Hide(Reason::Defaults, name.into());
        assert_eq!(of("    Host Port:      <none>"), goes("Host Port"));
        assert_eq!(of("Node-Selectors:              <none>"), goes("Node-Selectors"));
        assert_eq!(
            of("Tolerations:                 node.kubernetes.io/not-ready:NoExecute op=Exists for 300s"),
            goes("default toleration")
        );
        for line in ["Node:             <none>", "Events:  <none>", "    Exit Code:    137", "IP: <none>"] {
            assert_eq!(of(line), Row::Keep, "{line}");
        }
        assert_eq!(of("  Warning  BackOff  2m  kubelet  Back-off restarting <none>"), Row::Other);
    }
}
