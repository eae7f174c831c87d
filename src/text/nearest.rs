//! Suggests a known name in place of an unknown one.

/// A name without case, `_` and `-`, in which spellings differ.
pub fn plain_form(name: &str) -> String {
    name.chars().filter(|c| !matches!(c, '_' | '-')).flat_map(char::to_lowercase).collect()
}

/// The known name that was most likely meant.
pub fn nearest<'a>(name: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let form = plain_form(name);
    let most = (form.chars().count() / 3).clamp(1, 3);
    let distance = |known: &str| strsim::damerau_levenshtein(&form, &plain_form(known));
    // A very long name is not a typing error, and comparing it takes quadratic time.
    let known = known.into_iter().filter(|_| form.len() <= 64);
    known
        .map(|known| (distance(known), known))
        .filter(|(far, _)| *far <= most)
        .min_by_key(|(far, _)| *far)
        .map(|(_, known)| known)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_wrong_name_finds_its_neighbour() {
        assert_eq!(nearest("tset", ["text", "test", "build"]), Some("test"));
        assert_eq!(nearest("StripLine", ["stripLines", "keepLines"]), Some("stripLines"));
        assert_eq!(nearest("max_lines", ["maxLines"]), Some("maxLines"));
        assert_eq!(nearest("zzz", ["test", "build"]), None);
        assert_eq!(nearest(&"a".repeat(1 << 20), [&*"a".repeat(1 << 20)]), None);
    }
}
