//! Rules of the operator, which replace the built-in treatment of some outputs.
//!
//! A rule is chosen by properties of a call and its text (`conditions`, found through `index`). It names the methods that
//! may process the text (`methods`), or has line stages (`stages`), or both. Like a reducer it returns spans over source
//! lines, and the pipeline's guard, gate and ledger check it in the same way. Its own words are only used if they are proven
//! (`claims`). `spec` is the format for operators; `layers::rule_file` reads files of it.

pub mod claims;
mod commands;
pub(crate) mod conditions;
mod error;
mod globs;
mod index;
pub mod methods;
mod regexes;
mod spec;
pub(crate) mod stages;

use std::collections::HashMap;
use std::sync::{Arc, LazyLock, Mutex, PoisonError};

use serde::de::Deserializer;
use serde::{Deserialize, Serialize, Serializer};

pub use conditions::{Facts, Verdict};
pub use error::{RuleError, nearest};
pub use methods::Methods;
pub use regexes::MAX_COMPILED_BYTES;
pub use spec::{List, MatchOutput, Replace, RuleFile, RuleSpec, RuleTest, StagesSpec, When};
pub use stages::LineOutcome;

use crate::text::call::ToolCall;
use crate::text::ledger::{Ledger, Reduction};
use crate::text::reason::Reason;
use crate::text::source::Source;
use claims::Proof;
use conditions::Conditions;
use index::Index;
use stages::{Staged, Stages};

/// Most rules at once.
pub const MAX_RULES: usize = 10_000;

/// A rule, parsed and validated.
#[derive(Debug)]
pub struct Rule {
    spec: RuleSpec,
    when: Conditions,
    /// The methods that process the text after the stages.
    pub methods: Methods,
    stages: Option<Stages>,
}

impl Rule {
    fn new(spec: RuleSpec) -> Result<Self, RuleError> {
        check_name(&spec.name)?;
        let when = Conditions::new(&spec.when)?;
        let stages = spec.stages.as_ref().map(Stages::new).transpose()?;
        let methods = match (&spec.pipeline, &stages) {
            (Some(names), _) => Methods::new(names)?,
            (None, Some(_)) => Methods::lossless(),
            // A rule that only disables another one may be empty.
            (None, None) if !spec.enabled => Methods::default(),
            (None, None) => {
                return Err(RuleError::new(
                    "pipeline",
                    "is absent and so are `stages`, allowed is either or both",
                ));
            }
        };
        if methods.passthrough && stages.is_some() {
            return Err(RuleError::new(
                "pipeline",
                "leaves the text as it is, so that no `stages` may stand beside it",
            ));
        }
        for (i, test) in spec.tests.iter().enumerate() {
            let says = test.fires.is_some()
                || test.expect.is_some()
                || !test.contains.is_empty()
                || !test.lacks.is_empty();
            if !says {
                let reason = "expects nothing, allowed are `fires`, `expect`, `contains`, `lacks`";
                return Err(RuleError::new(format!("tests[{i}]"), reason));
            }
        }
        Ok(Self { spec, when, methods, stages })
    }

    /// Its name.
    pub fn name(&self) -> &str {
        &self.spec.name
    }

    /// The step's name in the evidence.
    pub fn step(&self) -> String {
        format!("rule:{}", self.spec.name)
    }

    /// The rule as the operator wrote it.
    pub fn spec(&self) -> &RuleSpec {
        &self.spec
    }

    /// Whether it has line stages.
    pub fn has_stages(&self) -> bool {
        self.stages.is_some()
    }

    /// Whether the rule itself allows results of this few bytes, whatever the policy says.
    pub fn least_bytes(&self) -> Option<usize> {
        self.when.min_bytes
    }

    /// Every condition with its verdict.
    pub fn explain(&self, facts: &Facts<'_>) -> Vec<Verdict> {
        self.when.explain(facts)
    }

    /// Applies the stages to the lines that are still kept, and says whether unproven words of the rule were left out.
    /// `failures` are not changed.
    pub fn reduce(
        &self,
        source: &Source<'_>,
        call: &ToolCall,
        ledger: &Ledger,
        failures: &[usize],
    ) -> (Result<Reduction, Reason>, bool) {
        let Some(staged) = self.staged(source, call, ledger, failures) else {
            return (Err(Reason::NothingToDo), false);
        };
        (staged.reduction(source, self.name()), staged.unproven)
    }

    /// The fate of each line in the stages.
    pub fn line_outcomes(
        &self,
        source: &Source<'_>,
        call: &ToolCall,
        failures: &[usize],
    ) -> Vec<LineOutcome> {
        self.staged(source, call, &Ledger::new(source), failures).map_or(Vec::new(), |staged| staged.outcomes)
    }

    fn staged(
        &self,
        source: &Source<'_>,
        call: &ToolCall,
        ledger: &Ledger,
        failures: &[usize],
    ) -> Option<Staged> {
        Some(self.stages.as_ref()?.run(source, ledger, failures, Proof::of(call, source)))
    }

    /// Warnings for the operator: words that need a proof.
    pub fn warnings(&self) -> Vec<String> {
        let claims = self.stages.iter().flat_map(Stages::claims);
        claims
            .map(|(field, text)| {
                format!(
                    "{}.{field}: `{text}` tells of success; it is used only where the exit status is known to be 0, is that of \
                     the whole command, and no line reports a failure",
                    self.name()
                )
            })
            .collect()
    }
}

fn check_name(name: &str) -> Result<(), RuleError> {
    const MAX_NAME_BYTES: usize = 64;
    let is_plain = name.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'_' | b'.'));
    match is_plain && (1..=MAX_NAME_BYTES).contains(&name.len()) {
        true => Ok(()),
        false => {
            let reason = format!(
                "`{}` is not a name, allowed are 1 to {MAX_NAME_BYTES} letters, digits, `-`, `_`, `.`",
                name.escape_debug()
            );
            Err(RuleError::new("name", reason))
        }
    }
}

/// The rules of a policy. Cheap to copy; equal digests mean equal rules.
#[derive(Debug, Clone)]
pub struct Rules(Arc<Set>);

#[derive(Debug, Default)]
struct Set {
    /// The rules as given, including disabled ones.
    given: Vec<Arc<Rule>>,
    /// The enabled rules in the order in which they are tried.
    ordered: Vec<Arc<Rule>>,
    index: Index,
    /// Smallest text, in bytes, that any of them applies to.
    least_bytes: usize,
    digest: [u8; 16],
}

impl Default for Rules {
    fn default() -> Self {
        static NONE: LazyLock<Arc<Set>> =
            LazyLock::new(|| Arc::new(Set { least_bytes: usize::MAX, ..Set::default() }));
        Self(Arc::clone(&NONE))
    }
}

/// Compiled rules; requests may send the same rules again and again.
static COMPILED: LazyLock<Mutex<HashMap<[u8; 16], Rules>>> = LazyLock::new(Mutex::default);
/// Most lists of rules that are remembered.
const MAX_REMEMBERED: usize = 16;

fn remembered(key: [u8; 16], make: impl FnOnce() -> Result<Rules, RuleError>) -> Result<Rules, RuleError> {
    if let Some(rules) = COMPILED.lock().unwrap_or_else(PoisonError::into_inner).get(&key) {
        return Ok(rules.clone());
    }
    let rules = make()?;
    let mut compiled = COMPILED.lock().unwrap_or_else(PoisonError::into_inner);
    if compiled.len() >= MAX_REMEMBERED {
        compiled.clear();
    }
    compiled.insert(key, rules.clone());
    Ok(rules)
}

fn digest(parts: &[&[u8]]) -> [u8; 16] {
    let mut hasher = blake3::Hasher::new();
    for part in parts {
        hasher.update(&(part.len() as u64).to_le_bytes()).update(part);
    }
    let mut half = [0; 16];
    half.copy_from_slice(&hasher.finalize().as_bytes()[..16]);
    half
}

impl Rules {
    /// Parses and validates rules.
    pub fn new(specs: Vec<RuleSpec>) -> Result<Self, RuleError> {
        if specs.is_empty() {
            return Ok(Self::default());
        }
        let json = serde_json::to_vec(&specs).unwrap_or_default();
        remembered(digest(&[&json]), || {
            if specs.len() > MAX_RULES {
                let reason = format!("has {} rules, allowed are at most {MAX_RULES}", specs.len());
                return Err(RuleError { index: MAX_RULES, ..RuleError::new("name", reason) });
            }
            let mut names: HashMap<String, usize> = HashMap::new();
            let mut given = Vec::with_capacity(specs.len());
            for (index, spec) in specs.into_iter().enumerate() {
                let name = spec.name.clone();
                let named = |error: RuleError| RuleError { index, rule: name.clone(), ..error };
                if let Some(first) = names.insert(name.clone(), index) {
                    let reason = format!("`{name}` is the name of rules[{first}] already");
                    return Err(named(RuleError::new("name", reason)));
                }
                given.push(Arc::new(Rule::new(spec).map_err(named)?));
            }
            Ok(Self::of(given, digest(&[&json])))
        })
    }

    fn of(given: Vec<Arc<Rule>>, digest: [u8; 16]) -> Self {
        let mut ordered: Vec<Arc<Rule>> = given.iter().filter(|rule| rule.spec.enabled).cloned().collect();
        ordered.sort_by_key(|rule| std::cmp::Reverse(rule.spec.priority));
        let index = Index::new(ordered.iter().map(|rule| &**rule));
        let least_bytes = ordered.iter().filter_map(|rule| rule.least_bytes()).min().unwrap_or(usize::MAX);
        Self(Arc::new(Set { given, ordered, index, least_bytes, digest }))
    }

    /// These rules with those of a later layer, which replace rules of the same name.
    #[must_use]
    pub fn with(&self, later: &Self) -> Self {
        if later.is_empty() || self.0.digest == later.0.digest {
            return self.clone();
        }
        if self.is_empty() {
            return later.clone();
        }
        let key = digest(&[&self.0.digest, &later.0.digest]);
        let join = || {
            let mut given = self.0.given.clone();
            for rule in &later.0.given {
                match given.iter_mut().find(|old| old.name() == rule.name()) {
                    Some(old) => *old = Arc::clone(rule),
                    None => given.push(Arc::clone(rule)),
                }
            }
            Ok(Self::of(given, key))
        };
        remembered(key, join).unwrap_or_else(|_| later.clone())
    }

    /// Whether there are no rules.
    pub fn is_empty(&self) -> bool {
        self.0.given.is_empty()
    }

    /// The rules as given.
    pub fn given(&self) -> impl Iterator<Item = &Rule> {
        self.0.given.iter().map(|rule| &**rule)
    }

    /// The enabled rules in the order in which they are tried.
    pub fn ordered(&self) -> impl Iterator<Item = &Arc<Rule>> {
        self.0.ordered.iter()
    }

    /// Smallest text, in bytes, that a rule with its own limit applies to.
    pub fn least_bytes(&self) -> usize {
        self.0.least_bytes
    }

    /// The first rule that matches.
    pub fn choose(&self, facts: &Facts<'_>) -> Option<Arc<Rule>> {
        if self.0.ordered.is_empty() {
            return None;
        }
        let mut candidates = self.0.index.candidates(facts).into_iter();
        candidates.find_map(|place| {
            let rule = self.0.ordered.get(place as usize)?;
            rule.when.hold(facts).then(|| Arc::clone(rule))
        })
    }

    /// A digest that identifies these rules, in hexadecimal.
    pub fn digest(&self) -> String {
        self.0.digest.iter().map(|byte| format!("{byte:02x}")).collect()
    }

    /// Warnings about all rules.
    pub fn warnings(&self) -> Vec<String> {
        self.given().flat_map(Rule::warnings).collect()
    }
}

impl PartialEq for Rules {
    fn eq(&self, other: &Self) -> bool {
        self.0.digest == other.0.digest
    }
}

impl Eq for Rules {}

impl std::hash::Hash for Rules {
    fn hash<H: std::hash::Hasher>(&self, state: &mut H) {
        self.0.digest.hash(state);
    }
}

impl Serialize for Rules {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.given().map(Rule::spec))
    }
}

impl<'de> Deserialize<'de> for Rules {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let specs = Vec::<RuleSpec>::deserialize(deserializer)?;
        Self::new(specs).map_err(serde::de::Error::custom)
    }
}

#[cfg(feature = "schema")]
impl schemars::JsonSchema for Rules {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Rules".into()
    }

    fn json_schema(generator: &mut schemars::SchemaGenerator) -> schemars::Schema {
        generator.subschema_for::<Vec<RuleSpec>>()
    }
}

/// Writes what identifies the rules, and nothing for none: part of a policy's fingerprint.
pub fn as_digest<S: Serializer>(rules: &Rules, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_seq(Some(rules.digest()).filter(|_| !rules.is_empty()))
}
