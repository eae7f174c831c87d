//! Removes from JSON: our entries, their commas and line ends, and containers that were created for them.

use std::ops::Range;

use serde_json::Value;

use super::insert::{indent_of_line, line_start};
use super::{Fault, Node, comma_after, parse, value};
use crate::install::parts::{Part, at, is_entry, is_ours};

/// One step from a value to a value inside it.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Step {
    Name(String),
    Index(usize),
}

/// The text without our entries at the paths of the parts. Empty objects and arrays are then removed too if `made` lists
/// them or is unknown. The value of a [`Part::Default`] is removed only if `made` lists it.
pub fn remove(text: &str, parts: &[Part], made: Option<&[Vec<String>]>) -> Result<String, Fault> {
    let (mark, body) = text.strip_prefix('\u{feff}').map_or(("", text), |body| ("\u{feff}", body));
    let mut body = body.to_owned();
    // In reverse order, so that each sees the text as it was when it was added.
    for part in parts.iter().rev() {
        let mut is_changed = false;
        while let Some(target) = target(value(&body)?.as_ref(), part, made) {
            body = without(&body, &target)?;
            is_changed = true;
        }
        if is_changed {
            body = without_empty(body, part, made)?;
        }
    }
    Ok(format!("{mark}{body}"))
}

/// The last entry of ours that matches a part, or the part of it that is ours alone.
fn target(root: Option<&Value>, part: &Part, made: Option<&[Vec<String>]>) -> Option<Vec<Step>> {
    let mut steps: Vec<Step> = part.path().iter().cloned().map(Step::Name).collect();
    let found = at(root?, part.path())?;
    match part {
        Part::Member { .. } => is_ours(found).then_some(steps),
        Part::Element { .. } => {
            let elements = found.as_array()?;
            let index = elements.iter().rposition(is_ours)?;
            steps.push(Step::Index(index));
            inside(&elements[index], &mut steps);
            Some(steps)
        }
        Part::Default { path, value } => (made?.contains(path) && found == value).then_some(steps),
    }
}

/// Descends into an element that others also use.
fn inside(element: &Value, steps: &mut Vec<Step>) {
    if is_entry(element) {
        return;
    }
    for (name, value) in element.as_object().into_iter().flatten() {
        let Some(all) = value.as_array() else { continue };
        if let Some(index) = all.iter().rposition(is_ours).filter(|_| !all.iter().all(is_ours)) {
            steps.extend([Step::Name(name.clone()), Step::Index(index)]);
            return inside(&all[index], steps);
        }
    }
}

/// Removes containers that a part left empty, innermost first.
fn without_empty(mut body: String, part: &Part, made: Option<&[Vec<String>]>) -> Result<String, Fault> {
    let path = part.path();
    for end in (1..=path.len()).rev() {
        let prefix = &path[..end];
        if made.is_some_and(|made| !made.iter().any(|made| made == prefix)) {
            continue;
        }
        let steps: Vec<Step> = prefix.iter().cloned().map(Step::Name).collect();
        let Some(root) = parse(&body)? else { break };
        let Some((holder, index)) = find(&root, &steps) else { continue };
        let Node::Object(_, members) = holder else { continue };
        let inner = &members[index].value;
        let range = inner.range();
        let is_bare = matches!(inner, Node::Object(..) | Node::Array(..))
            && body[range.start + 1..range.end - 1].trim().is_empty();
        if is_bare {
            body = without(&body, &steps)?;
        }
    }
    Ok(body)
}

/// The container of a value, and the index of the value in it.
fn find<'a>(root: &'a Node, steps: &[Step]) -> Option<(&'a Node, usize)> {
    let (last, before) = steps.split_last()?;
    let mut node = root;
    for step in before {
        node = match node {
            Node::Object(_, members) => &members.get(index(node, step)?)?.value,
            Node::Array(_, elements) => elements.get(index(node, step)?)?,
            Node::Other(..) => return None,
        };
    }
    Some((node, index(node, last)?))
}

fn index(node: &Node, step: &Step) -> Option<usize> {
    match (node, step) {
        (Node::Object(_, members), Step::Name(name)) => {
            members.iter().position(|member| member.name == *name)
        }
        (Node::Array(_, elements), Step::Index(index)) => {
            Some(*index).filter(|index| *index < elements.len())
        }
        _ => None,
    }
}

/// The text without one member or element.
fn without(text: &str, steps: &[Step]) -> Result<String, Fault> {
    let root = parse(text)?;
    let mut expected = value(text)?;
    let fault = || Fault {
        line: 1,
        text: "an entry of tersed cannot be taken out safely; remove it by hand".to_owned(),
    };
    let (holder, index) = root.as_ref().and_then(|root| find(root, steps)).ok_or_else(fault)?;
    expected.as_mut().and_then(|root| drop_from(root, steps)).ok_or_else(fault)?;
    let tight = cut(text, cuts(text, holder, index, true));
    if value(&tight) == Ok(expected.clone()) {
        return Ok(tight);
    }
    // Otherwise the rest of the line would become part of a comment.
    let loose = cut(text, cuts(text, holder, index, false));
    if value(&loose) == Ok(expected) { Ok(loose) } else { Err(fault()) }
}

fn drop_from(root: &mut Value, steps: &[Step]) -> Option<()> {
    let (last, before) = steps.split_last()?;
    let holder = before.iter().try_fold(root, |value, step| match step {
        Step::Name(name) => value.get_mut(name),
        Step::Index(index) => value.get_mut(*index),
    })?;
    match last {
        Step::Name(name) => holder.as_object_mut()?.shift_remove(name).map(|_| ()),
        Step::Index(index) => {
            let all = holder.as_array_mut()?;
            (*index < all.len()).then(|| all.remove(*index)).map(|_| ())
        }
    }
}

/// The ranges to cut for one item: itself, a comma, and with `tight` the white space before it.
fn cuts(text: &str, holder: &Node, index: usize, tight: bool) -> Vec<Range<usize>> {
    let items = holder.items();
    let (whole, item) = (holder.range(), items[index].clone());
    let start = if tight { space_before(text, item.start) } else { item.start };
    let mut cuts = Vec::with_capacity(3);
    cuts.push(start..item.end);
    if let Some(comma) = comma_after(text, item.end) {
        cuts.push(comma..comma + 1);
        if index == 0
            && tight
            && start == whole.start + 1
            && items.len() > 1
            && !text[start..item.start].contains('\n')
        {
            // The next item moves up to the bracket.
            let next = comma + 1 + text[comma + 1..].len() - text[comma + 1..].trim_start_matches(' ').len();
            cuts.push(comma + 1..next);
        }
    } else if let Some(before) = index.checked_sub(1) {
        cuts.extend(comma_after(text, items[before].end).map(|comma| comma..comma + 1));
    }
    if items.len() == 1 && tight && start == whole.start + 1 {
        // An object that was empty before stood on one line.
        let rest = &text[item.end..whole.end - 1];
        let line = rest.strip_prefix('\r').unwrap_or(rest).strip_prefix('\n');
        let own = line.and_then(|line| line.strip_prefix(indent_of_line(text, whole.start)));
        if let Some(own) = own.filter(|own| !own.contains('\n')) {
            cuts.push(item.end..whole.end - 1 - own.len());
        }
    }
    cuts
}

/// The start of the white space before an item, with at most one line end.
fn space_before(text: &str, start: usize) -> usize {
    let line = line_start(text, start);
    let blank = text[..start].trim_end_matches([' ', '\t']).len();
    if blank > line || line == 0 {
        return blank;
    }
    let newline = line - 1;
    if text[..newline].ends_with('\r') { newline - 1 } else { newline }
}

fn cut(text: &str, mut cuts: Vec<Range<usize>>) -> String {
    cuts.sort_by_key(|range| range.start);
    let mut out = String::with_capacity(text.len());
    let mut from = 0;
    for range in cuts {
        out.push_str(&text[from..range.start.max(from)]);
        from = range.end.max(from);
    }
    out.push_str(&text[from..]);
    out
}
