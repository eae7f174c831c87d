//! `docker build`, `buildx` and `compose build` with the classic builder and BuildKit, and `podman build`: a
//! successful step keeps its title and outcome, a failed step is kept whole.
//!
//! Grammar, BuildKit (plain): `#7 [2/5] RUN …`, then `#7 0.312 output`, `#7 sha256:… 1MB / 3MB`, and `#7 DONE 1.2s`,
//! `#7 CACHED` or `#7 ERROR: …`; parallel steps take turns, and each turn repeats the title of its step. Classic:
//! `Step 1/9 : RUN …` (buildah: `[1/2] STEP 1/9: RUN …`), ` ---> …`, output, until the next step or
//! `Successfully built`. BuildKit on a terminal: ` => [2/5] RUN …   1.2s`, with ` => => …` for the parts of a step.
//! Warnings and lines after the steps are always kept.

use std::collections::BTreeMap;

use crate::detect::command::Simple;
use crate::input::Input;
use crate::reduce::line_actions::{Blanks, LineActions};
use crate::reduce::lines::leading_number;
use crate::reduce::{FormatProof, Meta, Reducer};
use crate::text::ledger::Reduction;
use crate::text::reason::Reason;
use crate::text::source::Source;

/// The reducer of this module.
pub struct DockerBuild;

static META: Meta = Meta {
    id: "docker_build",
    family: "package",
    reads: "`docker build`, `docker buildx build`, `docker compose build`, `podman build`: BuildKit in plain form, classic",
    keeps: "titles and outcomes of all steps, failing steps whole, warnings, names and digests of images, errors",
    omits: "the output of steps that succeeded, transfers, layers, repeated titles",
    anchors: &[
        "#0 building with ",
        "#1 [",
        "#2 [",
        "#3 [",
        "Step 1/",
        "STEP 1",
        "#4 [",
        "[internal] load ",
        "[+] Building ",
    ],
};

/// How a step of BuildKit ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum End {
    Succeeded,
    Failed,
}

impl Reducer for DockerBuild {
    fn meta(&self) -> &'static Meta {
        &META
    }

    fn proof(&self, input: &Input<'_>) -> FormatProof {
        let mut titles = 0;
        let mut ends = 0;
        for line in input.source.lines() {
            match vertex(line) {
                Some((_, rest)) => {
                    titles += usize::from(is_title(rest));
                    ends += usize::from(end(rest).is_some());
                }
                None => titles += usize::from(classic(line)),
            }
            if let Some(step) = on_terminal(line) {
                titles += usize::from(is_title(step));
                ends += usize::from(step.starts_with("=> "));
            }
            if line.starts_with(" ---> ") || line.starts_with("--> ") {
                ends += 1;
            }
        }
        FormatProof::of(titles > 0, titles >= 2 && ends >= 1)
    }

    fn is_writer(&self, s: &Simple) -> bool {
        matches!(s.program(), "docker" | "podman" | "buildah" | "docker-compose" | "nerdctl")
    }

    fn reduce(&self, input: &Input<'_>) -> Result<Reduction, Reason> {
        let source = input.source;
        let mut actions = LineActions::new(source);
        buildkit(source, &mut actions);
        steps(source, &mut actions);
        for (i, step) in source.lines().enumerate().filter_map(|(i, line)| Some((i, on_terminal(line)?))) {
            if is_passed(step) {
                actions.omit_unless_failure(i, Reason::Progress, 1);
            }
        }
        actions.keep_last().finish(Blanks::Between)
    }
}

/// `#12 rest`: the number and the rest.
fn vertex(line: &str) -> Option<(usize, &str)> {
    let (number, rest) = leading_number(line.strip_prefix('#')?)?;
    Some((number, rest.strip_prefix(' ')?))
}

/// `[internal] load …`, `[2/5] RUN …`, `[web build 3/7] COPY …`, `exporting to image`
fn is_title(rest: &str) -> bool {
    let in_brackets = rest.strip_prefix('[').and_then(|r| r.split_once("] ")).map(|(name, _)| name);
    in_brackets.is_some_and(|name| {
        name.split(' ').any(|word| {
            word == "internal"
                || word == "auth"
                || word.split_once('/').is_some_and(|(a, b)| {
                    !a.is_empty() && a.bytes().chain(b.bytes()).all(|c| c.is_ascii_digit())
                })
        }) || name.starts_with("stage-")
    })
}

/// ` => [2/5] RUN npm ci        9.1s`: what BuildKit writes about a step on a terminal, without the time.
fn on_terminal(line: &str) -> Option<&str> {
    let (step, time) = line.strip_prefix(" => ")?.trim_end().rsplit_once(' ')?;
    let number = time.strip_suffix('s')?;
    (number.contains('.') && number.bytes().all(|b| b.is_ascii_digit() || b == b'.'))
        .then_some(step.trim_end())
}

/// Whether a part of a step on a terminal is a transfer, a layer or an internal step that succeeded.
fn is_passed(step: &str) -> bool {
    match step.strip_prefix("=> ") {
        Some(part) => !part.starts_with('#') && !is_kept(part),
        None => step.starts_with("[internal] ") || step.starts_with("[auth] "),
    }
}

/// How a step ended, if the line says so.
fn end(rest: &str) -> Option<End> {
    match rest {
        "CACHED" => Some(End::Succeeded),
        _ if rest.strip_prefix("DONE ").is_some_and(|t| t.ends_with('s')) => Some(End::Succeeded),
        _ if rest.starts_with("ERROR") || rest == "CANCELED" => Some(End::Failed),
        _ => None,
    }
}

/// Hides the output of the steps that BuildKit reports as done.
fn buildkit(source: &Source<'_>, actions: &mut LineActions<'_>) {
    let mut ends: BTreeMap<usize, End> = BTreeMap::new();
    for (step, rest) in source.lines().filter_map(vertex) {
        if let Some(end) = end(rest) {
            // A step for several platforms may end more than once: it counts as failed if one of them failed.
            let last = ends.entry(step).or_insert(end);
            if end == End::Failed {
                *last = end;
            }
        }
    }
    let mut titles: BTreeMap<usize, &str> = BTreeMap::new();
    for (i, line) in source.lines().enumerate() {
        let Some((step, rest)) = vertex(line) else { continue };
        let is_internal = |title: &str| title.starts_with("[internal] ") || title.starts_with("[auth] ");
        let has_succeeded = ends.get(&step) == Some(&End::Succeeded);
        match titles.get(&step).copied() {
            None => {
                titles.insert(step, rest);
                if has_succeeded && is_internal(rest) {
                    actions.omit_unless_failure(i, Reason::Progress, 1);
                }
                continue;
            }
            // The title again, because the output of the step continues.
            Some(title) if title == rest || has_succeeded && is_internal(title) => {
                actions.omit_unless_failure(i, Reason::Progress, 1);
                continue;
            }
            Some(_) => {}
        }
        let goes = match ends.get(&step) {
            Some(End::Succeeded) => end(rest).is_none() && !is_kept(rest),
            Some(End::Failed) => rest == "...",
            None => rest == "..." || is_transfer(rest),
        };
        if goes {
            actions.omit_unless_failure(i, Reason::Progress, 1);
        }
    }
}

/// Whether a line of a successful step is kept: its result, or a warning.
fn is_kept(rest: &str) -> bool {
    let text = after_time(rest);
    let tells = ["naming to ", "writing image ", "pushing manifest ", "exporting manifest list "];
    tells.iter().any(|t| text.starts_with(t)) || is_warning(text)
}

/// `sha256:… 1.2MB / 3.4MB 0.5s`, `transferring context: 2B`
fn is_transfer(rest: &str) -> bool {
    let text = after_time(rest);
    text.starts_with("sha256:") || text.starts_with("transferring ") || text.starts_with("extracting sha256:")
}

/// Whether a text is a warning of a program that a step ran.
fn is_warning(text: &str) -> bool {
    let bytes = text.as_bytes();
    ["warning", "WARN", "Warning", "npm warn", "deprecated"]
        .iter()
        .any(|word| memchr::memmem::find(bytes, word.as_bytes()).is_some())
}

/// The text after the seconds since the start of a step: `0.312 output`.
fn after_time(rest: &str) -> &str {
    match rest.split_once(' ') {
        Some((time, text)) if time.contains('.') && time.bytes().all(|b| b.is_ascii_digit() || b == b'.') => {
            text.trim_start()
        }
        _ => rest,
    }
}

/// A line of buildah without the stage before it: `[2/3] STEP 1/4: FROM base`
fn in_stage(line: &str) -> &str {
    match line.strip_prefix('[').and_then(|rest| rest.split_once("] ")) {
        Some((stage, rest)) if stage.bytes().all(|b| b.is_ascii_digit() || b == b'/') => rest,
        _ => line,
    }
}

/// `Step 3/9 : RUN …`, `STEP 3/4: COPY …`
fn classic(line: &str) -> bool {
    let line = in_stage(line);
    let Some(rest) = line.strip_prefix("Step ").or(line.strip_prefix("STEP ")) else { return false };
    leading_number(rest)
        .and_then(|(_, rest)| leading_number(rest.strip_prefix('/')?))
        .is_some_and(|(_, rest)| rest.starts_with(" : ") || rest.starts_with(": "))
}

/// What buildah writes while it stores an image.
fn is_copy(line: &str) -> bool {
    matches!(
        line,
        "Getting image source signatures" | "Writing manifest to image destination" | "Storing signatures"
    ) || line.starts_with("Copying blob ")
        || line.starts_with("Copying config ")
}

/// Hides the output of the classic steps that are followed by another step or by the built image.
fn steps(source: &Source<'_>, actions: &mut LineActions<'_>) {
    let closes = |line: &str| {
        classic(line) || ["Successfully built ", "COMMIT"].iter().any(|c| in_stage(line).starts_with(c))
    };
    let is_cached = |line: &str| line.trim() == "---> Using cache" || line.starts_with("--> Using cache");
    let is_image = |line: &str| line.starts_with("--> ") || line.starts_with("Successfully tagged ");
    let ended = (0..source.len()).rev().find(|i| is_image(source.line(*i)));
    let mut open: Option<usize> = None;
    // Whether the step before came from the cache: the first one that did not shows what changed.
    let mut is_hit = false;
    for (i, line) in source.lines().enumerate() {
        if !closes(line) {
            if open.is_none() && ended.is_some_and(|end| i < end) && is_copy(line) {
                actions.omit_unless_failure(i, Reason::Progress, 1);
            }
            continue;
        }
        if let Some(start) = open.take() {
            let was_hit = std::mem::replace(&mut is_hit, (start + 1..i).any(|l| is_cached(source.line(l))));
            let tells = |l: &usize| {
                let text = source.line(*l);
                text.starts_with(" ---> ") || text.starts_with("--> ")
            };
            let first = (start + 1..i).find(tells).filter(|_| was_hit && !is_hit);
            let inside = (start + 1..i).filter(|&l| {
                let text = source.line(l);
                !is_cached(text) && !is_warning(text) && first != Some(l)
            });
            inside.for_each(|l| actions.omit_unless_failure(l, Reason::Progress, 1));
        }
        if classic(line) {
            open = Some(i);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_lines() {
        assert_eq!(vertex("#12 [3/7] RUN npm ci"), Some((12, "[3/7] RUN npm ci")));
        assert_eq!(vertex("# 12 things"), None);
        assert!(is_title("[web build 3/7] COPY . ."));
        assert!(is_title("[internal] load build definition from Dockerfile"));
        assert!(!is_title("[x] a task"));
        assert_eq!(end("DONE 1.2s"), Some(End::Succeeded));
        assert_eq!(end("ERROR: process \"/bin/sh -c x\" did not complete"), Some(End::Failed));
        assert!(classic("Step 3/9 : RUN x") && classic("STEP 1/2: FROM scratch") && !classic("Step 3: x"));
        assert!(classic("[2/3] STEP 1/4: FROM base") && !classic("[x] STEP 1/4: FROM base"));
        assert_eq!(on_terminal(" => [2/5] RUN npm ci        9.1s"), Some("[2/5] RUN npm ci"));
        assert_eq!(on_terminal(" => a map"), None);
        assert!(
            is_passed("=> transferring context: 2B")
                && !is_passed("=> # npm error")
                && !is_passed("ERROR [2/5] RUN x")
        );
        assert_eq!(after_time("0.312 added 3 packages"), "added 3 packages");
    }

    #[test]
    fn the_first_step_without_the_cache_says_so() {
        let shown = |text: &str| {
            let source = Source::new(text);
            let mut actions = LineActions::new(&source);
            steps(&source, &mut actions);
            (0..source.len())
                .filter(|l| actions.is_kept(*l))
                .map(|l| source.line(l).to_owned())
                .collect::<Vec<_>>()
        };
        let step = |n: usize, is_cached: bool| match is_cached {
            true => format!("Step {n}/5 : RUN {n}\n ---> Using cache\n ---> 1f{n}\n"),
            false => format!("Step {n}/5 : RUN {n}\n ---> Running in 2f{n}\nwork\n ---> 1f{n}\n"),
        };
        let build = |cached: [bool; 5]| (1..=5).map(|n| step(n, cached[n - 1])).collect::<String>();
        let text = build([true, true, false, false, true]) + "Successfully built 1f5\n";
        let cached = " ---> Using cache";
        let titles = [
            "Step 1/5 : RUN 1",
            "Step 2/5 : RUN 2",
            "Step 3/5 : RUN 3",
            "Step 4/5 : RUN 4",
            "Step 5/5 : RUN 5",
        ];
        let expected = [
            titles[0],
            cached,
            titles[1],
            cached,
            titles[2],
            " ---> Running in 2f3",
            titles[3],
            titles[4],
            cached,
            "Successfully built 1f5",
        ];
        assert_eq!(shown(&text), expected);
        // Without a cache nothing stands out; a copied file has no container; buildah begins with two dashes.
        assert!(
            !shown(&(build([false; 5]) + "Successfully built 1f5\n"))
                .contains(&" ---> Running in 2f1".to_owned())
        );
        let copied = "Step 1/2 : RUN a\n ---> Using cache\n ---> 1f\nStep 2/2 : COPY . .\n ---> 2f\nSuccessfully built 2f\n";
        assert!(shown(copied).contains(&" ---> 2f".to_owned()));
        let buildah =
            "STEP 1/2: RUN a\n--> Using cache 1f\n--> 1f\nSTEP 2/2: RUN b\nwork\n--> 2f\nCOMMIT x\n";
        assert!(
            shown(buildah).contains(&"--> 2f".to_owned()) && !shown(buildah).contains(&"work".to_owned())
        );
    }
}
