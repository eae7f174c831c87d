//! `tersed replay --bill`: the cost of whole sessions at the prices of a model with a cache: as they were, with
//! tersed, and with other ways to shorten results. Also how often their agents would have had to ask again.
//!
//! Every session is sent request by request, as a gateway sees it. The messages at the start of a request that are
//! equal to those of the previous request count as cached. No model is called: an agent that misses something is
//! charged one more answer.

mod course;
mod sum;
mod systems;
mod table;

use std::collections::HashMap;
use std::rc::Rc;

use serde_json::{Map, Value, json};

use super::child::Child;
use super::curve::{self, Method, Point};
use super::record::Session;
use crate::reclaim::Prices;
use course::{SessionNeeds, Shown};
use sum::Sum;
use systems::{System, Variant};

/// Fewest answers of the sessions in each column of the table.
const LENGTHS: [usize; 3] = [0, 30, 60];

/// The prices of a bill.
pub(super) struct Terms {
    /// The prices.
    pub prices: Prices,
    /// The name of the prices, as in the flag.
    pub name: String,
}

/// The sums of one system, one for each minimum number of answers in `LENGTHS`.
struct Line {
    name: String,
    sums: [Sum; LENGTHS.len()],
}

/// Sends all whole sessions through each system and prints the bills.
pub(super) fn run(
    sessions: &[Session],
    policy: &Map<String, Value>,
    flags: &[String],
    terms: &Terms,
    shape: Shape,
    mut step: impl FnMut(),
) -> Result<String, String> {
    let courses: Vec<SessionNeeds<'_>> = sessions
        .iter()
        .filter(|session| !session.transcript.answers.is_empty())
        .map(SessionNeeds::of)
        .collect();
    if courses.is_empty() {
        return Err(
            "--bill needs whole sessions: one JSON object a line with `session` and `messages`".to_owned()
        );
    }
    let mut policy = policy.clone();
    policy.entry("evidence").or_insert_with(|| json!("none"));
    // As a gateway does: a model does not reliably see the ids of calls.
    policy.entry("idsVisible").or_insert_with(|| json!(false));
    let variants = variants(&policy, shape);
    let mut lines: Vec<Line> = variants
        .iter()
        .map(|variant| Line { name: variant.name.clone(), sums: Default::default() })
        .collect();
    let mut child = Child::spawn(flags)?;
    for course in &courses {
        // The cost and the visible text of each text, shared by all systems; most texts are part of many requests.
        let mut texts = Texts::default();
        for (line, variant) in lines.iter_mut().zip(&variants) {
            let mut sender = systems::Sender::new(variant, course, &terms.prices);
            let mut sum = Sum::default();
            sum.session(course, &terms.prices, &mut texts, |at| sender.request(&mut child, at))?;
            sender.end(&mut child)?;
            for (total, length) in line.sums.iter_mut().zip(LENGTHS) {
                if course.answers() >= length {
                    total.add(&sum);
                }
            }
        }
        step();
    }
    child.end()?;
    Ok(match shape {
        Shape::Json => format!("{}\n", json(&lines, terms)),
        Shape::Table | Shape::Curve => table::table(&lines, terms),
    })
}

/// What is printed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Shape {
    /// A table of the systems.
    Table,
    /// The same as JSON.
    Json,
    /// A table of tersed with different limits, compressing results as they come, and of cuts.
    Curve,
}

/// The systems to compare. The first one sends results unchanged.
fn variants(policy: &Map<String, Value>, shape: Shape) -> Vec<Variant> {
    let variant = |system: System| Variant { name: system.name(), system, policy: policy.clone() };
    if shape != Shape::Curve {
        return System::ALL.into_iter().map(variant).collect();
    }
    let of_point = |Point { name, method }: Point| match method {
        Method::Policy(policy) => Variant { name, system: System::OnArrival, policy },
        Method::Cut(chars) => variant(System::Cut(chars)),
    };
    [variant(System::Raw)].into_iter().chain(curve::points(policy).into_iter().map(of_point)).collect()
}

/// Texts that were measured, by hash.
#[derive(Default)]
struct Texts(HashMap<u64, Rc<Shown>>);

impl Texts {
    /// The hash of a text, and what it costs and shows.
    fn of(&mut self, text: &str) -> (u64, Rc<Shown>) {
        let hash = xxhash_rust::xxh3::xxh3_64(text.as_bytes());
        let shown = self.0.entry(hash).or_insert_with(|| Rc::new(Shown::of(text)));
        (hash, Rc::clone(shown))
    }
}

fn json(lines: &[Line], terms: &Terms) -> Value {
    let Prices { write, read, output } = terms.prices;
    let raw = lines.first().map(|line| &line.sums);
    let rows = lines.iter().map(|line| {
        let groups = line.sums.iter().zip(LENGTHS).enumerate().map(|(at, (sum, length))| {
            let mut row = sum.json();
            row["answersAtLeast"] = json!(length);
            row["saved"] = json!(raw.map_or(0.0, |raw| sum.saved_of(&raw[at])));
            row
        });
        json!({ "system": line.name, "sessions": groups.collect::<Vec<_>>() })
    });
    json!({
        "prices": { "name": terms.name, "write": write, "read": read, "output": output, "asOf": Prices::AS_OF },
        "systems": rows.collect::<Vec<_>>(),
    })
}
