//! Chooses the lines of a search to show if there are limits.
//!
//! Matches of a file and files are ranked by relevance, then by position; context lines are shown or hidden with
//! their match. This module writes no text.

use std::ops::Range;

use super::grammar::Found;
use crate::config::SearchLimits;
use crate::input::Input;
use crate::text::code::{skeleton, tokens};
use crate::text::details::similarity_hash;
use crate::text::judge::{Occurrences, RARE_ONE_IN, is_few};
use crate::text::ledger::MARKER_COST;
use crate::text::maps::Map;

/// The lines to show.
#[derive(Debug)]
pub(super) struct Selection {
    /// Per hit, whether it is shown.
    pub shown: Vec<bool>,
    /// For each file with hidden matches: how many are shown, and how many it has.
    pub counts: Vec<Option<(usize, usize)>>,
    /// Long blocks that are shown in part, as ranges of hits in order: a gap in one is marked where it is.
    pub parts: Vec<Range<usize>>,
}

impl Selection {
    /// A selection of everything.
    fn all(found: &Found<'_>) -> Self {
        Self { shown: vec![true; found.hits.len()], counts: vec![None; found.files.len()], parts: Vec::new() }
    }
}

/// Chooses the lines. Those of `always`, which are in order, are shown despite the limits. Everything is shown if no
/// limit is exceeded, if counts would be uncertain, or if hiding would not pay.
pub(super) fn select(
    input: &Input<'_>,
    found: &Found<'_>,
    limits: SearchLimits,
    always: &[usize],
) -> Selection {
    let mut out = Selection::all(found);
    let none = limits.context_lines.or(limits.matches_per_file).or(limits.files).is_none();
    if none || found.has_guesses {
        return out;
    }
    let mut matches: Vec<Vec<usize>> = vec![Vec::new(); found.files.len()];
    for (i, hit) in found.hits.iter().enumerate().filter(|(_, hit)| !hit.is_context) {
        matches[hit.file].push(i);
    }
    let is_set = input.policy.search_max_matches_per_file.is_some();
    let per_file = match is_set {
        true => limits.matches_per_file,
        false => limits.matches_per_file.map(|limit| with_room(&matches, limit)),
    };
    let scores = scores(input, found);
    let first = |file: usize| matches[file].first().copied().unwrap_or(usize::MAX);
    let best = |file: usize| matches[file].iter().map(|&i| scores[i]).max().unwrap_or(0);
    let mut ranked: Vec<usize> = (0..found.files.len()).collect();
    ranked.sort_by_key(|&file| (std::cmp::Reverse(best(file)), first(file)));
    let mut keep = vec![false; found.hits.len()];
    for &file in ranked.iter().take(limits.files.unwrap_or(usize::MAX)) {
        let mut hits = matches[file].clone();
        hits.sort_unstable_by_key(|&i| (std::cmp::Reverse(scores[i]), i));
        let most = per_file.unwrap_or(usize::MAX);
        let is_few_more = !is_set && hits.len() <= most.saturating_add(most / EXTRA_SHARE);
        hits.iter().take(if is_few_more { usize::MAX } else { most }).for_each(|&i| keep[i] = true);
    }
    outliers(input, found, &matches).into_iter().for_each(|i| keep[i] = true);
    for (i, hit) in found.hits.iter().enumerate() {
        keep[i] |= !hit.is_context && always.binary_search(&hit.line).is_ok();
    }
    // A caller who sets the number of context lines gets exactly that.
    let (whole, parts) = match input.policy.search_context_lines {
        None => blocks(found, &keep),
        Some(_) => (Vec::new(), Vec::new()),
    };
    whole.iter().for_each(|block| keep[block.clone()].fill(true));
    for (file, matches) in matches.iter().enumerate() {
        let kept = matches.iter().filter(|&&i| keep[i]).count();
        out.counts[file] = (kept < matches.len()).then_some((kept, matches.len()));
    }
    keep_context(found, limits.context_lines.unwrap_or(usize::MAX), &mut keep);
    whole.iter().for_each(|block| keep[block.clone()].fill(true));
    for (i, hit) in found.hits.iter().enumerate() {
        keep[i] |= always.binary_search(&hit.line).is_ok();
    }
    let hidden = found.hits.iter().zip(&keep).filter(|(_, keep)| !**keep);
    let bytes: usize = hidden.map(|(hit, _)| input.source.raw(hit.line).len()).sum();
    let headings = out.counts.iter().flatten().count() * COUNT_BYTES;
    if bytes <= 2 * MARKER_COST + headings {
        return Selection::all(found);
    }
    (out.shown, out.parts) = (keep, parts);
    out
}

/// Most lines of a block of matches and their context that is shown whole if one of its matches is. A choice: the
/// length of a function.
const MAX_BLOCK_LINES: usize = 60;

/// The blocks of matches and their context in which some match is shown, as ranges of hits: first the blocks that
/// are shown whole, so that no line is missing between two others, then longer blocks.
fn blocks(found: &Found<'_>, keep: &[bool]) -> (Vec<Range<usize>>, Vec<Range<usize>>) {
    let hits = &found.hits;
    let (mut whole, mut parts) = (Vec::new(), Vec::new());
    let mut start = 0;
    for block in hits.chunk_by(|a, b| a.file == b.file && b.line == a.line + 1) {
        let range = start..start + block.len();
        start = range.end;
        let has_context = block.iter().any(|hit| hit.is_context);
        if has_context && keep[range.clone()].contains(&true) {
            if range.len() <= MAX_BLOCK_LINES { whole.push(range) } else { parts.push(range) }
        }
    }
    (whole, parts)
}

/// Fewest matches in which outliers are kept, most such outliers, and most kinds of matches: with more kinds, no kind
/// is usual.
const MIN_MATCHES: usize = 20;
const MAX_OUTLIERS: usize = 3;
const MAX_KINDS: usize = 16;

/// The few matches that differ from nearly all others, except in numbers: these are often the ones to find.
fn outliers(input: &Input<'_>, found: &Found<'_>, matches: &[Vec<usize>]) -> Vec<usize> {
    let all: usize = matches.iter().map(Vec::len).sum();
    if all < MIN_MATCHES {
        return Vec::new();
    }
    let text = |i: usize| {
        let line = input.source.line(found.hits[i].line);
        line.get(found.hits[i].head(line)..).unwrap_or(line)
    };
    let in_order = || matches.iter().flatten().copied();
    let mut out = of_rare_kinds(all, MAX_KINDS, in_order().map(|i| (i, similarity_hash(text(i)))));
    // Where all matches differ in names, those of a rare form stand out, and those with another word or number in a place
    // where all others have the same.
    let forms: Vec<(usize, u64)> = in_order().map(|i| (i, skeleton(text(i)))).collect();
    for i in
        of_rare_kinds(all, MAX_FORMS, forms.iter().copied()).into_iter().chain(other_tokens(&forms, &text))
    {
        if out.len() < 2 * MAX_OUTLIERS && !out.contains(&i) {
            out.push(i);
        }
    }
    out
}

/// The matches of kinds that few have, if there are few such matches.
fn of_rare_kinds(all: usize, most: usize, matches: impl Iterator<Item = (usize, u64)>) -> Vec<usize> {
    let mut kinds = Occurrences::<u64, MAX_OUTLIERS>::at_most(most);
    for (i, kind) in matches {
        crate::stop::check_sometimes();
        if !kinds.add(kind, i) {
            return Vec::new();
        }
    }
    let rare = kinds.into_rare().into_iter().filter(|(count, _)| is_few(*count, all, RARE_ONE_IN));
    let mut out: Vec<usize> = rare.flat_map(|(count, first)| first.into_iter().take(count)).collect();
    out.sort_unstable();
    if out.len() > MAX_OUTLIERS { Vec::new() } else { out }
}

/// The most forms of matches, the most places of a form that are compared, and how many of ten matches of a form have the usual
/// token in a place where another one stands out. Choices.
const MAX_FORMS: usize = 64;
const MAX_PLACES: usize = 48;
const USUAL_IN_TEN: usize = 9;

/// The tokens in one place of the matches of a form: the first one, and the first matches with another one.
#[derive(Default)]
struct Tokens<'a> {
    usual: Option<&'a str>,
    all: usize,
    others: usize,
    first: [usize; MAX_OUTLIERS],
}

/// The few matches with another token in a place where nearly all matches of their form have the same one.
fn other_tokens<'a>(forms: &[(usize, u64)], text: &dyn Fn(usize) -> &'a str) -> Vec<usize> {
    // Numbers of a place in a file are not compared: they are left out of the text.
    let mut places: Map<u64, Vec<Tokens<'a>>> = Map::default();
    for &(i, form) in forms {
        crate::stop::check_sometimes();
        if places.len() == MAX_FORMS && !places.contains_key(&form) {
            continue;
        }
        let of_form = places.entry(form).or_default();
        for (at, token) in tokens(text(i)).take(MAX_PLACES).enumerate() {
            if at == of_form.len() {
                of_form.push(Tokens::default());
            }
            let place = &mut of_form[at];
            place.all += 1;
            if *place.usual.get_or_insert(token.text) != token.text {
                if let Some(free) = place.first.get_mut(place.others) {
                    *free = i;
                }
                place.others += 1;
            }
        }
    }
    let mut out = Vec::new();
    for place in places.into_values().flatten() {
        let is_usual = (place.all - place.others) * 10 >= place.all * USUAL_IN_TEN;
        if place.all >= MIN_MATCHES && is_usual && (1..=MAX_OUTLIERS).contains(&place.others) {
            out.extend(&place.first[..place.others]);
        }
    }
    out.sort_unstable();
    out.dedup();
    out
}

/// Matches that a result may always show, unless the caller set a limit. A choice: about a screen.
const MIN_SHOWN_MATCHES: usize = 32;

/// A file may exceed the limit by the limit divided by this, unless the caller set it: hiding few matches saves
/// less than their count costs.
const EXTRA_SHARE: usize = 4;

/// The limit per file, raised as far as the whole result stays within `MIN_SHOWN_MATCHES` matches: few matches are
/// all shown, first those of files with few matches.
fn with_room(matches: &[Vec<usize>], limit: usize) -> usize {
    let total = |limit: usize| matches.iter().map(|m| m.len().min(limit)).sum::<usize>();
    (limit + 1..=MIN_SHOWN_MATCHES).rev().find(|&more| total(more) <= MIN_SHOWN_MATCHES).unwrap_or(limit)
}

/// Approximate bytes of the counts after a path.
const COUNT_BYTES: usize = 20;

/// Keeps up to `most` lines on each side of the matches that are shown, except lines that are nearer to a
/// hidden match.
fn keep_context(found: &Found<'_>, most: usize, keep: &mut [bool]) {
    let hits = &found.hits;
    // Distance to the nearest match on one side, and whether that is shown.
    let mut nearest: Vec<(usize, bool)> = vec![(usize::MAX, false); hits.len()];
    let mut sweep = |order: &mut dyn Iterator<Item = usize>| {
        let mut last: Option<(usize, usize, bool)> = None;
        for i in order {
            let hit = hits[i];
            if !hit.is_context {
                last = Some((i, hit.line, keep[i]));
                continue;
            }
            let here = last.filter(|(at, line, _)| {
                hits[*at].file == hit.file && hit.line.abs_diff(*line) == i.abs_diff(*at)
            });
            if let Some((_, line, shown)) = here {
                let distance = hit.line.abs_diff(line);
                if (distance, !shown) < (nearest[i].0, !nearest[i].1) {
                    nearest[i] = (distance, shown);
                }
            }
        }
    };
    sweep(&mut (0..hits.len()));
    sweep(&mut (0..hits.len()).rev());
    for i in (0..hits.len()).filter(|&i| hits[i].is_context) {
        // Lines that belong to no match are kept, because it is unknown what they are.
        keep[i] = nearest[i].0 == usize::MAX || (nearest[i].1 && nearest[i].0 <= most);
    }
}

/// Relevance of each hit; 0 for other lines.
fn scores(input: &Input<'_>, found: &Found<'_>) -> Vec<u32> {
    if input.relevance.is_empty() {
        return vec![0; found.hits.len()];
    }
    let matches = found.hits.iter().enumerate().filter(|(_, hit)| !hit.is_context);
    let (at, blocks): (Vec<usize>, Vec<_>) = matches.map(|(i, hit)| (i, hit.line..hit.line + 1)).unzip();
    let mut scores = vec![0; found.hits.len()];
    for (i, score) in at.into_iter().zip(input.relevance.scores(input.source, &blocks)) {
        scores[i] = score;
    }
    scores
}
