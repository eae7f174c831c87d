//! `sysctl -a`: settings of one interface that have the value of `default` are left out and counted by
//! interface.

use std::collections::{BTreeMap, BTreeSet};

use crate::input::{Claim, Input};
use crate::reduce::format::is_command;
use crate::reduce::{Meta, Reducer};
use crate::text::ledger::Reduction;
use crate::text::reason::Reason;

/// The reducer of this module.
pub struct KernelSettings;

static META: Meta = Meta {
    id: "sysctl",
    family: "system",
    reads: "`sysctl -a`",
    keeps: "every setting, those of an interface where they are not as `default` says",
    omits: "settings of an interface that are as `default` says; counted by interface",
    anchors: &[".default."],
};

impl Reducer for KernelSettings {
    fn meta(&self) -> &Meta {
        &META
    }

    fn claim(&self, input: &Input<'_>) -> Claim {
        let settings = input.source.lines().take(400).filter(|l| setting(l).is_some()).count();
        let command = &input.detection.command;
        match () {
            () if settings < 20 || command.is_filtered() => Claim::No,
            () if command.runs(|s| is_command(s, "sysctl")) => Claim::Command,
            () => Claim::No,
        }
    }

    fn reduce(&self, input: &Input<'_>) -> Result<Reduction, Reason> {
        let source = input.source;
        let mut defaults: BTreeSet<(&str, &str, &str)> = BTreeSet::new();
        for line in source.lines() {
            if let Some((name, value)) = setting(line)
                && let Some((family, "default", rest)) = of_interface(name)
            {
                defaults.insert((family, rest, value));
            }
        }
        let mut gone: Vec<usize> = Vec::new();
        let mut names: BTreeMap<&str, usize> = BTreeMap::new();
        for i in 0..source.len() {
            if let Some((name, value)) = setting(source.line(i))
                && let Some((family, interface, rest)) = of_interface(name)
                && !matches!(interface, "default" | "all")
                && defaults.contains(&(family, rest, value))
                && !interface.contains(['[', ']'])
            {
                *names.entry(interface).or_default() += 1;
                gone.push(i);
            }
        }
        if gone.is_empty() {
            return Err(Reason::NothingToDo);
        }
        let names: Vec<String> = names.iter().map(|(name, count)| format!("{count} {name}")).collect();
        let mut names = names.join(", ");
        let mut out = Reduction::default();
        for i in gone {
            out.omit_named(i..i + 1, Reason::Defaults, 1, &std::mem::take(&mut names));
        }
        Ok(out)
    }
}

/// `net.ipv4.tcp_rmem = 4096 131072 6291456`
fn setting(line: &str) -> Option<(&str, &str)> {
    let (name, value) = line.split_once(" = ").or_else(|| line.split_once(" ="))?;
    (name.contains('.') && !name.contains(' ')).then_some((name, value.trim()))
}

/// `net.ipv4.conf.eth0.forwarding` → `net.ipv4.conf`, `eth0`, `forwarding`.
fn of_interface(name: &str) -> Option<(&str, &str, &str)> {
    const FAMILIES: &[&str] =
        &["net.ipv4.conf.", "net.ipv6.conf.", "net.ipv4.neigh.", "net.ipv6.neigh.", "net.mpls.conf."];
    let family = FAMILIES.iter().find(|family| name.starts_with(**family))?;
    let (interface, rest) = name[family.len()..].rsplit_once('.')?;
    Some((family, interface, rest))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn settings_of_an_interface() {
        assert_eq!(setting("kernel.domainname ="), Some(("kernel.domainname", "")));
        assert_eq!(
            of_interface("net.ipv4.conf.eth0.1.forwarding"),
            Some(("net.ipv4.conf.", "eth0.1", "forwarding"))
        );
        assert_eq!(of_interface("net.core.somaxconn"), None);
    }
}
