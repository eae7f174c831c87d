//! Formats numbers and phrases of the explanation. Knows no layout.

/// A number with separators between the thousands.
pub(in crate::cli) fn number(n: usize) -> String {
    let digits = n.to_string();
    let mut out = String::with_capacity(digits.len() * 4 / 3);
    for (i, digit) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

/// A number of things.
pub(in crate::cli) fn count(n: usize, one: &str) -> String {
    format!("{} {one}{}", number(n), if n == 1 { "" } else { "s" })
}

/// Before, after, and by how much that is less.
pub(super) fn change(before: usize, after: usize) -> String {
    let sizes = format!("{} → {}", number(before), number(after));
    match before {
        0 => sizes,
        _ if before == after => format!("{sizes} (as before)"),
        _ => {
            let tenths = (after.abs_diff(before) as u128 * 1000 + before as u128 / 2) / before as u128;
            let sign = if after < before { '−' } else { '+' };
            format!("{sizes} ({sign}{}.{} %)", tenths / 10, tenths % 10)
        }
    }
}

/// Lines by their numbers, from 1, inclusive.
pub(super) fn lines(first: usize, last: usize) -> String {
    if first == last { format!("line {first}") } else { format!("lines {first}-{last}") }
}

/// Joins the items of a list into a phrase.
pub(super) fn list(items: &[String]) -> String {
    match items {
        [] => String::new(),
        [one] => one.clone(),
        [most @ .., last] => format!("{} and {last}", most.join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_read_well() {
        assert_eq!([0, 12, 999, 1000, 1_234_567].map(number), ["0", "12", "999", "1,000", "1,234,567"]);
        assert_eq!(change(1164, 430), "1,164 → 430 (−63.1 %)");
        assert_eq!(change(0, 0), "0 → 0");
        assert_eq!(change(7, 7), "7 → 7 (as before)");
        assert_eq!((lines(3, 3), lines(3, 9)), ("line 3".to_owned(), "lines 3-9".to_owned()));
        assert_eq!(list(&["a".to_owned(), "b".to_owned(), "c".to_owned()]), "a, b and c");
    }
}
