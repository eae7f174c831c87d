//! Totals of the counts in the user's state folder: by day, interface, project and model, and in money.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::Path;
use std::time::{Duration, UNIX_EPOCH};

use serde_json::{Value, json};

use super::text::{grouped, head, line, money, percent};
use crate::cli::counting::project;
use crate::cli::out::counted;
use crate::config::Price;
use crate::engine::seal_key;
use crate::protocol::session::{Cost, Stats, Totals};
use crate::telemetry::counts::{Counted, Key, Numbers};
use crate::text::marker::SealKey;

/// Seconds of a day.
const DAY_SECONDS: u64 = 86_400;
/// Most days of a graph, the last ones.
const GRAPH_DAYS: u64 = 60;
/// Columns of its longest bar.
const BAR_COLUMNS: u64 = 50;
/// The last day that a date can be written for.
const LAST_DAY: u64 = 2_932_896;

/// Which tables are wanted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum View {
    /// Totals, and by interface, project and model.
    All,
    /// By day.
    Daily,
    /// By day, as bars.
    Graph,
}

/// The names of fingerprints, as far as this process knows them.
#[derive(Debug, Default)]
struct Names {
    /// The project of the working directory.
    here: Option<u64>,
    models: BTreeMap<u64, String>,
}

/// The counts, with what they cost.
#[derive(Debug)]
pub(super) struct Page {
    counted: Counted,
    names: Names,
    cost: BTreeMap<String, Cost>,
}

impl Page {
    /// A page. Models with a price are shown by their names.
    pub(super) fn new(counted: Counted, prices: &BTreeMap<String, Price>) -> Self {
        let key = seal_key::user_key().ok();
        let names = key.map(|key| Names::new(&key, prices)).unwrap_or_default();
        let cost = prices.iter().filter_map(|(model, price)| {
            let of_model = names.models.iter().find(|(_, name)| *name == model).map(|(mark, _)| *mark);
            // Results without a model may be of any model.
            let is_in = |key: &Key| key.model == 0 || Some(key.model) == of_model;
            let mut stats = Stats::default();
            for (_, numbers) in counted.sums.iter().filter(|(key, _)| is_in(key)) {
                add(&mut stats.total, numbers.baseline, numbers.shown);
                add(&mut stats.resends, numbers.resent_baseline, numbers.resent_shown);
            }
            stats.price(&BTreeMap::from([(model.clone(), *price)]));
            stats.cost.pop_first()
        });
        Self { cost: cost.collect(), names, counted }
    }

    /// As tables.
    pub(super) fn text(&self, view: View, path: &Path) -> String {
        let mut out = String::new();
        // Writing into a String cannot fail.
        if self.counted.sums.is_empty() {
            let _ = writeln!(
                out,
                "Nothing has been counted yet in {}. Other running sessions write their counts within 30 seconds.",
                path.display()
            );
            return out;
        }
        match view {
            View::All => self.tables(&mut out),
            View::Daily => self.rows("day, UTC", self.by(|key| day(key.day)), &mut out),
            View::Graph => self.graph(&mut out),
        }
        for (model, cost) in &self.cost {
            head(&mut out, &format!("cost, {model} or unknown"), &["baseline", "shown", "saved"]);
            money(&mut out, "results", &cost.results);
            money(&mut out, "resends, no cache", &cost.resends);
            if let Some(cached) = &cost.resends_cached {
                money(&mut out, "resends, cached", cached);
            }
        }
        if self.counted.unread > 0 {
            let _ = writeln!(
                out,
                "\nnot in the totals: {} that could not be read",
                counted(self.counted.unread, "line")
            );
        }
        out.trim_start_matches('\n').to_owned()
    }

    fn tables(&self, out: &mut String) {
        let first = self.counted.sums.keys().next().map_or(0, |key| key.day);
        let all = BTreeMap::from([(format!("all since {}", day(first)), self.sum(|_| true))]);
        self.rows("totals", all, out);
        self.rows("host", self.by(|key| key.interface.name().to_owned()), out);
        self.rows("project", self.by(|key| self.names.project(key.project)), out);
        if self.counted.sums.keys().any(|key| key.model != 0) {
            self.rows("model", self.by(|key| self.names.model(key.model)), out);
        }
        let resends = self.sum(|_| true);
        if resends.resends > 0 {
            head(out, "results in later requests", &["results", "tokens", "shown", "saved", "%"]);
            figures("all", resends.resends, resends.resent_baseline, resends.resent_shown, out);
        }
        if resends.secrets > 0 {
            let _ = writeln!(
                out,
                "\n{}",
                counted(usize::try_from(resends.secrets).unwrap_or(usize::MAX), "secret") + " removed"
            );
        }
    }

    fn rows(&self, title: &str, rows: BTreeMap<String, Numbers>, out: &mut String) {
        head(out, title, &["results", "tokens", "shown", "saved", "%"]);
        for (name, numbers) in rows {
            figures(&name, numbers.results, numbers.baseline, numbers.shown, out);
        }
    }

    fn graph(&self, out: &mut String) {
        let saved = self.by_day();
        let Some(last) = saved.keys().next_back().copied() else { return };
        let first = saved.keys().next().copied().unwrap_or(last).max(last.saturating_sub(GRAPH_DAYS - 1));
        let most = saved.range(first..).map(|(_, saved)| *saved).max().unwrap_or(0).max(1);
        let is_cut = saved.keys().next().is_some_and(|day| *day < first);
        let last_days = if is_cut { format!(", the last {GRAPH_DAYS} days") } else { String::new() };
        let _ = writeln!(out, "tokens saved by day, UTC{last_days}");
        for one in first..=last {
            let saved = saved.get(&one).copied().unwrap_or(0);
            // Any saving gets at least one column.
            let length = (u128::from(saved) * u128::from(BAR_COLUMNS)).div_ceil(u128::from(most)) as usize;
            let bar = format!("{} {}", "#".repeat(length), number(saved));
            let _ = writeln!(out, "{}  {}", day(one), bar.trim_start());
        }
    }

    fn by_day(&self) -> BTreeMap<u64, u64> {
        let mut days: BTreeMap<u64, Numbers> = BTreeMap::new();
        for (key, numbers) in &self.counted.sums {
            days.entry(key.day).or_default().add(numbers);
        }
        days.into_iter().map(|(day, sum)| (day, sum.baseline.saturating_sub(sum.shown))).collect()
    }

    fn by(&self, name: impl Fn(&Key) -> String) -> BTreeMap<String, Numbers> {
        let mut sums: BTreeMap<String, Numbers> = BTreeMap::new();
        for (key, numbers) in &self.counted.sums {
            sums.entry(name(key)).or_default().add(numbers);
        }
        sums
    }

    fn sum(&self, is_in: impl Fn(&Key) -> bool) -> Numbers {
        let mut sum = Numbers::default();
        self.counted.sums.iter().filter(|(key, _)| is_in(key)).for_each(|(_, numbers)| sum.add(numbers));
        sum
    }

    /// As JSON: one object for each day, interface, project and model.
    pub(super) fn json(&self) -> Value {
        let row = |(key, numbers): (&Key, &Numbers)| {
            let mut row = json!({
                "day": day(key.day),
                "host": key.interface.name(),
                "project": mark(key.project),
                "isHere": Some(key.project) == self.names.here,
                "results": numbers.results,
                "baselineTokens": numbers.baseline,
                "shownTokens": numbers.shown,
                "resends": numbers.resends,
                "resentBaselineTokens": numbers.resent_baseline,
                "resentShownTokens": numbers.resent_shown,
                "secrets": numbers.secrets,
            });
            if key.model != 0 {
                row["model"] = json!(self.names.model(key.model));
            }
            row
        };
        let counts: Vec<Value> = self.counted.sums.iter().map(row).collect();
        json!({ "counts": counts, "cost": self.cost, "unread": self.counted.unread })
    }
}

impl Names {
    fn new(key: &SealKey, prices: &BTreeMap<String, Price>) -> Self {
        let here = std::env::current_dir().ok().map(|folder| project(key, &folder));
        let models = prices.keys().map(|model| (key.fingerprint(model.as_bytes()), model.clone())).collect();
        Self { here, models }
    }

    fn project(&self, project: u64) -> String {
        if Some(project) == self.here {
            "this project".to_owned()
        } else {
            format!("other, {}", mark(project))
        }
    }

    fn model(&self, model: u64) -> String {
        match model {
            0 => "model unknown".to_owned(),
            _ => self.models.get(&model).cloned().unwrap_or_else(|| format!("other, {}", mark(model))),
        }
    }
}

/// A fingerprint, shortened for display.
fn mark(fingerprint: u64) -> String {
    format!("{:08x}", fingerprint >> 32)
}

fn add(totals: &mut Totals, baseline: u64, shown: u64) {
    let whole = |n: u64| usize::try_from(n).unwrap_or(usize::MAX);
    totals.baseline_tokens = totals.baseline_tokens.saturating_add(whole(baseline));
    totals.shown_tokens = totals.shown_tokens.saturating_add(whole(shown));
}

fn figures(name: &str, results: u64, baseline: u64, shown: u64, out: &mut String) {
    let saved = i64::try_from(i128::from(baseline) - i128::from(shown)).unwrap_or(i64::MAX);
    let cells = [number(results), number(baseline), number(shown), grouped(saved)];
    let cells: Vec<String> = cells.into_iter().chain([percent(saved as f64, baseline as f64)]).collect();
    line(out, name, &cells);
}

fn number(n: u64) -> String {
    grouped(i64::try_from(n).unwrap_or(i64::MAX))
}

/// A day as a date.
fn day(day: u64) -> String {
    let at = UNIX_EPOCH + Duration::from_secs(day.min(LAST_DAY) * DAY_SECONDS);
    humantime::format_rfc3339_seconds(at).to_string().chars().take(10).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::telemetry::counts::Interface;

    fn page() -> Page {
        let key = |day, interface: &str, project, model| Key {
            day,
            interface: Interface::named(interface),
            project,
            model,
        };
        let numbers = |baseline, shown| Numbers { results: 2, baseline, shown, ..Numbers::default() };
        let sums = BTreeMap::from([
            (key(20_000, "codex", 1 << 60, 0), numbers(1000, 400)),
            (key(20_002, "codex", 1 << 60, 0), numbers(10, 10)),
            (
                key(20_002, "gateway", 7, 5),
                Numbers { secrets: 3, resends: 4, ..numbers(2_000_000, 1_000_000) },
            ),
        ]);
        let names = Names { here: Some(7), models: BTreeMap::from([(5, "m".to_owned())]) };
        let counted = Counted { sums, ..Counted::default() };
        Page { counted, names, cost: BTreeMap::new() }
    }

    #[test]
    fn tables_tell_hosts_projects_and_models_apart() {
        let text = page().text(View::All, Path::new("x"));
        let row = |name: &str| {
            let line =
                text.lines().find(|line| line.starts_with(name)).unwrap_or_else(|| panic!("{name}: {text}"));
            line[name.len()..].split_whitespace().collect::<Vec<_>>().join(" ")
        };
        assert_eq!(row("all since 2024-10-04"), "6 2,001,010 1,000,410 1,000,600 50.0");
        assert_eq!(row("codex"), "4 1,010 410 600 59.4");
        assert_eq!(row("gateway"), "2 2,000,000 1,000,000 1,000,000 50.0");
        assert_eq!(row("this project"), row("gateway"));
        assert_eq!(row("other, 10000000"), row("codex"));
        assert_eq!((row("m "), row("model unknown")), (row("gateway"), row("codex")));
        assert!(text.ends_with("\n3 secrets removed\n"), "{text}");
    }

    #[test]
    fn a_graph_has_every_day_and_shows_the_smallest_saving() {
        let text = page().text(View::Graph, Path::new("x"));
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(lines[1..3], ["2024-10-04  # 600", "2024-10-05  0"]);
        assert_eq!(lines[3], format!("2024-10-06  {} 1,000,000", "#".repeat(50)));
        assert_eq!(lines.len(), 4);
    }

    #[test]
    fn a_wrong_clock_makes_no_graph_without_end() {
        let mut page = page();
        let key = Key { day: u64::MAX, ..Key::default() };
        page.counted.sums.insert(key, Numbers::default());
        assert_eq!(page.text(View::Graph, Path::new("x")).lines().count(), 1 + GRAPH_DAYS as usize);
        assert!(page.text(View::Daily, Path::new("x")).contains("9999-12-31"));
    }

    #[test]
    fn nothing_is_said_to_be_nothing() {
        let page = Page { counted: Counted::default(), names: Names::default(), cost: BTreeMap::new() };
        assert_eq!(
            page.text(View::All, Path::new("x")),
            "Nothing has been counted yet in x. Other running sessions write their counts within 30 seconds.\n"
        );
    }
}
