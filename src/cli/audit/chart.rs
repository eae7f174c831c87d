//! Charts as inline SVG: bars without text, which scale with the page. The numbers are written beside them.

/// A bar of 100 units: first what remains, then what is saved, in proportion to `whole`.
pub(super) fn bar(after: u64, saved: u64, whole: u64) -> String {
    let share = |part: u64| if whole == 0 { 0.0 } else { part as f64 * 100.0 / whole as f64 };
    // A small share stays visible.
    let width = |part: u64| if part == 0 { 0.0 } else { share(part).max(0.4) };
    let (left, right) = (width(after), width(saved));
    format!(
        "<svg class=\"bar\" viewBox=\"0 0 100 10\" preserveAspectRatio=\"none\" aria-hidden=\"true\">\
         <rect class=\"track\" width=\"100\" height=\"10\"/>\
         <rect class=\"after\" width=\"{left:.2}\" height=\"10\"/>\
         <rect class=\"saved\" x=\"{left:.2}\" width=\"{right:.2}\" height=\"10\"/></svg>"
    )
}

/// Vertical bars, scaled to the highest.
pub(super) fn columns(values: &[usize]) -> String {
    let most = values.iter().copied().max().unwrap_or(0).max(1) as f64;
    let step = 100.0 / values.len().max(1) as f64;
    let bars: String = values
        .iter()
        .enumerate()
        .map(|(i, value)| {
            let height = if *value == 0 { 0.0 } else { (*value as f64 * 100.0 / most).max(1.0) };
            let class = if i == 0 { "after" } else { "saved" };
            let (x, y, width) = (i as f64 * step + step * 0.12, 100.0 - height, step * 0.76);
            format!(
                "<rect class=\"{class}\" x=\"{x:.2}\" y=\"{y:.2}\" width=\"{width:.2}\" height=\"{height:.2}\"/>"
            )
        })
        .collect();
    format!(
        "<svg class=\"columns\" viewBox=\"0 0 100 100\" preserveAspectRatio=\"none\" aria-hidden=\"true\">{bars}</svg>"
    )
}
